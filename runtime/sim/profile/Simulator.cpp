// See Simulator.h. Each core runs ahead on its own until it needs something
// that others decide: the end of a transfer, or a meeting. Transfers arrive at
// the shared memory in order of time.
#include "sim/profile/Simulator.h"
#include "sim/profile/Fluid.h"
#include "sim/profile/L2.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>

namespace lossgrad::sim::profile {

const char *nameOf(Pipe pipe) {
  constexpr const char *names[] = {"S", "V", "MTE2", "MTE3"};
  return names[static_cast<unsigned>(pipe)];
}

Machine Machine::of(const targets::Soc &soc) {
  Machine machine;
  const targets::ChipCost chip = targets::chipCost(soc);
  machine.model = &targets::costModel(*soc.family);
  machine.cores = soc.kernelCores();
  machine.clockHz = chip.clockMHz * 1e6;
  // Without a published peak, the platform file's even share of a core.
  machine.memoryRate = chip.memoryPeakMBps
                           ? machine.model->memoryEfficiency *
                                 chip.memoryPeakMBps * 1e6 / machine.clockHz
                           : double(soc.ddrReadRate) * soc.cubeCores;
  machine.l2Rate = chip.l2PeakMBps ? machine.model->l2Efficiency *
                                         chip.l2PeakMBps * 1e6 / machine.clockHz
                                   : double(soc.l2ReadRate) * soc.cubeCores;
  machine.l2Bytes = uint64_t(soc.l2MiB) << 20;
  machine.lineBytes = soc.family->gmLineBytes;
  return machine;
}

namespace {

constexpr size_t kFlags = 40 * 8;
constexpr size_t kRemembered = 64; // ends of instructions, for scalar waits

struct PipeState {
  struct Entry {
    uint32_t event;
    double issued;
  };
  std::deque<Entry> queue;
  double free = 0;    // when the next instruction may start
  double visible = 0; // when the last result can be seen
  bool cold = true;   // the next vector instruction pays the head
  bool inFlight = false;
  bool touched = false; // has transferred before
  uint64_t entered = 0, started = 0, finished = 0;
  std::vector<double> starts;
  double ends[kRemembered] = {};
  double begin = 0; // of the transfer in flight
};

struct CoreState {
  uint32_t index = 0;
  uint32_t trace = 0;
  size_t next = 0; // event that the scalar unit takes next
  double time = 0; // of the scalar unit
  PipeState pipes[kPipeCount];
  std::vector<std::deque<double>> flags;
  bool running = false, parked = false;
  bool softwareSync = false;
};

class Simulation {
public:
  Simulation(const Machine &machine, const std::vector<Trace> &traces,
             const SimulationOptions &options)
      : machine(machine), model(*machine.model), traces(traces),
        options(options), fluid(machine.memoryRate, machine.l2Rate),
        l2(machine.l2Bytes,
           std::min(machine.lineBytes,
                    static_cast<uint32_t>(model.loadBlockBytes))),
        depth(static_cast<size_t>(model.queueDepth)) {}

  SimulationResult run();

private:
  void measureFootprint();
  void startNextBlock(CoreState &core, double time);
  void advance(CoreState &core);
  bool stepScalar(CoreState &core);
  bool stepPipe(CoreState &core, Pipe pipe);
  bool enqueue(CoreState &core, const Event &event, double cost);
  bool drained(const CoreState &core) const;
  void drainAll(CoreState &core);
  void executeVector(CoreState &core, const Event &event, double issued);
  void beginTransfer(CoreState &core, const Event &event, double issued);
  void endTransfer(uint32_t id, double time);
  void instructionEnds(PipeState &pipe);
  bool releaseMeeting();
  void finishBlock(CoreState &core);
  void span(const CoreState &core, Pipe pipe, const Event &event, double begin,
            double end);
  double startOffset(uint32_t core) const;

  const Machine &machine;
  const targets::CostModel &model;
  const std::vector<Trace> &traces;
  const SimulationOptions &options;
  Fluid fluid;
  L2 l2;
  size_t depth;
  double spill = 0; // part of the stores that must reach memory

