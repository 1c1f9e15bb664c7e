// Gather, Gatherb, Scatter (moves by byte offsets, every offset checked against
// UB) and GatherMask (compaction).
#include "Shape.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::kRepeatBytes;
using sim::Region;

namespace {

// The largest byte offset among `count`; the check then is one compare.
uint32_t largest(const uint32_t *offsets, size_t count) {
  uint32_t top = 0;
  for (size_t i = 0; i < count; ++i)
    top = std::max(top, offsets[i]);
  return top;
}

[[noreturn]] void failOffset(Core &core, const uint32_t *offsets, size_t count,
                             const uint8_t *table, uint32_t bytes) {
  for (size_t i = 0; i < count; ++i)
    if (!core.ub.holds(table + offsets[i], bytes))
      core.fail(
          "offset %u of element %zu leads to UB byte %" PRIu64 ", UB has %zu",
          offsets[i], i, core.localOffset(table + offsets[i]), core.ub.bytes());
  core.fail("an offset leads outside UB");
}

template <typename T>
void gatherSpan(void *dst, const void *offsets, const void *, size_t count,
                const SpanParams &params) {
  const auto *table = reinterpret_cast<const uint8_t *>(params.scalar);
  const auto *at = static_cast<const uint32_t *>(offsets);
  auto *out = static_cast<T *>(dst);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(out + i, table + at[i], sizeof(T));
}

template <typename T>
void scatterTo(uint8_t *table, const uint32_t *at, const void *src,
               size_t count) {
  const auto *in = static_cast<const T *>(src);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(table + at[i], in + i, sizeof(T));
}

bool isActive(const Lanes &lanes, uint64_t lane) {
  return lanes.counted || lanes.has(lane);
}

// Elements of one repeat that may take part: all lanes of a mask.
uint64_t offsetCount(const Lanes &lanes, uint32_t perRepeat) {
  return lanes.counted ? lanes.total : uint64_t{lanes.repeat} * perRepeat;
}

// The footprint of a Gather: the offsets and what each of them leads to.
[[gnu::noinline]] void announceGather(Core &core, DType type,
                                      const GatherInstr &instr,
                                      const Lanes &lanes, const Port &source,
                                      const uint8_t *table) {
  const uint32_t bytes = bytesOf(type), perRepeat = kRepeatBytes / bytes;
  const auto *offsets = static_cast<const uint32_t *>(instr.offsets);
  std::vector<Region> reads, writes;
  addRegions(reads, source, lanes, perRepeat);
  addRegions(writes, {instr.dst, type, "dst", true, false}, lanes, perRepeat);
  // Calls visit(offset, place of the result) per active element.
  auto each = [&](auto &&visit) {
    const uint64_t count = offsetCount(lanes, perRepeat);
    for (uint64_t i = 0; i < count; ++i)
      if (isActive(lanes, i % perRepeat))
        visit(offsets + i,
              static_cast<uint8_t *>(instr.dst.addr) +
                  i / perRepeat * instr.dst.repeatStride * kBlockBytes +
                  i % perRepeat * bytes);
  };
  uint64_t active = 0;
  each([&](const uint32_t *offset, const uint8_t *) {
    reads.push_back({table + *offset, bytes, 1, 0, 1, 0, 1});
    ++active;
  });
  auto moves = [&] {
    std::vector<sim::Move> list;
    each([&](const uint32_t *offset, const uint8_t *to) {
      list.push_back({to, table + *offset, bytes, offset, 4});
    });
    return list;
  };
  Traits traits = movesAs(moves, sim::Decider::Index);
  traits.table = instr.table;
  announce(core, std::move(reads), std::move(writes), type, active,
           lanes.repeat, traits);
}

} // namespace

