// Cast with its rounding modes, the instructions that convert their result
// (AddReluCast, SubReluCast, MulCast, AddDeqRelu), and the scale of the int32
// to half path. Which pair of types and which mode a product has is checked
// when the call runs: on the device an unsupported mode writes nothing.
#pragma once

#include "ascendc/vector/elementwise.h"

namespace AscendC {

// The pairs that some product has.
template <typename T, typename U> constexpr bool IsCastPair() {
  using D = PrimT<T>;
  using S = PrimT<U>;
  using lossgrad_vec::isOneOf;
  if (std::is_same_v<S, float>)
    return isOneOf<D, half, bfloat16_t, float, int16_t, int32_t, int64_t>;
  if (std::is_same_v<S, half>)
    return isOneOf<D, float, bfloat16_t, int4b_t, int8_t, uint8_t, int16_t,
                   int32_t>;
  if (std::is_same_v<S, bfloat16_t>)
    return isOneOf<D, float, half, int32_t>;
  if (std::is_same_v<S, int32_t>)
    return isOneOf<D, float, half, int16_t, int64_t>;
  if (std::is_same_v<S, int64_t>)
    return isOneOf<D, float, int32_t>;
  if (std::is_same_v<S, int16_t>)
    return isOneOf<D, float, half>;
  return isOneOf<S, int8_t, uint8_t, int4b_t> && std::is_same_v<D, half>;
}
#define LOSSGRAD_CASTS(T, U)                                                   \
  static_assert(                                                               \
      IsCastPair<T, U>(),                                                      \
      "Cast: no product converts between these element types; 8-bit "          \
      "integers go through half, half and int64 through float")

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
     const RoundMode &roundMode, const uint64_t mask[],
     const RepeatTime repeatTime, const UnaryRepeatParams &repeatParams,
     Site site = Site::here()) {
  LOSSGRAD_CASTS(T, U);
  lossgrad_vec::cast(
      lossgrad_vec::typeOf<T>, lossgrad_vec::typeOf<U>, roundMode,
      lossgrad_vec::packUnary(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src, repeatParams, site));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
     const RoundMode &roundMode, const uint64_t mask,
     const RepeatTime repeatTime, const UnaryRepeatParams &repeatParams,
     Site site = Site::here()) {
  LOSSGRAD_CASTS(T, U);
  lossgrad_vec::cast(
      lossgrad_vec::typeOf<T>, lossgrad_vec::typeOf<U>, roundMode,
      lossgrad_vec::packUnary(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src, repeatParams, site));
}
template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T> &dst,
                            const LocalTensor<U> &src,
                            const RoundMode &roundMode, const uint32_t count,
                            Site site = Site::here()) {
  LOSSGRAD_CASTS(T, U);
  lossgrad_vec::cast(
      lossgrad_vec::typeOf<T>, lossgrad_vec::typeOf<U>, roundMode,
      lossgrad_vec::packUnary(lossgrad_vec::Selection::count(count), dst, src,
                              UnaryRepeatParams(), site));
}
#undef LOSSGRAD_CASTS

template <typename T, typename U> constexpr bool IsReluCastPair() {
  using D = PrimT<T>;
  using S = PrimT<U>;
  return (std::is_same_v<D, half> && std::is_same_v<S, float>) ||
         (std::is_same_v<D, int8_t> && lossgrad_vec::isOneOf<S, half, int16_t>);
}
template <typename T, typename U> constexpr bool IsMulCastPair() {
  return std::is_same_v<PrimT<U>, half> &&
         lossgrad_vec::isOneOf<PrimT<T>, int8_t, uint8_t>;
}

