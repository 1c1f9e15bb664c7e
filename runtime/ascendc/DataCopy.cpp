// Copies between global and on-chip memory and inside UB. Global memory is
// host memory; its bounds are guarded by the pages behind each allocation.
#include "lossgrad/sim/DataCopy.h"
#include "AtomicStore.h"
#include "Strips.h"
#include "sim/Core.h"
#include "sim/Launch.h"
#include "vector/Rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

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

// A copy between global memory and UB or inside UB that may be put off.
static bool mayDefer(const Core &core, const CopyInstr &in) {
  const bool store = isGlobal(in.dstPosition);
  return core.stripLength && !core.observer &&
         !(store && core.regs.atomic != AtomicKind::None) &&
         (isGlobal(in.srcPosition) || isUnifiedBuffer(in.srcPosition)) &&
         (store || isUnifiedBuffer(in.dstPosition));
}

static StripStep stepOf(Core &core, const CopyInstr &in) {
  const bool load = isGlobal(in.srcPosition), store = isGlobal(in.dstPosition);
  StripStep step;
  step.streams = store && stripsOf(core).streams(in.dst);
  step.run = vector::copySpan(step.streams);
  step.params.scalar = in.elementBytes;
  step.dst = {static_cast<uint8_t *>(in.dst), in.elementBytes * 8};
  step.src0 = {static_cast<uint8_t *>(const_cast<void *>(in.src)),
               in.elementBytes * 8};
  step.kind = load    ? StripStep::Kind::Load
              : store ? StripStep::Kind::Store
                      : StripStep::Kind::Local;
  step.src0.ahead = load;
  return step;
}

// One run of bytes.
static bool deferred(Core &core, const CopyInstr &in, uint64_t bytes) {
  if (!mayDefer(core, in))
    return false;
  StripStep step = stepOf(core, in);
  step.count = bytes / in.elementBytes;
  return stripsOf(core).take(core, step);
}

// Rows whose distance in UB is whole blocks; each writes `written` bytes. A
// null `run` copies them.
static bool deferredRows(Core &core, const CopyInstr &in, uint64_t written,
                         vector::SpanFn run = nullptr) {
  constexpr int64_t kFar = 1 << 28; // distances are kept in 32 bits
  const int64_t local = isGlobal(in.dstPosition) ? in.srcPitch : in.dstPitch;
  if (!mayDefer(core, in) || in.srcPitch < 0 || in.dstPitch < 0 ||
      in.srcPitch > kFar || in.dstPitch > kFar || local % kBlockBytes ||
      in.blockBytes % in.elementBytes)
    return false;
  StripStep step = stepOf(core, in);
  const uint32_t bits = in.elementBytes * 8;
  step.rows.lanes = step.run;
  step.rows.width = static_cast<uint32_t>(in.blockBytes / in.elementBytes);
  step.rows.dst = {static_cast<uint32_t>(in.dstPitch), bits};
  step.rows.src0 = {static_cast<uint32_t>(in.srcPitch), bits};
  step.rowElements = static_cast<uint32_t>(local / in.elementBytes);
  step.run = run ? run : vector::rowSpan;
  step.count = in.blockCount;
  step.dst.bits = step.rows.dst.pitch * 8;
  step.dst.reach = static_cast<uint32_t>(written);
  step.src0.bits = step.rows.src0.pitch * 8;
  step.src0.reach = static_cast<uint32_t>(in.blockBytes);
  return step.rowElements && stripsOf(core).take(core, step);
}

// Before a copy that is executed at once and writes so many bytes.
static void settleForCopy(Core &core, const CopyInstr &in, uint64_t written) {
  if (!core.deferred)
    return;
  if (isGlobal(in.dstPosition))
    return core.settle(); // what UB shows of it stays what it was
  Strips &strips = stripsOf(core);
  strips.settleFor(core, in.dst, written);
  if (!isGlobal(in.srcPosition))
    strips.settleFor(core, in.src, extentOf(in, in.srcPitch));
}

static void storeRows(Core &core, const CopyInstr &in) {
  if (isOneRun(in) ? deferred(core, in, in.blockBytes * in.blockCount)
                   : deferredRows(core, in, in.blockBytes))
    return;
  settleForCopy(core, in, extentOf(in, in.dstPitch));
  if (isGlobal(in.dstPosition) && core.regs.atomic != AtomicKind::None) {
    for (uint32_t i = 0; i < in.blockCount; ++i)
      atomicStore(core, static_cast<uint8_t *>(in.dst) + i * in.dstPitch,
                  static_cast<const uint8_t *>(in.src) + i * in.srcPitch,
                  in.blockBytes);
    return;
  }
  moveRows(in);
}

