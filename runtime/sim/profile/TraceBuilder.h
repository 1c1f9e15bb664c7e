// Fills a trace, event by event, in the terms of the cost model. The recorder
// of a kernel run uses it, and so do hand-written traces in tests.
#pragma once

#include "sim/profile/Cost.h"
#include "sim/profile/Trace.h"

#include <map>

namespace lossgrad::sim::profile {

class TraceBuilder {
public:
  TraceBuilder(const targets::Soc &soc, uint32_t cores, uint32_t block);

  // Index of a place in the source; equal places have one.
  uint32_t place(const char *call, const char *file, uint32_t line, Pipe pipe);

  void vector(uint32_t place, const VectorTime &time, bool drains,
              uint64_t repeats, uint64_t elements);
  void load(uint32_t place, const CopyShape &shape, bool bypassesL2);
  void store(uint32_t place, const CopyShape &shape, bool atomic);
  // Scalar work; `after` is the instruction (from 1) of a pipe whose result it
  // needs, 0 for none.
  void scalar(uint32_t place, double cycles, Pipe pipe = Pipe::S,
              uint32_t after = 0);
  void set(Pipe from, uint32_t flag);
  void wait(Pipe to, uint32_t flag);
  void barrier(Pipe pipe);
  void barrierAll();
  void syncAll(bool software);

  // Instructions given to a pipe so far.
  uint32_t issued(Pipe pipe) const {
    return numbers[static_cast<unsigned>(pipe)];
  }

  const targets::Soc &soc;
  const targets::CostModel &model;
  Trace trace;

private:
  Event &add(EventKind kind, Pipe pipe, uint32_t place);
  Event &addCopy(EventKind kind, Pipe pipe, uint32_t place,
                 const CopyShape &shape, const CopyTime &time);
  uint32_t cores;
  uint32_t numbers[kPipeCount] = {};
  struct Key {
    const char *call;
    const char *file;
    uint32_t line;
    Pipe pipe;
    bool operator<(const Key &o) const;
  };
  std::map<Key, uint32_t> index;
};

} // namespace lossgrad::sim::profile
