// See Shape.h. The loop tries the cheap forms first: one span for dense
// operands, rows where all repeats have the same leading lanes, and copies
// through a buffer of several repeats only for the operands that need it.
#include "Shape.h"

#include "Rows.h"
#include "ascendc/Strips.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <string>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::Region;

namespace {

uint64_t byteOffset(const Port &port, uint64_t elements) {
  return (elements << logBitsOf(port.type)) / 8;
}

// As a power of two.
uint32_t logLanesPerBlock(const Port &port) {
  static_assert(kBlockBytes * 8 == 1 << 8);
  return 8 - logBitsOf(port.type);
}

uint32_t lanesPerBlock(const Port &port) {
  return 1u << logLanesPerBlock(port);
}

uint32_t blocksPerRepeat(const Port &port, uint32_t perRepeat) {
  return std::max<uint32_t>(1, perRepeat >> logLanesPerBlock(port));
}

// Bytes that the first `count` lanes of one repeat reach over.
uint64_t reach(const Port &port, uint32_t count) {
  if (count == 0)
    return 0;
  const uint32_t logPerBlock = logLanesPerBlock(port);
  const uint32_t block = (count - 1) >> logPerBlock;
  const uint64_t inLast = count - (block << logPerBlock);
  return uint64_t{block} * port.operand.blockStride * kBlockBytes +
         ((inLast << logBitsOf(port.type)) + 7) / 8;
}

// Blocks of a repeat lie side by side.
bool adjacentBlocks(const Port &port, uint32_t count) {
  return port.operand.blockStride == 1 || count <= lanesPerBlock(port);
}

// The whole operand is one dense span, as far as `count` lanes per repeat go.
bool isDense(const Port &port, uint32_t perRepeat) {
  if (!port.operand.addr)
    return true;
  return port.operand.blockStride == 1 &&
         port.operand.repeatStride == blocksPerRepeat(port, perRepeat);
}

} // namespace

uint64_t extentOf(const Port &port, const Lanes &lanes, uint32_t perRepeat) {
  if (lanes.empty())
    return 0;
  if (lanes.counted && isDense(port, perRepeat))
    return ((lanes.total << logBitsOf(port.type)) + 7) / 8;
  const uint64_t pitch = uint64_t{port.operand.repeatStride} * kBlockBytes;
  const uint64_t last = (lanes.repeat - 1) * pitch;
  if (!lanes.counted)
    return last + reach(port, std::min(lanes.end(), perRepeat));
  const auto tail = static_cast<uint32_t>(
      lanes.total - uint64_t{lanes.repeat - 1} * perRepeat);
  uint64_t extent = last + reach(port, tail);
  if (lanes.repeat > 1)
    extent = std::max(extent, last - pitch + reach(port, perRepeat));
  return extent;
}

void checkPort(Core &core, const Port &port, const Lanes &lanes,
               uint32_t perRepeat) {
  core.requireAligned(port.operand.addr, kBlockBytes, port.name);
  core.requireLocal(port.operand.addr, extentOf(port, lanes, perRepeat),
                    port.name);
}

//===- footprint ----------------------------------------------------------===//

static uint8_t nextOperand(const std::vector<Region> &regions) {
  return regions.empty() ? uint8_t{0}
                         : static_cast<uint8_t>(regions.back().operand + 1);
}

void addDense(std::vector<Region> &regions, const void *addr, uint64_t bytes) {
  regions.push_back({addr, bytes, 1, 0, 1, 0, nextOperand(regions)});
}

