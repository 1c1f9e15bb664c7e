// Brcb, CreateVecIndex and ArithProgression. The sequences are built as the
// vendor's code builds them: a first block, then Adds from block to block and
// from repeat to repeat, so that floating sequences round where the device's
// do.
#include "Shape.h"

#include "ascendc/Strips.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::kRepeatBytes;
using sim::Region;

void brcb(DType type, void *dst, const void *src, uint32_t repeat,
          uint32_t blockStride, uint32_t repeatStride, Site site) {
  Core &core = Core::enterDeferring("Brcb", site);
  requireType(core, Api::Brcb, type, false);
  if (repeat > core.family->maxRepeat)
    core.fail("repeat is %u, at most %u are possible", repeat,
              core.family->maxRepeat);
  const uint32_t bytes = bytesOf(type), perRepeat = sim::kBlocksPerRepeat;
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireAligned(src, kBlockBytes, "src");
  core.regs.maskLow = core.regs.maskHigh = ~0ull;
  if (repeat == 0)
    return;
  if (blockStride == 0) {
    core.warn("block stride of dst is 0, which is undefined; 1 is taken");
    blockStride = 1;
  }
  core.requireLocal(src, uint64_t{perRepeat} * repeat * bytes, "src");
  core.requireLocal(dst,
                    (uint64_t{repeat - 1} * repeatStride +
                     uint64_t{perRepeat - 1} * blockStride + 1) *
                        kBlockBytes,
                    "dst");
  // Where it is made of other instructions, dense results go through two
  // blocks of 1 KiB, one per element width.
  const bool scratch = core.family->usesScratch(Api::Brcb) && blockStride == 1;
  if (scratch)
    claimScratch(core, bytes == 2 ? 1024 : 0, 1024);
  if (core.observer)
    announce(core, {{src, uint64_t{perRepeat} * repeat * bytes, 1, 0, 1, 0}},
             {{dst, kBlockBytes, perRepeat, int64_t{blockStride} * kBlockBytes,
               repeat, int64_t{repeatStride} * kBlockBytes}},
             type, uint64_t{perRepeat} * repeat, repeat,
             {sim::Flow::Groups, 1, scratch});
  const SpanFn run = spreadSpan(bytes);
  const uint64_t count = uint64_t{perRepeat} * repeat;
  auto *to = static_cast<uint8_t *>(dst);
  auto *from = static_cast<uint8_t *>(const_cast<void *>(src));
  if (blockStride == 1 && repeatStride == perRepeat) {
    sim::StripStep step;
    step.run = run;
    step.count = count;
    step.dst = {to, kBlockBytes * 8};
    step.src0 = {from, bytes * 8};
    if (sim::stripsOf(core).take(core, step))
      return;
    return run(to, from, nullptr, count, SpanParams());
  }
  core.settle();
  for (uint64_t i = 0; i < count; ++i)
    run(to + (i / perRepeat * repeatStride + i % perRepeat * blockStride) *
                 kBlockBytes,
        from + i * bytes, nullptr, 1, SpanParams());
}

//===- sequences ----------------------------------------------------------===//

namespace {

double valueOf(DType type, uint64_t bits) {
  switch (type) {
  case DType::Half:
    return sim::floatOfHalfBits(static_cast<uint16_t>(bits));
  case DType::Float:
    return sim::floatOfBits(static_cast<uint32_t>(bits));
  case DType::Int16:
    return static_cast<int16_t>(bits);
  default:
    return static_cast<int32_t>(bits);
  }
}

// Floating values are computed in float and rounded once; integers are exact.
uint64_t bitsOfValue(DType type, double value) {
  switch (type) {
  case DType::Half:
    return sim::halfBitsOfFloat(static_cast<float>(value));
  case DType::Float:
    return sim::bitsOfFloat(static_cast<float>(value));
  case DType::Int16:
    return static_cast<uint16_t>(static_cast<int64_t>(value));
  default:
    return static_cast<uint32_t>(static_cast<int64_t>(value));
  }
}

void setElement(DType type, void *dst, uint64_t index, uint64_t bits) {
  std::memcpy(static_cast<uint8_t *>(dst) + index * bytesOf(type), &bits,
              bytesOf(type));
}

bool isFloating(DType type) {
  return type == DType::Half || type == DType::Float;
}

class Sequence {
public:
  Sequence(const Core &core, DType type, double diff)
      : type(type), diff(diff), adds(scalarSpan(ScalarOp::Adds, type, type)),
        params(paramsOf(core)) {}

