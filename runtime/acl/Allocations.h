//===- Allocations.h - the table of device and pinned memory ----*- C++ -*-===//
//
// Device memory and pinned host memory live in one reserved address range, so
// that an address tells at once whether it is (or was) such memory. Each
// allocation has its own pages, a canary behind its padding and an inaccessible
// page on either side. What may be copied where is not decided here.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_ACL_ALLOCATIONS_H
#define LOSSGRAD_RUNTIME_ACL_ALLOCATIONS_H

#include "Diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lossgrad::acl {

enum class Place { Device, PinnedHost };

/// A piece of memory. It stays mapped while anybody holds it, also after
/// aclrtFree: a task that has begun never loses its operands.
struct LOSSGRAD_EXPORT Allocation {
  uintptr_t base = 0;
  size_t size = 0;   // as asked for: what copies may touch
  size_t padded = 0; // as the device rounds it: what kernels may touch
  Place place = Place::Device;
  int32_t device = 0;

  bool contains(uintptr_t address) const {
    return address >= base && address < base + padded;
  }
  ~Allocation();
};
using AllocationRef = std::shared_ptr<const Allocation>;

class LOSSGRAD_EXPORT AllocationTable {
public:
  static AllocationTable &get();

  /// What a device has room for. Whether `needed` bytes fit is decided together
  /// with taking them, so that threads cannot both get the last.
  struct Room {
    size_t needed = 0, limit = SIZE_MAX;
    size_t used = 0; // set where it does not suffice
    bool exceeded = false;
  };

  /// Null when the room of the device, the address range or the host is
  /// exhausted.
  AllocationRef allocate(size_t size, size_t padded, Place place,
                         int32_t device, bool poisonAll, Room &room);

  /// The allocation that holds `address`, or null.
  AllocationRef find(const void *address) const;

  /// Takes the allocation that begins at `address` out of the table.
  AllocationRef remove(const void *address);

  /// Whether `address` lies in the reserved range, live or not.
  bool inReservedRange(const void *address) const;

  /// Bytes in use on a device, as padded.
  size_t usedOnDevice(int32_t device) const;

  std::vector<AllocationRef> live() const;

  /// Whether the bytes behind the padding are as they were written.
  static bool canaryIntact(const Allocation &allocation);

private:
  friend struct Allocation;
  AllocationTable();
  uintptr_t takeRange(size_t bytes);
  void giveBack(uintptr_t begin, size_t bytes);

  mutable std::mutex mutex;
  uintptr_t arena = 0;
  size_t arenaBytes = 0;
  uintptr_t cursor = 0; // next-fit: addresses are reused late
  std::map<uintptr_t, size_t> freeRanges;
  std::map<uintptr_t, AllocationRef> table;
  std::map<int32_t, size_t> used;
};

} // namespace lossgrad::acl

#endif // LOSSGRAD_RUNTIME_ACL_ALLOCATIONS_H
