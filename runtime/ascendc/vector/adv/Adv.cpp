// The high-level calls: values as their definitions say, computed in float (in
// double where a sum is long), one rounding to the element type. The vendor's
// library composes them from vector instructions, so that a device's last bits
// may differ; no document promises them.
#include "../Shape.h"

#include "ascendc/adv/abi.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::Region;

namespace {

float load(DType type, const void *at, uint64_t index) {
  if (type == DType::Half) {
    uint16_t bits;
    std::memcpy(&bits, static_cast<const uint16_t *>(at) + index, sizeof bits);
    return sim::floatOfHalfBits(bits);
  }
  float value;
  std::memcpy(&value, static_cast<const float *>(at) + index, sizeof value);
  return value;
}

void store(DType type, void *at, uint64_t index, float value, bool saturate) {
  if (type == DType::Float) {
    std::memcpy(static_cast<float *>(at) + index, &value, sizeof value);
    return;
  }
  uint16_t bits = sim::halfBitsOfFloat(value);
  if (saturate && (bits & 0x7fff) >= 0x7c00)
    bits = (bits & 0x7fff) > 0x7c00
               ? uint16_t{0}
               : static_cast<uint16_t>((bits & 0x8000) | 0x7bff);
  std::memcpy(static_cast<uint16_t *>(at) + index, &bits, sizeof bits);
}

// Checks of the dense operands of one call. The calls are made of count forms:
// they leave normal mode and all lanes on.
Lanes checkDense(Core &core, DType type, uint64_t count,
                 std::initializer_list<Port> ports) {
  const Lanes lanes =
      core.resolve(Selection::count(static_cast<int64_t>(count)),
                   sim::kRepeatBytes / bytesOf(type));
  for (const Port &port : ports)
    if (port.operand.addr)
      checkPort(core, port, lanes, sim::kRepeatBytes / bytesOf(type));
  return lanes;
}

// The same, and the footprint.
void begin(Core &core, DType type, uint64_t count,
           std::initializer_list<Port> ports, const Traits &traits = {}) {
  const Lanes lanes = checkDense(core, type, count, ports);
  announce(core, ports.begin(), ports.size(), lanes,
           sim::kRepeatBytes / bytesOf(type), type, traits);
}

Port in(const void *addr, DType type, const char *name) {
  return {{const_cast<void *>(addr), 1, 8}, type, name};
}
Port out(void *addr, DType type) {
  return {{addr, 1, 8}, type, "dst", true, false};
}

float valueOf(MathOp op, float x) {
  switch (op) {
  case MathOp::Tanh:
    return std::tanh(x);
  case MathOp::Sigmoid:
    return 1.0f / (1.0f + std::exp(-x));
  case MathOp::Sign:
    return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f;
  case MathOp::Log:
    return std::log(x);
  case MathOp::Log2:
    return std::log2(x);
  case MathOp::Log10:
    return std::log10(x);
  case MathOp::Exp:
    return std::exp(x);
  case MathOp::Ceil:
    return std::ceil(x);
  case MathOp::Floor:
    return std::floor(x);
  case MathOp::Round:
    return std::nearbyint(x);
  case MathOp::Trunc:
    return std::trunc(x);
  case MathOp::Erf:
    return std::erf(x);
  }
  return x;
}

} // namespace

void mathCall(MathOp op, DType type, void *dst, const void *src, uint64_t count,
              Site site) {
  static const struct {
    const char *call;
    Api api;
  } kCalls[] = {
      {"Tanh", Api::Tanh},   {"Sigmoid", Api::Sigmoid}, {"Sign", Api::Sign},
      {"Log", Api::Log},     {"Log2", Api::Log},        {"Log10", Api::Log},
      {"Exp", Api::AdvExp},  {"Ceil", Api::Ceil},       {"Floor", Api::Floor},
      {"Round", Api::Floor}, {"Trunc", Api::Floor},     {"Erf", Api::Tanh}};
  const auto &named = kCalls[static_cast<size_t>(op)];
  Core &core = Core::enter(named.call, site);
  requireType(core, named.api, type, false);
  Traits traits;
  traits.usesScratch = core.family->usesScratch(named.api);
  begin(core, type, count, {out(dst, type), in(src, type, "src")}, traits);
  const bool saturate = saturates(core);
  for (uint64_t i = 0; i < count; ++i)
    store(type, dst, i, valueOf(op, load(type, src, i)), saturate);
}

void clampCall(bool upper, DType type, void *dst, const void *src, Scalar limit,
               uint64_t count, Site site) {
  Core &core = Core::enter(upper ? "ClampMax" : "ClampMin", site);
  requireType(core, Api::Clamp, type, false);
  begin(core, type, count, {out(dst, type), in(src, type, "src")});
  SpanParams params = paramsOf(core);
  params.scalar = limit.bits;
  scalarSpan(upper ? ScalarOp::Mins : ScalarOp::Maxs, type,
             type)(dst, src, nullptr, count, params);
}

