// Copies between global and on-chip memory and inside UB. Global memory is
// host memory; its bounds are guarded by the pages behind each allocation.
#include "lossgrad/sim/DataCopy.h"
#include "AtomicStore.h"
#include "Strips.h"
#include "sim/Core.h"
#include "sim/Launch.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace lossgrad::sim {

using AscendC::TPosition;
using targets::Api;

static bool isGlobal(TPosition position) {
  return position == TPosition::GM || position == TPosition::CO2;
}

static bool isUnifiedBuffer(TPosition position) {
  return position == TPosition::VECIN || position == TPosition::VECOUT ||
         position == TPosition::VECCALC;
}

// A cube core of a split product has no UB: copies from and to it do nothing.
static bool hasNoSuchMemory(const Core &core, const CopyInstr &in) {
  return core.type == CoreType::Cube &&
         (isUnifiedBuffer(in.dstPosition) || isUnifiedBuffer(in.srcPosition));
}

static pipe_t pipeOf(const CopyInstr &in) {
  if (isGlobal(in.srcPosition))
    return PIPE_MTE2;
  if (isUnifiedBuffer(in.srcPosition))
    return isUnifiedBuffer(in.dstPosition) ? PIPE_V : PIPE_MTE3;
  return PIPE_MTE1;
}

// Bytes from the first to past the last byte of a strided run of blocks.
static uint64_t extentOf(const CopyInstr &in, int64_t pitch) {
  return uint64_t(in.blockCount - 1) * pitch + in.blockBytes;
}

static void requireOnChip(Core &core, TPosition position, const void *addr,
                          uint64_t bytes, const char *operand) {
  if (isGlobal(position)) {
    if (LOSSGRAD_UNLIKELY(!addr))
      core.fail("%s is a null pointer in global memory", operand);
    return;
  }
  const Arena &arena = core.arenaOf(position);
  if (&arena == &core.ub) {
    core.requireAligned(addr, kBlockBytes, operand);
    core.requireLocal(addr, bytes, operand);
  } else if (LOSSGRAD_UNLIKELY(!arena.holds(addr, bytes))) {
    core.fail("%s lies outside of its %zu bytes of on-chip memory", operand,
              arena.bytes());
  }
}

static Region regionOf(const void *addr, const CopyInstr &in, int64_t pitch) {
  Region region;
  region.addr = addr;
  region.rowBytes = in.blockBytes;
  region.rows = in.blockCount;
  region.rowPitch = pitch;
  return region;
}

// Returns whether data is to be moved.
static bool announce(Core &core, const CopyInstr &in, Region read,
                     Region written, Padding padding = {}) {
  Footprint footprint;
  footprint.call = in.call;
  footprint.site = in.site;
  footprint.pipe = pipeOf(in);
  footprint.type = in.type;
  footprint.elements = in.blockCount * in.blockBytes / in.elementBytes;
  footprint.repeats = in.blockCount;
  footprint.flow = Flow::Bits;
  footprint.bypassL2 = in.bypassesL2;
  footprint.padding = padding;
  footprint.reads.push_back(read);
  footprint.writes.push_back(written);
  core.observer->instruction(core, footprint);
  return core.movesData ||
         !(isGlobal(in.srcPosition) || isGlobal(in.dstPosition));
}

// Only the target tables know which product moves which type.
static void requireType(Core &core, Api api, const CopyInstr &in) {
  if (in.type == DType::None || in.type == DType::Int4)
    core.require(api);
  else
    core.require(api, in.type);
}

static void requireBlocks(Core &core, const CopyInstr &in) {
  if (LOSSGRAD_UNLIKELY(in.blockCount > core.family->maxCopyBlocks))
    core.fail("blockCount is %u, at most %u are possible", in.blockCount,
              core.family->maxCopyBlocks);
}

static bool isOneRun(const CopyInstr &in) {
  return in.blockCount == 1 ||
         (in.dstPitch == int64_t(in.blockBytes) && in.srcPitch == in.dstPitch);
}

static void moveRows(const CopyInstr &in) {
  auto dst = static_cast<uint8_t *>(in.dst);
  auto src = static_cast<const uint8_t *>(in.src);
  if (isOneRun(in)) {
    std::memmove(dst, src, in.blockBytes * in.blockCount);
    return;
  }
  for (uint32_t i = 0; i < in.blockCount; ++i)
    std::memmove(dst + i * in.dstPitch, src + i * in.srcPitch, in.blockBytes);
}

