// The calls of the cube unit, which the stand-in does not have. A kernel that
// uses one is told which, when it is compiled; one that only includes their
// headers is not. Parameters of the calls are here so that the call is what the
// message is about, not the struct before it.
#pragma once

#include "ascendc/tensor.h"

// As far as programs name them.
enum QuantMode_t : uint32_t {
  NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8,
  VREQ8
};

namespace AscendC {

using ::QuantMode_t;

namespace detail {
template <typename...> inline constexpr bool kHasCubeUnit = false;
}

#define LOSSGRAD_CUBE_MESSAGE(NAME)                                            \
  NAME " is a call of the cube unit, which the stand-in does not have: only "  \
       "vector kernels can be run"
#define LOSSGRAD_CUBE_CALL(NAME)                                               \
  template <typename... Args> void NAME(Args &&...) {                          \
    static_assert(detail::kHasCubeUnit<Args...>,                               \
                  LOSSGRAD_CUBE_MESSAGE(#NAME));                               \
  }
LOSSGRAD_CUBE_CALL(Mmad)
LOSSGRAD_CUBE_CALL(MmadWithSparse)
LOSSGRAD_CUBE_CALL(Gemm)
LOSSGRAD_CUBE_CALL(Conv2D)
LOSSGRAD_CUBE_CALL(LoadData)
LOSSGRAD_CUBE_CALL(LoadDataWithTranspose)
LOSSGRAD_CUBE_CALL(LoadDataWithSparse)
LOSSGRAD_CUBE_CALL(LoadImageToLocal)
LOSSGRAD_CUBE_CALL(InitConstValue)
LOSSGRAD_CUBE_CALL(BroadCastVecToMM)
LOSSGRAD_CUBE_CALL(SetFixPipeConfig)
LOSSGRAD_CUBE_CALL(SetFixpipeNz2ndFlag)
LOSSGRAD_CUBE_CALL(SetFixpipePreQuantFlag)
LOSSGRAD_CUBE_CALL(SetFmatrix)
LOSSGRAD_CUBE_CALL(SetLoadDataBoundary)
LOSSGRAD_CUBE_CALL(SetLoadDataRepeat)
LOSSGRAD_CUBE_CALL(SetLoadDataPaddingValue)
#undef LOSSGRAD_CUBE_CALL

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };
enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR = 1, COLUMN_MAJOR = 2 };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

// Nothing reads them: all values of a call may be given in a row.
#define LOSSGRAD_CUBE_PARAMS(NAME)                                             \
  NAME() = default;                                                            \
  template <typename... Args> NAME(Args...) {}
struct LoadData2DParams {
  LOSSGRAD_CUBE_PARAMS(LoadData2DParams)
  uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
};
struct LoadData2DParamsV2 {
  LOSSGRAD_CUBE_PARAMS(LoadData2DParamsV2)
  uint32_t mStartPosition = 0, kStartPosition = 0;
  uint16_t mStep = 0, kStep = 0, dstStride = 0;
  int32_t srcStride = 0;
  bool ifTranspose = false;
  uint8_t sid = 0;
};
struct LoadData2dTransposeParams {
  LOSSGRAD_CUBE_PARAMS(LoadData2dTransposeParams)
  uint16_t startIndex = 0, srcStride = 0, dstGap = 0, dstFracGap = 0;
  uint8_t repeatTimes = 0, addrMode = 0;
};
template <typename T> struct LoadData3DParamsV1 {
  LOSSGRAD_CUBE_PARAMS(LoadData3DParamsV1)
  uint8_t padList[4] = {}, strideW = 0, strideH = 0, filterW = 0, filterH = 0,
          dilationFilterW = 0, dilationFilterH = 0, jumpStride = 0,
          repeatMode = 0, repeatTime = 0, cSize = 0, fetchFilterW = 0,
          fetchFilterH = 0;
  T padValue = T();
  uint16_t l1H = 0, l1W = 0, c1Index = 0;
  int16_t leftTopW = 0, leftTopH = 0;
};
template <typename T> struct LoadData3DParamsV2 {
  LOSSGRAD_CUBE_PARAMS(LoadData3DParamsV2)
  uint8_t padList[4] = {}, strideW = 1, strideH = 1, filterW = 1, filterH = 1,
          dilationFilterW = 1, dilationFilterH = 1;
  uint16_t l1H = 0, l1W = 0, channelSize = 0, kExtension = 0, mExtension = 0,
           kStartPt = 0, mStartPt = 0;
  bool enTranspose = false, enSmallK = false, filterSizeW = false,
       filterSizeH = false, fMatrixCtrl = false;
  T padValue = T();
};
struct MmadParams {
  LOSSGRAD_CUBE_PARAMS(MmadParams)
  uint16_t m = 0, n = 0, k = 0;
  bool isBias = false, enSsparse = false, enWinogradA = false,
       enWinogradB = false, kDirectionAlign = false, cmatrixSource = false,
       cmatrixInitVal = true, disableGemv = false;
  int32_t fmOffset = 0;
  uint8_t unitFlag = 0;
};
struct FixpipeParamsV220 {
  LOSSGRAD_CUBE_PARAMS(FixpipeParamsV220)
  uint16_t nSize = 0, mSize = 0, srcStride = 0, ndNum = 1, srcNdStride = 0,
           dstNdStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  bool reluEn = false, isChannelSplit = false;
  uint8_t unitFlag = 0;
};
template <typename T> struct InitConstValueParams {
  LOSSGRAD_CUBE_PARAMS(InitConstValueParams)
  uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
  T initValue = T();
};
#undef LOSSGRAD_CUBE_PARAMS

// Configurations are template arguments here, which the vendor's calls spell.
template <typename T, typename U, auto &config, typename... Args>
void Fixpipe(Args &&...) {
  static_assert(detail::kHasCubeUnit<T>, LOSSGRAD_CUBE_MESSAGE("Fixpipe"));
}
template <typename... Types, typename... Args> void Fixpipe(Args &&...) {
  static_assert(detail::kHasCubeUnit<Args...>,
                LOSSGRAD_CUBE_MESSAGE("Fixpipe"));
}

} // namespace AscendC
