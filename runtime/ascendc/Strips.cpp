// See Strips.h.
#include "Strips.h"
#include "sim/Core.h"
#include "sim/GlobalRegistry.h"

#include <algorithm>

namespace lossgrad::sim {

// Two of these, an input and the output, do not fit the last cache of today's
// hosts.
constexpr uint64_t kLargeTensor = 16u << 20;

static uint8_t *endOf(const StripOperand &operand, uint64_t count) {
  return operand.at + (count * operand.bits + 7) / 8;
}

// May B, on the list after A, run strip by strip with it? Byte x of their
// overlap is in strip floor((x - begin) * 8 / bits / length) of each; A's must
// not be the later one. Both sides are linear in x: the ends decide.
static bool inOrder(const uint8_t *beginA, uint32_t bitsA,
                    const uint8_t *beginB, uint32_t bitsB, const uint8_t *first,
                    const uint8_t *last) {
  auto before = [&](const uint8_t *x) {
    return static_cast<uint64_t>(x - beginA) * bitsB <=
           static_cast<uint64_t>(x - beginB) * bitsA;
  };
  return before(first) && before(last);
}

// Operands of one step that share bytes other than element for element depend
// on the order inside the span function; they are executed in one piece.
static bool selfOverlaps(const StripStep &step) {
  const StripOperand *sources[] = {&step.src0, &step.src1, &step.mask};
  const uint8_t *end = endOf(step.dst, step.count);
  for (const StripOperand *source : sources) {
    if (!source->at ||
        (source->at == step.dst.at && source->bits == step.dst.bits))
      continue;
    if (source->at < end && step.dst.at < endOf(*source, step.count))
      return true;
  }
  return false;
}

bool Strips::fits(const StripOperand &operand, uint64_t count,
                  bool written) const {
  const uint8_t *end = endOf(operand, count);
  for (size_t i = 0; i < extentCount; ++i) {
    const Extent &other = extents[i];
    if (operand.at >= other.end || other.begin >= end ||
        !(written || other.written))
      continue;
    if (operand.at == other.begin && operand.bits == other.bits)
      continue;
    if (!inOrder(other.begin, other.bits, operand.at, operand.bits,
                 std::max<const uint8_t *>(operand.at, other.begin),
                 std::min<const uint8_t *>(end, other.end) - 1))
      return false;
  }
  return true;
}

bool Strips::fits(const StripStep &step) const {
  return fits(step.dst, step.count, true) &&
         (!step.src0.at || fits(step.src0, step.count, false)) &&
         (!step.src1.at || fits(step.src1, step.count, false)) &&
         (!step.mask.at || fits(step.mask, step.count, false));
}

void Strips::add(const StripOperand &operand, uint64_t count, bool written) {
  if (!operand.at)
    return;
  uint8_t *end = endOf(operand, count);
  for (size_t i = 0; i < extentCount; ++i) {
    Extent &known = extents[i];
    if (known.begin == operand.at && known.bits == operand.bits) {
      known.end = std::max(known.end, end);
      known.written |= written;
      return;
    }
  }
  extents[extentCount++] = {operand.at, end, operand.bits, written};
}

bool Strips::take(Core &core, const StripStep &step) {
  if (!core.stripLength || core.observer)
    return false;
  const bool tileEnds = storesOut && step.kind == StripStep::Kind::Load;
  if (stepCount == kMaxSteps || extentCount + 4 > kMaxExtents || tileEnds ||
      !fits(step))
    core.settle();
  const bool tooShort = step.count < uint64_t{kFewStrips} * core.stripLength;
  if ((!stepCount && tooShort) || selfOverlaps(step)) {
    core.settle();
    return false;
  }
  add(step.dst, step.count, true);
  add(step.src0, step.count, false);
  add(step.src1, step.count, false);
  add(step.mask, step.count, false);
  storesOut |= step.kind == StripStep::Kind::Store;
  StripStep &added = steps[stepCount++];
  added = step;
  added.call = core.call;
  added.site = core.site;
  core.deferred = true;
  return true;
}

void Strips::run(Core &core) {
  // A fault leaves through a jump: nothing may be on the list then.
  const size_t count = stepCount;
  const bool fences = streamed;
  drop();
  executing = true;
  const uint64_t length = core.stripLength, eighths = length / 8;
  uint64_t longest = 0;
  for (size_t i = 0; i < count; ++i)
    longest = std::max(longest, steps[i].count);
  for (uint64_t first = 0; first < longest; first += length)
    for (size_t i = 0; i < count; ++i) {
      StripStep &step = steps[i];
      if (first >= step.count)
        continue;
      running = i;
      step.params.mask = step.mask.at;
      step.run(step.dst.at, step.src0.at, step.src1.at,
               std::min(length, step.count - first), step.params);
      step.dst.at += eighths * step.dst.bits;
      step.src0.at += eighths * step.src0.bits;
      step.src1.at += eighths * step.src1.bits;
      step.mask.at += eighths * step.mask.bits;
    }
  executing = false;
  // Stores past the caches come before whatever other cores learn from here on.
  if (fences)
    vector::fenceStreams();
}

void Strips::blame(Core &core) const {
  if (!executing)
    return;
  core.call = steps[running].call;
  core.site = steps[running].site;
}

bool Strips::streams(const void *global) {
  const auto *at = static_cast<const uint8_t *>(global);
  if (at < knownBegin || at >= knownEnd) {
    const auto found = findGlobal(reinterpret_cast<uint64_t>(global));
    if (!found)
      return false;
    knownBegin = reinterpret_cast<const uint8_t *>(found->begin);
    knownEnd = reinterpret_cast<const uint8_t *>(found->end);
    knownIsLarge = found->end - found->begin >= kLargeTensor;
  }
  streamed |= knownIsLarge;
  return knownIsLarge;
}

bool Strips::touches(const void *at, uint64_t bytes) const {
  const auto *begin = static_cast<const uint8_t *>(at);
  for (size_t i = 0; i < extentCount; ++i)
    if (begin < extents[i].end && extents[i].begin < begin + bytes)
      return true;
  return false;
}

} // namespace lossgrad::sim