void addRegions(std::vector<Region> &regions, const Port &port,
                const Lanes &lanes, uint32_t perRepeat) {
  if (!port.operand.addr || lanes.empty())
    return;
  const Operand &operand = port.operand;
  const uint64_t pitch = uint64_t{operand.repeatStride} * kBlockBytes;
  const uint8_t number = nextOperand(regions);
  // One region for `repeats` repeats of the first `count` lanes.
  auto add = [&](uint32_t firstRepeat, uint32_t repeats, uint32_t firstLane,
                 uint32_t count) {
    if (repeats == 0 || count == 0)
      return;
    const auto *start =
        static_cast<const uint8_t *>(operand.addr) + firstRepeat * pitch;
    const uint32_t perBlock = lanesPerBlock(port);
    if (firstLane % perBlock == 0 && adjacentBlocks(port, firstLane + count)) {
      regions.push_back({start + byteOffset(port, firstLane),
                         (uint64_t{count} * bitsOf(port.type) + 7) / 8, repeats,
                         static_cast<int64_t>(pitch), 1, 0, number});
      return;
    }
    for (uint32_t lane = firstLane; lane < firstLane + count;) {
      const uint32_t block = lane / perBlock;
      const uint32_t end = std::min((block + 1) * perBlock, firstLane + count);
      regions.push_back(
          {start + uint64_t{block} * operand.blockStride * kBlockBytes +
               byteOffset(port, lane % perBlock),
           (uint64_t{end - lane} * bitsOf(port.type) + 7) / 8, repeats,
           static_cast<int64_t>(pitch), 1, 0, number});
      lane = end;
    }
  };
  if (lanes.counted) {
    if (isDense(port, perRepeat)) {
      regions.push_back({operand.addr,
                         (lanes.total * bitsOf(port.type) + 7) / 8, 1, 0, 1, 0,
                         number});
      return;
    }
    const auto tail = static_cast<uint32_t>(
        lanes.total - uint64_t{lanes.repeat - 1} * perRepeat);
    add(0, lanes.repeat - 1, 0, perRepeat);
    add(lanes.repeat - 1, 1, 0, tail);
    return;
  }
  if (lanes.isPrefix()) {
    add(0, lanes.repeat, 0, std::min(lanes.end(), perRepeat));
    return;
  }
  const uint32_t end = std::min(lanes.end(), perRepeat);
  for (uint32_t lane = 0; lane < end;) {
    if (!lanes.has(lane)) {
      ++lane;
      continue;
    }
    uint32_t stop = lane;
    while (stop < end && lanes.has(stop))
      ++stop;
    add(0, lanes.repeat, lane, stop - lane);
    lane = stop;
  }
}

void announce(Core &core, const Port *ports, size_t count, const Lanes &lanes,
              uint32_t perRepeat, DType type, const Traits &traits) {
  if (!core.observer)
    return;
  std::vector<Region> reads, writes;
  for (const Port *port = ports; port != ports + count; ++port) {
    if (port->read)
      addRegions(reads, *port, lanes, perRepeat);
    if (port->written)
      addRegions(writes, *port, lanes, perRepeat);
  }
  announce(core, std::move(reads), std::move(writes), type, lanes.elements(),
           lanes.repeat, traits);
}

void announce(Core &core, std::vector<Region> reads, std::vector<Region> writes,
              DType type, uint64_t elements, uint32_t repeats,
              const Traits &traits) {
  if (!core.observer)
    return;
  Footprint footprint;
  footprint.call = core.call;
  footprint.site = core.site;
  footprint.pipe = PIPE_V;
  footprint.reads = std::move(reads);
  footprint.writes = std::move(writes);
  footprint.type = type;
  footprint.elements = elements;
  footprint.repeats = repeats;
  footprint.flow = traits.flow;
  footprint.groupElements = traits.groupElements;
  footprint.usesScratch = traits.usesScratch;
  footprint.selfContained = traits.selfContained;
  footprint.from = traits.from;
  footprint.moves = traits.moves;
  footprint.decider = traits.decider;
  footprint.keys = traits.keys;
  footprint.table = traits.table;
  core.observer->instruction(core, footprint);
}

//===- product support ----------------------------------------------------===//

