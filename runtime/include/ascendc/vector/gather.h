// Gather by byte offsets (elements or 32-byte blocks), GatherMask (compaction
// by a pattern) and Scatter, where a product has it.
#pragma once

#include "ascendc/vector/elementwise.h"

namespace AscendC {

template <typename T>
__aicore__ inline void
Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
       const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseAddr,
       const uint64_t mask, const RepeatTime repeatTime,
       const uint16_t dstRepStride, Site site = Site::here()) {
  LOSSGRAD_TAKES(Gather, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::gather(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::lanes(mask, repeatTime.value),
       lossgrad_vec::at(dst, 1, dstRepStride), lossgrad_vec::at(src).addr,
       lossgrad_vec::at(srcOffset).addr, srcBaseAddr});
}
template <typename T>
__aicore__ inline void
Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
       const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseAddr,
       const uint64_t mask[], const RepeatTime repeatTime,
       const uint16_t dstRepStride, Site site = Site::here()) {
  LOSSGRAD_TAKES(Gather, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::gather(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::bitmap(mask, repeatTime.value),
       lossgrad_vec::at(dst, 1, dstRepStride), lossgrad_vec::at(src).addr,
       lossgrad_vec::at(srcOffset).addr, srcBaseAddr});
}
template <typename T>
__aicore__ inline void
Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
       const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseAddr,
       const uint32_t count, Site site = Site::here()) {
  LOSSGRAD_TAKES(Gather, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::gather(lossgrad_vec::typeOf<T>,
                       {site, lossgrad_vec::Selection::count(count),
                        lossgrad_vec::at(dst), lossgrad_vec::at(src).addr,
                        lossgrad_vec::at(srcOffset).addr, srcBaseAddr});
}

// Eight 32-byte blocks per repeat, each from its own byte offset.
template <typename T>
__aicore__ inline void
Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
        const LocalTensor<uint32_t> &offset, const RepeatTime repeatTime,
        const GatherRepeatParams &repeatParams, Site site = Site::here()) {
  LOSSGRAD_TAKES(Gatherb, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::gatherBlocks(
      lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
      lossgrad_vec::at(src0).addr, lossgrad_vec::at(offset).addr,
      repeatTime.value, repeatParams.dstBlkStride, repeatParams.dstRepStride,
      site);
}

// dst at byte (dstBaseAddr + dstOffset[i]) = src[i].
template <typename T>
__aicore__ inline void
Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
        const LocalTensor<uint32_t> &dstOffset, const uint32_t dstBaseAddr,
        const uint64_t mask, const RepeatTime repeatTime,
        const uint8_t srcRepStride, Site site = Site::here()) {
  LOSSGRAD_TAKES(Scatter, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::scatter(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::lanes(mask, repeatTime.value),
       lossgrad_vec::at(src, 1, srcRepStride), lossgrad_vec::at(dst).addr,
       lossgrad_vec::at(dstOffset).addr, dstBaseAddr});
}
template <typename T>
__aicore__ inline void
Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
        const LocalTensor<uint32_t> &dstOffset, const uint32_t dstBaseAddr,
        const uint64_t mask[], const RepeatTime repeatTime,
        const uint8_t srcRepStride, Site site = Site::here()) {
  LOSSGRAD_TAKES(Scatter, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::scatter(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::Selection::bitmap(mask, repeatTime.value),
       lossgrad_vec::at(src, 1, srcRepStride), lossgrad_vec::at(dst).addr,
       lossgrad_vec::at(dstOffset).addr, dstBaseAddr});
}
template <typename T>
__aicore__ inline void
Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
        const LocalTensor<uint32_t> &dstOffset, const uint32_t dstBaseAddr,
        const uint32_t count, Site site = Site::here()) {
  LOSSGRAD_TAKES(Scatter, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  lossgrad_vec::scatter(lossgrad_vec::typeOf<T>,
                        {site, lossgrad_vec::Selection::count(count),
                         lossgrad_vec::at(src), lossgrad_vec::at(dst).addr,
                         lossgrad_vec::at(dstOffset).addr, dstBaseAddr});
}

// Keeps the elements whose pattern bit is 1, densely; rsvdCnt is their number.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void
GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
           const LocalTensor<U> &src1Pattern, const bool reduceMode,
           const uint32_t mask, const GatherMaskParams &gatherMaskParams,
           uint64_t &rsvdCnt, Site site = Site::here()) {
  LOSSGRAD_TAKES(GatherMask, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  static_assert(lossgrad_vec::isOneOf<PrimT<U>, uint16_t, uint32_t> &&
                    sizeof(PrimT<U>) == sizeof(PrimT<T>),
                "GatherMask: the pattern is uint16_t for 16-bit elements and "
                "uint32_t for 32-bit elements");
  rsvdCnt = lossgrad_vec::gatherMask(lossgrad_vec::typeOf<T>,
                                     {site, lossgrad_vec::at(dst).addr,
                                      lossgrad_vec::at(src0).addr,
                                      lossgrad_vec::at(src1Pattern).addr, 0,
                                      reduceMode, mask, gatherMaskParams});
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void
GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
           const uint8_t src1Pattern, const bool reduceMode,
           const uint32_t mask, const GatherMaskParams &gatherMaskParams,
           uint64_t &rsvdCnt, Site site = Site::here()) {
  LOSSGRAD_TAKES(GatherMask, T, LOSSGRAD_REALS, LOSSGRAD_WORDS);
  rsvdCnt = lossgrad_vec::gatherMask(
      lossgrad_vec::typeOf<T>,
      {site, lossgrad_vec::at(dst).addr, lossgrad_vec::at(src0).addr, nullptr,
       src1Pattern, reduceMode, mask, gatherMaskParams});
}
__aicore__ inline int64_t GetGatherMaskRemainCount(Site site = Site::here()) {
  return lossgrad_vec::gatherMaskRemainCount(site);
}

} // namespace AscendC
