// Elementwise calls: Add and its kin over two tensors, Exp and its kin over
// one, Adds and its kin with a scalar, the multiply-adds, and the operators on
// whole tensors. Each comes in three shapes: a count, a mask with repeats, and
// a bitmap with repeats.
#pragma once

#include "ascendc/vector/abi.h"

namespace AscendC {

// A kernel may well have a `vec` of its own.
namespace lossgrad_vec = lossgrad::vector;

// The element types that some product takes; which one does is checked when
// the call runs, against the selected product.
#define LOSSGRAD_FLOATS half, float
#define LOSSGRAD_INTEGERS                                                      \
  int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t
#define LOSSGRAD_WORDS int16_t, uint16_t, int32_t, uint32_t
#define LOSSGRAD_WIDE int64_t, uint64_t
#define LOSSGRAD_REALS half, bfloat16_t, float

// A macro of its own, so that the message has the types and not the names of
// their lists.
#define LOSSGRAD_TAKES_THESE(NAME, T, ...)                                     \
  static_assert(lossgrad_vec::isOneOf<PrimT<T>, __VA_ARGS__>,                  \
                NAME                                                           \
                ": no product takes this element type; it takes " #__VA_ARGS__)
#define LOSSGRAD_TAKES(NAME, T, ...)                                           \
  LOSSGRAD_TAKES_THESE(#NAME, T, __VA_ARGS__)

//===- two tensors --------------------------------------------------------===//

#define LOSSGRAD_BINARY(NAME, ...)                                             \
  template <typename T, bool isSetMask = true>                                 \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src0,                   \
      const LocalTensor<T> &src1, uint64_t mask[],                             \
      const RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,     \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::binary(                                                      \
        lossgrad_vec::BinaryOp::NAME, lossgrad_vec::typeOf<T>,                 \
        lossgrad_vec::typeOf<T>,                                               \
        lossgrad_vec::packBinary(lossgrad_vec::Selection::level0<isSetMask>(   \
                                     mask, repeatTime.value),                  \
                                 dst, src0, src1, repeatParams, site));        \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src0,                   \
      const LocalTensor<T> &src1, uint64_t mask, const RepeatTime repeatTime,  \
      const BinaryRepeatParams &repeatParams, Site site = Site::here()) {      \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::binary(                                                      \
        lossgrad_vec::BinaryOp::NAME, lossgrad_vec::typeOf<T>,                 \
        lossgrad_vec::typeOf<T>,                                               \
        lossgrad_vec::packBinary(lossgrad_vec::Selection::level0<isSetMask>(   \
                                     mask, repeatTime.value),                  \
                                 dst, src0, src1, repeatParams, site));        \
  }                                                                            \
  template <typename T>                                                        \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src0,                   \
      const LocalTensor<T> &src1, const int32_t &count,                        \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::binary(                                                      \
        lossgrad_vec::BinaryOp::NAME, lossgrad_vec::typeOf<T>,                 \
        lossgrad_vec::typeOf<T>,                                               \
        lossgrad_vec::packBinary(lossgrad_vec::Selection::count(count), dst,   \
                                 src0, src1, BinaryRepeatParams(), site));     \
  }

LOSSGRAD_BINARY(Add, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)
LOSSGRAD_BINARY(Sub, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)
LOSSGRAD_BINARY(Mul, LOSSGRAD_REALS, LOSSGRAD_WORDS, LOSSGRAD_WIDE)
LOSSGRAD_BINARY(Max, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)
LOSSGRAD_BINARY(Min, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)
LOSSGRAD_BINARY(Div, LOSSGRAD_FLOATS, LOSSGRAD_WORDS, LOSSGRAD_WIDE)
LOSSGRAD_BINARY(And, LOSSGRAD_INTEGERS)
LOSSGRAD_BINARY(Or, LOSSGRAD_INTEGERS)
LOSSGRAD_BINARY(AddRelu, half, float, int16_t)
LOSSGRAD_BINARY(SubRelu, half, float, int16_t)
LOSSGRAD_BINARY(FusedMulAdd, half, bfloat16_t, float)
LOSSGRAD_BINARY(FusedMulAddRelu, LOSSGRAD_FLOATS)
#undef LOSSGRAD_BINARY

// dst = src0 * src1 + dst; also float from two halves.
template <typename T, typename U> constexpr bool IsMulAddPair() {
  using D = PrimT<T>;
  using S = PrimT<U>;
  return (std::is_same_v<D, S> && lossgrad_vec::isOneOf<D, half, float>) ||
         (std::is_same_v<D, float> && std::is_same_v<S, half>);
}
template <typename T, typename U> constexpr bool IsAxpyPair() {
  return IsMulAddPair<T, U>() ||
         (std::is_same_v<PrimT<T>, PrimT<U>> &&
          lossgrad_vec::isOneOf<PrimT<T>, bfloat16_t, int64_t, uint64_t>);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
          const LocalTensor<U> &src1, const uint64_t mask[],
          const RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,
          Site site = Site::here()) {
  static_assert(IsMulAddPair<T, U>(),
                "MulAddDst: takes half, float, or float from half");
  lossgrad_vec::binary(
      lossgrad_vec::BinaryOp::MulAddDst, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<U>,
      lossgrad_vec::packBinary(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src0, src1, repeatParams, site));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
          const LocalTensor<U> &src1, uint64_t mask,
          const RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,
          Site site = Site::here()) {
  static_assert(IsMulAddPair<T, U>(),
                "MulAddDst: takes half, float, or float from half");
  lossgrad_vec::binary(
      lossgrad_vec::BinaryOp::MulAddDst, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<U>,
      lossgrad_vec::packBinary(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src0, src1, repeatParams, site));
}
template <typename T, typename U>
__aicore__ inline void
MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
          const LocalTensor<U> &src1, const int32_t &count,
          Site site = Site::here()) {
  static_assert(IsMulAddPair<T, U>(),
                "MulAddDst: takes half, float, or float from half");
  lossgrad_vec::binary(
      lossgrad_vec::BinaryOp::MulAddDst, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<U>,
      lossgrad_vec::packBinary(lossgrad_vec::Selection::count(count), dst, src0,
                               src1, BinaryRepeatParams(), site));
}

