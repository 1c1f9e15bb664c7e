//===- SlotAssignment.cpp - which value lives where in UB -----------------===//
//
// Queues from the roles of buffers, then a linear scan per compute stage that
// prefers, in this order: the slot of the result that the value flows into, the
// place of an operand that dies here, any free slot, a new scratch slot. Last
// the bank phases. See the header for what the result means.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/SlotAssignment.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

#include <numeric>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

KernelPlan::KernelPlan(KernelOp kernel) : kernel(kernel) {
  // Two sources of one instruction must lie half a turn through the bank groups
  // apart. Where a repeat meets all groups there is nothing to keep apart.
  const targets::Family &family = *familiesAround(kernel).front();
  blockBytes = family.blockBytes;
  bankPeriod = std::max<int64_t>(family.ubBankGroups * family.blockBytes,
                                 family.repeatBytes);
  hasPhases = bankPeriod > int64_t(family.repeatBytes);
  for (StageOp stage : kernel.getBlock().getOps<StageOp>())
    lives.insert({stage, StageLiveness(stage)});
}

FailureOr<KernelPlan> KernelPlan::make(KernelOp kernel) {
  KernelPlan plan(kernel);
  if (failed(plan.makeQueues()))
    return failure();
  plan.makeFixedSlots();
  for (auto &entry : plan.lives)
    if (failed(plan.place(entry.first)))
      return failure();
  if (plan.hasPhases)
    plan.assignPhases();
  plan.orderSlots();
  return plan;
}

std::optional<unsigned> KernelPlan::find(Operation *stage,
                                         BufferOp buffer) const {
  auto it = placement.find({stage, buffer});
  if (it == placement.end())
    it = placement.find({nullptr, buffer});
  if (it == placement.end())
    return std::nullopt;
  return it->second;
}

bool KernelPlan::uses(StageOp stage, unsigned queue) const {
  return llvm::any_of(queues[queue].slots, [&](unsigned slot) {
    return isTouched(slots[slot], lives.find(stage)->second);
  });
}

bool KernelPlan::isTouched(const Slot &slot,
                           const StageLiveness &liveness) const {
  return liveness.getLives().count(slot.owner) ||
         llvm::any_of(slot.sharers, [&](BufferOp buffer) {
           return liveness.getLives().count(buffer);
         });
}

//===----------------------------------------------------------------------===//
// Queues and fixed slots
//===----------------------------------------------------------------------===//

/// The granule up to which some call may touch the buffer.
static int64_t largestGranule(BufferOp buffer, int64_t blockBytes) {
  int64_t granule = blockBytes;
  SmallVector<Value> tensors = {buffer.getResult()};
  while (!tensors.empty()) {
    for (OpOperand &use : tensors.pop_back_val().getUses()) {
      if (auto view = dyn_cast<ViewOp>(use.getOwner()))
        tensors.push_back(view.getResult());
      else if (auto call = dyn_cast<ApiCallInterface>(use.getOwner()))
        granule = std::max<int64_t>(granule, call.getGranule(use));
    }
  }
  return granule;
}

static bool isMask(BufferOp buffer) {
  return buffer.getType().getElementType().isInteger(1);
}

unsigned KernelPlan::addSlot(BufferOp owner, int queue, bool fixed) {
  SizeExpr exact = SizeExpr::ofBuffer(owner, 1);
  bool small = exact.isConstant() && exact.getConstant() < bankPeriod;
  bool wide = !small && !(isMask(owner) && queue < 0);
  Slot slot{owner};
  slot.queue = queue;
  slot.fixed = fixed;
  slot.wide = wide;
  slot.size = SizeExpr::ofBuffer(
      owner, wide ? bankPeriod : largestGranule(owner, blockBytes));
  slots.push_back(slot);
  if (queue >= 0)
    queues[queue].slots.push_back(slots.size() - 1);
  else
    scratch.push_back(slots.size() - 1);
  return slots.size() - 1;
}

