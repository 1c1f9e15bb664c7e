// What a mode sees of a core: every instruction with its footprint before it
// executes, flags, barriers, cross-core meetings and the life of buffers. Fast
// mode has no observer; check and profile modes are observers. An observer
// changes nothing in the core.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/DType.h"
#include "lossgrad/sim/Instruction.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lossgrad::sim {

class Core;
class Launch;
struct Buffer;
struct LaunchResult;

// Bytes that an instruction touches: planes x rows runs of rowBytes. The first
// run starts at addr.
struct Region {
  const void *addr = nullptr;
  uint64_t rowBytes = 0;
  uint32_t rows = 1;
  int64_t rowPitch = 0;
  uint32_t planes = 1;
  int64_t planePitch = 0;
  // Number of the operand among the reads, or among the writes. An operand of
  // several regions (a mask with holes) lists them one after the other.
  uint8_t operand = 0;
};

// How undefined bytes travel from what an instruction reads to what it writes.
enum class Flow : uint8_t {
  // Element i of a write comes from element i of every read. Operands have the
  // same number of elements, whatever their size; one with fewer bytes than
  // elements is a bit mask (the result of a Compare).
  Lanes,
  Bits, // bit i from bit i: copies and bitwise logic
  // groupElements elements of every read make an equal share of every write:
  // reductions per repeat or block, and broadcasts (groupElements 1).
  Groups,
  Whole, // every byte written depends on every byte read
  Moves, // as Footprint::moves lists them
};

// Bytes that arrive unchanged from elsewhere (Gather, Select, Transpose).
struct Move {
  const void *to = nullptr;
  const void *from = nullptr; // null: a value of the call itself, a scalar
  uint32_t bytes = 0;
  // What has decided on it: an offset, or bits of a mask. Null: nothing in UB.
  const void *by = nullptr;
  uint32_t byBytes = 0;
  uint8_t byBits = 0xff;
};

// What decides on moves. An undefined offset may lead anywhere, an undefined
// bit of a mask that says what to keep moves all that follows, an undefined bit
// of a selection leaves open what its own lane holds.
enum class Decider : uint8_t { None, Index, Keeping, Selection };

// What surrounds each row that DataCopyPad loads into UB.
struct Padding {
  uint32_t leftBytes = 0;
  bool undefined = false; // asked for, but no value was ever set
};

struct Footprint {
  const char *call = "";
  Site site;
  pipe_t pipe = PIPE_S;
  std::vector<Region> reads, writes;
  Flow flow = Flow::Lanes;
  uint32_t groupElements = 0; // for Flow::Groups
  // For Flow::Moves. Called before the instruction executes, and only when
  // something that it reads is undefined.
  std::function<std::vector<Move>()> moves;
  Decider decider = Decider::None;
  // What decides where everything goes (the keys of a sort): undefined, it
  // leaves open every move.
  std::vector<Region> keys;
  const void *table = nullptr; // what an index is relative to (Gather)
  Padding padding;             // DataCopyPad to UB
  bool bypassL2 = false;       // a copy of a tensor with CACHE_MODE_DISABLE
  bool usesScratch = false;    // takes the reserved top of UB while it runs
  // A library call that synchronises inside: what it started has ended and the
  // scalar unit knows it when the call returns (ReduceMax, InitOutput).
  bool selfContained = false;
  // For the cost model.
  DType type = DType::None; // of the result
  DType from = DType::None; // of the source where it differs (Cast)
  uint64_t elements = 0;
  uint32_t repeats = 0;
};

// What happens to registers that outlive the call that writes them.
enum class RegisterEvent : uint8_t {
  MaskSet,     // SetVectorMask, ResetMask
  MaskTaken,   // a call sets its own mask
  MaskReset,   // a count form is about to reset mask and counter mode
  MaskUsed,    // a call takes the mask as it is (isSetMask = false)
  CounterMode, // SetMaskCount, SetMaskNorm
  Atomic,      // SetAtomicAdd, ..., SetAtomicNone
};

enum class BufferEvent : uint8_t { Init, Alloc, EnQue, DeQue, Free };

class Observer {
public:
  virtual ~Observer() = default;
  virtual void blockBegins(Core &) {}
  virtual void blockEnds(Core &) {}
  virtual void instruction(Core &, const Footprint &) {}
  virtual void registers(Core &, RegisterEvent) {}
  virtual void setFlag(Core &, AscendC::HardEvent, int32_t id, Site) {}
  virtual void waitFlag(Core &, AscendC::HardEvent, int32_t id, Site) {}
  virtual void barrier(Core &, pipe_t, Site) {}
  // Where cores that are about to meet without hardware count their meetings.
  virtual void meetingSlots(Core &, const void *, uint64_t /*bytes*/) {}
  // Before the core waits and after all others have come.
  virtual void syncAllBegins(Core &, Site, bool software) {}
  virtual void syncAllEnds(Core &, Site) {}
  // Another core's flag has arrived (CrossCoreWaitFlag, IBWait, ...).
  virtual void crossCoreWaited(Core &, Site) {}
  // Cached scalar stores reach global memory: the line at addr, or everything
  // when addr is null (DataCacheCleanAndInvalid).
  virtual void cacheFlushed(Core &, const void *addr, Site) {}
  virtual void buffer(Core &, const Buffer &, BufferEvent, Site) {}
  // The core has refused something (Core::fail, the block ends) or warns of
  // what the device does silently (Core::warn). May come from another thread
  // while the core waits.
  virtual void refused(Core &, const std::string &, bool error) {}
};

// Makes one observer per core; null (the default) is fast mode. Set it before
// a launch, not during one.
using ObserverFactory = std::unique_ptr<Observer> (*)(Core &);
LOSSGRAD_API void setObserverFactory(ObserverFactory factory);

// What a mode does around a launch, on the thread that launches. The second
// one may add to the result.
struct LaunchHooks {
  void (*begins)(Launch &) = nullptr;
  void (*ends)(Launch &, LaunchResult &) = nullptr;
};
LOSSGRAD_API void setLaunchHooks(LaunchHooks hooks);

} // namespace lossgrad::sim
