//===- UniformValues.h - What the host computes once ------------*- C++ -*-===//
//
// Uniform values of a body (attributes, shapes, presence and what is computed
// from them): how large can they be, and how to build more of them without
// clutter. Which values are uniform is a question for the analysis of level 1.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_UNIFORMVALUES_H
#define LOSSGRAD_PASSES_UNIFORMVALUES_H

#include "dialect/LossGrad/Analysis/Uniformity.h"
#include "mlir/IR/Builders.h"

namespace lossgrad {

/// The value of a real, int or bool constant, if it is one.
std::optional<double> getRealConstant(mlir::Value value);
std::optional<bool> getBoolConstant(mlir::Value value);

/// Bounds of |value| over all calls with at least one output element (extents
/// are 1 or more then). An attribute may be anything.
struct Magnitude {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool nonNegative = false;

  /// Whether float32 holds the value with full precision.
  bool isNormalFloat32() const;
};
Magnitude getMagnitude(mlir::Value uniform);

/// The smallest normal and the largest float32.
inline constexpr double kMinNormalFloat32 = 0x1p-126;
inline constexpr double kMaxFloat32 = 0x1.fffffep+127;

/// A location without the names in it: what is built for the sake of a value is
/// not that value.
mlir::Location withoutName(mlir::Location loc);

/// Builds uniform arithmetic; neutral factors and constants fold at once.
class UniformBuilder {
public:
  UniformBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(withoutName(loc)) {}
  /// Names the next result; the name ends up in the tiling data.
  UniformBuilder &named(llvm::StringRef name);

  mlir::Value real(double value);
  mlir::Value boolean(bool value);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value neg(mlir::Value value);
  mlir::Value abs(mlir::Value value);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(Predicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value land(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lnot(mlir::Value value);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

private:
  mlir::Location takeLoc();
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string name;
};

/// Erases ops of a block whose results nobody uses, last first.
void eraseDeadOps(mlir::Block &block);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_UNIFORMVALUES_H
