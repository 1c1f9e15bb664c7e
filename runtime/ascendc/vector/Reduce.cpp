// Reductions. Inside a repeat a sum is a binary tree over neighbouring lanes,
// lanes that do not take part being 0; across repeats each call has its own
// documented order (reduceAll). Maximum and minimum give the first index.
#include "Shape.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <limits>

namespace lossgrad::vector {

using AscendC::ReduceOrder;
using sim::kBlockBytes;
using sim::kRepeatBytes;
using sim::Region;

namespace {

struct Reduction {
  ReduceOp op;
  DType type;
  bool saturate;
  bool keepNaN;
  uint32_t bytes() const { return bytesOf(type); }
  uint32_t perRepeat() const { return kRepeatBytes / bytes(); }

  uint32_t bitsOfFloat(float value) const {
    return type == DType::Half ? sim::halfBitsOfFloat(value)
                               : sim::bitsOfFloat(value);
  }
  float floatOf(const void *at) const {
    uint32_t bits = 0;
    std::memcpy(&bits, at, bytes());
    return type == DType::Half
               ? sim::floatOfHalfBits(static_cast<uint16_t>(bits))
               : sim::floatOfBits(bits);
  }
  float neutral() const {
    const float inf = std::numeric_limits<float>::infinity();
    return op == ReduceOp::Sum ? 0.0f : op == ReduceOp::Max ? -inf : inf;
  }
  // One rounding in the element type.
  float add(float a, float b) const {
    const float sum = a + b;
    if (type == DType::Float)
      return sum;
    const uint16_t bits = sim::halfBitsOfFloat(sum);
    if (saturate && (bits & 0x7fff) >= 0x7c00)
      return (bits & 0x7fff) > 0x7c00 ? 0.0f
                                      : (bits & 0x8000 ? -65504.0f : 65504.0f);
    return sim::floatOfHalfBits(bits);
  }
  // Does b win over a? (a came first.)
  bool replaces(float a, float b) const {
    if (a != a || b != b)
      return keepNaN ? (a == a) : (a != a && b == b);
    return op == ReduceOp::Max ? b > a : b < a;
  }
};

// The lanes of one repeat, contiguous.
struct Row {
  alignas(32) uint8_t bytes[kRepeatBytes];
  uint32_t lanes = 0; // active ones are among the first `lanes`
  uint64_t low = 0, high = 0;

