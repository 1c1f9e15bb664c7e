// Stores that combine with what global memory holds.
#pragma once

#include <cstdint>

namespace lossgrad::sim {

class Core;

// Combines `bytes` at src into dst as the core's atomic register says.
void atomicStore(Core &core, uint8_t *dst, const uint8_t *src, uint64_t bytes);

} // namespace lossgrad::sim