// A core that loads the same bytes again and again, and looks at them each
// time, waits for another one to write them: let that one run.
static void notePolling(Core &core, const CopyInstr &in) {
  constexpr uint32_t kPolls = 64, kLook = 64; // one in kLook may end in failure
  Core::Polling &polling = core.polling;
  const bool again = isGlobal(in.srcPosition) && polling.address == in.src &&
                     polling.site.line == in.site.line &&
                     polling.site.file == in.site.file && polling.looked &&
                     (polling.times == 0 || polling.into[0] == in.dst ||
                      polling.into[1] == in.dst);
  if (!again) {
    polling = {isGlobal(in.srcPosition) ? in.src : nullptr, in.site, 0,
               {in.dst}, extentOf(in, in.dstPitch)};
    return;
  }
  polling.looked = false;
  polling.into[1] = std::exchange(polling.into[0], in.dst);
  if (++polling.times < kPolls)
    return;
  if (polling.times == kPolls)
    core.warn("loads the same global memory %u times in a row: the core waits "
              "for another one by polling, which nothing orders on the device; "
              "use SyncAll or flags between cores",
              kPolls);
  if (polling.times % kLook)
    core.launch->yield(core);
  else if (!core.launch->poll(core))
    core.fail("polls global memory in vain: every other core has ended or "
              "waits, too");
}

static void checkAndMove(Core &core, const CopyInstr &in) {
  requireBlocks(core, in);
  notePolling(core, in);
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

// Gaps between blocks. In global memory a block may lie behind the start of the
// one before it, if the product's strides are signed, but not in front of it.
static void requireGaps(Core &core, const CopyInstr &in, int64_t globalPitch,
                        int64_t localGap) {
  constexpr int64_t kMaxLocalGap = 65535,
                    kMaxGlobalGap = (int64_t{1} << 40) - 1;
  if (in.blockCount < 2)
    return;
  const int64_t length = static_cast<int64_t>(in.blockBytes);
  if (LOSSGRAD_UNLIKELY(globalPitch < 0 ||
                        globalPitch - length > kMaxGlobalGap))
    core.fail("the stride in global memory is %lld bytes, it must be within "
              "[-%lld, %lld]",
              static_cast<long long>(globalPitch - length),
              static_cast<long long>(length),
              static_cast<long long>(kMaxGlobalGap));
  if (LOSSGRAD_UNLIKELY(localGap < 0 || localGap > kMaxLocalGap * kBlockBytes))
    core.fail("the stride in UB is %lld blocks, it must be within [0, %lld]",
              static_cast<long long>(localGap / kBlockBytes),
              static_cast<long long>(kMaxLocalGap));
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

// Rows of a load without padding: the slack behind a row up to the next block
// repeats the row's first element.
static void slackRows(void *dst, const void *src, const void *, size_t count,
                      const vector::SpanParams &params) {
  const vector::RowShape &shape = *params.rows;
  auto *to = static_cast<uint8_t *>(dst);
  const auto *from = static_cast<const uint8_t *>(src);
  const auto bytes = static_cast<uint32_t>(shape.width * params.scalar);
  for (size_t row = 0; row < count; ++row) {
    shape.lanes(to, from, nullptr, shape.width, params);
    fillElements(to + bytes, (kBlockBytes - bytes % kBlockBytes) % kBlockBytes,
                 from, static_cast<uint32_t>(params.scalar));
    to += shape.dst.pitch;
    from += shape.src0.pitch;
  }
}

static void slackSpan(void *dst, const void *, const void *, size_t count,
                      const vector::SpanParams &params) {
  const uint32_t bytes = params.rows->dst.bits / 8;
  fillElements(static_cast<uint8_t *>(dst), count * bytes, &params.scalar,
               bytes);
}

// A load without padding: one run, one row with its slack, or rows.
static bool loadDeferred(Core &core, const CopyInstr &rows, uint64_t rowBytes) {
  if (rowBytes == rows.blockBytes && isOneRun(rows))
    return deferred(core, rows, rowBytes * rows.blockCount);
  if (rows.blockCount > 1)
    return deferredRows(core, rows, rowBytes, slackRows);
  if (!deferred(core, rows, rows.blockBytes))
    return false;
  // No store waits behind a load: global memory is up to date.
  StripStep step;
  step.run = slackSpan;
  std::memcpy(&step.params.scalar, rows.src, rows.elementBytes);
  step.rows.dst.bits = rows.elementBytes * 8;
  step.count = (rowBytes - rows.blockBytes) / rows.elementBytes;
  step.dst = {static_cast<uint8_t *>(rows.dst) + rows.blockBytes,
              rows.elementBytes * 8};
  if (!stripsOf(core).take(core, step)) {
    step.params.rows = &step.rows;
    slackSpan(step.dst.at, nullptr, nullptr, step.count, step.params);
  }
  return true;
}

void dataCopyPadIn(const PadInstr &in) {
  const CopyInstr &copy = in.copy;
  Core &core = Core::enterDeferring(copy.call, copy.site);
  requireType(core, Api::DataCopyPad, copy);
  if (copy.blockCount == 0 || copy.blockBytes == 0 ||
      hasNoSuchMemory(core, copy))
    return;
  requirePadBlock(core, copy);
  requireGaps(core, copy, copy.srcPitch, copy.dstPitch);
  notePolling(core, copy);
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

  rows.blockBytes = copy.blockBytes;
  if (!padded && loadDeferred(core, rows, rowBytes))
    return;
  settleForCopy(core, copy, extentOf(rows, rows.dstPitch) + rowBytes);
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
  requireGaps(core, in, in.dstPitch,
              in.srcPitch -
                  static_cast<int64_t>((in.blockBytes + kBlockBytes - 1) /
                                       kBlockBytes * kBlockBytes));
  checkAndMove(core, in);
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
