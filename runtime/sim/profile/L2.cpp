// See L2.h.
#include "sim/profile/L2.h"

#include <algorithm>

namespace lossgrad::sim::profile {

// Stamp 0 means never; others count how much had been brought in, rounded.
bool L2::touch(uint64_t number, bool bringIn) {
  auto &page = pages[number / kLinesPerPage];
  if (!page)
    page = std::make_unique<std::vector<uint32_t>>(kLinesPerPage);
  uint32_t &stamp = (*page)[number % kLinesPerPage];
  const uint64_t now = broughtIn / kStampUnit + 1;
  const bool hit = stamp && (now - stamp) * kStampUnit < size;
  if (!hit && bringIn)
    broughtIn += line;
  if (hit || bringIn)
    stamp = static_cast<uint32_t>(now);
  return hit;
}

uint64_t L2::read(uint64_t address, uint64_t bytes, bool bypass) {
  uint64_t hits = 0;
  const uint64_t end = address + bytes;
  for (uint64_t number = address / line; number * line < end; ++number) {
    const uint64_t from = std::max(address, number * line);
    const uint64_t to = std::min(end, (number + 1) * line);
    if (touch(number, !bypass))
      hits += to - from;
  }
  return hits;
}

void L2::write(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  for (uint64_t number = address / line; number * line < end; ++number)
    touch(number, true);
}

uint64_t TouchedBytes::add(uint64_t address, uint64_t bytes) {
  uint64_t fresh = 0;
  const uint64_t end = (address + bytes + kBlock - 1) / kBlock;
  for (uint64_t block = address / kBlock; bytes && block < end;) {
    const uint64_t word = block / kBlocks, first = block % kBlocks;
    const uint64_t count = std::min(end - block, kBlocks - first);
    auto &page = pages[word / kWordsPerPage];
    if (!page)
      page = std::make_unique<std::vector<uint64_t>>(kWordsPerPage);
    uint64_t &known = (*page)[word % kWordsPerPage];
    const uint64_t asked = (~0ull >> (kBlocks - count)) << first;
    fresh += static_cast<uint64_t>(__builtin_popcountll(asked & ~known));
    known |= asked;
    block += count;
  }
  return fresh * kBlock;
}

} // namespace lossgrad::sim::profile
