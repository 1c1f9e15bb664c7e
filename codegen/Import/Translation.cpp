//===- Translation.cpp - --td-to-mlir -------------------------------------===//
//
// The importer as a translation of mlir-translate's registry.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "codegen/Import/Import.h"
#include "codegen/Import/RecordText.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;

/// Prints a file with what is derived for every BackwardOf, also where results
/// are written by hand.
static LogicalResult derive(const std::shared_ptr<llvm::SourceMgr> &sources,
                            ImportOptions options, llvm::raw_ostream &os,
                            MLIRContext *context) {
  options.ignoreResults = true;
  OwningOpRef<ModuleOp> module = importRecords(*sources, options, context);
  if (!module)
    return failure();
  const llvm::MemoryBuffer *main =
      sources->getMemoryBuffer(sources->getMainFileID());
  llvm::SourceMgr copy;
  copy.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(main->getMemBufferRef()), llvm::SMLoc());
  llvm::RecordKeeper records;
  if (failed(parseRecords(copy, options, context, records)))
    return failure();
  printDerivedRecords(main->getBuffer(), *module, records, os);
  return success();
}

void lossgrad::registerTdToMlirTranslation() {
  static llvm::cl::list<std::string> includeDirs(
      "I", llvm::cl::Prefix, llvm::cl::value_desc("dir"),
      llvm::cl::desc("Where `include` of records looks first"));
  static llvm::cl::opt<bool> forwards(
      "forwards", llvm::cl::desc("Import forwards (Loss) as well"));
  static llvm::cl::opt<bool> ignoreResults(
      "ignore-results",
      llvm::cl::desc("Derive operators also where their results are written"));
  static llvm::cl::opt<bool> noDerive(
      "no-derive", llvm::cl::desc("Leave gradients to be derived by passes"));
  static TranslateToMLIRRegistration registration(
      "td-to-mlir", "Import operator records (TableGen) as lossgrad IR",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        ImportOptions options;
        options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
        options.forwards = forwards;
        options.ignoreResults = ignoreResults;
        options.derive = !noDerive;
        return importRecords(*sources, options, context);
      },
      [](DialectRegistry &registry) { registry.insert<LossGradDialect>(); });
  static TranslateRegistration derivation(
      "derive",
      "Print the file with the formulas derived from forwards written down",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &os,
         MLIRContext *context) -> LogicalResult {
        ImportOptions options;
        options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
        return derive(sources, options, os, context);
      });
}
