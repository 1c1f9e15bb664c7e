// Running a kernel on the stand-in: what the CPU twin (tikicpulib.h) and the
// host runtime (acl, aclnn) call. A launch returns when all blocks have ended;
// it never ends the process and never throws. Asynchrony, streams and argument
// marshalling are the caller's.
#pragma once

#include "lossgrad/sim/Export.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Which cores of a split product run a kernel: per block one cube core and two
// vector cores, or only one kind. Coupled products ignore it.
enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };

namespace lossgrad::sim {

// A tensor in global memory: what an access that starts in it may touch.
struct TensorExtent {
  const void *begin = nullptr;
  size_t bytes = 0;
  std::string name;
};

struct LaunchConfig {
  std::string kernelName = "kernel";
  uint32_t blockCount = 1;
  uint64_t tilingKey = 0;
  std::string soc; // long name, Ascend910B1; empty: defaultSoc()
  KernelMode mode = KernelMode::AIV_MODE;
  // What the kernel function gets, for reports; a launch of a function fills
  // it in by itself.
  std::vector<const void *> arguments;
  // Tensors inside their allocations, where the caller knows them: bounds and
  // names for check mode.
  std::vector<TensorExtent> tensors;
};

struct LaunchResult {
  bool ok = true;
  std::string errors;   // one line per failed block, in block order
  std::string warnings; // what the device would do silently, one line per site
  bool reported = false; // a mode has printed both already
};

// Runs body() once per core of every block.
LOSSGRAD_API LaunchResult launch(const LaunchConfig &config,
                                 const std::function<void()> &body);

// The same for a kernel function whose arguments are all pointers (GM_ADDR).
LOSSGRAD_API LaunchResult launchKernel(const LaunchConfig &config,
                                       void *function, void *const *arguments,
                                       size_t argumentCount);

// The product that a launch without one gets: LOSSGRAD_SOC, else Ascend910B1.
LOSSGRAD_API std::string defaultSoc();

// Global memory: zero-filled, 512-byte aligned, rounded up to 512 bytes and
// followed by a guard page. Zero bytes are allowed. Null if there is no memory.
LOSSGRAD_API void *allocateGlobal(size_t bytes);
// False if the pointer did not come from allocateGlobal.
LOSSGRAD_API bool freeGlobal(void *pointer);

} // namespace lossgrad::sim
