//===- lossgrad-translate.cpp - The borders between IR and text -----------===//
//
// mlir-translate with our translations: records to IR, IR to sources. A
// translation registers itself here and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "codegen/Host/HostEmitters.h"
#include "codegen/Import/Import.h"
#include "codegen/Kernel/KernelEmitter.h"
#include "codegen/Tiling/TilingEmitter.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "tools/ToolMain.h"
#include "llvm/Support/LogicalResult.h"

static constexpr llvm::StringLiteral overview = R"(lossgrad translations

  Examples:
    lossgrad-translate --td-to-mlir MyLoss.td
    lossgrad-translate --td-to-mlir -I common MyLoss.td -o MyLoss.mlir
    lossgrad-translate --mlir-to-ascendc MyLossKernels.mlir -o kernels.txt
)";

/// MLIR's own main says once per translation that one must be given.
static bool namesTranslation(int argc, char **argv) {
  llvm::cl::opt<bool> owner("lossgrad-names-translation", llvm::cl::Hidden);
  mlir::TranslationParser translations(owner);
  owner.removeArgument();
  std::string known;
  for (unsigned i = 0, e = translations.getNumOptions(); i < e; ++i) {
    llvm::StringRef name = translations.getOption(i);
    for (const char *argument : llvm::ArrayRef(argv + 1, argc - 1)) {
      llvm::StringRef word = llvm::StringRef(argument).ltrim('-');
      if (word == name || word.starts_with("help") || word == "version")
        return true;
    }
    known += (known.empty() ? "--" : ", --") + name.str();
  }
  llvm::errs() << "lossgrad-translate: say what to translate: " << known
               << "\n";
  return false;
}

int main(int argc, char **argv) {
  lossgrad::tools::setVersion("lossgrad-translate");
  lossgrad::tools::hideForeignOptions();
  lossgrad::registerTdToMlirTranslation();
  lossgrad::host::registerTranslations();
  lossgrad::registerMlirToAscendCTranslation();
  lossgrad::tiling::registerTranslation();
  if (!namesTranslation(argc, argv))
    return 1;
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, overview));
}
