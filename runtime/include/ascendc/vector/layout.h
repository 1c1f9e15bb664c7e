// Transpose of one 16 x 16 matrix and TransDataTo5HD, the transpose of 16
// blocks that layouts are built from.
#pragma once

#include "ascendc/vector/elementwise.h"
#include "lossgrad/sim/System.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T> &dst,
                                 const LocalTensor<T> &src,
                                 Site site = Site::here()) {
  LOSSGRAD_TAKES(Transpose, T, half, int16_t, uint16_t);
  lossgrad_vec::transpose16(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                            lossgrad_vec::at(src).addr, site);
}

// 16 x 16, or an image between [N, C, H, W] and [N, H, W, C].
template <typename T>
__aicore__ inline void
Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
          const LocalTensor<uint8_t> &, const TransposeParamsExt &params,
          Site site = Site::here()) {
  if (params.transposeType == TransposeType::TRANSPOSE_TYPE_NONE)
    return;
  if (params.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
    if constexpr (sizeof(PrimT<T>) == 2)
      return Transpose(dst, src, site);
  }
  const bool channelsLast =
      params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
  if (!channelsLast &&
      params.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW)
    lossgrad::sim::assertionFailed("transposeType is supported", "Transpose",
                                   site);
  lossgrad_vec::transposeImage(
      lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
      lossgrad_vec::at(src).addr, channelsLast,
      {params.nSize, params.cSize,
       static_cast<uint32_t>(params.hSize) * params.wSize},
      site);
}

#define LOSSGRAD_5HD_TYPES                                                     \
  LOSSGRAD_TAKES(TransDataTo5HD, T, LOSSGRAD_REALS, int8_t, uint8_t,           \
                 LOSSGRAD_WORDS)

template <typename T>
__aicore__ inline void
TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
               const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
               const TransDataTo5HDParams &params, Site site = Site::here()) {
  LOSSGRAD_5HD_TYPES;
  void *dst[NCHW_CONV_ADDR_LIST_SIZE];
  const void *src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = lossgrad_vec::at(dstList[i]).addr;
    src[i] = lossgrad_vec::at(srcList[i]).addr;
  }
  lossgrad_vec::transDataTo5HD(lossgrad_vec::typeOf<T>, dst, src, params, site);
}
// Addresses as GetPhyAddr gives them, cast to integers.
template <typename T>
__aicore__ inline void
TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
               uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
               const TransDataTo5HDParams &params, Site site = Site::here()) {
  LOSSGRAD_5HD_TYPES;
  void *dst[NCHW_CONV_ADDR_LIST_SIZE];
  const void *src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = reinterpret_cast<void *>(dstList[i]);
    src[i] = reinterpret_cast<const void *>(srcList[i]);
  }
  lossgrad_vec::transDataTo5HD(lossgrad_vec::typeOf<T>, dst, src, params, site);
}
// The name below the public one, with pointers: transposing vendor kernels
// call it, since their operands are not whole tensors.
template <typename T>
__aicore__ inline void
TransDataTo5HDImpl(__ubuf__ T *dstList[NCHW_CONV_ADDR_LIST_SIZE],
                   __ubuf__ T *srcList[NCHW_CONV_ADDR_LIST_SIZE],
                   const TransDataTo5HDParams &params,
                   Site site = Site::here()) {
  LOSSGRAD_5HD_TYPES;
  void *dst[NCHW_CONV_ADDR_LIST_SIZE];
  const void *src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = dstList[i];
    src[i] = srcList[i];
  }
  lossgrad_vec::transDataTo5HD(lossgrad_vec::typeOf<T>, dst, src, params, site);
}
// The address lists themselves lie in UB.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t> &dst,
                                      const LocalTensor<uint64_t> &src,
                                      const TransDataTo5HDParams &params,
                                      Site site = Site::here()) {
  uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE];
  for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dstList[i] = dst.GetValue(i, site);
    srcList[i] = src.GetValue(i, site);
  }
  TransDataTo5HD<T>(dstList, srcList, params, site);
}
#undef LOSSGRAD_5HD_TYPES

} // namespace AscendC
