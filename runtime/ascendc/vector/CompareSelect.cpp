// Compare and Select: bits out of values, values by bits. On the memory-based
// products Compare works on whole repeats: it ignores the mask, and a count
// that is no multiple of 256 bytes leaves the last bits unwritten; the others
// write whole repeats of bits, those of lanes that take no part as 0. Select
// modes 1 and 2 put a scalar or an address into scratch memory at the top of UB
// first, where a product has it there.
#include "Shape.h"

#include "ascendc/Strips.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstring>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::kRepeatBytes;

static const char *nameOf(AscendC::CMPMODE mode) {
  static const char *const names[] = {"LT", "GT", "EQ", "LE", "GE", "NE"};
  return names[static_cast<size_t>(mode)];
}

// int32 compares only for equality on some products; the tables list that as a
// call of its own.
static void requireCompare(Core &core, Api api, AscendC::CMPMODE mode,
                           DType type, bool countForm) {
  if (type == DType::Int32 &&
      core.family->takes(Api::CompareEqual, targets::Dtype::Int32) &&
      !core.family->takes(api, targets::Dtype::Int32)) {
    if (mode != AscendC::CMPMODE::EQ)
      core.fail("int32_t compares only with EQ on %s (%s), not with %s",
                core.family->title, core.soc->name, nameOf(mode));
    return;
  }
  requireType(core, api, type, countForm);
}

namespace {

constexpr uint32_t kLeastLanes = 64;

struct CompareShape {
  Lanes lanes; // full repeats of both sources
  uint32_t perRepeat;
  uint64_t bitBytes;  // bytes of dst per repeat
  uint32_t tail = 0;  // elements behind the full repeats that count, too
  uint64_t tailBytes; // bytes of dst that they fill
  // Lanes of each repeat whose result counts; the bits of the others are 0.
  uint64_t kept[2] = {~0ull, ~0ull};

  uint64_t dstBytes() const {
    return bitBytes * lanes.repeat + (tail ? tailBytes : 0);
  }
  Lanes sources() const {
    Lanes all = lanes;
    all.total += tail;
    all.repeat += (tail + perRepeat - 1) / perRepeat;
    return all;
  }
  bool keepsAll() const { return kept[0] == ~0ull && kept[1] == ~0ull; }
  void clearOthers(void *bits) const {
    const auto *keep = reinterpret_cast<const uint8_t *>(kept);
    auto *out = static_cast<uint8_t *>(bits);
    for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat)
      for (uint64_t i = 0; i < bitBytes; ++i)
        *out++ &= keep[i];
  }
};

// What takes part: whole repeats whatever the mask says, unless the product
// honours it.
CompareShape shapeOf(Core &core, const Selection &select, DType type) {
  CompareShape shape;
  shape.perRepeat = kRepeatBytes / bytesOf(type);
  shape.bitBytes = shape.tailBytes = shape.perRepeat / 8;
  uint64_t repeat = select.repeat;
  if (select.kind == Selection::Kind::Count) {
    if (select.low == 0 && !core.family->zeroCountIsNoop)
      core.warn("count is 0, which %s leaves undefined; guard the call",
                core.family->title);
    // Registers hold the bits of 64 lanes at least.
    const uint32_t step = core.family->compareCountsTail
                              ? std::max(shape.perRepeat, kLeastLanes)
                              : shape.perRepeat;
    repeat = select.low / step * (step / shape.perRepeat);
    const auto rest = static_cast<uint32_t>(select.low % step);
    if (core.family->compareCountsTail) {
      shape.tail = rest;
      shape.tailBytes = step / 8;
    } else if (rest) {
      core.warn("count %" PRIu64 " is no multiple of %u (256 bytes): the last "
                "%u elements are not compared and their bits stay as they are",
                select.low, shape.perRepeat, rest);
    }
  } else {
    const Lanes masked = core.resolve(select, shape.perRepeat);
    repeat = masked.repeat; // also follows counter mode
    if (core.family->compareHonoursMask && !masked.counted) {
      shape.kept[0] = masked.low;
      shape.kept[1] = shape.perRepeat > 64 ? masked.high : ~0ull;
    }
  }
  shape.lanes.counted = true;
  shape.lanes.total = repeat * shape.perRepeat;
  shape.lanes.repeat = static_cast<uint32_t>(repeat);
  return shape;
}

