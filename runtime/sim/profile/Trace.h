// What one core did, in program order, as far as time depends on it: recorded
// by the functional run, replayed by the simulator. Cycles that the core alone
// decides are filled in when an event is recorded; what cores share (memory
// bandwidth, meetings) is left to the simulator. No data, no LLVM, no core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lossgrad::sim::profile {

// The pipes that take part; cube pipes are not modelled.
enum class Pipe : uint8_t { S, V, MTE2, MTE3 };
constexpr unsigned kPipeCount = 4;
const char *nameOf(Pipe pipe);

enum class EventKind : uint8_t {
  Vector, // `cycles` of occupation, then `latency`
  Load,   // `bytes` (as they count) from global memory at `address`
  Store,
  Scalar,  // `cycles` on the scalar unit
  Set,     // flag `flag`, by `pipe`
  Wait,    // flag `flag`, by `pipe`
  Barrier, // of `pipe`
  BarrierAll,
  SyncAll, // `cycles` 0: hardware, else software
};

struct Event {
  EventKind kind = EventKind::Scalar;
  Pipe pipe = Pipe::S;
  // Vector: must wait for the results of the instructions before it. Scalar:
  // must wait for pipe `waitsFor`'s instruction number `flag`.
  bool drains = false;
  bool bypassesL2 = false;
  bool atomic = false;
  Pipe waitsFor = Pipe::S;
  uint32_t place = 0; // index into Trace::places
  uint32_t flag = 0;
  float cycles = 0;  // occupation without the head
  float latency = 0; // until the result is visible
  uint64_t address = 0;
  uint64_t bytes = 0;     // as they load the memory
  uint64_t realBytes = 0; // as they were asked for
  // Global rows, for L2: rows of rowBytes every pitch.
  uint32_t rows = 1;
  int64_t pitch = 0;
};

// A call in the source.
struct Place {
  std::string call;
  std::string file;
  uint32_t line = 0;
  Pipe pipe = Pipe::S;
};

// Sums per place that need no simulation.
struct PlaceCount {
  uint64_t times = 0;
  uint64_t repeats = 0;
  uint64_t elements = 0;
  uint64_t bytes = 0;
  double cycles = 0;         // occupation
  double conflictCycles = 0; // of it because of UB banks
};

struct Trace {
  std::vector<Event> events;
  std::vector<Place> places;
  std::vector<PlaceCount> counts; // per place
  uint32_t block = 0;
  uint64_t ubHighWater = 0;
  uint64_t scalarReads = 0, scalarWrites = 0; // UB
  uint64_t globalReads = 0, globalWrites = 0; // scalar access to global memory
  uint64_t barriersImplied = 0; // dependent vector pairs without a barrier
};

} // namespace lossgrad::sim::profile
