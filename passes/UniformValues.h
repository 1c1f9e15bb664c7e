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

/// The smallest and the smallest normal float32, and the largest.
inline constexpr double kMinFloat32 = 0x1p-149;
inline constexpr double kMinNormalFloat32 = 0x1p-126;
inline constexpr double kMaxFloat32 = 0x1.fffffep+127;

/// What a uniform value may be in calls with at least one output element
/// (extents are 1 or more then). An attribute may be anything that its type
/// holds.
struct Magnitude {
  /// Bounds of |value| where it is finite and not 0.
  double low = std::numeric_limits<double>::denorm_min();
  double high = std::numeric_limits<double>::max();
  bool zero = true, infinite = true, nan = true;
  bool negative = true, positive = true;

  /// Whether float32 holds the value with full precision, if it is a number.
  bool isNormalFloat32() const {
    return !zero && !infinite && low >= kMinNormalFloat32 &&
           high <= kMaxFloat32;
  }
  /// Whether the value stays finite and other than 0 on the host, unless it was
  /// made infinite or 0 by what the call gives.
  bool isNormalFloat64() const {
    return low >= std::numeric_limits<double>::min() &&
           high < std::numeric_limits<double>::max();
  }
};
Magnitude getMagnitude(mlir::Value uniform);
Magnitude getProduct(const Magnitude &x, const Magnitude &y);

/// Whether a value is a float32 in every call, NaN and infinities included.
bool isExactFloat32(mlir::Value uniform);

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
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sign(mlir::Value value);
  mlir::Value clamp(mlir::Value value, double low, double high);
  mlir::Value compare(Predicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value land(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lor(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lnot(mlir::Value value);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

private:
  mlir::Location takeLoc();
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string name;
};

/// A uniform condition and what it is wherever a value is read.
struct ReadLiteral {
  mlir::Value condition;
  bool holds;
  bool operator==(const ReadLiteral &other) const {
    return condition == other.condition && holds == other.holds;
  }
};

/// What holds on all ways from a value to the results of its body: choices by
/// uniform conditions that take the side where it is.
llvm::SmallVector<ReadLiteral> getReadLiterals(mlir::Value value);
/// One such condition that must hold; null if there is none.
mlir::Value getReadCondition(mlir::Value value);

/// Erases ops of a block whose results nobody uses, last first.
void eraseDeadOps(mlir::Block &block);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_UNIFORMVALUES_H
