// Deferred execution in strips, which fast mode owes its speed to. A tile of UB
// does not fit the host's first cache, so that a kernel's vector calls,
// executed one after the other, pass over the second one again and again.
// Instructions that work element by element are therefore put on a list, after
// all of their checks, and the list is executed strip by strip: all
// instructions on the first elements, then all on the next. Memory ends up as
// if each had been executed when it was called. Nothing is left out, reordered
// within a strip, or computed differently; what an instruction does is not
// known here.
#pragma once

#include "ascendc/vector/simd/Span.h"
#include "lossgrad/sim/Instruction.h"

#include <array>
#include <cstdint>

namespace lossgrad::sim {

class Core;

// Consecutive elements in UB or global memory that a step reads or writes.
// Element i lies at bit i * bits: a Compare writes one bit per element.
struct StripOperand {
  uint8_t *at = nullptr; // null: the step has no such operand
  uint32_t bits = 0;     // of one element
};

// One instruction on `count` elements.
struct StripStep {
  vector::SpanFn run = nullptr;
  vector::SpanParams params;
  uint64_t count = 0;
  StripOperand dst, src0, src1;
  StripOperand mask; // Select: goes to params.mask
  // How memory beyond the core is touched; decides where a list ends.
  enum class Kind : uint8_t { Local, Load, Store } kind = Kind::Local;
  const char *call = ""; // for reports
  Site site;
};

class Strips {
public:
  // Puts a step on the list, after executing the list if the step does not go
  // with it. False: the step is not worth deferring; memory is up to date and
  // the caller executes it.
  bool take(Core &core, const StripStep &step);
  // Executes the list. Core::settle is the way to call it.
  void run(Core &core);
  // Forgets the list.
  void drop() {
    stepCount = extentCount = 0;
    storesOut = streamed = executing = false;
  }
  // The same, and what was found out about global memory: for a new block.
  void reset() {
    drop();
    knownBegin = knownEnd = nullptr;
  }
  // After a fault: if it was a step's, the core's last call becomes that one.
  void blame(Core &core) const;
  // Is this global memory part of a tensor too large for the host's caches? It
  // is better written past them then.
  bool streams(const void *global);
  // Does the list read or write any of these bytes?
  bool touches(const void *at, uint64_t bytes) const;

  // Elements of a strip: a multiple of 128, so that a strip of anything begins
  // at a whole byte and the span functions meet no tail but the last.
  static constexpr uint32_t kDefaultLength = 256;
  static constexpr uint32_t kLengthUnit = 128;
  // A list is not begun for less: a shorter tile is in the first cache anyway,
  // and waiting costs more than it gains.
  static constexpr uint32_t kFewStrips = 16;

private:
  static constexpr size_t kMaxSteps = 32;
  static constexpr size_t kMaxExtents = 24;

  // Bytes that steps of the list touch in the same way.
  struct Extent {
    uint8_t *begin, *end;
    uint32_t bits;
    bool written;
  };
  bool fits(const StripOperand &operand, uint64_t count, bool written) const;
  bool fits(const StripStep &step) const;
  void add(const StripOperand &operand, uint64_t count, bool written);

  std::array<StripStep, kMaxSteps> steps;
  size_t running = 0; // step that is being executed
  bool executing = false;
  std::array<Extent, kMaxExtents> extents;
  size_t stepCount = 0, extentCount = 0;
  bool storesOut = false, streamed = false;

  // The allocation that `streams` was last asked for.
  const uint8_t *knownBegin = nullptr, *knownEnd = nullptr;
  bool knownIsLarge = false;
};

} // namespace lossgrad::sim
