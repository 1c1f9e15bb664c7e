// Conversions over spans. Types that are exact in float travel through float
// lanes; the rounding mode is applied once, at the destination. Conversions
// that float cannot carry (32- and 64-bit integers, 4-bit pairs) have their own
// loops. Which pair and mode a product has is not decided here.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Convert.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

#include <algorithm>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

using VI = hn::VFromD<DI>;

//===- rounding -----------------------------------------------------------===//

// To an integral value. Odd has no meaning for integers.
template <Round Mode> HWY_INLINE VF toIntegral(VF v) {
  const DF df;
  if constexpr (Mode == Round::Floor)
    return hn::Floor(v);
  else if constexpr (Mode == Round::Ceil)
    return hn::Ceil(v);
  else if constexpr (Mode == Round::Trunc)
    return hn::Trunc(v);
  else if constexpr (Mode == Round::Round) {
    const VF whole = hn::Trunc(v);
    const VF away = hn::Add(whole, hn::CopySign(hn::Set(df, 1.0f), v));
    return hn::IfThenElse(hn::Ge(hn::Abs(hn::Sub(v, whole)), hn::Set(df, 0.5f)),
                          away, whole);
  } else
    return hn::Round(v);
}

// From nearest-even to another mode: step to the neighbour in magnitude where
// the nearest value lies on the wrong side.
template <Round Mode, class Format>
HWY_INLINE VHalf roundTo16(VF v, VHalf nearest) {
  if constexpr (Mode == Round::None || Mode == Round::Rint)
    return nearest;
  const DI di;
  const DU du;
  const VI bits = hn::BitCast(di, hn::PromoteTo(du, nearest));
  const VI one = hn::Set(di, 1);
  const VF back = Format::widen(nearest);
  const VF absBack = hn::Abs(back), absV = hn::Abs(v);
  const auto tooBig = hn::Gt(absBack, absV);
  const auto tooSmall = hn::Lt(absBack, absV);
  const VI down = hn::Sub(bits, one), up = hn::Add(bits, one);
  const auto negative = hn::Lt(hn::BitCast(di, v), hn::Zero(di)); // by sign bit
  VI result = bits;
  if constexpr (Mode == Round::Trunc) {
    result = hn::IfThenElse(hn::RebindMask(di, tooBig), down, bits);
  } else if constexpr (Mode == Round::Floor || Mode == Round::Ceil) {
    const auto towardsZero =
        Mode == Round::Floor ? hn::Not(negative) : negative;
    const VI inward = hn::IfThenElse(hn::RebindMask(di, tooBig), down, bits);
    const VI outward = hn::IfThenElse(hn::RebindMask(di, tooSmall), up, bits);
    result = hn::IfThenElse(towardsZero, inward, outward);
  } else if constexpr (Mode == Round::Odd) {
    const VI inward = hn::IfThenElse(hn::RebindMask(di, tooBig), down, bits);
    const auto inexact = hn::RebindMask(di, hn::Or(tooBig, tooSmall));
    result = hn::IfThenElse(inexact, hn::Or(inward, one), inward);
  } else { // ties away from zero: nearest-even chose the smaller one of a tie
    const VF next = hn::Abs(Format::widen(narrow16(hn::BitCast(du, up))));
    const auto tie = hn::Eq(hn::Sub(next, absV), hn::Sub(absV, absBack));
    result =
        hn::IfThenElse(hn::RebindMask(di, hn::And(tooSmall, tie)), up, bits);
  }
  return narrow16(hn::BitCast(du, result));
}

//===- endpoints ----------------------------------------------------------===//

// Sources that are exact in float.
template <DType Type> struct From;
template <> struct From<DType::Float> : FloatFormat {};
template <> struct From<DType::Half> : HalfFormat {};
template <> struct From<DType::BFloat16> : BfloatFormat {};
template <typename T> struct FromSmallInt {
  using Storage = T;
  static HWY_INLINE VF load(const T *p) {
    const hn::Rebind<T, DI> d;
    return hn::ConvertTo(DF(), hn::PromoteTo(DI(), hn::LoadU(d, p)));
  }
};
template <> struct From<DType::Int16> : FromSmallInt<int16_t> {};
template <> struct From<DType::Int8> : FromSmallInt<int8_t> {};
template <> struct From<DType::UInt8> : FromSmallInt<uint8_t> {};

template <DType Type, Round Mode> struct To;
template <Round Mode> struct To<DType::Float, Mode> {
  using Storage = float;
  static HWY_INLINE void store(VF v, float *p, const SpanParams &) {
    if constexpr (Mode == Round::None)
      hn::StoreU(v, DF(), p);
    else
      hn::StoreU(toIntegral<Mode>(v), DF(), p);
  }
};

