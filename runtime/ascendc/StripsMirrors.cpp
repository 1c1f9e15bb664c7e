// Tiles that do not pass through UB. A load of part of a large tensor copies
// nothing: instructions that read the tile read global memory in its place, as
// long as it stays what it was. Results that a list stores are computed in a
// place of the list's own, strip after strip in the same bytes, and are in
// global memory afterwards. See Mirrors.h.
//
// No step that waits looks at bytes of UB that a mirror stands for, and none
// writes global memory that one shows: so mirrors may be written at any time.
#include "Strips.h"

#include <algorithm>

namespace lossgrad::sim {

// Element after element without gaps.
static bool isDense(const StripOperand &operand) {
  return uint64_t{operand.reach} * 8 == operand.bits ||
         (!operand.reach && operand.bits % 8 == 0);
}

// All of the destination, whatever it was.
static bool writesOver(const StripStep &step) {
  return (step.overwrites || step.kind == StripStep::Kind::Load) &&
         isDense(step.dst);
}

// Is the step the load of a tile that need not be copied?
bool Strips::mirrored(Core &core, const StripStep &step) {
  if (step.kind != StripStep::Kind::Load || step.run != vector::copySpan(false))
    return false;
  const uint64_t bytes = bytesOf(step.dst, step.count);
  // What lies outside of the tensor faults where it is copied.
  if (!isLarge(step.src0.at) ||
      step.src0.at + bytes > allocationOf(step.src0.at)->end ||
      !isWorthwhile(core, step))
    return false;
  if (meetsList(step.dst.at, bytes))
    execute(core); // looks at what is there now
  mirrors.add(step.dst.at, bytes, step.src0.at);
  core.deferred = true;
  return true;
}

// Writes to UB what the step needs there, and lets it read the rest of its
// operands where they are. True if it does.
bool Strips::redirect(Core &core, StripStep &step) {
  if (mirrors.empty())
    return false;
  const uint64_t written = bytesOf(step.dst, step.count);
  if (step.kind != StripStep::Kind::Store) {
    if (!writesOver(step))
      mirrors.write(step.dst.at, written);
  } else if (!isLarge(step.dst.at)) {
    // Another core may wait for it, and change what was loaded here.
    mirrors.writeAll();
  } else {
    // First of all: the step may store what it was loaded from.
    while (const Mirrors::Part part = mirrors.showing(step.dst.at, written))
      mirrors.write(part.begin, part.bytes);
  }
  bool changed = false;
  for (StripOperand *source : {&step.src0, &step.src1, &step.mask}) {
    if (!source->at)
      continue;
    const uint64_t bytes = bytesOf(*source, step.count);
    if (uint8_t *global = mirrors.find(source->at, bytes)) {
      source->at = global;
      source->ahead = changed = true;
    } else {
      mirrors.write(source->at, bytes);
    }
  }
  return changed;
}

// Does the list read another part of the same tensor? Memory gives most when it
// is read in order, and the strips of two tiles are far apart.
bool Strips::readsNextTile(const StripStep &step) {
  for (const StripOperand *source : {&step.src0, &step.src1}) {
    if (!source->ahead)
      continue;
    const Allocation *tensor = allocationOf(source->at);
    for (size_t i = 0; tensor && i < stepCount; ++i)
      for (const StripOperand *other : {&steps[i].src0, &steps[i].src1})
        if (other->ahead && other->at != source->at &&
            other->at >= tensor->begin && other->at < tensor->end)
          return true;
  }
  return false;
}

// May what the step stores be kept in the bytes of one strip? The first step
// that looks at it has to write all of it, the last one that writes it to be
// the store's predecessor, and all of them to advance in step.
bool Strips::mayPass(size_t index, size_t count) const {
  const StripStep &store = steps[index];
  const StripOperand &tile = store.src0;
  const uint64_t bytes = bytesOf(tile, store.count);
  const uint8_t *const end = tile.at + bytes;
  bool written = false;
  for (size_t i = 0; i < count; ++i) {
    const StripStep &step = steps[i];
    // Afterwards global memory must hold what the store has put there.
    if (i != index && step.kind == StripStep::Kind::Store &&
        step.dst.at < store.dst.at + bytesOf(store.dst, store.count) &&
        store.dst.at < step.dst.at + bytesOf(step.dst, step.count))
      return false;
    for (const StripOperand *operand :
         {&step.src0, &step.src1, &step.mask, &step.dst}) {
      const uint64_t touched = bytesOf(*operand, step.count);
      if (!operand->at || operand->at >= end ||
          operand->at + touched <= tile.at)
        continue;
      const bool inStep =
          operand->at == tile.at && operand->advance == tile.advance &&
          touched <= bytes && uint64_t{operand->reach} * 8 <= operand->bits;
      if (!inStep)
        return false;
      if (operand != &step.dst) {
        if (!written)
          return false;
        continue;
      }
      if (i > index || (!written && (!writesOver(step) || touched < bytes)))
        return false;
      written = true;
    }
  }
  return written;
}

// Finds results of the list that need not be in UB.
Strips::Passing Strips::passResults(Core &core, size_t count) {
  Passing passing;
  const auto loads = [](const StripStep &step) {
    return step.src0.ahead || step.src1.ahead;
  };
  if (std::none_of(steps.begin(), steps.begin() + count, loads))
    return passing; // nothing that results could push out of the caches
  uint64_t used = 0;
  for (size_t i = 0; i < count && passing.count < passing.tiles.size(); ++i) {
    const StripStep store = steps[i];
    uint8_t *const local = store.src0.at;
    if (store.kind != StripStep::Kind::Store || store.src0.reach ||
        store.dst.reach || !core.ub.holds(local, 1) ||
        store.src0.advance > kScratchBytes - used || !isLarge(store.dst.at) ||
        !mayPass(i, count))
      continue;
    uint8_t *const to = scratch.data() + used;
    used += (store.src0.advance + 63) / 64 * 64;
    for (size_t k = 0; k < count; ++k)
      for (StripOperand *operand : steps[k].all())
        if (operand->at == local) {
          operand->at = to;
          operand->advance = 0;
        }
    passing.tiles[passing.count++] = {local, bytesOf(store.src0, store.count),
                                      store.dst.at};
  }
  return passing;
}

} // namespace lossgrad::sim