  struct Arrival {
    double time;
    uint64_t order;
    uint32_t core;
    Pipe pipe;
    const Event *event;
    bool operator>(const Arrival &o) const {
      return time != o.time ? time > o.time : order > o.order;
    }
  };
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  uint64_t order = 0;
  struct InFlight {
    uint32_t core;
    Pipe pipe;
    const Event *event;
  };
  std::map<uint32_t, InFlight> inFlight;
  std::vector<CoreState> cores;
  size_t nextTrace = 0;
  SimulationResult result;
};

// Reads and writes allocate in L2; what does not fit pushes stores out.
void Simulation::measureFootprint() {
  TouchedBytes readOnce, writtenOnce;
  double reads = 0, writes = 0;
  for (const Trace &trace : traces)
    for (const Event &event : trace.events) {
      const bool load = event.kind == EventKind::Load;
      if (!load && event.kind != EventKind::Store)
        continue;
      TouchedBytes &once = load ? readOnce : writtenOnce;
      const uint64_t row = event.realBytes / std::max(event.rows, 1u);
      uint64_t fresh = 0;
      for (uint32_t i = 0; i < event.rows; ++i)
        fresh += once.add(event.address + i * event.pitch, row);
      (load ? result.distinctReadBytes : result.distinctWriteBytes) += fresh;
      if (!load || !event.bypassesL2)
        (load ? reads : writes) += double(fresh);
    }
  if (writes > 0)
    spill = std::clamp((reads + writes - double(machine.l2Bytes)) / writes, 0.0,
                       1.0);
}

// Cores do not start in step; the order is fixed by the seed.
double Simulation::startOffset(uint32_t core) const {
  if (!options.spread)
    return 0;
  uint64_t x = options.seed * 0x9e3779b97f4a7c15ull + core + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return double(x >> 11) * 0x1p-53 * machine.cycles(model.startSpreadUs);
}

void Simulation::startNextBlock(CoreState &core, double time) {
  core.running = nextTrace < traces.size();
  if (!core.running)
    return;
  core.trace = static_cast<uint32_t>(nextTrace++);
  core.next = 0;
  core.time = time;
  core.flags.assign(kFlags, {});
  for (PipeState &pipe : core.pipes) {
    const bool touched = pipe.touched;
    pipe = PipeState{};
    pipe.touched = touched;
    pipe.free = pipe.visible = time;
    pipe.starts.assign(depth, time);
  }
}

void Simulation::span(const CoreState &core, Pipe pipe, const Event &event,
                      double begin, double end) {
  const auto index = static_cast<unsigned>(pipe);
  result.busy[index] += end - begin;
  result.cores[core.index].busy[index] += end - begin;
  result.placeBusy[core.trace][event.place] += end - begin;
  if (result.spans.size() < options.maxSpans)
    result.spans.push_back({core.index, traces[core.trace].block, pipe,
                            event.place, core.trace, begin, end});
  else
    ++result.droppedSpans;
}

//===- Scalar unit --------------------------------------------------------===//

bool Simulation::enqueue(CoreState &core, const Event &event, double cost) {
  PipeState &pipe = core.pipes[static_cast<unsigned>(event.pipe)];
  if (pipe.entered >= depth) {
    const uint64_t before = pipe.entered - depth;
    if (pipe.started <= before)
      return false;
    core.time = std::max(core.time, pipe.starts[before % depth]);
  }
  core.time += cost;
  ++pipe.entered;
  pipe.queue.push_back({static_cast<uint32_t>(core.next), core.time});
  return true;
}

bool Simulation::drained(const CoreState &core) const {
  for (const PipeState &pipe : core.pipes)
    if (!pipe.queue.empty() || pipe.inFlight)
      return false;
  return true;
}

void Simulation::drainAll(CoreState &core) {
  for (const PipeState &pipe : core.pipes)
    core.time = std::max(core.time, pipe.visible);
  for (PipeState &pipe : core.pipes) {
    pipe.free = std::max(pipe.free, core.time);
    pipe.cold = true;
  }
}

// One event in program order; false if it has to wait for something unknown.
bool Simulation::stepScalar(CoreState &core) {
  const Trace &trace = traces[core.trace];
  if (!core.running || core.parked || core.next >= trace.events.size())
    return false;
  const Event &event = trace.events[core.next];
  double busy = 0;
  switch (event.kind) {
  case EventKind::Vector:
  case EventKind::Load:
  case EventKind::Store:
    if (!enqueue(core, event, model.scalarIssue))
      return false;
    busy = model.scalarIssue;
    break;
  case EventKind::Barrier:
    if (!enqueue(core, event, model.flagIssue))
      return false;
    busy = model.flagIssue;
    break;
  case EventKind::Set:
    if (event.pipe == Pipe::S) {
      core.time += model.flagIssue;
      core.flags[event.flag].push_back(core.time);
    } else if (!enqueue(core, event, model.flagIssue)) {
      return false;
    }
    busy = model.flagIssue;
    break;
  case EventKind::Wait:
    if (event.pipe == Pipe::S) {
      auto &flag = core.flags[event.flag];
      if (flag.empty())
        return false;
      core.time = std::max(core.time, flag.front() + model.flagWake);
      flag.pop_front();
    } else if (!enqueue(core, event, model.flagIssue)) {
      return false;
    }
    break;
  case EventKind::BarrierAll:
    if (!drained(core))
      return false;
    drainAll(core);
    core.time += model.barrierAll;
    break;
  case EventKind::Scalar: {
    if (event.drains) {
      const PipeState &pipe = core.pipes[static_cast<unsigned>(event.waitsFor)];
      if (pipe.finished < event.flag)
        return false;
      const bool recent = pipe.finished - event.flag < kRemembered;
      if (recent)
        core.time = std::max(core.time, pipe.ends[event.flag % kRemembered] +
                                            model.flagWake);
    }
    const double from = core.time;
    core.time += event.cycles;
    span(core, Pipe::S, event, from, core.time);
    break;
  }
  case EventKind::SyncAll:
    if (!drained(core))
      return false;
    drainAll(core);
    core.parked = true;
    core.softwareSync = event.cycles > 0;
    break;
  }
  if (busy > 0) {
    result.busy[0] += busy;
    result.cores[core.index].busy[0] += busy;
  }
  ++core.next;
  return true;
}

//===- Pipes --------------------------------------------------------------===//

void Simulation::instructionEnds(PipeState &pipe) {
  ++pipe.finished;
  pipe.ends[pipe.finished % kRemembered] = pipe.visible;
}

void Simulation::executeVector(CoreState &core, const Event &event,
                               double issued) {
  PipeState &pipe = core.pipes[static_cast<unsigned>(Pipe::V)];
  double start = std::max(pipe.free, issued);
  if (event.drains)
    start = std::max(start, pipe.visible);
  const bool cold = pipe.cold || event.drains || start > pipe.free;
  const double end = start + (cold ? model.vectorHead : 0) + event.cycles;
  pipe.free = end;
  pipe.visible = std::max(pipe.visible, end + event.latency);
  pipe.cold = false;
  instructionEnds(pipe);
  span(core, Pipe::V, event, start, end);
}

void Simulation::beginTransfer(CoreState &core, const Event &event,
                               double issued) {
  const bool load = event.kind == EventKind::Load;
  PipeState &pipe = core.pipes[static_cast<unsigned>(event.pipe)];
  pipe.begin = std::max(pipe.free, issued);
  double arrival =
      pipe.begin + (load ? model.loadIssue : model.storeIssue) + event.cycles;
  if (!pipe.touched)
    arrival += load ? model.loadFirst : model.storeFirst;
  pipe.touched = true;
  pipe.inFlight = true;
  arrivals.push({arrival, order++, core.index, event.pipe, &event});
}

void Simulation::endTransfer(uint32_t id, double time) {
  auto found = inFlight.find(id);
  const InFlight transfer = found->second;
  inFlight.erase(found);
  CoreState &core = cores[transfer.core];
  PipeState &pipe = core.pipes[static_cast<unsigned>(transfer.pipe)];
  pipe.inFlight = false;
  pipe.free = time;
  pipe.visible = std::max(pipe.visible, time + transfer.event->latency);
  instructionEnds(pipe);
  span(core, transfer.pipe, *transfer.event, pipe.begin, time);
  advance(core);
}

// The head of one pipe's queue; false if it has to wait for something unknown.
bool Simulation::stepPipe(CoreState &core, Pipe which) {
  PipeState &pipe = core.pipes[static_cast<unsigned>(which)];
  if (pipe.queue.empty() || pipe.inFlight)
    return false;
  const PipeState::Entry entry = pipe.queue.front();
  const Event &event = traces[core.trace].events[entry.event];
  switch (event.kind) {
  case EventKind::Vector:
    executeVector(core, event, entry.issued);
    break;
  case EventKind::Load:
  case EventKind::Store:
    beginTransfer(core, event, entry.issued);
    break;
  case EventKind::Set:
    core.flags[event.flag].push_back(std::max(pipe.visible, entry.issued));
    break;
  case EventKind::Wait: {
    auto &flag = core.flags[event.flag];
    if (flag.empty())
      return false;
    const double ready = std::max(flag.front() + model.flagWake, entry.issued);
    flag.pop_front();
    if (ready > pipe.free) {
      pipe.free = ready;
      pipe.cold = true;
    }
    break;
  }
  case EventKind::Barrier:
    pipe.free = std::max({pipe.free, pipe.visible, entry.issued});
    pipe.cold = true;
    break;
  default:
    break;
  }
  pipe.queue.pop_front();
  // A queue entry is free again when its instruction has begun.
  pipe.starts[pipe.started % depth] =
      pipe.inFlight ? pipe.begin : std::max(entry.issued, pipe.free);
  ++pipe.started;
  return true;
}

void Simulation::advance(CoreState &core) {
  bool progress = true;
  while (progress) {
    progress = false;
    while (stepScalar(core))
      progress = true;
    for (Pipe pipe : {Pipe::V, Pipe::MTE2, Pipe::MTE3})
      while (stepPipe(core, pipe))
        progress = true;
    if (core.running && !core.parked &&
        core.next >= traces[core.trace].events.size() && drained(core)) {
      finishBlock(core);
      progress = true;
    }
  }
}

void Simulation::finishBlock(CoreState &core) {
  double end = core.time;
  for (const PipeState &pipe : core.pipes)
    end = std::max(end, pipe.visible);
  result.cores[core.index].end = end;
  startNextBlock(core, end);
}

//===- Cores --------------------------------------------------------------===//

// True if all that still run have met and go on.
bool Simulation::releaseMeeting() {
  double latest = 0;
  unsigned waiting = 0;
  bool software = false;
  for (const CoreState &core : cores) {
    if (!core.running)
      continue;
    if (!core.parked)
      return false;
    latest = std::max(latest, core.time);
    software |= core.softwareSync;
    ++waiting;
  }
  if (!waiting)
    return false;
  const double cost =
      software ? model.syncSoftwareUs + model.syncSoftwarePerCoreUs * waiting
               : model.syncHardwareUs;
  for (CoreState &core : cores) {
    if (!core.running)
      continue;
    core.parked = false;
    core.time = latest + machine.cycles(cost);
    for (PipeState &pipe : core.pipes)
      pipe.free = std::max(pipe.free, core.time);
  }
  for (CoreState &core : cores)
    advance(core);
  return true;
}

SimulationResult Simulation::run() {
  measureFootprint();
  for (const Trace &trace : traces)
    result.placeBusy.emplace_back(trace.places.size());
  const size_t count =
      std::min<size_t>(std::max(machine.cores, 1u), traces.size());
  cores.resize(count);
  result.cores.resize(count);
  double earliest = Fluid::kNever;
  for (size_t i = 0; i < count; ++i) {
    cores[i].index = static_cast<uint32_t>(i);
    const double start = startOffset(cores[i].index);
    earliest = std::min(earliest, start);
    result.cores[i].begin = start;
    startNextBlock(cores[i], start);
  }
  for (CoreState &core : cores)
    advance(core);

  for (;;) {
    if (arrivals.empty() && inFlight.empty()) {
      if (!releaseMeeting())
        break;
      continue;
    }
    if (!arrivals.empty() && arrivals.top().time <= fluid.nextEnd()) {
      const Arrival arrival = arrivals.top();
      arrivals.pop();
      const Event &event = *arrival.event;
      const uint64_t row = event.realBytes / std::max(event.rows, 1u);
      double memoryPart = spill * (event.atomic ? model.atomicWeight : 1);
      double l2Part = 1;
      double rate = model.storeRate;
      if (event.kind == EventKind::Load) {
        uint64_t hits = 0;
        for (uint32_t i = 0; i < event.rows; ++i)
          hits +=
              l2.read(event.address + i * event.pitch, row, event.bypassesL2);
        const double hit =
            event.realBytes ? double(hits) / double(event.realBytes) : 0;
        memoryPart = 1 - hit;
        l2Part = hit;
        rate = 1 / (memoryPart / model.loadRate + hit / model.loadRateL2);
        result.l2HitBytes += hits;
        result.memoryReadBytes += event.realBytes - hits;
      } else {
        for (uint32_t i = 0; i < event.rows; ++i)
          l2.write(event.address + i * event.pitch, row);
        result.memoryWriteBytes += spill * double(event.realBytes);
      }
      const uint32_t id =
          fluid.start(arrival.time, double(std::max<uint64_t>(event.bytes, 1)),
                      rate, memoryPart, l2Part);
      inFlight[id] = {arrival.core, arrival.pipe, &event};
      continue;
    }
    const double time = fluid.nextEnd();
    endTransfer(fluid.finishNext(), time);
  }

  double latest = earliest;
  for (const CoreResult &core : result.cores)
    latest = std::max(latest, core.end);
  result.cycles = latest - earliest;
  result.launchCycles =
      machine.cycles(model.launchUs + model.launchPerCoreUs * double(count));
  return std::move(result);
}

} // namespace

SimulationResult simulate(const Machine &machine,
                          const std::vector<Trace> &traces,
                          const SimulationOptions &options) {
  return Simulation(machine, traces, options).run();
}

} // namespace lossgrad::sim::profile
