//===- lossgrad-lsp-server.cpp - Editor support for lossgrad IR -----------===//
//
// MLIR's language server with our dialects: diagnostics, hover, go to
// definition in .mlir files. Point an editor's MLIR extension at this binary.
//
//===----------------------------------------------------------------------===//

#include "dialect/Dialects.h"
#include "tools/ToolMain.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  lossgrad::tools::setVersion("lossgrad-lsp-server");
  lossgrad::tools::hideForeignOptions();
  mlir::DialectRegistry registry;
  lossgrad::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
