// Deferred execution in strips, which fast mode owes its speed to. A tile of UB
// does not fit the host's first cache, so that a kernel's vector calls,
// executed one after the other, pass over the second one again and again.
// Instructions that work element by element, or row by row, are therefore put
// on a list, after all of their checks, and the list is executed strip by
// strip: all instructions on the first elements, then all on the next. Memory
// ends up as if each had been executed when it was called. Nothing is left out,
// reordered within a strip, or computed differently; what an instruction does
// is not known here.
//
// A list of whole tiles has strips of a fixed length. When a step by rows joins
// (a repeat form whose repeats lie further apart than they are long), a strip
// becomes a number of whole rows, and an element of the step is a row: it
// stands for as many elements of the tile as a row has (`unit`). So a sum over
// each row, its broadcast and its use run on one strip after another.
#pragma once

#include "ascendc/Mirrors.h"
#include "ascendc/vector/simd/Span.h"
#include "lossgrad/sim/Instruction.h"
#include "sim/Core.h"
#include "sim/Deferral.h"

#include <array>
#include <cstdint>

namespace lossgrad::sim {

// What a step reads or writes in UB or global memory. Element i lies at bit
// i * bits: a Compare writes one bit per element.
struct StripOperand {
  uint8_t *at = nullptr; // null: the step has no such operand
  uint32_t bits = 0;     // from one element to the next
  uint32_t reach = 0;    // bytes of one element; 0: all of its bits
  bool ahead = false;    // global memory, to be asked for ahead of time
  uint64_t advance = 0;  // bytes from strip to strip; Strips decides
};

// Bytes from the first to past the last of `count` elements.
uint64_t bytesOf(const StripOperand &operand, uint64_t count);

struct StripOperands {
  StripOperand dst, src0, src1;
  StripOperand mask; // Select: goes to params.mask

  std::array<StripOperand *, 4> all() { return {&dst, &src0, &src1, &mask}; }
  std::array<const StripOperand *, 4> all() const {
    return {&dst, &src0, &src1, &mask};
  }
};

// One instruction on `count` elements.
struct StripStep : StripOperands {
  vector::SpanFn run = nullptr;
  vector::SpanParams params;
  uint64_t count = 0;
  // Steps by rows: what a row is (params.rows points here when the step runs),
  // and the elements of a tile's row as far as the instruction tells, else 0.
  vector::RowShape rows;
  uint32_t rowElements = 0;
  // How memory beyond the core is touched; decides where a list ends.
  enum class Kind : uint8_t { Local, Load, Store } kind = Kind::Local;
  bool overwrites = false; // all of the destination, and does not read it
  bool streams = false;  // stores past the caches, which a fence has to follow
  const char *call = ""; // for reports
  Site site;
  // Elements of a tile that one element stands for, and elements of the step
  // in one strip; Strips decides.
  uint32_t unit = 1;
  uint64_t whole = 0;
};

class Strips : public Deferral {
public:
  // Puts a step on the list, after executing the list if the step does not go
  // with it. False: the step is not worth deferring; memory is up to date and
  // the caller executes it.
  bool take(Core &core, StripStep &step);
  void run(Core &core) override;
  // The same for somebody who looks at no UB: mirrors stay.
  void runList(Core &core);
  // For somebody who reads these bytes of UB.
  void show(Core &core, const void *at, uint64_t bytes);
  // For an instruction that reads or writes no others of UB.
  void settleFor(Core &core, const void *at, uint64_t bytes);
  void reset() override {
    drop();
    fence();
    known.fill({});
    mirrors.clear();
  }
  void blame(Core &core) const override;

  // Is this global memory part of a tensor too large for the host's caches?
  bool isLarge(const void *global);
  // Is it better written past them?
  bool streams(const void *global);
  // Does the list read or write any of these bytes, or are they elsewhere?
  bool touches(const void *at, uint64_t bytes) const;
  // Rows of the tile that the list works on, 0 before a step by rows.
  uint64_t rows() const { return rowCount; }

