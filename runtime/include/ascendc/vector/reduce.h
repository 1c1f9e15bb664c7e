// Reductions: per 32-byte block, per pair, per repeat, and over a whole tensor.
// Sums follow the hardware's tree over neighbours. Note the argument order:
// BlockReduce*, PairReduceSum and RepeatReduceSum take (repeat, mask), all
// others (mask, repeat).
#pragma once

#include "ascendc/vector/elementwise.h"

namespace AscendC {

enum class ReduceType : uint8_t { SUM, MAX, MIN };

#define LOSSGRAD_REDUCE_HEAD template <typename T, bool isSetMask = true>
#define LOSSGRAD_SEL(repeat)                                                   \
  lossgrad_vec::Selection::level0<isSetMask>(lossgrad_vec::maskOf(mask),       \
                                             lossgrad_vec::repeatOf(repeat))

// (repeat, mask): Block and Pair.
#define LOSSGRAD_REPEAT_FIRST(NAME, SHAPE, OP, MASK)                           \
  LOSSGRAD_REDUCE_HEAD                                                         \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const int32_t repeat, MASK, const int32_t dstRepStride,                  \
      const int32_t srcBlkStride, const int32_t srcRepStride,                  \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float);                                      \
    lossgrad_vec::reduce(                                                      \
        lossgrad_vec::ReduceShape::SHAPE, lossgrad_vec::ReduceOp::OP,          \
        lossgrad_vec::typeOf<T>,                                               \
        {site, LOSSGRAD_SEL(repeat), lossgrad_vec::at(dst).addr,               \
         lossgrad_vec::at(src).addr, dstRepStride, srcBlkStride, srcRepStride, \
         ReduceOrder::ORDER_ONLY_VALUE});                                      \
  }
#define LOSSGRAD_REPEAT_FIRST_BOTH(NAME, SHAPE, OP)                            \
  LOSSGRAD_REPEAT_FIRST(NAME, SHAPE, OP, const int32_t mask)                   \
  LOSSGRAD_REPEAT_FIRST(NAME, SHAPE, OP, const uint64_t mask[])
LOSSGRAD_REPEAT_FIRST_BOTH(BlockReduceSum, Block, Sum)
LOSSGRAD_REPEAT_FIRST_BOTH(BlockReduceMax, Block, Max)
LOSSGRAD_REPEAT_FIRST_BOTH(BlockReduceMin, Block, Min)
LOSSGRAD_REPEAT_FIRST_BOTH(PairReduceSum, Pair, Sum)
#undef LOSSGRAD_REPEAT_FIRST_BOTH
#undef LOSSGRAD_REPEAT_FIRST

LOSSGRAD_REDUCE_HEAD
__aicore__ inline void
RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                const int32_t repeat, const int32_t elemsInOneRepeat,
                const int32_t dstBlkStride, const int32_t srcBlkStride,
                const int32_t dstRepStride, const int32_t srcRepStride,
                Site site = Site::here()) {
  LOSSGRAD_TAKES(RepeatReduceSum, T, half, float);
  const int32_t mask = elemsInOneRepeat;
  lossgrad_vec::reduce(lossgrad_vec::ReduceShape::Repeat,
                       lossgrad_vec::ReduceOp::Sum, lossgrad_vec::typeOf<T>,
                       {site, LOSSGRAD_SEL(repeat), lossgrad_vec::at(dst).addr,
                        lossgrad_vec::at(src).addr, dstRepStride, srcBlkStride,
                        srcRepStride, ReduceOrder::ORDER_ONLY_VALUE});
}

// (mask, repeat): Whole.
#define LOSSGRAD_WHOLE_SUM(MASK)                                               \
  LOSSGRAD_REDUCE_HEAD                                                         \
  __aicore__ inline void WholeReduceSum(                                       \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK,              \
      const int32_t repeatTime, const int32_t dstRepStride,                    \
      const int32_t srcBlkStride, const int32_t srcRepStride,                  \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(WholeReduceSum, T, half, float, int32_t);                   \
    lossgrad_vec::reduce(                                                      \
        lossgrad_vec::ReduceShape::Whole, lossgrad_vec::ReduceOp::Sum,         \
        lossgrad_vec::typeOf<T>,                                               \
        {site, LOSSGRAD_SEL(repeatTime), lossgrad_vec::at(dst).addr,           \
         lossgrad_vec::at(src).addr, dstRepStride, srcBlkStride, srcRepStride, \
         ReduceOrder::ORDER_ONLY_VALUE});                                      \
  }
LOSSGRAD_WHOLE_SUM(const uint64_t mask[])
LOSSGRAD_WHOLE_SUM(const int32_t mask)
#undef LOSSGRAD_WHOLE_SUM

