// Span functions of the arithmetic instructions: binary, unary, tensor-scalar
// and multiply-add, for the floating types in float lanes with one rounding
// per operation, for integers in their own lanes. Exp and Ln are in
// Transcendental.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Elementwise.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

#include <algorithm>
#include <limits>

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

//===- operations on integer lanes ----------------------------------------===//

template <typename T, class Op>
HWY_INLINE void intLoop(void *dstRaw, const void *aRaw, const void *bRaw,
                        size_t count, Op op) {
  auto *dst = static_cast<T *>(dstRaw);
  const auto *a = static_cast<const T *>(aRaw);
  const auto *b = static_cast<const T *>(bRaw);
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(
        op(d, hn::LoadU(d, a + i), b ? hn::LoadU(d, b + i) : hn::Zero(d)), d,
        dst + i);
  if (i == count)
    return;
  const size_t rest = count - i;
  Padded<T> x, y;
  x.from(a + i, rest);
  if (b)
    y.from(b + i, rest);
  hn::StoreU(op(d, hn::LoadU(d, x.lanes), hn::LoadU(d, y.lanes)), d, x.lanes);
  x.to(dst + i, rest);
}

template <typename T> HWY_INLINE T clampTo(int64_t v) {
  return static_cast<T>(std::clamp<int64_t>(v, std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max()));
}

// Saturating integer arithmetic is a switch that is off by default: plain code.
template <BinaryOp Op, typename T>
void saturatingInt(void *dst, const void *a, const void *b, size_t count,
                   const T *scalar) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t x = static_cast<const T *>(a)[i];
    const int64_t y = scalar ? *scalar : static_cast<const T *>(b)[i];
    const bool adds = Op == BinaryOp::Add || Op == BinaryOp::AddRelu;
    const bool relu = Op == BinaryOp::AddRelu || Op == BinaryOp::SubRelu;
    const int64_t exact = adds ? x + y : Op == BinaryOp::Mul ? x * y : x - y;
    static_cast<T *>(dst)[i] =
        clampTo<T>(relu ? std::max<int64_t>(exact, 0) : exact);
  }
}

template <BinaryOp Op> struct IntBinary {
  template <class D, class V> HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (Op == BinaryOp::Add)
      return hn::Add(a, b);
    else if constexpr (Op == BinaryOp::Sub)
      return hn::Sub(a, b);
    else if constexpr (Op == BinaryOp::Mul)
      return hn::Mul(a, b);
    else if constexpr (Op == BinaryOp::Max)
      return hn::Max(a, b);
    else if constexpr (Op == BinaryOp::Min)
      return hn::Min(a, b);
    else if constexpr (Op == BinaryOp::And)
      return hn::And(a, b);
    else if constexpr (Op == BinaryOp::Or)
      return hn::Or(a, b);
    else if constexpr (Op == BinaryOp::AddRelu)
      return hn::Max(hn::Add(a, b), hn::Zero(d));
    else
      return hn::Max(hn::Sub(a, b), hn::Zero(d));
  }
};

template <BinaryOp Op, typename T>
void intSpan(void *dst, const void *a, const void *b, size_t count,
             const SpanParams &p) {
  if constexpr (Op == BinaryOp::Add || Op == BinaryOp::Sub ||
                Op == BinaryOp::Mul || Op == BinaryOp::AddRelu ||
                Op == BinaryOp::SubRelu)
    if (!p.intWraps)
      return saturatingInt<Op, T>(dst, a, b, count, nullptr);
  intLoop<T>(dst, a, b, count, IntBinary<Op>());
}

template <class VecT, BinaryOp Op> struct IntWithScalar {
  VecT scalar;
  template <class D, class V> HWY_INLINE V operator()(D d, V a, V) const {
    return IntBinary<Op>()(d, a, scalar);
  }
};

template <BinaryOp Op, typename T>
void intScalarSpan(void *dst, const void *a, const void *, size_t count,
                   const SpanParams &p) {
  T value;
  std::memcpy(&value, &p.scalar, sizeof value);
  if constexpr (Op == BinaryOp::Add || Op == BinaryOp::Mul)
    if (!p.intWraps)
      return saturatingInt<Op, T>(dst, a, nullptr, count, &value);
  const hn::ScalableTag<T> d;
  intLoop<T>(dst, a, nullptr, count,
             IntWithScalar<hn::VFromD<decltype(d)>, Op>{hn::Set(d, value)});
}

