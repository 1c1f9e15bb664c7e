// Calls that make data from little: Duplicate (a scalar), Brcb (one element per
// 32-byte block), CreateVecIndex and ArithProgression (a sequence).
#pragma once

#include "ascendc/vector/elementwise.h"

namespace AscendC {

#define LOSSGRAD_DUPLICATE_TYPES                                               \
  LOSSGRAD_TAKES(Duplicate, T, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)

template <typename T, bool isSetMask = true>
__aicore__ inline void
Duplicate(const LocalTensor<T> &dst, const T &scalarValue, uint64_t mask,
          const RepeatTime repeatTime, const uint16_t dstBlockStride,
          const uint8_t dstRepeatStride, Site site = Site::here()) {
  LOSSGRAD_DUPLICATE_TYPES;
  lossgrad_vec::duplicate(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
       lossgrad_vec::at(dst, dstBlockStride, dstRepeatStride),
       lossgrad_vec::Scalar::of<T>(scalarValue)});
}
template <typename T, bool isSetMask = true>
__aicore__ inline void
Duplicate(const LocalTensor<T> &dst, const T &scalarValue, uint64_t mask[],
          const RepeatTime repeatTime, const uint16_t dstBlockStride,
          const uint8_t dstRepeatStride, Site site = Site::here()) {
  LOSSGRAD_DUPLICATE_TYPES;
  lossgrad_vec::duplicate(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
       lossgrad_vec::at(dst, dstBlockStride, dstRepeatStride),
       lossgrad_vec::Scalar::of<T>(scalarValue)});
}
template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T> &dst,
                                 const T &scalarValue, const int32_t &count,
                                 Site site = Site::here()) {
  LOSSGRAD_DUPLICATE_TYPES;
  lossgrad_vec::duplicate(lossgrad_vec::typeOf<T>,
                          {site, lossgrad_vec::Selection::count(count),
                           lossgrad_vec::at(dst),
                           lossgrad_vec::Scalar::of<T>(scalarValue)});
}
#undef LOSSGRAD_DUPLICATE_TYPES

// Each repeat reads 8 elements and fills one block with each.
template <typename T>
__aicore__ inline void
Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
     const RepeatTime repeatTime, const BrcbRepeatParams &repeatParams,
     Site site = Site::here()) {
  LOSSGRAD_TAKES(Brcb, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::brcb(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                     lossgrad_vec::at(src0).addr, repeatTime.value,
                     repeatParams.dstBlkStride, repeatParams.dstRepStride,
                     site);
}

template <typename T>
__aicore__ inline void
CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint64_t mask,
               const RepeatTime repeatTime, uint16_t dstBlkStride,
               uint8_t dstRepStride, Site site = Site::here()) {
  LOSSGRAD_TAKES(CreateVecIndex, T, int16_t, half, int32_t, float);
  lossgrad_vec::createIndex(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::lanes(mask, repeatTime.value),
       lossgrad_vec::at(dst, dstBlkStride, dstRepStride),
       lossgrad_vec::Scalar::of<T>(firstValue)});
}
template <typename T>
__aicore__ inline void
CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint64_t mask[],
               const RepeatTime repeatTime, uint16_t dstBlkStride,
               uint8_t dstRepStride, Site site = Site::here()) {
  LOSSGRAD_TAKES(CreateVecIndex, T, int16_t, half, int32_t, float);
  lossgrad_vec::createIndex(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::bitmap(mask, repeatTime.value),
       lossgrad_vec::at(dst, dstBlkStride, dstRepStride),
       lossgrad_vec::Scalar::of<T>(firstValue)});
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const T &firstValue,
                                      uint32_t count,
                                      Site site = Site::here()) {
  LOSSGRAD_TAKES(CreateVecIndex, T, int16_t, half, int32_t, float);
  lossgrad_vec::createIndex(lossgrad_vec::typeOf<T>,
                            {site, lossgrad_vec::Selection::count(count),
                             lossgrad_vec::at(dst),
                             lossgrad_vec::Scalar::of<T>(firstValue)});
}

// Writes up to the next 32-byte boundary behind count, as the vendor's does.
template <typename T>
__aicore__ inline void ArithProgression(const LocalTensor<T> &dst,
                                        const T firstValue, const T diffValue,
                                        const int32_t count,
                                        Site site = Site::here()) {
  LOSSGRAD_TAKES(ArithProgression, T, int16_t, half, int32_t, float);
  lossgrad_vec::arithProgression(
      lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
      lossgrad_vec::Scalar::of<T>(firstValue),
      lossgrad_vec::Scalar::of<T>(diffValue), count, site);
}
template <typename T>
__aicore__ inline void Arange(const LocalTensor<T> &dst, const T firstValue,
                              const T diffValue, const int32_t count,
                              Site site = Site::here()) {
  ArithProgression(dst, firstValue, diffValue, count, site);
}

} // namespace AscendC