void powerCall(DType type, void *dst, const void *base, const void *exponent,
               Scalar scalar, uint64_t count, Site site) {
  Core &core = Core::enter("Power", site);
  requireType(core, Api::Power, type, false);
  Traits traits;
  traits.usesScratch = core.family->usesScratch(Api::Power);
  begin(core, type, count,
        {out(dst, type), in(base, type, "src0"), in(exponent, type, "src1")},
        traits);
  if (type == DType::Int32) {
    for (uint64_t i = 0; i < count; ++i) {
      const auto at = [&](const void *p) {
        return p ? static_cast<const int32_t *>(p)[i] : scalar.as<int32_t>();
      };
      static_cast<int32_t *>(dst)[i] = static_cast<int32_t>(
          std::pow(static_cast<double>(at(base)), at(exponent)));
    }
    return;
  }
  const float value = load(type, &scalar.bits, 0);
  const bool saturate = saturates(core);
  for (uint64_t i = 0; i < count; ++i) {
    const float b = base ? load(type, base, i) : value;
    const float e = exponent ? load(type, exponent, i) : value;
    store(type, dst, i, std::pow(b, e), saturate);
  }
}

void broadcastCall(DType type, void *dst, const void *src, int32_t dim,
                   int32_t axis, const uint32_t dstShape[],
                   const uint32_t srcShape[], Site site) {
  Core &core = Core::enter("BroadCast", site);
  requireType(core, Api::BroadCast, type, false);
  const uint64_t bytes = bytesOf(type);
  const uint64_t rows = dim == 2 ? dstShape[0] : 1;
  const uint64_t columns = dim == 2 ? dstShape[1] : dstShape[0];
  const uint64_t srcRows = dim == 2 ? srcShape[0] : 1;
  const uint64_t srcColumns = dim == 2 ? srcShape[1] : srcShape[0];
  for (int32_t d = 0; d < dim; ++d)
    if (srcShape[d] != dstShape[d] && srcShape[d] != 1)
      core.fail("axis %d has %u elements in src and %u in dst; it must be 1 or "
                "equal in src",
                d, srcShape[d], dstShape[d]);
  if (dim == 2 && axis == 0 && srcShape[1] * bytes % kBlockBytes != 0)
    core.fail("rows of %u elements are no multiple of 32 bytes, as axis 0 "
              "needs",
              srcShape[1]);
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireAligned(src, kBlockBytes, "src");
  core.requireLocal(dst, rows * columns * bytes, "dst");
  core.requireLocal(src, srcRows * srcColumns * bytes, "src");
  core.resolve(Selection::count(1), 64); // resets mode and mask
  auto moves = [&] {
    std::vector<sim::Move> list;
    for (uint64_t i = 0; i < rows * columns; ++i) {
      const uint64_t row = srcRows == 1 ? 0 : i / columns;
      const uint64_t column = srcColumns == 1 ? 0 : i % columns;
      list.push_back({static_cast<uint8_t *>(dst) + i * bytes,
                      static_cast<const uint8_t *>(src) +
                          (row * srcColumns + column) * bytes,
                      static_cast<uint32_t>(bytes)});
    }
    return list;
  };
  if (core.observer)
    announce(core, {{src, srcRows * srcColumns * bytes, 1, 0, 1, 0}},
             {{dst, rows * columns * bytes, 1, 0, 1, 0}}, type, rows * columns,
             1, movesAs(moves));
  for (uint64_t r = 0; r < rows; ++r) {
    const auto *from = static_cast<const uint8_t *>(src) +
                       (srcRows == 1 ? 0 : r) * srcColumns * bytes;
    auto *to = static_cast<uint8_t *>(dst) + r * columns * bytes;
    if (srcColumns == columns) {
      std::memcpy(to, from, columns * bytes);
      continue;
    }
    uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    fillSpan(static_cast<unsigned>(bytes), to, columns, value);
  }
}

//===- rows ---------------------------------------------------------------===//

