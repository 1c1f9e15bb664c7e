// Cores that wait for each other: meetings of all of them, flags between a cube
// core and its vector cores, and polling.
#include "core_support.h"

using namespace AscendC;
using namespace lossgrad::test;
using lossgrad::sim::LaunchResult;

namespace {

TEST(SyncAll, WorksWithMoreBlocksThanThreads) {
  constexpr int kBlocks = 40;
  std::vector<int> partial(kBlocks), total(kBlocks);
  EXPECT_OK(run(blocks(kBlocks), [&] {
    const int me = static_cast<int>(GetBlockIdx());
    for (int round = 1; round <= 3; ++round) {
      partial[me] = me * round;
      SyncAll();
      int sum = 0;
      for (int value : partial)
        sum += value;
      total[me] = sum;
      SyncAll();
      EXPECT_EQ(sum, kBlocks * (kBlocks - 1) / 2 * round);
    }
  }));
}

TEST(SyncAll, SoftwareForm) {
  constexpr int kBlocks = 12;
  std::vector<int32_t> workspace(kBlocks * 8), partial(kBlocks);
  EXPECT_OK(run(blocks(kBlocks), [&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, kBlocks * 32);
    const int me = static_cast<int>(GetBlockIdx());
    for (int round = 1; round <= 4; ++round) {
      partial[me] = round;
      SyncAll(global(workspace), buffer.Get<int32_t>());
      for (int value : partial)
        EXPECT_EQ(value, round);
      SyncAll(global(workspace), buffer.Get<int32_t>());
    }
  }));
}

TEST(SyncAll, SoftwareFormNeedsZeroedMemory) {
  std::vector<int32_t> workspace(2 * 8);
  workspace[8] = 5;
  const LaunchResult result = run(blocks(2), [&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    SyncAll(global(workspace), buffer.Get<int32_t>());
  });
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.errors.find("gmWorkspace was not zeroed: this core's slot "),
            std::string::npos)
      << result.errors;
}

// Cores that poll, or store the same to one place, race by definition.
#if defined(__SANITIZE_THREAD__)
#define LOSSGRAD_RACES() GTEST_SKIP() << "a race on purpose"
#else
#define LOSSGRAD_RACES() static_cast<void>(0)
#endif

// Memory that nobody has cleared: every core clears the slots of all, those of
// cores that wait already, too.
TEST(SyncAll, SoftwareFormAfterEveryCoreHasClearedAllSlots) {
  LOSSGRAD_RACES();
  constexpr int kBlocks = 12;
  std::vector<int32_t> workspace(kBlocks * 8, 1), partial(kBlocks);
  for (int launch = 0; launch < 20; ++launch)
    EXPECT_OK(run(blocks(kBlocks), [&] {
      TPipe pipe;
      TBuf<> buffer;
      pipe.InitBuffer(buffer, kBlocks * 32);
      const int me = static_cast<int>(GetBlockIdx());
      auto slots = buffer.Get<int32_t>();
      Duplicate(slots, 0, kBlocks * 8);
      PipeBarrier<PIPE_ALL>();
      DataCopy(global(workspace), slots, kBlocks * 8);
      for (int round = 1; round <= 3; ++round) {
        partial[me] = launch * 10 + round;
        SyncAll(global(workspace), slots);
        for (int value : partial)
          EXPECT_EQ(value, launch * 10 + round);
        SyncAll(global(workspace), slots);
      }
    }));
}

// A core that clears its own slot only takes what another left for an arrival.
TEST(SyncAll, SoftwareFormNeedsTheSlotsOfOthersZeroed) {
  std::vector<int32_t> workspace(2 * 8, 3);
  const LaunchResult result = run(blocks(2), [&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64);
    auto slots = buffer.Get<int32_t>();
    if (GetBlockIdx() == 1)
      return; // late for ever
    Duplicate(slots, 0, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global(workspace), slots, 8);
    SyncAll(global(workspace), slots);
  });
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.errors.find("gmWorkspace was not zeroed: this core's slot "
                               "holds 0, another core's 3"),
            std::string::npos)
      << result.errors;
}

