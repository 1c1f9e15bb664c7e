//===- Derive.cpp - From a forward to its gradient ------------------------===//

#include "passes/Derive/Derive.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace lossgrad {
#define GEN_PASS_DECL_LOSSGRADDIFFERENTIATE
#define GEN_PASS_DECL_LOSSGRADSIMPLIFY
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;

LogicalResult lossgrad::deriveGradients(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(createLossgradDifferentiate());
  manager.addPass(createLossgradSimplify());
  return manager.run(module);
}
