// SoftMax, LogSoftMax and SoftmaxGrad over the rows of a matrix. The rows come
// from SoftMaxShapeInfo, else from the shape that the source tensor carries;
// the tiling is only what the device splits by.
#pragma once

#include "ascendc/adv/abi.h"
#include "ascendc/vector/elementwise.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

struct SoftMaxShapeInfo {
  uint32_t srcM = 0;
  uint32_t srcK = 0;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
};

struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0};

template <typename T>
lossgrad_vec::Rows SoftmaxRows(const SoftMaxShapeInfo &info,
                               const LocalTensor<T> &src) {
  if (info.srcM != 0 || info.srcK != 0)
    return {info.srcM, info.srcK, info.oriSrcK ? info.oriSrcK : info.srcK};
  const ShapeInfo shape = src.GetShapeInfo();
  lossgrad_vec::Rows rows{1, 0, 0};
  for (uint8_t i = 0; i + 1 < shape.shapeDim; ++i)
    rows.rows *= shape.shape[i];
  if (shape.shapeDim > 0)
    rows.columns = shape.shape[shape.shapeDim - 1];
  rows.valid = shape.originalShapeDim > 0
                   ? shape.originalShape[shape.originalShapeDim - 1]
                   : rows.columns;
  return rows;
}

#define LOSSGRAD_SOFTMAX(HEAD, DATA, STAT, TMP)                                \
  HEAD __aicore__ inline void SoftMax(                                         \
      const LocalTensor<DATA> &dst, const LocalTensor<STAT> &sumTensor,        \
      const LocalTensor<STAT> &maxTensor, const LocalTensor<DATA> &src TMP,    \
      const SoftMaxTiling &, const SoftMaxShapeInfo &softmaxShapeInfo = {},    \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(SoftMax, DATA, half, float);                                \
    static_assert(!isDataFormatNZ, "SoftMax: the stand-in has no NZ format");  \
    lossgrad_vec::softmaxCall(                                                 \
        false, lossgrad_vec::typeOf<DATA>, lossgrad_vec::typeOf<STAT>,         \
        lossgrad_vec::at(dst).addr, lossgrad_vec::at(sumTensor).addr,          \
        lossgrad_vec::at(maxTensor).addr, lossgrad_vec::at(src).addr,          \
        SoftmaxRows(softmaxShapeInfo, src), site);                             \
  }
#define LOSSGRAD_SOFTMAX_HEAD                                                  \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, \
            bool isDataFormatNZ = false,                                       \
            const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
#define LOSSGRAD_NO_TMP
#define LOSSGRAD_TMP , const LocalTensor<uint8_t> &
LOSSGRAD_SOFTMAX(LOSSGRAD_SOFTMAX_HEAD, T, T, LOSSGRAD_NO_TMP)
LOSSGRAD_SOFTMAX(LOSSGRAD_SOFTMAX_HEAD, T, T, LOSSGRAD_TMP)
LOSSGRAD_SOFTMAX(LOSSGRAD_SOFTMAX_HEAD, half, float, LOSSGRAD_NO_TMP)
LOSSGRAD_SOFTMAX(LOSSGRAD_SOFTMAX_HEAD, half, float, LOSSGRAD_TMP)
#undef LOSSGRAD_SOFTMAX
#undef LOSSGRAD_SOFTMAX_HEAD

// Without the row sums and maxima.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T> &dst,
                               const LocalTensor<T> &src, const SoftMaxTiling &,
                               const SoftMaxShapeInfo &softmaxShapeInfo = {},
                               Site site = Site::here()) {
  LOSSGRAD_TAKES(SoftMax, T, half, float);
  lossgrad_vec::softmaxCall(false, lossgrad_vec::typeOf<T>,
                            lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                            nullptr, nullptr, lossgrad_vec::at(src).addr,
                            SoftmaxRows(softmaxShapeInfo, src), site);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void
SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
        const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
        const SoftMaxShapeInfo &softmaxShapeInfo = {},
        Site site = Site::here()) {
  SoftMax<T, isReuseSource, isBasicBlock>(dst, src, tiling, softmaxShapeInfo,
                                          site);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void
LogSoftMax(LocalTensor<T> &dst, const LocalTensor<T> &sumTensor,
           const LocalTensor<T> &maxTensor, const LocalTensor<T> &src,
           const LocalTensor<uint8_t> &, const LogSoftMaxTiling &,
           const SoftMaxShapeInfo &softmaxShapeInfo = {},
           Site site = Site::here()) {
  LOSSGRAD_TAKES(LogSoftMax, T, half, float);
  static_assert(!isDataFormatNZ, "LogSoftMax: the stand-in has no NZ format");
  lossgrad_vec::softmaxCall(
      true, lossgrad_vec::typeOf<T>, lossgrad_vec::typeOf<T>,
      lossgrad_vec::at(dst).addr, lossgrad_vec::at(sumTensor).addr,
      lossgrad_vec::at(maxTensor).addr, lossgrad_vec::at(src).addr,
      SoftmaxRows(softmaxShapeInfo, src), site);
}

#define LOSSGRAD_SOFTMAX_GRAD(TMP)                                             \
  template <typename T, bool isReuseSource = false,                            \
            bool isDataFormatNZ = false>                                       \
  __aicore__ inline void SoftmaxGrad(                                          \
      const LocalTensor<T> &dst, const LocalTensor<T> &grad,                   \
      const LocalTensor<T> &src TMP, const SoftMaxTiling &,                    \
      bool isFront = false, const SoftMaxShapeInfo &softmaxShapeInfo = {},     \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(SoftmaxGrad, T, half, float);                               \
    static_assert(!isDataFormatNZ,                                             \
                  "SoftmaxGrad: the stand-in has no NZ format");               \
    lossgrad_vec::softmaxGradCall(                                             \
        lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,                   \
        lossgrad_vec::at(grad).addr, lossgrad_vec::at(src).addr, isFront,      \
        SoftmaxRows(softmaxShapeInfo, src), site);                             \
  }                                                                            \
  template <typename T, bool isBasicBlock = false,                             \
            bool isDataFormatNZ = false>                                       \
  __aicore__ inline void SoftmaxGradFront(                                     \
      const LocalTensor<T> &dst, const LocalTensor<T> &grad,                   \
      const LocalTensor<T> &src TMP, const SoftMaxTiling &,                    \
      const SoftMaxShapeInfo &softmaxShapeInfo = {},                           \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(SoftmaxGradFront, T, half, float);                          \
    static_assert(!isDataFormatNZ,                                             \
                  "SoftmaxGradFront: the stand-in has no NZ format");          \
    lossgrad_vec::softmaxGradCall(                                             \
        lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,                   \
        lossgrad_vec::at(grad).addr, lossgrad_vec::at(src).addr, true,         \
        SoftmaxRows(softmaxShapeInfo, src), site);                             \
  }
LOSSGRAD_SOFTMAX_GRAD(LOSSGRAD_NO_TMP)
LOSSGRAD_SOFTMAX_GRAD(LOSSGRAD_TMP)
#undef LOSSGRAD_SOFTMAX_GRAD
#undef LOSSGRAD_TMP
#undef LOSSGRAD_NO_TMP

} // namespace AscendC
