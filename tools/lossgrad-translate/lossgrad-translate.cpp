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
#include "tools/ToolMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/LogicalResult.h"

static constexpr llvm::StringLiteral overview = R"(lossgrad translations

  Examples:
    lossgrad-translate --td-to-mlir MyLoss.td
    lossgrad-translate --td-to-mlir -I common MyLoss.td -o MyLoss.mlir
    lossgrad-translate --mlir-to-ascendc MyLossKernels.mlir -o kernels.txt
)";

int main(int argc, char **argv) {
  lossgrad::tools::setVersion("lossgrad-translate");
  lossgrad::tools::hideForeignOptions();
  lossgrad::registerTdToMlirTranslation();
  lossgrad::host::registerTranslations();
  lossgrad::registerMlirToAscendCTranslation();
  lossgrad::tiling::registerTranslation();
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, overview));
}
