// Replays the traces of all cores of a launch against the cost model: pipes in
// order inside a core, flags between them, and memory as a fluid that all
// transfers in flight share fairly. The result is modelled time, not a
// measurement.
#pragma once

#include "lossgrad/Costs.h"
#include "sim/profile/Trace.h"

#include <array>
#include <cstdint>
#include <vector>

namespace lossgrad::sim::profile {

// The chip as the simulator sees it, in cycles and bytes per cycle.
struct Machine {
  const targets::CostModel *model = nullptr;
  uint32_t cores = 1;
  double clockHz = 1e9;
  double memoryRate = 0; // reachable, bytes per cycle, all cores together
  double l2Rate = 0;
  uint64_t l2Bytes = 0;
  uint32_t lineBytes = 512;

  static Machine of(const targets::Soc &soc);
  double cycles(double microseconds) const {
    return microseconds * 1e-6 * clockHz;
  }
};

struct Span {
  uint32_t core;
  uint32_t block;
  Pipe pipe;
  uint32_t place;
  uint32_t trace; // whose places
  double begin, end;
};

struct SimulationOptions {
  uint64_t seed = 1;   // of the cores' start times
  bool spread = true;  // cores start within the model's startSpreadUs
  size_t maxSpans = 0; // spans to keep for the timeline
};

struct CoreResult {
  double begin = 0, end = 0;
  std::array<double, kPipeCount> busy{};
};

struct SimulationResult {
  double cycles = 0;       // first core's start to last core's end
  double launchCycles = 0; // in addition
  std::vector<CoreResult> cores;
  std::array<double, kPipeCount> busy{}; // sum over cores
  uint64_t memoryReadBytes = 0;          // that missed L2
  uint64_t l2HitBytes = 0;
  double memoryWriteBytes = 0; // that had to reach memory
  uint64_t distinctReadBytes = 0, distinctWriteBytes = 0; // each byte once
  std::vector<std::vector<double>> placeBusy; // [trace][place], cycles
  std::vector<Span> spans;
  size_t droppedSpans = 0;
};

SimulationResult simulate(const Machine &machine,
                          const std::vector<Trace> &traces,
                          const SimulationOptions &options = {});

} // namespace lossgrad::sim::profile
