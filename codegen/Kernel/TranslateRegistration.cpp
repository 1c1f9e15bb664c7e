//===- TranslateRegistration.cpp - --mlir-to-ascendc ----------------------===//
//
// Registers the kernel emitter as a translation.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/KernelEmitter.h"
#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
      [](DialectRegistry &registry) {
        // The operator and the host function stand in the same module.
        registry.insert<ascendc::AscendCDialect, LossGradDialect,
                        arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, scf::SCFDialect>();
      });
}