// Compares whole repeats.
void compareAll(Core &core, SpanFn fn, const SpanParams &params,
                const CompareShape &shape, void *dst, const Port &src0,
                const Port &src1) {
  auto dense = [](const Port &port) {
    return !port.operand.addr ||
           (port.operand.blockStride == 1 && port.operand.repeatStride == 8);
  };
  if (dense(src0) && dense(src1)) {
    sim::StripStep step;
    step.run = fn;
    step.params = params;
    step.count = shape.lanes.total;
    step.dst = {static_cast<uint8_t *>(dst), 1};
    step.src0 = {static_cast<uint8_t *>(src0.operand.addr), bitsOf(src0.type)};
    if (src1.operand.addr)
      step.src1 = {static_cast<uint8_t *>(src1.operand.addr),
                   bitsOf(src1.type)};
    if (sim::stripsOf(core).take(core, step))
      return;
    return fn(dst, src0.operand.addr, src1.operand.addr, shape.lanes.total,
              params);
  }
  core.settle();
  // The destination is dense bits, which runSpans cannot stride: gather the
  // sources of each repeat instead.
  alignas(32) uint8_t a[kRepeatBytes], b[kRepeatBytes];
  auto gather = [](uint8_t *out, const Port &port, uint32_t repeat) {
    if (!port.operand.addr)
      return;
    for (uint32_t block = 0; block < sim::kBlocksPerRepeat; ++block)
      std::memcpy(out + block * kBlockBytes,
                  static_cast<const uint8_t *>(port.operand.addr) +
                      (uint64_t{repeat} * port.operand.repeatStride +
                       uint64_t{block} * port.operand.blockStride) *
                          kBlockBytes,
                  kBlockBytes);
  };
  for (uint32_t repeat = 0; repeat < shape.lanes.repeat; ++repeat) {
    gather(a, src0, repeat);
    gather(b, src1, repeat);
    fn(static_cast<uint8_t *>(dst) + repeat * shape.bitBytes, a, b,
       shape.perRepeat, params);
  }
}

// What is left behind the full repeats of a count form.
void compareTail(SpanFn fn, const SpanParams &params, const CompareShape &shape,
                 void *dst, const Port &src0, const Port &src1) {
  constexpr uint32_t kMost = kLeastLanes * sizeof(uint64_t);
  alignas(32) uint8_t a[kMost] = {}, b[kMost] = {};
  uint8_t bits[kRepeatBytes / 8] = {};
  const auto lanes = static_cast<uint32_t>(shape.tailBytes * 8);
  const uint32_t bytes = bytesOf(src0.type);
  auto load = [&](uint8_t *out, const Port &port) {
    if (port.operand.addr)
      std::memcpy(out,
                  static_cast<const uint8_t *>(port.operand.addr) +
                      shape.lanes.total * bytes,
                  uint64_t{shape.tail} * bytes);
  };
  load(a, src0);
  load(b, src1);
  fn(bits, a, b, lanes, params);
  for (uint32_t lane = shape.tail; lane < lanes; ++lane)
    bits[lane / 8] &= static_cast<uint8_t>(~(1u << (lane % 8)));
  std::memcpy(static_cast<uint8_t *>(dst) + shape.bitBytes * shape.lanes.repeat,
              bits, shape.tailBytes);
}

void runCompare(Core &core, SpanFn fn, const SpanParams &params, DType type,
                const CompareShape &shape, void *dst, const Port &src0,
                const Port &src1) {
  const Lanes sources = shape.sources();
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireLocal(dst, shape.dstBytes(), "dst");
  checkPort(core, src0, sources, shape.perRepeat);
  if (src1.operand.addr)
    checkPort(core, src1, sources, shape.perRepeat);
  if (sources.repeat == 0)
    return;
  if (core.observer) {
    std::vector<sim::Region> reads;
    addRegions(reads, src0, sources, shape.perRepeat);
    addRegions(reads, src1, sources, shape.perRepeat);
    announce(core, std::move(reads), {{dst, shape.dstBytes(), 1, 0, 1, 0}},
             type, sources.total, sources.repeat);
  }
  if (shape.lanes.repeat)
    compareAll(core, fn, params, shape, dst, src0, src1);
  if (shape.tail) {
    core.settle();
    compareTail(fn, params, shape, dst, src0, src1);
  }
  if (shape.keepsAll())
    return;
  core.settle();
  shape.clearOthers(dst);
}

} // namespace