void claimScratch(Core &core, uint32_t offset, uint64_t bytes) {
  const uint32_t begin = core.family->ubScratchOffset + offset;
  uint8_t *scratch = core.ub.begin() + begin;
  if (core.deferred && sim::stripsOf(core).touches(scratch, bytes))
    core.settle();
  bool alive = false;
  for (uint64_t i = 0; i < bytes; ++i)
    alive = alive || scratch[i] != Core::kNothingThere;
  for (uint32_t i = 0; alive && i < core.bufferCount; ++i) {
    const sim::Buffer &buffer = core.buffers[i];
    if (buffer.addr < scratch + bytes && buffer.addr + buffer.bytes > scratch &&
        core.ub.holds(buffer.addr, buffer.bytes))
      core.fail("overwrites scratch at UB [%u, %" PRIu64
                "), where buffer %u at "
                "UB [%" PRIu64 ", %" PRIu64 ") holds data; keep data below %u",
                begin, begin + bytes, i, core.localOffset(buffer.addr),
                core.localOffset(buffer.addr) + buffer.bytes,
                core.family->ubScratchOffset);
  }
  if (alive)
    std::memset(scratch, Core::kNothingThere, bytes);
}

void requireType(Core &core, Api api, DType type, bool countForm) {
  const targets::Family &family = *core.family;
  const targets::Dtype target = sim::targetType(type);
  if (countForm ? family.takesCount(api, target) : family.takes(api, target))
    return;
  std::string supported;
  for (unsigned d = 0; d < targets::numDtypes; ++d) {
    const auto candidate = static_cast<targets::Dtype>(d);
    if (countForm ? family.takesCount(api, candidate)
                  : family.takes(api, candidate))
      supported += (supported.empty() ? "" : ", ") +
                   std::string(targets::spelling(candidate));
  }
  if (supported.empty())
    core.fail("not available on %s (%s)", family.title, core.soc->name);
  core.fail("%s is not available on %s (%s), which takes %s",
            targets::spelling(target), family.title, core.soc->name,
            supported.c_str());
}

//===- execution ----------------------------------------------------------===//

namespace {

// Repeats that go through a buffer together, where they may: one call of the
// lanes' function for all of them.
constexpr uint32_t kBatch = 16;

// Some repeats of an instruction: all have `active` leading lanes but for the
// last, which may have fewer.
struct Batch {
  uint32_t repeats, perRepeat, active, last;

  uint32_t lanesOf(uint32_t repeat) const {
    return repeat + 1 < repeats ? active : last;
  }
  // From the first lane to the last, with what lies between repeats.
  uint64_t span() const { return uint64_t{repeats - 1} * perRepeat + last; }
};

// One operand of the loop over batches: where its lanes are, contiguously.
class Cursor {
public:
  Cursor(const Port &port, uint32_t perRepeat)
      : port(port), at(static_cast<uint8_t *>(port.operand.addr)),
        pitch(uint64_t{port.operand.repeatStride} * kBlockBytes),
        stride(uint64_t{port.operand.blockStride} * kBlockBytes),
        repeatBytes(byteOffset(port, perRepeat)) {}

  void advance(uint32_t repeats) {
    if (at)
      at += repeats * pitch;
  }
  uint8_t *direct() const { return at; }

