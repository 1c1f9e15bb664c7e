// Intermediate results that go elsewhere. Kernels fold a tile into a part of
// the buffer that holds the tile's results later: strip by strip, the results
// would be written over sums that later strips still need. When a step comes
// that writes over all of what the list has written there, nobody will ever see
// it, so that the list keeps it in a place of its own and goes on.
#include "Strips.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::sim {

namespace {

struct Bytes {
  uint8_t *begin, *end;

  bool meets(const Bytes &other) const {
    return begin < other.end && other.begin < end;
  }
  bool holds(const Bytes &other) const {
    return begin <= other.begin && other.end <= end;
  }
};

Bytes rangeOf(const StripOperand &operand, uint64_t count) {
  return {operand.at, operand.at + bytesOf(operand, count)};
}

Bytes rangeOf(const Strips::Extent &extent) {
  return {extent.begin, extent.end};
}

} // namespace

// Moves what the list has in the bytes that the step writes. Where it is then,
// or null: the step does not write over all of it, or it is too much. What is
// read there and was not written by the list moves with it.
uint8_t *Strips::moveAside(const StripStep &step, uint8_t *&from,
                           uint64_t &bytes) {
  if (!step.overwrites || step.count * step.dst.bits % 8)
    return nullptr;
  const Bytes over = rangeOf(step.dst, step.count);
  // What operands touch in part moves as a whole. One of merged steps reaches
  // over several extents.
  Bytes hull = {over.end, over.begin};
  bool grows;
  const auto add = [&](const Bytes &range) {
    if (!(range.meets(over) || range.meets(hull)) || hull.holds(range))
      return;
    hull = {std::min(hull.begin, range.begin), std::max(hull.end, range.end)};
    grows = true;
  };
  do {
    grows = false;
    for (size_t i = 0; i < extentCount; ++i)
      add(rangeOf(extents[i]));
    for (size_t i = 0; i < stepCount; ++i)
      for (const StripOperand *operand : steps[i].all())
        if (operand->at)
          add(rangeOf(*operand, steps[i].count));
  } while (grows);
  // What lies between may be of tiles that are written at any time.
  if (hull.begin >= hull.end ||
      uint64_t(hull.end - hull.begin) > kAsideBytes - asideBytes ||
      mirrors.meets(hull.begin, hull.end - hull.begin))
    return nullptr;
  for (size_t i = 0; i < extentCount; ++i) {
    const Bytes range = rangeOf(extents[i]);
    if (!extents[i].written || !range.meets(hull))
      continue;
    if (!over.holds(range))
      return nullptr;
    // The step itself must not want it.
    for (const StripOperand *source : {&step.src0, &step.src1, &step.mask})
      if (source->at && rangeOf(*source, step.count).meets(range))
        return nullptr;
  }

  uint8_t *const to = aside.data() + asideBytes;
  from = hull.begin;
  bytes = hull.end - hull.begin;
  std::memcpy(to, from, bytes);
  asideBytes += (bytes + 63) / 64 * 64;
  const auto moved = [&](uint8_t *at) { return to + (at - hull.begin); };
  for (size_t i = 0; i < stepCount; ++i)
    for (StripOperand *operand : steps[i].all())
      if (operand->at && rangeOf(*operand, steps[i].count).meets(hull))
        operand->at = moved(operand->at);
  for (size_t i = 0; i < extentCount; ++i)
    if (rangeOf(extents[i]).meets(hull)) {
      extents[i].begin = moved(extents[i].begin);
      extents[i].end = moved(extents[i].end);
    }
  return to;
}

// Can the step follow what is on the list when that is out of its way? If not,
// the list may have been executed, and nothing has been moved.
bool Strips::placedAside(Core &core, StripStep &step) {
  uint8_t *from = nullptr;
  uint64_t bytes = 0;
  const uint8_t *const at = moveAside(step, from, bytes);
  if (!at)
    return false;
  if (placed(core, step))
    return true;
  execute(core);
  std::memcpy(from, at, bytes);
  return false;
}

} // namespace lossgrad::sim
