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
  EXPECT_SILENT(
      check(cores(4), [&] { storeAt(y.tensor(), GetBlockIdx() * 64, 64); }));
}

TEST(CheckCores, AtomicStoresMayMeet) {
  Global<float> y(64);
  EXPECT_SILENT(check(cores(4), [&] { storeAt(y.tensor(), 0, 64, true); }));
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
    {
      storeAt(y.tensor(), GetBlockIdx() * 64, 64);
    }
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
