// Span functions of the arithmetic instructions on floating types: binary,
// unary, tensor-scalar and multiply-add, in float lanes with one rounding per
// operation. Exp and Ln are in Transcendental.cpp, integers in Integers.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Elementwise.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

//===- operations on float lanes ------------------------------------------===//

// -0 < +0, and NaN as the switch says: kept, or the other operand taken.
template <bool Max> HWY_INLINE VF extreme(VF a, VF b, bool keepNaN) {
  const VF picked = Max ? hn::Max(a, b) : hn::Min(a, b);
  const VF onTie = Max ? hn::And(a, b) : hn::Or(a, b);
  const VF ordered = hn::IfThenElse(hn::Eq(a, b), onTie, picked);
  if (keepNaN)
    return hn::IfThenElse(hn::IsNaN(a), a,
                          hn::IfThenElse(hn::IsNaN(b), b, ordered));
  return hn::IfThenElse(hn::IsNaN(a), b,
                        hn::IfThenElse(hn::IsNaN(b), a, ordered));
}

HWY_INLINE VF relu(VF a, bool keepNaN) {
  return extreme<true>(a, hn::Zero(DF()), keepNaN);
}

HWY_INLINE VF flushed(VF v, bool flush) {
  if (!flush)
    return v;
  const DF df;
  const VF tiny = hn::Set(df, 0x1p-126f);
  const VF zero = hn::And(v, hn::Set(df, -0.0f)); // keeps the sign
  return hn::IfThenElse(hn::Lt(hn::Abs(v), tiny), zero, v);
}

// a * b + c with the intermediate rounding of the storage type.
template <class Format> HWY_INLINE VF mulAdd(VF a, VF b, VF c) {
  return hn::Add(Format::rounded(hn::Mul(a, b)), c);
}

// Every functor gets the old destination too; the compiler drops the load
// where it is not used.
template <BinaryOp Op> struct Binary {
  template <class Format>
  static HWY_INLINE VF apply(VF dst, VF a, VF b, const SpanParams &p) {
    if constexpr (Op == BinaryOp::Add)
      return hn::Add(a, b);
    else if constexpr (Op == BinaryOp::Sub)
      return hn::Sub(a, b);
    else if constexpr (Op == BinaryOp::Mul)
      return hn::Mul(a, b);
    else if constexpr (Op == BinaryOp::Div)
      return flushed(
          hn::Div(flushed(a, p.flushSubnormals), flushed(b, p.flushSubnormals)),
          p.flushSubnormals);
    else if constexpr (Op == BinaryOp::Max)
      return extreme<true>(a, b, p.keepNaN);
    else if constexpr (Op == BinaryOp::Min)
      return extreme<false>(a, b, p.keepNaN);
    else if constexpr (Op == BinaryOp::AddRelu)
      return relu(Format::rounded(hn::Add(a, b)), p.keepNaN);
    else if constexpr (Op == BinaryOp::SubRelu)
      return relu(Format::rounded(hn::Sub(a, b)), p.keepNaN);
    else if constexpr (Op == BinaryOp::MulAddDst)
      return mulAdd<Format>(a, b, dst);
    else if constexpr (Op == BinaryOp::FusedMulAdd)
      return mulAdd<Format>(a, dst, b);
    else
      return relu(Format::rounded(mulAdd<Format>(a, dst, b)), p.keepNaN);
  }
};

template <UnaryOp Op> struct Unary {
  template <class Format>
  static HWY_INLINE VF apply(VF, VF a, VF, const SpanParams &p) {
    const DF df;
    const VF x = flushed(a, p.flushSubnormals);
    if constexpr (Op == UnaryOp::Abs)
      return hn::Abs(a);
    else if constexpr (Op == UnaryOp::Relu)
      return relu(a, p.keepNaN);
    else if constexpr (Op == UnaryOp::Sqrt)
      return flushed(hn::Sqrt(x), p.flushSubnormals);
    else if constexpr (Op == UnaryOp::Rsqrt)
      return hn::Div(hn::Set(df, 1.0f), hn::Sqrt(x));
    else
      return flushed(hn::Div(hn::Set(df, 1.0f), x), p.flushSubnormals);
  }
};

// The same against a scalar that is neither NaN nor a zero: one comparison, and
// NaN on the side that the switch asks for.
template <bool Max, bool KeepNaN> struct PlainExtreme {
  template <class Format>
  static HWY_INLINE VF apply(VF, VF a, VF s, const SpanParams &) {
    if constexpr (KeepNaN)
      return hn::IfThenElse(Max ? hn::Lt(a, s) : hn::Gt(a, s), s, a);
    else
      return hn::IfThenElse(Max ? hn::Gt(a, s) : hn::Lt(a, s), a, s);
  }
};

