// Sorting. The vector unit sorts 32 values at a time into pairs of 8 bytes, the
// value in the lower part (a half in its first two bytes) and a uint32_t index
// in the upper one, largest value first and the earlier of equal ones first;
// merging joins up to four such lists.
#pragma once

#include "ascendc/vector/gather.h"

namespace AscendC {

constexpr int32_t MRG_SORT_ELEMENT_LEN = 4;

struct MrgSort4Info {
  MrgSort4Info() {}
  MrgSort4Info(const uint16_t lengths[MRG_SORT_ELEMENT_LEN],
               const bool suspends, const uint16_t valid,
               const uint16_t repeats)
      : ifExhaustedSuspension(suspends), validBit(valid),
        repeatTimes(static_cast<uint8_t>(repeats)) {
    for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i)
      elementLengths[i] = lengths[i];
  }

  uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0}; // pairs
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

template <typename T> struct MrgSortSrcList {
  MrgSortSrcList() {}
  MrgSortSrcList(const LocalTensor<T> &src1In, const LocalTensor<T> &src2In,
                 const LocalTensor<T> &src3In, const LocalTensor<T> &src4In)
      : src1(src1In), src2(src2In), src3(src3In), src4(src4In) {}

  LocalTensor<T> src1, src2, src3, src4;
};

template <typename T>
__aicore__ inline void
Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
       const LocalTensor<uint32_t> &src1, const int32_t repeatTime,
       Site site = Site::here()) {
  LOSSGRAD_TAKES(Sort32, T, half, float);
  lossgrad_vec::sort32("Sort32", lossgrad_vec::typeOf<T>,
                       lossgrad_vec::at(dst).addr, lossgrad_vec::at(src0).addr,
                       lossgrad_vec::at(src1).addr, repeatTime, site);
}

template <typename T>
__aicore__ inline void
MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src,
        const MrgSort4Info &params, Site site = Site::here()) {
  LOSSGRAD_TAKES(MrgSort, T, half, float);
  lossgrad_vec::MergeInstr instr;
  instr.site = site;
  instr.dst = lossgrad_vec::at(dst).addr;
  const LocalTensor<T> *lists[] = {&src.src1, &src.src2, &src.src3, &src.src4};
  for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) {
    instr.src[i] = lossgrad_vec::at(*lists[i]).addr;
    instr.lengths[i] = params.elementLengths[i];
  }
  instr.valid = params.validBit;
  instr.suspends = params.ifExhaustedSuspension;
  instr.repeat = params.repeatTimes;
  lossgrad_vec::mergeSorted(lossgrad_vec::typeOf<T>, instr);
}

__aicore__ inline void GetMrgSortResult(uint16_t &mrgSortList1,
                                        uint16_t &mrgSortList2,
                                        uint16_t &mrgSortList3,
                                        uint16_t &mrgSortList4,
                                        Site site = Site::here()) {
  const uint64_t counts = lossgrad_vec::mergedCounts(site);
  mrgSortList1 = static_cast<uint16_t>(counts);
  mrgSortList2 = static_cast<uint16_t>(counts >> 16);
  mrgSortList3 = static_cast<uint16_t>(counts >> 32);
  mrgSortList4 = static_cast<uint16_t>(counts >> 48);
}

//===- the same for a whole tensor ----------------------------------------===//

// On these products sorting reads values as they are.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src,
                              const LocalTensor<T> &, const int32_t repeatTime,
                              Site site = Site::here()) {
  LOSSGRAD_TAKES(Concat, T, half, float);
  lossgrad_vec::requireSorting("Concat", repeatTime, site);
  concat = src;
}

// isFullSort: all values, not 32 by 32.
template <typename T, bool isFullSort>
__aicore__ inline void
Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat,
     const LocalTensor<uint32_t> &index, LocalTensor<T> &tmp,
     const int32_t repeatTime, Site site = Site::here()) {
  LOSSGRAD_TAKES(Sort, T, half, float);
  lossgrad_vec::sort32("Sort", lossgrad_vec::typeOf<T>,
                       lossgrad_vec::at(dst).addr,
                       lossgrad_vec::at(concat).addr,
                       lossgrad_vec::at(index).addr, repeatTime, site);
  if constexpr (isFullSort)
    lossgrad_vec::mergeAll(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                           lossgrad_vec::at(tmp).addr,
                           BytesOf<PrimT<T>>(tmp.GetSize()), repeatTime, site);
}

template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void
MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList,
        const uint16_t elementCountList[4], uint32_t sortedNum[4],
        uint16_t validBit, const int32_t repeatTime, Site site = Site::here()) {
  MrgSort(dst, sortList,
          MrgSort4Info(elementCountList, isExhaustedSuspension, validBit,
                       static_cast<uint16_t>(repeatTime)),
          site);
  if constexpr (isExhaustedSuspension) {
    const uint64_t counts = lossgrad_vec::mergedCounts(site);
    for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i)
      sortedNum[i] = static_cast<uint16_t>(counts >> (16 * i));
  }
}

// 32 pairs per repeat, taken apart.
template <typename T>
__aicore__ inline void
Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
        const LocalTensor<T> &sorted, const int32_t repeatTime,
        Site site = Site::here()) {
  LOSSGRAD_TAKES(Extract, T, half, float);
  lossgrad_vec::requireSorting("Extract", repeatTime, site);
  constexpr uint8_t kFirstOfTwo = 1, kSecondOfTwo = 2, kFirstOfFour = 3;
  const GatherMaskParams pairs(1, static_cast<uint16_t>(repeatTime), 8, 0);
  uint64_t kept;
  GatherMask(dstValue, sorted,
             sizeof(PrimT<T>) == 2 ? kFirstOfFour : kFirstOfTwo, false, 0,
             pairs, kept, site);
  GatherMask(dstIndex, sorted.template ReinterpretCast<uint32_t>(),
             kSecondOfTwo, false, 0, pairs, kept, site);
}

// Elements of T that so many pairs take.
template <typename T>
__aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  return elemOffset * (8 / sizeof(PrimT<T>));
}
template <typename T>
__aicore__ inline uint32_t GetSortLen(const uint32_t elemCount) {
  return elemCount * (8 / sizeof(PrimT<T>));
}

} // namespace AscendC
