// The CPU twin: what kernel unit tests include beside their kernel. A test
// allocates global memory, fills it, sets the tiling key and runs the kernel;
// a block that fails is reported at once and makes the program end with a
// non-zero status, whatever it returns.
#pragma once

#include "ascendc/kernel_api.h"
#include "lossgrad/sim/CpuTwin.h"

#include <cstddef>
#include <cstdint>

namespace AscendC {

inline void *GmAlloc(size_t size) { return lossgrad::sim::twinAllocate(size); }
inline void GmFree(void *ptr) { lossgrad::sim::twinFree(ptr); }
inline void SetKernelMode(KernelMode mode) {
  lossgrad::sim::twinSetKernelMode(mode);
}

} // namespace AscendC

#define ICPU_SET_TILING_KEY(tilingKey)                                         \
  lossgrad::sim::twinSetTilingKey(static_cast<int64_t>(tilingKey))

// The kernel, the number of blocks, then the kernel's arguments.
#define ICPU_RUN_KF(func, blkdim, ...)                                         \
  lossgrad::sim::twinRun(#func, static_cast<uint32_t>(blkdim),                 \
                         lossgrad::sim::kProductOfThisSource, func,            \
                         ##__VA_ARGS__)
