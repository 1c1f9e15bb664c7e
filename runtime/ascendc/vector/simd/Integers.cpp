// Span functions of integer lanes: wrapping (or, by a switch, saturating)
// arithmetic, shifts, operations on bits, and the divisions that only the
// register-based products have.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Integers.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

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

// Holds every sum and product of two lanes.
using Wide = __int128;

template <typename T> HWY_INLINE T clampTo(Wide v) {
  return static_cast<T>(std::clamp<Wide>(v, std::numeric_limits<T>::min(),
                                         std::numeric_limits<T>::max()));
}

// Saturating integer arithmetic is a switch that is off by default: plain code.
template <BinaryOp Op, typename T>
void saturatingInt(void *dst, const void *a, const void *b, size_t count,
                   const T *scalar) {
  for (size_t i = 0; i < count; ++i) {
    const Wide x = static_cast<const T *>(a)[i];
    const Wide y = scalar ? *scalar : static_cast<const T *>(b)[i];
    const bool adds = Op == BinaryOp::Add || Op == BinaryOp::AddRelu;
    const bool relu = Op == BinaryOp::AddRelu || Op == BinaryOp::SubRelu;
    const Wide exact = adds ? x + y : Op == BinaryOp::Mul ? x * y : x - y;
    static_cast<T *>(dst)[i] =
        clampTo<T>(relu ? std::max<Wide>(exact, 0) : exact);
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

// The most negative value has no counterpart and stays.
struct IntAbs {
  template <class D, class V> HWY_INLINE V operator()(D d, V a, V) const {
    return hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Sub(hn::Zero(d), a), a);
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
  const uint64_t bits = static_cast<U>(amount);
  const auto *x = static_cast<const U *>(a);
  auto *out = static_cast<U *>(dst);
  if (bits >= sizeof(T) * 8) {
    std::fill(out, out + count, U{0});
    return;
  }
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<U>(x[i] << bits);
}

template <typename T>
void shiftRightSpan(void *dst, const void *a, const void *, size_t count,
                    const SpanParams &p) {
  T amount;
  std::memcpy(&amount, &p.scalar, sizeof amount);
  const uint64_t width = sizeof(T) * 8;
  const uint64_t bits =
      std::min<uint64_t>(static_cast<std::make_unsigned_t<T>>(amount),
                         std::is_signed_v<T> ? width - 1 : width);
  const auto *x = static_cast<const T *>(a);
  auto *out = static_cast<T *>(dst);
  using Sum = std::conditional_t<sizeof(T) == 8, Wide, int64_t>;
  const Sum half = p.roundShift && bits > 0 ? Sum{1} << (bits - 1) : 0;
  if (half == 0 && bits < width) {
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<T>(x[i] >> bits);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<T>((static_cast<Sum>(x[i]) + half) >> bits);
}

// Towards zero. A division by zero gives all ones, as the vendor's Reciprocal
// of integers does; of Div nothing is documented.
template <typename T> HWY_INLINE T quotient(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) // no overflow
    return static_cast<T>(std::make_unsigned_t<T>{0} -
                          static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}

template <typename T>
void divideSpan(void *dst, const void *a, const void *b, size_t count,
                const SpanParams &) {
  for (size_t i = 0; i < count; ++i)
    static_cast<T *>(dst)[i] =
        quotient(static_cast<const T *>(a)[i], static_cast<const T *>(b)[i]);
}

template <typename T>
void reciprocalSpan(void *dst, const void *a, const void *, size_t count,
                    const SpanParams &) {
  for (size_t i = 0; i < count; ++i)
    static_cast<T *>(dst)[i] = quotient(T{1}, static_cast<const T *>(a)[i]);
}

// dst = scalar * a + dst; T is unsigned, so that it wraps.
template <typename T>
void axpySpan(void *dst, const void *a, const void *, size_t count,
              const SpanParams &p) {
  T scalar;
  std::memcpy(&scalar, &p.scalar, sizeof scalar);
  for (size_t i = 0; i < count; ++i)
    static_cast<T *>(dst)[i] += scalar * static_cast<const T *>(a)[i];
}

//===- tables -------------------------------------------------------------===//

template <BinaryOp Op> HWY_INLINE SpanFn wordsOf(DType type) {
  switch (type) {
  case DType::Int16:
    return intSpan<Op, int16_t>;
  case DType::UInt16:
    return intSpan<Op, uint16_t>;
  case DType::Int32:
    return intSpan<Op, int32_t>;
  case DType::UInt32:
    return intSpan<Op, uint32_t>;
  case DType::Int64:
    return intSpan<Op, int64_t>;
  case DType::UInt64:
    return intSpan<Op, uint64_t>;
  default:
    return nullptr;
  }
}

template <BinaryOp Op> HWY_INLINE SpanFn integersOf(DType type) {
  return type == DType::Int8    ? intSpan<Op, int8_t>
         : type == DType::UInt8 ? intSpan<Op, uint8_t>
                                : wordsOf<Op>(type);
}

template <BinaryOp Op> HWY_INLINE SpanFn scalarsOf(DType type) {
  switch (type) {
  case DType::Int16:
    return intScalarSpan<Op, int16_t>;
  case DType::Int32:
    return intScalarSpan<Op, int32_t>;
  case DType::Int64:
    return intScalarSpan<Op, int64_t>;
  case DType::UInt64:
    return intScalarSpan<Op, uint64_t>;
  default:
    return nullptr;
  }
}

template <BinaryOp Op> HWY_INLINE SpanFn allScalarsOf(DType type) {
  return type == DType::Int8    ? intScalarSpan<Op, int8_t>
         : type == DType::UInt8 ? intScalarSpan<Op, uint8_t>
                                : scalarsOf<Op>(type);
}

HWY_INLINE SpanFn quotientsOf(DType type) {
  switch (type) {
  case DType::Int16:
    return divideSpan<int16_t>;
  case DType::UInt16:
    return divideSpan<uint16_t>;
  case DType::Int32:
    return divideSpan<int32_t>;
  case DType::UInt32:
    return divideSpan<uint32_t>;
  case DType::Int64:
    return divideSpan<int64_t>;
  case DType::UInt64:
    return divideSpan<uint64_t>;
  default:
    return nullptr;
  }
}

// Bits have no sign: one function per width serves all types.
template <BinaryOp Op> HWY_INLINE SpanFn bitsOfWidth(DType type) {
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

SpanFn IntegerBinaryTable(BinaryOp op, DType type) {
  switch (op) {
  case BinaryOp::Add:
    return integersOf<BinaryOp::Add>(type);
  case BinaryOp::Sub:
    return integersOf<BinaryOp::Sub>(type);
  case BinaryOp::Mul:
    return wordsOf<BinaryOp::Mul>(type);
  case BinaryOp::Max:
    return integersOf<BinaryOp::Max>(type);
  case BinaryOp::Min:
    return integersOf<BinaryOp::Min>(type);
  case BinaryOp::Div:
    return quotientsOf(type);
  case BinaryOp::And:
    return bitsOfWidth<BinaryOp::And>(type);
  case BinaryOp::Or:
    return bitsOfWidth<BinaryOp::Or>(type);
  case BinaryOp::AddRelu:
    return type == DType::Int16 ? intSpan<BinaryOp::AddRelu, int16_t> : nullptr;
  case BinaryOp::SubRelu:
    return type == DType::Int16 ? intSpan<BinaryOp::SubRelu, int16_t> : nullptr;
  default:
    return nullptr;
  }
}

HWY_INLINE SpanFn notOf(DType type) {
  switch (type) {
  case DType::Int8:
  case DType::UInt8:
    return intUnarySpan<uint8_t, IntNot>;
  case DType::Int16:
  case DType::UInt16:
  case DType::Half:
    return intUnarySpan<uint16_t, IntNot>;
  case DType::Int32:
  case DType::UInt32:
  case DType::Float:
    return intUnarySpan<uint32_t, IntNot>;
  case DType::Int64:
  case DType::UInt64:
    return intUnarySpan<uint64_t, IntNot>;
  default:
    return nullptr;
  }
}

HWY_INLINE SpanFn absOf(DType type) {
  return type == DType::Int8    ? intUnarySpan<int8_t, IntAbs>
         : type == DType::Int16 ? intUnarySpan<int16_t, IntAbs>
         : type == DType::Int32 ? intUnarySpan<int32_t, IntAbs>
         : type == DType::Int64 ? intUnarySpan<int64_t, IntAbs>
                                : nullptr;
}

SpanFn IntegerUnaryTable(UnaryOp op, DType type) {
  switch (op) {
  case UnaryOp::Not:
    return notOf(type);
  case UnaryOp::Abs:
    return absOf(type);
  case UnaryOp::Relu:
    return type == DType::Int32   ? intUnarySpan<int32_t, IntRelu>
           : type == DType::Int64 ? intUnarySpan<int64_t, IntRelu>
                                  : nullptr;
  case UnaryOp::Reciprocal:
    return type == DType::Int64    ? reciprocalSpan<int64_t>
           : type == DType::UInt64 ? reciprocalSpan<uint64_t>
                                   : nullptr;
  default:
    return nullptr;
  }
}

SpanFn ShiftTable(bool left, DType type) {
  switch (type) {
  case DType::Int8:
    return left ? shiftLeftSpan<int8_t> : shiftRightSpan<int8_t>;
  case DType::UInt8:
    return left ? shiftLeftSpan<uint8_t> : shiftRightSpan<uint8_t>;
  case DType::Int16:
    return left ? shiftLeftSpan<int16_t> : shiftRightSpan<int16_t>;
  case DType::UInt16:
    return left ? shiftLeftSpan<uint16_t> : shiftRightSpan<uint16_t>;
  case DType::Int32:
    return left ? shiftLeftSpan<int32_t> : shiftRightSpan<int32_t>;
  case DType::UInt32:
    return left ? shiftLeftSpan<uint32_t> : shiftRightSpan<uint32_t>;
  case DType::Int64:
    return left ? shiftLeftSpan<int64_t> : shiftRightSpan<int64_t>;
  case DType::UInt64:
    return left ? shiftLeftSpan<uint64_t> : shiftRightSpan<uint64_t>;
  default:
    return nullptr;
  }
}

SpanFn IntegerScalarTable(ScalarOp op, DType type) {
  switch (op) {
  case ScalarOp::Adds:
    return allScalarsOf<BinaryOp::Add>(type);
  case ScalarOp::Muls:
    return scalarsOf<BinaryOp::Mul>(type);
  case ScalarOp::Maxs:
    return allScalarsOf<BinaryOp::Max>(type);
  case ScalarOp::Mins:
    return allScalarsOf<BinaryOp::Min>(type);
  case ScalarOp::ShiftLeft:
    return ShiftTable(true, type);
  case ScalarOp::ShiftRight:
    return ShiftTable(false, type);
  case ScalarOp::Axpy:
    return type == DType::Int64 || type == DType::UInt64 ? axpySpan<uint64_t>
                                                         : nullptr;
  default:
    return nullptr;
  }
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "Integers.h"

namespace lossgrad::vector {
HWY_EXPORT(IntegerBinaryTable);
HWY_EXPORT(IntegerUnaryTable);
HWY_EXPORT(IntegerScalarTable);

SpanFn integerBinarySpan(BinaryOp op, DType type) {
  return HWY_DYNAMIC_DISPATCH(IntegerBinaryTable)(op, type);
}

SpanFn integerUnarySpan(UnaryOp op, DType type) {
  return HWY_DYNAMIC_DISPATCH(IntegerUnaryTable)(op, type);
}

SpanFn integerScalarSpan(ScalarOp op, DType type) {
  return HWY_DYNAMIC_DISPATCH(IntegerScalarTable)(op, type);
}

} // namespace lossgrad::vector
#endif