/// The compute stages at the other side of a copy stage.
static llvm::SmallPtrSet<Operation *, 4>
partnersOf(StageOp copyStage,
           const llvm::MapVector<StageOp, StageLiveness> &lives) {
  llvm::SmallPtrSet<Operation *, 4> partners;
  for (const auto &entry : lives.find(copyStage)->second.getLives())
    for (const auto &[stage, stageLives] : lives)
      if (StageOp(stage).getKind() == StageKind::Compute &&
          stageLives.getLives().count(entry.first))
        partners.insert(StageOp(stage));
  return partners;
}

/// The copy stages whose tiles take turns with those of this one: a stage has a
/// buffer with it, or with another of them.
static llvm::SetVector<StageOp>
turnsOf(StageOp copyStage,
        const llvm::MapVector<StageOp, StageLiveness> &lives) {
  llvm::SetVector<StageOp> turns;
  turns.insert(copyStage);
  for (size_t i = 0; i < turns.size(); ++i)
    for (const auto &[other, otherLives] : lives)
      if (StageOp(other).getKind() == copyStage.getKind() &&
          llvm::any_of(lives.find(turns[i])->second.getLives(),
                       [&](const auto &entry) {
                         return BufferOp(entry.first).getLifetime() !=
                                    Lifetime::Resident &&
                                otherLives.getLives().count(entry.first);
                       }))
        turns.insert(other);
  return turns;
}

/// The queue of earlier copy stages that this one may use too: one of those
/// that it takes turns with, or one whose blocks are never needed beside its
/// own, because no compute stage takes both.
int KernelPlan::findSharedQueue(StageOp copyStage) const {
  for (StageOp other : turnsOf(copyStage, lives))
    for (auto [index, queue] : llvm::enumerate(queues))
      if (llvm::is_contained(queue.copyStages, other))
        return index;
  Position position = copyStage.getKind() == StageKind::CopyIn
                          ? Position::VECIN
                          : Position::VECOUT;
  auto partners = partnersOf(copyStage, lives);
  for (auto [index, queue] : llvm::enumerate(queues)) {
    bool isShared = queue.position == position;
    for (StageOp other : queue.copyStages)
      for (Operation *partner : partnersOf(other, lives))
        isShared &= !partners.contains(partner);
    if (isShared)
      return index;
  }
  return -1;
}

/// Does a stage have both? Then they are loaded together, or needed together.
bool KernelPlan::meet(BufferOp a, BufferOp b) const {
  return llvm::any_of(lives, [&](const auto &entry) {
    return entry.second.getLives().count(a) && entry.second.getLives().count(b);
  });
}

/// A place in the blocks of a queue where other copy stages load something that
/// is never there beside this.
std::optional<unsigned> KernelPlan::findSharedSlot(BufferOp buffer,
                                                   int queue) const {
  SizeExpr size = SizeExpr::ofBuffer(buffer, bankPeriod);
  for (unsigned index : queues[queue].slots) {
    const Slot &slot = slots[index];
    if (slot.wide && size.isAtMost(slot.size) && !meet(buffer, slot.owner) &&
        llvm::none_of(slot.sharers,
                      [&](BufferOp other) { return meet(buffer, other); }))
      return index;
  }
  return std::nullopt;
}

