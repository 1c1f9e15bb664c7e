// Reductions over a whole tensor: ReduceSum, ReduceMax, ReduceMin. Across
// repeats each product has its own documented order of additions.
#include "Reduction.h"

#include <algorithm>
#include <cinttypes>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::kRepeatBytes;
using sim::Region;

static Lanes countedLanes(const Reduction &what, uint64_t count) {
  Lanes lanes;
  lanes.total = count;
  lanes.repeat =
      static_cast<uint32_t>((count + what.perRepeat() - 1) / what.perRepeat());
  return lanes;
}

// Sums of groups of `perRepeat` partial sums, until one is left.
static float treeOfPartials(const Reduction &what,
                            std::vector<float> partials) {
  while (partials.size() > 1) {
    std::vector<uint8_t> level(partials.size() * what.bytes());
    for (size_t k = 0; k < partials.size(); ++k)
      what.write(level.data() + k * what.bytes(), partials[k]);
    partials = repeatSums(what, countedLanes(what, partials.size()),
                          level.data(), 1, kRepeatBytes);
  }
  return partials.empty() ? 0.0f : partials[0];
}

float treeOfAll(const Reduction &what, const uint8_t *from, uint64_t count) {
  return treeOfPartials(
      what, repeatSums(what, countedLanes(what, count), from, 1, kRepeatBytes));
}

namespace {

uint64_t roundUp(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Elements of T that the work buffer must have. The documents give a formula
// for ReduceMax and ReduceMin; one repeat goes to the result at once.
uint64_t workElements(const Core &core, const Reduction &what, bool counted,
                      uint64_t repeats, bool withIndex) {
  const uint64_t perBlock = kBlockBytes / what.bytes();
  const uint64_t perRepeat = what.perRepeat();
  if (what.op == ReduceOp::Sum)
    return counted && core.family->sumAccumulates ? 0
                                                  : roundUp(repeats, perBlock);
  const uint64_t first = roundUp(2 * repeats, perBlock);
  if (!withIndex)
    return first;
  const uint64_t second = 2 * ((2 * repeats + perRepeat - 1) / perRepeat);
  const uint64_t third =
      second > 2 ? 2 * ((second + perRepeat - 1) / perRepeat) : 0;
  return first + roundUp(second, perBlock) + roundUp(third, perBlock);
}

// Up to four repeats whose lanes are added first: the last two to each other,
// if there are four, then one after the other to the first; lanes behind the
// tail stay as they are. Then one tree.
float sumByLanes(const Reduction &what, const Lanes &lanes, const uint8_t *from,
                 uint64_t pitch) {
  const uint32_t perRepeat = what.perRepeat();
  float sums[4][kRepeatBytes / 2];
  auto lanesOf = [&](uint32_t repeat) {
    return lanes.ofRepeat(repeat, perRepeat).end();
  };
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat)
    for (uint32_t lane = 0; lane < lanesOf(repeat); ++lane)
      sums[repeat][lane] =
          what.floatOf(from + repeat * pitch + lane * what.bytes());
  auto add = [&](uint32_t to, uint32_t repeat) {
    for (uint32_t lane = 0; lane < lanesOf(repeat); ++lane)
      sums[to][lane] = what.add(sums[to][lane], sums[repeat][lane]);
  };
  add(0, 1);
  if (lanes.repeat == 4)
    add(2, 3);
  if (lanes.repeat > 2)
    add(0, 2);
  uint8_t row[kRepeatBytes];
  for (uint32_t lane = 0; lane < perRepeat; ++lane)
    what.write(row + lane * what.bytes(), sums[0][lane]);
  float sum;
  treeSums(what.type, &sum, row, 1, kRepeatBytes, perRepeat, what.saturate);
  return sum;
}

// The order of the products' count forms of ReduceSum; partials are the tree
// sums of the repeats, the last of which may be a tail.
float sumOfPartials(const Core &core, const Reduction &what, bool counted,
                    bool hasTail, std::vector<float> partials) {
  if (counted && core.family->sumAccumulates) {
    float sum = 0;
    for (float partial : partials)
      sum = what.add(sum, partial);
    return sum;
  }
  if (!counted || !core.family->sumTailApart || !hasTail ||
      partials.size() == 1)
    return treeOfPartials(what, std::move(partials));
  const float tail = partials.back();
  partials.pop_back();
  return what.add(treeOfPartials(what, std::move(partials)), tail);
}

} // namespace