// The newer name of FusedMulAddRelu.
template <typename T, bool isSetMask = true, typename Mask>
__aicore__ inline void
MulAddRelu(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
           const LocalTensor<T> &src1, Mask mask, const RepeatTime repeatTime,
           const BinaryRepeatParams &repeatParams, Site site = Site::here()) {
  FusedMulAddRelu<T, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams,
                                site);
}
template <typename T>
__aicore__ inline void
MulAddRelu(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
           const LocalTensor<T> &src1, const int32_t &count,
           Site site = Site::here()) {
  FusedMulAddRelu(dst, src0, src1, count, site);
}

//===- one tensor ---------------------------------------------------------===//

#define LOSSGRAD_UNARY(NAME, ...)                                              \
  template <typename T, bool isSetMask = true>                                 \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[],   \
      const RepeatTime repeatTime, const UnaryRepeatParams &repeatParams,      \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::unary(                                                       \
        lossgrad_vec::UnaryOp::NAME, lossgrad_vec::typeOf<T>,                  \
        lossgrad_vec::packUnary(lossgrad_vec::Selection::level0<isSetMask>(    \
                                    mask, repeatTime.value),                   \
                                dst, src, repeatParams, site));                \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,     \
      const RepeatTime repeatTime, const UnaryRepeatParams &repeatParams,      \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::unary(                                                       \
        lossgrad_vec::UnaryOp::NAME, lossgrad_vec::typeOf<T>,                  \
        lossgrad_vec::packUnary(lossgrad_vec::Selection::level0<isSetMask>(    \
                                    mask, repeatTime.value),                   \
                                dst, src, repeatParams, site));                \
  }                                                                            \
  template <typename T>                                                        \
  __aicore__ inline void NAME(const LocalTensor<T> &dst,                       \
                              const LocalTensor<T> &src, const int32_t &count, \
                              Site site = Site::here()) {                      \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::unary(                                                       \
        lossgrad_vec::UnaryOp::NAME, lossgrad_vec::typeOf<T>,                  \
        lossgrad_vec::packUnary(lossgrad_vec::Selection::count(count), dst,    \
                                src, UnaryRepeatParams(), site));              \
  }