LogicalResult KernelPlan::makeQueues() {
  for (auto &[copyStage, stageLives] : lives) {
    if (copyStage.getKind() == StageKind::Compute)
      continue;
    bool isIn = copyStage.getKind() == StageKind::CopyIn;
    int queue = -1;
    for (const auto &entry : stageLives.getLives()) {
      BufferOp buffer = entry.first;
      const BufferLife &life = entry.second;
      if (buffer.getLifetime() == Lifetime::Resident)
        continue;
      if (isIn && life.read)
        return life.firstOp->emitOpError()
               << "touches the tile buffer '" << buffer.getLabel()
               << "' on the vector pipe inside a copy_in stage; move it to the "
                  "compute stage or make the buffer resident";
      if (queue < 0) {
        queue = findSharedQueue(copyStage);
        if (queue < 0) {
          queue = queues.size();
          queues.push_back({isIn ? Position::VECIN : Position::VECOUT, {}, {}});
        }
        queues[queue].copyStages.push_back(copyStage);
      }
      if (std::optional<unsigned> known = find(copyStage, buffer);
          known && slots[*known].queue == queue)
        continue;
      else if (known)
        return buffer.emitOpError()
               << "is loaded or stored by more than one copy stage; give each "
                  "its own buffer";
      std::optional<unsigned> shared;
      if (isIn)
        shared = findSharedSlot(buffer, queue);
      if (shared)
        slots[*shared].sharers.push_back(buffer);
      placement[{nullptr, buffer}] =
          shared ? *shared : addSlot(buffer, queue, false);
    }
  }
  return success();
}

/// Resident buffers, and scratch whose content one stage hands to another.
void KernelPlan::makeFixedSlots() {
  for (BufferOp buffer : kernel.getBlock().getOps<BufferOp>()) {
    if (placement.count({nullptr, buffer}))
      continue;
    unsigned stages = llvm::count_if(lives, [&](auto &entry) {
      return entry.second.getLives().count(buffer);
    });
    if (buffer.getLifetime() == Lifetime::Resident || stages > 1)
      placement[{nullptr, buffer}] = addSlot(buffer, -1, true);
  }
}

//===----------------------------------------------------------------------===//
// Linear scan
//===----------------------------------------------------------------------===//

/// May `after` be written over `before`, in place, by the op that ends one and
/// begins the other?
bool KernelPlan::mayFollow(BufferOp before, const BufferLife &beforeLife,
                           const BufferLife &afterLife) const {
  if (beforeLife.interval.end != afterLife.interval.begin ||
      beforeLife.endedByLoop || afterLife.begunByLoop || afterLife.readFirst)
    return false;
  auto call = dyn_cast<ApiCallInterface>(afterLife.firstOp);
  if (!call)
    return false;
  bool found = false;
  for (OpOperand &operand : afterLife.firstOp->getOpOperands()) {
    if (rootBuffer(operand.get()) != before)
      continue;
    // Only the buffer itself: a view may start elsewhere.
    if (operand.get() != before.getResult() || !call.mayOverwrite(operand))
      return false;
    found = true;
  }
  Value destination = afterLife.firstOp->getOperand(0);
  return found && destination.getDefiningOp<BufferOp>();
}

bool KernelPlan::isFree(unsigned slot, const BufferLife &life,
                        BufferOp buffer) const {
  auto it = occupants.find(slot);
  if (it == occupants.end())
    return true;
  return llvm::all_of(it->second, [&](const Occupant &occupant) {
    return !occupant.life.interval.meets(life.interval) ||
           mayFollow(occupant.buffer, occupant.life, life) ||
           mayFollow(buffer, life, occupant.life);
  });
}

/// The slot of the placed value into which this one flows in place, directly or
/// through others: keeps a chain of calls in one place.
std::optional<unsigned> KernelPlan::wantedSlot(BufferOp buffer) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (buffer && seen.insert(buffer).second) {
    BufferOp next;
    BufferLife *life = current->find(buffer);
    for (auto &[other, otherLife] : current->getLives())
      if (other != buffer && mayFollow(buffer, *life, otherLife))
        next = other;
    if (!next)
      return std::nullopt;
    auto it = placement.find({nullptr, next});
    if (it != placement.end())
      return slots[it->second].fixed ? std::nullopt
                                     : std::optional<unsigned>(it->second);
    buffer = next;
  }
  return std::nullopt;
}

