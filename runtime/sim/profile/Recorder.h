// The observer of profile mode for one core: turns what the core does into a
// trace. It finds out what the trace needs beyond the calls themselves: vector
// instructions that depend on unfinished ones, scalar reads that wait for a
// pipe, lines of the data cache.
#pragma once

#include "sim/Clocks.h"
#include "sim/Core.h"
#include "sim/profile/TraceBuilder.h"

#include <deque>
#include <unordered_set>

namespace lossgrad::sim::profile {

class Recorder final : public Observer {
public:
  // Where the finished trace goes.
  using Deliver = void (*)(Core &, Trace &&);
  Recorder(Core &core, uint32_t cores, Deliver deliver);
  ~Recorder() override;

  void blockBegins(Core &) override;
  void instruction(Core &, const Footprint &) override;
  void setFlag(Core &, AscendC::HardEvent, int32_t id, Site) override;
  void waitFlag(Core &, AscendC::HardEvent, int32_t id, Site) override;
  void barrier(Core &, pipe_t, Site) override;
  void syncAllBegins(Core &, Site, bool software) override;
  void buffer(Core &, const Buffer &, BufferEvent, Site) override;

private:
  void vector(const Footprint &footprint);
  void copy(const Footprint &footprint, Pipe pipe);
  void scalar(const Footprint &footprint);
  bool globalLineHits(uint64_t line);
  std::vector<OperandBlocks> blocksOf(const std::vector<Region> &regions,
                                      const Footprint &footprint,
                                      uint32_t widest) const;
  // Numbers of the last instructions that wrote a 32-byte block of UB.
  struct Writers {
    uint32_t vector = 0, load = 0;
  };
  template <typename Visit>
  void eachLocalBlock(const std::vector<Region> &regions, Visit &&visit);

  Core &core;
  TraceBuilder builder;
  Deliver deliver;
  std::vector<Writers> writers;
  Clocks clocks; // which vector instructions are known to be over
  bool pipeCreated = false;
  std::unordered_set<uint64_t> lines;
  std::deque<uint64_t> lineOrder;
};

} // namespace lossgrad::sim::profile