LOSSGRAD_UNARY(Exp, LOSSGRAD_FLOATS)
LOSSGRAD_UNARY(Ln, LOSSGRAD_FLOATS)
LOSSGRAD_UNARY(Abs, LOSSGRAD_FLOATS, int8_t, int16_t, int32_t, int64_t)
LOSSGRAD_UNARY(Sqrt, LOSSGRAD_FLOATS)
LOSSGRAD_UNARY(Rsqrt, LOSSGRAD_FLOATS)
LOSSGRAD_UNARY(Reciprocal, LOSSGRAD_FLOATS, LOSSGRAD_WIDE)
LOSSGRAD_UNARY(Relu, LOSSGRAD_FLOATS, int32_t, int64_t)
LOSSGRAD_UNARY(Not, LOSSGRAD_FLOATS, LOSSGRAD_INTEGERS)
#undef LOSSGRAD_UNARY

//===- a tensor and a scalar ----------------------------------------------===//

// The scalar must be exactly the element type; the second overload of each
// shape serves tensors whose T is a trait with that element type.
#define LOSSGRAD_SCALAR_SHAPES(NAME, HEAD, S, ...)                             \
  HEAD __aicore__ inline void NAME(                                            \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const S &scalarValue, uint64_t mask[], const RepeatTime repeatTime,      \
      const UnaryRepeatParams &repeatParams, Site site = Site::here()) {       \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::scalar(                                                      \
        lossgrad_vec::ScalarOp::NAME, lossgrad_vec::typeOf<T>,                 \
        lossgrad_vec::typeOf<T>,                                               \
        lossgrad_vec::packScalar(lossgrad_vec::Selection::level0<isSetMask>(   \
                                     mask, repeatTime.value),                  \
                                 dst, src, scalarValue, repeatParams, site));  \
  }                                                                            \
  HEAD __aicore__ inline void NAME(                                            \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const S &scalarValue, uint64_t mask, const RepeatTime repeatTime,        \
      const UnaryRepeatParams &repeatParams, Site site = Site::here()) {       \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::scalar(                                                      \
        lossgrad_vec::ScalarOp::NAME, lossgrad_vec::typeOf<T>,                 \
        lossgrad_vec::typeOf<T>,                                               \
        lossgrad_vec::packScalar(lossgrad_vec::Selection::level0<isSetMask>(   \
                                     mask, repeatTime.value),                  \
                                 dst, src, scalarValue, repeatParams, site));  \
  }                                                                            \
  HEAD __aicore__ inline void NAME(                                            \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const S &scalarValue, const int32_t &count, Site site = Site::here()) {  \
    LOSSGRAD_TAKES(NAME, T, __VA_ARGS__);                                      \
    lossgrad_vec::scalar(lossgrad_vec::ScalarOp::NAME,                         \
                         lossgrad_vec::typeOf<T>, lossgrad_vec::typeOf<T>,     \
                         lossgrad_vec::packScalar(                             \
                             lossgrad_vec::Selection::count(count), dst, src,  \
                             scalarValue, UnaryRepeatParams(), site));         \
  }

#define LOSSGRAD_PLAIN_HEAD template <typename T, bool isSetMask = true>
#define LOSSGRAD_TRAIT_HEAD                                                    \
  template <typename T, typename U, bool isSetMask = true,                     \
            typename std::enable_if<IsSameType<PrimT<T>, U>::value &&          \
                                        !IsSameType<T, U>::value,              \
                                    bool>::type = true>
#define LOSSGRAD_SCALAR(NAME, ...)                                             \
  LOSSGRAD_SCALAR_SHAPES(NAME, LOSSGRAD_PLAIN_HEAD, T, __VA_ARGS__)            \
  LOSSGRAD_SCALAR_SHAPES(NAME, LOSSGRAD_TRAIT_HEAD, U, __VA_ARGS__)

LOSSGRAD_SCALAR(Adds, LOSSGRAD_REALS, int8_t, uint8_t, int16_t, int32_t,
                LOSSGRAD_WIDE)
LOSSGRAD_SCALAR(Muls, LOSSGRAD_REALS, int16_t, int32_t, LOSSGRAD_WIDE)
LOSSGRAD_SCALAR(Maxs, LOSSGRAD_REALS, int8_t, uint8_t, int16_t, int32_t,
                LOSSGRAD_WIDE)
