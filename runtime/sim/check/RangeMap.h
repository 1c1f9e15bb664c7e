// Disjoint half-open ranges of addresses with a value each. An update cuts
// ranges at its borders, so that what is known is exact to the byte while
// buffers that are used as a whole stay one range.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace lossgrad::sim::check {

template <typename Value> class RangeMap {
public:
  // Calls visit(begin, end, value) for each known range inside [begin, end).
  template <typename Visit>
  void visit(uint64_t begin, uint64_t end, Visit &&visit) const {
    auto at = ranges.upper_bound(begin);
    if (at != ranges.begin() && std::prev(at)->second.end > begin)
      --at;
    for (; at != ranges.end() && at->first < end; ++at)
      visit(at->first < begin ? begin : at->first,
            at->second.end > end ? end : at->second.end, at->second.value);
  }

  // The same, where gaps become ranges with a default value and the value may
  // be changed.
  template <typename Change>
  void update(uint64_t begin, uint64_t end, Change &&change) {
    if (begin >= end)
      return;
    cutAt(begin);
    cutAt(end);
    auto at = ranges.lower_bound(begin);
    uint64_t cursor = begin;
    while (cursor < end) {
      if (at == ranges.end() || at->first > cursor) {
        const uint64_t stop =
            at == ranges.end() || at->first > end ? end : at->first;
        at = ranges.emplace_hint(at, cursor, Range{stop, Value{}});
      }
      change(at->first, at->second.end, at->second.value);
      cursor = at->second.end;
      ++at;
    }
  }

  // Replaces whatever is known of [begin, end).
  void assign(uint64_t begin, uint64_t end, const Value &value) {
    if (begin >= end)
      return;
    cutAt(begin);
    cutAt(end);
    auto first = ranges.lower_bound(begin);
    auto last = ranges.lower_bound(end);
    if (first != last && std::next(first) == last) {
      first->second.end = end;
      first->second.value = value;
      return;
    }
    auto hint = ranges.erase(first, last);
    ranges.emplace_hint(hint, begin, Range{end, value});
  }

  void clear() { ranges.clear(); }
  size_t size() const { return ranges.size(); }

private:
  struct Range {
    uint64_t end;
    Value value;
  };

  void cutAt(uint64_t address) {
    auto at = ranges.upper_bound(address);
    if (at == ranges.begin())
      return;
    --at;
    if (at->first == address || at->second.end <= address)
      return;
    const Range rest = at->second;
    at->second.end = address;
    ranges.emplace_hint(std::next(at), address, rest);
  }

  std::map<uint64_t, Range> ranges;
};

} // namespace lossgrad::sim::check
