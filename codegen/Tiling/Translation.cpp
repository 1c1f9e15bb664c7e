//===- Translation.cpp - --mlir-to-tiling --------- ---------------------===//
//
// Registration with mlir-translate's registry.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "codegen/Tiling/TilingEmitter.h"
#include "dialect/Dialects.h"

using namespace mlir;

static LogicalResult toTiling(Operation *op, raw_ostream &out) {
  auto module = cast<ModuleOp>(op);
  auto programs = module.getOps<lossgrad::ascendc::ProgramOp>();
  if (programs.empty())
    return module.emitError("has no kernels; run the pipeline "
                            "lossgrad-to-ascendc first");
  std::string base = ("op_host/" + (*programs.begin()).getFile()).str();
  out << "//--- op_host/lossgrad_tiling.h\n";
  if (failed(lossgrad::tiling::emitHelpers(module, out)))
    return failure();
  out << "//--- op_host/lossgrad_tiling_call.h\n";
  if (failed(lossgrad::tiling::emitCallReader(module, out)))
    return failure();
  out << "//--- " << base << "_tiling.h\n";
  if (failed(lossgrad::tiling::emitComputation(module, out)))
    return failure();
  out << "//--- " << base << "_tiling.cpp\n";
  return lossgrad::tiling::emitAdapter(module, out);
}

void lossgrad::tiling::registerTranslation() {
  static TranslateFromMLIRRegistration registration(
      "mlir-to-tiling",
      "print the tiling functions of prepared level-3 IR (C++11); files are "
      "separated by '//--- path' lines",
      toTiling, lossgrad::registerDialects);
}
