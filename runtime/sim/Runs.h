// The contiguous pieces of an instruction's regions, in order.
#pragma once

#include "sim/Observer.h"

#include <cstdint>

namespace lossgrad::sim {

// Calls visit(address, bytes) per run of a region; a dense region is one run.
template <typename Visit> void forEachRun(const Region &region, Visit &&visit) {
  if (!region.rowBytes)
    return;
  const auto start = reinterpret_cast<uint64_t>(region.addr);
  const bool rowsDense =
      region.rows == 1 ||
      region.rowPitch == static_cast<int64_t>(region.rowBytes);
  for (uint32_t plane = 0; plane < region.planes; ++plane) {
    const uint64_t base = start + plane * region.planePitch;
    if (rowsDense) {
      visit(base, region.rowBytes * region.rows);
      continue;
    }
    for (uint32_t row = 0; row < region.rows; ++row)
      visit(base + row * region.rowPitch, region.rowBytes);
  }
}

// The same for all regions of one operand, in the order of its elements. Blocks
// of a strided operand are regions of their own with one row per repeat, so
// regions with equally many rows advance together.
template <typename Visit>
void forEachRunOf(const std::vector<Region> &regions, unsigned operand,
                  Visit &&visit) {
  auto turns = [](const Region &r) { return uint64_t(r.rows) * r.planes; };
  for (size_t first = 0; first < regions.size();) {
    size_t last = first + 1;
    if (regions[first].operand != operand) {
      first = last;
      continue;
    }
    while (last < regions.size() && regions[last].operand == operand &&
           turns(regions[last]) == turns(regions[first]))
      ++last;
    if (last == first + 1) {
      forEachRun(regions[first], visit);
    } else {
      for (uint64_t turn = 0; turn < turns(regions[first]); ++turn)
        for (size_t i = first; i < last; ++i) {
          const Region &r = regions[i];
          visit(reinterpret_cast<uint64_t>(r.addr) +
                    turn % r.rows * r.rowPitch + turn / r.rows * r.planePitch,
                r.rowBytes);
        }
    }
    first = last;
  }
}

inline uint64_t bytesOf(const Region &region) {
  return region.rowBytes * region.rows * region.planes;
}

} // namespace lossgrad::sim