LOSSGRAD_SCALAR(Mins, LOSSGRAD_REALS, int8_t, uint8_t, int16_t, int32_t,
                LOSSGRAD_WIDE)
LOSSGRAD_SCALAR(LeakyRelu, LOSSGRAD_FLOATS)
LOSSGRAD_SCALAR(ShiftLeft, LOSSGRAD_INTEGERS)
#undef LOSSGRAD_SCALAR
#undef LOSSGRAD_TRAIT_HEAD
#undef LOSSGRAD_PLAIN_HEAD
#undef LOSSGRAD_SCALAR_SHAPES

// roundEn rounds to nearest instead of towards minus infinity.
template <typename T, bool isSetMask = true>
__aicore__ inline void
ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src,
           const T &scalarValue, uint64_t mask[], const RepeatTime repeatTime,
           const UnaryRepeatParams &repeatParams, bool roundEn = false,
           Site site = Site::here()) {
  LOSSGRAD_TAKES(ShiftRight, T, LOSSGRAD_INTEGERS);
  lossgrad_vec::scalar(
      lossgrad_vec::ScalarOp::ShiftRight, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<T>,
      lossgrad_vec::packScalar(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src, scalarValue, repeatParams, site),
      roundEn);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void
ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src,
           const T &scalarValue, uint64_t mask, const RepeatTime repeatTime,
           const UnaryRepeatParams &repeatParams, bool roundEn = false,
           Site site = Site::here()) {
  LOSSGRAD_TAKES(ShiftRight, T, LOSSGRAD_INTEGERS);
  lossgrad_vec::scalar(
      lossgrad_vec::ScalarOp::ShiftRight, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<T>,
      lossgrad_vec::packScalar(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src, scalarValue, repeatParams, site),
      roundEn);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T> &dst,
                                  const LocalTensor<T> &src,
                                  const T &scalarValue, const int32_t &count,
                                  Site site = Site::here()) {
  LOSSGRAD_TAKES(ShiftRight, T, LOSSGRAD_INTEGERS);
  lossgrad_vec::scalar(
      lossgrad_vec::ScalarOp::ShiftRight, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<T>,
      lossgrad_vec::packScalar(lossgrad_vec::Selection::count(count), dst, src,
                               scalarValue, UnaryRepeatParams(), site));
}

// dst = scalar * src + dst; also float from half.
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
     uint64_t mask, const RepeatTime repeatTime,
     const UnaryRepeatParams &repeatParams, Site site = Site::here()) {
  static_assert(IsAxpyPair<T, U>(), "Axpy: takes half, bfloat16_t, float, "
                                    "int64_t, uint64_t, or float from half");
  lossgrad_vec::scalar(
      lossgrad_vec::ScalarOp::Axpy, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<U>,
      lossgrad_vec::packScalar(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src, scalarValue, repeatParams, site));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
     uint64_t mask[], const RepeatTime repeatTime,
     const UnaryRepeatParams &repeatParams, Site site = Site::here()) {
  static_assert(IsAxpyPair<T, U>(), "Axpy: takes half, bfloat16_t, float, "
                                    "int64_t, uint64_t, or float from half");
  lossgrad_vec::scalar(
      lossgrad_vec::ScalarOp::Axpy, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<U>,
      lossgrad_vec::packScalar(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src, scalarValue, repeatParams, site));
}
template <typename T, typename U>
__aicore__ inline void Axpy(const LocalTensor<T> &dst,
                            const LocalTensor<U> &src, const U &scalarValue,
                            const int32_t &count, Site site = Site::here()) {
  static_assert(IsAxpyPair<T, U>(), "Axpy: takes half, bfloat16_t, float, "
                                    "int64_t, uint64_t, or float from half");
  lossgrad_vec::scalar(
      lossgrad_vec::ScalarOp::Axpy, lossgrad_vec::typeOf<T>,
      lossgrad_vec::typeOf<U>,
      lossgrad_vec::packScalar(lossgrad_vec::Selection::count(count), dst, src,
                               scalarValue, UnaryRepeatParams(), site));
}

} // namespace AscendC
