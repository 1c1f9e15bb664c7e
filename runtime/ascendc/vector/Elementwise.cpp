// The elementwise instructions: what each is called, which row of the product
// tables it answers to, its footprint and its execution. The arithmetic itself
// is in simd/.
#include "Shape.h"

#include <algorithm>

namespace lossgrad::vector {

namespace {

struct Named {
  const char *call;
  Api api;
};

// In the order of BinaryOp, UnaryOp and ScalarOp.
constexpr Named kBinary[] = {{"Add", Api::Add},
                             {"Sub", Api::Sub},
                             {"Mul", Api::Mul},
                             {"Div", Api::Div},
                             {"Max", Api::Max},
                             {"Min", Api::Min},
                             {"And", Api::And},
                             {"Or", Api::Or},
                             {"AddRelu", Api::AddRelu},
                             {"SubRelu", Api::SubRelu},
                             {"MulAddDst", Api::MulAddDst},
                             {"FusedMulAdd", Api::FusedMulAdd},
                             {"FusedMulAddRelu", Api::FusedMulAddRelu}};
constexpr Named kUnary[] = {
    {"Exp", Api::Exp},   {"Ln", Api::Ln},       {"Abs", Api::Abs},
    {"Sqrt", Api::Sqrt}, {"Rsqrt", Api::Rsqrt}, {"Reciprocal", Api::Reciprocal},
    {"Relu", Api::Relu}, {"Not", Api::Not}};
constexpr Named kScalar[] = {{"Adds", Api::Adds},
                             {"Muls", Api::Muls},
                             {"Maxs", Api::Maxs},
                             {"Mins", Api::Mins},
                             {"LeakyRelu", Api::LeakyRelu},
                             {"ShiftLeft", Api::ShiftLeft},
                             {"ShiftRight", Api::ShiftRight},
                             {"Axpy", Api::Axpy}};

bool isMulAdd(BinaryOp op) {
  return op == BinaryOp::MulAddDst || op == BinaryOp::FusedMulAdd ||
         op == BinaryOp::FusedMulAddRelu;
}

bool isCount(const Selection &select) {
  return select.kind == Selection::Kind::Count;
}

// Count forms are dense whatever the widths; their strides follow the type.
Port portOf(const Operand &operand, DType type, const char *name, bool counted,
            uint32_t perRepeat) {
  Port port{operand, type, name};
  if (counted) {
    port.operand.blockStride = 1;
    port.operand.repeatStride =
        std::max<uint32_t>(1, perRepeat * bitsOf(type) / 8 / sim::kBlockBytes);
  }
  return port;
}

uint32_t lanesOf(DType dst, DType src) {
  return sim::kRepeatBytes * 8 / std::max(bitsOf(dst), bitsOf(src));
}

// Operands of different widths must not share bytes where an element would be
// overwritten before it is read. Two dense forms are in order: narrowing from
// the same start, and widening from the end of the destination, which vendor
// kernels use to load 16-bit data into the upper half of a float buffer.
void checkOverlap(Core &core, const Port &dst, const Port &src,
                  const Lanes &lanes, uint32_t perRepeat) {
  if (bitsOf(dst.type) == bitsOf(src.type) || !src.operand.addr)
    return;
  const uint64_t dstBytes = extentOf(dst, lanes, perRepeat);
  const uint64_t srcBytes = extentOf(src, lanes, perRepeat);
  const auto *d = static_cast<const uint8_t *>(dst.operand.addr);
  const auto *s = static_cast<const uint8_t *>(src.operand.addr);
  const bool apart = d + dstBytes <= s || s + srcBytes <= d;
  const bool narrowing = d == s && bitsOf(dst.type) < bitsOf(src.type);
  const bool widening = lanes.counted && dst.operand.blockStride == 1 &&
                        src.operand.blockStride == 1 &&
                        bitsOf(dst.type) > bitsOf(src.type) &&
                        d + dstBytes <= s + srcBytes;
  if (apart || narrowing || widening)
    return;
  core.fail("%s (UB [%llu, %llu)) overlaps %s (UB [%llu, %llu)) and their "
            "element sizes differ",
            dst.name, static_cast<unsigned long long>(core.localOffset(d)),
            static_cast<unsigned long long>(core.localOffset(d) + dstBytes),
            src.name, static_cast<unsigned long long>(core.localOffset(s)),
            static_cast<unsigned long long>(core.localOffset(s) + srcBytes));
}

// What some instructions are besides elementwise.
enum class Kind { Plain, Bitwise, Scratch };

// Checks, announces and executes: the common course of all of them.
void issue(Core &core, SpanFn fn, const SpanParams &params,
           const Selection &select, uint32_t perRepeat, const Port &dst,
           const Port &src0, const Port &src1, Kind kind = Kind::Plain) {
  const Lanes lanes = core.resolve(select, perRepeat);
  const Port ports[] = {dst, src0, src1};
  for (const Port &port : ports)
    if (port.name[0])
      checkPort(core, port, lanes, perRepeat);
  if (!lanes.counted && lanes.repeat > 0 && dst.operand.blockStride == 0)
    core.fail("block stride of dst is 0, the result would be undefined");
  checkOverlap(core, dst, src0, lanes, perRepeat);
  checkOverlap(core, dst, src1, lanes, perRepeat);
  if (LOSSGRAD_UNLIKELY(core.observer)) {
    Traits traits;
    traits.flow = kind == Kind::Bitwise ? sim::Flow::Bits : sim::Flow::Lanes;
    traits.usesScratch = kind == Kind::Scratch;
    if (src0.operand.addr && src0.type != dst.type)
      traits.from = src0.type;
    announce(core, ports, 3, lanes, perRepeat, dst.type, traits);
  }
  runOrDefer(core, fn, params, lanes, perRepeat, dst, src0, src1);
}

} // namespace

void binary(BinaryOp op, DType dstType, DType srcType,
            const BinaryInstr &instr) {
  const Named &named = kBinary[static_cast<size_t>(op)];
  Core &core = Core::enterDeferring(named.call, instr.site);
  const bool counted = isCount(instr.select);
  requireType(core, named.api, srcType, counted);
  const SpanFn fused = dstType == srcType && isMulAdd(op) &&
                               core.isOpen(Open::FUSED_MULADD_ONE_ROUNDING)
                           ? oneRoundingSpan(op, dstType)
                           : nullptr;
  const uint32_t lanes = lanesOf(dstType, srcType);
  Port dst = portOf(instr.dst, dstType, "dst", counted, lanes);
  dst.written = true;
  dst.read = isMulAdd(op);
  issue(core, fused ? fused : binarySpan(op, dstType, srcType), paramsOf(core),
        instr.select, lanes, dst,
        portOf(instr.src0, srcType, "src0", counted, lanes),
        portOf(instr.src1, srcType, "src1", counted, lanes),
        op == BinaryOp::And || op == BinaryOp::Or ? Kind::Bitwise
                                                  : Kind::Plain);
}

void unary(UnaryOp op, DType type, const UnaryInstr &instr) {
  const Named &named = kUnary[static_cast<size_t>(op)];
  Core &core = Core::enterDeferring(named.call, instr.site);
  const bool counted = isCount(instr.select);
  requireType(core, named.api, type, counted);
  const uint32_t lanes = lanesOf(type, type);
  Port dst = portOf(instr.dst, type, "dst", counted, lanes);
  dst.written = true;
  dst.read = false;
  SpanParams params = paramsOf(core);
  params.asksAhead = op == UnaryOp::Exp || op == UnaryOp::Ln;
  issue(core, unarySpan(op, type), params, instr.select, lanes, dst,
        portOf(instr.src, type, "src", counted, lanes), Port(),
        op == UnaryOp::Not ? Kind::Bitwise : Kind::Plain);
}

void scalar(ScalarOp op, DType dstType, DType srcType, const ScalarInstr &instr,
            bool round) {
  const Named &named = kScalar[static_cast<size_t>(op)];
  Core &core = Core::enterDeferring(named.call, instr.site);
  const bool counted = isCount(instr.select);
  requireType(core, named.api, srcType, counted);
  SpanParams params = paramsOf(core);
  params.scalar = instr.scalar.bits;
  params.roundShift = round;
  const SpanFn fused = op == ScalarOp::Axpy && dstType == srcType &&
                               core.isOpen(Open::FUSED_MULADD_ONE_ROUNDING)
                           ? oneRoundingAxpySpan(dstType)
                           : nullptr;
  const uint32_t lanes = lanesOf(dstType, srcType);
  Port dst = portOf(instr.dst, dstType, "dst", counted, lanes);
  dst.written = true;
  dst.read = op == ScalarOp::Axpy;
  issue(core, fused ? fused : scalarSpan(op, dstType, srcType), params,
        instr.select, lanes, dst,
        portOf(instr.src, srcType, "src", counted, lanes), Port());
}

//===- conversions --------------------------------------------------------===//

static const char *const kRoundNames[] = {
    "CAST_NONE",  "CAST_RINT", "CAST_FLOOR",  "CAST_CEIL", "CAST_ROUND",
    "CAST_TRUNC", "CAST_ODD",  "CAST_HYBRID", "UNKNOWN"};

static void requireCast(Core &core, DType dst, DType src,
                        AscendC::RoundMode mode) {
  const targets::Family &family = *core.family;
  const targets::Dtype from = sim::targetType(src), to = sim::targetType(dst);
  const auto value = static_cast<unsigned>(mode);
  const uint8_t modes =
      family.castModes[static_cast<size_t>(from)][static_cast<size_t>(to)];
  if (value < 8 && (modes >> value & 1))
    return;
  if (modes == 0)
    core.fail("%s to %s is not available on %s (%s)", targets::spelling(from),
              targets::spelling(to), family.title, core.soc->name);
  std::string known;
  for (unsigned m = 0; m < 7; ++m)
    if (modes >> m & 1)
      known += (known.empty() ? "" : ", ") + std::string(kRoundNames[m]);
  core.fail("%s to %s has no %s on %s (%s), which has %s; the device would "
            "write nothing",
            targets::spelling(from), targets::spelling(to),
            kRoundNames[std::min(value, 8u)], family.title, core.soc->name,
            known.c_str());
}

// The scale of the int32 to half path, as float bits.
static uint64_t deqScaleOf(Core &core) {
  if (!core.regs.deqScaleSet)
    core.fail("int32_t to half multiplies by the scale of SetDeqScale, which "
              "has not been called");
  const float scale =
      sim::floatOfHalfBits(static_cast<uint16_t>(core.regs.deqScaleBits));
  return sim::bitsOfFloat(scale);
}

void cast(DType dstType, DType srcType, AscendC::RoundMode mode,
          const UnaryInstr &instr) {
  Core &core = Core::enterDeferring("Cast", instr.site);
  requireCast(core, dstType, srcType, mode);
  SpanParams params = paramsOf(core);
  if (srcType == DType::Int32 && dstType == DType::Half)
    params.scalar = deqScaleOf(core);
  const bool counted = isCount(instr.select);
  const uint32_t lanes = lanesOf(dstType, srcType);
  Port dst = portOf(instr.dst, dstType, "dst", counted, lanes);
  dst.written = true;
  dst.read = false;
  issue(core, castSpan(dstType, srcType, static_cast<Round>(mode)), params,
        instr.select, lanes, dst,
        portOf(instr.src, srcType, "src", counted, lanes), Port());
}

namespace {

// An operation in the source type, then a conversion, chunk by chunk.
template <BinaryCastOp Op, DType Dst, DType Src>
void binaryCastSpan(void *dst, const void *a, const void *b, size_t count,
                    const SpanParams &params) {
  static const SpanFn compute =
      binarySpan(Op == BinaryCastOp::AddReluCast   ? BinaryOp::AddRelu
                 : Op == BinaryCastOp::SubReluCast ? BinaryOp::SubRelu
                                                   : BinaryOp::Mul,
                 Src, Src);
  static const SpanFn convert = castSpan(Dst, Src, Round::Rint);
  constexpr size_t kChunk = 128;
  alignas(32) uint8_t staged[kChunk * sizeof(float)];
  for (size_t i = 0; i < count; i += kChunk) {
    const size_t rest = std::min(kChunk, count - i);
    compute(staged, static_cast<const uint8_t *>(a) + i * bytesOf(Src),
            static_cast<const uint8_t *>(b) + i * bytesOf(Src), rest, params);
    convert(static_cast<uint8_t *>(dst) + i * bytesOf(Dst), staged, nullptr,
            rest, params);
  }
}

template <BinaryCastOp Op> SpanFn reluCastOf(DType dst, DType src) {
  if (dst == DType::Half && src == DType::Float)
    return binaryCastSpan<Op, DType::Half, DType::Float>;
  if (dst == DType::Int8 && src == DType::Half)
    return binaryCastSpan<Op, DType::Int8, DType::Half>;
  if (dst == DType::Int8 && src == DType::Int16)
    return binaryCastSpan<Op, DType::Int8, DType::Int16>;
  return nullptr;
}

SpanFn binaryCastOf(BinaryCastOp op, DType dst, DType src) {
  if (op == BinaryCastOp::AddReluCast)
    return reluCastOf<BinaryCastOp::AddReluCast>(dst, src);
  if (op == BinaryCastOp::SubReluCast)
    return reluCastOf<BinaryCastOp::SubReluCast>(dst, src);
  return dst == DType::Int8
             ? binaryCastSpan<BinaryCastOp::MulCast, DType::Int8, DType::Half>
             : binaryCastSpan<BinaryCastOp::MulCast, DType::UInt8, DType::Half>;
}

void addDeqReluSpan(void *dst, const void *a, const void *b, size_t count,
                    const SpanParams &params) {
  static const SpanFn add =
      binarySpan(BinaryOp::Add, DType::Int32, DType::Int32);
  static const SpanFn dequantize =
      castSpan(DType::Half, DType::Int32, Round::None);
  static const SpanFn relu = unarySpan(UnaryOp::Relu, DType::Half);
  constexpr size_t kChunk = 128;
  alignas(32) int32_t sums[kChunk];
  for (size_t i = 0; i < count; i += kChunk) {
    const size_t rest = std::min(kChunk, count - i);
    add(sums, static_cast<const int32_t *>(a) + i,
        static_cast<const int32_t *>(b) + i, rest, params);
    auto *out = static_cast<uint16_t *>(dst) + i;
    dequantize(out, sums, nullptr, rest, params);
    relu(out, out, nullptr, rest, params);
  }
}

} // namespace

void binaryCast(BinaryCastOp op, DType dstType, DType srcType,
                const BinaryInstr &instr) {
  static constexpr Named names[] = {{"AddReluCast", Api::AddReluCast},
                                    {"SubReluCast", Api::SubReluCast},
                                    {"MulCast", Api::MulCast}};
  const Named &named = names[static_cast<size_t>(op)];
  Core &core = Core::enterDeferring(named.call, instr.site);
  const bool counted = isCount(instr.select);
  requireType(core, named.api, srcType, counted);
  const uint32_t lanes = lanesOf(dstType, srcType);
  Port dst = portOf(instr.dst, dstType, "dst", counted, lanes);
  dst.written = true;
  dst.read = false;
  issue(core, binaryCastOf(op, dstType, srcType), paramsOf(core), instr.select,
        lanes, dst, portOf(instr.src0, srcType, "src0", counted, lanes),
        portOf(instr.src1, srcType, "src1", counted, lanes));
}

void addDeqRelu(const BinaryInstr &instr) {
  Core &core = Core::enterDeferring("AddDeqRelu", instr.site);
  const bool counted = isCount(instr.select);
  requireType(core, Api::AddDeqRelu, DType::Int32, counted);
  SpanParams params = paramsOf(core);
  params.scalar = deqScaleOf(core);
  const uint32_t lanes = lanesOf(DType::Half, DType::Int32);
  const bool scratch = core.family->usesScratch(Api::AddDeqRelu);
  if (scratch) // sums, as many at once as there is room for
    claimScratch(core, 0,
                 std::min<uint64_t>(counted ? instr.select.low * sizeof(int32_t)
                                            : uint64_t{instr.select.repeat} *
                                                  sim::kRepeatBytes,
                                    core.family->ubScratchBytes));
  Port dst = portOf(instr.dst, DType::Half, "dst", counted, lanes);
  dst.written = true;
  dst.read = false;
  issue(core, addDeqReluSpan, params, instr.select, lanes, dst,
        portOf(instr.src0, DType::Int32, "src0", counted, lanes),
        portOf(instr.src1, DType::Int32, "src1", counted, lanes),
        scratch ? Kind::Scratch : Kind::Plain);
}

//===- fill ---------------------------------------------------------------===//

namespace {

template <unsigned Bytes>
void duplicateSpan(void *dst, const void *, const void *, size_t count,
                   const SpanParams &params) {
  fillSpan(Bytes, dst, count, params.scalar);
}

SpanFn duplicateOf(DType type) {
  switch (bytesOf(type)) {
  case 1:
    return duplicateSpan<1>;
  case 2:
    return duplicateSpan<2>;
  case 4:
    return duplicateSpan<4>;
  default:
    return duplicateSpan<8>;
  }
}

} // namespace

void duplicate(DType type, const FillInstr &instr) {
  Core &core = Core::enterDeferring("Duplicate", instr.site);
  const bool counted = isCount(instr.select);
  requireType(core, Api::Duplicate, type, counted);
  SpanParams params;
  params.scalar = instr.scalar.bits;
  const uint32_t lanes = lanesOf(type, type);
  Port dst = portOf(instr.dst, type, "dst", counted, lanes);
  dst.written = true;
  dst.read = false;
  issue(core, duplicateOf(type), params, instr.select, lanes, dst, Port(),
        Port());
}

} // namespace lossgrad::vector
