// DataCopy, DataCopyPad, Copy, atomics and fills of global memory. The
// parameter structs have the vendor's two constructors (none, all members) and
// are no aggregates.
#pragma once

#include "ascendc/tensor.h"
#include "lossgrad/sim/DataCopy.h"

namespace AscendC {

constexpr uint16_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint16_t DEFAULT_DATA_COPY_STRIDE = 0;

struct DataCopyParams {
  DataCopyParams() : srcStride(0), dstStride(0) {}
  DataCopyParams(const uint16_t count, const uint16_t len,
                 const uint16_t srcStrideIn, const uint16_t dstStrideIn)
      : blockCount(count), blockLen(len), srcStride(srcStrideIn),
        dstStride(dstStrideIn) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap;
    uint16_t dstStride;
  };
};

struct DataCopyExtParams {
#if defined(__NPU_ARCH__) && (__NPU_ARCH__ == 3510)
  using Stride = int64_t; // negative: blocks that overlap in global memory
#else
  using Stride = uint32_t;
#endif
  DataCopyExtParams() = default;
  DataCopyExtParams(const uint16_t count, const uint32_t len,
                    const Stride srcStrideIn, const Stride dstStrideIn,
                    const uint32_t rsvIn)
      : blockCount(count), blockLen(len), srcStride(srcStrideIn),
        dstStride(dstStrideIn), rsv(rsvIn) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint32_t blockLen = 0;
  Stride srcStride = DEFAULT_DATA_COPY_STRIDE;
  Stride dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t rsv = 0;
};

struct DataCopyPadParams {
  DataCopyPadParams() = default;
  DataCopyPadParams(const bool isPadValue, const uint8_t leftPadValue,
                    const uint8_t rightPadValue, const uint64_t padValue)
      : isPad(isPadValue), leftPadding(leftPadValue),
        rightPadding(rightPadValue), paddingValue(padValue) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(const bool isPadValue, const uint8_t leftPadValue,
                       const uint8_t rightPadValue, T padValue)
      : isPad(isPadValue), leftPadding(leftPadValue),
        rightPadding(rightPadValue), paddingValue(padValue) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = 0;
};

