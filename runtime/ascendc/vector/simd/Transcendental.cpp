// Exp and Ln, on Highway's polynomials, with the special values that those do
// not define; where the host scales by a power of two in one instruction, Exp
// is done with that. 16-bit types compute in float and round once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Transcendental.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"
#include "Transcendental.h"

#include "hwy/cache_control.h"
#include "hwy/contrib/math/math-inl.h"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

HWY_INLINE VF flushInput(VF v) {
  const DF df;
  return hn::IfThenElse(hn::Lt(hn::Abs(v), hn::Set(df, 0x1p-126f)),
                        hn::Zero(df), v);
}

#undef LOSSGRAD_SCALES
#define LOSSGRAD_SCALES (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

#if LOSSGRAD_SCALES
// 2^(j / 16), rounded.
alignas(64) constexpr float kSixteenths[16] = {
    0x1.000000p+0f, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f,
    0x1.306fe0p+0f, 0x1.3dea64p+0f, 0x1.4bfdaep+0f, 0x1.5ab07ep+0f,
    0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
    0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};

// 2^n * e^r with n = x / ln 2 rounded to sixteenths and |r| <= ln 2 / 32, so
// that three terms are enough (1.1 ulp); ln 2 in two parts. Scaling takes the
// whole part of n, gives infinity, subnormal results and zero by itself and
// keeps NaN.
HWY_INLINE VF scaledExp(VF x) {
  const DF df;
  // Beyond these, n would not be exact; the result is infinite or 0 before. NaN
  // stays, being the second operand.
  const VF bounded =
      hn::Max(hn::Set(df, -200.0f), hn::Min(hn::Set(df, 200.0f), x));
  // So large that its last place is a sixteenth: adding it rounds, and leaves
  // the fraction in the last four bits.
  const VF large = hn::Set(df, 0x1.8p+19f);
  const VF shifted = hn::MulAdd(bounded, hn::Set(df, 0x1.715476p+0f), large);
  const VF n = hn::Sub(shifted, large);
  const VF fraction{_mm512_permutexvar_ps(_mm512_castps_si512(shifted.raw),
                                          _mm512_load_ps(kSixteenths))};
  VF r = hn::NegMulAdd(n, hn::Set(df, 0x1.62e4p-1f), bounded);
  r = hn::NegMulAdd(n, hn::Set(df, 0x1.7f7d1cp-20f), r);
  VF y = hn::MulAdd(r, hn::Set(df, 0x1.555556p-3f), hn::Set(df, 0.5f));
  y = hn::MulAdd(y, hn::Mul(r, r), r);
  y = hn::MulAdd(fraction, y, fraction);
  return VF{_mm512_scalef_ps(y.raw, n.raw)};
}
#endif

struct ExpOp {
  static HWY_INLINE VF apply(VF x, bool flush) {
    const DF df;
#if LOSSGRAD_SCALES
    const VF scaled = scaledExp(x);
    return flush ? flushInput(scaled) : scaled;
#endif
    // ln(FLT_MAX) rounded up to the next float: from here on the result is inf.
    const VF top = hn::Set(df, 0x1.62e430p+6f);
    const VF bounded = hn::Min(x, hn::Set(df, 88.9f));
    VF y = hn::Exp(df, bounded);
    y = hn::IfThenElse(hn::Ge(x, top),
                       hn::Set(df, std::numeric_limits<float>::infinity()), y);
    if (flush)
      y = flushInput(y);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

struct LnOp {
  static HWY_INLINE VF apply(VF raw, bool flush) {
    const DF df;
    const VF x = flush ? flushInput(raw) : raw;
    const VF inf = hn::Set(df, std::numeric_limits<float>::infinity());
    VF y = hn::Log(df, x);
    y = hn::IfThenElse(hn::Eq(x, inf), inf, y);
    y = hn::IfThenElse(hn::Eq(x, hn::Zero(df)), hn::Neg(inf), y);
    y = hn::IfThenElse(hn::Lt(x, hn::Zero(df)),
                       hn::Set(df, std::numeric_limits<float>::quiet_NaN()), y);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

// Whole vectors; returns how many elements that were. What is the same for all
// of them is known to the compiler: asking for each costs Exp a fifth.
template <class Op, class Format, bool Plain, typename T>
HWY_INLINE size_t mathVectors(T *dst, const T *src, size_t count,
                              const SpanParams &p) {
  const size_t lanes = hn::Lanes(DF());
  // Arithmetic leaves room for a line per vector.
  const Later first = p.later[0], second = p.later[1];
  size_t i = 0;
  auto step = [&](T *d, const T *s) HWY_ATTR {
    if (first.at)
      hwy::Prefetch(first.at + i * first.bytes);
    if (second.at)
      hwy::Prefetch(second.at + i * second.bytes);
    VF y = Op::apply(Format::load(s), !Plain && p.flushSubnormals);
    if (!Plain && p.saturate)
      y = Format::saturated(y);
    Format::store(y, d);
  };
  for (; i + lanes <= count; i += lanes)
    step(dst + i, src + i);
  return i;
}

template <class Op, class Format>
void mathSpan(void *dstRaw, const void *srcRaw, const void *, size_t count,
              const SpanParams &p) {
  using T = typename Format::Storage;
  auto *dst = static_cast<T *>(dstRaw);
  const auto *src = static_cast<const T *>(srcRaw);
  const size_t i = p.flushSubnormals || p.saturate
                       ? mathVectors<Op, Format, false>(dst, src, count, p)
                       : mathVectors<Op, Format, true>(dst, src, count, p);
  if (i == count)
    return;
  Padded<T> tail;
  tail.from(src + i, count - i);
  mathVectors<Op, Format, false>(tail.lanes, tail.lanes, hn::Lanes(DF()), p);
  tail.to(dst + i, count - i);
}

template <class Op> HWY_INLINE SpanFn mathFamily(DType type) {
  switch (type) {
  case DType::Float:
    return mathSpan<Op, FloatFormat>;
  case DType::Half:
    return mathSpan<Op, HalfFormat>;
  default:
    return nullptr;
  }
}

SpanFn MathTable(UnaryOp op, DType type) {
  return op == UnaryOp::Exp ? mathFamily<ExpOp>(type) : mathFamily<LnOp>(type);
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lossgrad::vector {
HWY_EXPORT(MathTable);

SpanFn transcendentalSpan(UnaryOp op, DType type) {
  return HWY_DYNAMIC_DISPATCH(MathTable)(op, type);
}

} // namespace lossgrad::vector
#endif
