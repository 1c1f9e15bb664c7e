// Several cores on one global memory.
#include "check_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

CheckRun cores(uint32_t blocks) {
  CheckRun how;
  how.blocks = blocks;
  return how;
}

// Stores `count` floats at `offset`.
void storeAt(const GlobalTensor<float> &y, uint64_t offset, uint32_t count,
             bool atomic = false) {
  TPipe pipe;
  if (atomic)
    SetAtomicAdd<float>();
  VecOut out;
  pipe.InitBuffer(out, 1, 1024);
  auto b = out.AllocTensor<float>();
  Duplicate(b, 1.0f, 256);
  out.EnQue(b);
  b = out.DeQue<float>();
  HERE DataCopy(y[offset], b, count);
  SetAtomicNone();
  out.FreeTensor(b);
}

TEST(CheckCores, OverlappingTailsAreARace) {
  Global<float> y(256);
  // Split on 60 elements but store whole blocks of 64.
  const auto findings =
      check(cores(4), [&] { storeAt(y.tensor(), GetBlockIdx() * 60, 64); });
  expectOne(findings, "global-race", "writes bytes that DataCopy");
  // The four elements that meet, not the 64 of the access.
  EXPECT_EQ(findings[0].end - findings[0].begin, 16u) << all(findings);
  EXPECT_SILENT(
      check(cores(4), [&] { storeAt(y.tensor(), GetBlockIdx() * 64, 64); }));
}

TEST(CheckCores, AtomicStoresMayMeet) {
  Global<float> y(64);
  EXPECT_SILENT(check(cores(4), [&] { storeAt(y.tensor(), 0, 64, true); }));
}

// One core that stores without atomics among others that do.
TEST(CheckCores, AtomicAndPlainStoresMustNotMeet) {
  Global<float> y(64);
  const auto findings =
      check(cores(3), [&] { storeAt(y.tensor(), 0, 64, GetBlockIdx() != 2); });
  expectOne(findings, "global-race", "in block 0 writes at the same time");
  EXPECT_EQ(findings[0].block, 2u);
}

// A scalar store writes its whole line back, over what a copy has put there.
TEST(CheckCores, ACopyIntoTheLineOfAScalarStoreIsARace) {
  Global<float> y(64);
  auto kernel = [&](uint64_t offset) {
    if (GetBlockIdx() == 1) {
      storeAt(y.tensor(), offset, 8);
      return;
    }
    auto tensor = y.tensor();
    tensor.SetValue(0, 1.0f);
  };
  EXPECT_SILENT(check(cores(2), [&] { kernel(16); }));
  const auto findings = check(cores(2), [&] { kernel(8); });
  expectOne(findings, "global-race",
            "a 64-byte line that GlobalTensor::SetValue");
  EXPECT_EQ(findings[0].pipe, "PIPE_MTE3");
}

// The pipe is the one of the access, also where both are scalar.
TEST(CheckCores, AScalarReadOfWhatAnotherCoreWrites) {
  Global<int32_t> y(64);
  const auto findings = check(cores(2), [&] {
    auto tensor = y.tensor();
    if (GetBlockIdx() == 0)
      tensor.SetValue(0, 1);
    else {
      HERE tensor.GetValue(0);
    }
  });
  expectOne(findings, "global-race", "reads bytes that GlobalTensor::SetValue");
  EXPECT_EQ(findings[0].pipe, "PIPE_S");
}

// The two vector cores of a block share a block number.
TEST(CheckCores, VectorCoresOfOneBlockAreToldApart) {
  Global<float> y(64);
  CheckRun how;
  how.mode = KernelMode::MIX_MODE;
  const auto findings = check(how, [&] {
    if ASCEND_IS_AIV
      storeAt(y.tensor(), 0, 64);
  });
  expectOne(findings, "global-race", "in vector core 0 of the same block");
}

TEST(CheckCores, OneBlockAmongMany) {
  Global<float> y(48 * 64);
  auto kernel = [&](uint32_t bad) {
    storeAt(y.tensor(), GetBlockIdx() * 64, GetBlockIdx() == bad ? 72 : 64);
  };
  EXPECT_SILENT(check(cores(48), [&] { kernel(48); }));
  const auto findings = check(cores(48), [&] { kernel(30); });
  expectOne(findings, "global-race", "in block 30 writes at the same time");
  EXPECT_EQ(findings[0].block, 31u);
}

TEST(CheckCores, ScalarStoresIntoOneLineAreARace) {
  Global<int32_t> y(64);
  const auto findings = check(cores(2), [&] {
    auto tensor = y.tensor();
    HERE tensor.SetValue(GetBlockIdx(), 1);
  });
  expectOne(findings, "global-race", "a 64-byte line");
  EXPECT_SILENT(check(cores(2), [&] {
    auto tensor = y.tensor();
    tensor.SetValue(GetBlockIdx() * 16, 1);
  }));
}