struct CopyRepeatParams {
  CopyRepeatParams() = default;
  CopyRepeatParams(const uint16_t dstStrideIn, const uint16_t srcStrideIn,
                   uint16_t dstRepeatSizeIn, uint16_t srcRepeatSizeIn)
      : dstStride(dstStrideIn), srcStride(srcStrideIn),
        dstRepeatSize(dstRepeatSizeIn), srcRepeatSize(srcRepeatSizeIn) {}
  uint16_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint16_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
  uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

struct Nd2NzParams {
  Nd2NzParams() = default;
  Nd2NzParams(const uint16_t ndNumIn, const uint16_t nValueIn,
              const uint16_t dValueIn, const uint16_t srcNdMatrixStrideIn,
              const uint16_t srcDValueIn, const uint16_t dstNzC0StrideIn,
              const uint16_t dstNzNStrideIn, const uint16_t dstNzMatrixStrideIn)
      : ndNum(ndNumIn), nValue(nValueIn), dValue(dValueIn),
        srcNdMatrixStride(srcNdMatrixStrideIn), srcDValue(srcDValueIn),
        dstNzC0Stride(dstNzC0StrideIn), dstNzNStride(dstNzNStrideIn),
        dstNzMatrixStride(dstNzMatrixStrideIn) {}
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};

// Axes that slices may have.
constexpr int32_t K_MAX_DIM = 8;

struct SliceInfo {
  SliceInfo() = default;
  SliceInfo(const uint32_t startIndexIn, const uint32_t endIndexIn,
            const uint32_t strideIn, const uint32_t burstLenIn,
            const uint32_t shapeValueIn = 0)
      : startIndex(startIndexIn), endIndex(endIndexIn), stride(strideIn),
        burstLen(burstLenIn), shapeValue(shapeValueIn) {}
  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;
  uint32_t burstLen = ONE_BLK_SIZE;
  uint32_t shapeValue = 0;
};

namespace detail {

using lossgrad::sim::CopyInstr;

template <typename T, typename... Unused>
CopyInstr CopyBetween(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                      Site site) {
  CopyInstr in;
  in.site = site;
  in.type = lossgrad::sim::dtypeOf<PrimT<T>>;
  in.elementBytes = sizeof(PrimT<T>);
  in.dst = dst.OperandAddr();
  in.dstPosition = static_cast<TPosition>(dst.GetPosition());
  in.src = src.address_;
  in.declaredBytes = BytesOf<PrimT<T>>(src.GetSize());
  in.bypassesL2 = src.cacheMode_ == CacheMode::CACHE_MODE_DISABLE;
  return in;
}
template <typename T>
CopyInstr CopyBetween(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                      Site site) {
  CopyInstr in;
  in.site = site;
  in.type = lossgrad::sim::dtypeOf<PrimT<T>>;
  in.elementBytes = sizeof(PrimT<T>);
  in.dst = dst.address_;
  in.src = src.OperandAddr();
  in.srcPosition = static_cast<TPosition>(src.GetPosition());
  in.declaredBytes = BytesOf<PrimT<T>>(dst.GetSize());
  in.bypassesL2 = dst.cacheMode_ == CacheMode::CACHE_MODE_DISABLE;
  return in;
}
template <typename T, typename U>
CopyInstr CopyBetween(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                      Site site) {
  CopyInstr in;
  in.site = site;
  in.type = lossgrad::sim::dtypeOf<PrimT<T>>;
  in.elementBytes = sizeof(PrimT<T>);
  in.dst = dst.OperandAddr();
  in.dstPosition = static_cast<TPosition>(dst.GetPosition());
  in.src = src.OperandAddr();
  in.srcPosition = static_cast<TPosition>(src.GetPosition());
  return in;
}

template <typename T>
CopyInstr CopyBetween(T *dst, TPosition to, T *src, TPosition from, Site site) {
  CopyInstr in;
  in.site = site;
  in.type = lossgrad::sim::dtypeOf<T>;
  in.elementBytes = sizeof(T);
  in.dst = dst;
  in.dstPosition = to;
  in.src = src;
  in.srcPosition = from;
  return in;
}

// DataCopyParams counts in blocks of 32 bytes; strides are gaps.
inline CopyInstr &InBlocks(CopyInstr &in, const DataCopyParams &params) {
  in.blockCount = params.blockCount;
  in.blockBytes = uint64_t(params.blockLen) * ONE_BLK_SIZE;
  in.srcPitch = int64_t(in.blockBytes + params.srcStride * ONE_BLK_SIZE);
  in.dstPitch = int64_t(in.blockBytes + params.dstStride * ONE_BLK_SIZE);
  return in;
}

} // namespace detail

//===- Whole blocks -------------------------------------------------------===//

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
              const DataCopyParams &repeatParams, Site site = Site::here()) {
  auto in = detail::CopyBetween(dst, src, site);
  lossgrad::sim::dataCopy(detail::InBlocks(in, repeatParams));
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
              const DataCopyParams &repeatParams, Site site = Site::here()) {
  auto in = detail::CopyBetween(dst, src, site);
  lossgrad::sim::dataCopy(detail::InBlocks(in, repeatParams));
}
template <typename T, typename U>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
              const DataCopyParams &repeatParams, Site site = Site::here()) {
  auto in = detail::CopyBetween(dst, src, site);
  lossgrad::sim::dataCopy(detail::InBlocks(in, repeatParams));
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
              const uint32_t count, Site site = Site::here()) {
  auto in = detail::CopyBetween(dst, src, site);
  in.blockBytes = BytesOf<PrimT<T>>(count);
  lossgrad::sim::dataCopyCount(in);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
              const uint32_t count, Site site = Site::here()) {
  auto in = detail::CopyBetween(dst, src, site);
  in.blockBytes = BytesOf<PrimT<T>>(count);
  lossgrad::sim::dataCopyCount(in);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
              const uint32_t count, Site site = Site::here()) {
  auto in = detail::CopyBetween(dst, src, site);
  in.blockBytes = BytesOf<PrimT<T>>(count);
  lossgrad::sim::dataCopyCount(in);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
              const Nd2NzParams &params, Site site = Site::here()) {
  lossgrad::sim::NzInstr in;
  in.ends = detail::CopyBetween(dst, src, site);
  in.matrices = params.ndNum;
  in.rows = params.nValue;
  in.columns = params.dValue;
  in.srcMatrixStride = params.srcNdMatrixStride;
  in.srcRowStride = params.srcDValue;
  in.dstColumnBlockStride = params.dstNzC0Stride;
  in.dstRowStride = params.dstNzNStride;
  in.dstMatrixStride = params.dstNzMatrixStride;
  lossgrad::sim::nd2nz(in);
}

