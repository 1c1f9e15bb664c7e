// Per-target helpers of the span functions: half and bfloat16 lanes as float
// lanes and back, and the loop with its tail. Included once per instruction
// set by the sources in this folder; not a header for anyone else.
#if defined(LOSSGRAD_VECTOR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOSSGRAD_VECTOR_LANES_INL_H_
#undef LOSSGRAD_VECTOR_LANES_INL_H_
#else
#define LOSSGRAD_VECTOR_LANES_INL_H_
#endif

#include "Span.h"

#include "hwy/highway.h"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Without F16C Highway's conversions neither round nor keep infinities, so
// older instruction sets do it with integers here.
#if (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2) || HWY_TARGET == HWY_SCALAR ||     \
    HWY_TARGET == HWY_EMU128
#undef LOSSGRAD_SOFT_HALF
#define LOSSGRAD_SOFT_HALF 1
#else
#undef LOSSGRAD_SOFT_HALF
#define LOSSGRAD_SOFT_HALF 0
#endif

using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using DHalf = hn::Rebind<uint16_t, DF>; // as many 16-bit lanes as float lanes
using VF = hn::VFromD<DF>;
using VU = hn::VFromD<DU>;
using VHalf = hn::VFromD<DHalf>;
constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE VHalf narrow16(VU v) {
  return hn::DemoteTo(DHalf(), hn::BitCast(DI(), v));
}

HWY_INLINE VF halfToFloat(VHalf h) {
#if LOSSGRAD_SOFT_HALF
  const DF df;
  const DU du;
  const VU x = hn::PromoteTo(du, h);
  const VU sign = hn::ShiftLeft<16>(hn::And(x, hn::Set(du, 0x8000u)));
  const VU mag = hn::And(x, hn::Set(du, 0x7fffu));
  const VU bias = hn::Set(du, 0x38000000u);
  VU bits = hn::Add(hn::ShiftLeft<13>(mag), bias);
  const auto special = hn::Gt(hn::BitCast(DI(), mag), hn::Set(DI(), 0x7bff));
  bits = hn::IfThenElse(hn::RebindMask(du, special), hn::Add(bits, bias), bits);
  const VF tiny =
      hn::Mul(hn::ConvertTo(df, hn::BitCast(DI(), mag)), hn::Set(df, 0x1p-24f));
  const auto isTiny = hn::Lt(hn::BitCast(DI(), mag), hn::Set(DI(), 0x400));
  bits =
      hn::IfThenElse(hn::RebindMask(du, isTiny), hn::BitCast(du, tiny), bits);
  return hn::BitCast(df, hn::Or(bits, sign));
#else
  const hn::Rebind<hwy::float16_t, DF> d16;
  return hn::PromoteTo(DF(), hn::BitCast(d16, h));
#endif
}

// Nearest even; overflow gives infinity.
HWY_INLINE VHalf floatToHalf(VF v) {
#if LOSSGRAD_SOFT_HALF
  const DF df;
  const DU du;
  const DI di;
  const VU x = hn::BitCast(du, v);
  const VU mag = hn::And(x, hn::Set(du, 0x7fffffffu));
  const VU sign = hn::ShiftRight<16>(hn::Xor(x, mag));
  const auto smag = hn::BitCast(di, mag);
  const VU odd = hn::And(hn::ShiftRight<13>(mag), hn::Set(du, 1u));
  VU bits = hn::ShiftRight<13>(
      hn::Add(hn::Sub(mag, hn::Set(du, 0x38000000u - 0xfffu)), odd));
  // Below 2^-14 the float adder aligns and rounds: 0.5 has the right ulp.
  const VF aligned = hn::Add(hn::BitCast(df, mag), hn::Set(df, 0.5f));
  const VU tiny = hn::Sub(hn::BitCast(du, aligned), hn::Set(du, 0x3f000000u));
  bits = hn::IfThenElse(
      hn::RebindMask(du, hn::Lt(smag, hn::Set(di, 0x38800000))), tiny, bits);
  bits =
      hn::IfThenElse(hn::RebindMask(du, hn::Gt(smag, hn::Set(di, 0x477fefff))),
                     hn::Set(du, 0x7c00u), bits);
  const VU nan = hn::Or(hn::Set(du, 0x7e00u),
                        hn::And(hn::ShiftRight<13>(mag), hn::Set(du, 0x1ffu)));
  bits = hn::IfThenElse(
      hn::RebindMask(du, hn::Gt(smag, hn::Set(di, 0x7f800000))), nan, bits);
  return narrow16(hn::Or(bits, sign));
#else
  const hn::Rebind<hwy::float16_t, DF> d16;
  return hn::BitCast(DHalf(), hn::DemoteTo(d16, v));
#endif
}

