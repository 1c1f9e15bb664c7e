// Missing synchronisation inside a core, at both levels.
#include "check_support.h"

using namespace AscendC;
using namespace lossgrad::test;
using lossgrad::sim::SyncLevel;

namespace {

CheckRun strict() {
  CheckRun how;
  how.sync = SyncLevel::Strict;
  return how;
}

template <HardEvent event> void passFlag() {
  const auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

TEST(CheckSync, TheTensorOfAllocTensorIsNotTheOneOfDeQue) {
  Global<float> x(64);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    VecIn in;
    TBuf<TPosition::VECCALC> result;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(result, 256);
    auto a = in.AllocTensor<float>();
    DataCopy(a, x.tensor(), 64);
    in.EnQue(a);
    if (wait)
      a = in.DeQue<float>();
    HERE Adds(result.Get<float>(), a, 1.0f, 64);
    if (!wait)
      a = in.DeQue<float>();
    in.FreeTensor(a);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  const auto findings = check([&] { kernel(false); });
  expectOne(findings, "missing-sync", "(PIPE_MTE2) writes with nothing");
  EXPECT_EQ(findings[0].pipe, "PIPE_V");
  EXPECT_NE(findings[0].advice.find("DeQue"), std::string::npos);
}

TEST(CheckSync, ABufferThatIsLoadedNeedsAFlag) {
  Global<float> x(64);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    DataCopy(a.Get<float>(), x.tensor(), 64);
    if (wait)
      passFlag<HardEvent::MTE2_V>();
    HERE Adds(b.Get<float>(), a.Get<float>(), 1.0f, 64);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "missing-sync", "MTE2_V");
}

TEST(CheckSync, ABufferThatIsStoredNeedsAFlag) {
  Global<float> y(64);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    if (wait)
      passFlag<HardEvent::V_MTE3>();
    HERE DataCopy(y.tensor(), a.Get<float>(), 64);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "missing-sync", "V_MTE3");
}

TEST(CheckSync, AStoreThatStillReadsMustNotBeOverwritten) {
  Global<float> y(64);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    passFlag<HardEvent::V_MTE3>();
    DataCopy(y.tensor(), a.Get<float>(), 64);
    if (wait)
      passFlag<HardEvent::MTE3_V>();
    HERE Duplicate(a.Get<float>(), 2.0f, 64);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "missing-sync", "still reads");
}

TEST(CheckSync, AStoreAndALoadOfTheSameMemoryNeedAFlag) {
  Global<float> y(64);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    passFlag<HardEvent::V_MTE3>();
    DataCopy(y.tensor(), a.Get<float>(), 64);
    if (wait)
      passFlag<HardEvent::MTE3_MTE2>();
    HERE DataCopy(b.Get<float>(), y.tensor(), 64);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "missing-sync", "MTE3_MTE2");
}

TEST(CheckSync, OverlappingStoresNeedABarrier) {
  Global<float> y(64);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    passFlag<HardEvent::V_MTE3>();
    DataCopy(y.tensor(), a.Get<float>(), 64);
    if (wait)
      PipeBarrier<PIPE_MTE3>();
    HERE DataCopy(y.tensor(), a.Get<float>(), 32);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "missing-sync",
            "PipeBarrier<PIPE_MTE3>()");
}

// The compiler inserts the barrier; strict wants it written.
TEST(CheckSync, DependentVectorCallsNeedABarrierWhenStrict) {
  auto kernel = [](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    if (wait)
      PipeBarrier<PIPE_V>();
    HERE Adds(b.Get<float>(), a.Get<float>(), 1.0f, 64);
  };
  EXPECT_SILENT(check([&] { kernel(false); }));
  EXPECT_SILENT(check(strict(), [&] { kernel(true); }));
  expectOne(check(strict(), [&] { kernel(false); }), "missing-sync",
            "PipeBarrier<PIPE_V>()");
  // A vector unit that orders dependent calls needs none.
  CheckRun ordered = strict();
  ordered.soc = "Ascend950PR_9589";
  EXPECT_SILENT(check(ordered, [&] { kernel(false); }));
}

TEST(CheckSync, OverwritingWhatAVectorCallReadsNeedsNoBarrier) {
  EXPECT_SILENT(check(strict(), [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Adds(b.Get<float>(), a.Get<float>(), 1.0f, 64);
    Duplicate(a.Get<float>(), 2.0f, 64);
  }));
}

