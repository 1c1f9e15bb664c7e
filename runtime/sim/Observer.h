// What a mode sees of a core: every instruction with its footprint before it
// executes, flags, barriers, cross-core meetings and the life of buffers. Fast
// mode has no observer; check and profile modes are observers. An observer
// changes nothing in the core.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/DType.h"
#include "lossgrad/sim/Instruction.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lossgrad::sim {

class Core;
struct Buffer;

// Bytes that an instruction touches: planes x rows runs of rowBytes. The first
// run starts at addr.
struct Region {
  const void *addr = nullptr;
  uint64_t rowBytes = 0;
  uint32_t rows = 1;
  int64_t rowPitch = 0;
  uint32_t planes = 1;
  int64_t planePitch = 0;
};

struct Footprint {
  const char *call = "";
  Site site;
  pipe_t pipe = PIPE_S;
  std::vector<Region> reads, writes;
  // For the cost model.
  DType type = DType::None;
  uint64_t elements = 0;
  uint32_t repeats = 0;
};

enum class BufferEvent : uint8_t { Init, Alloc, EnQue, DeQue, Free };

class Observer {
public:
  virtual ~Observer() = default;
  virtual void blockBegins(Core &) {}
  virtual void blockEnds(Core &) {}
  virtual void instruction(Core &, const Footprint &) {}
  virtual void setFlag(Core &, AscendC::HardEvent, int32_t id, Site) {}
  virtual void waitFlag(Core &, AscendC::HardEvent, int32_t id, Site) {}
  virtual void barrier(Core &, pipe_t, Site) {}
  // Before the core waits and after all others have come.
  virtual void syncAllBegins(Core &, Site) {}
  virtual void syncAllEnds(Core &, Site) {}
  virtual void buffer(Core &, const Buffer &, BufferEvent, Site) {}
};

// Makes one observer per core; null (the default) is fast mode. Set it before
// a launch, not during one.
using ObserverFactory = std::unique_ptr<Observer> (*)(Core &);
LOSSGRAD_API void setObserverFactory(ObserverFactory factory);

} // namespace lossgrad::sim
