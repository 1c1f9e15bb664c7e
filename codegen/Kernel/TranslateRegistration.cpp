//===- TranslateRegistration.cpp - --mlir-to-ascendc ----------------------===//
//
// Registers the kernel emitter as a translation.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/KernelEmitter.h"
#include "dialect/Dialects.h"

#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

void lossgrad::registerMlirToAscendCTranslation() {
  static TranslateFromMLIRRegistration registration(
      "mlir-to-ascendc",
      "print the kernel sources of prepared level-3 IR; files are separated by "
      "'//--- path' lines",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::vector<EmittedFile>> files = emitKernels(module);
        if (failed(files))
          return failure();
        printFiles(*files, os);
        return success();
      },
      // The operator and the host function stand in the same module.
      registerDialects);
}