// One run of bytes between global memory and UB or inside UB, put off.
static bool deferred(Core &core, const CopyInstr &in, uint64_t bytes) {
  const bool load = isGlobal(in.srcPosition), store = isGlobal(in.dstPosition);
  if (!core.stripLength || core.observer ||
      (store && core.regs.atomic != AtomicKind::None) ||
      !(load || isUnifiedBuffer(in.srcPosition)) ||
      !(store || isUnifiedBuffer(in.dstPosition)))
    return false;
  StripStep step;
  step.run = vector::copySpan(store && core.strips->streams(in.dst));
  step.params.scalar = in.elementBytes;
  step.count = bytes / in.elementBytes;
  step.dst = {static_cast<uint8_t *>(in.dst), in.elementBytes * 8};
  step.src0 = {static_cast<uint8_t *>(const_cast<void *>(in.src)),
               in.elementBytes * 8};
  step.kind = load    ? StripStep::Kind::Load
              : store ? StripStep::Kind::Store
                      : StripStep::Kind::Local;
  return core.strips->take(core, step);
}

static void storeRows(Core &core, const CopyInstr &in) {
  if (isOneRun(in) && deferred(core, in, in.blockBytes * in.blockCount))
    return;
  core.settle();
  if (isGlobal(in.dstPosition) && core.regs.atomic != AtomicKind::None) {
    for (uint32_t i = 0; i < in.blockCount; ++i)
      atomicStore(core, static_cast<uint8_t *>(in.dst) + i * in.dstPitch,
                  static_cast<const uint8_t *>(in.src) + i * in.srcPitch,
                  in.blockBytes);
    return;
  }
  moveRows(in);
}

static void checkAndMove(Core &core, const CopyInstr &in) {
  requireBlocks(core, in);
  requireOnChip(core, in.dstPosition, in.dst, extentOf(in, in.dstPitch), "dst");
  requireOnChip(core, in.srcPosition, in.src, extentOf(in, in.srcPitch), "src");
  if (LOSSGRAD_UNLIKELY(core.observer) &&
      !announce(core, in, regionOf(in.src, in, in.srcPitch),
                regionOf(in.dst, in, in.dstPitch)))
    return;
  storeRows(core, in);
}

void dataCopy(const CopyInstr &in) {
  Core &core = Core::enterDeferring(in.call, in.site);
  requireType(core, Api::DataCopy, in);
  if (in.blockCount == 0 || in.blockBytes == 0 || hasNoSuchMemory(core, in))
    return;
  checkAndMove(core, in);
}

void dataCopyCount(CopyInstr in) {
  Core &core = Core::enterDeferring(in.call, in.site);
  requireType(core, Api::DataCopy, in);
  if (hasNoSuchMemory(core, in))
    return;
  const uint64_t rounded = in.blockBytes / kBlockBytes * kBlockBytes;
  if (LOSSGRAD_UNLIKELY(rounded != in.blockBytes))
    core.warn("%llu bytes are not a multiple of 32: only the first %llu are "
              "copied",
              static_cast<unsigned long long>(in.blockBytes),
              static_cast<unsigned long long>(rounded));
  if (rounded == 0)
    return;
  in.blockBytes = rounded;
  in.srcPitch = in.dstPitch = int64_t(rounded);
  checkAndMove(core, in);
}

//===- DataCopyPad --------------------------------------------------------===//

constexpr uint64_t kMaxPadBlockBytes = 2097151;

static void requirePadBlock(Core &core, const CopyInstr &in) {
  requireBlocks(core, in);
  if (LOSSGRAD_UNLIKELY(in.blockBytes > kMaxPadBlockBytes))
    core.fail("blockLen is %llu bytes, at most %llu are possible",
              static_cast<unsigned long long>(in.blockBytes),
              static_cast<unsigned long long>(kMaxPadBlockBytes));
  if (LOSSGRAD_UNLIKELY(in.blockBytes % in.elementBytes))
    core.fail("blockLen is %llu bytes, it must be a multiple of the element "
              "size %u",
              static_cast<unsigned long long>(in.blockBytes), in.elementBytes);
}

static void fillElements(uint8_t *dst, uint64_t bytes, const void *element,
                         uint32_t elementBytes) {
  for (uint64_t i = 0; i + elementBytes <= bytes; i += elementBytes)
    std::memcpy(dst + i, element, elementBytes);
}

void setPadValue(Scalar value, Site site) {
  Core &core = Core::enterDeferring("SetPadValue", site);
  core.require(Api::SetPadValue);
  core.regs.padValue = value.bits;
  core.regs.padValueSet = true;
}

