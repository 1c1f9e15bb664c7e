// Scalar helpers: bit counts, conversions with a rounding mode, bf16 by name.
#pragma once

#include "ascendc/types.h"

#include <cmath>
#include <limits>

namespace AscendC {

template <int countValue> int64_t ScalarGetCountOfValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "bits are 0 or 1");
  const int64_t ones = __builtin_popcountll(value);
  return countValue == 1 ? ones : 64 - ones;
}
inline int64_t ScalarCountLeadingZero(uint64_t value) {
  return value ? __builtin_clzll(value) : 64;
}
// Bits after the sign bit that equal it.
inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
  return __builtin_clrsbll(value);
}
// Position of the lowest bit with that value, -1 if there is none.
template <int countValue> int64_t ScalarGetSFFValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "bits are 0 or 1");
  const uint64_t bits = countValue == 1 ? value : ~value;
  return bits ? __builtin_ctzll(bits) : -1;
}

namespace detail {
inline double RoundAs(double value, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR:
    return std::floor(value);
  case RoundMode::CAST_CEIL:
    return std::ceil(value);
  case RoundMode::CAST_ROUND:
    return std::round(value);
  case RoundMode::CAST_TRUNC:
    return std::trunc(value);
  default:
    return std::nearbyint(value);
  }
}
} // namespace detail

// float to half, int32 and the like; integers saturate.
template <typename T, typename U, RoundMode roundMode> U ScalarCast(T value) {
  if constexpr (std::is_integral_v<U>) {
    const double rounded =
        detail::RoundAs(static_cast<double>(value), roundMode);
    if (std::isnan(rounded))
      return 0;
    if (rounded <= static_cast<double>(std::numeric_limits<U>::lowest()))
      return std::numeric_limits<U>::lowest();
    if (rounded >= static_cast<double>(std::numeric_limits<U>::max()))
      return std::numeric_limits<U>::max();
    return static_cast<U>(rounded);
  } else if constexpr (std::is_same_v<U, half> &&
                       roundMode == RoundMode::CAST_ODD) {
    // Truncate, then make an inexact result odd.
    const float f = static_cast<float>(value);
    half near = half(f);
    if (static_cast<float>(near) == f || std::isnan(f))
      return near;
    uint16_t bits = near.rawBits();
    if (std::fabs(static_cast<float>(near)) > std::fabs(f))
      --bits;
    return half::fromBits(bits | 1u);
  } else {
    return static_cast<U>(static_cast<float>(value));
  }
}

inline float ToFloat(const bfloat16_t &value) {
  return static_cast<float>(value);
}
inline float ToFloat(const half &value) { return static_cast<float>(value); }
inline float ToFloat(const float &value) { return value; }
inline bfloat16_t ToBfloat16(const float &value) { return bfloat16_t(value); }
inline bfloat16_t Cast(const float &value) { return bfloat16_t(value); }
inline float Cast(const bfloat16_t &value) { return static_cast<float>(value); }

constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }

namespace Std {
template <typename T> constexpr const T &max(const T &a, const T &b) {
  return a < b ? b : a;
}
template <typename T> constexpr const T &min(const T &a, const T &b) {
  return b < a ? b : a;
}
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_base_of;
using std::is_convertible;
using std::is_integral;
using std::is_same;
using std::is_same_v;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_reference;
using std::remove_reference_t;
using std::true_type;
template <typename T, typename... Candidates>
struct is_one_of : std::disjunction<std::is_same<T, Candidates>...> {};
template <typename T, typename... Candidates>
inline constexpr bool is_one_of_v = is_one_of<T, Candidates...>::value;
} // namespace Std

template <typename T, typename... Candidates> constexpr bool SupportType() {
  return (std::is_same_v<T, Candidates> || ...);
}

} // namespace AscendC