void compare(AscendC::CMPMODE mode, DType type, const BinaryInstr &instr,
             bool toRegister) {
  Core &core = toRegister ? Core::enter("Compare", instr.site)
                          : Core::enterDeferring("Compare", instr.site);
  requireCompare(core, toRegister ? Api::CompareRegister : Api::Compare, mode,
                 type, instr.select.kind == Selection::Kind::Count);
  const SpanFn fn = compareSpan(static_cast<CompareMode>(mode), type, false);
  if (!fn)
    core.fail("%s of this type is not modelled for %s", nameOf(mode),
              core.family->title);
  const Port src0{instr.src0, type, "src0"}, src1{instr.src1, type, "src1"};
  const CompareShape shape = shapeOf(core, instr.select, type);
  if (!toRegister)
    return runCompare(core, fn, SpanParams(), type, shape, instr.dst.addr, src0,
                      src1);
  CompareShape one = shape;
  one.lanes.repeat = 1;
  one.lanes.total = one.perRepeat;
  checkPort(core, src0, one.lanes, one.perRepeat);
  checkPort(core, src1, one.lanes, one.perRepeat);
  const Port ports[] = {src0, src1};
  announce(core, ports, 2, one.lanes, one.perRepeat, type);
  uint64_t bits[2] = {0, 0};
  fn(bits, src0.operand.addr, src1.operand.addr, one.perRepeat, SpanParams());
  one.clearOthers(bits);
  core.regs.cmpMaskLow = bits[0];
  if (one.perRepeat > 64)
    core.regs.cmpMaskHigh = bits[1];
}

void compareScalar(AscendC::CMPMODE mode, DType type,
                   const ScalarInstr &instr) {
  Core &core = Core::enterDeferring("CompareScalar", instr.site);
  requireCompare(core, Api::CompareScalar, mode, type,
                 instr.select.kind == Selection::Kind::Count);
  const SpanFn fn = compareSpan(static_cast<CompareMode>(mode), type, true);
  if (!fn)
    core.fail("%s of this type is not modelled for %s", nameOf(mode),
              core.family->title);
  SpanParams params;
  params.scalar = instr.scalar.bits;
  runCompare(core, fn, params, type, shapeOf(core, instr.select, type),
             instr.dst.addr, {instr.src, type, "src0"}, Port());
}

void getCmpMask(void *dst, Site site) {
  Core &core = Core::enter("GetCmpMask", site);
  core.requireAligned(dst, 16, "dst");
  core.requireLocal(dst, 16, "dst");
  announce(core, {}, {{dst, 16, 1, 0, 1, 0}}, DType::UInt8, 16, 1);
  std::memcpy(dst, &core.regs.cmpMaskLow, 8);
  std::memcpy(static_cast<uint8_t *>(dst) + 8, &core.regs.cmpMaskHigh, 8);
}

void setCmpMask(const void *src, Site site) {
  Core &core = Core::enter("SetCmpMask", site);
  core.requireAligned(src, 16, "src");
  core.requireLocal(src, 16, "src");
  announce(core, {{src, 16, 1, 0, 1, 0}}, {}, DType::UInt8, 16, 1);
  std::memcpy(&core.regs.cmpMaskLow, src, 8);
  std::memcpy(&core.regs.cmpMaskHigh, static_cast<const uint8_t *>(src) + 8, 8);
}

//===- Select -------------------------------------------------------------===//