#define LOSSGRAD_WHOLE_EXTREME(NAME, OP, MASK)                                 \
  LOSSGRAD_REDUCE_HEAD                                                         \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK,              \
      const int32_t repeatTime, const int32_t dstRepStride,                    \
      const int32_t srcBlkStride, const int32_t srcRepStride,                  \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,                      \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float, int16_t, int32_t);                    \
    lossgrad_vec::reduce(lossgrad_vec::ReduceShape::Whole,                     \
                         lossgrad_vec::ReduceOp::OP, lossgrad_vec::typeOf<T>,  \
                         {site, LOSSGRAD_SEL(repeatTime),                      \
                          lossgrad_vec::at(dst).addr,                          \
                          lossgrad_vec::at(src).addr, dstRepStride,            \
                          srcBlkStride, srcRepStride, order});                 \
  }
LOSSGRAD_WHOLE_EXTREME(WholeReduceMax, Max, const uint64_t mask[])
LOSSGRAD_WHOLE_EXTREME(WholeReduceMax, Max, const int32_t mask)
LOSSGRAD_WHOLE_EXTREME(WholeReduceMin, Min, const uint64_t mask[])
LOSSGRAD_WHOLE_EXTREME(WholeReduceMin, Min, const int32_t mask)
#undef LOSSGRAD_WHOLE_EXTREME

// The newer names, all (mask, repeat).
template <ReduceType type> constexpr lossgrad_vec::ReduceOp ReduceOpOf() {
  return type == ReduceType::SUM   ? lossgrad_vec::ReduceOp::Sum
         : type == ReduceType::MAX ? lossgrad_vec::ReduceOp::Max
                                   : lossgrad_vec::ReduceOp::Min;
}
template <ReduceType type, typename T, typename U>
constexpr bool IsReducedTo() {
  if (type == ReduceType::SUM && IsSameType<U, int16_t>::value)
    return IsSameType<T, int32_t>::value;
  return IsSameType<T, U>::value;
}
#define LOSSGRAD_NEW_REDUCE(NAME, SHAPE, MASK, CHECK)                          \
  template <ReduceType reduceType, typename T, typename U,                     \
            bool isSetMask = true>                                             \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<U> &src, MASK,              \
      const int32_t repeatTime, const int32_t dstRepStride,                    \
      const int32_t srcBlkStride, const int32_t srcRepStride,                  \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,                      \
      Site site = Site::here()) {                                              \
    static_assert(lossgrad_vec::isOneOf<PrimT<T>, half, float> ||              \
                      lossgrad_vec::ReduceShape::SHAPE ==                      \
                          lossgrad_vec::ReduceShape::Whole,                    \
                  #NAME ": no product takes this element type");               \
    LOSSGRAD_TAKES(NAME, U, half, float, int16_t, int32_t);                    \
    static_assert(IsReducedTo<reduceType, PrimT<T>, PrimT<U>>(),               \
                  #NAME ": dst and src have the same element type, but the "   \
                        "sum of int16_t is int32_t");                          \
    static_assert(CHECK, #NAME ": this reduction does not exist");             \
    lossgrad_vec::reduce(lossgrad_vec::ReduceShape::SHAPE,                     \
                         ReduceOpOf<reduceType>(), lossgrad_vec::typeOf<U>,    \
                         {site, LOSSGRAD_SEL(repeatTime),                      \
                          lossgrad_vec::at(dst).addr,                          \
                          lossgrad_vec::at(src).addr, dstRepStride,            \
                          srcBlkStride, srcRepStride, order});                 \
  }
#define LOSSGRAD_NEW_REDUCE_BOTH(NAME, SHAPE, CHECK)                           \
  LOSSGRAD_NEW_REDUCE(NAME, SHAPE, const int32_t mask, CHECK)                  \
  LOSSGRAD_NEW_REDUCE(NAME, SHAPE, const uint64_t mask[], CHECK)
LOSSGRAD_NEW_REDUCE_BOTH(ReduceDataBlock, Block, true)
LOSSGRAD_NEW_REDUCE_BOTH(ReducePairElem, Pair, reduceType == ReduceType::SUM)
LOSSGRAD_NEW_REDUCE_BOTH(ReduceRepeat, Whole, true)
#undef LOSSGRAD_NEW_REDUCE_BOTH
#undef LOSSGRAD_NEW_REDUCE
#undef LOSSGRAD_SEL
#undef LOSSGRAD_REDUCE_HEAD

//===- a whole tensor -----------------------------------------------------===//

template <typename T>
lossgrad_vec::ReduceAllInstr
PackReduceAll(const lossgrad_vec::Selection &select, const LocalTensor<T> &dst,
              const LocalTensor<T> &src, const LocalTensor<T> &work,
              int32_t srcRepStride, bool calIndex, Site site) {
  return {site,
          select,
          lossgrad_vec::at(dst).addr,
          lossgrad_vec::at(src).addr,
          lossgrad_vec::at(work).addr,
          uint64_t{work.GetSize()} * sizeof(PrimT<T>),
          srcRepStride,
          calIndex};
}

#define LOSSGRAD_REDUCE_EXTREME(NAME, OP)                                      \
  template <typename T>                                                        \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const LocalTensor<T> &workLocal, const int32_t mask,                     \
      const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0, \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float);                                      \
    lossgrad_vec::reduceAll(                                                   \
        lossgrad_vec::ReduceOp::OP, lossgrad_vec::typeOf<T>,                   \
        PackReduceAll(lossgrad_vec::Selection::lanes(                          \
                          lossgrad_vec::maskOf(mask),                          \
                          lossgrad_vec::repeatOf(repeatTime)),                 \
                      dst, src, workLocal, srcRepStride, calIndex, site));     \
  }                                                                            \
  template <typename T>                                                        \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const LocalTensor<T> &workLocal, const uint64_t mask[],                  \
      const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0, \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float);                                      \
    lossgrad_vec::reduceAll(                                                   \
        lossgrad_vec::ReduceOp::OP, lossgrad_vec::typeOf<T>,                   \
        PackReduceAll(lossgrad_vec::Selection::bitmap(                         \
                          mask, lossgrad_vec::repeatOf(repeatTime)),           \
                      dst, src, workLocal, srcRepStride, calIndex, site));     \
  }                                                                            \
  template <typename T>                                                        \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const LocalTensor<T> &workLocal, const int32_t count, bool calIndex = 0, \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float);                                      \
    lossgrad_vec::reduceAll(                                                   \
        lossgrad_vec::ReduceOp::OP, lossgrad_vec::typeOf<T>,                   \
        PackReduceAll(lossgrad_vec::Selection::count(count), dst, src,         \
                      workLocal, 8, calIndex, site));                          \
  }