void dataCopyPadIn(const PadInstr &in) {
  const CopyInstr &copy = in.copy;
  Core &core = Core::enterDeferring(copy.call, copy.site);
  requireType(core, Api::DataCopyPad, copy);
  if (copy.blockCount == 0 || copy.blockBytes == 0 ||
      hasNoSuchMemory(core, copy))
    return;
  requirePadBlock(core, copy);
  if (in.leftBytes > kBlockBytes || in.rightBytes > kBlockBytes)
    core.fail("leftPadding and rightPadding are %u and %u bytes, each may be "
              "at most 32",
              in.leftBytes, in.rightBytes);
  if (in.isPad && copy.elementBytes == 8 && in.value.bits != 0)
    core.fail("paddingValue must be 0 for 64-bit types");
  // isPad only decides whether the register is written.
  if (in.isPad) {
    core.regs.padValue = in.value.bits;
    core.regs.padValueSet = true;
  }

  const bool padded = in.leftBytes || in.rightBytes;
  const uint64_t payload = in.leftBytes + copy.blockBytes + in.rightBytes;
  const uint64_t rowBytes =
      (payload + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  CopyInstr rows = copy;
  rows.blockBytes = rowBytes;
  rows.dstPitch = int64_t(rowBytes) + copy.dstPitch;
  requireOnChip(core, copy.dstPosition, copy.dst, extentOf(rows, rows.dstPitch),
                "dst");
  requireOnChip(core, copy.srcPosition, copy.src, copy.blockBytes, "src");
  if (LOSSGRAD_UNLIKELY(core.observer) &&
      !announce(core, copy, regionOf(copy.src, copy, copy.srcPitch),
                regionOf(copy.dst, rows, rows.dstPitch),
                {in.leftBytes, padded && !core.regs.padValueSet}))
    return;

  if (copy.blockCount == 1 && rowBytes == copy.blockBytes &&
      deferred(core, copy, rowBytes))
    return;
  core.settle();
  for (uint32_t i = 0; i < copy.blockCount; ++i) {
    uint8_t *dst = static_cast<uint8_t *>(copy.dst) + i * rows.dstPitch;
    auto src = static_cast<const uint8_t *>(copy.src) + i * copy.srcPitch;
    // Without padding the slack repeats the block's first element.
    const void *fill =
        padded ? static_cast<const void *>(&core.regs.padValue) : src;
    std::memcpy(dst + in.leftBytes, src, copy.blockBytes);
    fillElements(dst, in.leftBytes, fill, copy.elementBytes);
    const uint64_t end = in.leftBytes + copy.blockBytes;
    fillElements(dst + end, rowBytes - end, fill, copy.elementBytes);
  }
}

void dataCopyPadOut(const CopyInstr &in) {
  Core &core = Core::enterDeferring(in.call, in.site);
  requireType(core, Api::DataCopyPad, in);
  if (in.blockCount == 0 || in.blockBytes == 0 || hasNoSuchMemory(core, in))
    return;
  requirePadBlock(core, in);
  checkAndMove(core, in);
}

//===- Copy with a mask ---------------------------------------------------===//

static bool laneSelected(const Lanes &lanes, uint64_t lane) {
  return (lane < 64 ? lanes.low >> lane : lanes.high >> (lane - 64)) & 1;
}

// If the mask takes the first lanes and no others, how many; else nothing.
static std::optional<uint64_t> leadingLanes(const Lanes &lanes) {
  if (lanes.counted)
    return lanes.total;
  const bool full = lanes.low == ~0ull;
  const uint64_t mixed = full ? lanes.high : lanes.low;
  if ((mixed & (mixed + 1)) || (!full && lanes.high))
    return std::nullopt;
  const auto count = static_cast<uint64_t>(__builtin_popcountll(mixed));
  return full ? 64 + count : count;
}

// One repeat: the first `bytes`, block by block unless the blocks of both sides
// lie side by side.
static void copyLeading(uint8_t *dst, uint32_t dstStride, const uint8_t *src,
                        uint32_t srcStride, uint64_t bytes) {
  if (bytes <= kBlockBytes || (dstStride == 1 && srcStride == 1)) {
    std::memmove(dst, src, bytes);
    return;
  }
  for (uint64_t at = 0, block = 0; at < bytes; at += kBlockBytes, ++block)
    std::memmove(dst + block * dstStride * kBlockBytes,
                 src + block * srcStride * kBlockBytes,
                 std::min<uint64_t>(kBlockBytes, bytes - at));
}

static void copyLanes(const MaskCopyInstr &in, const Lanes &lanes) {
  const std::optional<uint64_t> leading = leadingLanes(lanes);
  const uint32_t perRepeat = kRepeatBytes / in.elementBytes;
  const uint32_t perBlock = kBlockBytes / in.elementBytes;
  for (uint32_t r = 0; r < in.select.repeat; ++r) {
    auto row = [&](const Operand &operand) {
      return static_cast<uint8_t *>(operand.addr) +
             uint64_t(r) * operand.repeatStride * kBlockBytes;
    };
    if (leading) {
      copyLeading(row(in.dst), in.dst.blockStride, row(in.src),
                  in.src.blockStride, *leading * in.elementBytes);
      continue;
    }
    for (uint64_t lane = 0; lane < perRepeat; ++lane) {
      if (!laneSelected(lanes, lane))
        continue;
      auto offset = [&](const Operand &operand) {
        return lane / perBlock * operand.blockStride * kBlockBytes +
               lane % perBlock * in.elementBytes;
      };
      std::memcpy(row(in.dst) + offset(in.dst), row(in.src) + offset(in.src),
                  in.elementBytes);
    }
  }
}

// The footprint of a Copy whose rows have `perRow` elements.
static void announceMaskCopy(Core &core, const MaskCopyInstr &in,
                             const Lanes &lanes, uint64_t perRow) {
  const uint32_t perRepeat = kRepeatBytes / in.elementBytes;
  const uint32_t perBlock = kBlockBytes / in.elementBytes;
  Footprint footprint;
  footprint.call = "Copy";
  footprint.flow = Flow::Moves;
  footprint.site = in.site;
  footprint.pipe = PIPE_V;
  footprint.type = in.type;
  footprint.repeats = in.select.repeat;
  footprint.elements = perRow * in.select.repeat;
  for (uint32_t r = 0; r < in.select.repeat; ++r) {
    // Behind the lanes of one repeat a long row goes on in its block stride.
    auto row = [&](Operand operand) {
      operand.addr = static_cast<uint8_t *>(operand.addr) +
                     uint64_t(r) * operand.repeatStride * kBlockBytes;
      operand.repeatStride = kBlocksPerRepeat * operand.blockStride;
      return operand;
    };
    Lanes one = lanes;
    one.repeat =
        lanes.counted
            ? static_cast<uint32_t>((perRow + perRepeat - 1) / perRepeat)
            : 1;
    addOperand(footprint.reads, row(in.src), one, in.elementBytes);
    addOperand(footprint.writes, row(in.dst), one, in.elementBytes);
  }
  footprint.moves = [&] {
    std::vector<Move> list;
    for (uint64_t i = 0; i < perRow * in.select.repeat; ++i) {
      const uint64_t lane = i % perRow;
      if (!lanes.counted && !laneSelected(lanes, lane))
        continue;
      auto at = [&](const Operand &operand) {
        return static_cast<const uint8_t *>(operand.addr) +
               (i / perRow * operand.repeatStride +
                lane / perBlock * operand.blockStride) *
                   kBlockBytes +
               lane % perBlock * in.elementBytes;
      };
      list.push_back({at(in.dst), at(in.src), in.elementBytes});
    }
    return list;
  };
  core.observer->instruction(core, footprint);
}

void maskCopy(const MaskCopyInstr &in) {
  Core &core = Core::enter("Copy", in.site);
  core.require(Api::Copy, in.type);
  const uint32_t perRepeat = kRepeatBytes / in.elementBytes;
  const uint32_t perBlock = kBlockBytes / in.elementBytes;
  // The general rule for masks, but counter mode counts per repeat here.
  Lanes lanes = core.resolve(in.select, perRepeat);
  const uint64_t perRow = core.regs.counterMode ? core.regs.maskLow : perRepeat;
  if (in.select.repeat == 0 || lanes.empty())
    return;
  if (lanes.counted) {
    lanes.total = perRow;
  } else {
    core.requireOperand(in.dst, lanes, in.elementBytes, "dst");
    core.requireOperand(in.src, lanes, in.elementBytes, "src");
  }
  const uint64_t blocks = (perRow + perBlock - 1) / perBlock;
  auto extent = [&](const Operand &operand) {
    return (in.select.repeat - 1) * uint64_t(operand.repeatStride) *
               kBlockBytes +
           (blocks - 1) * uint64_t(operand.blockStride) * kBlockBytes +
           (perRow - (blocks - 1) * perBlock) * in.elementBytes;
  };
  if (lanes.counted) {
    core.requireAligned(in.dst.addr, kBlockBytes, "dst");
    core.requireAligned(in.src.addr, kBlockBytes, "src");
    core.requireLocal(in.dst.addr, extent(in.dst), "dst");
    core.requireLocal(in.src.addr, extent(in.src), "src");
  }
  if (LOSSGRAD_UNLIKELY(core.observer))
    announceMaskCopy(core, in, lanes, perRow);
  copyLanes(in, lanes);
}

//===- Layout -------------------------------------------------------------===//

void nd2nz(const NzInstr &in) {
  const CopyInstr &ends = in.ends;
  Core &core = Core::enter("DataCopy (Nd2Nz)", ends.site);
  requireType(core, Api::DataCopy, ends);
  if (!in.matrices || !in.rows || !in.columns || hasNoSuchMemory(core, ends))
    return;
  const uint32_t size = ends.elementBytes;
  const uint64_t perBlock = kBlockBytes / size;
  const uint64_t columnBlocks = (in.columns + perBlock - 1) / perBlock;
  auto offset = [&](uint64_t m, uint64_t c, uint64_t n) {
    return m * in.dstMatrixStride * size +
           (c * in.dstColumnBlockStride + n * in.dstRowStride) * kBlockBytes;
  };
  requireOnChip(core, ends.dstPosition, ends.dst,
                offset(in.matrices - 1, columnBlocks - 1, in.rows - 1) +
                    kBlockBytes,
                "dst");
  if (LOSSGRAD_UNLIKELY(core.observer)) {
    CopyInstr whole = ends;
    whole.blockBytes = in.columns * size;
    whole.blockCount = in.rows;
    Region read = regionOf(ends.src, whole, in.srcRowStride * size);
    read.planes = in.matrices;
    read.planePitch = in.srcMatrixStride * size;
    Region written;
    written.addr = ends.dst;
    written.rowBytes = kBlockBytes;
    written.rows = in.rows;
    written.rowPitch = in.dstRowStride * kBlockBytes;
    written.planes = static_cast<uint32_t>(columnBlocks);
    written.planePitch = in.dstColumnBlockStride * kBlockBytes;
    if (!announce(core, whole, read, written))
      return;
  }
  for (uint64_t m = 0; m < in.matrices; ++m)
    for (uint64_t n = 0; n < in.rows; ++n) {
      auto row = static_cast<const uint8_t *>(ends.src) +
                 (m * in.srcMatrixStride + n * in.srcRowStride) * size;
      for (uint64_t c = 0; c < columnBlocks; ++c) {
        uint8_t *dst = static_cast<uint8_t *>(ends.dst) + offset(m, c, n);
        const uint64_t valid =
            std::min<uint64_t>(kBlockBytes, (in.columns - c * perBlock) * size);
        std::memcpy(dst, row + c * kBlockBytes, valid);
        std::memset(dst + valid, 0, kBlockBytes - valid);
      }
    }
}

//===- Global memory ------------------------------------------------------===//

void fillGlobal(void *dst, uint64_t count, DType type, uint32_t elementBytes,
                Scalar value, const char *call, Site site) {
  Core &core = Core::enter(call, site);
  core.require(Api::InitOutput);
  if (count == 0 || core.type == CoreType::Cube)
    return;
  if (!dst)
    core.fail("dst is a null pointer in global memory");
  if (LOSSGRAD_UNLIKELY(core.observer)) {
    Footprint footprint;
    footprint.call = call;
    footprint.site = site;
    footprint.pipe = PIPE_MTE3;
    footprint.type = type;
    footprint.elements = count;
    footprint.selfContained = true;
    Region region;
    region.addr = dst;
    region.rowBytes = count * elementBytes;
    footprint.writes.push_back(region);
    core.observer->instruction(core, footprint);
    if (!core.movesData)
      return;
  }
  fillElements(static_cast<uint8_t *>(dst), count * elementBytes, &value.bits,
               elementBytes);
}

// Null: the whole cache. Spinning on global memory goes with an invalidate, so
// let others run.
void dataCacheInvalidate(const void *addr, Site site) {
  Core &core = Core::enter("DataCacheCleanAndInvalid", site);
  core.require(Api::DataCacheCleanAndInvalid);
  if (LOSSGRAD_UNLIKELY(core.observer))
    core.observer->cacheFlushed(core, addr, site);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  core.launch->yield(core);
}

} // namespace lossgrad::sim