template <ScalarOp Op> struct WithScalar {
  template <class Format>
  static HWY_INLINE VF apply(VF dst, VF a, VF s, const SpanParams &p) {
    if constexpr (Op == ScalarOp::Adds)
      return hn::Add(a, s);
    else if constexpr (Op == ScalarOp::Muls)
      return hn::Mul(a, s);
    else if constexpr (Op == ScalarOp::Maxs)
      return extreme<true>(a, s, p.keepNaN);
    else if constexpr (Op == ScalarOp::Mins)
      return extreme<false>(a, s, p.keepNaN);
    else if constexpr (Op == ScalarOp::LeakyRelu)
      return hn::IfThenElse(hn::Ge(a, hn::Zero(DF())), a, hn::Mul(a, s));
    else
      return mulAdd<Format>(s, a, dst);
  }
};

//===- loops over float lanes ---------------------------------------------===//

// The last operand of an operation: a span, a scalar, or nothing.
enum class Second { Span, Scalar, None };

template <class Op, class Out, class In, Second second, bool Saturate>
HWY_INLINE void floatLoop(void *dstRaw, const void *aRaw, const void *bRaw,
                          size_t count, const SpanParams &p) {
  using TOut = typename Out::Storage;
  using TIn = typename In::Storage;
  auto *dst = static_cast<TOut *>(dstRaw);
  const auto *a = static_cast<const TIn *>(aRaw);
  const auto *b = static_cast<const TIn *>(bRaw);
  const DF df;
  const size_t lanes = hn::Lanes(df);
  VF scalar = hn::Zero(df);
  if constexpr (second == Second::Scalar) {
    TIn value;
    std::memcpy(&value, &p.scalar, sizeof value);
    scalar = In::splat(value);
  }
  auto step = [&](TOut *d, const TIn *x, const TIn *y) HWY_ATTR {
    const VF rhs = second == Second::Span ? In::load(y) : scalar;
    VF result = Op::template apply<Out>(Out::load(d), In::load(x), rhs, p);
    if constexpr (Saturate)
      result = Out::saturated(result);
    Out::store(result, d);
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    step(dst + i, a + i, b + i);
  if (i == count)
    return;
  const size_t rest = count - i;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // Rows are often no multiple of the lanes; masked access is quick here.
  if constexpr (std::is_same_v<TOut, float> && std::is_same_v<TIn, float>) {
    const auto part = hn::FirstN(df, rest);
    const VF rhs =
        second == Second::Span ? hn::MaskedLoad(part, df, b + i) : scalar;
    const VF result =
        Op::template apply<Out>(hn::MaskedLoad(part, df, dst + i),
                                hn::MaskedLoad(part, df, a + i), rhs, p);
    hn::BlendedStore(result, part, df, dst + i);
    return;
  }
#endif
  Padded<TOut> d;
  Padded<TIn> x, y;
  d.from(dst + i, rest);
  x.from(a + i, rest);
  if constexpr (second == Second::Span)
    y.from(b + i, rest);
  step(d.lanes, x.lanes, y.lanes);
  d.to(dst + i, rest);
}

template <class Op, class Out, class In, Second second>
void floatSpan(void *dst, const void *a, const void *b, size_t count,
               const SpanParams &p) {
  if (p.saturate)
    floatLoop<Op, Out, In, second, true>(dst, a, b, count, p);
  else
    floatLoop<Op, Out, In, second, false>(dst, a, b, count, p);
}

// float arithmetic keeps inf and NaN in every mode: no saturating variant.
template <class Op, Second second>
void f32Span(void *dst, const void *a, const void *b, size_t count,
             const SpanParams &p) {
  floatLoop<Op, FloatFormat, FloatFormat, second, false>(dst, a, b, count, p);
}

template <bool Max>
void f32ExtremeSpan(void *dst, const void *a, const void *b, size_t count,
                    const SpanParams &p) {
  float scalar;
  std::memcpy(&scalar, &p.scalar, sizeof scalar);
  constexpr auto Op = Max ? ScalarOp::Maxs : ScalarOp::Mins;
  if (scalar == 0 || scalar != scalar)
    f32Span<WithScalar<Op>, Second::Scalar>(dst, a, b, count, p);
  else if (p.keepNaN)
    f32Span<PlainExtreme<Max, true>, Second::Scalar>(dst, a, b, count, p);
  else
    f32Span<PlainExtreme<Max, false>, Second::Scalar>(dst, a, b, count, p);
}

//===- tables -------------------------------------------------------------===//

template <class Op, Second second> HWY_INLINE SpanFn floatFamily(DType type) {
  switch (type) {
  case DType::Float:
    return f32Span<Op, second>;
  case DType::Half:
    return floatSpan<Op, HalfFormat, HalfFormat, second>;
  case DType::BFloat16:
    return floatSpan<Op, BfloatFormat, BfloatFormat, second>;
  default:
    return nullptr;
  }
}

SpanFn BinaryTable(BinaryOp op, DType dst, DType src) {
  if (dst == DType::Float && src == DType::Half)
    return op == BinaryOp::MulAddDst
               ? floatSpan<Binary<BinaryOp::MulAddDst>, FloatFormat, HalfFormat,
                           Second::Span>
               : nullptr;
  if (dst != src)
    return nullptr;
  switch (op) {
  case BinaryOp::Add:
    return floatFamily<Binary<BinaryOp::Add>, Second::Span>(dst);
  case BinaryOp::Sub:
    return floatFamily<Binary<BinaryOp::Sub>, Second::Span>(dst);
  case BinaryOp::Mul:
    return floatFamily<Binary<BinaryOp::Mul>, Second::Span>(dst);
  case BinaryOp::Max:
    return floatFamily<Binary<BinaryOp::Max>, Second::Span>(dst);
  case BinaryOp::Min:
    return floatFamily<Binary<BinaryOp::Min>, Second::Span>(dst);
  case BinaryOp::Div:
    return floatFamily<Binary<BinaryOp::Div>, Second::Span>(dst);
  case BinaryOp::AddRelu:
    return floatFamily<Binary<BinaryOp::AddRelu>, Second::Span>(dst);
  case BinaryOp::SubRelu:
    return floatFamily<Binary<BinaryOp::SubRelu>, Second::Span>(dst);
  case BinaryOp::MulAddDst:
    return floatFamily<Binary<BinaryOp::MulAddDst>, Second::Span>(dst);
  case BinaryOp::FusedMulAdd:
    return floatFamily<Binary<BinaryOp::FusedMulAdd>, Second::Span>(dst);
  case BinaryOp::FusedMulAddRelu:
    return floatFamily<Binary<BinaryOp::FusedMulAddRelu>, Second::Span>(dst);
  default:
    return nullptr;
  }
}

SpanFn UnaryTable(UnaryOp op, DType type) {
  switch (op) {
  case UnaryOp::Abs:
    return floatFamily<Unary<UnaryOp::Abs>, Second::None>(type);
  case UnaryOp::Sqrt:
    return floatFamily<Unary<UnaryOp::Sqrt>, Second::None>(type);
  case UnaryOp::Rsqrt:
    return floatFamily<Unary<UnaryOp::Rsqrt>, Second::None>(type);
  case UnaryOp::Reciprocal:
    return floatFamily<Unary<UnaryOp::Reciprocal>, Second::None>(type);
  case UnaryOp::Relu:
    return floatFamily<Unary<UnaryOp::Relu>, Second::None>(type);
  default:
    return nullptr;
  }
}

SpanFn ScalarTable(ScalarOp op, DType dst, DType src) {
  if (dst == DType::Float && src == DType::Half)
    return op == ScalarOp::Axpy
               ? floatSpan<WithScalar<ScalarOp::Axpy>, FloatFormat, HalfFormat,
                           Second::Scalar>
               : nullptr;
  if (dst != src)
    return nullptr;
  switch (op) {
  case ScalarOp::Adds:
    return floatFamily<WithScalar<ScalarOp::Adds>, Second::Scalar>(dst);
  case ScalarOp::Muls:
    return floatFamily<WithScalar<ScalarOp::Muls>, Second::Scalar>(dst);
  case ScalarOp::Maxs:
    if (dst == DType::Float)
      return f32ExtremeSpan<true>;
    return floatFamily<WithScalar<ScalarOp::Maxs>, Second::Scalar>(dst);
  case ScalarOp::Mins:
    if (dst == DType::Float)
      return f32ExtremeSpan<false>;
    return floatFamily<WithScalar<ScalarOp::Mins>, Second::Scalar>(dst);
  case ScalarOp::LeakyRelu:
    return floatFamily<WithScalar<ScalarOp::LeakyRelu>, Second::Scalar>(dst);
  case ScalarOp::Axpy:
    return floatFamily<WithScalar<ScalarOp::Axpy>, Second::Scalar>(dst);
  default:
    return nullptr;
  }
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "Integers.h"
#include "Transcendental.h"

namespace lossgrad::vector {
HWY_EXPORT(BinaryTable);
HWY_EXPORT(UnaryTable);
HWY_EXPORT(ScalarTable);

SpanFn binarySpan(BinaryOp op, DType dst, DType src) {
  if (dst == src && isInteger(dst))
    return integerBinarySpan(op, dst);
  return HWY_DYNAMIC_DISPATCH(BinaryTable)(op, dst, src);
}

SpanFn unarySpan(UnaryOp op, DType type) {
  if (op == UnaryOp::Exp || op == UnaryOp::Ln)
    return transcendentalSpan(op, type);
  if (op == UnaryOp::Not || isInteger(type))
    return integerUnarySpan(op, type);
  return HWY_DYNAMIC_DISPATCH(UnaryTable)(op, type);
}

SpanFn scalarSpan(ScalarOp op, DType dst, DType src) {
  if (dst == src && isInteger(dst))
    return integerScalarSpan(op, dst);
  return HWY_DYNAMIC_DISPATCH(ScalarTable)(op, dst, src);
}

} // namespace lossgrad::vector
#endif