void gather(DType type, const GatherInstr &instr) {
  Core &core = Core::enter("Gather", instr.site);
  requireType(core, Api::Gather, type, false);
  const uint32_t bytes = bytesOf(type), perRepeat = kRepeatBytes / bytes;
  const Lanes lanes = core.resolve(instr.select, perRepeat);
  const Port dst{instr.dst, type, "dst", true, false};
  checkPort(core, dst, lanes, perRepeat);
  core.requireAligned(instr.table, kBlockBytes, "src");
  core.requireAligned(instr.offsets, kBlockBytes, "srcOffset");
  if (lanes.empty())
    return;
  const auto *offsets = static_cast<const uint32_t *>(instr.offsets);
  auto *table =
      static_cast<uint8_t *>(const_cast<void *>(instr.table)) + instr.base;
  // Offsets of lanes that a bitmap switches off are neither read nor checked
  // on the device; they are read here only where the mask is a prefix.
  const Port source{
      {const_cast<uint32_t *>(offsets), 1, perRepeat * 4 / kBlockBytes},
      DType::UInt32,
      "srcOffset"};
  const uint64_t extent = extentOf(source, lanes, perRepeat);
  core.requireLocal(offsets, extent, "srcOffset");
  if (core.observer)
    announceGather(core, type, instr, lanes, source, table);
  SpanParams params;
  params.scalar = reinterpret_cast<uint64_t>(table);
  const SpanFn fn = bytes == 2 ? gatherSpan<uint16_t> : gatherSpan<uint32_t>;
  if (lanes.counted) {
    if (!core.ub.holds(table, uint64_t{largest(offsets, lanes.total)} + bytes))
      failOffset(core, offsets, lanes.total, table, bytes);
    return runSpans(fn, params, lanes, perRepeat, dst, source, Port());
  }
  // Masked: lane by lane, so that switched-off offsets are not followed.
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat)
    for (uint32_t lane = 0; lane < perRepeat; ++lane) {
      if (!isActive(lanes, lane))
        continue;
      const uint64_t index = uint64_t{repeat} * perRepeat + lane;
      if (!core.ub.holds(table + offsets[index], bytes))
        failOffset(core, offsets + index, 1, table, bytes);
      std::memcpy(static_cast<uint8_t *>(instr.dst.addr) +
                      uint64_t{repeat} * instr.dst.repeatStride * kBlockBytes +
                      lane * bytes,
                  table + offsets[index], bytes);
    }
}

void scatter(DType type, const GatherInstr &instr) {
  Core &core = Core::enter("Scatter", instr.site);
  requireType(core, Api::Scatter, type, false);
  const uint32_t bytes = bytesOf(type), perRepeat = kRepeatBytes / bytes;
  const Lanes lanes = core.resolve(instr.select, perRepeat);
  const Port src{instr.dst, type, "src"};
  checkPort(core, src, lanes, perRepeat);
  core.requireAligned(instr.offsets, kBlockBytes, "dstOffset");
  if (lanes.empty())
    return;
  const auto *offsets = static_cast<const uint32_t *>(instr.offsets);
  auto *table =
      static_cast<uint8_t *>(const_cast<void *>(instr.table)) + instr.base;
  const Port index{
      {const_cast<uint32_t *>(offsets), 1, perRepeat * 4 / kBlockBytes},
      DType::UInt32,
      "dstOffset"};
  core.requireLocal(offsets, extentOf(index, lanes, perRepeat), "dstOffset");
  const uint64_t count = offsetCount(lanes, perRepeat);
  std::vector<Region> writes;
  for (uint64_t i = 0; i < count; ++i) {
    const auto lane = static_cast<uint32_t>(i % perRepeat);
    if (!isActive(lanes, lane))
      continue;
    if (!core.ub.holds(table + offsets[i], bytes))
      failOffset(core, offsets + i, 1, table, bytes);
    if (core.observer)
      writes.push_back({table + offsets[i], bytes, 1, 0, 1, 0});
  }
  auto sourceOf = [&](uint64_t i) {
    return static_cast<const uint8_t *>(instr.dst.addr) +
           i / perRepeat * instr.dst.repeatStride * kBlockBytes +
           i % perRepeat * bytes;
  };
  if (core.observer) {
    std::vector<Region> reads;
    addRegions(reads, src, lanes, perRepeat);
    addRegions(reads, index, lanes, perRepeat);
    auto moves = [&] {
      std::vector<sim::Move> list;
      for (uint64_t i = 0; i < count; ++i)
        if (isActive(lanes, i % perRepeat))
          list.push_back(
              {table + offsets[i], sourceOf(i), bytes, offsets + i, 4});
      return list;
    };
    announce(core, std::move(reads), std::move(writes), type, count,
             lanes.repeat, movesAs(moves, sim::Decider::Index));
  }
  for (uint64_t i = 0; i < count; ++i) {
    const auto lane = static_cast<uint32_t>(i % perRepeat);
    if (!isActive(lanes, lane))
      continue;
    const uint8_t *from = sourceOf(i);
    if (bytes == 2)
      scatterTo<uint16_t>(table, offsets + i, from, 1);
    else
      scatterTo<uint32_t>(table, offsets + i, from, 1);
  }
}

