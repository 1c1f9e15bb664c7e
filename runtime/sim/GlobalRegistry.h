// The library's side of lossgrad/sim/GlobalMemory.h: look-up of the allocation
// behind an address, and the bytes that nobody has written yet.
#pragma once

#include "lossgrad/sim/GlobalMemory.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace lossgrad::sim {

struct GlobalExtent {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The live allocation that holds the address, or whose end it is.
std::optional<GlobalExtent> findGlobal(uint64_t address);

// A queued task that has yet to write part of [begin, end): which, and bytes of
// what it will write.
struct PendingUse {
  const char *what = "";
  uint64_t begin = 0, end = 0;
};
std::optional<PendingUse> findPending(uint64_t begin, uint64_t end);

// First undefined run inside [begin, end), if any.
std::optional<GlobalExtent> findUndefined(uint64_t begin, uint64_t end);
void markGlobalDefined(uint64_t begin, uint64_t end);

} // namespace lossgrad::sim