struct HalfBits {
  static HWY_INLINE VHalf nearest(VF v) { return floatToHalf(v); }
  static HWY_INLINE VF widen(VHalf h) { return halfToFloat(h); }
  static constexpr uint16_t infinity = 0x7c00, largest = 0x7bff;
};
struct BfloatBits {
  static HWY_INLINE VHalf nearest(VF v) { return floatToBfloat(v); }
  static HWY_INLINE VF widen(VHalf h) { return bfloatToFloat(h); }
  static constexpr uint16_t infinity = 0x7f80, largest = 0x7f7f;
};

template <class Bits, Round Mode> struct To16 {
  using Storage = uint16_t;
  static HWY_INLINE void store(VF v, uint16_t *p, const SpanParams &params) {
    const DHalf d;
    VHalf result = roundTo16<Mode, Bits>(v, Bits::nearest(v));
    if (params.saturate) {
      const VHalf sign = hn::And(result, hn::Set(d, uint16_t{0x8000}));
      const VHalf mag = hn::AndNot(hn::Set(d, uint16_t{0x8000}), result);
      const VHalf inf = hn::Set(d, Bits::infinity);
      const VHalf finite = hn::Or(sign, hn::Set(d, Bits::largest));
      result = hn::IfThenElse(hn::Eq(mag, inf), finite, result);
      result = hn::IfThenZeroElse(hn::Gt(mag, inf), result);
    }
    hn::StoreU(result, d, p);
  }
};
template <Round Mode> struct To<DType::Half, Mode> : To16<HalfBits, Mode> {};
template <Round Mode>
struct To<DType::BFloat16, Mode> : To16<BfloatBits, Mode> {};

template <Round Mode> HWY_INLINE VI toInt32(VF v, const SpanParams &p) {
  const DF df;
  const DI di;
  const VF whole = toIntegral<Mode>(v);
  // 2^31 is the first float beyond the range.
  const auto high = hn::Ge(whole, hn::Set(df, 0x1p31f));
  VI result = hn::ConvertTo(di, whole);
  result =
      hn::IfThenElse(hn::RebindMask(di, high),
                     hn::Set(di, std::numeric_limits<int32_t>::max()), result);
  const auto low = hn::Lt(whole, hn::Set(df, -0x1p31f));
  const VI lowest = hn::Set(di, std::numeric_limits<int32_t>::min());
  result = hn::IfThenElse(hn::RebindMask(di, low), lowest, result);
  const VI nan = p.nanToZero ? hn::Zero(di) : lowest;
  return hn::IfThenElse(hn::RebindMask(di, hn::IsNaN(v)), nan, result);
}

template <Round Mode> struct To<DType::Int32, Mode> {
  using Storage = int32_t;
  static HWY_INLINE void store(VF v, int32_t *p, const SpanParams &params) {
    hn::StoreU(toInt32<Mode>(v, params), DI(), p);
  }
};
template <typename T, Round Mode> struct ToSmallInt {
  using Storage = T;
  static HWY_INLINE void store(VF v, T *p, const SpanParams &params) {
    // Clamped here: DemoteTo saturates in steps and gets 8 bits wrong.
    const DI di;
    const hn::Rebind<T, DI> d;
    VI whole = toInt32<Mode>(v, params);
    whole = hn::Max(whole, hn::Set(di, std::numeric_limits<T>::min()));
    whole = hn::Min(whole, hn::Set(di, std::numeric_limits<T>::max()));
    hn::StoreU(hn::DemoteTo(d, whole), d, p);
  }
};
template <Round Mode>
struct To<DType::Int16, Mode> : ToSmallInt<int16_t, Mode> {};
template <Round Mode>
struct To<DType::Int8, Mode> : ToSmallInt<int8_t, Mode> {};
template <Round Mode>
struct To<DType::UInt8, Mode> : ToSmallInt<uint8_t, Mode> {};

