// Scalar helpers: bit counts, conversions with a rounding mode, bf16 by name.
#pragma once

#include "ascendc/types.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

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
using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::get;
using std::index_sequence;
using std::integer_sequence;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_class;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_empty;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_signed;
using std::is_unsigned;
using std::is_void;
using std::is_void_v;
using std::make_index_sequence;
using std::make_tuple;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;
template <typename T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <typename T, typename... Candidates>
struct is_one_of : std::disjunction<std::is_same<T, Candidates>...> {};
template <typename T, typename... Candidates>
inline constexpr bool is_one_of_v = is_one_of<T, Candidates...>::value;
} // namespace Std

template <bool condition, typename T, typename U> struct Conditional {
  using type = std::conditional_t<condition, T, U>;
};

template <typename T, typename... Candidates> constexpr bool SupportType() {
  return (std::is_same_v<T, Candidates> || ...);
}

} // namespace AscendC
