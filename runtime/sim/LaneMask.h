// The lanes of one repeat that take part, as the mask register holds them: up
// to 128 bits, lane i in bit i.
#pragma once

#include <cstdint>

namespace lossgrad::sim {

struct LaneMask {
  uint64_t low = 0, high = 0;

  static LaneMask first(uint64_t count) {
    LaneMask mask;
    mask.low = count >= 64 ? ~0ull : (1ull << count) - 1;
    mask.high = count >= 128 ? ~0ull
                : count > 64 ? (1ull << (count - 64)) - 1
                             : 0;
    return mask;
  }
  bool none() const { return !(low | high); }
  bool has(uint64_t lane) const {
    return (lane < 64 ? low >> lane : high >> (lane - 64)) & 1;
  }
  // Past the last one.
  uint32_t end() const {
    if (high)
      return 128 - static_cast<uint32_t>(__builtin_clzll(high));
    return low ? 64 - static_cast<uint32_t>(__builtin_clzll(low)) : 0;
  }
  uint32_t count() const {
    return static_cast<uint32_t>(__builtin_popcountll(low) +
                                 __builtin_popcountll(high));
  }
  // Are they the first end() ones?
  bool isPrefix() const {
    const uint64_t mixed = low == ~0ull ? high : low;
    return !(mixed & (mixed + 1)) && (low == ~0ull || !high);
  }
  LaneMask operator&(const LaneMask &other) const {
    LaneMask both;
    both.low = low & other.low;
    both.high = high & other.high;
    return both;
  }
};

} // namespace lossgrad::sim