// Two vectors to bfloat16 at once, to the nearest: the upper halves of the
// rounded bits are taken together. False where one of them is no finite number,
// or would be none, which takes more; nothing is written then.
HWY_INLINE bool pairToBfloat(VF low, VF high, uint16_t *p) {
  const DU du;
  const hn::Repartition<uint16_t, DU> d16;
  const DI di;
  const VI magnitudes =
      hn::Max(hn::BitCast(di, hn::Abs(low)), hn::BitCast(di, hn::Abs(high)));
  if (HWY_UNLIKELY(
          !hn::AllFalse(di, hn::Gt(magnitudes, hn::Set(di, 0x7f7f7fff)))))
    return false;
  auto rounded = [&](VF v) HWY_ATTR {
    const VU x = hn::BitCast(du, v);
    const VU odd = hn::And(hn::ShiftRight<16>(x), hn::Set(du, 1u));
    return hn::BitCast(d16, hn::Add(hn::Add(x, hn::Set(du, 0x7fffu)), odd));
  };
  hn::StoreU(hn::ConcatOdd(d16, rounded(high), rounded(low)), d16, p);
  return true;
}

template <class Src, class Dst>
void throughFloat(void *dstRaw, const void *srcRaw, const void *, size_t count,
                  const SpanParams &p) {
  using TSrc = typename Src::Storage;
  using TDst = typename Dst::Storage;
  auto *dst = static_cast<TDst *>(dstRaw);
  const auto *src = static_cast<const TSrc *>(srcRaw);
  const size_t lanes = hn::Lanes(DF());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    Dst::store(Src::load(src + i), dst + i, p);
  if (i == count)
    return;
  Padded<TSrc> in;
  Padded<TDst> out;
  in.from(src + i, count - i);
  Dst::store(Src::load(in.lanes), out.lanes, p);
  out.to(dst + i, count - i);
}

// To the nearest.
void floatToBfloatSpan(void *dstRaw, const void *srcRaw, const void *,
                       size_t count, const SpanParams &p) {
  auto *dst = static_cast<uint16_t *>(dstRaw);
  const auto *src = static_cast<const float *>(srcRaw);
  using Source = From<DType::Float>;
  using Result = To<DType::BFloat16, Round::Rint>;
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const size_t lanes = hn::Lanes(DF());
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const VF low = Source::load(src + i), high = Source::load(src + i + lanes);
    if (HWY_UNLIKELY(!pairToBfloat(low, high, dst + i))) {
      Result::store(low, dst + i, p);
      Result::store(high, dst + i + lanes, p);
    }
  }
#endif
  throughFloat<Source, Result>(dst + i, src + i, nullptr, count - i, p);
}

//===- integers beyond float ----------------------------------------------===//

HWY_INLINE float stepBits(float f, int32_t by) {
  int32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  bits += by;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

// An exact value, wider than float, to float in a given mode. Wide is double
// for int32 and long double (64 mantissa bits) for int64.
template <Round Mode, typename Wide> HWY_INLINE float narrowFloat(Wide exact) {
  const float nearest = static_cast<float>(exact);
  const Wide back = nearest;
  const Wide absBack = std::fabs(back), absExact = std::fabs(exact);
  const bool tooBig = absBack > absExact, tooSmall = absBack < absExact;
  switch (Mode) {
  case Round::Trunc:
    return stepBits(nearest, tooBig ? -1 : 0);
  case Round::Floor:
    return stepBits(nearest,
                    exact >= 0 ? (tooBig ? -1 : 0) : (tooSmall ? 1 : 0));
  case Round::Ceil:
    return stepBits(nearest,
                    exact >= 0 ? (tooSmall ? 1 : 0) : (tooBig ? -1 : 0));
  case Round::Round: {
    const Wide next = std::fabs(static_cast<Wide>(stepBits(nearest, 1)));
    const bool tie = tooSmall && next - absExact == absExact - absBack;
    return stepBits(nearest, tie ? 1 : 0);
  }
  default:
    return nearest;
  }
}

template <Round Mode, typename T, typename Wide>
void intToFloat(void *dst, const void *src, const void *, size_t count,
                const SpanParams &) {
  for (size_t i = 0; i < count; ++i)
    static_cast<float *>(dst)[i] =
        narrowFloat<Mode, Wide>(static_cast<const T *>(src)[i]);
}

void int32ToFloatNearest(void *dst, const void *src, const void *, size_t count,
                         const SpanParams &) {
  for (size_t i = 0; i < count; ++i)
    static_cast<float *>(dst)[i] =
        static_cast<float>(static_cast<const int32_t *>(src)[i]);
}

template <Round Mode>
void floatToInt64(void *dst, const void *srcRaw, const void *, size_t count,
                  const SpanParams &p) {
  const auto *src = static_cast<const float *>(srcRaw);
  const size_t lanes = hn::Lanes(DF());
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < count; i += lanes) {
    const size_t rest = std::min(lanes, count - i);
    Padded<float> whole;
    whole.from(src + i, rest);
    hn::StoreU(toIntegral<Mode>(hn::LoadU(DF(), whole.lanes)), DF(),
               whole.lanes);
    for (size_t k = 0; k < rest; ++k) {
      const float f = whole.lanes[k];
      static_cast<int64_t *>(dst)[i + k] =
          std::isnan(f)   ? (p.nanToZero ? 0 : lowest)
          : f >= 0x1p63f  ? std::numeric_limits<int64_t>::max()
          : f <= -0x1p63f ? lowest
                          : static_cast<int64_t>(f);
    }
  }
}

