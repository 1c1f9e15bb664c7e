// See GlobalAccess.h.
#include "sim/check/GlobalAccess.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

namespace lossgrad::sim::check {

bool GlobalLog::Key::operator<(const Key &o) const {
  return std::tie(call, file, line, use) <
         std::tie(o.call, o.file, o.line, o.use);
}

void GlobalLog::add(const GlobalRange &range) {
  const Key key{range.call, range.site.file, range.site.line, range.use};
  auto found = last.find(key);
  if (found != last.end()) {
    GlobalRange &before = ranges[found->second];
    if (before.epoch == range.epoch && range.begin <= before.end &&
        range.end >= before.begin) {
      before.begin = std::min(before.begin, range.begin);
      before.end = std::max(before.end, range.end);
      return;
    }
  }
  last[key] = ranges.size();
  ranges.push_back(range);
}

static bool getAlong(GlobalUse a, GlobalUse b) {
  if (a == GlobalUse::Read && b == GlobalUse::Read)
    return true;
  if (a == GlobalUse::Atomic && b == GlobalUse::Atomic)
    return true;
  // The other bytes of a scalar store's line may well be read by others.
  return (a == GlobalUse::ScalarLine && b == GlobalUse::Read) ||
         (a == GlobalUse::Read && b == GlobalUse::ScalarLine);
}

// Whether two stores do nothing but prepare a meeting.
static bool clearSlots(const GlobalRange &a, const GlobalRange &b,
                       const std::vector<MeetingSlots> &slots) {
  return a.use == GlobalUse::Write && b.use == GlobalUse::Write &&
         std::any_of(slots.begin(), slots.end(), [&](const MeetingSlots &o) {
           return a.epoch <= o.epoch && std::max(a.begin, b.begin) >= o.begin &&
                  std::min(a.end, b.end) <= o.end;
         });
}

void findRaces(std::vector<GlobalRange> ranges,
               const std::vector<MeetingSlots> &slots,
               const std::function<void(const GlobalRange &,
                                        const GlobalRange &)> &report) {
  auto order = [](const GlobalRange &a, const GlobalRange &b) {
    return std::tie(a.epoch, a.begin, a.end, a.core) <
           std::tie(b.epoch, b.begin, b.end, b.core);
  };
  std::sort(ranges.begin(), ranges.end(), order);
  using Place = std::tuple<std::string, uint32_t, std::string, uint32_t>;
  std::set<Place> seen;
  std::vector<const GlobalRange *> open;
  uint32_t epoch = 0;
  for (const GlobalRange &range : ranges) {
    if (range.epoch != epoch) {
      open.clear();
      epoch = range.epoch;
    }
    open.erase(std::remove_if(
                   open.begin(), open.end(),
                   [&](const GlobalRange *o) { return o->end <= range.begin; }),
               open.end());
    for (const GlobalRange *other : open) {
      if (other->core == range.core || getAlong(other->use, range.use) ||
          clearSlots(*other, range, slots))
        continue;
      const bool swap = other->core > range.core;
      const GlobalRange &a = swap ? range : *other;
      const GlobalRange &b = swap ? *other : range;
      if (seen.insert({a.site.file, a.site.line, b.site.file, b.site.line})
              .second)
        report(a, b);
    }
    // Many cores read the same tables; among reads only writers matter, so a
    // second identical read need not stay open.
    const bool known =
        range.use == GlobalUse::Read &&
        std::any_of(open.begin(), open.end(), [&](const GlobalRange *o) {
          return o->use == GlobalUse::Read && o->end >= range.end &&
                 o->core != range.core && open.size() > 64;
        });
    if (!known)
      open.push_back(&range);
  }
}

void findUnflushed(const std::vector<GlobalRange> &stores,
                   const std::vector<GlobalRange> &ranges,
                   const std::function<void(const GlobalRange &,
                                            const GlobalRange &)> &report) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const GlobalRange &store : stores)
    for (const GlobalRange &range : ranges)
      if (range.use == GlobalUse::Read && range.core != store.core &&
          range.epoch > store.epoch && range.epoch < kOrderedByFlags &&
          range.begin < store.end && store.begin < range.end &&
          seen.insert({store.site.line, range.site.line}).second)
        report(store, range);
}

void findStale(const std::vector<CachedRead> &reads,
               const std::vector<GlobalRange> &ranges,
               const std::function<void(const GlobalRange &,
                                        const GlobalRange &)> &report) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const auto &[read, since] : reads)
    for (const GlobalRange &range : ranges)
      if ((range.use == GlobalUse::Write || range.use == GlobalUse::Atomic) &&
          range.core != read.core && range.epoch >= since &&
          range.epoch < read.epoch && range.begin < read.end &&
          read.begin < range.end &&
          seen.insert({read.site.line, range.site.line}).second)
        report(read, range);
}

} // namespace lossgrad::sim::check
