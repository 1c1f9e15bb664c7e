// One AI core (or one cube or vector core of a split product) with all of its
// state: registers, events, queues' buffers, on-chip memories, identity. An
// exported instruction enters through Core::enter, checks and announces itself
// on the core, then executes on host memory. Scheduling of cores over host
// threads is not here but in Launch.
#pragma once

#include "lossgrad/Targets.h"
#include "lossgrad/sim/Instruction.h"
#include "sim/Arena.h"
#include "sim/Deferral.h"
#include "sim/LaneMask.h"
#include "sim/Observer.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>

namespace lossgrad::sim {

class Launch;
struct Task;

// Thrown by Core::fail after the message has been recorded; unwinds the block.
struct BlockFailure {};

enum class CoreType : uint8_t { Mixed, Cube, Vector };
enum class BufferState : uint8_t { Free, Occupied, Enqueued, Dequeued };
enum class AtomicKind : uint8_t { None, Add, Max, Min };

// One block of a queue, or a TBuf.
struct Buffer {
  uint8_t *addr = nullptr;
  uint32_t bytes = 0;
  AscendC::TPosition position = AscendC::TPosition::VECCALC;
  BufferState state = BufferState::Free;
  const void *owner = nullptr; // the queue or TBuf
  // Flags that the block carries: set by EnQue, set by FreeTensor.
  AscendC::HardEvent enqueEvent = AscendC::HardEvent::MAX;
  AscendC::HardEvent freeEvent = AscendC::HardEvent::MAX;
  int8_t enqueId = -1;
  int8_t freeId = -1;
};

constexpr size_t kHardEvents = static_cast<size_t>(AscendC::HardEvent::MAX);
constexpr size_t kMaxEventIds = 8;

// Flags of one pair of pipes; bit i is id i.
struct EventState {
  uint8_t allocated = 0;
  uint8_t set = 0;
  std::array<Site, kMaxEventIds> setAt;
};

// The vector unit's and the copy engine's registers.
struct Registers {
  uint64_t maskLow = ~0ull;
  uint64_t maskHigh = ~0ull;
  bool counterMode = false;
  uint64_t cmpMaskLow = 0;
  uint64_t cmpMaskHigh = 0;
  uint64_t ctrl = 0;
  uint64_t deqScaleBits = 0; // as half in the low 16 bits
  bool deqScaleSet = false;
  uint64_t accumulator = 0; // raw bits left by ReduceSum (GetAccVal)
  uint64_t extreme = 0;     // value and index left by WholeReduceMax/Min
  uint64_t keptCount = 0;   // left by GatherMask
  uint64_t merged = 0;      // pairs of each list taken by MrgSort, 16 bits each
  uint64_t padValue = 0;    // raw bits of DataCopyPad's pad register
  bool padValueSet = false; // by SetPadValue or isPad
  AtomicKind atomic = AtomicKind::None;
  DType atomicType = DType::None;
};

// A selection with the registers applied: what really takes part.
struct Lanes : LaneMask {
  bool counted = true; // `total` elements in order, else mask x repeat
  uint64_t total = 0;
  uint32_t repeat = 0; // counted: ceil(total / lanes of a repeat)
  bool empty() const { return repeat == 0 || (!counted && none()); }
  // The lanes of one repeat; counted, the last one has fewer.
  LaneMask ofRepeat(uint32_t index, uint32_t perRepeat) const {
    if (!counted)
      return *this;
    const uint64_t left = total - uint64_t{index} * perRepeat;
    return first(std::min<uint64_t>(left, perRepeat));
  }
  // Elements that take part.
  uint64_t elements() const {
    return counted ? total : uint64_t{repeat} * count();
  }
};

class Core {
public:
  Core();
  ~Core();
  Core(const Core &) = delete;
  Core &operator=(const Core &) = delete;

  // The core that the calling fibre is; reports and ends the program when
  // there is none (an AscendC call outside a kernel).
  static Core &current();
  static Core *currentOrNull();

  // The way in for every exported instruction: brings memory up to date and
  // remembers what is being done for reports, at the cost of a compare and two
  // stores.
  static Core &enter(const char *call, Site site) {
    Core &core = current();
    core.settle();
    core.call = call;
    core.site = site;
    return core;
  }
  // The same for calls that look at no memory before they have settled, or at
  // none at all.
  static Core &enterDeferring(const char *call, Site site) {
    Core &core = current();
    core.call = call;
    core.site = site;
    return core;
  }

  // --- Deferred execution ---------------------------------------------------
  // Executes what has been deferred.
  void settle() {
    if (LOSSGRAD_UNLIKELY(deferred))
      runDeferred();
  }
  std::unique_ptr<Deferral> deferral;
  bool deferred = false;    // is there anything to settle?
  uint32_t stripLength = 0; // elements; 0: instructions execute at once

