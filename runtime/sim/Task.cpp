// The store of idle cores and stacks.
#include "sim/Task.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace lossgrad::sim {

constexpr size_t kStackGuardBytes = 64 * 1024;

CoreSlot::CoreSlot() {
  void *region =
      mmap(nullptr, kStackBytes + kStackGuardBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED ||
      mprotect(region, kStackGuardBytes, PROT_NONE) != 0) {
    std::perror("lossgrad: cannot map a core's stack");
    std::abort();
  }
  stack = static_cast<uint8_t *>(region) + kStackGuardBytes;
}

CoreSlot::~CoreSlot() {
  munmap(stack - kStackGuardBytes, kStackBytes + kStackGuardBytes);
}

bool CoreSlot::inStackGuard(const void *addr) const {
  const auto at = static_cast<const uint8_t *>(addr);
  return at >= stack - kStackGuardBytes && at < stack;
}

// Enough for every core of the largest product; more are mapped and unmapped.
constexpr size_t kKeptSlots = 256;

static std::mutex idleMutex;
// Never destroyed: launches may still end while the program does.
static auto &idleSlots = *new std::vector<std::unique_ptr<CoreSlot>>;

std::unique_ptr<CoreSlot> CoreSlot::take() {
  {
    std::lock_guard<std::mutex> lock(idleMutex);
    if (!idleSlots.empty()) {
      auto slot = std::move(idleSlots.back());
      idleSlots.pop_back();
      return slot;
    }
  }
  return std::make_unique<CoreSlot>();
}

void CoreSlot::giveBack(std::unique_ptr<CoreSlot> slot) {
  std::lock_guard<std::mutex> lock(idleMutex);
  if (idleSlots.size() < kKeptSlots)
    idleSlots.push_back(std::move(slot));
}

} // namespace lossgrad::sim