namespace {

void checkRows(Core &core, DType type, const Rows &shape) {
  if (shape.rows == 0 || shape.columns == 0)
    core.fail("the shape is unknown: pass SoftMaxShapeInfo or set the source's "
              "ShapeInfo");
  if (shape.columns * bytesOf(type) % kBlockBytes != 0)
    core.fail("a row of %u elements is no multiple of 32 bytes", shape.columns);
  if (shape.valid > shape.columns)
    core.fail("%u elements of a row are valid, it has %u", shape.valid,
              shape.columns);
}

// The footprint of a call by rows: all results of a row depend on its valid
// elements. What lies behind them may be anything.
void announceRows(Core &core, DType type, const Rows &shape,
                  std::initializer_list<const void *> sources,
                  std::vector<Region> writes) {
  std::vector<Region> reads;
  for (const void *source : sources)
    reads.push_back({source, uint64_t{shape.valid} * bytesOf(type), shape.rows,
                     int64_t{shape.columns} * bytesOf(type), 1, 0,
                     static_cast<uint8_t>(reads.size())});
  const uint64_t elements = uint64_t{shape.rows} * shape.valid;
  const uint64_t whole = uint64_t{shape.rows} * shape.columns * bytesOf(type);
  Traits traits;
  traits.flow = sim::Flow::Groups;
  traits.groupElements = shape.valid;
  announce(core, std::move(reads), std::move(writes), type, elements,
           static_cast<uint32_t>((whole + sim::kRepeatBytes - 1) /
                                 sim::kRepeatBytes),
           traits);
}

// One block per row, filled with the row's value.
void storeBlock(DType type, void *at, uint32_t row, float value,
                bool saturate) {
  if (!at)
    return;
  const uint32_t perBlock = kBlockBytes / bytesOf(type);
  for (uint32_t i = 0; i < perBlock; ++i)
    store(type, at, uint64_t{row} * perBlock + i, value, saturate);
}

} // namespace

void softmaxCall(bool log, DType type, DType stat, void *dst, void *sum,
                 void *max, const void *src, Rows shape, Site site) {
  Core &core = Core::enter(log ? "LogSoftMax" : "SoftMax", site);
  requireType(core, log ? Api::LogSoftMax : Api::SoftMax, type, false);
  checkRows(core, type, shape);
  const uint64_t count = uint64_t{shape.rows} * shape.columns;
  const auto ports = {out(dst, type), in(src, type, "src")};
  checkDense(core, type, count, ports);
  for (void *block : {sum, max})
    if (block)
      core.requireLocal(block, uint64_t{shape.rows} * kBlockBytes,
                        block == sum ? "sumTensor" : "maxTensor");
  if (core.observer) {
    std::vector<Region> writes{{dst, count * bytesOf(type), 1, 0, 1, 0}};
    for (void *block : {sum, max})
      if (block)
        addDense(writes, block, uint64_t{shape.rows} * kBlockBytes);
    announceRows(core, type, shape, {src}, std::move(writes));
  }
  const bool saturate = saturates(core);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const uint64_t first = uint64_t{row} * shape.columns;
    float top = load(type, src, first);
    for (uint32_t k = 1; k < shape.valid; ++k)
      top = std::fmax(top, load(type, src, first + k));
    double total = 0;
    for (uint32_t k = 0; k < shape.valid; ++k)
      total += std::exp(load(type, src, first + k) - top);
    const auto denominator = static_cast<float>(total);
    for (uint32_t k = 0; k < shape.columns; ++k) {
      const float shifted = load(type, src, first + k) - top;
      store(type, dst, first + k,
            log ? shifted - std::log(denominator)
                : std::exp(shifted) / denominator,
            saturate);
    }
    storeBlock(stat, max, row, top, saturate);
    storeBlock(stat, sum, row, denominator, saturate);
  }
}

void softmaxGradCall(DType type, void *dst, const void *grad, const void *src,
                     bool front, Rows shape, Site site) {
  Core &core = Core::enter(front ? "SoftmaxGradFront" : "SoftmaxGrad", site);
  requireType(core, Api::SoftmaxGrad, type, false);
  checkRows(core, type, shape);
  const uint64_t count = uint64_t{shape.rows} * shape.columns;
  const uint64_t results =
      front ? uint64_t{shape.rows} * kBlockBytes / bytesOf(type) : count;
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireLocal(dst, results * bytesOf(type), "dst");
  checkDense(core, type, count, {in(grad, type, "grad"), in(src, type, "src")});
  if (core.observer)
    announceRows(core, type, shape, {grad, src},
                 {{dst, results * bytesOf(type), 1, 0, 1, 0}});
  const bool saturate = saturates(core);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const uint64_t first = uint64_t{row} * shape.columns;
    double total = 0;
    for (uint32_t k = 0; k < shape.valid; ++k)
      total += load(type, grad, first + k) * load(type, src, first + k);
    const auto dot = static_cast<float>(total);
    if (front) {
      storeBlock(type, dst, row, dot, saturate);
      continue;
    }
    for (uint32_t k = 0; k < shape.columns; ++k)
      store(type, dst, first + k,
            (load(type, grad, first + k) - dot) * load(type, src, first + k),
            saturate);
  }
}

} // namespace lossgrad::vector