struct IntNot {
  template <class D, class V> HWY_INLINE V operator()(D, V a, V) const {
    return hn::Not(a);
  }
};

struct IntRelu {
  template <class D, class V> HWY_INLINE V operator()(D d, V a, V) const {
    return hn::Max(a, hn::Zero(d));
  }
};

template <typename T, class Op>
void intUnarySpan(void *dst, const void *a, const void *, size_t count,
                  const SpanParams &) {
  intLoop<T>(dst, a, nullptr, count, Op());
}

// A shift by the width or more empties the lane (right shifts of a signed type
// fill it with the sign).
template <typename T>
void shiftLeftSpan(void *dst, const void *a, const void *, size_t count,
                   const SpanParams &p) {
  T amount;
  std::memcpy(&amount, &p.scalar, sizeof amount);
  using U = std::make_unsigned_t<T>;
  const unsigned bits = static_cast<unsigned>(static_cast<U>(amount));
  const auto *x = static_cast<const U *>(a);
  auto *out = static_cast<U *>(dst);
  if (bits >= sizeof(T) * 8) {
    std::fill(out, out + count, U{0});
    return;
  }
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<U>(x[i] << bits);
}

template <typename T>
void shiftRightSpan(void *dst, const void *a, const void *, size_t count,
                    const SpanParams &p) {
  T amount;
  std::memcpy(&amount, &p.scalar, sizeof amount);
  const unsigned width = sizeof(T) * 8;
  const unsigned bits = std::min(
      static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(amount)),
      std::is_signed_v<T> ? width - 1 : width);
  const auto *x = static_cast<const T *>(a);
  auto *out = static_cast<T *>(dst);
  const int64_t half = p.roundShift && bits > 0 ? int64_t{1} << (bits - 1) : 0;
  if (half == 0 && bits < width) {
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(x[i] >> bits);
    return;
  }
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<T>((static_cast<int64_t>(x[i]) + half) >> bits);
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

template <BinaryOp Op> HWY_INLINE SpanFn arithmeticFamily(DType type) {
  switch (type) {
  case DType::Int16:
    return intSpan<Op, int16_t>;
  case DType::Int32:
    return intSpan<Op, int32_t>;
  default:
    return floatFamily<Binary<Op>, Second::Span>(type);
  }
}

template <ScalarOp Op, BinaryOp IntOp>
HWY_INLINE SpanFn arithmeticScalarFamily(DType type) {
  switch (type) {
  case DType::Int16:
    return intScalarSpan<IntOp, int16_t>;
  case DType::Int32:
    return intScalarSpan<IntOp, int32_t>;
  default:
    return floatFamily<WithScalar<Op>, Second::Scalar>(type);
  }
}

// Bits have no sign: one function per width serves both.
template <BinaryOp Op> HWY_INLINE SpanFn bitFamily(DType type) {
  switch (type) {
  case DType::Int8:
  case DType::UInt8:
    return intSpan<Op, uint8_t>;
  case DType::Int16:
  case DType::UInt16:
    return intSpan<Op, uint16_t>;
  case DType::Int32:
  case DType::UInt32:
    return intSpan<Op, uint32_t>;
  case DType::Int64:
  case DType::UInt64:
    return intSpan<Op, uint64_t>;
  default:
    return nullptr;
  }
}

HWY_INLINE SpanFn notFamily(DType type) {
  switch (type) {
  case DType::Int8:
  case DType::UInt8:
    return intUnarySpan<uint8_t, IntNot>;
  case DType::Int16:
  case DType::UInt16:
    return intUnarySpan<uint16_t, IntNot>;
  case DType::Int32:
  case DType::UInt32:
    return intUnarySpan<uint32_t, IntNot>;
  case DType::Int64:
  case DType::UInt64:
    return intUnarySpan<uint64_t, IntNot>;
  default:
    return nullptr;
  }
}