  // Bytes that steps of the list touch in the same way.
  struct Extent {
    uint8_t *begin, *end;
    uint32_t bits, reach, unit;
    bool written;
    uint64_t elements; // of the tile
    // On a list of rows: bytes from strip to strip and of one strip.
    int64_t step, hull;
  };

private:
  static constexpr size_t kMaxSteps = 48;
  static constexpr size_t kMaxExtents = 48;
  // A list is not begun for less: a shorter tile is in the first cache anyway,
  // and waiting costs more than it gains. Loads of large tensors gain earlier,
  // since they are asked for ahead of time.
  static constexpr uint32_t kFewStrips = 16, kFewLargeStrips = 8;
  // What few operands may lengthen a strip by, and bytes of a strip that are
  // stored past the caches.
  static constexpr uint32_t kMostStrips = 4;
  static constexpr uint64_t kStreamBytes = 1536;
  // Steps by rows have more to do per strip, so that strips are longer; rows
  // longer than the limit do not stay in the first cache.
  static constexpr uint32_t kRowStrips = 8;
  static constexpr uint32_t kMaxRow = 4096;

  bool meetsList(const void *at, uint64_t bytes) const;
  void drop() {
    stepCount = extentCount = 0;
    rowCount = rowUnit = rowLength = 0;
    asideBytes = 0;
    storesOut = streamed = storesPlainly = executing = false;
  }
  void execute(Core &core);
  void fence();
  uint64_t stripLengthOn(const Core &core) const;
  bool isWorthwhile(const Core &core, const StripStep &step);
  bool covers(const Extent &a, const Extent &b) const;
  bool inOrder(const Extent &a, const Extent &b) const;
  bool fits(const Extent &mine) const;
  bool fits(StripStep &step, uint64_t unit, uint64_t length);
  bool placed(Core &core, StripStep &step);
  uint64_t unitOfSource(const StripStep &step) const;
  bool placedInRows(StripStep &step);
  bool beginRows(const Core &core, const StripStep &step);
  bool merged(const StripStep &step);
  uint8_t *moveAside(const StripStep &step, uint8_t *&from, uint64_t &bytes);
  bool placedAside(Core &core, StripStep &step);
  bool add(const Extent &mine);
  uint64_t lengthOn(const Core &core) const {
    return rowLength ? rowLength : core.stripLength;
  }

  std::array<StripStep, kMaxSteps> steps;
  size_t running = 0; // step that is being executed
  bool executing = false;
  std::array<Extent, kMaxExtents> extents;
  size_t stepCount = 0, extentCount = 0;
  std::array<Extent, 4> wanted; // of the step that was placed last
  size_t wantedCount = 0;
  bool storesOut = false, streamed = false, storesPlainly = false;
  bool fencePending = false; // what was executed has streamed
  // Rows of the tile, elements of one, elements of a strip; 0 without rows.
  uint64_t rowCount = 0, rowUnit = 0, rowLength = 0;

  // Intermediate results of the list that are not kept where they were called
  // for (StripsAside.cpp).
  static constexpr uint64_t kAsideBytes = 8192;
  alignas(64) std::array<uint8_t, kAsideBytes> aside;
  uint64_t asideBytes = 0;

  // Tiles that do not pass through UB (StripsMirrors.cpp).
  static constexpr uint64_t kScratchBytes = 16384;
  alignas(64) std::array<uint8_t, kScratchBytes> scratch;
  Mirrors mirrors;
  // Results of the list that will be in global memory only.
  struct Passing {
    struct Tile {
      uint8_t *local;
      uint64_t bytes;
      const uint8_t *global;
    };
    std::array<Tile, 4> tiles;
    size_t count = 0;
  };
  bool mirrored(Core &core, const StripStep &step);
  bool readsNextTile(const StripStep &step);
  bool redirect(Core &core, StripStep &step);
  Passing passResults(Core &core, size_t count);
  bool mayPass(size_t index, size_t count) const;

  // Allocations that `isLarge` was asked for, in turn: looking one up takes a
  // lock, which waits for all stores past the caches.
  struct Allocation {
    const uint8_t *begin = nullptr, *end = nullptr;
  };
  const Allocation *allocationOf(const void *global);
  std::array<Allocation, 8> known;
  size_t nextKnown = 0;
};

// The list of a core.
inline Strips &stripsOf(Core &core) {
  return static_cast<Strips &>(*core.deferral);
}

} // namespace lossgrad::sim
