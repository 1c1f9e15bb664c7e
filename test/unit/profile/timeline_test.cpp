// Timelines worked out by hand. The numbers follow the model's rules: an
// instruction occupies its pipe for `occ`, its result is visible `lat` later; a
// vector pipe that starts from empty pays the head; a wait resumes 20 cycles
// after the flag; the scalar unit takes 5 cycles to issue an instruction and 1
// for a flag.
#include "Traces.h"

#include <gtest/gtest.h>

using namespace lossgrad::sim::profile;

namespace {

constexpr uint64_t kGlobal = uint64_t(1) << 40;

SimulationResult run(std::vector<Trace> traces,
                     const char *soc = "Ascend910B1") {
  SimulationOptions options;
  options.spread = false;
  options.maxSpans = 1000;
  return simulate(Machine::of(chip(soc)), traces, options);
}

const Span *find(const SimulationResult &result, Pipe pipe, size_t number) {
  for (const Span &span : result.spans)
    if (span.pipe == pipe && number-- == 0)
      return &span;
  return nullptr;
}

// Adds of 32 repeats of float: occupation 32, head 10, latency 24 - 10.
VectorTime adds(const TraceBuilder &builder, uint32_t repeats = 32) {
  VectorCall call;
  call.call = "Adds";
  call.elements = repeats * 64;
  call.repeats = repeats;
  return vectorTime(builder.model, call, {});
}

TEST(Timeline, IndependentVectorInstructionsFollowAtOnce) {
  TraceBuilder builder(chip(), 1, 0);
  const uint32_t place = builder.place("Adds", "k.cpp", 1, Pipe::V);
  builder.vector(place, adds(builder), false, 32, 2048);
  builder.vector(place, adds(builder), false, 32, 2048);
  const SimulationResult result = run({builder.trace});
  // Issued at 5 and 10; head 10 and 32 cycles, then 32 more, visible 14 later.
  EXPECT_DOUBLE_EQ(find(result, Pipe::V, 0)->begin, 5);
  EXPECT_DOUBLE_EQ(find(result, Pipe::V, 0)->end, 47);
  EXPECT_DOUBLE_EQ(find(result, Pipe::V, 1)->begin, 47);
  EXPECT_DOUBLE_EQ(find(result, Pipe::V, 1)->end, 79);
  EXPECT_DOUBLE_EQ(result.cycles, 93);
}

TEST(Timeline, ADependentPairPaysTheDrainWithOrWithoutABarrier) {
  auto pair = [](bool written) {
    TraceBuilder builder(chip(), 1, 0);
    const uint32_t place = builder.place("Adds", "k.cpp", 1, Pipe::V);
    builder.vector(place, adds(builder), false, 32, 2048);
    if (written)
      builder.barrier(Pipe::V);
    builder.vector(place, adds(builder), !written, 32, 2048);
    return run({builder.trace}).cycles;
  };
  // 47, visible at 61, head 10 and 32 again, visible 14 later.
  EXPECT_DOUBLE_EQ(pair(false), 117);
  EXPECT_DOUBLE_EQ(pair(true), 117);
}

TEST(Timeline, ShortInstructionsTakeTheIssueInterval) {
  TraceBuilder builder(chip(), 1, 0);
  const uint32_t place = builder.place("Adds", "k.cpp", 1, Pipe::V);
  for (int i = 0; i < 100; ++i)
    builder.vector(place, adds(builder, 1), false, 1, 64);
  // A cold one takes 13 cycles, the next ones 3 each. They come every 5 cycles,
  // so the pipe runs empty before each sixth: 16 groups of 13 + 5 x 3 and four
  // more.
  EXPECT_DOUBLE_EQ(run({builder.trace}).busy[1], 16 * 28 + 13 + 3 * 3);
}

// 8 KiB: 27 to issue, 8192 / 56 to move, 190 until visible; 900 once.
TEST(Timeline, ALoadThenAVectorInstruction) {
  TraceBuilder builder(chip(), 1, 0);
  const uint32_t load = builder.place("DataCopy", "k.cpp", 1, Pipe::MTE2);
  const uint32_t add = builder.place("Adds", "k.cpp", 2, Pipe::V);
  builder.load(load, {kGlobal, 8192, 1, 0}, false);
  builder.set(Pipe::MTE2, 0);
  builder.wait(Pipe::V, 0);
  builder.vector(add, adds(builder), false, 32, 2048);
  const SimulationResult result = run({builder.trace});
  const double moved = 5 + 900 + 27 + 8192 / 56.0;
  EXPECT_NEAR(find(result, Pipe::MTE2, 0)->begin, 5, 1e-6);
  EXPECT_NEAR(find(result, Pipe::MTE2, 0)->end, moved, 1e-6);
  EXPECT_NEAR(find(result, Pipe::V, 0)->begin, moved + 190 + 20, 1e-6);
  EXPECT_NEAR(result.cycles, moved + 190 + 20 + 10 + 32 + 14, 1e-6);
}

// The second read of the same bytes hits L2: 110 instead of 56 bytes a cycle.
TEST(Timeline, AReReadHitsL2UnlessItBypasses) {
  auto second = [](bool bypass) {
    TraceBuilder builder(chip(), 1, 0);
    const uint32_t load = builder.place("DataCopy", "k.cpp", 1, Pipe::MTE2);
    builder.load(load, {kGlobal, 65536, 1, 0}, bypass);
    builder.load(load, {kGlobal, 65536, 1, 0}, bypass);
    const SimulationResult result = run({builder.trace});
    EXPECT_EQ(result.l2HitBytes, bypass ? 0u : 65536u);
    const Span *span = find(result, Pipe::MTE2, 1);
    return span->end - span->begin;
  };
  EXPECT_NEAR(second(false), 27 + 65536 / 110.0, 1e-6);
  EXPECT_NEAR(second(true), 27 + 65536 / 56.0, 1e-6);
}

// 48 cores want 56 bytes a cycle each; memory has 0.83 x 1.8e12 / 1.85e9.
TEST(Timeline, MemoryIsSharedFairly) {
  std::vector<Trace> traces;
  for (uint32_t core = 0; core < 48; ++core) {
    TraceBuilder builder(chip(), 48, core);
    const uint32_t load = builder.place("DataCopy", "k.cpp", 1, Pipe::MTE2);
    builder.load(load, {kGlobal + core * 65536, 65536, 1, 0}, false);
    traces.push_back(builder.trace);
  }
  const SimulationResult result = run(traces);
  const double share = 0.83 * 1.8e12 / 1.85e9 / 48;
  EXPECT_NEAR(result.cycles, 5 + 900 + 27 + 65536 / share + 190, 1e-3);
}

TEST(Timeline, AMeetingWaitsForTheSlowest) {
  std::vector<Trace> traces;
  for (uint32_t core = 0; core < 2; ++core) {
    TraceBuilder builder(chip(), 2, core);
    const uint32_t place = builder.place("loop", "k.cpp", 1, Pipe::S);
    builder.scalar(place, core ? 1000 : 100);
    builder.syncAll(false);
    builder.scalar(place, 10);
    traces.push_back(builder.trace);
  }
  EXPECT_NEAR(run(traces).cycles, 1000 + 0.6e-6 * 1.85e9 + 10, 1e-6);
}

// A scalar read of a vector result waits for it and 20 cycles more.
TEST(Timeline, AScalarReadWaitsForTheVectorUnit) {
  TraceBuilder builder(chip(), 1, 0);
  const uint32_t add = builder.place("Adds", "k.cpp", 1, Pipe::V);
  const uint32_t get = builder.place("GetValue", "k.cpp", 2, Pipe::S);
  builder.vector(add, adds(builder), false, 32, 2048);
  builder.scalar(get, 12, Pipe::V, 1);
  EXPECT_DOUBLE_EQ(run({builder.trace}).cycles, 47 + 14 + 20 + 12);
}

// A pipe takes 32 instructions ahead; the scalar unit waits for room.
TEST(Timeline, AFullQueueHoldsTheScalarUnit) {
  TraceBuilder builder(chip(), 1, 0);
  const uint32_t add = builder.place("Adds", "k.cpp", 1, Pipe::V);
  const uint32_t loop = builder.place("loop", "k.cpp", 2, Pipe::S);
  for (int i = 0; i < 40; ++i)
    builder.vector(add, adds(builder, 100), false, 100, 6400);
  builder.scalar(loop, 1);
  const SimulationResult result = run({builder.trace});
  // The 40th is issued when the 8th has begun: 5 + 10 + 7 x 100, then 5 more.
  EXPECT_NEAR(find(result, Pipe::S, 0)->begin, 715 + 100 + 5, 101);
  EXPECT_DOUBLE_EQ(result.cycles, 5 + 10 + 4000 + 14);
}

// 49 blocks on 48 cores take twice as long.
TEST(Timeline, ASecondWaveDoublesTheTime) {
  auto time = [](uint32_t blocks) {
    std::vector<Trace> traces;
    for (uint32_t block = 0; block < blocks; ++block) {
      TraceBuilder builder(chip(), blocks, block);
      builder.scalar(builder.place("loop", "k.cpp", 1, Pipe::S), 10000);
      traces.push_back(builder.trace);
    }
    return run(traces).cycles;
  };
  EXPECT_DOUBLE_EQ(time(48), 10000);
  EXPECT_DOUBLE_EQ(time(49), 20000);
}

// Three tiles of 16 KiB through one buffer: the way back to the load (20), the
// load (27 + 16384 / 56), until V sees it (190 + 20), head and 64 repeats,
// until the flag back is visible (14). The first load also takes 5 + 900.
TEST(Timeline, OneBufferIsASumOverTiles) {
  auto kernel = [](uint32_t buffers) {
    TraceBuilder builder(chip(), 1, 0);
    const uint32_t load = builder.place("DataCopy", "k.cpp", 1, Pipe::MTE2);
    const uint32_t add = builder.place("Adds", "k.cpp", 2, Pipe::V);
    for (uint32_t tile = 0; tile < 3; ++tile) {
      const uint32_t id = tile % buffers;
      if (tile >= buffers)
        builder.wait(Pipe::MTE2, 8 + id);
      builder.load(load, {kGlobal + tile * 16384, 16384, 1, 0}, false);
      builder.set(Pipe::MTE2, id);
      builder.wait(Pipe::V, id);
      builder.vector(add, adds(builder, 64), false, 64, 4096);
      builder.set(Pipe::V, 8 + id);
    }
    return run({builder.trace});
  };
  const double moves = 27 + 16384 / 56.0, use = 190 + 20 + 10 + 64 + 14;
  EXPECT_NEAR(kernel(1).cycles, 905 + moves + use + 2 * (20 + moves + use),
              1e-6);
  // With two buffers the second load follows the first at once, and the third
  // finds its buffer free (905 + moves + use + 20 is less than 905 + 2 moves).
  const SimulationResult two = kernel(2);
  EXPECT_NEAR(find(two, Pipe::MTE2, 1)->begin, 905 + moves, 1e-6);
  EXPECT_NEAR(find(two, Pipe::MTE2, 2)->begin, 905 + 2 * moves, 1e-6);
  EXPECT_NEAR(two.cycles, 905 + 3 * moves + use, 1e-6);
}

// A chain of dependent calls is vector-bound: each pays head and latency, and
// sources in one bank group take two cycles per repeat instead of one.
TEST(Timeline, AChainOfDependentCallsWithBankConflicts) {
  auto chain = [](double readCycles) {
    TraceBuilder builder(chip(), 1, 0);
    VectorCall call;
    call.call = "Add";
    call.elements = 4096;
    call.repeats = 64;
    call.tensorSources = 2;
    BankCost banks;
    banks.read = readCycles;
    const VectorTime time = vectorTime(builder.model, call, banks);
    EXPECT_DOUBLE_EQ(time.conflict, (readCycles - 1) * 64);
    const uint32_t add = builder.place("Add", "k.cpp", 1, Pipe::V);
    for (int i = 0; i < 4; ++i)
      builder.vector(add, time, i > 0, 64, 4096);
    return run({builder.trace}).cycles - 5 - 4 * (10 + time.latency);
  };
  EXPECT_NEAR(chain(1), 4 * 64, 1e-6);
  EXPECT_NEAR(chain(2), 4 * 128, 1e-6);
}

// Two cores with 32 and 8 KiB to load meet, then one stores 8 KiB: 12 to issue,
// 72 bytes a cycle, 120 until visible; 380 once.
TEST(Timeline, UnevenCoresAroundAMeeting) {
  std::vector<Trace> traces;
  for (uint32_t core = 0; core < 2; ++core) {
    TraceBuilder builder(chip(), 2, core);
    const uint32_t load = builder.place("DataCopy", "k.cpp", 1, Pipe::MTE2);
    const uint32_t store = builder.place("DataCopy", "k.cpp", 2, Pipe::MTE3);
    builder.load(load, {kGlobal + core * 65536, core ? 8192u : 32768u, 1, 0},
                 false);
    builder.syncAll(false);
    if (core == 1)
      builder.store(store, {kGlobal + (1 << 20), 8192, 1, 0}, false);
    traces.push_back(builder.trace);
  }
  const SimulationResult result = run(traces);
  const double met = 5 + 900 + 27 + 32768 / 56.0 + 190 + 0.6e-6 * 1.85e9;
  EXPECT_NEAR(result.cores[0].end, met, 1e-6);
  EXPECT_NEAR(result.cores[1].end, met + 5 + 380 + 12 + 8192 / 72.0 + 120,
              1e-6);
  EXPECT_NEAR(result.cycles, result.cores[1].end, 1e-6);
}

// Single buffer: load and vector in turn. Double buffer: the longer of them.
TEST(Timeline, DoubleBufferingHidesTheShorterSide) {
  AddKernel kernel{1 << 22, 8192, 1, 1, false, false, 2};
  const double single = run(addTraces(kernel)).cycles;
  kernel.buffers = 2;
  const double twice = run(addTraces(kernel)).cycles;
  const double tiles = (1 << 22) / 8192.0;
  const double loads = 2 * (27 + 8192 / 56.0);
  EXPECT_NEAR(single / tiles, loads + 190 + 20 + 10 + 32 + 12 + 20, 10);
  EXPECT_NEAR(twice / tiles, loads, 10);
}

} // namespace
