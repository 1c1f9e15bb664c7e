//===- DerivedBody.h - The body of an operator from a forward ---*- C++ -*-===//
//
// Imports the formulas of a forward into the body of its backward, with the
// gradients that are wanted of them. Deriving is left to passes.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_DERIVEDBODY_H
#define LOSSGRAD_CODEGEN_IMPORT_DERIVEDBODY_H

#include "codegen/Import/FormulaImporter.h"

namespace lossgrad {

/// Fills the body of a BackwardOf record, whose block has its arguments
/// already. Rules of the forward's own go to `module`.
mlir::LogicalResult
importDerivedBody(const llvm::Record &record, const RecordSource &source,
                  const Declarations &declarations, const RuleTable &rules,
                  mlir::Block &block, mlir::OpBuilder &module);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_DERIVEDBODY_H