  // All lanes side by side: in place, or copied together.
  uint8_t *lanes(const Batch &batch) {
    return !at || lieTogether(batch) ? at : copyIn(batch);
  }
  // Where results go: in place where nothing but them is written so, else to
  // the buffer, with what is there if the instruction reads it, too.
  uint8_t *results(const Batch &batch, bool prefix) {
    const bool all = batch.repeats == 1 || batch.active == batch.perRepeat;
    if (prefix && all && lieTogether(batch))
      return at;
    return port.read ? copyIn(batch) : staged;
  }
  // Whole blocks, but none beyond the last lane: it may not be in UB.
  uint8_t *copyIn(const Batch &batch) {
    const uint32_t perBlock = lanesPerBlock(port);
    auto copy = [&](uint32_t first, uint32_t repeats) {
      const uint32_t blocks = (batch.lanesOf(first) + perBlock - 1) / perBlock;
      moveBlocks({staged + first * repeatBytes, kBlockBytes, repeatBytes,
                  at + first * pitch, stride, pitch, blocks, repeats});
    };
    copy(0, batch.repeats - 1);
    copy(batch.repeats - 1, 1);
    return staged;
  }
  // Only the active lanes: what lies behind them in UB may belong to others.
  void copyOut(const Batch &batch) {
    copyOut(batch, 0, batch.repeats - 1);
    copyOut(batch, batch.repeats - 1, 1);
  }
  // The active lanes of `staged`, by bitmap.
  void copyOutMasked(const Lanes &mask, const Batch &batch) {
    const uint32_t bytes = bitsOf(port.type) / 8;
    const uint32_t words = batch.perRepeat / 64;
    if (batch.repeats > 1 && (bytes == 2 || bytes == 4) &&
        words * 64 == batch.perRepeat && lieTogether(batch)) {
      uint64_t bits[2 * kBatch];
      for (uint32_t i = 0; i < batch.repeats * words; ++i)
        bits[i] = words == 1 || i % 2 == 0 ? mask.low : mask.high;
      selectSpan(bytes, at, bits, staged, at, batch.span(), 0);
      return;
    }
    for (uint32_t r = 0; r < batch.repeats; ++r)
      copyOutMasked(mask, at + r * pitch, staged + r * repeatBytes,
                    batch.lanesOf(r));
  }

private:
  bool lieTogether(const Batch &batch) const {
    return batch.repeats == 1 ? adjacentBlocks(port, batch.last)
                              : stride == kBlockBytes && pitch == repeatBytes;
  }
  void copyOut(const Batch &batch, uint32_t first, uint32_t repeats) {
    const uint64_t bits = uint64_t{batch.lanesOf(first)} * bitsOf(port.type);
    const uint64_t bytes = (bits + 7) / 8, whole = bytes / kBlockBytes;
    uint8_t *to = at + first * pitch;
    const uint8_t *from = staged + first * repeatBytes;
    moveBlocks({to, stride, pitch, from, kBlockBytes, repeatBytes,
                static_cast<uint32_t>(whole), repeats});
    for (uint32_t r = 0; r < repeats && bytes % kBlockBytes; ++r)
      std::memcpy(to + r * pitch + whole * stride,
                  from + r * repeatBytes + whole * kBlockBytes,
                  bytes % kBlockBytes);
  }
  void copyOutMasked(const Lanes &mask, uint8_t *to, const uint8_t *from,
                     uint32_t count) const {
    const uint32_t bytes = bitsOf(port.type) / 8;
    if (port.operand.blockStride == 1 && (bytes == 2 || bytes == 4)) {
      const uint64_t bits[2] = {mask.low, mask.high};
      selectSpan(bytes, to, bits, from, to, count, 0);
      return;
    }
    const uint32_t perBlock = lanesPerBlock(port);
    for (uint32_t b = 0; b * perBlock < count; ++b) {
      const uint32_t first = b * perBlock;
      const uint64_t word = first < 64 ? mask.low : mask.high;
      const uint64_t bits = word >> (first % 64);
      uint8_t *out = to + b * stride;
      const uint8_t *in = from + b * kBlockBytes;
      if (bytes == 2 || bytes == 4) {
        selectSpan(bytes, out, &bits, in, out, perBlock, 0);
        continue;
      }
      for (uint32_t lane = 0; lane < perBlock; ++lane)
        if (bits >> lane & 1)
          std::memcpy(out + lane * bytes, in + lane * bytes, bytes);
    }
  }

