//===- UniformToArith.h - Uniform values as host arithmetic -----*- C++ -*-===//
//
// Uniform values of bodies in the terms of a tiling function: reals are f64,
// ints i64, bools i1, and what they ask of the call is lossgrad.tiling.ask.
// What several bodies compute alike is one value.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_UNIFORMTOARITH_H
#define LOSSGRAD_PASSES_UNIFORMTOARITH_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace lossgrad {

class CompareOp;
class OperatorOp;

/// Where the host reads the size of a tensor or dim: a tensor of the call, and
/// the axis of it if the dim is one of several; for a pack, how many single
/// axes the tensor has before and behind it. A broadcast pack that no tensor
/// shows is the common shape of several, and `tensor` its own name.
struct SizeSource {
  llvm::StringRef tensor;
  mlir::IntegerAttr axis;
  int64_t axesBefore = 0, axesBehind = 0;
  llvm::SmallVector<llvm::StringRef> common = {};
};

/// The source for what `lossgrad.numel`, `rank` or `extent` names; nothing
/// where no tensor of the call shows the dim.
std::optional<SizeSource> findSizeSource(OperatorOp op, llvm::StringRef name);

class UniformToArith {
public:
  explicit UniformToArith(mlir::OpBuilder &builder) : builder(builder) {}

  /// The value of a uniform expression at the builder's insertion point.
  mlir::Value convert(mlir::Value uniform);

private:
  mlir::Value unique(mlir::Value value);
  mlir::Value build(mlir::Operation *op);
  mlir::Value buildSize(mlir::Operation *op);
  mlir::Value buildChoice(class CompareOp compare);
  mlir::Value call(llvm::StringRef helper, mlir::Location loc,
                   mlir::Value operand, mlir::Type type = {});
  mlir::Value buildArithmetic(mlir::Operation *op, mlir::ValueRange operands);

  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> converted;
  llvm::SmallVector<mlir::Operation *> built;
};

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_UNIFORMTOARITH_H
