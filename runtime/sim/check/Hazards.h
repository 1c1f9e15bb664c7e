// Missing synchronisation on one memory of one core: who touched each byte last
// and whether the next one may know that it is over. Both sides of a hazard are
// reported through a callback; rules about which pairs the compiler orders by
// itself are here, wording is not.
#pragma once

#include "lossgrad/sim/Modes.h"
#include "sim/Clocks.h"
#include "sim/check/RangeMap.h"

#include <array>
#include <functional>

namespace lossgrad::sim::check {

// An access that has happened: operation `number` of its pipe, made at `place`
// (an index of the caller's table of places). Number 0: none.
struct Past {
  uint32_t number = 0;
  uint32_t place = 0;
};

enum class HazardKind : uint8_t {
  ReadAfterWrite,
  WriteAfterWrite,
  WriteAfterRead
};

struct Hazard {
  HazardKind kind;
  uint64_t begin, end;
  pipe_t earlierPipe;
  Past earlier;
};

class Hazards {
public:
  // `ordered`: the vector unit orders dependent calls in hardware.
  Hazards(SyncLevel level, bool ordered) : level(level), ordered(ordered) {}

  struct Now {
    pipe_t pipe;
    uint32_t number;
    uint32_t place;
    bool atomic = false;
  };
  using Report = std::function<void(const Hazard &)>;

  // Bytes that the operation reads or writes. Clocks learn what the compiler
  // would have synchronised.
  void read(Clocks &clocks, const Now &now, uint64_t begin, uint64_t end,
            const Report &report);
  void write(Clocks &clocks, const Now &now, uint64_t begin, uint64_t end,
             const Report &report);
  // Nothing before this point can be in flight.
  void forget() { memory.clear(); }

private:
  // The pipes that touch UB and global memory; the cube pipes share a slot.
  static constexpr size_t kSlots = 5;
  static size_t slotOf(pipe_t pipe);
  struct History {
    pipe_t writer = PIPE_S;
    bool atomic = false;
    Past write;
    std::array<Past, kSlots> reads;
  };

  bool isOver(Clocks &clocks, const Now &now, pipe_t pipe, Past past) const;
  bool compilerOrders(pipe_t a, pipe_t b) const;

  SyncLevel level;
  bool ordered;
  RangeMap<History> memory;
};

} // namespace lossgrad::sim::check
