// The library's side of scalar access and of addresses outside TPipe. Kept
// apart from the tensors so that the border stays visible.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/Export.h"

namespace lossgrad::sim {

// Announces one scalar access of a core's own memory or of global memory.
LOSSGRAD_API void scalarRead(const void *addr, uint32_t bytes, const char *call,
                             Site site);
LOSSGRAD_API void scalarWrite(void *addr, uint32_t bytes, const char *call,
                              Site site);
LOSSGRAD_API void globalRead(const void *addr, uint32_t bytes, const char *call,
                             Site site);
LOSSGRAD_API void globalWrite(void *addr, uint32_t bytes, const char *call,
                              Site site);

// A kernel takes an address of its core's memory, or of global memory, and may
// look there without a further call. The core executes what it has deferred
// (fast mode); after the first it defers nothing more in this block.
LOSSGRAD_API void localAddressTaken();
LOSSGRAD_API void globalAddressTaken();

// Host address of a byte address in the memory behind a position.
LOSSGRAD_API uint8_t *localAddress(AscendC::TPosition position,
                                   uint32_t byteAddress, uint64_t bytes,
                                   Site site);

// Stops the block unless the selected product has L2 cache hints.
LOSSGRAD_API void requireCacheHint(Site site);

} // namespace lossgrad::sim