#define LOSSGRAD_BINARY_CAST(NAME, PAIR, TYPES, HEAD, SETMASK)                 \
  HEAD __aicore__ inline void NAME(                                            \
      const LocalTensor<T> &dst, const LocalTensor<U> &src0,                   \
      const LocalTensor<U> &src1, uint64_t mask, const RepeatTime repeatTime,  \
      const BinaryRepeatParams &repeatParams, Site site = Site::here()) {      \
    static_assert(PAIR<T, U>(), #NAME ": takes " TYPES);                       \
    lossgrad_vec::binaryCast(                                                  \
        lossgrad_vec::BinaryCastOp::NAME, lossgrad_vec::typeOf<T>,             \
        lossgrad_vec::typeOf<U>,                                               \
        lossgrad_vec::packBinary(                                              \
            lossgrad_vec::Selection::level0<SETMASK>(mask, repeatTime.value),  \
            dst, src0, src1, repeatParams, site));                             \
  }                                                                            \
  HEAD __aicore__ inline void NAME(                                            \
      const LocalTensor<T> &dst, const LocalTensor<U> &src0,                   \
      const LocalTensor<U> &src1, uint64_t mask[],                             \
      const RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,     \
      Site site = Site::here()) {                                              \
    static_assert(PAIR<T, U>(), #NAME ": takes " TYPES);                       \
    lossgrad_vec::binaryCast(                                                  \
        lossgrad_vec::BinaryCastOp::NAME, lossgrad_vec::typeOf<T>,             \
        lossgrad_vec::typeOf<U>,                                               \
        lossgrad_vec::packBinary(                                              \
            lossgrad_vec::Selection::level0<SETMASK>(mask, repeatTime.value),  \
            dst, src0, src1, repeatParams, site));                             \
  }                                                                            \
  template <typename T, typename U>                                            \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<U> &src0,                   \
      const LocalTensor<U> &src1, const uint32_t count,                        \
      Site site = Site::here()) {                                              \
    static_assert(PAIR<T, U>(), #NAME ": takes " TYPES);                       \
    lossgrad_vec::binaryCast(                                                  \
        lossgrad_vec::BinaryCastOp::NAME, lossgrad_vec::typeOf<T>,             \
        lossgrad_vec::typeOf<U>,                                               \
        lossgrad_vec::packBinary(lossgrad_vec::Selection::count(count), dst,   \
                                 src0, src1, BinaryRepeatParams(), site));     \
  }
#define LOSSGRAD_MASKED_HEAD                                                   \
  template <typename T, typename U, bool isSetMask = true>
#define LOSSGRAD_BARE_HEAD template <typename T, typename U>
LOSSGRAD_BINARY_CAST(AddReluCast, IsReluCastPair,
                     "half from float, int8_t from half or int16_t",
                     LOSSGRAD_MASKED_HEAD, isSetMask)
LOSSGRAD_BINARY_CAST(SubReluCast, IsReluCastPair,
                     "half from float, int8_t from half or int16_t",
                     LOSSGRAD_MASKED_HEAD, isSetMask)
LOSSGRAD_BINARY_CAST(MulCast, IsMulCastPair, "int8_t or uint8_t from half",
                     LOSSGRAD_BARE_HEAD, true)
#undef LOSSGRAD_BARE_HEAD
#undef LOSSGRAD_MASKED_HEAD
#undef LOSSGRAD_BINARY_CAST

// half = max((src0 + src1) * scale, 0); the scale comes from SetDeqScale.
template <bool isSetMask = true>
__aicore__ inline void
AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
           const LocalTensor<int32_t> &src1, uint64_t mask[],
           const RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,
           Site site = Site::here()) {
  lossgrad_vec::addDeqRelu(lossgrad_vec::packBinary(
      lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value), dst,
      src0, src1, repeatParams, site));
}
template <bool isSetMask = true>
__aicore__ inline void
AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
           const LocalTensor<int32_t> &src1, uint64_t mask,
           const RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,
           Site site = Site::here()) {
  lossgrad_vec::addDeqRelu(lossgrad_vec::packBinary(
      lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value), dst,
      src0, src1, repeatParams, site));
}
__aicore__ inline void AddDeqRelu(const LocalTensor<half> &dst,
                                  const LocalTensor<int32_t> &src0,
                                  const LocalTensor<int32_t> &src1,
                                  const int32_t &count,
                                  Site site = Site::here()) {
  lossgrad_vec::addDeqRelu(
      lossgrad_vec::packBinary(lossgrad_vec::Selection::count(count), dst, src0,
                               src1, BinaryRepeatParams(), site));
}

__aicore__ inline void SetDeqScale(half scale, Site site = Site::here()) {
  lossgrad_vec::setDeqScale(scale.rawBits(), site);
}

} // namespace AscendC
