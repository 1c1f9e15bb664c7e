// From an instruction's operands (mask, repeats, block and repeat strides) to
// contiguous spans. Everything that all elementwise instructions share is here:
// checks of alignment, extent and product support, the footprint, and the loop
// over repeats that leaves masked lanes alone. What is computed is the caller's
// SpanFn.
#pragma once

#include "sim/Core.h"
#include "simd/Span.h"

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

namespace lossgrad::vector {

using sim::Core;
using sim::Footprint;
using sim::Lanes;
using sim::Operand;
using sim::Selection;
using sim::Site;
using targets::Api;
using targets::Open;

// Bits of an element in UB (4 for packed int4).
// Bits of an element as a power of two: every call divides by them a dozen
// times, which shifts do at a fraction of the time.
constexpr uint32_t logBitsOf(DType type) {
  switch (type) {
  case DType::Int4:
    return 2;
  case DType::Int8:
  case DType::UInt8:
  case DType::Bool:
    return 3;
  case DType::Int16:
  case DType::UInt16:
  case DType::Half:
  case DType::BFloat16:
    return 4;
  case DType::Int64:
  case DType::UInt64:
  case DType::Double:
    return 6;
  default:
    return 5;
  }
}
constexpr uint32_t bitsOf(DType type) { return 1u << logBitsOf(type); }
constexpr uint32_t bytesOf(DType type) { return bitsOf(type) / 8; }

// An operand together with its element type and its name in messages.
struct Port {
  Operand operand;
  DType type = DType::None;
  const char *name = "";
  bool written = false;
  bool read = true;
};

// Bytes from the operand's start to the end of its last active lane.
uint64_t extentOf(const Port &port, const Lanes &lanes, uint32_t perRepeat);

// 32-byte alignment of the start, and the whole extent inside UB.
void checkPort(Core &core, const Port &port, const Lanes &lanes,
               uint32_t perRepeat);

// What an observer wants to know beyond the regions (sim/Observer.h says what
// each means); the defaults are those of an elementwise instruction.
struct Traits {
  sim::Flow flow = sim::Flow::Lanes;
  uint32_t groupElements = 0;
  bool usesScratch = false;
  bool selfContained = false;
  DType from = DType::None;
  std::function<std::vector<sim::Move>()> moves = {};
  sim::Decider decider = sim::Decider::None;
  std::vector<sim::Region> keys = {};
  const void *table = nullptr;
};

// An instruction that moves bytes as `list` says; what decides on a move, if
// anything in UB does.
inline Traits movesAs(std::function<std::vector<sim::Move>()> list,
                      sim::Decider decider = sim::Decider::None) {
  Traits traits;
  traits.flow = sim::Flow::Moves;
  traits.moves = std::move(list);
  traits.decider = decider;
  return traits;
}

// Before an instruction that is executed at once: brings what it looks at up to
// date. It looks at the ports, and in UB at nothing else.
void settleFor(Core &core, const Lanes &lanes, uint32_t perRepeat,
               std::initializer_list<const Port *> ports);
void settleFor(Core &core, const void *at, uint64_t bytes);

// Tells the observer, if there is one. Ports with a null address are absent.
void announce(Core &core, const Port *ports, size_t count, const Lanes &lanes,
              uint32_t perRepeat, DType type, const Traits &traits = {});
// The same for an instruction whose regions the caller has listed.
void announce(Core &core, std::vector<sim::Region> reads,
              std::vector<sim::Region> writes, DType type, uint64_t elements,
              uint32_t repeats, const Traits &traits = {});
// Appends the bytes that the active lanes of a port cover, as the next operand.
void addRegions(std::vector<sim::Region> &regions, const Port &port,
                const Lanes &lanes, uint32_t perRepeat);
// Appends one dense run, as the next operand.
void addDense(std::vector<sim::Region> &regions, const void *addr,
              uint64_t bytes);

// A call takes `bytes` of the scratch at the top of UB, `offset` bytes from its
// start: what lies there is lost. A buffer may cover it as long as it holds
// nothing there; one that does ends the block.
void claimScratch(Core &core, uint32_t offset, uint64_t bytes);

// Ends the block, naming what the product's call takes, unless it takes `type`.
void requireType(Core &core, Api api, DType type, bool countForm);

// Runs fn over the active lanes of dst, src0 and src1 (absent ones have a null
// address). perRepeat is the lane count of the widest type.
void runSpans(SpanFn fn, const SpanParams &params, const Lanes &lanes,
              uint32_t perRepeat, const Port &dst, const Port &src0,
              const Port &src1);

// The same, put off where that is possible (ascendc/Strips.h). The operands
// have been checked.
void runOrDefer(Core &core, SpanFn fn, const SpanParams &params,
                const Lanes &lanes, uint32_t perRepeat, const Port &dst,
                const Port &src0, const Port &src1, const void *mask = nullptr);

// The parameters that the core's state and switches determine.
SpanParams paramsOf(const Core &core);

// The bit of CTRL that the core keeps the overflow mode in, whatever the
// product's own bit is: 1 keeps Inf and NaN in 16-bit results.
constexpr uint32_t kKeepInfinityBit = 48;
bool saturates(const Core &core);

} // namespace lossgrad::vector
