//===- lossgrad-reduce.cpp - Smaller IR with the same problem -------------===//
//
// MLIR's reducer with the dialects and passes of this project: it cuts an IR
// file down as long as a script still finds the file interesting. For reports
// and tests of bugs.
//
//===----------------------------------------------------------------------===//

#include "dialect/Dialects.h"
#include "passes/Passes.h"
#include "tools/ToolMain.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  lossgrad::tools::setVersion("lossgrad-reduce");
  lossgrad::tools::hideForeignOptions();
  mlir::DialectRegistry registry;
  lossgrad::registerDialects(registry);
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerReducerPasses();
  lossgrad::registerLossgradPasses();
  lossgrad::registerPipelines();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
