// Compare and Select. A comparison gives one bit per element, element i in bit
// i % 8 of byte i / 8; Select reads the same layout. The register forms keep
// the bits of one repeat in CMPMASK.
#pragma once

#include "ascendc/vector/elementwise.h"

namespace AscendC {

// dst holds bits, whatever the type that a kernel gives it.
#define LOSSGRAD_COMPARE_TYPES(NAME)                                           \
  LOSSGRAD_TAKES(NAME, T, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
        const LocalTensor<T> &src1, CMPMODE cmpMode, const uint64_t mask[],
        RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,
        Site site = Site::here()) {
  LOSSGRAD_COMPARE_TYPES(Compare);
  lossgrad_vec::compare(
      cmpMode, lossgrad_vec::typeOf<T>,
      lossgrad_vec::packBinary(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src0, src1, repeatParams, site),
      false);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
        const LocalTensor<T> &src1, CMPMODE cmpMode, const uint64_t mask,
        RepeatTime repeatTime, const BinaryRepeatParams &repeatParams,
        Site site = Site::here()) {
  LOSSGRAD_COMPARE_TYPES(Compare);
  lossgrad_vec::compare(
      cmpMode, lossgrad_vec::typeOf<T>,
      lossgrad_vec::packBinary(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src0, src1, repeatParams, site),
      false);
}
// One repeat, into CMPMASK.
template <typename T, bool isSetMask = true>
__aicore__ inline void
Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
        const uint64_t mask[], const BinaryRepeatParams &repeatParams,
        Site site = Site::here()) {
  LOSSGRAD_TAKES(Compare, T, half, float);
  lossgrad_vec::compare(cmpMode, lossgrad_vec::typeOf<T>,
                        lossgrad_vec::packBinary(
                            lossgrad_vec::Selection::level0<isSetMask>(mask, 1),
                            LocalTensor<T>(), src0, src1, repeatParams, site),
                        true);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void
Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
        const uint64_t mask, const BinaryRepeatParams &repeatParams,
        Site site = Site::here()) {
  LOSSGRAD_TAKES(Compare, T, half, float);
  lossgrad_vec::compare(cmpMode, lossgrad_vec::typeOf<T>,
                        lossgrad_vec::packBinary(
                            lossgrad_vec::Selection::level0<isSetMask>(mask, 1),
                            LocalTensor<T>(), src0, src1, repeatParams, site),
                        true);
}
// count elements; count * sizeof(T) should be a multiple of 256 bytes.
template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U> &dst,
                               const LocalTensor<T> &src0,
                               const LocalTensor<T> &src1, CMPMODE cmpMode,
                               uint32_t count, Site site = Site::here()) {
  LOSSGRAD_COMPARE_TYPES(Compare);
  lossgrad_vec::compare(
      cmpMode, lossgrad_vec::typeOf<T>,
      lossgrad_vec::packBinary(lossgrad_vec::Selection::count(count), dst, src0,
                               src1, BinaryRepeatParams(), site),
      false);
}

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
              const T src1Scalar, CMPMODE cmpMode, const uint64_t mask[],
              RepeatTime repeatTime, const UnaryRepeatParams &repeatParams,
              Site site = Site::here()) {
  LOSSGRAD_COMPARE_TYPES(CompareScalar);
  lossgrad_vec::compareScalar(
      cmpMode, lossgrad_vec::typeOf<T>,
      lossgrad_vec::packScalar(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src0, src1Scalar, repeatParams, site));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
              const T src1Scalar, CMPMODE cmpMode, const uint64_t mask,
              RepeatTime repeatTime, const UnaryRepeatParams &repeatParams,
              Site site = Site::here()) {
  LOSSGRAD_COMPARE_TYPES(CompareScalar);
  lossgrad_vec::compareScalar(
      cmpMode, lossgrad_vec::typeOf<T>,
      lossgrad_vec::packScalar(
          lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
          dst, src0, src1Scalar, repeatParams, site));
}
template <typename T, typename U>
__aicore__ inline void CompareScalar(const LocalTensor<U> &dst,
                                     const LocalTensor<T> &src0,
                                     const T src1Scalar, CMPMODE cmpMode,
                                     uint32_t count, Site site = Site::here()) {
  LOSSGRAD_COMPARE_TYPES(CompareScalar);
  lossgrad_vec::compareScalar(
      cmpMode, lossgrad_vec::typeOf<T>,
      lossgrad_vec::packScalar(lossgrad_vec::Selection::count(count), dst, src0,
                               src1Scalar, UnaryRepeatParams(), site));
}
#undef LOSSGRAD_COMPARE_TYPES

// The newer name of CompareScalar.
template <typename T, typename U, bool isSetMask = true, typename Mask>
__aicore__ inline void
Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
         const T src1Scalar, CMPMODE cmpMode, Mask mask, RepeatTime repeatTime,
         const UnaryRepeatParams &repeatParams, Site site = Site::here()) {
  CompareScalar<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask,
                                 repeatTime, repeatParams, site);
}
template <typename T, typename U>
__aicore__ inline void Compares(const LocalTensor<U> &dst,
                                const LocalTensor<T> &src0, const T src1Scalar,
                                CMPMODE cmpMode, uint32_t count,
                                Site site = Site::here()) {
  CompareScalar(dst, src0, src1Scalar, cmpMode, count, site);
}