template <typename TDst, typename TSrc>
void intToInt(void *dst, const void *src, const void *, size_t count,
              const SpanParams &) {
  constexpr int64_t low = std::numeric_limits<TDst>::min();
  constexpr int64_t high = std::numeric_limits<TDst>::max();
  for (size_t i = 0; i < count; ++i) {
    const int64_t v = static_cast<const TSrc *>(src)[i];
    static_cast<TDst *>(dst)[i] =
        static_cast<TDst>(v < low ? low : (v > high ? high : v));
  }
}

// src * scale, rounded once to half: the exact product is in double; rounding
// it to odd in float keeps the half rounding correct (24 >= 11 + 2 bits).
void dequantize(void *dst, const void *srcRaw, const void *, size_t count,
                const SpanParams &p) {
  float scale;
  std::memcpy(&scale, &p.scalar, sizeof scale);
  const auto *src = static_cast<const int32_t *>(srcRaw);
  constexpr size_t kChunk = 128;
  float staged[kChunk];
  for (size_t i = 0; i < count; i += kChunk) {
    const size_t rest = std::min(kChunk, count - i);
    for (size_t k = 0; k < rest; ++k) {
      const double exact = static_cast<double>(src[i + k]) * scale;
      const float nearest = static_cast<float>(exact);
      const double error =
          std::fabs(static_cast<double>(nearest)) - std::fabs(exact);
      int32_t bits;
      std::memcpy(&bits, &nearest, sizeof bits);
      bits -= error > 0 ? 1 : 0;
      bits |= error != 0 ? 1 : 0;
      std::memcpy(&staged[k], &bits, sizeof bits);
    }
    throughFloat<From<DType::Float>, To<DType::Half, Round::Rint>>(
        static_cast<uint16_t *>(dst) + i, staged, nullptr, rest, p);
  }
}

// Two 4-bit integers to a byte, the first in the low half.
void int4ToHalf(void *dst, const void *src, const void *, size_t count,
                const SpanParams &) {
  for (size_t i = 0; i < count; ++i) {
    const uint8_t byte = static_cast<const uint8_t *>(src)[i / 2];
    const int8_t value = static_cast<int8_t>(static_cast<uint8_t>(
                             i % 2 ? byte & 0xf0 : byte << 4)) >>
                         4;
    static_cast<uint16_t *>(dst)[i] = sim::halfBitsOfFloat(value);
  }
}

template <Round Mode>
void halfToInt4(void *dst, const void *src, const void *, size_t count,
                const SpanParams &p) {
  int8_t wide[128];
  for (size_t i = 0; i < count; i += 128) {
    const size_t rest = std::min<size_t>(128, count - i);
    throughFloat<From<DType::Half>, To<DType::Int8, Mode>>(
        wide, static_cast<const uint16_t *>(src) + i, nullptr, rest, p);
    for (size_t k = 0; k < rest; ++k) {
      const auto nibble =
          static_cast<uint8_t>(std::clamp<int>(wide[k], -8, 7) & 0xf);
      uint8_t &byte = static_cast<uint8_t *>(dst)[(i + k) / 2];
      byte = k % 2 ? static_cast<uint8_t>((byte & 0x0f) | (nibble << 4))
                   : static_cast<uint8_t>((byte & 0xf0) | nibble);
    }
  }
}

//===- table --------------------------------------------------------------===//

#define LOSSGRAD_FOR_MODES(expr)                                               \
  switch (mode) {                                                              \
  case Round::None:                                                            \
  case Round::Rint: {                                                          \
    constexpr Round M = Round::Rint;                                           \
    return expr;                                                               \
  }                                                                            \
  case Round::Floor: {                                                         \
    constexpr Round M = Round::Floor;                                          \
    return expr;                                                               \
  }                                                                            \
  case Round::Ceil: {                                                          \
    constexpr Round M = Round::Ceil;                                           \
    return expr;                                                               \
  }                                                                            \
  case Round::Round: {                                                         \
    constexpr Round M = Round::Round;                                          \
    return expr;                                                               \
  }                                                                            \
  case Round::Trunc: {                                                         \
    constexpr Round M = Round::Trunc;                                          \
    return expr;                                                               \
  }                                                                            \
  default:                                                                     \
    return nullptr;                                                            \
  }

