// Which pieces of host memory are global memory of the device, and which of
// their bytes the host has written. Whoever hands out device memory (GmAlloc,
// aclrtMalloc) says so here; check mode takes bounds and undefined bytes from
// it. Costs a map entry per allocation and nothing per access.
#pragma once

#include "lossgrad/sim/Export.h"

#include <cstddef>

namespace lossgrad::sim {

// `defined`: the bytes have a value (GmAlloc); else they have none until the
// host or a kernel writes them (aclrtMalloc).
LOSSGRAD_API void globalAllocated(const void *begin, size_t bytes,
                                  bool defined);
LOSSGRAD_API void globalFreed(const void *begin);
// The host has written these bytes (aclrtMemcpy, aclrtMemset).
LOSSGRAD_API void globalWrittenByHost(const void *begin, size_t bytes);

} // namespace lossgrad::sim
