//===- Pipelines.cpp - Named pipelines ------------------------------------===//
//
// The one place that says in which order passes run.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace lossgrad;

namespace {
struct ToAscendCOptions : public PassPipelineOptions<ToAscendCOptions> {
  ListOption<std::string> soc{
      *this, "soc",
      llvm::cl::desc("product families (A2), compute units (ascend910b) or "
                     "chips (Ascend910B1); default: all products of the "
                     "operator that have a schedule")};
};
} // namespace

/// From level 1 to kernels of sweeps and a tiling function.
static void addScheduling(OpPassManager &manager, ArrayRef<std::string> socs) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<OperatorOp>(createLossgradOptimize());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLossgradSpecialize());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  LossgradLegalizeDtypesOptions options;
  options.soc = llvm::to_vector(socs);
  manager.addPass(createLossgradLegalizeDtypes(options));
  manager.addPass(createLossgradSchedule());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// From kernels of sweeps to what the emitters print.
static void addKernels(OpPassManager &manager) {
  manager.addPass(createConvertLossgradToAscendC());
  manager.addPass(createAscendCPlanBuffers());
  manager.addNestedPass<func::FuncOp>(createLossgradPrepareTiling());
  manager.addPass(createAscendCInsertSync());
  manager.addPass(createAscendCMergeKernels());
  manager.addPass(createAscendCNameValues());
  manager.addPass(createAscendCPrepareForEmission());
}

void lossgrad::registerPipelines() {
  PassPipelineRegistration<ToAscendCOptions>(
      "lossgrad-to-ascendc",
      "From operators to AscendC kernels and a host tiling function",
      [](OpPassManager &manager, const ToAscendCOptions &options) {
        addScheduling(manager, llvm::to_vector(options.soc));
        addKernels(manager);
      });
}
