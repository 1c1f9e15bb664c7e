// What the core refuses or warns of in every mode, as findings: alignment,
// ranges, rounded counts, queues, flags. And the text, the merging and the
// exit status of findings.
#include "check_support.h"
#include "lossgrad/sim/GlobalMemory.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

TEST(CheckRules, ACountThatIsRoundedDownIsFound) {
  Global<float> x(64);
  const auto findings = check([&] {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 256);
    auto a = in.AllocTensor<float>();
    HERE DataCopy(a, x.tensor(), 63);
    in.EnQue(a);
    a = in.DeQue<float>();
    in.FreeTensor(a);
  });
  expectOne(
      findings, "silent-on-device",
      "252 bytes are not a multiple of 32: only the first 224 are copied");
}

TEST(CheckRules, AnUnalignedOperandIsFound) {
  expectOne(check([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> a;
              pipe.InitBuffer(a, 1024);
              HERE Duplicate(a.Get<float>()[3], 1.0f, 8);
            }),
            "refused", "is not 32-byte aligned");
}

TEST(CheckRules, ACallThatTheProductLacksIsFound) {
  Global<float> x(64);
  CheckRun how;
  how.soc = "Ascend310P3";
  expectOne(check(how,
                  [&] {
                    TPipe pipe;
                    TBuf<TPosition::VECIN> a;
                    pipe.InitBuffer(a, 256);
                    const DataCopyExtParams rows{1, 20, 0, 0, 0};
                    const DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
                    HERE DataCopyPad(a.Get<float>(), x.tensor(), rows, pad);
                  }),
            "refused", "not available on Atlas inference");
}

// Calls that are made of others on a product go through the top of UB there.
TEST(CheckRules, ScratchOfTheProductIsFound) {
  auto kernel = [](bool brcb, uint32_t bytes) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, bytes);
    auto x = all.Get<float>();
    auto n = x.ReinterpretCast<int32_t>();
    Duplicate(x, 0.0f, 256);
    PipeBarrier<PIPE_V>();
    SetDeqScale(half(1.0f));
    if (brcb) {
      HERE Brcb(x[1024], x, 1, {1, 8});
    } else {
      HERE AddDeqRelu(x[1024].ReinterpretCast<half>(), n, n[64], 64);
    }
  };
  CheckRun a2, p310, p950;
  p310.soc = "Ascend310P3";
  p950.soc = "Ascend950PR_9589";
  EXPECT_SILENT(check(a2, [&] { kernel(true, 190000); }));
  EXPECT_SILENT(check(a2, [&] { kernel(false, 188416); }));
  expectOne(check(a2, [&] { kernel(false, 190016); }), "reserved-ub",
            "below 188416 bytes");
  EXPECT_SILENT(check(p310, [&] { kernel(false, 262144); }));
  EXPECT_SILENT(check(p310, [&] { kernel(true, 253952); }));
  expectOne(check(p310, [&] { kernel(true, 262144); }), "reserved-ub",
            "below 253952 bytes");
  EXPECT_SILENT(check(p950, [&] { kernel(true, 253952); }));
  EXPECT_SILENT(check(p950, [&] { kernel(false, 253952); }));
}

TEST(CheckRules, AMaskBeyondTheLanesIsFound) {
  expectOne(check([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> a;
              pipe.InitBuffer(a, 1024);
              auto t = a.Get<float>();
              Duplicate(t, 1.0f, 256);
              HERE Adds(t, t, 1.0f, uint64_t(65), 1, {1, 1, 8, 8});
            }),
            "refused", "mask is 65");
}

TEST(CheckRules, TooManyBlocksOfACopyAreFound) {
  Global<float> x(64);
  expectOne(check([&] {
              TPipe pipe;
              TBuf<TPosition::VECIN> a;
              pipe.InitBuffer(a, 163840);
              const DataCopyParams rows{4096, 1, 0, 0};
              HERE DataCopy(a.Get<float>(), x.tensor(), rows);
            }),
            "refused", "blockCount is 4096, at most 4095");
}

TEST(CheckRules, BuffersBeyondUbAreFound) {
  expectOne(check([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> a, b;
              pipe.InitBuffer(a, 190 * 1024);
              HERE pipe.InitBuffer(b, 4096);
            }),
            "refused", "do not fit");
}

// 256 bytes of UB are not the kernel's.
TEST(CheckRules, BuffersBeyondTheUsableUbAreFound) {
  auto kernel = [](uint32_t bytes) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    HERE pipe.InitBuffer(a, bytes);
  };
  EXPECT_SILENT(check([&] { kernel(192 * 1024 - 256); }));
  expectOne(check([&] { kernel(192 * 1024); }), "ub-size",
            "Ascend910B1 has 196352 bytes of UB for kernels");
}

TEST(CheckRules, TooManyBlocksInFlightAreFound) {
  Global<float> x(64);
  const auto findings = check([&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 16> in;
    pipe.InitBuffer(in, 9, 32);
    for (int i = 0; i < 9; ++i) {
      auto a = in.AllocTensor<float>();
      DataCopy(a, x.tensor(), 8);
      HERE in.EnQue(a);
    }
  });
  expectOne(findings, "refused", "event ids of MTE2_V are in use");
}

TEST(CheckRules, ALeakedTensorIsFound) {
  expectOne(check([] {
              TPipe pipe;
              VecIn in;
              pipe.InitBuffer(in, 1, 32);
              HERE in.AllocTensor<float>();
            }),
            "leaked-tensor", "the tensor is never freed");
}

