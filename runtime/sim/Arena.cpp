// Maps a core's memory between inaccessible regions. The regions are wide
// (address space is free) so that a stray stride cannot jump over them.
#include "sim/Arena.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace lossgrad::sim {

constexpr size_t kGuardBytes = size_t(16) << 20;
constexpr size_t kPageBytes = 4096;

static size_t roundToPages(size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

Arena::~Arena() { release(); }

void Arena::release() {
  if (base)
    munmap(base - kGuardBytes, roundToPages(size) + 2 * kGuardBytes);
  base = nullptr;
  size = 0;
}

void Arena::reserve(size_t bytes) {
  if (base && size == bytes)
    return;
  release();
  const size_t pages = roundToPages(bytes);
  void *region = mmap(nullptr, pages + 2 * kGuardBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED ||
      mprotect(static_cast<uint8_t *>(region) + kGuardBytes, pages,
               PROT_READ | PROT_WRITE) != 0) {
    std::perror("lossgrad: cannot map a core's memory");
    std::abort();
  }
  base = static_cast<uint8_t *>(region) + kGuardBytes;
  size = bytes;
}

bool Arena::nearby(const void *addr) const {
  const auto at = reinterpret_cast<uintptr_t>(addr);
  const auto low = reinterpret_cast<uintptr_t>(base) - kGuardBytes;
  return base && at >= low && at < low + roundToPages(size) + 2 * kGuardBytes;
}

} // namespace lossgrad::sim
