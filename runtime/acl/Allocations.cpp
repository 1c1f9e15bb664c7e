//===- Allocations.cpp - the table of device and pinned memory ------------===//
//
// A page allocator over one reserved mapping. Ranges are handed out next-fit so
// that a freed address comes back as late as possible and stale pointers stay
// recognisable.
//
//===----------------------------------------------------------------------===//
#include "Allocations.h"

#include "lossgrad/sim/GlobalMemory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace lossgrad::acl {
namespace {

constexpr size_t Page = 4096;
constexpr size_t CanaryBytes = 64;
constexpr unsigned char Canary = 0xC5;
// 0xFF reads as NaN in every float type and as -1 in every signed integer.
constexpr int Poison = 0xFF;
// Filling gigabytes would cost more than it finds: beyond this much only the
// begin and the end are poisoned.
constexpr size_t PoisonBytes = 1 << 20;

size_t roundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

/// Pages of an allocation without its two guard pages.
size_t bodyBytes(size_t padded) { return roundUp(padded + CanaryBytes, Page); }

void poison(uintptr_t base, size_t size, bool all) {
  char *bytes = reinterpret_cast<char *>(base);
  if (all || size <= 2 * PoisonBytes) {
    std::memset(bytes, Poison, size);
    return;
  }
  std::memset(bytes, Poison, PoisonBytes);
  std::memset(bytes + size - PoisonBytes, Poison, PoisonBytes);
}

} // namespace

AllocationTable &AllocationTable::get() {
  static auto *table = new AllocationTable; // tasks may outlive main
  return *table;
}

AllocationTable::AllocationTable() {
  // Reserved, not committed; a machine that limits address space gets less.
  for (size_t bytes = size_t(1) << 40; bytes >= size_t(1) << 32; bytes /= 4) {
    void *mapped = mmap(nullptr, bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      continue;
    arena = cursor = reinterpret_cast<uintptr_t>(mapped);
    arenaBytes = bytes;
    freeRanges[arena] = bytes;
    return;
  }
}

uintptr_t AllocationTable::takeRange(size_t bytes) {
  auto fits = [&](const std::pair<const uintptr_t, size_t> &range) {
    return range.second >= bytes;
  };
  auto from = freeRanges.lower_bound(cursor);
  auto found = std::find_if(from, freeRanges.end(), fits);
  if (found == freeRanges.end())
    found = std::find_if(freeRanges.begin(), from, fits);
  if (found == freeRanges.end() || !fits(*found))
    return 0;
  const uintptr_t begin = found->first;
  const size_t rest = found->second - bytes;
  freeRanges.erase(found);
  if (rest)
    freeRanges[begin + bytes] = rest;
  cursor = begin + bytes;
  return begin;
}

void AllocationTable::giveBack(uintptr_t begin, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = freeRanges.lower_bound(begin);
  if (next != freeRanges.end() && begin + bytes == next->first) {
    bytes += next->second;
    next = freeRanges.erase(next);
  }
  if (next != freeRanges.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == begin) {
      before->second += bytes;
      return;
    }
  }
  freeRanges[begin] = bytes;
}

AllocationRef AllocationTable::allocate(size_t size, size_t padded, Place place,
                                        int32_t device, bool poisonAll,
                                        Room &room) {
  auto allocation = std::make_shared<Allocation>();
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (place == Place::Device) {
      room.used = used[device];
      room.exceeded =
          room.needed > room.limit - std::min(room.limit, room.used);
      if (room.exceeded)
        return nullptr;
    }
    if (padded < size || padded > arenaBytes)
      return nullptr;
    const uintptr_t begin = takeRange(bodyBytes(padded) + 2 * Page);
    if (!begin)
      return nullptr;
    allocation->base = begin + Page;
    if (place == Place::Device)
      used[device] += padded;
  }
  const size_t body = bodyBytes(padded);
  allocation->size = size;
  allocation->padded = padded;
  allocation->place = place;
  allocation->device = device;
  void *pages = reinterpret_cast<void *>(allocation->base);
  if (mprotect(pages, body, PROT_READ | PROT_WRITE) != 0) {
    std::lock_guard<std::mutex> lock(mutex);
    if (place == Place::Device)
      used[device] -= padded;
    return nullptr;
  }
  sim::useHugePages(pages, body);
  poison(allocation->base, padded, poisonAll);
  std::memset(static_cast<char *>(pages) + padded, Canary, CanaryBytes);

  // Kernels may read the padding; the checker knows what they may rely on.
  if (place == Place::Device)
    sim::globalAllocated(pages, size, /*defined=*/false);
  std::lock_guard<std::mutex> lock(mutex);
  table[allocation->base] = allocation;
  return allocation;
}

Allocation::~Allocation() {
  if (!base)
    return;
  const size_t body = bodyBytes(padded);
  void *pages = reinterpret_cast<void *>(base);
  if (place == Place::Device)
    sim::globalFreed(pages);
  madvise(pages, body, MADV_DONTNEED);
  mprotect(pages, body, PROT_NONE);
  AllocationTable::get().giveBack(base - Page, body + 2 * Page);
}

AllocationRef AllocationTable::find(const void *address) const {
  const auto value = reinterpret_cast<uintptr_t>(address);
  std::lock_guard<std::mutex> lock(mutex);
  auto after = table.upper_bound(value);
  if (after == table.begin())
    return nullptr;
  const AllocationRef &candidate = std::prev(after)->second;
  return candidate->contains(value) ? candidate : nullptr;
}

AllocationRef AllocationTable::remove(const void *address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = table.find(reinterpret_cast<uintptr_t>(address));
  if (found == table.end())
    return nullptr;
  AllocationRef allocation = std::move(found->second);
  table.erase(found);
  if (allocation->place == Place::Device)
    used[allocation->device] -= allocation->padded;
  return allocation;
}

bool AllocationTable::inReservedRange(const void *address) const {
  const auto value = reinterpret_cast<uintptr_t>(address);
  return value >= arena && value < arena + arenaBytes;
}

size_t AllocationTable::usedOnDevice(int32_t device) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = used.find(device);
  return found == used.end() ? 0 : found->second;
}

std::vector<AllocationRef> AllocationTable::live() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<AllocationRef> all;
  for (const auto &entry : table)
    all.push_back(entry.second);
  return all;
}

bool AllocationTable::canaryIntact(const Allocation &allocation) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(allocation.base) +
                      allocation.padded;
  return std::all_of(bytes, bytes + CanaryBytes,
                     [](unsigned char byte) { return byte == Canary; });
}

} // namespace lossgrad::acl