  const Port &port;
  uint8_t *at;
  uint64_t pitch, stride, repeatBytes;
  alignas(64) uint8_t staged[kBatch * sim::kRepeatBytes + 64];
};

// May repeats be read before the ones in front of them are written? Operands
// are apart, or lane for lane the same and no repeat of them meets another.
bool mayBatch(const Lanes &lanes, uint32_t perRepeat, uint32_t active,
              const Port &dst, const Port &src0, const Port &src1) {
  // Few lanes of many: what is computed for nothing outweighs the calls.
  if (lanes.repeat == 1 || active * 2 <= perRepeat)
    return false;
  const uint64_t apart =
      uint64_t{blocksPerRepeat(dst, perRepeat) - 1} * dst.operand.blockStride;
  if (dst.operand.repeatStride <= apart)
    return false;
  const auto *begin = static_cast<const uint8_t *>(dst.operand.addr);
  const uint8_t *end = begin + extentOf(dst, lanes, perRepeat);
  for (const Port *port : {&dst, &src0, &src1}) {
    const auto *at = static_cast<const uint8_t *>(port->operand.addr);
    if (!at)
      continue;
    const uint64_t bytes = uint64_t{perRepeat} * bitsOf(port->type) / 8;
    if (bytes % kBlockBytes || bytes > sim::kRepeatBytes)
      return false;
    const bool same = at == begin && bitsOf(port->type) == bitsOf(dst.type) &&
                      port->operand.blockStride == dst.operand.blockStride &&
                      port->operand.repeatStride == dst.operand.repeatStride;
    if (!same && at < end && begin < at + extentOf(*port, lanes, perRepeat))
      return false;
  }
  return true;
}

} // namespace

// The number of elements if all operands are one dense span each, else 0.
static uint64_t denseCount(const Lanes &lanes, uint32_t perRepeat,
                           const Port &dst, const Port &src0,
                           const Port &src1) {
  const bool allLanes =
      lanes.counted || (lanes.isPrefix() && lanes.end() >= perRepeat);
  if (!allLanes || !isDense(dst, perRepeat) || !isDense(src0, perRepeat) ||
      !isDense(src1, perRepeat))
    return 0;
  return lanes.counted ? lanes.total : uint64_t{lanes.repeat} * perRepeat;
}

static sim::StripOperand stripOf(const Port &port) {
  if (!port.operand.addr)
    return {};
  return {static_cast<uint8_t *>(port.operand.addr), bitsOf(port.type)};
}

// Lanes of every repeat if they are the first ones and the same in each, else
// 0. A count with a tail has shorter ones at its end.
static uint32_t rowWidth(const Lanes &lanes, uint32_t perRepeat) {
  if (lanes.counted)
    return lanes.total == uint64_t{lanes.repeat} * perRepeat ? perRepeat : 0;
  return lanes.isPrefix() ? std::min(lanes.end(), perRepeat) : 0;
}

static bool deferDense(Core &core, SpanFn fn, const SpanParams &params,
                       uint64_t count, const Port &dst, const Port &src0,
                       const Port &src1, const void *mask) {
  sim::StripStep step;
  step.run = fn;
  step.params = params;
  step.count = count;
  step.dst = stripOf(dst);
  step.overwrites = !dst.read;
  step.src0 = stripOf(src0);
  step.src1 = stripOf(src1);
  if (mask)
    step.mask = {static_cast<uint8_t *>(const_cast<void *>(mask)), 1};
  return sim::stripsOf(core).take(core, step);
}

void settleFor(Core &core, const Lanes &lanes, uint32_t perRepeat,
               std::initializer_list<const Port *> ports) {
  for (const Port *port : ports)
    if (port->operand.addr)
      settleFor(core, port->operand.addr, extentOf(*port, lanes, perRepeat));
}

void settleFor(Core &core, const void *at, uint64_t bytes) {
  if (core.deferred)
    sim::stripsOf(core).settleFor(core, at, bytes);
}

