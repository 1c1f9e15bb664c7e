// Order: inside the core as happens-before between pipes, across cores as
// ranges of global memory between meetings, and the data cache of scalar
// stores.
#include "sim/Launch.h"
#include "sim/Runs.h"
#include "sim/check/Checker.h"

#include <algorithm>
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

// --- Pipes
// ---------------------------------------------------------------------

static std::string shortName(pipe_t pipe) {
  return std::string(nameOf(pipe)).substr(5);
}

static std::string baseName(const char *file) {
  const std::string path = file;
  return path.substr(path.find_last_of('/') + 1);
}

void Checker::reportHazard(const Footprint &footprint, const Hazard &hazard) {
  const Place &earlier = places[hazard.earlier.place];
  const char *verb =
      hazard.kind == HazardKind::ReadAfterWrite ? "reads" : "writes";
  const char *before =
      hazard.kind == HazardKind::WriteAfterRead ? "still reads" : "writes";
  std::string what = std::string(verb) + " bytes that " + earlier.call +
                     " at " + baseName(earlier.site.file) + ":" +
                     std::to_string(earlier.site.line) + " (" +
                     nameOf(hazard.earlierPipe) + ") " + before +
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
  // One report per instruction: its other bytes have the same cause.
  bool reported = false;
  auto hazardFound = [&](const Hazard &hazard) {
    if (!reported)
      reportHazard(footprint, hazard);
    reported = true;
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
  if (footprint.selfContained) {
    clocks.drain(footprint.pipe);
    clocks.waitedFor(PIPE_S, footprint.pipe, now.number);
  }
}

// --- Cores
// ---------------------------------------------------------------------

// A meeting drains the core first; what comes after it is a new epoch.
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

void Checker::logGlobal(const Footprint &footprint) {
  const uint64_t line = core.family->dataCacheLineBytes;
  auto add = [&](uint64_t begin, uint64_t bytes, GlobalUse use) {
    globalLog.add(
        {begin, begin + bytes, use,
         core.block * 4 + core.subBlock + (core.type == CoreType::Cube ? 3 : 0),
         epoch, footprint.call, footprint.site});
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

// Lines that scalar access has brought into the data cache, and copies of the
// same core that pass it by.
void Checker::touchCache(const Footprint &footprint) {
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
  if (footprint.pipe == PIPE_MTE3 && !cached.empty())
    eachLine(footprint.writes, [&](uint64_t line, uint64_t, uint64_t) {
      if (auto found = cached.find(line); found != cached.end())
        found->second = true;
    });
  if (footprint.pipe != PIPE_S)
    return;
  eachLine(footprint.reads, [&](uint64_t line, uint64_t begin, uint64_t bytes) {
    auto [found, fresh] = cached.try_emplace(line, false);
    if (!found->second)
      return;
    found->second = false;
    report(place, begin, begin + bytes,
           {"stale-cache",
            "reads a cached line that a copy of this core has rewritten",
            "DataCacheCleanAndInvalid before the read"});
  });
  eachLine(footprint.writes, [&](uint64_t line, uint64_t begin,
                                 uint64_t bytes) {
    cached.try_emplace(line, false);
    dirty[line] = {
        begin, begin + bytes,  GlobalUse::Write, core.block * 4 + core.subBlock,
        epoch, footprint.call, footprint.site};
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
