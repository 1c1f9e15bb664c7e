//===- AclRuntime.h - An operator library and its runtime -------*- C++ -*-===//
//
// Loads a library of aclnn operators at run time, with the ACL runtime that it
// was linked to, and holds what a call needs: a device, a stream, memory. Only
// public functions are used, so that a library for a real device works alike;
// the stand-in's findings are taken where it offers them. Modes are chosen by
// the environment, which is why nothing is linked.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_ACLRUNTIME_H
#define LOSSGRAD_TOOLS_RUN_ACLRUNTIME_H

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace lossgrad::sim {
struct Finding;
}

namespace lossgrad::run {

class AclRuntime {
public:
  /// Loads the library, initialises ACL and creates a stream on device 0.
  static llvm::Expected<std::unique_ptr<AclRuntime>>
  open(const std::string &library);
  ~AclRuntime();

  /// A function of the library or of what it is linked to; null if absent.
  void *findSymbol(const std::string &name) const;

  /// Findings of the stand-in's check mode since the last call, as text.
  std::vector<std::string> takeFindings() const;
  /// The runtime's own words on its last error; empty if it has none.
  std::string takeErrorText() const;

  /// The public functions that calls need.
#define LOSSGRAD_ACL_FUNCTIONS(X)                                              \
  X(aclInit)                                                                   \
  X(aclFinalize)                                                               \
  X(aclGetRecentErrMsg)                                                        \
  X(aclrtSetDevice)                                                            \
  X(aclrtResetDevice)                                                          \
  X(aclrtCreateStream)                                                         \
  X(aclrtDestroyStream)                                                        \
  X(aclrtSynchronizeStream)                                                    \
  X(aclrtMalloc)                                                               \
  X(aclrtFree)                                                                 \
  X(aclrtMemcpy)                                                               \
  X(aclCreateTensor)                                                           \
  X(aclDestroyTensor)                                                          \
  X(aclDestroyAclOpExecutor)
#define LOSSGRAD_DECLARE(name) decltype(&::name) name = nullptr;
  LOSSGRAD_ACL_FUNCTIONS(LOSSGRAD_DECLARE)
#undef LOSSGRAD_DECLARE

  aclrtStream stream = nullptr;

private:
  AclRuntime() = default;
  llvm::Error resolve(const std::string &library);
  llvm::Error start();

  void *handle = nullptr;
  void (*takeChecked)(std::vector<sim::Finding> *) = nullptr;
  bool initialised = false;
};

/// Device memory that frees itself.
class DeviceMemory {
public:
  static llvm::Expected<DeviceMemory> allocate(const AclRuntime &runtime,
                                               size_t bytes);
  DeviceMemory(DeviceMemory &&other);
  DeviceMemory &operator=(DeviceMemory &&) = delete;
  ~DeviceMemory();

  /// Gives the memory back and says whether the runtime found it intact.
  llvm::Error release();
  llvm::Error upload(size_t offset, const std::vector<uint8_t> &from);
  llvm::Error download(size_t offset, std::vector<uint8_t> &to) const;
  uint8_t *get() const { return pointer; }

private:
  DeviceMemory(const AclRuntime &runtime, uint8_t *pointer, size_t size)
      : runtime(&runtime), pointer(pointer), size(size) {}
  const AclRuntime *runtime;
  uint8_t *pointer;
  size_t size;
};

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_ACLRUNTIME_H