TEST(SyncAll, SoftwareFormNeedsRoom) {
  std::vector<int32_t> workspace(2 * 8);
  const LaunchResult result = run(blocks(2), [&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    SyncAll(global(workspace), buffer.Get<int32_t>());
  });
  EXPECT_NE(
      withoutLines(result.errors)
          .find("block 1: SyncAll at core_meetings.cpp:N: ubWorkspace has 32 "
                "bytes, 2 cores need 64\n"),
      std::string::npos)
      << result.errors;
}

TEST(SyncAll, ReportsCoresThatLeft) {
  const LaunchResult result = run(blocks(4), [] {
    if (GetBlockIdx() == 2)
      return;
    SyncAll();
  });
  EXPECT_EQ(
      withoutLines(result.errors),
      "error: kernel 'k', block 0: SyncAll at core_meetings.cpp:N: waits in "
      "vain for SyncAll: 3 of 4 cores wait, 1 have ended (the first is "
      "block 2)\n"
      "error: kernel 'k', block 1: SyncAll at core_meetings.cpp:N: waits in "
      "vain for SyncAll: 3 of 4 cores wait, 1 have ended (the first is "
      "block 2)\n"
      "error: kernel 'k', block 3: SyncAll at core_meetings.cpp:N: waits in "
      "vain for SyncAll: 3 of 4 cores wait, 1 have ended (the first is "
      "block 2)\n");
}

TEST(SyncAll, FailedBlockReleasesTheOthers) {
  const LaunchResult result = run(blocks(4), [] {
    if (GetBlockIdx() == 2)
      WaitFlag<HardEvent::MTE2_V>(0);
    SyncAll();
  });
  EXPECT_EQ(
      withoutLines(result.errors),
      "error: kernel 'k', block 2: WaitFlag at core_meetings.cpp:N: waits in "
      "vain for flag MTE2_V id 0: nothing has set it\n");
}

TEST(SyncAll, WarnsWhenTheDeviceWouldHang) {
  const LaunchResult result = run(blocks(49), [] { SyncAll(); });
  EXPECT_TRUE(result.ok);
  EXPECT_NE(
      result.warnings.find("49 cores synchronise, Ascend910B1 has 48: the "
                           "device would hang"),
      std::string::npos)
      << result.warnings;
}

TEST(SyncAll, HardwareFormNeedsTheProduct) {
  Options options;
  options.soc = "Ascend310P3";
  EXPECT_EQ(errorOf(run(options, [] { SyncAll(); })),
            "SyncAll at core_meetings.cpp:N: not available on Atlas inference "
            "(Ascend310P3)");
}

TEST(CrossCore, FlagsBetweenCubeAndVector) {
  std::vector<int> fromCube(4), atCube(2);
  EXPECT_OK(run(blocks(2, KernelMode::MIX_MODE), [&] {
    const auto me = GetBlockIdx();
    if ASCEND_IS_AIC {
      fromCube[me * 2] = fromCube[me * 2 + 1] = 5;
      CrossCoreSetFlag<2, PIPE_FIX>(3);
      CrossCoreWaitFlag(4);
      atCube[me] = fromCube[me * 2] + fromCube[me * 2 + 1];
    } else {
      CrossCoreWaitFlag(3);
      fromCube[me] += 1;
      CrossCoreSetFlag<2, PIPE_MTE3>(4);
    }
  }));
  EXPECT_EQ(atCube, (std::vector<int>{12, 12}));
}

TEST(CrossCore, WaitInVainIsReported) {
  const LaunchResult result = run(blocks(2), [] {
    if (GetBlockIdx() == 0)
      CrossCoreWaitFlag(1);
  });
  EXPECT_EQ(
      withoutLines(result.errors),
      "error: kernel 'k', block 0: CrossCoreWaitFlag at core_meetings.cpp:N: "
      "waits in vain for a cross-core flag: 1 of 2 cores wait, 1 have "
      "ended (the first is block 1)\n");
}

