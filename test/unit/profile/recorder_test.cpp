// Kernels in profile mode: what the recorder makes of them. Counts and bytes
// are exact; times only follow from them.
#include "kernel_operator.h"
#include "lossgrad/sim/Launch.h"
#include "lossgrad/sim/Modes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

using namespace AscendC;
using namespace lossgrad;
using nlohmann::json;

namespace {

struct Memory {
  explicit Memory(size_t count)
      : data(static_cast<float *>(sim::allocateGlobal(count * 4))),
        count(count) {}
  ~Memory() { sim::freeGlobal(data); }
  GlobalTensor<float> tensor() const {
    GlobalTensor<float> result;
    result.SetGlobalBuffer(data, count);
    return result;
  }
  float *const data;
  const size_t count;
};

json profile(const std::function<void()> &kernel, uint32_t blocks = 1,
             bool timingOnly = false, const char *soc = "Ascend910B1") {
  sim::ProfileOptions options;
  options.directory = "";
  options.print = false;
  options.timingOnly = timingOnly;
  sim::useProfileMode(options);
  sim::LaunchConfig config;
  config.kernelName = "k";
  config.blockCount = blocks;
  config.soc = soc;
  const sim::LaunchResult result = sim::launch(config, kernel);
  EXPECT_TRUE(result.ok) << result.errors;
  sim::useFastMode();
  const json document = json::parse(sim::takeProfileJson());
  EXPECT_EQ(document["launches"].size(), 1u);
  return document["launches"][0];
}

json row(const json &profile, const std::string &call,
         const std::string &pipe) {
  for (const json &each : profile["kinds"])
    if (each["call"] == call && each["pipe"] == pipe)
      return each;
  return json::object();
}

void copyThrough(const GlobalTensor<float> &x, const GlobalTensor<float> &y,
                 uint32_t tiles) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, 4096);
  for (uint32_t i = 0; i < tiles; ++i) {
    auto a = queue.AllocTensor<float>();
    DataCopy(a, x[i * 1024], 1024);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    DataCopy(y[i * 1024], a, 1024);
    queue.FreeTensor(a);
  }
}

// Bursts that are shorter than a line of L2 bring in themselves, not the rest
// of the line: columns read one after the other cost all of their bytes.
TEST(Recorder, ShortBurstsAreReadFromMemory) {
  constexpr uint32_t rows = 64, columns = 4, blocks = 4; // of 128 bytes
  constexpr uint32_t bytes = rows * columns * blocks * 32;
  Memory x(bytes / 4);
  const json p = profile([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, bytes / columns);
    auto tile = buffer.Get<float>();
    for (uint32_t column = 0; column < columns; ++column)
      DataCopy(tile, x.tensor()[column * blocks * 8],
               DataCopyParams{rows, blocks, (columns - 1) * blocks, 0});
  });
  EXPECT_EQ(p["bytes"]["load"], bytes);
  EXPECT_EQ(p["bytes"]["distinctRead"], bytes);
  EXPECT_EQ(p["bytes"]["l2Hit"], 0);
}

TEST(Recorder, CountsBytesAndInstructionsExactly) {
  Memory x(8192), y(8192);
  const json p = profile([&] { copyThrough(x.tensor(), y.tensor(), 8); });
  EXPECT_EQ(p["bytes"]["load"], 8 * 4096);
  EXPECT_EQ(p["bytes"]["store"], 8 * 4096);
  EXPECT_EQ(p["bytes"]["distinctRead"], 8 * 4096);
  EXPECT_EQ(row(p, "DataCopy", "MTE2")["times"], 8);
  EXPECT_EQ(row(p, "DataCopy", "MTE3")["times"], 8);
  EXPECT_EQ(row(p, "AllocTensor", "S")["times"], 8);
  EXPECT_EQ(p["ub"]["highWater"], 8192);
  EXPECT_EQ(p["lines"][0]["file"], __FILE__);
}

// Without a pipe there are no buffers to count.
TEST(Recorder, UbOfAKernelThatPlacesItsTensorsItself) {
  const json p = profile([&] {
    LocalMemAllocator<Hardware::UB> memory;
    auto a = memory.Alloc<TPosition::VECCALC, float, 512>();
    auto b = memory.Alloc<TPosition::VECCALC, float, 512>();
    Duplicate(a, 1.0f, 512);
    Adds(b, a, 1.0f, 512);
  });
  EXPECT_EQ(p["ub"]["highWater"], 4096);
}

TEST(Recorder, ReReadsHitL2AndBypassingReadsDoNot) {
  Memory x(8192), y(8192);
  const json twice = profile([&] {
    copyThrough(x.tensor(), y.tensor(), 8);
    copyThrough(x.tensor(), y.tensor(), 8);
  });
  EXPECT_EQ(twice["bytes"]["l2Hit"], 8 * 4096);
  const json bypass = profile([&] {
    auto hinted = x.tensor();
    hinted.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    copyThrough(hinted, y.tensor(), 8);
    copyThrough(hinted, y.tensor(), 8);
  });
  EXPECT_EQ(bypass["bytes"]["l2Hit"], 0);
}

TEST(Recorder, DependentVectorCallsPayTheDrainOnce) {
  auto kernel = [](bool barrier) {
    return [barrier] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      auto a = buffer.Get<float>();
      for (int i = 0; i < 10; ++i) {
        Adds(a, a, 1.0f, 512);
        if (barrier)
          PipeBarrier<PIPE_V>();
      }
    };
  };
  const json implied = profile(kernel(false)), written = profile(kernel(true));
  EXPECT_EQ(implied["impliedBarriers"], 9);
  EXPECT_EQ(written["impliedBarriers"], 0);
  const double a = implied["modelled"]["cycles"];
  const double b = written["modelled"]["cycles"];
  EXPECT_NEAR(a, b, 30); // the last barrier has nothing to wait for
  // Independent calls overlap: 8 cycles each instead of 8 + 10 + 14.
  const json apart = profile([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 65536);
    auto x = buffer.Get<float>();
    for (int i = 0; i < 10; ++i)
      Adds(x[1024 + i * 512], x, 1.0f, 512);
  });
  EXPECT_EQ(apart["impliedBarriers"], 0);
  EXPECT_LT(double(apart["modelled"]["cycles"]), a - 150);
}