  bool active(uint32_t lane) const {
    return (lane < 64 ? low >> lane : high >> (lane - 64)) & 1;
  }
  uint64_t activeIn(uint32_t first, uint32_t count) const {
    uint64_t any = 0;
    for (uint32_t lane = first; lane < first + count; ++lane)
      any += active(lane);
    return any;
  }
};

void firstLanes(uint32_t count, uint64_t &low, uint64_t &high) {
  low = count >= 64 ? ~0ull : (1ull << count) - 1;
  high = count >= 128 ? ~0ull : count > 64 ? (1ull << (count - 64)) - 1 : 0;
}

// Which lanes of repeat r take part.
void maskOfRepeat(const Lanes &lanes, uint32_t repeat, uint32_t perRepeat,
                  Row &row) {
  if (lanes.counted) {
    row.lanes = static_cast<uint32_t>(std::min<uint64_t>(
        perRepeat, lanes.total - uint64_t{repeat} * perRepeat));
    firstLanes(row.lanes, row.low, row.high);
    return;
  }
  row.low = lanes.low;
  row.high = lanes.high;
  row.lanes =
      lanes.high  ? 128 - static_cast<uint32_t>(__builtin_clzll(lanes.high))
      : lanes.low ? 64 - static_cast<uint32_t>(__builtin_clzll(lanes.low))
                  : 0;
}

// Copies a repeat together and puts the neutral element into idle lanes.
void loadRow(const Reduction &what, const uint8_t *from, uint32_t blockStride,
             Row &row) {
  const uint32_t used = row.lanes * what.bytes();
  for (uint32_t b = 0; b * kBlockBytes < used; ++b)
    std::memcpy(row.bytes + b * kBlockBytes,
                from + uint64_t{b} * blockStride * kBlockBytes,
                std::min(kBlockBytes, used - b * kBlockBytes));
  const uint32_t idle = what.bitsOfFloat(what.neutral());
  for (uint32_t lane = 0; lane < row.lanes; ++lane)
    if (!row.active(lane))
      std::memcpy(row.bytes + lane * what.bytes(), &idle, what.bytes());
  fillSpan(what.bytes(), row.bytes + used, what.perRepeat() - row.lanes, idle);
}

// A full dense repeat needs no copy.
const uint8_t *rowBytes(const Reduction &what, const uint8_t *from,
                        uint32_t blockStride, Row &row) {
  const bool full =
      row.low == ~0ull && (what.perRepeat() == 64 || row.high == ~0ull);
  if (full && blockStride == 1)
    return from;
  loadRow(what, from, blockStride, row);
  return row.bytes;
}

// How many of the first repeats lie in memory as one dense run of full repeats.
uint32_t denseRepeats(const Reduction &what, const Lanes &lanes,
                      uint32_t blockStride, uint64_t pitch) {
  if (blockStride != 1 || pitch != kRepeatBytes)
    return 0;
  if (lanes.counted)
    return static_cast<uint32_t>(lanes.total / what.perRepeat());
  const bool full =
      lanes.low == ~0ull && (what.perRepeat() == 64 || lanes.high == ~0ull);
  return full ? lanes.repeat : 0;
}

float treeSum(const Reduction &what, const void *lanes) {
  float sum;
  treeSums(what.type, &sum, lanes, 1, what.perRepeat(), what.saturate);
  return sum;
}

// The tree sum of every repeat that has active lanes.
std::vector<float> repeatSums(const Reduction &what, const Lanes &lanes,
                              const uint8_t *from, uint32_t blockStride,
                              uint64_t pitch) {
  std::vector<float> sums(lanes.repeat);
  const uint32_t dense = denseRepeats(what, lanes, blockStride, pitch);
  treeSums(what.type, sums.data(), from, dense, what.perRepeat(),
           what.saturate);
  Row row;
  for (uint32_t repeat = dense; repeat < lanes.repeat; ++repeat) {
    maskOfRepeat(lanes, repeat, what.perRepeat(), row);
    sums[repeat] =
        treeSum(what, rowBytes(what, from + repeat * pitch, blockStride, row));
  }
  return sums;
}

// Extreme over the active lanes among [first, first + count).
Extreme extremeOfLanes(const Reduction &what, const Row &row,
                       const uint8_t *lanes, uint32_t first, uint32_t count) {
  uint32_t begin = first;
  while (!row.active(begin))
    ++begin;
  uint32_t end = begin;
  while (end < first + count && row.active(end))
    ++end;
  Extreme best = extremeOf(what.type, lanes + begin * what.bytes(), end - begin,
                           what.op == ReduceOp::Max, what.keepNaN);
  best.index += begin;
  for (uint32_t lane = end; lane < first + count; ++lane) {
    if (!row.active(lane))
      continue;
    const float value = what.floatOf(lanes + lane * what.bytes());
    if (what.replaces(best.value, value))
      best = {value, lane};
  }
  return best;
}

void writeElement(const Reduction &what, uint8_t *dst, float value) {
  const uint32_t bits = what.bitsOfFloat(value);
  std::memcpy(dst, &bits, what.bytes());
}

} // namespace

//===- per block, pair and repeat -----------------------------------------===//

namespace {

struct Output {
  uint64_t pitch;   // bytes from repeat to repeat
  uint64_t written; // bytes per repeat
  uint32_t align;
};

Output outputOf(ReduceShape shape, const Reduction &what,
                const ReduceInstr &instr) {
  const uint64_t bytes = what.bytes();
  const auto stride = static_cast<uint64_t>(instr.dstRepStride);
  switch (shape) {
  case ReduceShape::Block:
    return {stride * 8 * bytes, 8 * bytes, static_cast<uint32_t>(8 * bytes)};
  case ReduceShape::Pair:
    return {stride * 128, 128, kBlockBytes};
  default:
    break;
  }
  if (what.op == ReduceOp::Sum || instr.order == ReduceOrder::ORDER_ONLY_VALUE)
    return {stride * bytes, bytes, static_cast<uint32_t>(bytes)};
  if (instr.order == ReduceOrder::ORDER_ONLY_INDEX)
    return {stride * 4, 4, 4};
  return {stride * 2 * bytes, 2 * bytes, static_cast<uint32_t>(2 * bytes)};
}

Api apiOf(ReduceShape shape, const Reduction &what, ReduceOrder order) {
  switch (shape) {
  case ReduceShape::Block:
    return Api::BlockReduce;
  case ReduceShape::Pair:
    return Api::PairReduce;
  case ReduceShape::Repeat:
    return Api::RepeatReduce;
  default:
    return what.op == ReduceOp::Sum                 ? Api::WholeReduceSum
           : order == ReduceOrder::ORDER_ONLY_VALUE ? Api::WholeReduceValueOnly
           : order == ReduceOrder::ORDER_ONLY_INDEX ? Api::WholeReduceIndexOnly
                                                    : Api::WholeReduceMaxMin;
  }
}

const char *callOf(ReduceShape shape, ReduceOp op) {
  static const char *const names[4][3] = {
      {"BlockReduceSum", "BlockReduceMax", "BlockReduceMin"},
      {"PairReduceSum", "PairReduceMax", "PairReduceMin"},
      {"WholeReduceSum", "WholeReduceMax", "WholeReduceMin"},
      {"RepeatReduceSum", "RepeatReduceMax", "RepeatReduceMin"}};
  return names[static_cast<size_t>(shape)][static_cast<size_t>(op)];
}

void requireStride(Core &core, int32_t stride, const char *name) {
  if (stride < 0 || stride > 65535)
    core.fail("%s is %d, it must be within [0, 65535]", name, stride);
}

// Lanes of one full repeat that take part.
uint32_t activeLanes(const Reduction &what, const Lanes &lanes) {
  return lanes.counted
             ? what.perRepeat()
             : static_cast<uint32_t>(__builtin_popcountll(lanes.low) +
                                     __builtin_popcountll(lanes.high));
}

uint64_t activeElements(const Reduction &what, const Lanes &lanes) {
  return lanes.counted ? lanes.total
                       : uint64_t{lanes.repeat} * activeLanes(what, lanes);
}

// Equal groups of lanes make one result each, of which the last may be short.
// A mask or a tail makes the groups of blocks and pairs unequal.
Traits traitsOf(ReduceShape shape, const Reduction &what, const Lanes &lanes) {
  Traits traits;
  const uint32_t active = activeLanes(what, lanes);
  const bool even = !lanes.counted || lanes.total % what.perRepeat() == 0;
  const bool full = active == what.perRepeat();
  const bool whole =
      shape == ReduceShape::Whole || shape == ReduceShape::Repeat;
  if (!whole && (!even || !full)) {
    traits.flow = sim::Flow::Whole;
    return traits;
  }
  traits.flow = sim::Flow::Groups;
  traits.groupElements = whole ? active
                         : shape == ReduceShape::Pair
                             ? 2
                             : kBlockBytes / what.bytes();
  return traits;
}

void reduceBlocks(const Core &core, const Reduction &what, const Row &row,
                  const uint8_t *lanes, uint8_t *dst) {
  const uint32_t perBlock = kBlockBytes / what.bytes();
  // The trees of all blocks at once, level by level.
  alignas(32) uint8_t sums[kRepeatBytes];
  if (what.op == ReduceOp::Sum) {
    const void *level = lanes;
    for (uint32_t count = what.perRepeat() / 2; count >= sim::kBlocksPerRepeat;
         count /= 2, level = sums)
      pairwiseSum(what.type, sums, level, count, what.saturate);
  }
  for (uint32_t block = 0; block < sim::kBlocksPerRepeat; ++block) {
    const uint32_t first = block * perBlock;
    uint8_t *out = dst + block * what.bytes();
    if (row.activeIn(first, perBlock) == 0) {
      if (core.family->reduceWritesNeutral)
        writeElement(what, out, what.neutral());
      continue;
    }
    if (what.op == ReduceOp::Sum)
      std::memcpy(out, sums + block * what.bytes(), what.bytes());
    else
      writeElement(what, out,
                   extremeOfLanes(what, row, lanes, first, perBlock).value);
  }
}

// Sums of `group` neighbouring lanes (a power of two) of dense, full repeats:
// the trees of all of them at once, level by level.
std::vector<uint8_t> groupSums(const Reduction &what, const uint8_t *lanes,
                               uint32_t repeats, uint32_t group) {
  size_t count = size_t{repeats} * what.perRepeat() / 2;
  std::vector<uint8_t> sums(count * what.bytes());
  const void *level = lanes;
  for (; group > 1; group /= 2, count /= 2, level = sums.data())
    pairwiseSum(what.type, sums.data(), level, count, what.saturate);
  return sums;
}

void reducePairs(const Core &core, const Reduction &what, const Row &row,
                 const uint8_t *lanes, uint8_t *dst) {
  const uint32_t pairs = what.perRepeat() / 2;
  alignas(32) uint8_t sums[kRepeatBytes];
  pairwiseSum(what.type, sums, lanes, pairs, what.saturate);
  for (uint32_t pair = 0; pair < pairs; ++pair)
    if (core.family->reduceWritesNeutral || row.activeIn(2 * pair, 2))
      std::memcpy(dst + pair * what.bytes(), sums + pair * what.bytes(),
                  what.bytes());
}

void reduceRepeat(Core &core, const Reduction &what, const Row &row,
                  const uint8_t *lanes, uint8_t *dst, ReduceOrder order) {
  if (what.op == ReduceOp::Sum) {
    writeElement(what, dst, treeSum(what, lanes));
    return;
  }
  const Extreme best = extremeOfLanes(what, row, lanes, 0, row.lanes);
  const uint32_t value = what.bitsOfFloat(best.value);
  core.regs.extreme = value | uint64_t{best.index} << 32;
  const uint32_t bytes = what.bytes();
  switch (order) {
  case ReduceOrder::ORDER_VALUE_INDEX:
    std::memcpy(dst, &value, bytes);
    std::memcpy(dst + bytes, &best.index, bytes);
    return;
  case ReduceOrder::ORDER_INDEX_VALUE:
    std::memcpy(dst, &best.index, bytes);
    std::memcpy(dst + bytes, &value, bytes);
    return;
  case ReduceOrder::ORDER_ONLY_VALUE:
    std::memcpy(dst, &value, bytes);
    return;
  case ReduceOrder::ORDER_ONLY_INDEX:
    std::memcpy(dst, &best.index, 4);
    return;
  }
}

} // namespace

void reduce(ReduceShape shape, ReduceOp op, DType type,
            const ReduceInstr &instr) {
  Core &core = Core::enter(callOf(shape, op), instr.site);
  const Reduction what{op, type, saturates(core),
                       core.isOpen(Open::MAX_MIN_KEEPS_NAN)};
  requireType(core, apiOf(shape, what, instr.order), type, false);
  requireStride(core, instr.dstRepStride, "dstRepStride");
  requireStride(core, instr.srcBlkStride, "srcBlkStride");
  requireStride(core, instr.srcRepStride, "srcRepStride");
  const uint32_t perRepeat = what.perRepeat();
  const Lanes lanes = core.resolve(instr.select, perRepeat);
  const Port src{{const_cast<void *>(instr.src),
                  static_cast<uint32_t>(instr.srcBlkStride),
                  static_cast<uint32_t>(instr.srcRepStride)},
                 type,
                 "src"};
  checkPort(core, src, lanes, perRepeat);
  const Output out = outputOf(shape, what, instr);
  core.requireAligned(instr.dst, out.align, "dst");
  if (lanes.repeat == 0)
    return;
  if (lanes.empty() && !core.family->reduceWritesNeutral)
    return;
  core.requireLocal(instr.dst, (lanes.repeat - 1) * out.pitch + out.written,
                    "dst");
  if (core.observer) {
    std::vector<Region> reads;
    addRegions(reads, src, lanes, perRepeat);
    announce(core, std::move(reads),
             {{instr.dst, out.written, lanes.repeat,
               static_cast<int64_t>(out.pitch), 1, 0}},
             type, activeElements(what, lanes), lanes.repeat,
             traitsOf(shape, what, lanes));
  }
  Row row;
  const auto *from = static_cast<const uint8_t *>(instr.src);
  auto *to = static_cast<uint8_t *>(instr.dst);
  const uint64_t srcPitch = uint64_t{src.operand.repeatStride} * kBlockBytes;
  const bool denseSums =
      op == ReduceOp::Sum && denseRepeats(what, lanes, src.operand.blockStride,
                                          srcPitch) == lanes.repeat;
  if (denseSums &&
      (shape == ReduceShape::Block || shape == ReduceShape::Pair)) {
    const uint32_t group =
        shape == ReduceShape::Pair ? 2 : kBlockBytes / what.bytes();
    const std::vector<uint8_t> sums =
        groupSums(what, from, lanes.repeat, group);
    for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat)
      std::memcpy(to + repeat * out.pitch, sums.data() + repeat * out.written,
                  out.written);
    return;
  }
  if (denseSums) {
    for (float sum : repeatSums(what, lanes, from, 1, srcPitch)) {
      writeElement(what, to, sum);
      to += out.pitch;
    }
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat) {
    maskOfRepeat(lanes, repeat, perRepeat, row);
    const uint8_t *x = rowBytes(what, from, src.operand.blockStride, row);
    if (shape == ReduceShape::Block)
      reduceBlocks(core, what, row, x, to);
    else if (shape == ReduceShape::Pair)
      reducePairs(core, what, row, x, to);
    else if (row.lanes > 0)
      reduceRepeat(core, what, row, x, to, instr.order);
    from += srcPitch;
    to += out.pitch;
  }
}

