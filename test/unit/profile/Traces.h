// Hand-written traces for tests: an elementwise kernel of two inputs in the
// shape that queues give it.
#pragma once

#include "sim/profile/Simulator.h"
#include "sim/profile/TraceBuilder.h"

namespace lossgrad::sim::profile {

struct AddKernel {
  uint64_t bytesPerTensor = 0;
  uint64_t tileBytes = 0;
  uint32_t buffers = 1;
  uint32_t cores = 1;
  bool bypassL2 = false;
  bool bankConflict = true; // both sources in the same bank groups
  uint32_t elementBytes = 2;
};

inline const targets::Soc &chip(const char *name = "Ascend910B1") {
  return *targets::findSoc(name);
}

// Flags of the queues of x, y and z; one id per buffer.
enum : uint32_t { kFull = 0, kEmpty = 32, kOutFull = 64, kOutEmpty = 96 };

inline Trace addTrace(const AddKernel &kernel, uint32_t core,
                      const char *soc = "Ascend910B1") {
  TraceBuilder builder(chip(soc), kernel.cores, core);
  const uint32_t load = builder.place("DataCopy", "add.cpp", 10, Pipe::MTE2);
  const uint32_t add = builder.place("Add", "add.cpp", 20, Pipe::V);
  const uint32_t store = builder.place("DataCopy", "add.cpp", 30, Pipe::MTE3);
  const uint32_t scalar = builder.place("loop", "add.cpp", 5, Pipe::S);
  const uint64_t tiles = kernel.bytesPerTensor / kernel.tileBytes;
  const uint64_t base = uint64_t(1) << 40;
  VectorCall call;
  call.call = "Add";
  call.elementBytes = kernel.elementBytes;
  call.elements = kernel.tileBytes / kernel.elementBytes;
  call.repeats = static_cast<uint32_t>((kernel.tileBytes + 255) / 256);
  call.tensorSources = 2;
  BankCost banks;
  banks.read = kernel.bankConflict ? 2 : 1;
  const VectorTime time = vectorTime(builder.model, call, banks);
  uint64_t mine = 0;
  for (uint64_t tile = core; tile < tiles; tile += kernel.cores, ++mine) {
    const uint32_t id = static_cast<uint32_t>(mine % kernel.buffers);
    const bool reused = mine >= kernel.buffers;
    builder.scalar(scalar, 50);
    for (uint32_t tensor = 0; tensor < 2; ++tensor) {
      if (reused)
        builder.wait(Pipe::MTE2, kEmpty + tensor * 8 + id);
      builder.load(load,
                   {base * (tensor + 1) + tile * kernel.tileBytes,
                    kernel.tileBytes, 1, 0},
                   kernel.bypassL2);
      builder.set(Pipe::MTE2, kFull + tensor * 8 + id);
    }
    builder.wait(Pipe::V, kFull + id);
    builder.wait(Pipe::V, kFull + 8 + id);
    if (reused)
      builder.wait(Pipe::V, kOutEmpty + id);
    builder.vector(add, time, false, call.repeats, call.elements);
    builder.set(Pipe::V, kOutFull + id);
    builder.set(Pipe::V, kEmpty + id);
    builder.set(Pipe::V, kEmpty + 8 + id);
    builder.wait(Pipe::MTE3, kOutFull + id);
    builder.store(store,
                  {base * 3 + tile * kernel.tileBytes, kernel.tileBytes, 1, 0},
                  false);
    builder.set(Pipe::MTE3, kOutEmpty + id);
  }
  return std::move(builder.trace);
}

inline std::vector<Trace> addTraces(const AddKernel &kernel,
                                    const char *soc = "Ascend910B1") {
  std::vector<Trace> traces;
  for (uint32_t core = 0; core < kernel.cores; ++core)
    traces.push_back(addTrace(kernel, core, soc));
  return traces;
}

} // namespace lossgrad::sim::profile
