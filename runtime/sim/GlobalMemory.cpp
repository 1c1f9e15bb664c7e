// Global memory of the stand-in: zero-filled mappings that end right before a
// guard page, so that a read or write past the end faults at once when the
// size is a multiple of the alignment. Sizes and addresses are kept outside of
// the mapping, where a kernel cannot overwrite them.
#include "lossgrad/sim/GlobalMemory.h"
#include "lossgrad/sim/Launch.h"

#include <map>
#include <mutex>
#include <sys/mman.h>

namespace lossgrad::sim {

constexpr size_t kPageBytes = 4096;
constexpr size_t kAlignment = 512;
constexpr size_t kHugeFrom = size_t(8) << 20;

namespace {
struct Mapping {
  void *region;
  size_t bytes;
};
std::mutex mutex;
// Never destroyed: memory may be freed by destructors of static objects.
auto &mappings = *new std::map<void *, Mapping>;
} // namespace

void useHugePages(void *pages, size_t bytes) {
  if (bytes >= kHugeFrom)
    madvise(pages, bytes, MADV_HUGEPAGE);
}

void *allocateGlobal(size_t bytes) {
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const size_t pages = (rounded + kPageBytes - 1) / kPageBytes * kPageBytes;
  // One page more in front of an empty allocation, so that its address is ours.
  const size_t total = (pages ? pages : kPageBytes) + kPageBytes;
  if (total < bytes)
    return nullptr;
  void *region = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED)
    return nullptr;
  useHugePages(region, total);
  uint8_t *end = static_cast<uint8_t *>(region) + total - kPageBytes;
  mprotect(end, kPageBytes, PROT_NONE);
  uint8_t *start = end - (rounded ? rounded : kAlignment);
  std::lock_guard<std::mutex> lock(mutex);
  mappings[start] = {region, total};
  globalAllocated(start, bytes, /*defined=*/true);
  return start;
}

bool freeGlobal(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = mappings.find(pointer);
  if (found == mappings.end())
    return false;
  globalFreed(pointer);
  munmap(found->second.region, found->second.bytes);
  mappings.erase(found);
  return true;
}

} // namespace lossgrad::sim
