// Multiply-adds with one rounding: what the switch FUSED_MULADD_ONE_ROUNDING
// asks for. The documents do not settle it, so this is not the default, and it
// is written for exactness rather than speed.
#include "Span.h"

#include <cmath>
#include <cstring>

namespace lossgrad::vector {
namespace {

// A finite half is an integer multiple of 2^-24 below 2^16 in magnitude.
__int128 scaledHalf(uint16_t bits) {
  return static_cast<__int128>(
      std::ldexp(static_cast<double>(sim::floatOfHalfBits(bits)), 24));
}

// value * 2^-48, rounded to the nearest half, ties to even: cut to float with a
// sticky last bit first, which is more than 11 + 2 bits.
uint16_t halfOfScaled(__int128 value) {
  const bool negative = value < 0;
  unsigned __int128 magnitude =
      static_cast<unsigned __int128>(negative ? -value : value);
  int exponent = -48;
  bool sticky = false;
  while (magnitude >> 24) {
    sticky |= static_cast<bool>(magnitude & 1);
    magnitude >>= 1;
    ++exponent;
  }
  if (sticky)
    magnitude |= 1;
  const float odd = std::ldexp(static_cast<float>(magnitude), exponent);
  return sim::halfBitsOfFloat(negative ? -odd : odd);
}

float fusedOf(float a, float b, float c) { return std::fma(a, b, c); }

uint16_t fusedOf(uint16_t a, uint16_t b, uint16_t c) {
  const float x = sim::floatOfHalfBits(a), y = sim::floatOfHalfBits(b),
              z = sim::floatOfHalfBits(c);
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z))
    return sim::halfBitsOfFloat(x * y + z);
  const __int128 sum = scaledHalf(a) * scaledHalf(b) + (scaledHalf(c) << 24);
  if (sum == 0) // the sign of an exact zero follows the float rules
    return sim::halfBitsOfFloat(x * y + z);
  return halfOfScaled(sum);
}

template <typename T> T saturatedTo(T v, bool) { return v; }
template <> uint16_t saturatedTo(uint16_t v, bool saturate) {
  const uint16_t magnitude = v & 0x7fff;
  if (!saturate || magnitude < 0x7c00)
    return v;
  return magnitude == 0x7c00 ? static_cast<uint16_t>((v & 0x8000) | 0x7bff)
                             : uint16_t{0};
}

template <typename T> T reluOf(T v, bool keepNaN);
template <> float reluOf(float v, bool keepNaN) {
  return v > 0 || (keepNaN && std::isnan(v)) ? v : 0.0f;
}
template <> uint16_t reluOf(uint16_t v, bool keepNaN) {
  return sim::halfBitsOfFloat(reluOf(sim::floatOfHalfBits(v), keepNaN));
}

template <BinaryOp Op, typename T>
void fusedBinary(void *dst, const void *a, const void *b, size_t count,
                 const SpanParams &p) {
  auto *d = static_cast<T *>(dst);
  const auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
  for (size_t i = 0; i < count; ++i) {
    T value = Op == BinaryOp::MulAddDst ? fusedOf(x[i], y[i], d[i])
                                        : fusedOf(x[i], d[i], y[i]);
    value = saturatedTo(value, p.saturate);
    d[i] = Op == BinaryOp::FusedMulAddRelu ? reluOf(value, p.keepNaN) : value;
  }
}

template <typename T>
void fusedAxpy(void *dst, const void *a, const void *, size_t count,
               const SpanParams &p) {
  T scalar;
  std::memcpy(&scalar, &p.scalar, sizeof scalar);
  for (size_t i = 0; i < count; ++i) {
    T &d = static_cast<T *>(dst)[i];
    d = saturatedTo(fusedOf(scalar, static_cast<const T *>(a)[i], d),
                    p.saturate);
  }
}

template <BinaryOp Op> SpanFn pick(DType type) {
  return type == DType::Float  ? fusedBinary<Op, float>
         : type == DType::Half ? fusedBinary<Op, uint16_t>
                               : nullptr;
}

} // namespace

SpanFn oneRoundingSpan(BinaryOp op, DType type) {
  switch (op) {
  case BinaryOp::MulAddDst:
    return pick<BinaryOp::MulAddDst>(type);
  case BinaryOp::FusedMulAdd:
    return pick<BinaryOp::FusedMulAdd>(type);
  case BinaryOp::FusedMulAddRelu:
    return pick<BinaryOp::FusedMulAddRelu>(type);
  default:
    return nullptr;
  }
}

SpanFn oneRoundingAxpySpan(DType type) {
  return type == DType::Float  ? fusedAxpy<float>
         : type == DType::Half ? fusedAxpy<uint16_t>
                               : nullptr;
}

} // namespace lossgrad::vector
