//===- lossgrad-opt.cpp - Read, verify and transform lossgrad IR ----------===//
//
// The driver for one pass at a time: MLIR's own, with our dialects and passes
// registered.
//
//===----------------------------------------------------------------------===//

#include "dialect/Dialects.h"
#include "dialect/LossGrad/Analysis/Uniformity.h"
#include "passes/Passes.h"
#include "tools/ToolMain.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

static constexpr llvm::StringLiteral kOverview =
    R"(lossgrad-opt: read, verify, transform and print lossgrad IR

  lossgrad-opt SmoothL1.mlir                               verify and print
  lossgrad-opt --canonicalize --cse SmoothL1.mlir          run passes in this order
  lossgrad-opt --lossgrad-print-uniformity SmoothL1.mlir   what the host can compute
  lossgrad-opt --mlir-print-op-generic SmoothL1.mlir       the generic form

Reads standard input without a file. A record goes through lossgrad-tblgen:

  lossgrad-tblgen MyLoss.td | lossgrad-opt --lossgrad-optimize
)";

int main(int argc, char **argv) {
  lossgrad::tools::setVersion("lossgrad-opt");
  lossgrad::tools::hideForeignOptions();
  mlir::DialectRegistry registry;
  lossgrad::registerDialects(registry);
  mlir::registerCanonicalizerPass();
  mlir::registerStripDebugInfoPass();
  mlir::registerCSEPass();
  lossgrad::registerUniformityPrinter();
  lossgrad::registerLossgradPasses();
  lossgrad::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, kOverview, registry));
}