// 16 bytes.
template <typename T>
__aicore__ inline void GetCmpMask(const LocalTensor<T> &dst,
                                  Site site = Site::here()) {
  lossgrad_vec::getCmpMask(lossgrad_vec::at(dst).addr, site);
}
template <typename T>
__aicore__ inline void SetCmpMask(const LocalTensor<T> &src,
                                  Site site = Site::here()) {
  lossgrad_vec::setCmpMask(lossgrad_vec::at(src).addr, site);
}

//===- Select -------------------------------------------------------------===//

#define LOSSGRAD_SELECT_TYPES                                                  \
  LOSSGRAD_TAKES(Select, T, LOSSGRAD_REALS, LOSSGRAD_INTEGERS)

template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
       const uint64_t mask[], RepeatTime repeatTime,
       const BinaryRepeatParams &p, Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(
      selMode, lossgrad_vec::SelectForm::Tensor, lossgrad_vec::typeOf<T>,
      {site,
       lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
       lossgrad_vec::at(dst, p.dstBlkStride, p.dstRepStride),
       lossgrad_vec::at(src0, p.src0BlkStride, p.src0RepStride),
       lossgrad_vec::at(src1, p.src1BlkStride, p.src1RepStride),
       lossgrad_vec::at(selMask).addr,
       {}});
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
       uint64_t mask, RepeatTime repeatTime, const BinaryRepeatParams &p,
       Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(
      selMode, lossgrad_vec::SelectForm::Tensor, lossgrad_vec::typeOf<T>,
      {site,
       lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
       lossgrad_vec::at(dst, p.dstBlkStride, p.dstRepStride),
       lossgrad_vec::at(src0, p.src0BlkStride, p.src0RepStride),
       lossgrad_vec::at(src1, p.src1BlkStride, p.src1RepStride),
       lossgrad_vec::at(selMask).addr,
       {}});
}
template <typename T, typename U>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
       uint32_t count, Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(selMode, lossgrad_vec::SelectForm::Tensor,
                       lossgrad_vec::typeOf<T>,
                       {site,
                        lossgrad_vec::Selection::count(count),
                        lossgrad_vec::at(dst),
                        lossgrad_vec::at(src0),
                        lossgrad_vec::at(src1),
                        lossgrad_vec::at(selMask).addr,
                        {}});
}

// With a scalar instead of src1.
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, T src1, SELMODE selMode,
       const uint64_t mask[], RepeatTime repeatTime,
       const BinaryRepeatParams &p, Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(
      selMode, lossgrad_vec::SelectForm::Scalar, lossgrad_vec::typeOf<T>,
      {site,
       lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
       lossgrad_vec::at(dst, p.dstBlkStride, p.dstRepStride),
       lossgrad_vec::at(src0, p.src0BlkStride, p.src0RepStride),
       {},
       lossgrad_vec::at(selMask).addr,
       lossgrad_vec::Scalar::of<T>(src1)});
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, T src1, SELMODE selMode, uint64_t mask,
       RepeatTime repeatTime, const BinaryRepeatParams &p,
       Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(
      selMode, lossgrad_vec::SelectForm::Scalar, lossgrad_vec::typeOf<T>,
      {site,
       lossgrad_vec::Selection::level0<isSetMask>(mask, repeatTime.value),
       lossgrad_vec::at(dst, p.dstBlkStride, p.dstRepStride),
       lossgrad_vec::at(src0, p.src0BlkStride, p.src0RepStride),
       {},
       lossgrad_vec::at(selMask).addr,
       lossgrad_vec::Scalar::of<T>(src1)});
}
template <typename T, typename U>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, T src1, SELMODE selMode, uint32_t count,
       Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(selMode, lossgrad_vec::SelectForm::Scalar,
                       lossgrad_vec::typeOf<T>,
                       {site,
                        lossgrad_vec::Selection::count(count),
                        lossgrad_vec::at(dst),
                        lossgrad_vec::at(src0),
                        {},
                        lossgrad_vec::at(selMask).addr,
                        lossgrad_vec::Scalar::of<T>(src1)});
}

// By what CMPMASK holds: bits (mode 0) or the address of the bits (mode 2).
template <typename T, SELMODE selMode>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
       const LocalTensor<T> &src1, RepeatTime repeatTime,
       const BinaryRepeatParams &p, Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(
      selMode, lossgrad_vec::SelectForm::Register, lossgrad_vec::typeOf<T>,
      {site,
       lossgrad_vec::Selection::asRegister(repeatTime.value),
       lossgrad_vec::at(dst, p.dstBlkStride, p.dstRepStride),
       lossgrad_vec::at(src0, p.src0BlkStride, p.src0RepStride),
       lossgrad_vec::at(src1, p.src1BlkStride, p.src1RepStride),
       nullptr,
       {}});
}
// By the mask tensor, with the scalar that CMPMASK holds.
template <typename T, typename U>
__aicore__ inline void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, RepeatTime repeatTime,
       const BinaryRepeatParams &p, Site site = Site::here()) {
  LOSSGRAD_SELECT_TYPES;
  lossgrad_vec::select(
      SELMODE::VSEL_TENSOR_SCALAR_MODE,
      lossgrad_vec::SelectForm::RegisterScalar, lossgrad_vec::typeOf<T>,
      {site,
       lossgrad_vec::Selection::asRegister(repeatTime.value),
       lossgrad_vec::at(dst, p.dstBlkStride, p.dstRepStride),
       lossgrad_vec::at(src0, p.src0BlkStride, p.src0RepStride),
       {},
       lossgrad_vec::at(selMask).addr,
       {}});
}
#undef LOSSGRAD_SELECT_TYPES

} // namespace AscendC