TEST(CheckCores, SyncAllSeparatesStoresFromLoads) {
  Global<float> y(256), z(256);
  auto kernel = [&](bool sync) {
    { storeAt(y.tensor(), GetBlockIdx() * 64, 64); }
    if (sync)
      SyncAll();
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    auto a = queue.AllocTensor<float>();
    const uint64_t other = (GetBlockIdx() + 1) % 4;
    HERE DataCopy(a, y.tensor()[other * 64], 64);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    DataCopy(z.tensor()[GetBlockIdx() * 64], a, 64);
    queue.FreeTensor(a);
  };
  EXPECT_SILENT(check(cores(4), [&] { kernel(true); }));
  const auto findings = check(cores(4), [&] { kernel(false); });
  ASSERT_GE(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "global-race") << all(findings);
}

// A wait for another core's flag orders what follows it, and the next SyncAll
// brings all cores back into step.
TEST(CheckCores, CrossCoreFlagsAreNotMistakenForRaces) {
  Global<float> y(128), z(128);
  EXPECT_SILENT(check(cores(2), [&] {
    const uint64_t mine = GetBlockIdx() * 64, other = 64 - mine;
    storeAt(y.tensor(), mine, 64);
    CrossCoreSetFlag<0, PIPE_MTE3>(3);
    CrossCoreWaitFlag(3);
    {
      TPipe pipe;
      TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
      pipe.InitBuffer(queue, 1, 256);
      auto a = queue.AllocTensor<float>();
      DataCopy(a, y.tensor()[other], 64);
      queue.EnQue(a);
      a = queue.DeQue<float>();
      DataCopy(z.tensor()[mine], a, 64);
      queue.FreeTensor(a);
    }
    SyncAll();
    storeAt(y.tensor(), other, 64);
  }));
}

TEST(CheckCores, AScalarStoreNeedsAFlushBeforeOthersReadIt) {
  Global<int32_t> y(64);
  auto kernel = [&](bool flush) {
    auto tensor = y.tensor();
    if (GetBlockIdx() == 0) {
      HERE tensor.SetValue(0, 7);
      if (flush)
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE,
                                 DcciDst::CACHELINE_OUT>(tensor);
    }
    SyncAll();
    if (GetBlockIdx() == 1)
      tensor.GetValue(0);
  };
  EXPECT_SILENT(check(cores(2), [&] { kernel(true); }));
  expectOne(check(cores(2), [&] { kernel(false); }), "unflushed-store",
            "still in the data cache");
}

// Copies of the same core do not see its data cache either.
TEST(CheckCores, AScalarStoreNeedsAFlushBeforeItsCoreLoadsIt) {
  Global<int32_t> y(64);
  auto kernel = [&](bool flush, uint32_t loaded) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    auto tensor = y.tensor();
    HERE tensor.SetValue(3, 1);
    if (flush)
      DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE,
                               DcciDst::CACHELINE_OUT>(tensor);
    DataCopy(a.Get<int32_t>(), tensor[loaded], 8);
  };
  EXPECT_SILENT(check([&] { kernel(true, 0); }));
  EXPECT_SILENT(check([&] { kernel(false, 8); })); // other bytes of the line
  expectOne(check([&] { kernel(false, 0); }), "unflushed-store",
            "of the same core reads it from memory");
}

// SyncAll does not empty the data cache.
TEST(CheckCores, ALineFromBeforeTheMeetingIsStale) {
  Global<float> y(64);
  auto kernel = [&](bool invalidate, bool touched) {
    auto tensor = y.tensor();
    if (GetBlockIdx() == 1 && touched)
      tensor.GetValue(9);
    SyncAll();
    if (GetBlockIdx() == 0)
      storeAt(tensor, 0, 8);
    SyncAll();
    if (invalidate)
      DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE,
                               DcciDst::CACHELINE_OUT>(tensor);
    if (GetBlockIdx() == 1) {
      HERE tensor.GetValue(3);
    }
  };
  EXPECT_SILENT(check(cores(2), [&] { kernel(true, true); }));
  EXPECT_SILENT(check(cores(2), [&] { kernel(false, false); }));
  expectOne(check(cores(2), [&] { kernel(false, true); }), "stale-cache",
            "in the data cache since before SyncAll");
}

// Cores that take turns: passing the turn waits for the core's own copies.
TEST(CheckCores, ATurnIsPassedWhenItsCopiesAreOver) {
  constexpr uint32_t kBlocks = 2;
  Global<float> x(128), y(64);
  Global<int32_t> turns(kBlocks * 8);
  auto kernel = [&](bool notify) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, room;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(room, kBlocks * 32 + 32);
    auto flags = turns.tensor();
    auto local = room.Get<int32_t>();
    InitDetermineComputeWorkspace(flags, local);
    for (uint32_t tile = 0; tile < 2; ++tile) {
      HERE DataCopy(a.Get<float>(), x.tensor()[tile * 64], 64);
      WaitPreBlock(flags, local);
      SetAtomicAdd<float>();
      DataCopy(y.tensor(), a.Get<float>(), 64);
      SetAtomicNone();
      if (notify || tile == 1)
        NotifyNextBlock(flags, local);
    }
  };
  EXPECT_SILENT(check(cores(kBlocks), [&] { kernel(true); }));
  EXPECT_GE(check([&] { kernel(false); }).size(), 1u); // alone, no turn between
}

