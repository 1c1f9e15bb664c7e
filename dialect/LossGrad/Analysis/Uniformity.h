//===- Uniformity.h - What the host can compute -----------------*- C++ -*-===//
//
// Which values of a body depend only on attributes, shapes, dtypes and presence
// (uniform: the host computes them once), and which input tensors each value
// reads. How often a kernel computes the other values is a schedule's decision,
// not this analysis's.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_ANALYSIS_UNIFORMITY_H
#define LOSSGRAD_DIALECT_LOSSGRAD_ANALYSIS_UNIFORMITY_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace lossgrad {

/// True for a value that the host computes with scalars alone: no dims on the
/// way to it, and no element of any tensor. Passes ask it while they rewrite.
bool isUniform(mlir::Value value);

/// The same for a whole body, with the inputs that each value reads.
class Uniformity {
public:
  /// Bodies are single blocks, so one walk in order is enough.
  explicit Uniformity(OperatorOp op);

  /// True for a value that reads no tensor. Where it is not uniform, it is the
  /// same in every launch of these shapes, but not for the host to compute: iota
  /// and what is made of it.
  bool isIndependentOfData(mlir::Value value) const;

  /// The input tensors whose contents the value depends on, as positions in
  /// the list of inputs.
  const llvm::BitVector &getInputsRead(mlir::Value value) const;

  /// The input tensors whose contents any output depends on. An input that is
  /// not among them matters by its shape and dtype only.
  llvm::BitVector getInputsReadByOutputs() const;

private:
  OperatorOp op;
  llvm::DenseMap<mlir::Value, llvm::BitVector> inputsRead;
};

/// Registers `--lossgrad-print-uniformity`, which prints one line per value.
void registerUniformityPrinter();

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_ANALYSIS_UNIFORMITY_H