void runOrDefer(Core &core, SpanFn fn, const SpanParams &params,
                const Lanes &lanes, uint32_t perRepeat, const Port &dst,
                const Port &src0, const Port &src1, const void *mask) {
  if (core.stripLength && !core.observer) {
    const uint64_t count = denseCount(lanes, perRepeat, dst, src0, src1);
    // On a list of rows, dense repeats may be rows as well.
    const bool byRows =
        !mask && (!count || (!lanes.counted &&
                             sim::stripsOf(core).rows() == lanes.repeat));
    const uint32_t width = byRows ? rowWidth(lanes, perRepeat) : 0;
    if (width && makesRows(width, dst, src0, src1) &&
        deferRows(core, rowSpan, rowsOf(fn, width, dst, src0, src1), params,
                  lanes.repeat, dst, src0, src1))
      return;
    if (!width && count &&
        deferDense(core, fn, params, count, dst, src0, src1, mask))
      return;
  }
  if (mask)
    core.settle();
  else
    settleFor(core, lanes, perRepeat, {&dst, &src0, &src1});
  runSpans(fn, params, lanes, perRepeat, dst, src0, src1);
}

// Repeats that go through a buffer: a bitmap, or blocks that lie apart.
static void runLanes(SpanFn fn, const SpanParams &params, const Lanes &lanes,
                     uint32_t perRepeat, const Port &dst, const Port &src0,
                     const Port &src1) {
  const uint32_t active =
      lanes.counted ? perRepeat : std::min(lanes.end(), perRepeat);
  const bool prefix = lanes.counted || lanes.isPrefix();
  const uint32_t atOnce =
      mayBatch(lanes, perRepeat, active, dst, src0, src1) ? kBatch : 1;
  Cursor d(dst, perRepeat), a(src0, perRepeat), b(src1, perRepeat);
  for (uint32_t first = 0; first < lanes.repeat; first += atOnce) {
    Batch batch{std::min(atOnce, lanes.repeat - first), perRepeat, active,
                active};
    if (lanes.counted)
      batch.last = static_cast<uint32_t>(std::min<uint64_t>(
          lanes.total - uint64_t{first + batch.repeats - 1} * perRepeat,
          perRepeat));
    uint8_t *in0 = a.lanes(batch), *in1 = b.lanes(batch);
    uint8_t *out = d.results(batch, prefix);
    fn(out, in0, in1, batch.span(), params);
    if (!prefix)
      d.copyOutMasked(lanes, batch);
    else if (out != d.direct())
      d.copyOut(batch);
    for (Cursor *each : {&d, &a, &b})
      each->advance(batch.repeats);
  }
}

void runSpans(SpanFn fn, const SpanParams &params, const Lanes &lanes,
              uint32_t perRepeat, const Port &dst, const Port &src0,
              const Port &src1) {
  if (lanes.empty())
    return;
  if (const uint64_t count = denseCount(lanes, perRepeat, dst, src0, src1))
    return fn(dst.operand.addr, src0.operand.addr, src1.operand.addr, count,
              params);
  const uint32_t width = rowWidth(lanes, perRepeat);
  if (!width || !makesRows(width, dst, src0, src1))
    return runLanes(fn, params, lanes, perRepeat, dst, src0, src1);
  const RowShape shape = rowsOf(fn, width, dst, src0, src1);
  SpanParams byRows = params;
  byRows.rows = &shape;
  rowSpan(dst.operand.addr, src0.operand.addr, src1.operand.addr, lanes.repeat,
          byRows);
}

bool saturates(const Core &core) {
  return !(core.regs.ctrl >> kKeepInfinityBit & 1);
}

SpanParams paramsOf(const Core &core) {
  SpanParams params;
  params.saturate = saturates(core);
  params.keepNaN = core.isOpen(Open::MAX_MIN_KEEPS_NAN);
  params.intWraps = core.isOpen(Open::INT_ARITHMETIC_WRAPS);
  params.nanToZero = core.isOpen(Open::NAN_TO_INT_IS_ZERO);
  params.flushSubnormals = core.family->flushSubnormals;
  return params;
}

} // namespace lossgrad::vector
