// From traces to a profile: simulate with several start seeds, sum up the
// tables, and work out the bounds.
#include "sim/profile/Profile.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lossgrad::sim::profile {

namespace {

constexpr uint64_t kSeeds[] = {1, 2, 3};
// Beyond this many events one seed is enough: large kernels hardly depend on
// it.
constexpr size_t kManyEvents = 300000;

Bounds boundsOf(const targets::Soc &soc, const Machine &machine,
                const LaunchProfile &profile, double vectorCycles) {
  const targets::ChipCost chip = targets::chipCost(soc);
  const double peak = profile.peakBytesPerSecond;
  const double l2Peak = chip.l2PeakMBps ? chip.l2PeakMBps * 1e6
                                        : machine.l2Rate * machine.clockHz;
  const double l2Reach = l2Peak * machine.model->l2Efficiency;
  const double reads = double(profile.distinctReadBytes);
  const double writes = double(profile.distinctWriteBytes);
  const double l2 = double(machine.l2Bytes);
  Bounds bounds;
  bounds.floor =
      std::max((reads + std::max(0.0, writes - l2)) / peak, writes / l2Reach) *
      1e6;
  bounds.nominal = (reads + writes) / peak * 1e6;
  const double spilled = std::clamp(reads + writes - l2, 0.0, writes);
  const double launch =
      machine.model->launchUs + machine.model->launchPerCoreUs * profile.cores;
  bounds.expected =
      launch +
      std::max((reads + spilled) / (machine.model->expectedMemory * peak),
               writes / (machine.model->expectedStores * l2Peak)) *
          1e6;
  bounds.vector =
      vectorCycles / std::max(profile.cores, 1u) / machine.clockHz * 1e6;
  return bounds;
}

void addCounts(CallRow &row, const PlaceCount &count, double busy) {
  row.times += count.times;
  row.repeats += count.repeats;
  row.elements += count.elements;
  row.bytes += count.bytes;
  row.cycles += busy;
  row.conflictCycles += count.conflictCycles;
}

void fillTables(LaunchProfile &profile, const std::vector<Trace> &traces,
                const SimulationResult &result) {
  std::map<std::tuple<std::string, std::string>, CallRow> kinds;
  std::map<std::tuple<std::string, uint32_t, std::string, std::string>, CallRow>
      lines;
  for (size_t t = 0; t < traces.size(); ++t)
    for (size_t i = 0; i < traces[t].places.size(); ++i) {
      const Trace &trace = traces[t];
      const double busy = result.placeBusy[t][i];
      const Place &place = trace.places[i];
      if (!trace.counts[i].times)
        continue;
      const std::string pipe = nameOf(place.pipe);
      CallRow &kind = kinds[{pipe, place.call}];
      CallRow &line = lines[{place.file, place.line, place.call, pipe}];
      kind.call = line.call = place.call;
      kind.pipe = line.pipe = pipe;
      line.file = place.file;
      line.line = place.line;
      addCounts(kind, trace.counts[i], busy);
      addCounts(line, trace.counts[i], busy);
    }
  auto byCycles = [](const CallRow &a, const CallRow &b) {
    return std::tie(b.cycles, b.bytes, a.pipe, a.call, a.line) <
           std::tie(a.cycles, a.bytes, b.pipe, b.call, b.line);
  };
  for (auto &[key, row] : kinds)
    profile.kinds.push_back(row);
  for (auto &[key, row] : lines)
    profile.lines.push_back(row);
  std::sort(profile.kinds.begin(), profile.kinds.end(), byCycles);
  std::sort(profile.lines.begin(), profile.lines.end(), byCycles);
}

// Spans name places of their trace; the profile has one table for all.
void keepSpans(LaunchProfile &profile, const std::vector<Trace> &traces,
               const SimulationResult &result) {
  std::map<std::tuple<std::string, std::string, uint32_t, Pipe>, uint32_t>
      index;
  for (Span span : result.spans) {
    const Place &place = traces[span.trace].places[span.place];
    auto [found, fresh] =
        index.try_emplace({place.call, place.file, place.line, place.pipe},
                          static_cast<uint32_t>(profile.places.size()));
    if (fresh)
      profile.places.push_back(place);
    span.place = found->second;
    profile.spans.push_back(span);
  }
  profile.droppedSpans = result.droppedSpans;
}

void fillFromSimulation(LaunchProfile &profile, const Machine &machine,
                        const SimulationResult &result) {
  profile.memoryReadBytes = result.memoryReadBytes;
  profile.l2HitBytes = result.l2HitBytes;
  profile.memoryWriteBytes = static_cast<uint64_t>(result.memoryWriteBytes);
  profile.distinctReadBytes = result.distinctReadBytes;
  profile.distinctWriteBytes = result.distinctWriteBytes;
  double longest = 0, sum = 0;
  for (const CoreResult &core : result.cores) {
    const double time = core.end - core.begin;
    longest = std::max(longest, time);
    sum += time;
    profile.coreEnds.push_back(core.end / machine.clockHz * 1e6);
  }
  if (sum > 0)
    profile.balance = longest * double(result.cores.size()) / sum;
  const double all = result.cycles * double(result.cores.size());
  for (unsigned pipe = 0; pipe < kPipeCount && all > 0; ++pipe)
    profile.utilisation[pipe] = result.busy[pipe] / all;
  profile.critical = static_cast<Pipe>(
      std::max_element(profile.utilisation.begin(), profile.utilisation.end()) -
      profile.utilisation.begin());
}

} // namespace

