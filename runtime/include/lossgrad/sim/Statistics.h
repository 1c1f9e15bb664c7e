//===- Statistics.h - what the stand-in did, for its tests ----------------===//
//
// Counts of things that leave no trace in memory. Nothing decides by them.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_SIM_STATISTICS_H
#define LOSSGRAD_SIM_STATISTICS_H

#include "lossgrad/sim/Export.h"

#include <cstdint>

namespace lossgrad::sim {

/// Does fast mode store large tensors past this host's caches?
LOSSGRAD_API bool storesPastCaches();

/// Fences that followed such stores, in this process.
LOSSGRAD_API uint64_t streamFences();

} // namespace lossgrad::sim

#endif // LOSSGRAD_SIM_STATISTICS_H
