//===- Platform.cpp - platform_ascendc over the product table -------------===//
//
// Which number answers which question. Core counts depend on the core types of
// the product; UB and L1 are reported smaller than they are where the platform
// holds something back.
//
//===----------------------------------------------------------------------===//
#include "acl/Runtime.h"
#include "lossgrad/SocVersions.h"
#include "lossgrad/Targets.h"
#include "platform/platform_infos_def.h"
#include "tiling/platform/platform_ascendc.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

using lossgrad::targets::Soc;

namespace {

const Soc &socOf(const fe::PlatFormInfos *platform) {
  if (!platform) {
    std::fprintf(stderr, "PlatformAscendC: the platform pointer is null\n");
    std::raise(SIGABRT);
  }
  return *static_cast<const Soc *>(platform->soc());
}

} // namespace

namespace fe {

PlatFormInfos *PlatFormInfos::Find(const char *soc, uint32_t cores,
                                   uint64_t ubBytes) {
  const Soc *found = soc ? lossgrad::targets::findSoc(soc) : nullptr;
  if (!found)
    return nullptr;
  static std::mutex mutex;
  static auto *all = new std::map<std::tuple<const Soc *, uint32_t, uint64_t>,
                                  PlatFormInfos *>;
  std::lock_guard<std::mutex> lock(mutex);
  PlatFormInfos *&entry = (*all)[std::make_tuple(found, cores, ubBytes)];
  if (!entry)
    entry = new PlatFormInfos(found, cores, ubBytes);
  return entry;
}

uint64_t PlatFormInfos::ubBytes() const {
  return ub_ ? ub_ : socOf(this).ubBytes;
}

uint32_t PlatFormInfos::GetCoreNum() const {
  return cores(socOf(this).kernelCores());
}

bool PlatFormInfos::read(const char *label, const char *key, char *text,
                         size_t size) const {
  const Soc &soc = socOf(this);
  const std::string name = std::string(label) + "/" + key;
  auto number = [&](uint64_t value) {
    std::snprintf(text, size, "%llu", static_cast<unsigned long long>(value));
    return true;
  };
  auto word = [&](const char *value) {
    std::snprintf(text, size, "%s", value);
    return true;
  };
  if (name == "version/SoC_version")
    return word(soc.name);
  if (name == "version/Short_SoC_version")
    return word(soc.family->shortSoc);
  if (name == "SoCInfo/core_type_list")
    return word(soc.coreTypes);
  if (name == "SoCInfo/ai_core_cnt" || name == "SoCInfo/cube_core_cnt")
    return number(soc.family->splitCores ? soc.cubeCores
                                         : cores(soc.cubeCores));
  if (name == "SoCInfo/vector_core_cnt")
    return number(soc.family->splitCores ? cores(soc.vectorCores)
                                         : soc.vectorCores);
  if (name == "SoCInfo/l2_size")
    return number(uint64_t(soc.l2MiB) << 20);
  if (name == "SoCInfo/memory_size")
    return number(uint64_t(soc.memoryMiB) << 20);
  if (name == "AICoreSpec/ub_size")
    return number(ubBytes());
  if (name == "AICoreSpec/l1_size")
    return number(soc.l1Bytes);
  if (name == "AICoreSpec/ubblock_size")
    return number(soc.family->blockBytes);
  return false;
}

} // namespace fe

namespace platform_ascendc {

uint32_t PlatformAscendC::GetCoreNumAiv() const {
  const Soc &soc = socOf(platformInfo_);
  return platformInfo_->cores(soc.family->splitCores ? soc.vectorCores
                                                     : soc.cubeCores);
}

uint32_t PlatformAscendC::GetCoreNumAic() const {
  const Soc &soc = socOf(platformInfo_);
  // An override counts the cores that run a vector kernel.
  return soc.family->splitCores ? soc.cubeCores
                                : platformInfo_->cores(soc.cubeCores);
}

uint32_t PlatformAscendC::GetCoreNum() const { return GetCoreNumAic(); }

uint32_t PlatformAscendC::GetCoreNumVector() const {
  const Soc &soc = socOf(platformInfo_);
  // Additional vector cores exist on the inference products only.
  return soc.family->npuArch == 2002 ? soc.vectorCores : 0;
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t sliceNum,
                                           uint32_t aicCoreNum,
                                           uint32_t aivCoreNum) const {
  // A mixed kernel is started by cube cores, each with its vector cores.
  if (aicCoreNum == 0 || aivCoreNum == 0 || aicCoreNum > aivCoreNum)
    return sliceNum;
  const uint32_t perCube = aivCoreNum / aicCoreNum;
  const uint32_t blocks = (sliceNum + perCube - 1) / perCube;
  // With two vector cores each there are no more blocks than cube cores.
  return perCube == 2 && blocks > aicCoreNum ? 0 : blocks;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const {
  return socOf(platformInfo_).family->libApiWorkspaceBytes;
}

// Groups of cores exist on Atlas A2 alone; elsewhere the answer is -1.
static uint32_t groupWorkspace(const Soc &soc) {
  return std::string_view(soc.family->shortSoc) == "Ascend910B" ? 1024 * 1024
                                                                : uint32_t(-1);
}

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const {
  return groupWorkspace(socOf(platformInfo_));
}

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const {
  return groupWorkspace(socOf(platformInfo_));
}

void PlatformAscendC::GetCoreMemSize(const CoreMemType &memType,
                                     uint64_t &size) const {
  const Soc &soc = socOf(platformInfo_);
  const uint64_t heldBack = soc.family->ubHoldbackBytes;
  switch (memType) {
  case CoreMemType::L0_A:
    size = soc.l0aBytes;
    break;
  case CoreMemType::L0_B:
    size = soc.l0bBytes;
    break;
  case CoreMemType::L0_C:
    size = soc.l0cBytes;
    break;
  case CoreMemType::L1:
    size = soc.l1Bytes - heldBack;
    break;
  case CoreMemType::L2:
    size = uint64_t(soc.l2MiB) << 20;
    break;
  case CoreMemType::UB:
    size = platformInfo_->ubBytes() - heldBack;
    break;
  case CoreMemType::HBM:
    size = uint64_t(soc.memoryMiB) << 20;
    break;
  default:
    size = 0;
  }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType &memType,
                                   uint64_t &bwSize) const {
  const Soc &soc = socOf(platformInfo_);
  switch (memType) {
  case CoreMemType::L2:
    bwSize = soc.l2ReadRate;
    break;
  case CoreMemType::HBM:
    bwSize = soc.ddrReadRate;
    break;
  default:
    bwSize = 0;
  }
}

SocVersion PlatformAscendC::GetSocVersion() const {
  const std::string_view family = socOf(platformInfo_).family->key;
  for (const auto &each : lossgrad::targets::socVersions)
    if (family == each.family)
      return SocVersion(each.number);
  return SocVersion::RESERVED_VERSION;
}

PlatformAscendC *
PlatformAscendCManager::GetInstance(const char *customSocVersion) {
  static std::mutex mutex;
  static PlatformAscendC *instance = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (instance)
    return instance;
  const char *name = customSocVersion
                         ? customSocVersion
                         : lossgrad::acl::settings().socName.c_str();
  if (fe::PlatFormInfos *platform = fe::PlatFormInfos::Find(name))
    instance = new PlatformAscendC(platform);
  return instance;
}

} // namespace platform_ascendc
