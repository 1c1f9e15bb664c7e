//===- ForwardImporter.h - A forward's formulas in its backward -*- C++ -*-===//
//
// What the derived body of an operator and its objective have in common: the
// formulas of the forward, over what the backward declares. Private to the
// importer.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_FORWARDIMPORTER_H
#define LOSSGRAD_CODEGEN_IMPORT_FORWARDIMPORTER_H

#include "codegen/Import/DerivedBody.h"

namespace lossgrad {

/// Common to bodies and objectives: the forward's formulas over what the
/// backward declares.
class ForwardImporter {
public:
  ForwardImporter(const llvm::Record &record, const RecordSource &source,
                  const Declarations &own, const RuleTable &rules,
                  mlir::Block &block, mlir::OpBuilder &module)
      : record(record), source(source), fields(record, source), own(own),
        rules(rules), block(block), module(module) {}

  mlir::LogicalResult import();

protected:
  mlir::LogicalResult readForward();
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  importSaved(FormulaImporter &formulas);
  mlir::LogicalResult checkNames();
  mlir::LogicalResult checkOverrides();
  void bindInputs(FormulaImporter &formulas);
  mlir::FailureOr<mlir::Value> replaceLet(llvm::StringRef name,
                                          mlir::Value value);
  mlir::FailureOr<mlir::Value> overrideLet(const llvm::Record &override_,
                                           llvm::StringRef name,
                                           mlir::Value value);
  mlir::LogicalResult importOutputs(FormulaImporter &forwardFormulas,
                                    FormulaImporter &ownFormulas);
  void sumUpstream(mlir::OpBuilder &builder);
  mlir::LogicalResult importGradients(mlir::OpBuilder &builder);
  mlir::LogicalResult checkDims(llvm::StringRef name, mlir::Value value);
  mlir::FailureOr<mlir::Value> findOutput(FormulaImporter &formulas,
                                          llvm::StringRef name,
                                          const llvm::Record &upstream);
  mlir::Value getOwnInput(llvm::StringRef name);
  mlir::InFlightDiagnostic error(llvm::StringRef field, llvm::StringRef token) {
    return emitError(
        source.locateInField(record, field, ("\"" + token + "\"").str()));
  }

  const llvm::Record &record;
  const RecordSource &source;
  RecordFields fields;
  const Declarations &own;
  const RuleTable &rules;
  mlir::Block &block;
  mlir::OpBuilder &module;
  const llvm::Record *forward = nullptr;
  Declarations theirs;
  llvm::StringMap<mlir::Value> inputs; // of the forward
  llvm::SmallVector<mlir::Value> outputs, upstream;
  FormulaImporter *forwardFormulas = nullptr;
};

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_FORWARDIMPORTER_H