  // --- Errors -------------------------------------------------------------
  // Records "kernel, block, call, file:line: message" and ends the block.
  [[noreturn]] void fail(const char *format, ...)
      __attribute__((format(printf, 2, 3)));
  // The same without ending the block, for destructors.
  void failLater(const char *format, ...) __attribute__((format(printf, 2, 3)));
  // Something that the device does silently; once per call site and launch.
  void warn(const char *format, ...) __attribute__((format(printf, 2, 3)));

  // --- Checks that cost a compare -----------------------------------------
  void require(targets::Api api) {
    if (LOSSGRAD_UNLIKELY(!family->has(api)))
      failUnsupported(DType::None);
  }
  // For the mask and repeat forms, or for the count form.
  void require(targets::Api api, DType type, bool countForm = false);
  // [addr, addr + bytes) must lie in UB.
  void requireLocal(const void *addr, uint64_t bytes, const char *operand) {
    if (LOSSGRAD_UNLIKELY(!ub.holds(addr, bytes)))
      failOutside(addr, bytes, operand);
  }
  void requireAligned(const void *addr, uint32_t bytes, const char *operand) {
    if (LOSSGRAD_UNLIKELY(reinterpret_cast<uintptr_t>(addr) & (bytes - 1)))
      failUnaligned(addr, bytes, operand);
  }
  // Applies mode and mask register to a selection, and leaves behind in the
  // registers what the device leaves behind.
  Lanes resolve(const Selection &select, uint32_t lanesPerRepeat);

  // UB byte address of a host pointer into UB, for messages.
  uint64_t localOffset(const void *addr) const {
    return static_cast<const uint8_t *>(addr) - ub.begin();
  }
  // Which arena holds a position, L1, L0A, L0B, L0C or UB: those that have none
  // of their own are in UB. GetPhyType is what the API tells kernels instead.
  static AscendC::Hardware memoryOf(AscendC::TPosition position);
  Arena &arenaOf(AscendC::TPosition position);

  // --- Announcing ----------------------------------------------------------
  Observer *observer = nullptr; // null in fast mode
  // False in a timing-only run: copies from and to global memory are announced
  // but move nothing, so that memory need not exist.
  bool movesData = true;

  // --- State ---------------------------------------------------------------
  const targets::Soc *soc = nullptr;
  const targets::Family *family = nullptr;
  std::array<int32_t, targets::numOpen> open{}; // open behaviours, as switched
  bool isOpen(targets::Open behaviour) const {
    return open[static_cast<size_t>(behaviour)] != 0;
  }

  Launch *launch = nullptr;
  Task *task = nullptr;  // what the scheduler knows of this core
  uint32_t block = 0;    // index of the block in the launch
  uint32_t subBlock = 0; // vector core within its block
  CoreType type = CoreType::Vector;
  // Number of this core among those of its kind: GetBlockIdx.
  uint32_t blockIdx = 0;

  Registers regs;
  std::array<EventState, kHardEvents> events;
  std::array<Buffer, 64> buffers; // in order of InitBuffer
  uint32_t bufferCount = 0;
  void *pipe = nullptr; // the live AscendC::TPipe
  // What every byte of the reserved top of UB is while nobody but the library
  // has written there.
  static constexpr uint8_t kNothingThere = 0xa5;
  Arena ub, l1, l0a, l0b, l0c, bias;
  // Bump pointers of TPipe, per memory.
  std::array<uint32_t, static_cast<size_t>(AscendC::Hardware::MAX)> used{};

  // Loads of the same global memory by the same call, one after the other, into
  // one buffer or two by turns, each of which the scalar unit looks into: who
  // waits has to. A table that is asked for one row again and again has another
  // place for each answer, and a row that is combined with many is not looked
  // into.
  struct Polling {
    const void *address = nullptr;
    Site site;
    uint32_t times = 0;
    const void *into[2] = {};
    uint64_t bytes = 0;
    bool looked = false;

    void look(const void *at) {
      for (const void *each : into)
        looked |= each && at >= each &&
                  at < static_cast<const uint8_t *>(each) + bytes;
    }
  } polling;

  const char *call = "kernel entry";
  Site site;

  // State of a fresh block on this product; keeps the memories mapped.
  void reset(Launch &owner, uint32_t block, uint32_t subBlock, CoreType type);
  // Registers that a new TPipe resets.
  void resetRegisters();
  // Sees to it that nothing is left open when a block ends normally.
  void checkEnd();
  // "kernel 'name', block 3 (vector core 6)".
  std::string describe() const;

private:
  void runDeferred();
  void failIfEnqueued(AscendC::HardEvent event, uint32_t id);
  [[noreturn]] void failUnsupported(DType type);
  [[noreturn]] void failOutside(const void *addr, uint64_t bytes,
                                const char *operand);
  [[noreturn]] void failUnaligned(const void *addr, uint32_t bytes,
                                  const char *operand);
};

// "VECIN", "VECOUT", ...
const char *nameOf(AscendC::TPosition position);

// The target tables' name of an element type.
targets::Dtype targetType(DType type);

} // namespace lossgrad::sim
