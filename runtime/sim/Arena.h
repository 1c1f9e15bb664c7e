// One on-chip memory of a core: bytes between two guard regions, so that an
// overrun that slips through the checks faults instead of corrupting the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lossgrad::sim {

class Arena {
public:
  Arena() = default;
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  // Maps the memory unless it already has this size. Content is unspecified.
  void reserve(size_t bytes);

  uint8_t *begin() const { return base; }
  uint8_t *end() const { return base + size; }
  size_t bytes() const { return size; }
  // Is [addr, addr + bytes) inside? Safe against wrap-around.
  bool holds(const void *addr, uint64_t bytes) const {
    const uint64_t offset = static_cast<const uint8_t *>(addr) - base;
    return offset <= size && bytes <= size - offset;
  }
  bool nearby(const void *addr) const; // inside or in a guard region

private:
  void release();
  uint8_t *base = nullptr;
  size_t size = 0;
};

} // namespace lossgrad::sim
