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

// What a call waited for is over when the call is: a load may follow the scalar
// result of what used the load before.
TEST(CheckSync, AWaitReachesThroughACall) {
  Global<float> x(256);
  auto kernel = [&](bool library, bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, work;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    pipe.InitBuffer(work, 256);
    for (uint32_t tile = 0; tile < 4; ++tile) {
      HERE DataCopy(a.Get<float>(), x.tensor()[tile * 64], 64);
      passFlag<HardEvent::MTE2_V>();
      if (library)
        ReduceSum(b.Get<float>(), a.Get<float>(), work.Get<float>(), 64);
      else
        Adds(b.Get<float>(), a.Get<float>(), 1.0f, 64);
      if (wait)
        b.Get<float>().GetValue(0);
    }
  };
  EXPECT_SILENT(check(strict(), [&] { kernel(true, true); }));
  EXPECT_SILENT(check([&] { kernel(true, false); }));
  EXPECT_SILENT(check([&] { kernel(false, true); })); // the compiler's V_S
  expectOne(check([&] { kernel(false, false); }), "missing-sync",
            "HardEvent::V_MTE2");
}

// ... but only A2's and A3's reductions wait for their result themselves.
TEST(CheckSync, OtherProductsReductionsDoNotWait) {
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, work;
    for (auto *buffer : {&a, &b, &work})
      pipe.InitBuffer(*buffer, 256);
    Duplicate(a.Get<float>(), 1.0f, 64);
    PipeBarrier<PIPE_V>();
    ReduceSum(b.Get<float>(), a.Get<float>(), work.Get<float>(), 64);
    if (wait)
      passFlag<HardEvent::V_S>();
    HERE b.Get<float>().GetValue(0);
  };
  EXPECT_SILENT(check(strict(), [&] { kernel(false); }));
  for (const char *soc : {"Ascend310P3", "Ascend910A", "Ascend950PR_9589"}) {
    CheckRun how = strict();
    how.soc = soc;
    EXPECT_SILENT(check(how, [&] { kernel(true); }));
    expectOne(check(how, [&] { kernel(false); }), "missing-sync",
              "HardEvent::V_S");
  }
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

// Double buffering by hand, one event id per half: each of the four flags per
// tile is needed.
TEST(CheckSync, DoubleBufferingByHandNeedsEveryFlag) {
  Global<half> x(2048), y(2048);
  enum Left { None, LoadToUse, UseToLoad, UseToStore, StoreToUse };
  auto kernel = [&](Left left) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> in, out;
    pipe.InitBuffer(in, 1024);
    pipe.InitBuffer(out, 1024);
    for (int i = 0; i < 2; ++i) {
      if (left != UseToLoad)
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0 + i);
      if (left != StoreToUse)
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0 + i);
    }
    for (uint32_t tile = 0; tile < 8; ++tile) {
      const int id = EVENT_ID0 + tile % 2;
      auto a = in.Get<half>()[tile % 2 * 256];
      auto b = out.Get<half>()[tile % 2 * 256];
      if (left != UseToLoad)
        WaitFlag<HardEvent::V_MTE2>(id);
      DataCopy(a, x.tensor()[tile * 256], 256);
      if (left != LoadToUse) {
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
      }
      if (left != StoreToUse)
        WaitFlag<HardEvent::MTE3_V>(id);
      Adds(b, a, half(1.0f), 256);
      if (left != UseToLoad)
        SetFlag<HardEvent::V_MTE2>(id);
      if (left != UseToStore) {
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
      }
      DataCopy(y.tensor()[tile * 256], b, 256);
      if (left != StoreToUse)
        SetFlag<HardEvent::MTE3_V>(id);
    }
    for (int i = 0; i < 2; ++i) {
      if (left != UseToLoad)
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0 + i);
      if (left != StoreToUse)
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0 + i);
    }
  };
  EXPECT_SILENT(check(strict(), [&] { kernel(None); }));
  auto expectAdvice = [&](Left left, const std::string &call,
                          const std::string &event) {
    const auto findings = check(strict(), [&] { kernel(left); });
    ASSERT_GE(findings.size(), 1u);
    bool found = false;
    for (const auto &finding : findings)
      found |= finding.rule == "missing-sync" && finding.call == call &&
               finding.advice.find(event) != std::string::npos;
    EXPECT_TRUE(found) << all(findings);
  };
  expectAdvice(LoadToUse, "Adds", "MTE2_V");
  expectAdvice(UseToLoad, "DataCopy", "V_MTE2");
  expectAdvice(UseToStore, "DataCopy", "V_MTE3");
  expectAdvice(StoreToUse, "Adds", "MTE3_V");
}

// Of several things that a call does not wait for, the other pipe's is named.
TEST(CheckSync, ABufferThatIsPassedOnNeedsTheWayBack) {
  Global<float> x(256), y(256);
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    for (uint32_t tile = 0; tile < 4; ++tile) {
      HERE DataCopy(a.Get<float>(), x.tensor()[tile * 64], 64);
      passFlag<HardEvent::MTE2_MTE3>();
      DataCopy(y.tensor()[tile * 64], a.Get<float>(), 64);
      if (wait)
        passFlag<HardEvent::MTE3_MTE2>();
    }
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "missing-sync",
            "HardEvent::MTE3_MTE2");
}

// Scalar access that is set by copies and read by copies.
TEST(CheckSync, ScalarAccessNextToCopiesNeedsFlagsWhenStrict) {
  Global<int32_t> x(8), y(8);
  auto kernel = [&](bool fromLoad, bool toStore) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 32);
    auto tensor = a.Get<int32_t>();
    DataCopy(tensor, x.tensor(), 8);
    if (fromLoad)
      passFlag<HardEvent::MTE2_S>();
    if (!fromLoad)
      markedLine = __LINE__ + 1;
    const int32_t first = tensor.GetValue(0);
    passFlag<HardEvent::MTE2_S>();
    tensor.SetValue(1, first + 1);
    if (toStore)
      passFlag<HardEvent::S_MTE3>();
    if (!toStore)
      markedLine = __LINE__ + 1;
    DataCopy(y.tensor(), tensor, 8);
  };
  EXPECT_SILENT(check(strict(), [&] { kernel(true, true); }));
  EXPECT_SILENT(check([&] { kernel(false, false); }));
  expectOne(check(strict(), [&] { kernel(false, true); }), "missing-sync",
            "HardEvent::MTE2_S");
  expectOne(check(strict(), [&] { kernel(true, false); }), "missing-sync",
            "HardEvent::S_MTE3");
}

// A buffer that the vector unit clears before a load fills part of it.
TEST(CheckSync, ALoadOverWhatAVectorCallWrites) {
  Global<half> x(64);
  CheckRun how;
  how.soc = "Ascend910_9392";
  auto kernel = [&](bool wait) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    Duplicate(a.Get<half>(), half(0.0f), 64);
    if (wait)
      passFlag<HardEvent::V_MTE2>();
    HERE DataCopyPad(a.Get<half>(), x.tensor(),
                     DataCopyExtParams{1, 20, 0, 0, 0},
                     DataCopyPadExtParams<half>{false, 0, 0, half(0.0f)});
    passFlag<HardEvent::MTE2_V>();
    Adds(a.Get<half>(), a.Get<half>(), half(1.0f), 64);
  };
  EXPECT_SILENT(check(how, [&] { kernel(true); }));
  expectOne(check(how, [&] { kernel(false); }), "missing-sync", "V_MTE2");
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