TEST(CheckRules, ATensorThatOnePathLeaksIsFound) {
  Global<float> x(64);
  auto kernel = [&](uint32_t leaked) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    pipe.InitBuffer(in, 2, 256);
    for (uint32_t tile = 0; tile < 2; ++tile) {
      HERE auto a = in.AllocTensor<float>();
      DataCopy(a, x.tensor(), 64);
      in.EnQue(a);
      a = in.DeQue<float>();
      if (tile != leaked)
        in.FreeTensor(a);
    }
  };
  EXPECT_SILENT(check([&] { kernel(2); }));
  expectOne(check([&] { kernel(1); }), "leaked-tensor",
            "VECIN buffer 1 (256 bytes), bytes [0, 256)");
}

// A class with a TPipe of its own inside a kernel that has one already.
TEST(CheckRules, ATPipeWithoutBuffersMayGiveWay) {
  auto kernel = [](bool used) {
    TPipe outer;
    TBuf<TPosition::VECCALC> a, b;
    if (used)
      outer.InitBuffer(a, 256);
    HERE TPipe inner;
    inner.InitBuffer(b, 256);
    Duplicate(b.Get<float>(), 1.0f, 64);
  };
  EXPECT_SILENT(check([&] { kernel(false); }));
  expectOne(check([&] { kernel(true); }), "silent-on-device",
            "another TPipe is alive");
}

TEST(CheckRules, AllocTensorWithoutAFreeBlockIsFound) {
  const auto findings = check([] {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 32);
    in.AllocTensor<float>();
    HERE in.AllocTensor<float>();
  });
  expectOne(findings, "refused", "AllocTensor");
}

TEST(CheckRules, EnQueTwiceOnDepthOneAndDeQueOfAnEmptyQueueAreFound) {
  auto findings = check([] {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 2, 32);
    auto a = in.AllocTensor<float>(), b = in.AllocTensor<float>();
    in.EnQue(a);
    HERE in.EnQue(b);
  });
  expectOne(findings, "refused", "EnQue");
  findings = check([] {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 2, 32);
    HERE in.DeQue<float>();
  });
  expectOne(findings, "refused", "DeQue");
}

TEST(CheckRules, FlagsLeftSetOrWaitedForInVainAreFound) {
  expectOne(check([] { HERE SetFlag<HardEvent::V_MTE3>(EVENT_ID0); }),
            "refused", "nothing waited for it");
  expectOne(check([] { HERE WaitFlag<HardEvent::V_MTE3>(EVENT_ID0); }),
            "refused", "waits in vain for flag V_MTE3 id 0");
  expectOne(check([] {
              SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
              HERE SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
            }),
            "refused", "already set");
}

TEST(CheckRules, EqualFindingsOfSeveralBlocksAreOne) {
  CheckRun how;
  how.blocks = 8;
  const auto findings = check(how, [] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    HERE Duplicate(a.Get<float>(), 1.0f, 72);
  });
  expectOne(findings, "out-of-bounds", "; 8 times");
  EXPECT_EQ(findings[0].block, 0u);
  EXPECT_EQ(findings[0].kernel, "k");
}

// A header that two files include by different names.
TEST(CheckRules, AFileHasOneName) {
  const auto findings = check([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    for (const char *file : {"op/kernel/k.h", "op/test/../kernel/k.h"})
      Duplicate(a.Get<float>(), 1.0f, 72, lossgrad::sim::Site{file, 7});
  });
  ASSERT_EQ(findings.size(), 1u) << all(findings);
  EXPECT_EQ(findings[0].times, 2u);
}

// A host program that reads a result before the stream has been synchronised.
TEST(CheckRules, HostAccessBeforeTheDeviceHasWrittenIsFound) {
  using namespace lossgrad::sim;
  CheckOptions options;
  options.print = false;
  useCheckMode(options);
  takeFindings();
  Global<float> y(64);
  {
    PendingDeviceWrite pending(y.data, 256, "aclnnFoo");
    hostAccesses(y.data + 64, 32, "aclrtMemcpy"); // behind it
    EXPECT_TRUE(takeFindings().empty());
    hostAccesses(y.data + 60, 32, "aclrtMemcpy");
    const auto findings = takeFindings();
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].rule, "pending-device-write");
    EXPECT_EQ(findings[0].tensor, "output of aclnnFoo");
    EXPECT_EQ(findings[0].begin, 240u);
    EXPECT_EQ(findings[0].end, 256u);
  }
  hostAccesses(y.data, 256, "aclrtMemcpy"); // it has run
  EXPECT_TRUE(takeFindings().empty());
  useFastMode();
}

TEST(CheckRules, TheTextNamesEverything) {
  lossgrad::sim::Finding finding;
  finding.rule = "out-of-bounds";
  finding.kernel = "add";
  finding.call = "Add";
  finding.file = "/some/where/add.cpp";
  finding.line = 12;
  finding.block = 3;
  finding.pipe = "PIPE_V";
  finding.tensor = "VECIN buffer 0";
  finding.begin = 8;
  finding.end = 16;
  finding.what = "reads too much";
  finding.advice = "read less";
  EXPECT_EQ(finding.text(),
            "check: kernel 'add', block 3: Add at add.cpp:12 (PIPE_V): "
            "[out-of-bounds] reads too much: VECIN buffer 0, bytes [8, 16)\n"
            "  right: read less");
}

} // namespace