TEST(CrossCore, TurnsAndPairs) {
  std::vector<int32_t> workspace(64);
  std::vector<int64_t> order;
  EXPECT_OK(run(blocks(8), [&] {
    auto gm = global(workspace);
    LocalTensor<int32_t> ub;
    InitDetermineComputeWorkspace(gm, ub);
    for (int round = 0; round < 2; ++round) {
      WaitPreBlock(gm, ub);
      order.push_back(GetBlockIdx());
      NotifyNextBlock(gm, ub);
    }
    if (GetBlockIdx() == 0)
      IBWait(gm, ub, 7, 1);
    if (GetBlockIdx() == 7)
      IBSet(gm, ub, 7, 1);
  }));
  ASSERT_EQ(order.size(), 16u);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(order[i], i % 8);
}

//===- Polling ------------------------------------------------------------===//

// Each block waits for the one after it by loading a counter again and again.
void pollInTurn(GlobalTensor<int32_t> turns, int32_t last) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 64);
  auto seen = buffer.Get<int32_t>();
  const auto me = static_cast<int32_t>(GetBlockIdx());
  while (me != last) {
    DataCopy(seen, turns[(me + 1) * 8], 8);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    if (seen.GetValue(0) == 1)
      break;
  }
  Duplicate(seen[8], 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  DataCopy(turns[me * 8], seen[8], 8);
}

TEST(Polling, LetsOtherBlocksRunAndIsReported) {
  LOSSGRAD_RACES();
  Options options;
  options.blocks = 7; // more than there are host threads
  std::vector<int32_t> turns(8 * 8, 0);
  const auto result = run(options, [&] { pollInTurn(global(turns), 6); });
  EXPECT_TRUE(result.ok) << result.errors;
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(turns[i * 8], 1);
  EXPECT_NE(result.warnings.find("loads the same global memory 64 times in a "
                                 "row: the core waits for another one by "
                                 "polling"),
            std::string::npos)
      << result.warnings;
}

TEST(Polling, InVainIsAnError) {
  LOSSGRAD_RACES();
  Options options;
  options.blocks = 3;
  std::vector<int32_t> turns(8 * 8, 0);
  // Nobody writes the last one.
  const auto result = run(options, [&] { pollInTurn(global(turns), 7); });
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.errors.find("polls global memory in vain: every other core "
                               "has ended or waits, too"),
            std::string::npos)
      << result.errors;
}

// The same with the scalar unit, which has a cache of its own.
void spinInTurn(GlobalTensor<int32_t> turns, int32_t last, bool cleans) {
  const auto me = static_cast<int32_t>(GetBlockIdx());
  auto clean = [&](int32_t of) {
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE,
                             DcciDst::CACHELINE_OUT>(turns[of * 16]);
  };
  while (me != last) {
    if (cleans)
      clean(me + 1);
    if (turns.GetValue((me + 1) * 16) == 1)
      break;
  }
  turns.SetValue(me * 16, 1);
  clean(me);
}

TEST(Polling, ByTheScalarUnitLetsOtherBlocksRun) {
  LOSSGRAD_RACES();
  Options options;
  options.blocks = 7;
  std::vector<int32_t> turns(16 * 8, 0);
  const auto result =
      run(options, [&] { spinInTurn(global(turns), 6, false); });
  EXPECT_TRUE(result.ok) << result.errors;
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(turns[i * 16], 1);
}

TEST(Polling, ByTheScalarUnitInVainIsAnError) {
  LOSSGRAD_RACES();
  Options options;
  options.blocks = 3;
  for (bool cleans : {false, true}) {
    std::vector<int32_t> turns(16 * 8, 0);
    const auto result =
        run(options, [&] { spinInTurn(global(turns), 7, cleans); });
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.errors.find("polls global memory in vain"),
              std::string::npos)
        << result.errors;
    EXPECT_NE(result.warnings.find("reads the same global memory 4096 times in "
                                   "a row"),
              std::string::npos)
        << result.warnings;
  }
}

TEST(Polling, AnEntryThatIsReadOftenIsNone) {
  std::vector<int32_t> table(8, 3);
  int64_t sum = 0;
  const auto result = run([&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    auto local = buffer.Get<int32_t>();
    auto entries = global(table);
    for (int i = 0; i < 10000; ++i) {
      sum += entries.GetValue(1);
      Duplicate(local, 1, 8);
    }
  });
  EXPECT_TRUE(result.ok) << result.errors;
  EXPECT_EQ(result.warnings, "");
  EXPECT_EQ(sum, 30000);
}

} // namespace
