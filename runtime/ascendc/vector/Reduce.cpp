// Reductions per block, pair and repeat. Inside a repeat a sum is a binary tree
// over neighbouring lanes, lanes that do not take part being 0; maximum and
// minimum give the first index. Integers are reduced by the repeat only, and
// their sums are 32 bits wide.
#include "Reduction.h"

#include "Rows.h"
#include "simd/Integers.h"

#include <algorithm>

namespace lossgrad::vector {

using AscendC::ReduceOrder;
using sim::kBlockBytes;
using sim::kRepeatBytes;
using sim::Region;

//===- what both files share ----------------------------------------------===//

const uint8_t *Row::load(const Reduction &what, const uint8_t *from,
                         uint32_t blockStride, const sim::LaneMask &mask) {
  const uint32_t lanes = mask.end();
  if (lanes >= what.perRepeat() && mask.isPrefix() && blockStride == 1)
    return from;
  const uint32_t used = lanes * what.bytes();
  for (uint32_t b = 0; b * kBlockBytes < used; ++b)
    std::memcpy(bytes + b * kBlockBytes,
                from + uint64_t{b} * blockStride * kBlockBytes,
                std::min(kBlockBytes, used - b * kBlockBytes));
  const uint32_t idle = what.bitsOfFloat(what.neutral());
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (!mask.has(lane))
      std::memcpy(bytes + lane * what.bytes(), &idle, what.bytes());
  fillSpan(what.bytes(), bytes + used, what.perRepeat() - lanes, idle);
  return bytes;
}

Extreme extremeOfLanes(const Reduction &what, const sim::LaneMask &mask,
                       const uint8_t *lanes, uint32_t first, uint32_t count) {
  uint32_t begin = first;
  while (!mask.has(begin))
    ++begin;
  uint32_t end = begin;
  while (end < first + count && mask.has(end))
    ++end;
  Extreme best = extremeOf(what.type, lanes + begin * what.bytes(), end - begin,
                           what.op == ReduceOp::Max, what.keepNaN);
  best.index += begin;
  for (uint32_t lane = end; lane < first + count; ++lane) {
    if (!mask.has(lane))
      continue;
    const float value = what.floatOf(lanes + lane * what.bytes());
    if (what.replaces(best.value, value))
      best = {value, lane};
  }
  return best;
}

std::vector<float> repeatSums(const Reduction &what, const Lanes &lanes,
                              const uint8_t *from, uint32_t blockStride,
                              uint64_t pitch) {
  std::vector<float> sums(lanes.repeat);
  const uint32_t perRepeat = what.perRepeat();
  uint32_t done = 0;
  if (blockStride == 1 && (lanes.counted || lanes.isPrefix())) {
    // Full ones, or the same lanes of all.
    done = lanes.counted ? static_cast<uint32_t>(lanes.total / perRepeat)
                         : lanes.repeat;
    treeSums(what.type, sums.data(), from, done, pitch,
             lanes.counted ? perRepeat : lanes.end(), what.saturate);
  }
  Row row;
  for (uint32_t repeat = done; repeat < lanes.repeat; ++repeat) {
    const uint8_t *x = row.load(what, from + repeat * pitch, blockStride,
                                lanes.ofRepeat(repeat, perRepeat));
    treeSums(what.type, &sums[repeat], x, 1, kRepeatBytes, perRepeat,
             what.saturate);
  }
  return sums;
}

void requireStride(Core &core, int32_t stride, const char *name) {
  if (stride < 0 || stride > 65535)
    core.fail("%s is %d, it must be within [0, 65535]", name, stride);
}

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
  if (what.op == ReduceOp::Sum && isInteger(what.type))
    return {stride * sizeof(int32_t), sizeof(int32_t), sizeof(int32_t)};
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
           : order == ReduceOrder::ORDER_INDEX_VALUE
               ? Api::WholeReduceIndexFirst
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

// Equal groups of lanes make one result each, of which the last may be short.
// A mask or a tail makes the groups of blocks and pairs unequal.
Traits traitsOf(ReduceShape shape, const Reduction &what, const Lanes &lanes) {
  Traits traits;
  const uint32_t active = lanes.counted ? what.perRepeat() : lanes.count();
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

// Do any lanes of [first, first + count) take part?
bool anyActive(const sim::LaneMask &mask, uint32_t first, uint32_t count) {
  for (uint32_t lane = first; lane < first + count; ++lane)
    if (mask.has(lane))
      return true;
  return false;
}

// One result per group of neighbouring lanes: a block, or a pair.
void reduceGroups(const Core &core, const Reduction &what,
                  const sim::LaneMask &mask, const uint8_t *lanes, uint8_t *dst,
                  uint32_t group) {
  alignas(64) uint8_t sums[kRepeatBytes];
  if (what.op == ReduceOp::Sum)
    groupSums(what.type, sums, lanes, what.perRepeat() / group, group,
              what.saturate);
  for (uint32_t i = 0; i * group < what.perRepeat(); ++i) {
    uint8_t *out = dst + i * what.bytes();
    if (!anyActive(mask, i * group, group)) {
      if (core.family->reduceWritesNeutral)
        what.write(out, what.neutral());
      continue;
    }
    if (what.op == ReduceOp::Sum)
      std::memcpy(out, sums + i * what.bytes(), what.bytes());
    else
      what.write(out,
                 extremeOfLanes(what, mask, lanes, i * group, group).value);
  }
}

void writeOrdered(uint32_t bytes, uint32_t value, uint32_t index,
                  ReduceOrder order, uint8_t *dst) {
  switch (order) {
  case ReduceOrder::ORDER_VALUE_INDEX:
    std::memcpy(dst, &value, bytes);
    std::memcpy(dst + bytes, &index, bytes);
    return;
  case ReduceOrder::ORDER_INDEX_VALUE:
    std::memcpy(dst, &index, bytes);
    std::memcpy(dst + bytes, &value, bytes);
    return;
  case ReduceOrder::ORDER_ONLY_VALUE:
    std::memcpy(dst, &value, bytes);
    return;
  case ReduceOrder::ORDER_ONLY_INDEX:
    std::memcpy(dst, &index, 4);
    return;
  }
}

void writeExtreme(const Reduction &what, const Extreme &best, ReduceOrder order,
                  uint8_t *dst) {
  writeOrdered(what.bytes(), what.bitsOfFloat(best.value), best.index, order,
               dst);
}

// One repeat of integers.
template <typename T>
void reduceIntegers(ReduceOp op, const sim::LaneMask &mask,
                    const uint8_t *lanes, uint8_t *dst, ReduceOrder order) {
  const auto *values = reinterpret_cast<const T *>(lanes);
  uint32_t sum = 0, index = 0;
  T best{};
  bool first = true;
  for (uint32_t lane = 0; lane < mask.end(); ++lane) {
    if (!mask.has(lane))
      continue;
    sum += static_cast<uint32_t>(values[lane]);
    if (first ||
        (op == ReduceOp::Max ? values[lane] > best : values[lane] < best)) {
      best = values[lane];
      index = lane;
    }
    first = false;
  }
  if (op == ReduceOp::Sum)
    std::memcpy(dst, &sum, sizeof sum);
  else
    writeOrdered(sizeof(T), static_cast<uint32_t>(best), index, order, dst);
}

void reduceRepeat(Core &core, const Reduction &what, const sim::LaneMask &mask,
                  const uint8_t *lanes, uint8_t *dst, ReduceOrder order) {
  if (what.op == ReduceOp::Sum) {
    float sum;
    treeSums(what.type, &sum, lanes, 1, kRepeatBytes, what.perRepeat(),
             what.saturate);
    return what.write(dst, sum);
  }
  const Extreme best = extremeOfLanes(what, mask, lanes, 0, mask.end());
  core.regs.extreme = what.bitsOfFloat(best.value) | uint64_t{best.index} << 32;
  writeExtreme(what, best, order, dst);
}

//===- by rows (Rows.h) ---------------------------------------------------===//

// The sum of the first lanes of each repeat.
template <DType Type>
void sumRows(void *dst, const void *src, const void *, size_t rows,
             const SpanParams &p) {
  const RowShape &shape = *p.rows;
  const Reduction what{ReduceOp::Sum, Type, p.saturate, p.keepNaN};
  auto *to = static_cast<uint8_t *>(dst);
  const auto *from = static_cast<const uint8_t *>(src);
  constexpr size_t kSome = 64;
  float sums[kSome];
  for (size_t row = 0; row < rows; row += kSome) {
    const size_t some = std::min(kSome, rows - row);
    treeSums(Type, sums, from, some, shape.src0.pitch, shape.width, p.saturate);
    for (size_t i = 0; i < some; ++i, to += shape.dst.pitch)
      what.write(to, sums[i]);
    from += some * shape.src0.pitch;
  }
}

// Their maximum or minimum with its index; the order is in params.scalar.
template <ReduceOp Op, DType Type>
void extremeRows(void *dst, const void *src, const void *, size_t rows,
                 const SpanParams &p) {
  const RowShape &shape = *p.rows;
  const Reduction what{Op, Type, p.saturate, p.keepNaN};
  auto *to = static_cast<uint8_t *>(dst);
  const auto *from = static_cast<const uint8_t *>(src);
  Extreme best{};
  for (size_t row = 0; row < rows; ++row) {
    best = extremeOf(Type, from, shape.width, Op == ReduceOp::Max, p.keepNaN);
    writeExtreme(what, best, static_cast<ReduceOrder>(p.scalar), to);
    to += shape.dst.pitch;
    from += shape.src0.pitch;
  }
  *p.extreme = what.bitsOfFloat(best.value) | uint64_t{best.index} << 32;
}

// Sums of neighbouring lanes of full repeats; how many is in params.scalar.
template <DType Type>
void groupRows(void *dst, const void *src, const void *, size_t rows,
               const SpanParams &p) {
  const RowShape &shape = *p.rows;
  auto *to = static_cast<uint8_t *>(dst);
  const auto *from = static_cast<const uint8_t *>(src);
  const auto group = static_cast<uint32_t>(p.scalar);
  const size_t results = shape.width / group;
  const bool dense = shape.src0.pitch == shape.width * bytesOf(Type) &&
                     shape.dst.pitch == results * bytesOf(Type);
  const size_t some = dense ? rows : 1;
  for (size_t row = 0; row < rows; row += some) {
    groupSums(Type, to, from, some * results, group, p.saturate);
    to += shape.dst.pitch;
    from += shape.src0.pitch;
  }
}

template <DType Type> SpanFn rowsFunction(ReduceShape shape, ReduceOp op) {
  if (shape == ReduceShape::Block || shape == ReduceShape::Pair)
    return op == ReduceOp::Sum ? groupRows<Type> : nullptr;
  return op == ReduceOp::Sum   ? sumRows<Type>
         : op == ReduceOp::Max ? extremeRows<ReduceOp::Max, Type>
                               : extremeRows<ReduceOp::Min, Type>;
}

void settleForReduction(Core &core, const Reduction &what, const Lanes &lanes,
                        const Port &src, const Output &out, const void *dst) {
  settleFor(core, lanes, what.perRepeat(), {&src});
  settleFor(core, dst, (lanes.repeat - 1) * out.pitch + out.written);
}

// Runs, or defers, the reduction if its repeats are rows.
bool reduceRows(Core &core, ReduceShape shape, const Reduction &what,
                const ReduceInstr &instr, const Lanes &lanes, const Port &src,
                const Output &out) {
  if (isInteger(what.type))
    return false;
  const SpanFn run = what.type == DType::Float
                         ? rowsFunction<DType::Float>(shape, what.op)
                         : rowsFunction<DType::Half>(shape, what.op);
  const bool even = !lanes.counted || lanes.total % what.perRepeat() == 0;
  const uint32_t width = lanes.counted ? what.perRepeat() : lanes.end();
  const bool groups = shape == ReduceShape::Block || shape == ReduceShape::Pair;
  const uint32_t group =
      shape == ReduceShape::Pair ? 2 : kBlockBytes / what.bytes();
  // Groups that do not take part are left alone, or not.
  const bool wholeGroups =
      width == what.perRepeat() ||
      (width % group == 0 && !core.family->reduceWritesNeutral);
  if (!run || !even || !(lanes.counted || lanes.isPrefix()) ||
      !makesRows(width, src, Port(), Port()) || src.operand.blockStride == 0 ||
      (groups && !wholeGroups))
    return false;
  SpanParams params = paramsOf(core);
  params.scalar = groups ? group : static_cast<uint64_t>(instr.order);
  params.extreme = &core.regs.extreme;
  RowShape rows;
  rows.width = width;
  rows.dst = {static_cast<uint32_t>(out.pitch), what.bytes() * 8};
  rows.src0 = {src.operand.repeatStride * kBlockBytes, what.bytes() * 8};
  auto count = uint64_t{lanes.repeat};
  auto written = static_cast<uint32_t>(out.written);
  if (groups) {
    written = width / group * what.bytes();
    // Adjacent groups are rows of their own: strips may end between them.
    const bool dense = count == 1 || (rows.src0.pitch == width * what.bytes() &&
                                      rows.dst.pitch == written);
    if (dense) {
      count *= width / group;
      written = what.bytes();
      rows.width = group;
      rows.dst.pitch = written;
      rows.src0.pitch = group * what.bytes();
    }
  }
  if (deferReduction(core, run, rows, params, count, instr.dst, written,
                     src.operand.addr))
    return true;
  settleForReduction(core, what, lanes, src, out, instr.dst);
  params.rows = &rows;
  run(instr.dst, src.operand.addr, nullptr, count, params);
  return true;
}

} // namespace

void reduce(ReduceShape shape, ReduceOp op, DType type,
            const ReduceInstr &instr) {
  Core &core = Core::enterDeferring(callOf(shape, op), instr.site);
  const Reduction what = Reduction::of(core, op, type);
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
             type, lanes.elements(), lanes.repeat,
             traitsOf(shape, what, lanes));
  }
  if (reduceRows(core, shape, what, instr, lanes, src, out))
    return;
  settleForReduction(core, what, lanes, src, out, instr.dst);
  Row row;
  const auto *from = static_cast<const uint8_t *>(instr.src);
  auto *to = static_cast<uint8_t *>(instr.dst);
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat) {
    const sim::LaneMask mask = lanes.ofRepeat(repeat, perRepeat);
    const uint8_t *x = row.load(what, from, src.operand.blockStride, mask);
    if (shape == ReduceShape::Block || shape == ReduceShape::Pair)
      reduceGroups(core, what, mask, x, to,
                   shape == ReduceShape::Pair ? 2 : kBlockBytes / what.bytes());
    else if (mask.none())
      ;
    else if (type == DType::Int16)
      reduceIntegers<int16_t>(op, mask, x, to, instr.order);
    else if (type == DType::Int32)
      reduceIntegers<int32_t>(op, mask, x, to, instr.order);
    else
      reduceRepeat(core, what, mask, x, to, instr.order);
    from += uint64_t{src.operand.repeatStride} * kBlockBytes;
    to += out.pitch;
  }
}

} // namespace lossgrad::vector