// The hardware of 950 orders dependent calls itself.
TEST(Recorder, OrderedProductsImplyNoBarrier) {
  const json p = profile(
      [] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 4096);
        auto a = buffer.Get<float>();
        Adds(a, a, 1.0f, 512);
        Adds(a, a, 1.0f, 512);
      },
      1, false, "Ascend950PR_9589");
  EXPECT_EQ(p["impliedBarriers"], 0);
}

TEST(Recorder, BankConflictsComeFromTheBuffers) {
  auto kernel = [](uint32_t gap) {
    return [gap] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 131072);
      auto all = buffer.Get<float>();
      Add(all[16384], all, all[4096 + gap / 4], 2048); // 32 repeats
    };
  };
  const json conflict = profile(kernel(0)), none = profile(kernel(256));
  EXPECT_EQ(row(conflict, "Add", "V")["conflictCycles"], 32);
  EXPECT_EQ(row(none, "Add", "V")["conflictCycles"], 0);
  EXPECT_DOUBLE_EQ(conflict["bankConflictShare"], 0.5);
}

// Bits go on by a block every four repeats, values of rows by one per repeat:
// blocks that begin in one place are in different banks from the second repeat
// on, until the values have gone once around.
TEST(Recorder, BitsOfSeveralRepeatsShareABlock) {
  const json with = profile([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32768);
    LocalTensor<float> values = buffer.Get<float>();
    LocalTensor<uint8_t> bits = values[1024].ReinterpretCast<uint8_t>();
    Duplicate(values, 1.0f, 2048);
    PipeBarrier<PIPE_V>();
    Select(values[4096], bits, values, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE,
           uint64_t{64}, 16, {1, 0, 1, 8, 1, 8});
  });
  EXPECT_EQ(row(with, "Select", "V")["conflictCycles"], 0);
}

TEST(Recorder, ScalarAccessesAreCountedAndCharged) {
  Memory x(1024);
  const json p = profile([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto a = buffer.Get<float>();
    a.SetValue(0, 1.0f);
    a.GetValue(0);
    a.GetValue(1);
    x.tensor().GetValue(0);
    x.tensor().GetValue(1); // the same line
  });
  EXPECT_EQ(p["scalar"]["ubReads"], 2);
  EXPECT_EQ(p["scalar"]["ubWrites"], 1);
  EXPECT_EQ(p["scalar"]["gmReads"], 2);
  // InitBuffer 360, 10 + 2 x 12, a miss and a hit.
  EXPECT_NEAR(p["modelled"]["cycles"], 360 + 10 + 24 + 300 + 10 + 20, 1);
}

TEST(Recorder, CoresRunTogetherAndMeet) {
  Memory x(48 * 1024), y(48 * 1024);
  const json p = profile(
      [&] {
        const uint64_t at = GetBlockIdx() * 1024;
        copyThrough(x.tensor()[at], y.tensor()[at], 1);
        SyncAll();
        copyThrough(x.tensor()[at], y.tensor()[at], 1);
      },
      48);
  EXPECT_EQ(p["cores"], 48);
  EXPECT_EQ(p["bytes"]["load"], 2 * 48 * 4096);
  EXPECT_GT(p["modelled"]["us"], 0.6); // the meeting alone
  EXPECT_NEAR(p["loadBalance"], 1.0, 0.3);
}

TEST(Recorder, ATimingOnlyRunMovesNoDataAndTakesTheSameTime) {
  Memory x(8192), y(8192);
  x.data[0] = 7;
  auto kernel = [&] { copyThrough(x.tensor(), y.tensor(), 8); };
  const json timing = profile(kernel, 1, true);
  EXPECT_EQ(y.data[0], 0);
  EXPECT_TRUE(timing["timingOnly"]);
  const json full = profile(kernel);
  EXPECT_EQ(y.data[0], 7);
  EXPECT_EQ(full["modelled"]["cycles"], timing["modelled"]["cycles"]);
  EXPECT_FALSE(timing["readsMissingData"]);
}

// What a kernel decides by data, it decides by zeros when there is none.
TEST(Recorder, ATimingOnlyRunSaysThatDataIsMissing) {
  Memory x(8192), y(8192);
  x.data[0] = 8;
  auto kernel = [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    auto tile = buffer.Get<float>();
    DataCopy(tile, x.tensor(), 8);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    copyThrough(x.tensor(), y.tensor(),
                static_cast<uint32_t>(tile.GetValue(0)));
  };
  const json timing = profile(kernel, 1, true);
  EXPECT_EQ(timing["bytes"]["store"], 0);
  EXPECT_TRUE(timing["readsMissingData"]);
  const json full = profile(kernel);
  EXPECT_EQ(full["bytes"]["store"], 8 * 4096);
  EXPECT_FALSE(full["readsMissingData"]);
}

// The same run gives the same numbers, whatever the host threads do.
TEST(Recorder, ResultsAreReproducible) {
  Memory x(16 * 8192), y(16 * 8192);
  auto kernel = [&] {
    const uint64_t at = GetBlockIdx() * 8192;
    copyThrough(x.tensor()[at], y.tensor()[at], 8);
  };
  const json first = profile(kernel, 16);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(profile(kernel, 16)["modelled"], first["modelled"]);
}

} // namespace
