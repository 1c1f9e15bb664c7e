// Exp and Ln, on Highway's polynomials, with the special values that those do
// not define; where the host scales by a power of two in one instruction, Exp
// is done with that. 16-bit types compute in float and round once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Transcendental.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"
#include "Transcendental.h"

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
// 2^n * e^r with n = round(x / ln 2) and |r| <= ln 2 / 2; ln 2 in two parts,
// the polynomial of the Cephes library (1 ulp). Scaling gives infinity,
// subnormal results and zero by itself and keeps NaN.
HWY_INLINE VF scaledExp(VF x) {
  const DF df;
  // Beyond these, n would not be exact; the result is infinite or 0 before. NaN
  // stays, being the second operand.
  const VF bounded =
      hn::Max(hn::Set(df, -200.0f), hn::Min(hn::Set(df, 200.0f), x));
  const VF n = hn::Round(hn::Mul(bounded, hn::Set(df, 0x1.715476p+0f)));
  VF r = hn::NegMulAdd(n, hn::Set(df, 0x1.62e4p-1f), bounded);
  r = hn::NegMulAdd(n, hn::Set(df, 0x1.7f7d1cp-20f), r);
  VF y = hn::Set(df, 1.9875691500e-4f);
  for (float c : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                  1.6666665459e-1f, 5.0000001201e-1f})
    y = hn::MulAdd(y, r, hn::Set(df, c));
  y = hn::MulAdd(y, hn::Mul(r, r), r);
  y = hn::Add(y, hn::Set(df, 1.0f));
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
  auto step = [&](T *d, const T *s) HWY_ATTR {
    VF y = Op::apply(Format::load(s), !Plain && p.flushSubnormals);
    if (!Plain && p.saturate)
      y = Format::saturated(y);
    Format::store(y, d);
  };
  size_t i = 0;
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
  const size_t i =
      p.flushSubnormals || p.saturate
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