TEST(CheckSync, AScalarReadAfterAVectorCallNeedsAFlagWhenStrict) {
  auto kernel = [](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    auto tensor = a.Get<float>();
    Duplicate(tensor, 1.0f, 64);
    if (wait)
      passFlag<HardEvent::V_S>();
    HERE tensor.GetValue(3);
  };
  EXPECT_SILENT(check([&] { kernel(false); }));
  EXPECT_SILENT(check(strict(), [&] { kernel(true); }));
  expectOne(check(strict(), [&] { kernel(false); }), "missing-sync", "V_S");
}

TEST(CheckSync, AScalarWriteBeforeAVectorCallNeedsAFlagWhenStrict) {
  auto kernel = [](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 32);
    pipe.InitBuffer(b, 32);
    auto tensor = a.Get<float>();
    for (uint32_t i = 0; i < 8; ++i)
      tensor.SetValue(i, 1.0f);
    if (wait)
      passFlag<HardEvent::S_V>();
    HERE Adds(b.Get<float>(), tensor, 1.0f, 8);
  };
  EXPECT_SILENT(check([&] { kernel(false); }));
  EXPECT_SILENT(check(strict(), [&] { kernel(true); }));
  expectOne(check(strict(), [&] { kernel(false); }), "missing-sync", "S_V");
}

// The scalar unit issues everything: what it has waited for is over for all.
TEST(CheckSync, AWaitOfTheScalarUnitOrdersLaterCopies) {
  Global<float> x(64), y(64);
  EXPECT_SILENT(check(strict(), [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    DataCopy(a.Get<float>(), x.tensor(), 64);
    passFlag<HardEvent::MTE2_V>();
    Adds(b.Get<float>(), a.Get<float>(), 1.0f, 64);
    passFlag<HardEvent::V_S>();
    b.Get<float>().GetValue(0);
    DataCopy(a.Get<float>(), x.tensor(), 64); // the vector call has read it
    DataCopy(y.tensor(), b.Get<float>(), 64); // and has written this
  }));
}

TEST(CheckSync, ABarrierForAllPipesOrdersEverything) {
  Global<float> x(64), y(64);
  EXPECT_SILENT(check(strict(), [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    DataCopy(a.Get<float>(), x.tensor(), 64);
    PipeBarrier<PIPE_ALL>();
    Adds(a.Get<float>(), a.Get<float>(), 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(y.tensor(), a.Get<float>(), 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(a.Get<float>(), y.tensor(), 64);
  }));
}

// A library call that waits inside is one event: its scalar result is safe.
TEST(CheckSync, ReduceMaxIsOneEvent) {
  EXPECT_SILENT(check(strict(), [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, work;
    pipe.InitBuffer(a, 1024);
    pipe.InitBuffer(b, 32);
    pipe.InitBuffer(work, 1024);
    Duplicate(a.Get<float>(), 1.0f, 256);
    PipeBarrier<PIPE_V>();
    ReduceMax(b.Get<float>(), a.Get<float>(), work.Get<float>(), 256);
    b.Get<float>().GetValue(0);
  }));
}

// Double buffering through queues, many tiles: no false alarm.
TEST(CheckSync, APipelineOfQueuesIsSilent) {
  Global<float> x(4096), y(4096), z(4096);
  CheckRun how = strict();
  how.blocks = 4;
  EXPECT_SILENT(check(how, [&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inX, inY;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(inX, 2, 512);
    pipe.InitBuffer(inY, 2, 512);
    pipe.InitBuffer(out, 2, 512);
    const uint64_t base = GetBlockIdx() * 1024;
    for (uint32_t i = 0; i < 8; ++i) {
      auto a = inX.AllocTensor<float>();
      auto b = inY.AllocTensor<float>();
      DataCopy(a, x.tensor()[base + i * 128], 128);
      DataCopy(b, y.tensor()[base + i * 128], 128);
      inX.EnQue(a);
      inY.EnQue(b);
      a = inX.DeQue<float>();
      b = inY.DeQue<float>();
      auto c = out.AllocTensor<float>();
      Add(c, a, b, 128);
      PipeBarrier<PIPE_V>();
      Muls(c, c, 0.5f, 128);
      out.EnQue(c);
      inX.FreeTensor(a);
      inY.FreeTensor(b);
      c = out.DeQue<float>();
      DataCopy(z.tensor()[base + i * 128], c, 128);
      out.FreeTensor(c);
    }
  }));
}

} // namespace