void gatherBlocks(DType type, void *dst, const void *src, const void *offsets,
                  uint32_t repeat, uint32_t blockStride, uint32_t repeatStride,
                  Site site) {
  Core &core = Core::enter("Gatherb", site);
  requireType(core, Api::Gatherb, type, false);
  if (repeat > core.family->maxRepeat)
    core.fail("repeat is %u, at most %u are possible", repeat,
              core.family->maxRepeat);
  const uint32_t blocks = sim::kBlocksPerRepeat;
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireAligned(src, kBlockBytes, "src");
  core.requireAligned(offsets, kBlockBytes, "offset");
  core.regs.maskLow = core.regs.maskHigh = ~0ull;
  if (repeat == 0)
    return;
  if (blockStride == 0)
    core.fail("block stride of dst is 0, the result would be undefined");
  core.requireLocal(offsets, uint64_t{repeat} * blocks * 4, "offset");
  core.requireLocal(dst,
                    (uint64_t{repeat - 1} * repeatStride +
                     uint64_t{blocks - 1} * blockStride + 1) *
                        kBlockBytes,
                    "dst");
  const auto *at = static_cast<const uint32_t *>(offsets);
  const auto *table = static_cast<const uint8_t *>(src);
  for (uint32_t i = 0; i < repeat * blocks; ++i) {
    if (!core.ub.holds(table + at[i], kBlockBytes))
      failOffset(core, at + i, 1, table, kBlockBytes);
    core.requireAligned(table + at[i], kBlockBytes, "a gathered block");
  }
  auto resultOf = [&](uint32_t i) {
    return static_cast<uint8_t *>(dst) + (uint64_t{i / blocks} * repeatStride +
                                          uint64_t{i % blocks} * blockStride) *
                                             kBlockBytes;
  };
  if (core.observer) {
    std::vector<Region> reads{
        {offsets, uint64_t{repeat} * blocks * 4, 1, 0, 1, 0}};
    for (uint32_t i = 0; i < repeat * blocks; ++i)
      reads.push_back({table + at[i], kBlockBytes, 1, 0, 1, 0, 1});
    auto moves = [&] {
      std::vector<sim::Move> list;
      for (uint32_t i = 0; i < repeat * blocks; ++i)
        list.push_back({resultOf(i), table + at[i], kBlockBytes, at + i, 4});
      return list;
    };
    announce(core, std::move(reads),
             {{dst, kBlockBytes, blocks, int64_t{blockStride} * kBlockBytes,
               repeat, int64_t{repeatStride} * kBlockBytes}},
             type, uint64_t{repeat} * kRepeatBytes / bytesOf(type), repeat,
             movesAs(moves, sim::Decider::Index));
  }
  for (uint32_t i = 0; i < repeat * blocks; ++i)
    std::memcpy(resultOf(i), table + at[i], kBlockBytes);
}

//===- GatherMask ---------------------------------------------------------===//