LaunchProfile profileOf(const ProfileRequest &request,
                        const std::vector<Trace> &traces) {
  const Machine machine = Machine::of(*request.soc);
  LaunchProfile profile;
  profile.kernel = request.kernel;
  profile.soc = request.soc->name;
  profile.model = machine.model->title;
  profile.timingOnly = request.timingOnly;
  profile.blocks = static_cast<uint32_t>(traces.size());
  profile.cores =
      static_cast<uint32_t>(std::min<size_t>(traces.size(), machine.cores));
  profile.chipCores = machine.cores;
  profile.clockHz = machine.clockHz;
  profile.ubBytes = request.soc->reportedUbBytes();
  const targets::ChipCost chip = targets::chipCost(*request.soc);
  profile.reachableBytesPerSecond = machine.memoryRate * machine.clockHz;
  profile.peakBytesPerSecond = chip.memoryPeakMBps
                                   ? chip.memoryPeakMBps * 1e6
                                   : profile.reachableBytesPerSecond;

  size_t events = 0;
  double vectorCycles = 0, conflictCycles = 0;
  for (const Trace &trace : traces) {
    events += trace.events.size();
    profile.ubHighWater = std::max(profile.ubHighWater, trace.ubHighWater);
    profile.impliedBarriers += trace.barriersImplied;
    profile.scalarReads += trace.scalarReads;
    profile.scalarWrites += trace.scalarWrites;
    profile.globalReads += trace.globalReads;
    profile.globalWrites += trace.globalWrites;
    for (const Event &event : trace.events) {
      profile.loadBytes += event.kind == EventKind::Load ? event.realBytes : 0;
      profile.storeBytes +=
          event.kind == EventKind::Store ? event.realBytes : 0;
    }
    for (size_t i = 0; i < trace.places.size(); ++i)
      if (trace.places[i].pipe == Pipe::V) {
        vectorCycles += trace.counts[i].cycles;
        conflictCycles += trace.counts[i].conflictCycles;
        profile.vectorElements += double(trace.counts[i].elements);
      }
  }
  if (vectorCycles > 0)
    profile.conflictShare = conflictCycles / vectorCycles;

  SimulationOptions options;
  options.seed = kSeeds[0];
  options.maxSpans = request.maxSpans;
  const SimulationResult first = simulate(machine, traces, options);
  std::vector<double> times{first.cycles};
  options.maxSpans = 0;
  if (events < kManyEvents && traces.size() > 1)
    for (size_t i = 1; i < std::size(kSeeds); ++i) {
      options.seed = kSeeds[i];
      times.push_back(simulate(machine, traces, options).cycles);
    }
  std::sort(times.begin(), times.end());
  const double toUs = 1e6 / machine.clockHz;
  profile.cycles = times[times.size() / 2];
  profile.us = profile.cycles * toUs;
  profile.totalUs = profile.us + first.launchCycles * toUs;
  profile.lowUs = times.front() * toUs;
  profile.highUs = times.back() * toUs;
  fillFromSimulation(profile, machine, first);
  profile.bounds =
      boundsOf(*request.soc, machine, profile, vectorCycles - conflictCycles);
  fillTables(profile, traces, first);
  keepSpans(profile, traces, first);
  return profile;
}

} // namespace lossgrad::sim::profile
