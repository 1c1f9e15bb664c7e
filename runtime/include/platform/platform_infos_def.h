//===- platform_infos_def.h - the product that tiling asks ------*- C++ -*-===//
//
// The object behind TilingContext::GetPlatformInfo: a row of the product table,
// possibly with a core count and UB size that a test has put in its place.
// platform_ascendc.h is the interface to it.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_PLATFORM_PLATFORM_INFOS_DEF_H
#define LOSSGRAD_PLATFORM_PLATFORM_INFOS_DEF_H

#include "graph/compiler_def.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fe {

class METADEF_FUNC_VISIBILITY PlatFormInfos {
public:
  /// The product of that long name; numbers other than 0 replace the table's.
  /// `ubBytes` is the physical size, before the platform takes its part off.
  /// Null for an unknown name. The object lives for ever.
  static PlatFormInfos *Find(const char *soc, uint32_t cores = 0,
                             uint64_t ubBytes = 0);

  uint32_t GetCoreNum() const;

  /// An entry of the platform file, e.g. ("SoCInfo", "ai_core_cnt").
  bool GetPlatformRes(const std::string &label, const std::string &key,
                      std::string &value) {
    char text[64];
    if (!read(label.c_str(), key.c_str(), text, sizeof(text)))
      return false;
    value = text;
    return true;
  }
  bool GetPlatformResWithLock(const std::string &label, const std::string &key,
                              std::string &value) {
    return GetPlatformRes(label, key, value);
  }

  // For platform_ascendc and the runtime.
  const void *soc() const { return soc_; }
  uint64_t ubBytes() const;
  uint32_t cores(uint32_t fromTable) const {
    return cores_ ? cores_ : fromTable;
  }

private:
  PlatFormInfos(const void *soc, uint32_t cores, uint64_t ubBytes)
      : soc_(soc), cores_(cores), ub_(ubBytes) {}
  bool read(const char *label, const char *key, char *text, size_t size) const;

  const void *soc_;
  uint32_t cores_;
  uint64_t ub_;
};

} // namespace fe

#endif // LOSSGRAD_PLATFORM_PLATFORM_INFOS_DEF_H