namespace {

// 1 and 2: every second lane; 3 to 6: every fourth; 7: all.
bool builtinKeeps(uint32_t pattern, uint64_t lane) {
  if (pattern <= 2)
    return lane % 2 == pattern - 1;
  return pattern == 7 || lane % 4 == pattern - 3;
}

// `source` yields the address of an element of the current repeat.
template <typename T> class Compactor {
public:
  Compactor(const GatherMaskInstr &instr, uint64_t perRepeat)
      : instr(instr), perRepeat(perRepeat) {}

  uint64_t run(uint32_t repeats) {
    for (uint32_t repeat = 0; repeat < repeats; ++repeat)
      compact(repeat);
    return kept;
  }

private:
  void compact(uint32_t repeat) {
    const auto *base =
        static_cast<const uint8_t *>(instr.src) +
        uint64_t{repeat} * instr.params.src0RepeatStride * kBlockBytes;
    const auto *bits =
        instr.pattern
            ? static_cast<const uint8_t *>(instr.pattern) +
                  uint64_t{repeat} * instr.params.src1RepeatStride * kBlockBytes
            : nullptr;
    constexpr uint32_t perBlock = kBlockBytes / sizeof(T);
    auto *out = static_cast<T *>(instr.dst);
    for (uint64_t lane = 0; lane < perRepeat; ++lane) {
      if (!(bits ? bits[lane / 8] >> (lane % 8) & 1
                 : builtinKeeps(instr.builtin, lane)))
        continue;
      T value;
      std::memcpy(
          &value,
          base + lane / perBlock * instr.params.src0BlockStride * kBlockBytes +
              lane % perBlock * sizeof(T),
          sizeof value);
      out[kept++] = value;
    }
  }
  const GatherMaskInstr &instr;
  uint64_t perRepeat;
  uint64_t kept = 0;
};

uint64_t keptPerRepeat(const GatherMaskInstr &instr, uint32_t repeat,
                       uint64_t lanes) {
  uint64_t kept = 0;
  const auto *bits =
      static_cast<const uint8_t *>(instr.pattern) +
      uint64_t{repeat} * instr.params.src1RepeatStride * kBlockBytes;
  for (uint64_t lane = 0; lane < lanes; ++lane)
    kept += instr.pattern ? bits[lane / 8] >> (lane % 8) & 1
                          : builtinKeeps(instr.builtin, lane);
  return kept;
}

// The elements that one repeat keeps, behind those that are listed already. An
// element that is left out is listed without bytes, for the sake of its bit.
void addKept(std::vector<sim::Move> &list, const GatherMaskInstr &instr,
             uint32_t repeat, uint64_t lanes, uint32_t bytes) {
  const uint32_t perBlock = kBlockBytes / bytes;
  uint64_t kept = 0;
  for (const sim::Move &move : list)
    kept += move.bytes != 0;
  const auto *base =
      static_cast<const uint8_t *>(instr.src) +
      uint64_t{repeat} * instr.params.src0RepeatStride * kBlockBytes;
  for (uint64_t lane = 0; lane < lanes; ++lane) {
    sim::Move move;
    bool keeps = !instr.pattern && builtinKeeps(instr.builtin, lane);
    if (instr.pattern) {
      const auto *bits =
          static_cast<const uint8_t *>(instr.pattern) +
          uint64_t{repeat} * instr.params.src1RepeatStride * kBlockBytes;
      move.by = bits + lane / 8;
      move.byBytes = 1;
      move.byBits = static_cast<uint8_t>(1u << (lane % 8));
      keeps = bits[lane / 8] & move.byBits;
    }
    if (keeps) {
      move.to = static_cast<uint8_t *>(instr.dst) + kept++ * bytes;
      move.from = base +
                  lane / perBlock * instr.params.src0BlockStride * kBlockBytes +
                  lane % perBlock * bytes;
      move.bytes = bytes;
    }
    list.push_back(move);
  }
}

struct Compaction {
  uint64_t perRepeat;
  uint32_t repeats;
  uint64_t reach; // bytes of src that one repeat reads
  uint64_t kept;
};

[[gnu::noinline]] void announceGatherMask(Core &core, DType type,
                                          const GatherMaskInstr &instr,
                                          const Compaction &shape) {
  const uint32_t bytes = bytesOf(type);
  std::vector<Region> reads{
      {instr.src, shape.reach, shape.repeats,
       int64_t{instr.params.src0RepeatStride} * kBlockBytes, 1, 0}};
  if (instr.pattern)
    reads.push_back({instr.pattern, (shape.perRepeat + 7) / 8, shape.repeats,
                     int64_t{instr.params.src1RepeatStride} * kBlockBytes, 1, 0,
                     1});
  auto moves = [&] {
    std::vector<sim::Move> list;
    for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat)
      addKept(list, instr, repeat, shape.perRepeat, bytes);
    return list;
  };
  Traits traits = movesAs(moves, sim::Decider::Keeping);
  traits.selfContained = true; // rsvdCnt is a scalar
  announce(core, std::move(reads),
           {{instr.dst, shape.kept * bytes, 1, 0, 1, 0}}, type,
           shape.perRepeat * shape.repeats, shape.repeats, traits);
}

} // namespace