void reduceAll(ReduceOp op, DType type, const ReduceAllInstr &instr) {
  static const struct {
    const char *call;
    Api api;
  } kCalls[] = {{"ReduceSum", Api::ReduceSum},
                {"ReduceMax", Api::ReduceMax},
                {"ReduceMin", Api::ReduceMin}};
  const auto &named = kCalls[static_cast<size_t>(op)];
  Core &core = Core::enterDeferring(named.call, instr.site);
  const Reduction what = Reduction::of(core, op, type);
  requireType(core, named.api, type, false);
  const uint32_t perRepeat = what.perRepeat(), bytes = what.bytes();
  const bool counted = instr.select.kind == Selection::Kind::Count;
  requireStride(core, instr.srcRepStride, "srcRepStride");

  // These calls split repeats themselves, so more than 255 are allowed.
  Selection select = instr.select;
  const uint32_t repeats = select.repeat;
  if (!counted) {
    if (repeats > 0x7fffffffu)
      core.fail("repeat is %d, it must not be negative",
                static_cast<int32_t>(repeats));
    select.repeat = std::min(repeats, core.family->maxRepeat);
  }
  Lanes lanes = core.resolve(select, perRepeat);
  if (!counted && !lanes.counted)
    lanes.repeat = repeats;
  const Port src{{const_cast<void *>(instr.src), 1,
                  static_cast<uint32_t>(instr.srcRepStride)},
                 type,
                 "src"};
  checkPort(core, src, lanes, perRepeat);
  core.requireAligned(instr.dst, bytes, "dst");
  if (lanes.empty())
    return;
  const uint64_t results = instr.withIndex ? 2 : 1;
  core.requireLocal(instr.dst, results * bytes, "dst");
  const bool direct =
      op != ReduceOp::Sum &&
      (counted || lanes.counted ? lanes.total <= perRepeat : lanes.repeat == 1);
  const uint64_t work =
      direct ? 0
             : workElements(core, what, counted,
                            counted
                                ? std::max<uint64_t>(1, lanes.total / perRepeat)
                                : lanes.repeat,
                            instr.withIndex);
  if (work * bytes > instr.workBytes)
    core.fail("work buffer has %" PRIu64 " elements, %" PRIu64 " are needed",
              instr.workBytes / bytes, work);
  if (work)
    core.requireLocal(instr.work, work * bytes, "workLocal");
  if (core.observer) {
    std::vector<Region> reads, writes;
    addRegions(reads, src, lanes, perRepeat);
    addDense(writes, instr.dst, results * bytes);
    if (work)
      addDense(writes, instr.work, work * bytes);
    // May end with a scalar write of the result, for which it waits itself.
    announce(core, std::move(reads), std::move(writes), type,
             uint64_t{lanes.repeat} * perRepeat, lanes.repeat,
             {sim::Flow::Whole, 0, false, core.family->reduceWaits});
  }

  settleFor(core, lanes, perRepeat, {&src});
  settleFor(core, instr.dst, results * bytes);
  if (work)
    settleFor(core, instr.work, work * bytes);
  Row row;
  const auto *from = static_cast<const uint8_t *>(instr.src);
  const uint64_t pitch = uint64_t{src.operand.repeatStride} * kBlockBytes;
  auto *dst = static_cast<uint8_t *>(instr.dst);
  if (op == ReduceOp::Sum) {
    const bool byLanes = lanes.counted && lanes.repeat > 1 &&
                         lanes.repeat <= core.family->sumLaneRepeats;
    const float sum =
        byLanes ? sumByLanes(what, lanes, from, pitch)
                : sumOfPartials(core, what, counted,
                                lanes.counted && lanes.total % perRepeat,
                                repeatSums(what, lanes, from, 1, pitch));
    core.regs.accumulator = what.bitsOfFloat(sum);
    what.write(dst, sum);
    return;
  }
  Extreme best{0, 0};
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat) {
    const sim::LaneMask mask = lanes.ofRepeat(repeat, perRepeat);
    const uint8_t *x = row.load(what, from + repeat * pitch, 1, mask);
    Extreme here = extremeOfLanes(what, mask, x, 0, mask.end());
    here.index += static_cast<uint32_t>(repeat * (pitch / bytes));
    if (repeat == 0 || what.replaces(best.value, here.value))
      best = here;
  }
  what.write(dst, best.value);
  if (instr.withIndex) {
    if (type == DType::Half && best.index > 65535)
      core.fail("the index is %u, an index in half is at most 65535",
                best.index);
    std::memcpy(dst + bytes, &best.index, bytes);
  }
}

uint64_t accumulatorBits(Site site) {
  return Core::enter("GetAccVal", site).regs.accumulator;
}

uint64_t extremeBits(Site site) {
  return Core::enter("GetReduceMaxMinCount", site).regs.extreme;
}

} // namespace lossgrad::vector