//===- Bytes --------------------------------------------------------------===//

enum class PaddingMode : uint8_t { Normal = 0, Compact };

namespace detail {

// blockLen in bytes; the stride on the global side in bytes, in UB in blocks.
inline lossgrad::sim::Scalar ValueOf(const DataCopyPadParams &pad) {
  return lossgrad::sim::Scalar{pad.paddingValue};
}
template <typename T>
lossgrad::sim::Scalar ValueOf(const DataCopyPadExtParams<T> &pad) {
  return lossgrad::sim::Scalar::of(pad.paddingValue);
}

template <typename Params, typename Pad>
void PadIn(const CopyInstr &ends, const Params &p, const Pad &pad,
           const char *call = "DataCopyPad") {
  lossgrad::sim::PadInstr in;
  in.copy = ends;
  in.copy.call = call;
  in.copy.blockCount = p.blockCount;
  in.copy.blockBytes = p.blockLen;
  in.copy.srcPitch = int64_t(p.blockLen) + int64_t(p.srcStride);
  in.copy.dstPitch = int64_t(p.dstStride) * ONE_BLK_SIZE;
  in.isPad = pad.isPad;
  in.leftBytes = pad.leftPadding * in.copy.elementBytes;
  in.rightBytes = pad.rightPadding * in.copy.elementBytes;
  in.value = ValueOf(pad);
  lossgrad::sim::dataCopyPadIn(in);
}
template <typename Params>
void PadOut(CopyInstr in, const Params &p, const char *call = "DataCopyPad") {
  in.call = call;
  in.blockCount = p.blockCount;
  in.blockBytes = p.blockLen;
  in.srcPitch =
      int64_t((p.blockLen + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE) +
      int64_t(p.srcStride) * ONE_BLK_SIZE;
  in.dstPitch = int64_t(p.blockLen) + int64_t(p.dstStride);
  lossgrad::sim::dataCopyPadOut(in);
}

} // namespace detail

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                 const DataCopyParams &dataCopyParams,
                 const DataCopyPadParams &padParams, Site site = Site::here()) {
  detail::PadIn(detail::CopyBetween(dst, src, site), dataCopyParams, padParams);
}
template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                 const DataCopyExtParams &dataCopyParams,
                 const DataCopyPadExtParams<PrimT<T>> &padParams,
                 Site site = Site::here()) {
  detail::PadIn(detail::CopyBetween(dst, src, site), dataCopyParams, padParams);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                 const DataCopyParams &dataCopyParams,
                 Site site = Site::here()) {
  detail::PadOut(detail::CopyBetween(dst, src, site), dataCopyParams);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                 const DataCopyExtParams &dataCopyParams,
                 Site site = Site::here()) {
  detail::PadOut(detail::CopyBetween(dst, src, site), dataCopyParams);
}

// The names below the public ones, with addresses: kernels call them to copy
// between tensors of two types of one size.
template <typename T, typename Params, typename Pad>
void DataCopyPadGm2UBImpl(__ubuf__ T *dst, __gm__ T *src,
                          const Params &intriParams, const Pad &padParams,
                          Site site = Site::here()) {
  detail::PadIn(
      detail::CopyBetween(dst, TPosition::VECIN, src, TPosition::GM, site),
      intriParams, padParams);
}
template <typename T, typename Params>
void DataCopyPadUB2GMImpl(__gm__ T *dst, __ubuf__ T *src,
                          const Params &intriParams, Site site = Site::here()) {
  detail::PadOut(
      detail::CopyBetween(dst, TPosition::GM, src, TPosition::VECOUT, site),
      intriParams);
}

template <typename T, TPosition pos = TPosition::MAX>
void SetPadValue(T paddingValue, Site site = Site::here()) {
  lossgrad::sim::setPadValue(lossgrad::sim::Scalar::of(paddingValue), site);
}

//===- Slices: up to 8 dims, dim 0 innermost ------------------------------===//