TEST(CheckCores, WaitsInVainBetweenCoresAreReported) {
  expectOne(check(cores(2),
                  [] {
                    if (GetBlockIdx() == 0) {
                      HERE CrossCoreWaitFlag(3);
                    }
                  }),
            "refused", "waits in vain for a cross-core flag");
  Global<int32_t> flags(4 * 8);
  std::memset(flags.data, 0, 4 * 32);
  expectOne(check(cores(4),
                  [&] {
                    TPipe pipe;
                    TBuf<TPosition::VECCALC> room;
                    pipe.InitBuffer(room, 4 * 32);
                    if (GetBlockIdx() == 3)
                      return;
                    HERE SyncAll(flags.tensor(), room.Get<int32_t>());
                  }),
            "refused",
            "3 of 4 cores wait, 1 have ended (the first is block 3)");
}

TEST(CheckCores, ABlockThatEndsBeforeSyncAllIsReported) {
  const auto findings = check(cores(3), [] {
    if (GetBlockIdx() == 2)
      return;
    HERE SyncAll();
  });
  expectOne(findings, "refused", "waits in vain for SyncAll");
  EXPECT_EQ(findings[0].times, 2u);
}

TEST(CheckCores, TooManyBlocksForSyncAllAreReported) {
  const auto findings = check(cores(49), [] { HERE SyncAll(); });
  expectOne(findings, "silent-on-device", "the device would hang");
}

} // namespace

TEST(CheckCores, TheCubeCoreOfAMixedKernelHasNoData) {
  Global<float> x(64), y(256);
  CheckRun how;
  how.mode = KernelMode::MIX_MODE;
  EXPECT_SILENT(check(how, [&] {
    TPipe pipe;
    VecIn in;
    VecOut out;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(out, 1, 256);
    auto a = in.AllocTensor<float>();
    DataCopy(a, x.tensor(), 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    auto b = out.AllocTensor<float>();
    Adds(b, a, a.GetValue(0), 64);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopy(y.tensor()[GetBlockIdx() * 64], b, 64);
    out.FreeTensor(b);
  }));
}

// A table that many rows ask for the same class: each answer has its own place.
TEST(CheckCores, LookingUpOnePlaceIsNoPolling) {
  Global<float> table(8);
  EXPECT_SILENT(check(cores(2), [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 200 * 32);
    auto found = buffer.Get<float>();
    for (int row = 0; row < 200; ++row)
      DataCopy(found[row * 8], table.tensor(), 8);
  }));
}

// A row that all rows of another tensor are combined with, in two buffers by
// turns: who waits looks at what came.
TEST(CheckCores, LoadingOneRowForAllIsNoPolling) {
  Global<float> row(8), y(8);
  EXPECT_SILENT(check(cores(2), [&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(in, 2, 32);
    pipe.InitBuffer(out, 1, 32);
    pipe.InitBuffer(buffer, 32);
    auto factor = buffer.Get<float>();
    auto sum = out.AllocTensor<float>();
    Duplicate(factor, 2.0f, 8);
    Duplicate(sum, 0.0f, 8);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    for (int i = 0; i < 200; ++i) {
      auto a = in.AllocTensor<float>();
      DataCopy(a, row.tensor(), 8);
      in.EnQue(a);
      a = in.DeQue<float>();
      const float times = factor.GetValue(0);
      PipeBarrier<PIPE_V>();
      Axpy(sum, a, times, 8);
      in.FreeTensor(a);
    }
    out.EnQue(sum);
    sum = out.DeQue<float>();
    if (GetBlockIdx() == 0)
      DataCopy(y.tensor(), sum, 8);
    out.FreeTensor(sum);
  }));
}

// Buffers that alternate do not hide it.
TEST(CheckCores, PollingIntoTwoBuffersIsReported) {
  Global<int32_t> flag(8);
  const auto findings = check(cores(2), [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    auto seen = buffer.Get<int32_t>();
    for (int i = 0; i < 80; ++i) {
      DataCopy(seen[i % 2 * 8], flag.tensor(), 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
      if (seen.GetValue(i % 2 * 8) == 1)
        break;
    }
  });
  ASSERT_GE(findings.size(), 1u);
  EXPECT_NE(all(findings).find("waits for another one by polling"),
            std::string::npos)
      << all(findings);
}

TEST(CheckCores, PollingIsReported) {
  Global<int32_t> flag(8);
  const auto findings = check(cores(2), [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    auto seen = buffer.Get<int32_t>();
    for (int i = 0; i < 80; ++i) {
      DataCopy(seen, flag.tensor(), 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
      if (seen.GetValue(0) == 1)
        break;
    }
  });
  ASSERT_GE(findings.size(), 1u);
  EXPECT_NE(all(findings).find("waits for another one by polling"),
            std::string::npos)
      << all(findings);
}
