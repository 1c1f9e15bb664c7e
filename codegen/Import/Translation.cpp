//===- Translation.cpp - --td-to-mlir -------------------------------------===//
//
// The importer as a translation of mlir-translate's registry.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "codegen/Import/Import.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

void lossgrad::registerTdToMlirTranslation() {
  static llvm::cl::list<std::string> includeDirs(
      "I", llvm::cl::Prefix, llvm::cl::value_desc("dir"),
      llvm::cl::desc("Where `include` of records looks first"));
  static TranslateToMLIRRegistration registration(
      "td-to-mlir", "Import operator records (TableGen) as lossgrad IR",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        ImportOptions options;
        options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
        return importRecords(*sources, options, context);
      },
      [](DialectRegistry &registry) { registry.insert<LossGradDialect>(); });
}
