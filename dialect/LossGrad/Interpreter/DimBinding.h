//===- DimBinding.h - The extents of dims in a call -------------*- C++ -*-===//
//
// Finds what n, s..., b... and so on are in a given call, and how each tensor
// lies over them. A dim that a call leaves open is not an error here: contracts
// ask for dims of calls that they are about to refuse.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_DIMBINDING_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_DIMBINDING_H

#include "dialect/LossGrad/Interpreter/Call.h"

namespace lossgrad {

/// How the elements of a tensor lie over the axes of its declared dims, in
/// elements of the row-major tensor; 0 along an axis over which it broadcasts.
struct TensorView {
  Extents extents, strides;
};

class DimBinding {
public:
  /// Binds what can be bound. The extents of a dim come from the first required
  /// input that lists it unconditionally, then from optional inputs, then from
  /// conditional and flat shapes, then from outputs.
  DimBinding(OperatorOp op, const Call &call);

  /// The extents of a dim, one per axis, or nothing.
  std::optional<llvm::ArrayRef<int64_t>> find(llvm::StringRef dim) const;
  /// The same, with an error that says which dim is open.
  llvm::Expected<llvm::ArrayRef<int64_t>> get(llvm::StringRef dim) const;

  /// The extents of all dims of a list, one after the other.
  llvm::Expected<Extents> getShape(llvm::ArrayRef<mlir::StringAttr> dims) const;

  /// How a present tensor lies over its declared dims; an error if its shape
  /// is not the declared one.
  llvm::Expected<TensorView> getView(ParamAttr param) const;

  /// The shape that an output must have.
  llvm::Expected<Extents> getOutputShape(ParamAttr param) const;

private:
  /// The axes of a tensor that belong to one dim: [begin, end).
  struct Slice {
    size_t begin, end;
  };
  using Slices = llvm::SmallVector<Slice, 4>;

  llvm::SmallVector<ParamAttr> getBindingOrder() const;
  bool bindFrom(ParamAttr param);
  void bindBroadcast(DimAttr dim);
  void bindPart(DimAttr dim);

  Extents getActualShape(ParamAttr param) const;
  std::optional<Slices> slice(ParamAttr param) const;
  std::optional<Slices> sliceRun(llvm::ArrayRef<mlir::StringAttr> dims,
                                 size_t begin, size_t end) const;
  bool isFull(ParamAttr param) const;
  llvm::Error mismatch(ParamAttr param) const;

  // The operator's queries are not const in MLIR.
  mutable OperatorOp op;
  const Call &call;
  llvm::StringMap<Extents> extents;
};

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_DIMBINDING_H