template <BinaryOp Op> HWY_INLINE SpanFn reluFamily(DType type) {
  return type == DType::Int16 ? intSpan<Op, int16_t>
                              : floatFamily<Binary<Op>, Second::Span>(type);
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
    return arithmeticFamily<BinaryOp::Add>(dst);
  case BinaryOp::Sub:
    return arithmeticFamily<BinaryOp::Sub>(dst);
  case BinaryOp::Mul:
    return arithmeticFamily<BinaryOp::Mul>(dst);
  case BinaryOp::Max:
    return arithmeticFamily<BinaryOp::Max>(dst);
  case BinaryOp::Min:
    return arithmeticFamily<BinaryOp::Min>(dst);
  case BinaryOp::Div:
    return floatFamily<Binary<BinaryOp::Div>, Second::Span>(dst);
  case BinaryOp::And:
    return bitFamily<BinaryOp::And>(dst);
  case BinaryOp::Or:
    return bitFamily<BinaryOp::Or>(dst);
  case BinaryOp::AddRelu:
    return reluFamily<BinaryOp::AddRelu>(dst);
  case BinaryOp::SubRelu:
    return reluFamily<BinaryOp::SubRelu>(dst);
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
    return type == DType::Int32
               ? intUnarySpan<int32_t, IntRelu>
               : floatFamily<Unary<UnaryOp::Relu>, Second::None>(type);
  case UnaryOp::Not:
    return notFamily(type);
  default:
    return nullptr;
  }
}

SpanFn ShiftTable(bool left, DType type) {
  switch (type) {
  case DType::Int16:
    return left ? shiftLeftSpan<int16_t> : shiftRightSpan<int16_t>;
  case DType::UInt16:
    return left ? shiftLeftSpan<uint16_t> : shiftRightSpan<uint16_t>;
  case DType::Int32:
    return left ? shiftLeftSpan<int32_t> : shiftRightSpan<int32_t>;
  case DType::UInt32:
    return left ? shiftLeftSpan<uint32_t> : shiftRightSpan<uint32_t>;
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
    return arithmeticScalarFamily<ScalarOp::Adds, BinaryOp::Add>(dst);
  case ScalarOp::Muls:
    return arithmeticScalarFamily<ScalarOp::Muls, BinaryOp::Mul>(dst);
  case ScalarOp::Maxs:
    if (dst == DType::Float)
      return f32ExtremeSpan<true>;
    return arithmeticScalarFamily<ScalarOp::Maxs, BinaryOp::Max>(dst);
  case ScalarOp::Mins:
    if (dst == DType::Float)
      return f32ExtremeSpan<false>;
    return arithmeticScalarFamily<ScalarOp::Mins, BinaryOp::Min>(dst);
  case ScalarOp::LeakyRelu:
    return floatFamily<WithScalar<ScalarOp::LeakyRelu>, Second::Scalar>(dst);
  case ScalarOp::Axpy:
    return floatFamily<WithScalar<ScalarOp::Axpy>, Second::Scalar>(dst);
  case ScalarOp::ShiftLeft:
    return ShiftTable(true, dst);
  case ScalarOp::ShiftRight:
    return ShiftTable(false, dst);
  default:
    return nullptr;
  }
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "Transcendental.h"

namespace lossgrad::vector {
HWY_EXPORT(BinaryTable);
HWY_EXPORT(UnaryTable);
HWY_EXPORT(ScalarTable);

SpanFn binarySpan(BinaryOp op, DType dst, DType src) {
  return HWY_DYNAMIC_DISPATCH(BinaryTable)(op, dst, src);
}

SpanFn unarySpan(UnaryOp op, DType type) {
  if (op == UnaryOp::Exp || op == UnaryOp::Ln)
    return transcendentalSpan(op, type);
  return HWY_DYNAMIC_DISPATCH(UnaryTable)(op, type);
}

SpanFn scalarSpan(ScalarOp op, DType dst, DType src) {
  return HWY_DYNAMIC_DISPATCH(ScalarTable)(op, dst, src);
}

} // namespace lossgrad::vector
#endif
