// High-level calls over the rows of a matrix: Sum, CumSum, and Select by a mask
// with one element per value; and Xor. Each exists with and without a temporary
// buffer where the vendor has both.
#pragma once

#include "ascendc/adv/abi.h"
#include "ascendc/vector/elementwise.h"

namespace AscendC {

struct SumParams {
  uint32_t outter = 1;
  uint32_t inner = 0; // n, rounded up to whole blocks
  uint32_t n = 0;
};

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false,
          bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const SumParams &params, Site site = Site::here()) {
  LOSSGRAD_TAKES(Sum, T, half, float);
  lossgrad_vec::sumCall(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                        lossgrad_vec::at(src).addr,
                        {params.outter, params.inner, params.n}, site);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false,
          bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LocalTensor<uint8_t> &,
                           const SumParams &params, Site site = Site::here()) {
  Sum<T, reduceDim, isReuseSource, isBasicBlock>(dst, src, params, site);
}

//===- CumSum -------------------------------------------------------------===//

enum class CumSumAlgorithm {
  CUMSUM_ALGORITHM_LINEBYLINE = 0,
  CUMSUM_ALGORITHM_SKLANSKY = 1
};
struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
struct CumSumInfo {
  uint32_t outter{0};
  uint32_t inner{0};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

template <typename T, const CumSumConfig &config = defaultCumSumConfig>
__aicore__ inline void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow,
                              const LocalTensor<T> &src, const CumSumInfo &info,
                              Site site = Site::here()) {
  LOSSGRAD_TAKES(CumSum, T, half, float);
  static_assert(config.algorithm ==
                    CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                "CumSum: only CUMSUM_ALGORITHM_LINEBYLINE is modelled");
  lossgrad_vec::cumSumCall(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                           config.outputLastRow ? lossgrad_vec::at(lastRow).addr
                                                : nullptr,
                           lossgrad_vec::at(src).addr, config.isLastAxis,
                           {info.outter, info.inner, info.inner}, site);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
__aicore__ inline void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow,
                              const LocalTensor<T> &src, LocalTensor<uint8_t> &,
                              const CumSumInfo &info,
                              Site site = Site::here()) {
  CumSum<T, config>(dst, lastRow, src, info, site);
}

//===- Select by a mask of elements ---------------------------------------===//

struct SelectWithBytesMaskShapeInfo {
  SelectWithBytesMaskShapeInfo() {}
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

namespace detail {
template <typename T, typename U>
void SelectByElements(const LocalTensor<T> &dst, const LocalTensor<T> &tensor,
                      T scalar, bool scalarFirst, const LocalTensor<U> &mask,
                      const SelectWithBytesMaskShapeInfo &info, Site site) {
  LOSSGRAD_TAKES(Select, T, half, float);
  static_assert(sizeof(PrimT<U>) <= 4,
                "Select: the mask has elements of 1, 2 or 4 bytes");
  lossgrad_vec::ElementMask bits;
  bits.at = lossgrad_vec::at(mask).addr;
  bits.bytes = sizeof(PrimT<U>);
  bits.columns = info.maskLastAxis;
  lossgrad_vec::selectByElements(
      lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
      lossgrad_vec::at(tensor).addr, lossgrad_vec::Scalar::of<T>(scalar),
      scalarFirst, bits, {info.firstAxis, info.srcLastAxis, info.srcLastAxis},
      site);
}
} // namespace detail

// Where the mask is not 0, the second source; else the first.
#define LOSSGRAD_SELECT_BYTES(NAME)                                            \
  template <typename T, typename U, bool isReuseMask = true>                   \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1,           \
      const LocalTensor<U> &mask, const LocalTensor<uint8_t> &,                \
      const SelectWithBytesMaskShapeInfo &info, Site site = Site::here()) {    \
    detail::SelectByElements(dst, src0, src1, false, mask, info, site);        \
  }                                                                            \
  template <typename T, typename U, bool isReuseMask = true>                   \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1,           \
      const LocalTensor<U> &mask, const LocalTensor<uint8_t> &,                \
      const SelectWithBytesMaskShapeInfo &info, Site site = Site::here()) {    \
    detail::SelectByElements(dst, src1, src0, true, mask, info, site);         \
  }
LOSSGRAD_SELECT_BYTES(Select)
LOSSGRAD_SELECT_BYTES(SelectWithBytesMask)
#undef LOSSGRAD_SELECT_BYTES

//===- Xor ----------------------------------------------------------------===//

template <typename T, bool isReuseSource = false>
__aicore__ inline void
Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
    const LocalTensor<T> &src1, const LocalTensor<uint8_t> &,
    const uint32_t calCount, Site site = Site::here()) {
  LOSSGRAD_TAKES(Xor, T, int16_t, uint16_t);
  lossgrad_vec::xorCall(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                        lossgrad_vec::at(src0).addr,
                        lossgrad_vec::at(src1).addr, calCount, site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void
Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
    const LocalTensor<T> &src1, const LocalTensor<uint8_t> &tmp,
    Site site = Site::here()) {
  Xor<T, isReuseSource>(dst, src0, src1, tmp, src0.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Xor(const LocalTensor<T> &dst,
                           const LocalTensor<T> &src0,
                           const LocalTensor<T> &src1, const uint32_t calCount,
                           Site site = Site::here()) {
  Xor<T, isReuseSource>(dst, src0, src1, LocalTensor<uint8_t>(), calCount,
                        site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void
Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
    const LocalTensor<T> &src1, Site site = Site::here()) {
  Xor<T, isReuseSource>(dst, src0, src1, LocalTensor<uint8_t>(), src0.GetSize(),
                        site);
}

} // namespace AscendC