LogicalResult KernelPlan::place(StageOp stage) {
  StageLiveness &liveness = lives.find(stage)->second;
  if (stage.getKind() != StageKind::Compute)
    return success();
  current = &liveness;
  occupants.clear();
  llvm::SetVector<unsigned> usable;
  // Slots of the queues that this stage takes blocks of: a loaded value is
  // there from the start, a result must stay until the end.
  for (auto [index, queue] : llvm::enumerate(queues)) {
    if (!uses(stage, index))
      continue;
    for (unsigned slot : queue.slots) {
      usable.insert(slot);
      SmallVector<BufferOp> owners{slots[slot].owner};
      owners.append(slots[slot].sharers);
      for (BufferOp owner : owners) {
        BufferLife *life = liveness.find(owner);
        if (!life)
          continue;
        if (queue.position == Position::VECOUT && life->readFirst)
          return life->firstOp->emitOpError()
                 << "reads the result '" << owner.getLabel()
                 << "' before this stage has written it";
        BufferLife reserved = *life;
        if (queue.position == Position::VECIN)
          reserved.interval.begin = 0;
        else
          reserved.interval.end = liveness.getEnd();
        occupants[slot].push_back({owner, reserved});
        *life = reserved;
      }
    }
  }
  for (unsigned slot : scratch)
    if (!slots[slot].fixed)
      usable.insert(slot);

  for (const auto &entry : liveness.getLives()) {
    BufferOp buffer = entry.first;
    const BufferLife &life = entry.second;
    if (placement.count({nullptr, buffer}))
      continue;
    if (life.readFirst)
      return life.firstOp->emitOpError()
             << "reads the tile buffer '" << buffer.getLabel()
             << "' before anything is written to it";
    SizeExpr size =
        SizeExpr::ofBuffer(buffer, largestGranule(buffer, blockBytes));
    SizeExpr wideSize = SizeExpr::ofBuffer(buffer, bankPeriod);
    auto fits = [&](unsigned slot) {
      return (size.isAtMost(slots[slot].size) ||
              wideSize.isAtMost(slots[slot].size)) &&
             isFree(slot, life, buffer);
    };
    std::optional<unsigned> choice = wantedSlot(buffer);
    if (!choice || !fits(*choice)) {
      choice.reset();
      for (unsigned slot : usable) {
        if (!fits(slot))
          continue;
        bool inPlace =
            llvm::any_of(occupants[slot], [&](const Occupant &occupant) {
              return mayFollow(occupant.buffer, occupant.life, life);
            });
        if (!choice || inPlace)
          choice = slot;
        if (inPlace)
          break;
      }
    }
    if (!choice) {
      choice = addSlot(buffer, -1, false);
      usable.insert(*choice);
    }
    placement[{stage, buffer}] = *choice;
    occupants[*choice].push_back({buffer, life});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bank phases
//===----------------------------------------------------------------------===//

/// Whether a slot is as long as a tile, not a vector of one value per row.
static bool isTile(const Slot &slot) {
  return !SizeExpr::ofBuffer(slot.owner, 1).isConstant();
}

/// How much it costs if the sources of a call in these slots meet in the same
/// banks: vectors are short beside tiles.
static int64_t weigh(const Slot &a, const Slot &b) {
  return int64_t(1) << (4 * (isTile(a) + isTile(b)));
}

namespace {
/// Slots that are known to have the same phase or different ones.
class Phases {
public:
  explicit Phases(size_t count) : parents(count), shifts(count) {
    std::iota(parents.begin(), parents.end(), 0);
  }
  /// The slot that stands for all that are known beside this one, and whether
  /// this one has the other phase.
  std::pair<unsigned, int> find(unsigned slot) const {
    int shift = 0;
    for (; parents[slot] != slot; slot = parents[slot])
      shift ^= shifts[slot];
    return {slot, shift};
  }
  /// Two slots with different phases, unless it is known what they have.
  void separate(unsigned a, unsigned b) {
    auto [first, firstShift] = find(a);
    auto [second, secondShift] = find(b);
    if (first == second)
      return;
    parents[std::max(first, second)] = std::min(first, second);
    shifts[std::max(first, second)] = 1 ^ firstShift ^ secondShift;
  }

private:
  std::vector<unsigned> parents;
  std::vector<int> shifts;
};
} // namespace

void KernelPlan::assignPhases() {
  llvm::MapVector<std::pair<unsigned, unsigned>, int64_t> conflicts;
  for (auto &[stage, liveness] : lives) {
    StageOp stageOp = stage;
    stageOp.getBody().walk([&](ApiCallInterface call) {
      if (call.getPipe() != Pipe::V)
        return;
      SmallVector<unsigned> sources;
      for (const TensorAccess &access : tensorAccesses(call)) {
        BufferOp buffer = rootBuffer(access.operand->get());
        // A bit mask is a few bytes per repeat, and two other sources already
        // fill all groups: its place cannot help, but could spoil theirs.
        if (!buffer || isMask(buffer) || call.isReadByScalar(*access.operand))
          continue;
        std::optional<unsigned> slot =
            access.reads ? find(stageOp, buffer) : std::nullopt;
        if (slot && slots[*slot].wide && !llvm::is_contained(sources, *slot))
          sources.push_back(*slot);
      }
      for (unsigned a : sources)
        for (unsigned b : sources)
          if (a < b)
            conflicts[{a, b}] += weigh(slots[a], slots[b]);
    });
  }
  // Two phases; an odd cycle keeps the conflict that costs least.
  auto order = conflicts.takeVector();
  llvm::stable_sort(
      order, [](const auto &a, const auto &b) { return a.second > b.second; });
  Phases phases(slots.size());
  for (const auto &conflict : order)
    phases.separate(conflict.first.first, conflict.first.second);
  llvm::MapVector<unsigned, SmallVector<unsigned>> components;
  for (unsigned slot = 0; slot < slots.size(); ++slot) {
    auto [first, shift] = phases.find(slot);
    slots[slot].phase = shift;
    components[first].push_back(slot);
  }
  for (auto &[first, component] : components)
    turn(component);
}

/// Of the two ways to colour a component takes the one with fewer gaps: a queue
/// or the scratch area needs one if a slot of phase 1 is in it, and scratch of
/// phase 1 needs some of phase 0 in front.
void KernelPlan::turn(ArrayRef<unsigned> component) {
  auto gaps = [&](int shifted) {
    llvm::SmallSet<int, 4> areas;
    bool scratchFirst = false, scratchLater = false;
    for (unsigned slot : component) {
      bool isShifted = slots[slot].phase == shifted;
      if (isShifted)
        areas.insert(slots[slot].queue);
      if (slots[slot].queue < 0)
        (isShifted ? scratchLater : scratchFirst) = true;
    }
    bool impossible = scratchLater && !scratchFirst;
    return impossible ? slots.size() + 1 : areas.size();
  };
  if (gaps(/*shifted=*/0) >= gaps(/*shifted=*/1))
    return;
  for (unsigned slot : component)
    slots[slot].phase = 1 - slots[slot].phase;
}

/// Wide slots of phase 0, then of phase 1, then small ones: one gap of half a
/// period per queue is enough. Masks of tiles come before what is smaller, so
/// that the first of them still begins at a half: a bank that is read and
/// written serves both at once where they begin in the same place.
void KernelPlan::orderSlots() {
  auto rank = [&](unsigned slot) {
    return slots[slot].wide ? slots[slot].phase : isTile(slots[slot]) ? 2 : 3;
  };
  auto byRank = [&](unsigned a, unsigned b) { return rank(a) < rank(b); };
  for (QueuePlan &queue : queues)
    llvm::stable_sort(queue.slots, byRank);
  llvm::stable_sort(scratch, byRank);
}
