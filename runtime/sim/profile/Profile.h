// What profile mode says about one launch: modelled time, what limits it, and
// how far it is from the bounds. Plain data that the writers print; nothing in
// it is a measurement.
#pragma once

#include "sim/profile/Simulator.h"
#include "sim/profile/Trace.h"

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

namespace lossgrad::sim::profile {

// Below this relative difference two modelled times are the same.
constexpr double kNoDifference = 0.10;

// Sums over all cores of one call, or of one call at one source line.
struct CallRow {
  std::string call;
  std::string file; // empty in the table by kind
  uint32_t line = 0;
  std::string pipe;
  uint64_t times = 0, repeats = 0, elements = 0, bytes = 0;
  double cycles = 0; // that the pipe was busy with it, in the simulation
  double conflictCycles = 0;
};

struct Bounds {
  // All in microseconds. floor: cold inputs, output may stay in L2. nominal:
  // every byte at the memory's peak. expected: what the best published kernels
  // reach, with launch. vector: issue of the vector unit, no conflicts.
  double floor = 0, nominal = 0, expected = 0, vector = 0;
};

struct LaunchProfile {
  std::string kernel, soc, model;
  uint32_t blocks = 0, cores = 0, chipCores = 0;
  double clockHz = 0;
  double cycles = 0;            // modelled, median over the start seeds
  double us = 0;                // the same without launch
  double totalUs = 0;           // with launch
  double lowUs = 0, highUs = 0; // over the seeds
  uint64_t loadBytes = 0, storeBytes = 0;
  uint64_t memoryReadBytes = 0, l2HitBytes = 0, memoryWriteBytes = 0;
  uint64_t distinctReadBytes = 0, distinctWriteBytes = 0;
  std::array<double, kPipeCount> utilisation{}; // mean over the used cores
  Pipe critical = Pipe::S;
  uint64_t ubHighWater = 0, ubBytes = 0;
  double conflictShare = 0; // of the vector cycles
  uint64_t impliedBarriers = 0;
  uint64_t scalarReads = 0, scalarWrites = 0, globalReads = 0, globalWrites = 0;
  double balance = 1; // slowest core's time by the mean
  double vectorElements = 0;
  double peakBytesPerSecond = 0, reachableBytesPerSecond = 0;
  bool timingOnly = false;
  // A run without data reads scalars all the same, as zeros; what the kernel
  // decides by them it decides wrongly.
  bool readsMissingData() const {
    return timingOnly && scalarReads + globalReads > 0;
  }
  Bounds bounds;
  std::vector<CallRow> kinds, lines;
  std::vector<double> coreEnds; // us, per core
  // For the timeline: places of all traces and the kept spans.
  std::vector<Place> places;
  std::vector<Span> spans; // place indexes into `places`
  size_t droppedSpans = 0;
};

struct ProfileRequest {
  std::string kernel;
  const targets::Soc *soc = nullptr;
  bool timingOnly = false;
  size_t maxSpans = 20000;
};

LaunchProfile profileOf(const ProfileRequest &request,
                        const std::vector<Trace> &traces);

//===- Writers ------------------------------------------------------------===//
void writeTable(const LaunchProfile &profile, std::ostream &os);
std::string toJson(const std::vector<LaunchProfile> &profiles);
// The trace-event format that Perfetto and chrome://tracing open.
std::string toTraceJson(const std::vector<LaunchProfile> &profiles);
std::string toHtml(const std::vector<LaunchProfile> &profiles);

// Compares two JSON files' contents launch by launch; differences of less than
// 10 % are none. Returns false, with the reason in `error`, if one of them is
// not a profile.
bool compare(const std::string &before, const std::string &after,
             std::ostream &os, std::string &error);

} // namespace lossgrad::sim::profile
