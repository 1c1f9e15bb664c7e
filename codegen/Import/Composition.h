//===- Composition.h - Bodies made of other operators -----------*- C++ -*-===//
//
// A Composed record takes the bodies of other operators for functions. What
// they have in common is left to lossgrad-simplify.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_COMPOSITION_H
#define LOSSGRAD_CODEGEN_IMPORT_COMPOSITION_H

#include "codegen/Import/FormulaImporter.h"
#include "mlir/IR/BuiltinOps.h"

namespace lossgrad {

/// The operators that a Composed record is made of, each once.
mlir::FailureOr<llvm::SmallVector<const llvm::Record *>>
getPartOperators(const llvm::Record &record, const RecordSource &source);

/// Puts the bodies of the parts into the block and binds the names of their
/// results. The module has the operators of the parts. Reports what does not
/// fit at the record.
mlir::LogicalResult importParts(const llvm::Record &record,
                                const RecordSource &source,
                                const Declarations &declarations,
                                FormulaImporter &formulas, mlir::Block &block,
                                mlir::ModuleOp module);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_COMPOSITION_H
