// See GlobalRegistry.h. Undefined bytes are kept as disjoint ranges: a fresh
// allocation is one, and copies cut pieces off it.
#include "sim/GlobalRegistry.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

namespace lossgrad::sim {

namespace {
struct Registry {
  std::mutex mutex;
  std::map<uint64_t, uint64_t> extents;   // begin to end
  std::map<uint64_t, uint64_t> undefined; // begin to end, disjoint
  struct Pending {
    uint64_t begin, end;
    const char *what;
  };
  std::map<uint64_t, Pending> pending; // by ticket
  uint64_t lastTicket = 0;
};
// Never destroyed: memory may be freed by destructors of static objects.
Registry &registry() {
  static auto &instance = *new Registry;
  return instance;
}

// Takes [begin, end) out of a set of disjoint ranges.
void cut(std::map<uint64_t, uint64_t> &ranges, uint64_t begin, uint64_t end) {
  if (begin >= end || ranges.empty())
    return;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin())
    --at;
  while (at != ranges.end() && at->first < end) {
    const auto [from, to] = *at;
    if (to <= begin) {
      ++at;
      continue;
    }
    at = ranges.erase(at);
    if (from < begin)
      ranges[from] = begin;
    if (to > end)
      ranges[end] = to;
  }
}
} // namespace

void globalAllocated(const void *begin, size_t bytes, bool defined) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.extents[address] = address + bytes;
  cut(all.undefined, address, address + bytes);
  if (!defined && bytes)
    all.undefined[address] = address + bytes;
}

void globalFreed(const void *begin) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.extents.find(reinterpret_cast<uint64_t>(begin));
  if (found == all.extents.end())
    return;
  cut(all.undefined, found->first, found->second);
  all.extents.erase(found);
}

void globalWrittenByHost(const void *begin, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  markGlobalDefined(address, address + bytes);
}

void markGlobalDefined(uint64_t begin, uint64_t end) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  cut(all.undefined, begin, end);
}

PendingDeviceWrite::PendingDeviceWrite(const void *begin, size_t bytes,
                                       const char *what) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  ticket = ++all.lastTicket;
  all.pending[ticket] = {address, address + bytes, what};
}

PendingDeviceWrite::~PendingDeviceWrite() {
  if (!ticket)
    return;
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.pending.erase(ticket);
}

std::optional<PendingUse> findPending(uint64_t begin, uint64_t end) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &[ticket, write] : all.pending)
    if (write.begin < end && begin < write.end)
      return PendingUse{write.what, std::max(begin, write.begin) - write.begin,
                        std::min(end, write.end) - write.begin};
  return std::nullopt;
}

std::optional<GlobalExtent> findGlobal(uint64_t address) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto at = all.extents.upper_bound(address);
  if (at == all.extents.begin())
    return std::nullopt;
  --at;
  if (address > at->second)
    return std::nullopt;
  return GlobalExtent{at->first, at->second};
}

std::optional<GlobalExtent> findUndefined(uint64_t begin, uint64_t end) {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto at = all.undefined.upper_bound(begin);
  if (at != all.undefined.begin() && std::prev(at)->second > begin)
    --at;
  if (at == all.undefined.end() || at->first >= end)
    return std::nullopt;
  return GlobalExtent{std::max(at->first, begin), std::min(at->second, end)};
}

} // namespace lossgrad::sim
