// Order: inside the core as happens-before between pipes, across cores as
// ranges of global memory between meetings, and the data cache of scalar
// stores.
#include "sim/Launch.h"
#include "sim/Runs.h"
#include "sim/check/Checker.h"

#include <algorithm>
#include <optional>
#include <string>

namespace lossgrad::sim::check {

void Checker::setFlag(Core &, AscendC::HardEvent event, int32_t id, Site) {
  clocks.set(event, id);
}

void Checker::waitFlag(Core &, AscendC::HardEvent event, int32_t id, Site) {
  clocks.wait(event, id);
}

void Checker::barrier(Core &, pipe_t pipe, Site) {
  clocks.drain(pipe);
  if (pipe == PIPE_ALL) {
    local.forget();
    global.forget();
  }
}

//===- Pipes --------------------------------------------------------------===//

static std::string shortName(pipe_t pipe) {
  return std::string(nameOf(pipe)).substr(5);
}

void Checker::reportHazard(const Footprint &footprint, const Hazard &hazard) {
  const Place &earlier = places[hazard.earlier.place];
  const char *verb =
      hazard.kind == HazardKind::ReadAfterWrite ? "reads" : "writes";
  const char *before =
      hazard.kind == HazardKind::WriteAfterRead ? "still reads" : "writes";
  std::string what = std::string(verb) + " bytes that " + textOf(earlier) +
                     " (" + nameOf(hazard.earlierPipe) + ") " + before +
                     " with nothing in between that waits for it";
  const std::string from = shortName(hazard.earlierPipe);
  const std::string to = shortName(footprint.pipe);
  std::string advice;
  if (hazard.earlierPipe == footprint.pipe)
    advice = "PipeBarrier<PIPE_" + to + ">() between the two";
  else if (from == "MTE2" && to == "V")
    advice = "use the tensor that DeQue returns, or SetFlag and WaitFlag of "
             "HardEvent::MTE2_V for a TBuf";
  else if (from == "V" && to == "MTE3")
    advice = "EnQue and DeQue the tensor, or SetFlag and WaitFlag of "
             "HardEvent::V_MTE3 for a TBuf";
  else
    advice = "SetFlag and WaitFlag of HardEvent::" + from + "_" + to +
             " between the two";
  report({footprint.call, footprint.site, footprint.pipe}, hazard.begin,
         hazard.end, {"missing-sync", what, advice});
}

void Checker::checkOrder(const Footprint &footprint) {
  Hazards::Now now{footprint.pipe, 0, placeOf(footprint)};
  now.number = clocks.issue(footprint.pipe);
  now.atomic =
      footprint.pipe == PIPE_MTE3 && core.regs.atomic != AtomicKind::None;
  // One report per instruction: its other bytes have the same cause. What
  // another pipe does, and does last, is the one to wait for: that usually
  // orders the rest too.
  std::optional<Hazard> worst;
  auto hazardFound = [&](const Hazard &hazard) {
    const bool own = hazard.earlierPipe == footprint.pipe;
    const bool worstOwn = worst && worst->earlierPipe == footprint.pipe;
    if (!worst || own < worstOwn ||
        (own == worstOwn && hazard.earlierPipe == worst->earlierPipe &&
         hazard.earlier.number > worst->earlier.number))
      worst = hazard;
  };
  auto memoryOf = [&](uint64_t address) -> Hazards & {
    return inUb(address) ? local : global;
  };
  for (const Region &region : footprint.reads)
    forEachRun(region, [&](uint64_t begin, uint64_t bytes) {
      memoryOf(begin).read(clocks, now, begin, begin + bytes, hazardFound);
    });
  for (const Region &region : footprint.writes)
    forEachRun(region, [&](uint64_t begin, uint64_t bytes) {
      memoryOf(begin).write(clocks, now, begin, begin + bytes, hazardFound);
    });
  if (worst)
    reportHazard(footprint, *worst);
  if (footprint.selfContained) {
    clocks.drain(footprint.pipe);
    clocks.waitedFor(PIPE_S, footprint.pipe, now.number);
  }
}

//===- Cores --------------------------------------------------------------===//

// A meeting drains the core first; what comes after it is a new epoch.
void Checker::meetingSlots(Core &, const void *slots, uint64_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(slots);
  std::lock_guard<std::mutex> lock(log.mutex);
  for (const MeetingSlots &known : log.slots)
    if (known.begin == begin)
      return;
  log.slots.push_back({begin, begin + bytes, epoch});
}

void Checker::syncAllBegins(Core &, Site, bool) {
  barrier(core, PIPE_ALL, {});
  std::lock_guard<std::mutex> lock(log.mutex);
  for (auto &[line, store] : dirty) {
    store.epoch = epoch;
    log.unflushed.push_back(store);
  }
}

void Checker::syncAllEnds(Core &, Site) { epoch = ++meetings; }

// Whose flag it was is not known; everything of the others counts as seen until
// the next meeting.
void Checker::crossCoreWaited(Core &, Site) {
  barrier(core, PIPE_ALL, {});
  epoch = kOrderedByFlags + core.block * 4 + core.subBlock;
}

GlobalRange Checker::globalRange(const Footprint &footprint, uint64_t begin,
                                 uint64_t bytes, GlobalUse use) const {
  GlobalRange range;
  range.begin = begin;
  range.end = begin + bytes;
  range.use = use;
  range.core =
      core.block * 4 + core.subBlock + (core.type == CoreType::Cube ? 3 : 0);
  range.epoch = epoch;
  range.call = footprint.call;
  range.site = footprint.site;
  range.pipe = footprint.pipe;
  return range;
}

void Checker::logGlobal(const Footprint &footprint) {
  const uint64_t line = core.family->dataCacheLineBytes;
  auto add = [&](uint64_t begin, uint64_t bytes, GlobalUse use) {
    globalLog.add(globalRange(footprint, begin, bytes, use));
  };
  auto isGlobal = [&](const Region &region) {
    return !inUb(reinterpret_cast<uint64_t>(region.addr)) &&
           (footprint.pipe == PIPE_MTE2 || footprint.pipe == PIPE_MTE3 ||
            footprint.pipe == PIPE_S);
  };
  for (const Region &region : footprint.reads)
    if (isGlobal(region))
      forEachRun(region, [&](uint64_t begin, uint64_t bytes) {
        add(begin, bytes, GlobalUse::Read);
      });
  const bool atomic = footprint.pipe == PIPE_MTE3 &&
                      core.regs.atomic != AtomicKind::None &&
                      !footprint.selfContained;
  for (const Region &region : footprint.writes)
    if (isGlobal(region))
      forEachRun(region, [&](uint64_t begin, uint64_t bytes) {
        add(begin, bytes, atomic ? GlobalUse::Atomic : GlobalUse::Write);
        if (footprint.pipe == PIPE_S)
          add(begin / line * line, line, GlobalUse::ScalarLine);
      });
  touchCache(footprint);
}

// Calls visit(state) for the lines of a map that [begin, begin + bytes)
// touches, by whichever is shorter: the range or the map.
template <typename Lines, typename Visit>
static void eachLineOf(Lines &lines, uint64_t size, uint64_t begin,
                       uint64_t bytes, Visit &&visit) {
  const uint64_t first = begin / size, last = (begin + bytes - 1) / size;
  if (lines.size() < last - first) {
    for (auto &[line, state] : lines)
      if (line >= first && line <= last)
        visit(state);
    return;
  }
  for (uint64_t line = first; line <= last; ++line)
    if (auto found = lines.find(line); found != lines.end())
      visit(found->second);
}

// Copies pass the data cache by: a load does not see what is only there, a
// store leaves old values there.
void Checker::copyMeetsCache(const Footprint &footprint) {
  const uint64_t size = core.family->dataCacheLineBytes;
  auto eachRun = [&](const std::vector<Region> &regions, auto visit) {
    for (const Region &region : regions)
      if (!inUb(reinterpret_cast<uint64_t>(region.addr)))
        forEachRun(region, visit);
  };
  if (footprint.pipe == PIPE_MTE3 && !cached.empty())
    eachRun(footprint.writes, [&](uint64_t begin, uint64_t bytes) {
      eachLineOf(cached, size, begin, bytes,
                 [](CachedLine &line) { line.stale = true; });
    });
  if (footprint.pipe != PIPE_MTE2 || dirty.empty())
    return;
  eachRun(footprint.reads, [&](uint64_t begin, uint64_t bytes) {
    eachLineOf(dirty, size, begin, bytes, [&](const GlobalRange &store) {
      if (store.begin >= begin + bytes || begin >= store.end)
        return;
      report({store.call, store.site, PIPE_S}, store.begin, store.end,
             {"unflushed-store",
              "the scalar store is still in the data cache when " +
                  textOf({footprint.call, footprint.site, PIPE_MTE2}) +
                  " of the same core reads it from memory",
              "DataCacheCleanAndInvalid after the store"});
    });
  });
}

// Lines that scalar access has brought into the data cache.
void Checker::touchCache(const Footprint &footprint) {
  if (footprint.pipe != PIPE_S) {
    copyMeetsCache(footprint);
    return;
  }
  const uint64_t size = core.family->dataCacheLineBytes;
  auto eachLine = [&](const std::vector<Region> &regions, auto visit) {
    for (const Region &region : regions)
      if (!inUb(reinterpret_cast<uint64_t>(region.addr)))
        forEachRun(region, [&](uint64_t begin, uint64_t bytes) {
          for (uint64_t line = begin / size; line <= (begin + bytes - 1) / size;
               ++line)
            visit(line, begin, bytes);
        });
  };
  const Place place{footprint.call, footprint.site, footprint.pipe};
  eachLine(footprint.reads, [&](uint64_t line, uint64_t begin, uint64_t bytes) {
    auto [found, fresh] = cached.try_emplace(line, CachedLine{false, epoch});
    if (found->second.since < epoch && epoch < kOrderedByFlags)
      cachedReads.push_back(
          {globalRange(footprint, begin, bytes, GlobalUse::Read),
           found->second.since});
    if (!found->second.stale)
      return;
    found->second.stale = false;
    report(place, begin, begin + bytes,
           {"stale-cache",
            "reads a cached line that a copy of this core has rewritten",
            "DataCacheCleanAndInvalid before the read"});
  });
  eachLine(
      footprint.writes, [&](uint64_t line, uint64_t begin, uint64_t bytes) {
        cached.try_emplace(line, CachedLine{false, epoch});
        dirty[line] = globalRange(footprint, begin, bytes, GlobalUse::Write);
      });
}

void Checker::cacheFlushed(Core &, const void *addr, Site) {
  if (!addr) {
    dirty.clear();
    cached.clear();
    return;
  }
  const uint64_t line =
      reinterpret_cast<uint64_t>(addr) / core.family->dataCacheLineBytes;
  dirty.erase(line);
  cached.erase(line);
}

} // namespace lossgrad::sim::check
