// The observer of check mode for one core. It holds bounds, the shadow of UB,
// the clocks of the pipes and the history of both memories against each
// instruction, and words what it finds. What the core itself refuses
// (alignment, ranges, the state of queues and flags) is not repeated here.
#pragma once

#include "sim/Clocks.h"
#include "sim/Core.h"
#include "sim/check/GlobalAccess.h"
#include "sim/check/Hazards.h"
#include "sim/check/Shadow.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

namespace lossgrad::sim::check {

// What the cores of a launch leave behind for the search across cores.
struct LaunchLog {
  std::mutex mutex;
  std::vector<GlobalRange> ranges;
  std::vector<GlobalRange> unflushed;
  std::vector<CachedRead> cachedReads;
  std::vector<MeetingSlots> slots;
};

class Checker final : public Observer {
public:
  Checker(Core &core, LaunchLog &log, SyncLevel level);
  ~Checker() override;

  void blockBegins(Core &) override;
  void blockEnds(Core &) override;
  void instruction(Core &, const Footprint &) override;
  void registers(Core &, RegisterEvent) override;
  void setFlag(Core &, AscendC::HardEvent, int32_t id, Site) override;
  void waitFlag(Core &, AscendC::HardEvent, int32_t id, Site) override;
  void barrier(Core &, pipe_t, Site) override;
  void meetingSlots(Core &, const void *slots, uint64_t bytes) override;
  void syncAllBegins(Core &, Site, bool software) override;
  void syncAllEnds(Core &, Site) override;
  void crossCoreWaited(Core &, Site) override;
  void cacheFlushed(Core &, const void *addr, Site) override;
  void buffer(Core &, const Buffer &, BufferEvent, Site) override;
  void refused(Core &, const std::string &text, bool error) override;

private:
  struct Place {
    const char *call;
    Site site;
    pipe_t pipe;
  };
  // A piece of memory as a reader of the report knows it.
  struct Where {
    std::string tensor;
    uint64_t begin = 0, end = 0;
  };
  struct Wording {
    const char *rule;
    std::string what;
    std::string advice;
  };

  static std::string textOf(const Place &place);
  bool inUb(uint64_t address) const;
  Where describe(uint64_t begin, uint64_t end) const;
  uint32_t placeOf(const Footprint &footprint);
  Finding findingAt(const Place &place, const char *rule) const;
  void report(const Place &place, uint64_t begin, uint64_t end,
              const Wording &wording);

  void checkBounds(const Footprint &footprint, const Region &region,
                   bool write);
  void checkLocalRun(const Footprint &footprint, uint64_t begin, uint64_t end,
                     bool write);
  uint64_t tensorEnd(uint64_t begin, uint64_t end,
                     uint64_t allocationEnd) const;
  void checkGlobalRun(const Footprint &footprint, uint64_t begin, uint64_t end,
                      bool write);
  void checkScratch(const Footprint &footprint);
  void checkOverlap(const Footprint &footprint);
  void checkIndex(const Footprint &footprint);
  void checkTable(const Footprint &footprint);
  void checkRepeats(const Footprint &footprint);
  void checkLostMask();
  void checkLeftOn();
  void checkOrder(const Footprint &footprint);
  void reportHazard(const Footprint &footprint, const Hazard &hazard);
  void checkDefined(const Footprint &footprint);
  void copyToUb(const Footprint &footprint);
  void storeToGlobal(const Footprint &footprint);
  void scalarAccess(const Footprint &footprint);
  void reportUndefined(const Footprint &footprint, uint64_t address,
                       uint64_t bytes, const std::string &use);
  void logGlobal(const Footprint &footprint);
  GlobalRange globalRange(const Footprint &footprint, uint64_t begin,
                          uint64_t bytes, GlobalUse use) const;
  void touchCache(const Footprint &footprint);
  void copyMeetsCache(const Footprint &footprint);

  Core &core;
  LaunchLog &log;
  Clocks clocks;
  Hazards local, global;
  Shadow shadow;
  GlobalLog globalLog;
  uint32_t epoch = 0, meetings = 0;

  bool outside = false; // the current instruction leaves its tensors
  struct Allocated {
    Place place;
    uint32_t bytes;
  };
  std::map<const uint8_t *, Allocated> allocated; // AllocTensor, not yet freed

  // A mask that SetVectorMask has set, and the count form that reset it.
  struct SetMask {
    uint64_t low, high;
    Place set;
    std::optional<Place> resetBy;
  };
  std::optional<SetMask> mask;
  Place counterSet{}, atomicSet{};

  std::vector<Place> places;
  using PlaceKey = std::tuple<const char *, uint64_t, const char *>;
  std::map<PlaceKey, uint32_t> placeIndex; // file, line and pipe, call

  // Lines of the data cache that hold scalar stores, and those that a copy of
  // this core has overtaken.
  std::unordered_map<uint64_t, GlobalRange> dirty;
  struct CachedLine {
    bool stale;
    uint32_t since; // epoch
  };
  std::unordered_map<uint64_t, CachedLine> cached;
  std::vector<CachedRead> cachedReads;
  std::vector<MeetingSlots> slots;
};

} // namespace lossgrad::sim::check
