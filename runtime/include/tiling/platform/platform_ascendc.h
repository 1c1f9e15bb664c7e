//===- platform_ascendc.h - cores and memories of the product ---*- C++ -*-===//
//
// What a tiling function asks of the platform. The numbers come from the
// product table of the selected SoC (LOSSGRAD_SOC), with LOSSGRAD_CORE_NUM and
// LOSSGRAD_UB_SIZE as overrides for tests.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_TILING_PLATFORM_ASCENDC_H
#define LOSSGRAD_TILING_PLATFORM_ASCENDC_H

#include "graph/compiler_def.h"

#include <cstdint>
#include <mutex>

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

enum class CoreMemType {
  L0_A = 0,
  L0_B = 1,
  L0_C = 2,
  L1 = 3,
  L2 = 4,
  UB = 5,
  HBM = 6,
  RESERVED
};

/// A3 counts as ASCEND910B here. ASCEND950 is of the 9.x line.
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND950,
  RESERVED_VERSION = 99999
};

class METADEF_FUNC_VISIBILITY PlatformAscendC {
public:
  PlatformAscendC() = delete;
  /// A null platform ends the program at the first question, as in CANN.
  explicit PlatformAscendC(fe::PlatFormInfos *platformInfo)
      : platformInfo_(platformInfo) {}

  uint32_t GetCoreNum(void) const;
  uint32_t GetCoreNumAic(void) const;
  uint32_t GetCoreNumAiv(void) const;
  uint32_t GetCoreNumVector(void) const;
  uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum,
                            uint32_t aivCoreNum) const;
  uint32_t GetLibApiWorkSpaceSize(void) const;
  uint32_t GetResCubeGroupWorkSpaceSize(void) const;
  uint32_t GetResGroupBarrierWorkSpaceSize(void) const;
  void GetCoreMemSize(const CoreMemType &memType, uint64_t &size) const;
  void GetCoreMemBw(const CoreMemType &memType, uint64_t &bwSize) const;
  SocVersion GetSocVersion(void) const;

private:
  fe::PlatFormInfos *platformInfo_;
};

/// The platform for code outside a tiling function.
class METADEF_FUNC_VISIBILITY PlatformAscendCManager {
public:
  static PlatformAscendC *GetInstance() { return GetInstance(nullptr); }
  /// The first call decides; null when the name is unknown.
  static PlatformAscendC *GetInstance(const char *customSocVersion);
};

} // namespace platform_ascendc

#endif // LOSSGRAD_TILING_PLATFORM_ASCENDC_H