//===- over a whole tensor ------------------------------------------------===//

namespace {

uint64_t roundUp(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Elements of T that the work buffer must have.
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

// Sums of groups of `perRepeat` partial sums, until one is left.
float treeOfPartials(const Reduction &what, std::vector<float> partials) {
  const uint32_t perRepeat = what.perRepeat();
  while (partials.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i < partials.size(); i += perRepeat) {
      Row row;
      fillSpan(what.bytes(), row.bytes, perRepeat, 0);
      const size_t end = std::min(partials.size(), i + perRepeat);
      for (size_t k = i; k < end; ++k)
        writeElement(what, row.bytes + (k - i) * what.bytes(), partials[k]);
      next.push_back(treeSum(what, row.bytes));
    }
    partials = std::move(next);
  }
  return partials.empty() ? 0.0f : partials[0];
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
  Core &core = Core::enter(named.call, instr.site);
  const Reduction what{op, type, saturates(core),
                       core.isOpen(Open::MAX_MIN_KEEPS_NAN)};
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
  const uint64_t work = workElements(
      core, what, counted,
      counted ? std::max<uint64_t>(1, lanes.total / perRepeat) : lanes.repeat,
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
    // Ends with a scalar write of the result, for which it waits itself.
    announce(core, std::move(reads), std::move(writes), type,
             uint64_t{lanes.repeat} * perRepeat, lanes.repeat,
             {sim::Flow::Whole, 0, false, true});
  }

  Row row;
  const auto *from = static_cast<const uint8_t *>(instr.src);
  const uint64_t pitch = uint64_t{src.operand.repeatStride} * kBlockBytes;
  auto *dst = static_cast<uint8_t *>(instr.dst);
  if (op == ReduceOp::Sum) {
    std::vector<float> partials = repeatSums(what, lanes, from, 1, pitch);
    const float sum = sumOfPartials(core, what, counted,
                                    lanes.counted && lanes.total % perRepeat,
                                    std::move(partials));
    core.regs.accumulator = what.bitsOfFloat(sum);
    writeElement(what, dst, sum);
    return;
  }
  Extreme best{0, 0};
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat) {
    maskOfRepeat(lanes, repeat, perRepeat, row);
    const uint8_t *x = rowBytes(what, from + repeat * pitch, 1, row);
    Extreme here = extremeOfLanes(what, row, x, 0, row.lanes);
    here.index += static_cast<uint32_t>(repeat * (pitch / bytes));
    if (repeat == 0 || what.replaces(best.value, here.value))
      best = here;
  }
  writeElement(what, dst, best.value);
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
