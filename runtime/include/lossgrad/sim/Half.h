// The device's 16-bit floating types as scalars: `half` (IEEE binary16) and
// `bfloat16_t`. They live in the global namespace, as on the device. Each
// operation rounds once, to nearest even: for + - * / the result computed in
// float and rounded to half is the correctly rounded one (float has more than
// 2 * 11 + 2 bits). Vector code does not use these operators; the library
// converts whole rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lossgrad::sim {

inline uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// binary32 to binary16, nearest even; overflow gives infinity, NaN stays NaN
// (quiet, upper payload bits kept).
inline uint16_t halfBitsOfFloat(float value) {
  const uint32_t bits = bitsOfFloat(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) // 65520, the first value that rounds to 2^16
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) { // below 2^-14: subnormal or zero
    if (magnitude < 0x33000000u) // below half of 2^-24
      return sign;
    // Adding 0.5f aligns the last half bit with float's last mantissa bit, so
    // that the hardware adder does the rounding.
    const float aligned = floatOfBits(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (bitsOfFloat(aligned) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(
      sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

inline float floatOfHalfBits(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)
    return floatOfBits(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude >= 0x400u)
    return floatOfBits(sign | ((magnitude << 13) + 0x38000000u));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
  return floatOfBits(sign | bitsOfFloat(subnormal));
}

inline uint16_t bfloat16BitsOfFloat(float value) {
  const uint32_t bits = bitsOfFloat(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float floatOfBfloat16Bits(uint16_t bits) {
  return floatOfBits(static_cast<uint32_t>(bits) << 16);
}

// One class serves both formats: they differ only in the two conversions.
template <uint16_t (*FromFloat)(float), float (*ToFloat)(uint16_t)>
class Float16 {
public:
  Float16() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Float16(T value) : bits(FromFloat(static_cast<float>(value))) {}
  // From the other 16-bit type: through float, explicitly.
  template <uint16_t (*F)(float), float (*G)(uint16_t)>
  explicit Float16(Float16<F, G> other)
      : bits(FromFloat(static_cast<float>(other))) {}

  static Float16 fromBits(uint16_t raw) {
    Float16 value;
    value.bits = raw;
    return value;
  }
  uint16_t rawBits() const { return bits; }

  operator float() const { return ToFloat(bits); }
  // Explicit conversions to the other arithmetic types; only the one to float
  // is implicit, so that overloads stay unambiguous.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> &&
                                                    !std::is_same_v<T, float>>>
  explicit operator T() const {
    return static_cast<T>(ToFloat(bits));
  }

  Float16 operator-() const {
    return fromBits(static_cast<uint16_t>(bits ^ 0x8000u));
  }
  Float16 operator+() const { return *this; }

  friend Float16 operator+(Float16 a, Float16 b) { return float(a) + float(b); }
  friend Float16 operator-(Float16 a, Float16 b) { return float(a) - float(b); }
  friend Float16 operator*(Float16 a, Float16 b) { return float(a) * float(b); }
  friend Float16 operator/(Float16 a, Float16 b) { return float(a) / float(b); }
  friend bool operator==(Float16 a, Float16 b) { return float(a) == float(b); }
  friend bool operator!=(Float16 a, Float16 b) { return float(a) != float(b); }
  friend bool operator<(Float16 a, Float16 b) { return float(a) < float(b); }
  friend bool operator>(Float16 a, Float16 b) { return float(a) > float(b); }
  friend bool operator<=(Float16 a, Float16 b) { return float(a) <= float(b); }
  friend bool operator>=(Float16 a, Float16 b) { return float(a) >= float(b); }

  template <typename T> Float16 &operator+=(T b) { return *this = *this + b; }
  template <typename T> Float16 &operator-=(T b) { return *this = *this - b; }
  template <typename T> Float16 &operator*=(T b) { return *this = *this * b; }
  template <typename T> Float16 &operator/=(T b) { return *this = *this / b; }
  Float16 &operator++() { return *this += Float16(1); }
  Float16 &operator--() { return *this -= Float16(1); }
  Float16 operator++(int) {
    Float16 old = *this;
    ++*this;
    return old;
  }
  Float16 operator--(int) {
    Float16 old = *this;
    --*this;
    return old;
  }

private:
  uint16_t bits;
};

} // namespace lossgrad::sim

using half = lossgrad::sim::Float16<lossgrad::sim::halfBitsOfFloat,
                                    lossgrad::sim::floatOfHalfBits>;
using bfloat16_t = lossgrad::sim::Float16<lossgrad::sim::bfloat16BitsOfFloat,
                                          lossgrad::sim::floatOfBfloat16Bits>;
using float16_t = half;
using float32_t = float;

namespace lossgrad::sim {

template <typename T>
inline constexpr bool isFloat16 =
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

// Mixed operands follow the usual arithmetic conversions of a device that has
// these types built in: with float or double the wider type wins, with an
// integer the 16-bit type does.
template <typename H, typename T>
using MixedResult =
    std::enable_if_t<isFloat16<H> && std::is_arithmetic_v<T>,
                     std::conditional_t<std::is_floating_point_v<T>, T, H>>;

#define LOSSGRAD_MIXED(op)                                                     \
  template <uint16_t (*F)(float), float (*G)(uint16_t), typename T>            \
  MixedResult<Float16<F, G>, T> operator op(Float16<F, G> a, T b) {            \
    using R = MixedResult<Float16<F, G>, T>;                                   \
    return static_cast<R>(a) op static_cast<R>(b);                             \
  }                                                                            \
  template <uint16_t (*F)(float), float (*G)(uint16_t), typename T>            \
  MixedResult<Float16<F, G>, T> operator op(T a, Float16<F, G> b) {            \
    using R = MixedResult<Float16<F, G>, T>;                                   \
    return static_cast<R>(a) op static_cast<R>(b);                             \
  }
LOSSGRAD_MIXED(+)
LOSSGRAD_MIXED(-)
LOSSGRAD_MIXED(*)
LOSSGRAD_MIXED(/)
#undef LOSSGRAD_MIXED

#define LOSSGRAD_MIXED_COMPARE(op)                                             \
  template <uint16_t (*F)(float), float (*G)(uint16_t), typename T,            \
            typename = std::enable_if_t<std::is_arithmetic_v<T>>>              \
  bool operator op(Float16<F, G> a, T b) {                                     \
    return static_cast<double>(a) op static_cast<double>(b);                   \
  }                                                                            \
  template <uint16_t (*F)(float), float (*G)(uint16_t), typename T,            \
            typename = std::enable_if_t<std::is_arithmetic_v<T>>>              \
  bool operator op(T a, Float16<F, G> b) {                                     \
    return static_cast<double>(a) op static_cast<double>(b);                   \
  }
LOSSGRAD_MIXED_COMPARE(==)
LOSSGRAD_MIXED_COMPARE(!=)
LOSSGRAD_MIXED_COMPARE(<)
LOSSGRAD_MIXED_COMPARE(>)
LOSSGRAD_MIXED_COMPARE(<=)
LOSSGRAD_MIXED_COMPARE(>=)
#undef LOSSGRAD_MIXED_COMPARE

} // namespace lossgrad::sim

namespace std {
template <> struct numeric_limits<half> {
  static constexpr bool is_specialized = true, is_signed = true,
                        is_integer = false, has_infinity = true,
                        has_quiet_NaN = true;
  static constexpr int digits = 11, radix = 2, max_exponent = 16,
                       min_exponent = -13;
  static half min() { return half::fromBits(0x0400); }
  static half max() { return half::fromBits(0x7bff); }
  static half lowest() { return half::fromBits(0xfbff); }
  static half epsilon() { return half::fromBits(0x1400); }
  static half infinity() { return half::fromBits(0x7c00); }
  static half quiet_NaN() { return half::fromBits(0x7e00); }
};
template <> struct numeric_limits<bfloat16_t> {
  static constexpr bool is_specialized = true, is_signed = true,
                        is_integer = false, has_infinity = true,
                        has_quiet_NaN = true;
  static constexpr int digits = 8, radix = 2, max_exponent = 128,
                       min_exponent = -125;
  static bfloat16_t min() { return bfloat16_t::fromBits(0x0080); }
  static bfloat16_t max() { return bfloat16_t::fromBits(0x7f7f); }
  static bfloat16_t lowest() { return bfloat16_t::fromBits(0xff7f); }
  static bfloat16_t epsilon() { return bfloat16_t::fromBits(0x3c00); }
  static bfloat16_t infinity() { return bfloat16_t::fromBits(0x7f80); }
  static bfloat16_t quiet_NaN() { return bfloat16_t::fromBits(0x7fc0); }
};
} // namespace std
