//===- DerivedBody.h - The body of an operator from a forward ---*- C++ -*-===//
//
// Imports the formulas of a forward into the body of its backward, with the
// gradients that are wanted of them; and, for those who want to see whether the
// gradients are right, what they are gradients of. Deriving is left to passes.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_DERIVEDBODY_H
#define LOSSGRAD_CODEGEN_IMPORT_DERIVEDBODY_H

#include "codegen/Import/FormulaImporter.h"

namespace lossgrad {

/// Whether the inputs that a GradientOf names are inputs of its forward; asked
/// first, because for others it would have no output, either.
mlir::LogicalResult checkWanted(const llvm::Record &record,
                                const RecordSource &source);

/// Fills the body of a BackwardOf record, whose block has its arguments
/// already. Rules of the forward's own go to `module`.
mlir::LogicalResult
importDerivedBody(const llvm::Record &record, const RecordSource &source,
                  const Declarations &declarations, const RuleTable &rules,
                  mlir::Block &block, mlir::OpBuilder &module);

/// What the gradients of a BackwardOf record are gradients of, as an operator
/// that takes the forward's inputs and the backward's (passes/Derive/
/// Differences.h). Null where the forward says that its gradients are not its
/// derivatives.
mlir::FailureOr<OperatorOp>
importObjective(const llvm::Record &record, const RecordSource &source,
                const Declarations &declarations, const RuleTable &rules,
                OperatorOp backward, mlir::OpBuilder &module);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_DERIVEDBODY_H
