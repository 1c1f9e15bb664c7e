//===- Derivations.h - What tests of derivations share ----------*- C++ -*-===//
//
// Imports records in the ways that are compared, and runs bodies.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TEST_UNIT_DERIVE_DERIVATIONS_H
#define LOSSGRAD_TEST_UNIT_DERIVE_DERIVATIONS_H

#include "codegen/Import/Import.h"
#include "dialect/LossGrad/Interpreter/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "passes/Derive/Differences.h"
#include "passes/Derive/SampledError.h"
#include "llvm/Support/Error.h"

namespace lossgrad {

/// A module and the context that it lives in.
class Imported {
public:
  /// The records of a text, or of a file of ops_td.
  static Imported text(llvm::StringRef text, ImportOptions options = {});
  static Imported file(llvm::StringRef name, ImportOptions options = {});

  /// The operator of this name, or null.
  OperatorOp get(llvm::StringRef name) const;
  /// The forward, or the only other operator.
  OperatorOp getForward() const;
  OperatorOp getBackward() const;
  /// What the backward's gradients are gradients of; null if there is none.
  OperatorOp getObjective() const;
  mlir::ModuleOp getModule() const { return **module; }
  explicit operator bool() const { return module && *module; }

private:
  Imported(std::unique_ptr<llvm::MemoryBuffer> buffer, ImportOptions options);

  std::shared_ptr<mlir::MLIRContext> context;
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module;
};

/// The records that have a forward beside a body written by hand.
inline constexpr const char *kDerivedRecords[] = {
    "BinaryCrossEntropyBackward",
    "BinaryCrossEntropyWithLogitsBackward",
    "CosineEmbeddingLossBackward",
    "CrossEntropyLossGrad",
    "DiceLossBackward",
    "DpoLossBackward",
    "GaussianNLLLossBackward",
    "HingeEmbeddingLossBackward",
    "HingeLossGrad",
    "HuberLossBackward",
    "IpoLossBackward",
    "KlDivBackward",
    "KlDivTargetBackward",
    "L1LossBackward",
    "LogSigmoidBackward",
    "LogSoftmaxBackward",
    "LogitGrad",
    "MarginRankingLossBackward",
    "MseLossBackward",
    "MultiMarginLossBackward",
    "NLLLoss2dBackward",
    "NLLLossBackward",
    "PoissonNLLLossBackward",
    "PolyLossBackward",
    "SigmoidFocalLossBackward",
    "SmoothL1LossBackward",
    "SoftMarginLossBackward",
    "SoftmaxBackward",
    "SoftmaxFocalLossBackward",
    "VocabParallelCrossEntropyBackward",
};

/// Such a record with its body written by hand: in the record, or, where that
/// keeps only the forward, in ByHand.
Imported importByHand(llvm::StringRef record);
OperatorOp getByHand(const Imported &imported, llvm::StringRef record);
/// The same with its body derived, whatever is written, and its objective.
Imported importDerived(llvm::StringRef record);

/// The outputs of a call, or nothing if the interpreter refuses it.
std::optional<std::vector<OutputTensor>> run(OperatorOp op, const Call &call);

/// Expects the gradients of an operator to be what differences of its forward
/// say on the sampled calls; returns how many elements were compared.
unsigned expectGradients(OperatorOp backward, OperatorOp objective,
                         llvm::ArrayRef<unsigned> calls,
                         unsigned perOutput = 6);

} // namespace lossgrad

#endif // LOSSGRAD_TEST_UNIT_DERIVE_DERIVATIONS_H