namespace {

using AscendC::SELMODE;

// The address that CMPMASK holds for the register form of mode 2: a host
// pointer, or its low half as a device kernel would store it.
const void *maskAddressInRegister(Core &core) {
  const auto full = reinterpret_cast<const void *>(core.regs.cmpMaskLow);
  if (core.ub.holds(full, 1))
    return full;
  const auto base = reinterpret_cast<uint64_t>(core.ub.begin());
  const uint64_t low = core.regs.cmpMaskLow & 0xffffffffu;
  const auto half =
      reinterpret_cast<const void *>((base & ~0xffffffffull) | low);
  if (core.ub.holds(half, 1))
    return half;
  core.fail("CMPMASK does not hold the address of a tensor in UB "
            "(0x%" PRIx64 ")",
            core.regs.cmpMaskLow);
}

struct Bits {
  const uint8_t *from;
  uint64_t perRepeat; // bytes to advance per repeat
};

void runSelect(Core &core, const Lanes &lanes, uint32_t perRepeat, DType type,
               Bits bits, const Port &dst, const Port &src0, const Port &src1,
               uint64_t scalar) {
  const SpanFn fn = selectSpan(bytesOf(type));
  SpanParams params;
  params.scalar = scalar;
  params.mask = bits.from;
  if (bits.perRepeat != 0 && lanes.counted && dst.operand.repeatStride == 8 &&
      src0.operand.repeatStride == 8 && dst.operand.blockStride == 1 &&
      src0.operand.blockStride == 1 &&
      (!src1.operand.addr ||
       (src1.operand.repeatStride == 8 && src1.operand.blockStride == 1)))
    return runOrDefer(core, fn, params, lanes, perRepeat, dst, src0, src1,
                      bits.from);
  core.settle();
  Lanes one = lanes;
  one.repeat = 1;
  Port d = dst, a = src0, b = src1;
  auto step = [](Port &port) {
    if (port.operand.addr)
      port.operand.addr = static_cast<uint8_t *>(port.operand.addr) +
                          uint64_t{port.operand.repeatStride} * kBlockBytes;
  };
  for (uint32_t repeat = 0; repeat < lanes.repeat; ++repeat) {
    if (lanes.counted)
      one.total = std::min<uint64_t>(perRepeat, lanes.total - uint64_t{repeat} *
                                                                  perRepeat);
    runSpans(fn, params, one, perRepeat, d, a, b);
    params.mask = static_cast<const uint8_t *>(params.mask) + bits.perRepeat;
    step(d);
    step(a);
    step(b);
  }
}

// Which source each active lane takes. `bits` may be a copy of a register; in
// UB the mask is at `mask`, or nowhere.
std::vector<sim::Move> selectMoves(const Lanes &lanes, uint32_t perRepeat,
                                   Bits bits, const void *mask,
                                   std::array<Operand, 3> operands,
                                   uint32_t bytes) {
  std::vector<sim::Move> list;
  const uint32_t perBlock = kBlockBytes / bytes;
  const uint64_t count =
      lanes.counted ? lanes.total : uint64_t{lanes.repeat} * perRepeat;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t repeat = i / perRepeat;
    const auto lane = static_cast<uint32_t>(i % perRepeat);
    if (!lanes.counted && !lanes.has(lane))
      continue;
    auto at = [&](const Operand &operand) -> const uint8_t * {
      if (!operand.addr)
        return nullptr;
      return static_cast<const uint8_t *>(operand.addr) +
             (repeat * operand.repeatStride +
              uint64_t{lane / perBlock} * operand.blockStride) *
                 kBlockBytes +
             uint64_t{lane % perBlock} * bytes;
    };
    const uint64_t byte = repeat * bits.perRepeat + lane / 8;
    const auto bit = static_cast<uint8_t>(1u << (lane % 8));
    sim::Move move{at(operands[0]), at(operands[bits.from[byte] & bit ? 1 : 2]),
                   bytes};
    if (mask) {
      move.by = static_cast<const uint8_t *>(mask) + byte;
      move.byBytes = 1;
      move.byBits = bit;
    }
    list.push_back(move);
  }
  return list;
}

} // namespace

