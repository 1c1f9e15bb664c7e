//===- MergeKernels.cpp - ascendc-merge-kernels ---------------------------===//
//
// Kernels of one group, which differ in the element type of their tensors,
// become one class template. Each keeps its own plan: what they do in common is
// written once, on tensors whose place depends on the type; the rest stands in
// cases. Instantiated with a type, the template is the kernel that there was
// before, but that blocks for results are taken before anything is computed.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/KernelMerger.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCMERGEKERNELS
#include "passes/Passes.h.inc"
} // namespace lossgrad

namespace {

struct MergeKernelsPass
    : public lossgrad::impl::AscendCMergeKernelsBase<MergeKernelsPass> {
  void runOnOperation() override {
    for (ProgramOp program : getOperation().getOps<ProgramOp>()) {
      llvm::MapVector<StringAttr, SmallVector<KernelOp>> groups;
      for (KernelOp kernel : program.getBody().getOps<KernelOp>())
        if (kernel.getGroupAttr() && kernel.getElementAttr())
          groups[kernel.getGroupAttr()].push_back(kernel);
      for (auto &[group, kernels] : groups)
        merge(program, group, kernels);
    }
  }

  void merge(ProgramOp program, StringAttr name, ArrayRef<KernelOp> kernels);
};

} // namespace

/// Launches of the kernels become launches of the template's instances, and the
/// host calls them so.
static void redirect(ProgramOp program, ArrayRef<KernelOp> from, KernelOp to) {
  Builder builder(program.getContext());
  auto target = FlatSymbolRefAttr::get(to.getSymNameAttr());
  llvm::DenseMap<StringAttr, KernelOp> bySymbol;
  for (KernelOp kernel : from)
    bySymbol[kernel.getSymNameAttr()] = kernel;
  program.walk([&](LaunchOp launch) {
    KernelOp kernel = bySymbol.lookup(launch.getKernelAttr().getAttr());
    if (!kernel)
      return;
    if (!launch.getInstanceAttr())
      launch.setInstanceAttr(builder.getArrayAttr(kernel.getElementAttr()));
    launch.setKernelAttr(target);
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
        if (!bySymbol.contains(symbol.getAttr()))
          return std::nullopt;
        return target;
      });
  for (auto function :
       program->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
    replacer.recursivelyReplaceElementsIn(function);
}

/// All of them, or, where they have too little in common, all but the last:
/// types come in the order in which they are planned more and more differently.
void MergeKernelsPass::merge(ProgramOp program, StringAttr name,
                             ArrayRef<KernelOp> kernels) {
  if (SymbolTable::lookupSymbolIn(program, name)) {
    return;
  }
  for (; kernels.size() > 1; kernels = kernels.drop_back()) {
    KernelOp merged = KernelMerger(kernels, name).run();
    if (!merged)
      continue;
    program.getBody().front().getOperations().insert(
        Block::iterator(kernels.front()), merged);
    redirect(program, kernels, merged);
    for (KernelOp kernel : kernels)
      kernel.erase();
    ++numMerged;
    return;
  }
}
