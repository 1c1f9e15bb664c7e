// The sticky state of the vector unit: mask mode, mask register, CTRL register.
#pragma once

#include "ascendc/vector/abi.h"

namespace AscendC {

__aicore__ inline void SetMaskCount(Site site = Site::here()) {
  lossgrad::vector::setMaskMode(true, site);
}
__aicore__ inline void SetMaskNorm(Site site = Site::here()) {
  lossgrad::vector::setMaskMode(false, site);
}
__aicore__ inline void ResetMask(Site site = Site::here()) {
  lossgrad::vector::resetMask(site);
}

// High half first. In COUNTER mode the low half is the number of elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(const uint64_t maskHigh,
                                     const uint64_t maskLow,
                                     Site site = Site::here()) {
  lossgrad::vector::setVectorMask(maskHigh, maskLow, site);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(int32_t len, Site site = Site::here()) {
  if (mode == MaskMode::COUNTER) {
    lossgrad::vector::setVectorMask(0, static_cast<uint64_t>(len), site);
    return;
  }
  const uint64_t low = len >= 64 ? FULL_MASK : (1ull << len) - 1;
  const uint64_t high = len >= 128 ? FULL_MASK
                        : len > 64 ? (1ull << (len - 64)) - 1
                                   : 0;
  lossgrad::vector::setVectorMask(high, low, site);
}

// Bits [startBit, endBit] of CTRL. Bit 48 on A2 and A3: 1 keeps Inf and NaN in
// 16-bit results, 0 saturates.
template <int8_t startBit, int8_t endBit>
__aicore__ inline int64_t GetCtrlSpr(Site site = Site::here()) {
  static_assert(0 <= startBit && startBit <= endBit && endBit < 64,
                "GetCtrlSpr: bits are [start, end] within 0..63");
  return static_cast<int64_t>(
      lossgrad::vector::readCtrl(endBit, startBit, site));
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline void SetCtrlSpr(int64_t value, Site site = Site::here()) {
  static_assert(0 <= startBit && startBit <= endBit && endBit < 64,
                "SetCtrlSpr: bits are [start, end] within 0..63");
  lossgrad::vector::writeCtrl(endBit, startBit, static_cast<uint64_t>(value),
                              site);
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline void ResetCtrlSpr(Site site = Site::here()) {
  SetCtrlSpr<startBit, endBit>(0, site);
}

// What happens to results that do not fit: of floating arithmetic, of integer
// arithmetic, of casts to integers.
enum class SaturationMode : uint8_t { FLOAT, INT, CAST };

template <SaturationMode mode> constexpr int8_t SaturationBit() {
  return mode == SaturationMode::FLOAT ? 48
         : mode == SaturationMode::INT ? 53
                                       : 59;
}
// Of the three bits only that of INT is 1 for saturation.
template <SaturationMode mode>
__aicore__ inline void SetSaturationFlag(bool enableSat,
                                         Site site = Site::here()) {
  constexpr int8_t bit = SaturationBit<mode>();
  SetCtrlSpr<bit, bit>((mode == SaturationMode::INT) == enableSat ? 1 : 0,
                       site);
}
template <SaturationMode mode>
__aicore__ inline bool GetSaturationFlag(Site site = Site::here()) {
  constexpr int8_t bit = SaturationBit<mode>();
  return (mode == SaturationMode::INT) == (GetCtrlSpr<bit, bit>(site) != 0);
}

struct AscendCUtils {
  // The vendor's kernels reach for these now and then.
  static int32_t GetBitSize(int32_t byteSize) { return byteSize * 8; }
  static int32_t GetC0Size() { return DEFAULT_C0_SIZE; }
  static int32_t GetC0Count(const int32_t dtypeSize) {
    return DEFAULT_C0_SIZE / dtypeSize;
  }
  static int32_t GetDefaultBlockNum() { return DEFAULT_BLK_NUM; }
  // What the last GatherMask has kept.
  static int64_t GetRsvdCnt(Site site = Site::here()) {
    return lossgrad_vec::gatherMaskRemainCount(site);
  }
  static void SetOverflow(uint64_t ctrlValue, Site site = Site::here()) {
    SetCtrlSpr<48, 48>(ctrlValue == 1 ? 1 : 0, site);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(const uint64_t &maskHigh, const uint64_t &maskLow,
                      Site site = Site::here()) {
    if (isSetMask)
      SetVectorMask<T>(maskHigh, maskLow, site);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(int32_t len, Site site = Site::here()) {
    if (isSetMask)
      SetVectorMask<T>(len, site);
  }
  template <bool isSetMask = true>
  static void ResetMask(Site site = Site::here()) {
    if (isSetMask)
      AscendC::ResetMask(site);
  }
};

} // namespace AscendC