void select(SELMODE mode, SelectForm form, DType type,
            const SelectInstr &instr) {
  // Only mode 0 reads the mask here.
  Core &core = mode == SELMODE::VSEL_CMPMASK_SPR
                   ? Core::enter("Select", instr.site)
                   : Core::enterDeferring("Select", instr.site);
  const bool scalarForm =
      form == SelectForm::Scalar || form == SelectForm::RegisterScalar;
  if (scalarForm && mode != SELMODE::VSEL_TENSOR_SCALAR_MODE)
    core.fail("a scalar operand needs VSEL_TENSOR_SCALAR_MODE");
  if (!scalarForm && mode == SELMODE::VSEL_TENSOR_SCALAR_MODE)
    core.fail("VSEL_TENSOR_SCALAR_MODE needs a scalar as src1");
  requireType(core,
              mode == SELMODE::VSEL_CMPMASK_SPR          ? Api::Select
              : mode == SELMODE::VSEL_TENSOR_SCALAR_MODE ? Api::SelectScalar
                                                         : Api::SelectTensor,
              type, instr.select.kind == Selection::Kind::Count);
  const uint32_t perRepeat = kRepeatBytes / bytesOf(type);
  const Lanes lanes = core.resolve(instr.select, perRepeat);
  const Port dst{instr.dst, type, "dst", true, false};
  const Port src0{instr.src0, type, "src0"}, src1{instr.src1, type, "src1"};
  checkPort(core, dst, lanes, perRepeat);
  checkPort(core, src0, lanes, perRepeat);
  if (!scalarForm)
    checkPort(core, src1, lanes, perRepeat);
  if (lanes.empty())
    return;

  const uint64_t bytesPerRepeat = perRepeat / 8;
  const bool fromRegister =
      form == SelectForm::Register || mode == SELMODE::VSEL_CMPMASK_SPR;
  uint64_t registerBits[2];
  Bits bits{static_cast<const uint8_t *>(instr.mask), bytesPerRepeat};
  uint64_t maskBytes = 0; // read from UB
  if (mode == SELMODE::VSEL_CMPMASK_SPR) {
    if (form == SelectForm::Tensor) {
      maskBytes = 16;
      core.requireAligned(instr.mask, kBlockBytes, "selMask");
      core.requireLocal(instr.mask, maskBytes, "selMask");
      std::memcpy(&core.regs.cmpMaskLow, instr.mask, 8);
      std::memcpy(&core.regs.cmpMaskHigh,
                  static_cast<const uint8_t *>(instr.mask) + 8, 8);
    }
    registerBits[0] = core.regs.cmpMaskLow;
    registerBits[1] = core.regs.cmpMaskHigh;
    bits = {reinterpret_cast<const uint8_t *>(registerBits), 0};
  } else {
    if (fromRegister)
      bits.from = static_cast<const uint8_t *>(maskAddressInRegister(core));
    maskBytes =
        lanes.counted ? (lanes.total + 7) / 8 : bytesPerRepeat * lanes.repeat;
    core.requireAligned(bits.from, kBlockBytes, "selMask");
    core.requireLocal(bits.from, maskBytes, "selMask");
  }

  uint64_t scalar = instr.scalar.bits;
  const bool usesScratch =
      mode != SELMODE::VSEL_CMPMASK_SPR && !fromRegister &&
      form != SelectForm::RegisterScalar &&
      core.family->usesScratch(scalarForm ? Api::SelectScalar
                                          : Api::SelectTensor);
  if (form == SelectForm::RegisterScalar) {
    scalar = core.regs.cmpMaskLow;
  } else if (usesScratch) {
    // The library fills a block of scratch and loads CMPMASK from it.
    claimScratch(core, 0, kBlockBytes);
    uint64_t filled[2];
    if (scalarForm)
      fillSpan(bytesOf(type), filled, sizeof filled / bytesOf(type), scalar);
    else
      fillSpan(4, filled, sizeof filled / 4,
               static_cast<uint32_t>(reinterpret_cast<uint64_t>(instr.mask)));
    core.regs.cmpMaskLow = filled[0];
    core.regs.cmpMaskHigh = filled[1];
  }
  if (core.observer) {
    std::vector<sim::Region> reads, writes;
    const void *mask = !maskBytes                   ? nullptr
                       : form == SelectForm::Tensor ? instr.mask
                                                    : bits.from;
    if (mask)
      addDense(reads, mask, maskBytes);
    addRegions(reads, src0, lanes, perRepeat);
    addRegions(reads, src1, lanes, perRepeat);
    addRegions(writes, dst, lanes, perRepeat);
    auto moves = [&] {
      return selectMoves(lanes, perRepeat, bits, mask,
                         {instr.dst, instr.src0, instr.src1}, bytesOf(type));
    };
    Traits traits = movesAs(moves, sim::Decider::Selection);
    traits.usesScratch = usesScratch;
    announce(core, std::move(reads), std::move(writes), type, lanes.elements(),
             lanes.repeat, traits);
  }
  runSelect(core, lanes, perRepeat, type, bits, dst, src0, src1, scalar);
}

} // namespace lossgrad::vector