namespace detail {
// Walks the outer dims of a slice and issues one strided copy per row of the
// innermost dim. Index and stride of dim 0 are in elements, burstLen in blocks.
template <typename Issue>
void ForEachSlice(const SliceInfo dstInfo[], const SliceInfo srcInfo[],
                  uint32_t dims, const Issue &issue) {
  uint32_t index[kMaxShapeDim] = {};
  for (;;) {
    uint64_t dstOffset = 0, srcOffset = 0, dstUnit = 1, srcUnit = 1;
    for (uint32_t d = 0; d < dims; ++d) {
      const uint32_t step = d == 0 ? 0 : index[d];
      dstOffset +=
          (dstInfo[d].startIndex + uint64_t(step) * (dstInfo[d].stride + 1)) *
          dstUnit;
      srcOffset +=
          (srcInfo[d].startIndex + uint64_t(step) * (srcInfo[d].stride + 1)) *
          srcUnit;
      dstUnit *= dstInfo[d].shapeValue;
      srcUnit *= srcInfo[d].shapeValue;
    }
    issue(dstOffset, srcOffset);
    uint32_t d = 1;
    for (; d < dims; ++d) {
      const uint32_t extent = srcInfo[d].endIndex - srcInfo[d].startIndex + 1;
      const uint32_t steps =
          (extent + srcInfo[d].stride) / (srcInfo[d].stride + 1);
      if (++index[d] < steps)
        break;
      index[d] = 0;
    }
    if (d >= dims)
      return;
  }
}

// The innermost dim as blocks. What lies in global memory may have gaps of any
// length, which takes the copies of bytes.
template <typename T>
DataCopyExtParams InnerSlice(const SliceInfo &dst, const SliceInfo &src) {
  const uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
  const uint32_t extent = src.endIndex - src.startIndex + 1;
  const uint32_t burst = src.burstLen * perBlock;
  const uint32_t pitch = burst + src.stride;
  const uint32_t count = pitch ? (extent + src.stride) / pitch : 0;
  return DataCopyExtParams(static_cast<uint16_t>(count),
                           src.burstLen * ONE_BLK_SIZE, src.stride * sizeof(T),
                           dst.stride * sizeof(T), 0);
}
inline DataCopyParams BlocksOf(const DataCopyExtParams &bytes) {
  return DataCopyParams(bytes.blockCount,
                        static_cast<uint16_t>(bytes.blockLen / ONE_BLK_SIZE),
                        static_cast<uint16_t>(bytes.srcStride / ONE_BLK_SIZE),
                        static_cast<uint16_t>(bytes.dstStride / ONE_BLK_SIZE));
}
} // namespace detail

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
              const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
              const uint32_t dimValue = 1, Site site = Site::here()) {
  DataCopyExtParams row =
      detail::InnerSlice<PrimT<T>>(dstSliceInfo[0], srcSliceInfo[0]);
  detail::ForEachSlice(
      dstSliceInfo, srcSliceInfo, dimValue, [&](uint64_t to, uint64_t from) {
        const LocalTensor<T> place = dst[static_cast<uint32_t>(to)];
        if (row.srcStride % ONE_BLK_SIZE == 0)
          return DataCopy(place, src[from], detail::BlocksOf(row), site);
        DataCopyExtParams bytes = row;
        bytes.dstStride /= ONE_BLK_SIZE;
        detail::PadIn(detail::CopyBetween(place, src[from], site), bytes,
                      DataCopyPadParams(), "DataCopy");
      });
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
              const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
              const uint32_t dimValue = 1, Site site = Site::here()) {
  DataCopyExtParams row =
      detail::InnerSlice<PrimT<T>>(dstSliceInfo[0], srcSliceInfo[0]);
  detail::ForEachSlice(
      dstSliceInfo, srcSliceInfo, dimValue, [&](uint64_t to, uint64_t from) {
        const LocalTensor<T> place = src[static_cast<uint32_t>(from)];
        if (row.dstStride % ONE_BLK_SIZE == 0)
          return DataCopy(dst[to], place, detail::BlocksOf(row), site);
        DataCopyExtParams bytes = row;
        bytes.srcStride /= ONE_BLK_SIZE;
        detail::PadOut(detail::CopyBetween(dst[to], place, site), bytes,
                       "DataCopy");
      });
}

//===- Inside UB, with a mask ---------------------------------------------===//