uint64_t gatherMask(DType type, const GatherMaskInstr &instr) {
  Core &core = Core::enter("GatherMask", instr.site);
  requireType(core, Api::GatherMask, type, false);
  const uint32_t patterns = core.family->gatherMaskAll ? 7 : 6;
  if (!instr.pattern && (instr.builtin < 1 || instr.builtin > patterns))
    core.fail("pattern is %u, built-in patterns of %s are 1 to %u",
              instr.builtin, core.family->title, patterns);
  const uint32_t bytes = bytesOf(type);
  const bool total = instr.reduceMode && core.family->gatherMaskTotal;
  const uint64_t perRepeat =
      instr.reduceMode ? instr.mask : kRepeatBytes / bytes;
  const uint32_t repeats = total ? 1 : instr.params.repeatTimes;
  core.requireAligned(instr.dst, kBlockBytes, "dst");
  core.requireAligned(instr.src, kBlockBytes, "src0");
  if (instr.pattern)
    core.requireAligned(instr.pattern, kBlockBytes, "src1Pattern");
  core.regs.counterMode = false;
  core.regs.maskLow = instr.mask;
  core.regs.maskHigh = 0;
  if (repeats == 0 || perRepeat == 0)
    return core.regs.keptCount = 0;

  const uint32_t perBlock = kBlockBytes / bytes;
  const uint64_t lastBlock = (perRepeat - 1) / perBlock;
  const uint64_t reach =
      lastBlock * instr.params.src0BlockStride * kBlockBytes +
      (perRepeat - lastBlock * perBlock) * bytes;
  const uint64_t last = uint64_t{repeats - 1};
  core.requireLocal(instr.src,
                    last * instr.params.src0RepeatStride * kBlockBytes + reach,
                    "src0");
  if (instr.pattern)
    core.requireLocal(instr.pattern,
                      last * instr.params.src1RepeatStride * kBlockBytes +
                          (perRepeat + 7) / 8,
                      "src1Pattern");
  uint64_t kept = 0;
  for (uint32_t repeat = 0; repeat < repeats; ++repeat)
    kept += keptPerRepeat(instr, repeat, perRepeat);
  core.requireLocal(instr.dst, kept * bytes, "dst");
  if (core.observer)
    announceGatherMask(core, type, instr, {perRepeat, repeats, reach, kept});
  if (bytes == 2)
    Compactor<uint16_t>(instr, perRepeat).run(repeats);
  else
    Compactor<uint32_t>(instr, perRepeat).run(repeats);
  return core.regs.keptCount = kept;
}

int64_t gatherMaskRemainCount(Site site) {
  Core &core = Core::enter("GetGatherMaskRemainCount", site);
  return static_cast<int64_t>(core.regs.keptCount);
}

} // namespace lossgrad::vector