  // first, first + diff, ... of one block.
  void firstBlock(void *dst, double first, uint32_t count) const {
    for (uint32_t i = 0; i < count; ++i) {
      const double value =
          isFloating(type) ? static_cast<float>(first) +
                                 static_cast<float>(static_cast<float>(diff) *
                                                    static_cast<float>(i))
                           : first + diff * i;
      setElement(type, dst, i, bitsOfValue(type, value));
    }
  }
  // dst[i] = src[i] + diff * distance.
  void shift(void *dst, const void *src, uint32_t count,
             uint32_t distance) const {
    SpanParams p = params;
    p.scalar = bitsOfValue(type, diff * distance);
    adds(dst, src, nullptr, count, p);
  }

private:
  DType type;
  double diff;
  SpanFn adds;
  SpanParams params;
};

// `count` elements, dense: block by block, then repeat by repeat.
void buildDense(const Sequence &sequence, DType type, void *dst, double first,
                uint64_t count) {
  const uint32_t perBlock = kBlockBytes / bytesOf(type);
  const uint32_t perRepeat = kRepeatBytes / bytesOf(type);
  auto at = [&](uint64_t index) {
    return static_cast<uint8_t *>(dst) + index * bytesOf(type);
  };
  sequence.firstBlock(
      dst, first, static_cast<uint32_t>(std::min<uint64_t>(count, perBlock)));
  for (uint64_t i = perBlock; i < std::min<uint64_t>(count, perRepeat);
       i += perBlock)
    sequence.shift(
        at(i), at(i - perBlock),
        static_cast<uint32_t>(std::min<uint64_t>(perBlock, count - i)),
        perBlock);
  for (uint64_t i = perRepeat; i < count; i += perRepeat)
    sequence.shift(
        at(i), at(i - perRepeat),
        static_cast<uint32_t>(std::min<uint64_t>(perRepeat, count - i)),
        perRepeat);
}

void setPrefixMask(Core &core, uint64_t lanes) {
  const sim::LaneMask mask = sim::LaneMask::first(lanes);
  core.regs.maskLow = mask.low;
  core.regs.maskHigh = mask.high;
}

} // namespace

void createIndex(DType type, const FillInstr &instr) {
  Core &core = Core::enter("CreateVecIndex", instr.site);
  requireType(core, Api::CreateVecIndex, type, false);
  const uint32_t perRepeat = kRepeatBytes / bytesOf(type);
  const bool counted = instr.select.kind == Selection::Kind::Count;
  const Lanes lanes = core.resolve(instr.select, perRepeat);
  Port dst{instr.dst, type, "dst", true, false};
  checkPort(core, dst, lanes, perRepeat);
  announce(core, &dst, 1, lanes, perRepeat, type);
  const double first = valueOf(type, instr.scalar.bits);
  const Sequence sequence(core, type, 1);
  if (lanes.counted && counted)
    return buildDense(sequence, type, instr.dst.addr, first, lanes.total);
  // Repeat r continues where repeat r - 1 would have ended without a mask.
  alignas(32) uint8_t rows[2][kRepeatBytes];
  buildDense(sequence, type, rows[0], first, perRepeat);
  Lanes one = lanes;
  one.repeat = 1;
  SpanFn copy = [](void *d, const void *s, const void *, size_t count,
                   const SpanParams &p) {
    std::memcpy(d, s, count * p.scalar);
  };
  SpanParams params;
  params.scalar = bytesOf(type);
  for (uint32_t r = 0; r < lanes.repeat; ++r) {
    Port row{{rows[r % 2], 1, 8}, type, "", false, true};
    if (lanes.counted)
      one.total =
          std::min<uint64_t>(perRepeat, lanes.total - uint64_t{r} * perRepeat);
    runSpans(copy, params, one, perRepeat, dst, row, Port());
    sequence.shift(rows[(r + 1) % 2], rows[r % 2], perRepeat, perRepeat);
    dst.operand.addr = static_cast<uint8_t *>(dst.operand.addr) +
                       uint64_t{instr.dst.repeatStride} * kBlockBytes;
  }
}

void arithProgression(DType type, void *dst, Scalar first, Scalar diff,
                      int64_t count, Site site) {
  Core &core = Core::enter("ArithProgression", site);
  requireType(core, Api::ArithProgression, type, false);
  if (count < 0)
    core.fail("count is %lld, it must not be negative",
              static_cast<long long>(count));
  const uint32_t perBlock = kBlockBytes / bytesOf(type);
  const uint32_t perRepeat = kRepeatBytes / bytesOf(type);
  const auto elements = static_cast<uint64_t>(count);
  // A single block is written by scalars, exactly; more are written whole.
  const uint64_t written =
      elements <= perBlock ? elements
                           : (elements + perBlock - 1) / perBlock * perBlock;
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireLocal(dst, written * bytesOf(type), "dst");
  if (core.observer)
    announce(core, {}, {{dst, written * bytesOf(type), 1, 0, 1, 0}}, type,
             elements,
             static_cast<uint32_t>((elements + perRepeat - 1) / perRepeat));
  buildDense(Sequence(core, type, valueOf(type, diff.bits)), type, dst,
             valueOf(type, first.bits), written);
  if (elements > perRepeat) {
    const uint64_t tail = written % perRepeat;
    setPrefixMask(core, tail ? tail : 128);
  } else if (elements > perBlock) {
    setPrefixMask(core, perBlock);
  }
}

} // namespace lossgrad::vector