HWY_INLINE VF bfloatToFloat(VHalf b) {
  const DU du;
  return hn::BitCast(DF(), hn::ShiftLeft<16>(hn::PromoteTo(du, b)));
}

HWY_INLINE VHalf floatToBfloat(VF v) {
  const DU du;
  const VU x = hn::BitCast(du, v);
  const VU odd = hn::And(hn::ShiftRight<16>(x), hn::Set(du, 1u));
  const VU rounded = hn::Add(hn::Add(x, hn::Set(du, 0x7fffu)), odd);
  const VU quiet = hn::Or(x, hn::Set(du, 0x400000u));
  return narrow16(hn::ShiftRight<16>(
      hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded)));
}

// A storage type that computes in float lanes. `saturated` is what CTRL[48] = 0
// makes of a result that does not fit.
struct FloatFormat {
  using Storage = float;
  static HWY_INLINE VF load(const float *p) { return hn::LoadU(DF(), p); }
  static HWY_INLINE VF splat(float value) { return hn::Set(DF(), value); }
  static HWY_INLINE void store(VF v, float *p) { hn::StoreU(v, DF(), p); }
  static HWY_INLINE VF rounded(VF v) { return v; }
  static HWY_INLINE VF saturated(VF v) { return v; }
};

HWY_INLINE VF clampFinite(VF v, float largest) {
  const DF df;
  const VF limit = hn::Set(df, largest);
  const VF clamped = hn::Max(hn::Min(v, limit), hn::Neg(limit));
  return hn::IfThenZeroElse(hn::IsNaN(v), clamped);
}

struct HalfFormat {
  using Storage = uint16_t;
  static HWY_INLINE VF load(const uint16_t *p) {
    return halfToFloat(hn::LoadU(DHalf(), p));
  }
  static HWY_INLINE VF splat(uint16_t bits) {
    return halfToFloat(hn::Set(DHalf(), bits));
  }
  static HWY_INLINE void store(VF v, uint16_t *p) {
    hn::StoreU(floatToHalf(v), DHalf(), p);
  }
  static HWY_INLINE VF rounded(VF v) { return halfToFloat(floatToHalf(v)); }
  static HWY_INLINE VF saturated(VF v) { return clampFinite(v, 65504.0f); }
};

struct BfloatFormat {
  using Storage = uint16_t;
  static HWY_INLINE VF load(const uint16_t *p) {
    return bfloatToFloat(hn::LoadU(DHalf(), p));
  }
  static HWY_INLINE VF splat(uint16_t bits) {
    return bfloatToFloat(hn::Set(DHalf(), bits));
  }
  static HWY_INLINE void store(VF v, uint16_t *p) {
    hn::StoreU(floatToBfloat(v), DHalf(), p);
  }
  static HWY_INLINE VF rounded(VF v) { return bfloatToFloat(floatToBfloat(v)); }
  static HWY_INLINE VF saturated(VF v) { return clampFinite(v, 0x1.fep127f); }
};

// Tail of fewer than one vector: through a padded copy, so that nothing beyond
// the span is touched.
template <typename T> struct Padded {
  HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)] = {};
  HWY_INLINE const T *from(const T *p, size_t count) {
    std::memcpy(lanes, p, count * sizeof(T));
    return lanes;
  }
  HWY_INLINE void to(T *p, size_t count) const {
    std::memcpy(p, lanes, count * sizeof(T));
  }
};

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