constexpr unsigned pairOf(DType src, DType dst) {
  return static_cast<unsigned>(src) << 8 | static_cast<unsigned>(dst);
}
template <DType S, DType D, Round M>
constexpr SpanFn viaFloat = throughFloat<From<S>, To<D, M>>;

template <DType D> HWY_INLINE SpanFn floatTo16(Round mode) {
  if (mode == Round::Odd)
    return viaFloat<DType::Float, D, Round::Odd>;
  LOSSGRAD_FOR_MODES((viaFloat<DType::Float, D, M>))
}

template <DType S, DType D>
HWY_INLINE SpanFn rounded(Round mode){LOSSGRAD_FOR_MODES((viaFloat<S, D, M>))}

SpanFn CastTable(DType dst, DType src, Round mode) {
  using T = DType;
  switch (pairOf(src, dst)) {
  case pairOf(T::Half, T::Float):
    return viaFloat<T::Half, T::Float, Round::None>;
  case pairOf(T::BFloat16, T::Float):
    return viaFloat<T::BFloat16, T::Float, Round::None>;
  case pairOf(T::Int16, T::Float):
    return viaFloat<T::Int16, T::Float, Round::None>;
  case pairOf(T::Int8, T::Half):
    return viaFloat<T::Int8, T::Half, Round::Rint>;
  case pairOf(T::UInt8, T::Half):
    return viaFloat<T::UInt8, T::Half, Round::Rint>;
  case pairOf(T::Float, T::Half):
    return floatTo16<T::Half>(mode);
  case pairOf(T::Float, T::BFloat16):
    return mode == Round::Rint ? floatToBfloatSpan
                               : floatTo16<T::BFloat16>(mode);
  case pairOf(T::Float, T::Float):
    return rounded<T::Float, T::Float>(mode);
  case pairOf(T::Float, T::Int32):
    return rounded<T::Float, T::Int32>(mode);
  case pairOf(T::Float, T::Int16):
    return rounded<T::Float, T::Int16>(mode);
  case pairOf(T::Half, T::Int32):
    return rounded<T::Half, T::Int32>(mode);
  case pairOf(T::Half, T::Int16):
    return rounded<T::Half, T::Int16>(mode);
  case pairOf(T::Half, T::Int8):
    return rounded<T::Half, T::Int8>(mode);
  case pairOf(T::Half, T::UInt8):
    return rounded<T::Half, T::UInt8>(mode);
  case pairOf(T::Half, T::BFloat16):
    return rounded<T::Half, T::BFloat16>(mode);
  case pairOf(T::BFloat16, T::Half):
    return rounded<T::BFloat16, T::Half>(mode);
  case pairOf(T::BFloat16, T::Int32):
    return rounded<T::BFloat16, T::Int32>(mode);
  case pairOf(T::Int16, T::Half):
    return rounded<T::Int16, T::Half>(mode);
  case pairOf(T::Int32, T::Float):
    if (mode == Round::None || mode == Round::Rint)
      return int32ToFloatNearest;
    LOSSGRAD_FOR_MODES((intToFloat<M, int32_t, double>))
  case pairOf(T::Int64, T::Float):
    LOSSGRAD_FOR_MODES((intToFloat<M, int64_t, long double>))
  case pairOf(T::Float, T::Int64):
    LOSSGRAD_FOR_MODES((floatToInt64<M>))
  case pairOf(T::Int64, T::Int32):
    return intToInt<int32_t, int64_t>;
  case pairOf(T::Int32, T::Int64):
    return intToInt<int64_t, int32_t>;
  case pairOf(T::Int32, T::Int16):
    return intToInt<int16_t, int32_t>;
  case pairOf(T::Int16, T::Int8): // only inside AddReluCast and SubReluCast
    return intToInt<int8_t, int16_t>;
  case pairOf(T::Int32, T::Half):
    return dequantize;
  case pairOf(T::Int4, T::Half):
    return int4ToHalf;
  case pairOf(T::Half, T::Int4):
    LOSSGRAD_FOR_MODES((halfToInt4<M>))
  default:
    return nullptr;
  }
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lossgrad::vector {
HWY_EXPORT(CastTable);

SpanFn castSpan(DType dst, DType src, Round mode) {
  return HWY_DYNAMIC_DISPATCH(CastTable)(dst, src, mode);
}

} // namespace lossgrad::vector
#endif
