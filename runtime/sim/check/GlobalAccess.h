// What one core did to global memory, as ranges between the points where it met
// the other cores, and the search for two cores that touch the same bytes with
// nothing in between.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/Site.h"
#include "sim/check/RangeMap.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lossgrad::sim::check {

// A scalar store leaves a core as a whole line of its data cache, so it takes
// part with the line's bytes and loses against any other store there.
enum class GlobalUse : uint8_t { Read, Write, Atomic, ScalarLine };

// Epochs from here on belong to one core each: it has waited for a flag of
// another core, and its accesses are compared with nobody's.
constexpr uint32_t kOrderedByFlags = 1u << 31;

struct GlobalRange {
  uint64_t begin = 0, end = 0;
  GlobalUse use = GlobalUse::Read;
  uint32_t core = 0;
  uint32_t epoch = 0; // meetings of all cores before it
  const char *call = "";
  Site site;
  pipe_t pipe = PIPE_S;
};

// A scalar read of a line that has been in the core's data cache since an
// earlier meeting.
struct CachedRead {
  GlobalRange read;
  uint32_t since = 0; // epoch in which the line came in
};

// What cores count their meetings in where they meet without hardware. SyncAll
// asks for zeros there and lets every core store them, those of others, too.
struct MeetingSlots {
  uint64_t begin = 0, end = 0;
  uint32_t epoch = 0; // that ends with the first meeting
};

// Of one core. Adjacent accesses from the same place grow together.
class GlobalLog {
public:
  void add(const GlobalRange &range);
  std::vector<GlobalRange> take() { return std::move(ranges); }

private:
  std::vector<GlobalRange> ranges;
  // The last range per place: tiles come in order.
  struct Key {
    const char *call;
    const char *file;
    uint32_t line;
    GlobalUse use;
    bool operator<(const Key &o) const;
  };
  std::map<Key, size_t> last;
};

// Calls report(a, b) for pairs of ranges of different cores in the same epoch
// that overlap and do not get along, each pair of places once. Stores to slots
// before the first meeting there do.
void findRaces(std::vector<GlobalRange> ranges,
               const std::vector<MeetingSlots> &slots,
               const std::function<void(const GlobalRange &,
                                        const GlobalRange &)> &report);

// Scalar stores that were still in a core's data cache when it met the others
// (`stores`, with the epoch before the meeting), and reads by others later on.
void findUnflushed(const std::vector<GlobalRange> &stores,
                   const std::vector<GlobalRange> &ranges,
                   const std::function<void(const GlobalRange &store,
                                            const GlobalRange &read)> &report);

// Reads of old lines that another core has rewritten in between.
void findStale(const std::vector<CachedRead> &reads,
               const std::vector<GlobalRange> &ranges,
               const std::function<void(const GlobalRange &read,
                                        const GlobalRange &write)> &report);

} // namespace lossgrad::sim::check