namespace detail {
template <typename T>
void MaskedCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                lossgrad::sim::Selection select, const CopyRepeatParams &p,
                Site site) {
  lossgrad::sim::MaskCopyInstr in;
  in.site = site;
  in.select = select;
  in.type = lossgrad::sim::dtypeOf<PrimT<T>>;
  in.elementBytes = sizeof(PrimT<T>);
  in.dst = {dst.OperandAddr(), p.dstStride, p.dstRepeatSize};
  in.src = {src.OperandAddr(), p.srcStride, p.srcRepeatSize};
  lossgrad::sim::maskCopy(in);
}
} // namespace detail

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const uint64_t mask[], const uint8_t repeatTime,
          const CopyRepeatParams &repeatParams, Site site = Site::here()) {
  detail::MaskedCopy(
      dst, src, lossgrad::sim::Selection::level0<isSetMask>(mask, repeatTime),
      repeatParams, site);
}
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const uint64_t mask, const uint8_t repeatTime,
          const CopyRepeatParams &repeatParams, Site site = Site::here()) {
  detail::MaskedCopy(
      dst, src, lossgrad::sim::Selection::level0<isSetMask>(mask, repeatTime),
      repeatParams, site);
}

// count elements, in order.
template <typename T>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const uint32_t count, Site site = Site::here()) {
  detail::MaskedCopy(dst, src, lossgrad::sim::Selection::count(count),
                     CopyRepeatParams(1, 1, 8, 8), site);
}

//===- Atomics ------------------------------------------------------------===//

template <typename T> void SetAtomicAdd(Site site = Site::here()) {
  lossgrad::sim::setAtomic(lossgrad::sim::AtomicMode::Add,
                           lossgrad::sim::dtypeOf<T>, site);
}
template <typename T> void SetAtomicMax(Site site = Site::here()) {
  lossgrad::sim::setAtomic(lossgrad::sim::AtomicMode::Max,
                           lossgrad::sim::dtypeOf<T>, site);
}
template <typename T> void SetAtomicMin(Site site = Site::here()) {
  lossgrad::sim::setAtomic(lossgrad::sim::AtomicMode::Min,
                           lossgrad::sim::dtypeOf<T>, site);
}
inline void SetAtomicNone(Site site = Site::here()) {
  lossgrad::sim::setAtomic(lossgrad::sim::AtomicMode::None,
                           lossgrad::sim::DType::None, site);
}
inline void DisableDmaAtomic(Site site = Site::here()) { SetAtomicNone(site); }

//===- Global memory ------------------------------------------------------===//

template <typename T>
void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0,
                Site site = Site::here()) {
  lossgrad::sim::fillGlobal(const_cast<T *>(gmWorkspaceAddr.GetPhyAddr()), size,
                            lossgrad::sim::dtypeOf<T>, sizeof(T),
                            lossgrad::sim::Scalar::of(value), "InitOutput",
                            site);
}
template <typename T>
void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size,
                      const T value, Site site = Site::here()) {
  lossgrad::sim::fillGlobal(const_cast<T *>(gmWorkspaceAddr.GetPhyAddr()), size,
                            lossgrad::sim::dtypeOf<T>, sizeof(T),
                            lossgrad::sim::Scalar::of(value),
                            "InitGlobalMemory", site);
}
template <typename T>
void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
          Site site = Site::here()) {
  lossgrad::sim::fillGlobal(const_cast<T *>(gmWorkspaceAddr.GetPhyAddr()), size,
                            lossgrad::sim::dtypeOf<T>, sizeof(T),
                            lossgrad::sim::Scalar::of(value), "Fill", site);
}

template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor,
                              Site site = Site::here()) {
  lossgrad::sim::dataCacheInvalidate(entireType == CacheLine::ENTIRE_DATA_CACHE
                                         ? nullptr
                                         : tensor.GetPhyAddr(),
                                     site);
}
template <typename T, CacheLine entireType>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor,
                              Site site = Site::here()) {
  lossgrad::sim::dataCacheInvalidate(entireType == CacheLine::ENTIRE_DATA_CACHE
                                         ? nullptr
                                         : tensor.GetPhyAddr(),
                                     site);
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const LocalTensor<T> &tensor,
                              Site site = Site::here()) {
  lossgrad::sim::dataCacheInvalidate(entireType == CacheLine::ENTIRE_DATA_CACHE
                                         ? nullptr
                                         : tensor.GetPhyAddr(),
                                     site);
}
template <typename T>
void DataCachePreload(const GlobalTensor<uint64_t> &, const T) {}

} // namespace AscendC
