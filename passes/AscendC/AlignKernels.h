//===- AlignKernels.h - what several kernels have in common -----*- C++ -*-===//
//
// Statements of kernels that differ in the type of their tensors, side by side:
// which of them are the same call on corresponding operands. It changes no IR.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_ALIGNKERNELS_H
#define LOSSGRAD_PASSES_ASCENDC_ALIGNKERNELS_H

#include "dialect/AscendC/IR/AscendC.h"

namespace lossgrad::ascendc {

/// One value or op of each kernel, in the order of the kernels.
using ValueTuple = llvm::SmallVector<mlir::Value, 3>;
using OpTuple = llvm::SmallVector<mlir::Operation *, 3>;

/// A statement that all kernels have, after what each has of its own.
struct AlignedStatement {
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>, 3> own;
  OpTuple common; // empty at the end of a block
};

/// How the types of corresponding values relate.
class TypeRelation {
public:
  TypeRelation(llvm::ArrayRef<mlir::Type> elements, TypeParamType param)
      : elements(elements), param(param) {}

  TypeParamType getParam() const { return param; }
  llvm::ArrayRef<mlir::Type> getElements() const { return elements; }
  /// The type of one value for all kernels: the same, or tensors of the
  /// parameter where each has its own element type; null if there is none.
  mlir::Type unify(llvm::ArrayRef<mlir::Type> types) const;
  /// The same of element types.
  mlir::Type unifyElements(llvm::ArrayRef<mlir::Type> types) const;
  /// Whether these could be one type, for the kernels `i` and `j` alone.
  bool correspond(mlir::Type a, unsigned i, mlir::Type b, unsigned j) const;

private:
  llvm::SmallVector<mlir::Type> elements; // of each kernel
  TypeParamType param;
};

/// Tensors in UB may lie elsewhere in each kernel; what names them (views,
/// tensors of TBufs) and numbers that cost nothing are no statements.
bool isTensor(mlir::Value value);
bool isFloating(mlir::Operation *op);
/// The operand that says what the type of the tensors says already; null if the
/// op has none.
mlir::Value getDtypeOperand(mlir::Operation *op);
/// Operands without that one.
llvm::SmallVector<mlir::Value> getComparedOperands(mlir::Operation *op);
/// Whether scalars, members and positions of two kernels have the same value.
bool isSameValue(mlir::Value a, unsigned i, mlir::Value b, unsigned j,
                 const TypeRelation &types);

/// The statements of corresponding blocks (null: none), as long a common
/// sequence as there is; calls count more than what orders them.
llvm::SmallVector<AlignedStatement> alignBlocks(llvm::ArrayRef<mlir::Block *> blocks,
                                                const TypeRelation &types);

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_ALIGNKERNELS_H