LOSSGRAD_REDUCE_EXTREME(ReduceMax, Max)
LOSSGRAD_REDUCE_EXTREME(ReduceMin, Min)
#undef LOSSGRAD_REDUCE_EXTREME

template <typename T>
__aicore__ inline void
ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const LocalTensor<T> &workLocal, const int32_t mask,
          const int32_t repeatTime, const int32_t srcRepStride,
          Site site = Site::here()) {
  LOSSGRAD_TAKES(ReduceSum, T, half, float);
  lossgrad_vec::reduceAll(
      lossgrad_vec::ReduceOp::Sum, lossgrad_vec::typeOf<T>,
      PackReduceAll(
          lossgrad_vec::Selection::lanes(lossgrad_vec::maskOf(mask),
                                         lossgrad_vec::repeatOf(repeatTime)),
          dst, src, workLocal, srcRepStride, false, site));
}
template <typename T>
__aicore__ inline void
ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const LocalTensor<T> &workLocal, const uint64_t mask[],
          const int32_t repeatTime, const int32_t srcRepStride,
          Site site = Site::here()) {
  LOSSGRAD_TAKES(ReduceSum, T, half, float);
  lossgrad_vec::reduceAll(
      lossgrad_vec::ReduceOp::Sum, lossgrad_vec::typeOf<T>,
      PackReduceAll(lossgrad_vec::Selection::bitmap(
                        mask, lossgrad_vec::repeatOf(repeatTime)),
                    dst, src, workLocal, srcRepStride, false, site));
}
template <typename T, bool isSetMask = true>
__aicore__ inline void
ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const LocalTensor<T> &workLocal, const int32_t count,
          Site site = Site::here()) {
  LOSSGRAD_TAKES(ReduceSum, T, half, float);
  lossgrad_vec::reduceAll(lossgrad_vec::ReduceOp::Sum, lossgrad_vec::typeOf<T>,
                          PackReduceAll(lossgrad_vec::Selection::count(count),
                                        dst, src, workLocal, 8, false, site));
}

// What the last ReduceSum (count form) left in the accumulator.
template <typename T> __aicore__ inline T GetAccVal(Site site = Site::here()) {
  LOSSGRAD_TAKES(GetAccVal, T, half, float);
  lossgrad_vec::Scalar bits;
  bits.bits = lossgrad_vec::accumulatorBits(site);
  return bits.as<T>();
}
// The register as it is: the sum in its low bits.
__aicore__ inline uint64_t GetAccVal(Site site = Site::here()) {
  return lossgrad_vec::accumulatorBits(site);
}
template <typename T>
__aicore__ inline T GetReduceRepeatSumSpr(Site site = Site::here()) {
  return GetAccVal<T>(site);
}
// Value and index that the last WholeReduceMax or WholeReduceMin found in its
// last repeat; the index is raw bits in T, as in UB.
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex,
                                            Site site = Site::here()) {
  const uint64_t both = lossgrad_vec::extremeBits(site);
  lossgrad_vec::Scalar value, index;
  value.bits = both & 0xffffffffu;
  index.bits = both >> 32;
  maxMinValue = value.as<T>();
  maxMinIndex = index.as<T>();
}
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex,
                                                Site site = Site::here()) {
  GetReduceMaxMinCount(maxMinValue, maxMinIndex, site);
}

} // namespace AscendC
