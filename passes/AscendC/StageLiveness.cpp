//===- StageLiveness.cpp - when a virtual buffer is alive -----------------===//
//
// A linear scan over the ops of a stage, see the header.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/StageLiveness.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

BufferOp ascendc::rootBuffer(Value tensor) {
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getSource();
  return tensor.getDefiningOp<BufferOp>();
}

SmallVector<TensorAccess> ascendc::tensorAccesses(Operation *op) {
  SmallVector<TensorAccess> accesses;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || !isa<ApiCallInterface>(op))
    return accesses;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<LocalTensorType, GlobalTensorType>(operand.get().getType()))
      continue;
    TensorAccess access{&operand};
    for (const MemoryEffects::EffectInstance &instance : instances) {
      if (instance.getEffectValue<OpOperand *>() != &operand)
        continue;
      access.reads |= isa<MemoryEffects::Read>(instance.getEffect());
      access.writes |= isa<MemoryEffects::Write>(instance.getEffect());
    }
    if (access.reads || access.writes)
      accesses.push_back(access);
  }
  return accesses;
}

StageLiveness::StageLiveness(StageOp stage) : stage(stage) {
  number(stage.getBody());
  for (auto &[buffer, life] : lives)
    extendOverLoops(buffer, life);
}

void StageLiveness::number(Region &region) {
  for (Operation &op : region.front()) {
    unsigned begin = next++;
    for (const TensorAccess &access : tensorAccesses(&op)) {
      BufferOp buffer = rootBuffer(access.operand->get());
      if (!buffer)
        continue;
      BufferLife &life = lives[buffer];
      if (!life.firstOp) {
        life.firstOp = &op;
        life.interval.begin = begin;
        life.readFirst = access.reads;
      }
      life.interval.end = begin;
      life.read |= access.reads;
      life.written |= access.writes;
      users[buffer].push_back(&op);
    }
    for (Region &nested : op.getRegions())
      if (!nested.empty())
        number(nested);
    positions[&op] = {begin, next - 1};
  }
}

/// What goes round a loop stays alive in all of it: a buffer that is used in a
/// loop and outside of it, or whose content one iteration hands to the next.
void StageLiveness::extendOverLoops(BufferOp buffer, BufferLife &life) {
  ArrayRef<Operation *> uses = users[buffer];
  for (Operation *use : uses) {
    for (Operation *loop = use->getParentOp(); loop != stage;
         loop = loop->getParentOp()) {
      if (!isa<LoopLikeOpInterface>(loop))
        continue;
      bool outside = llvm::any_of(uses, [&](Operation *other) {
        return !loop->isProperAncestor(other);
      });
      if (!outside && !life.readFirst)
        continue;
      Interval span = positions[loop];
      life.begunByLoop |= span.begin < life.interval.begin;
      life.endedByLoop |= span.end >= life.interval.end;
      life.interval.begin = std::min(life.interval.begin, span.begin);
      life.interval.end = std::max(life.interval.end, span.end);
    }
  }
}
