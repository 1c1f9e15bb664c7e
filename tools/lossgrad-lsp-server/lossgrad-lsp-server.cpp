//===- lossgrad-lsp-server.cpp - Editor support for lossgrad IR -----------===//
//
// MLIR's language server with our dialects: diagnostics, hover, go to
// definition in .mlir files. Point an editor's MLIR extension at this binary.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "tools/ToolMain.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  lossgrad::tools::setVersion("lossgrad-lsp-server");
  lossgrad::tools::hideForeignOptions();
  mlir::DialectRegistry registry;
  registry.insert<lossgrad::LossGradDialect, lossgrad::ascendc::AscendCDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
