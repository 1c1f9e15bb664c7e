// Mistakes that compile and that the device passes over in silence: each as a
// kernel with the defect, found on its line, beside a correct twin that gives
// no finding. docs/instrument.md lists them all.
#include "check_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

CheckRun on(const char *soc) {
  CheckRun how;
  how.soc = soc;
  return how;
}

// Three tensors in UB, all defined.
struct Work {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffers[3];
  LocalTensor<float> a, b, c;
  explicit Work(uint32_t count = 1024) {
    for (auto &buffer : buffers)
      pipe.InitBuffer(buffer, count * sizeof(float));
    a = buffers[0].Get<float>();
    b = buffers[1].Get<float>();
    c = buffers[2].Get<float>();
    for (auto *tensor : {&a, &b, &c})
      Duplicate(*tensor, 1.0f, static_cast<int32_t>(count));
  }
};

TEST(CheckMistakes, ACopyOfWholeBlocks) {
  Global<float> x(64);
  auto kernel = [&](uint32_t count) {
    TPipe pipe;
    TBuf<TPosition::VECIN> a;
    pipe.InitBuffer(a, 256);
    HERE DataCopy(a.Get<float>(), x.tensor(), count);
  };
  EXPECT_SILENT(check([&] { kernel(64); }));
  expectOne(check([&] { kernel(63); }), "silent-on-device",
            "only the first 224 are copied");
}

TEST(CheckMistakes, AnOperandOnABlock) {
  auto kernel = [](uint32_t offset) {
    Work work;
    HERE Adds(work.b[offset], work.a, 1.0f, 64);
  };
  EXPECT_SILENT(check([&] { kernel(8); }));
  expectOne(check([&] { kernel(4); }), "refused", "is not 32-byte aligned");
}

TEST(CheckMistakes, ACallThatTheProductHas) {
  auto kernel = [] {
    Work work;
    HERE Maxs(work.b, work.a, 1.0f, 64);
  };
  EXPECT_SILENT(check(kernel));
  expectOne(check(on("Ascend910A"), kernel), "refused",
            "not available on Atlas training");
}

TEST(CheckMistakes, ARoundingModeThatTheCastHas) {
  auto kernel = [](RoundMode mode) {
    Work work;
    HERE Cast(work.b.ReinterpretCast<bfloat16_t>(), work.a, mode, 64);
  };
  EXPECT_SILENT(check([&] { kernel(RoundMode::CAST_RINT); }));
  expectOne(check([&] { kernel(RoundMode::CAST_NONE); }), "refused",
            "float to bfloat16_t has no CAST_NONE");
}

TEST(CheckMistakes, ACompareOfWholeRepeats) {
  auto kernel = [](uint32_t count) {
    Work work;
    HERE Compare(work.c.ReinterpretCast<uint8_t>(), work.a, work.b, CMPMODE::LT,
                 count);
  };
  EXPECT_SILENT(check([&] { kernel(128); }));
  expectOne(check([&] { kernel(100); }), "silent-on-device", "256");
}

TEST(CheckMistakes, TooManyBuffers) {
  auto kernel = [](int count) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[65];
    for (int i = 0; i < count; ++i) {
      HERE pipe.InitBuffer(buffers[i], 32);
    }
  };
  EXPECT_SILENT(check([&] { kernel(64); }));
  expectOne(check([&] { kernel(65); }), "refused", "64");
}

TEST(CheckMistakes, BlocksInFlight) {
  Global<float> x(64);
  auto kernel = [&](int blocks) {
    TPipe pipe;
    TQue<TPosition::VECIN, 16> in;
    pipe.InitBuffer(in, 9, 32);
    for (int i = 0; i < blocks; ++i) {
      auto a = in.AllocTensor<float>();
      DataCopy(a, x.tensor(), 8);
      HERE in.EnQue(a);
    }
    for (int i = 0; i < blocks; ++i) {
      auto a = in.DeQue<float>();
      in.FreeTensor(a);
    }
  };
  EXPECT_SILENT(check([&] { kernel(8); }));
  expectOne(check([&] { kernel(9); }), "refused",
            "event ids of MTE2_V are in use");
}

TEST(CheckMistakes, OneChainPerTensor) {
  auto kernel = [](bool enqueues, bool frees) {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 32);
    for (int i = 0; i < 2; ++i) {
      HERE auto a = in.AllocTensor<float>();
      Duplicate(a, 1.0f, 8);
      if (enqueues) {
        in.EnQue(a);
        a = in.DeQue<float>();
      }
      if (frees)
        in.FreeTensor(a);
    }
  };
  EXPECT_SILENT(check([&] { kernel(true, true); }));
  EXPECT_SILENT(check([&] { kernel(false, true); }));
  expectOne(check([&] { kernel(true, false); }), "refused", "AllocTensor");
}

TEST(CheckMistakes, EveryFlagIsWaitedForOnce) {
  auto kernel = [](int sets, int waits) {
    for (int i = 0; i < sets; ++i) {
      HERE SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
    for (int i = 0; i < waits; ++i) {
      if (i == 1)
        markedLine = __LINE__ + 1;
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    }
  };
  EXPECT_SILENT(check([&] { kernel(1, 1); }));
  expectOne(check([&] { kernel(1, 0); }), "refused", "nothing waited for it");
  expectOne(check([&] { kernel(2, 2); }), "refused", "already set");
  expectOne(check([&] { kernel(1, 2); }), "refused", "waits in vain");
}

TEST(CheckMistakes, RepeatsAndBlocksInRange) {
  Global<float> x(64);
  auto repeats = [](int32_t repeat) {
    Work work(256);
    HERE WholeReduceSum(work.b, work.a, 64, repeat, 1, 1, 0);
  };
  EXPECT_SILENT(check([&] { repeats(255); }));
  expectOne(check([&] { repeats(256); }), "refused", "256");
  auto blocks = [&](uint16_t count) {
    TPipe pipe;
    TBuf<TPosition::VECIN> a;
    pipe.InitBuffer(a, 163840);
    const DataCopyParams rows{count, 1, 0, 0};
    HERE DataCopy(a.Get<float>(), x.tensor(), rows);
  };
  EXPECT_SILENT(check([&] { blocks(8); }));
  expectOne(check([&] { blocks(4096); }), "refused",
            "blockCount is 4096, at most 4095");
}

// BlockReduce takes repeat and mask, WholeReduce mask and repeat.
TEST(CheckMistakes, RepeatAndMaskInTheirOrder) {
  auto kernel = [](int32_t mask, int32_t repeat) {
    Work work(8192);
    HERE WholeReduceSum(work.b, work.a, mask, repeat, 1, 1, 8);
  };
  EXPECT_SILENT(check([&] { kernel(64, 128); }));
  expectOne(check([&] { kernel(128, 64); }), "refused", "mask is 128");
}

TEST(CheckMistakes, AMaskWithinTheLanes) {
  auto kernel = [](uint64_t mask) {
    Work work;
    HERE Adds(work.b, work.a, 1.0f, mask, 1, {1, 1, 8, 8});
  };
  EXPECT_SILENT(check([&] { kernel(64); }));
  expectOne(check([&] { kernel(65); }), "refused", "mask is 65");
}

// A count form resets the mask register.
TEST(CheckMistakes, TheMaskIsSetLast) {
  auto kernel = [](bool between) {
    Work work;
    SetMaskNorm();
    if (!between)
      Adds(work.c, work.a, 1.0f, 64);
    SetVectorMask<float>(0, 0xff);
    if (between)
      Adds(work.c, work.a, 1.0f, 64);
    HERE Adds<float, false>(work.b, work.a, 1.0f, MASK_PLACEHOLDER, 1,
                            {1, 1, 8, 8});
    ResetMask();
  };
  EXPECT_SILENT(check([&] { kernel(false); }));
  const auto findings = check([&] { kernel(true); });
  expectOne(findings, "lost-mask", "has reset what SetVectorMask at");
}

// A call with its own mask between is what the register then holds.
TEST(CheckMistakes, AMaskFromTheCallBeforeIsNoMistake) {
  EXPECT_SILENT(check([] {
    Work work;
    SetVectorMask<float>(0, 0xff);
    Adds<float, false>(work.b, work.a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    Adds(work.c, work.a, 1.0f, 64);
    Adds(work.c, work.a, 1.0f, uint64_t(32), 1, {1, 1, 8, 8});
    Adds<float, false>(work.b, work.a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    ResetMask();
    Adds(work.c, work.a, 1.0f, 64);
    Adds<float, false>(work.b, work.a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  }));
}

TEST(CheckMistakes, CounterModeIsSwitchedOff) {
  auto kernel = [](bool off) {
    Work work;
    HERE SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(0, 100);
    Adds<float, false>(work.b, work.a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    if (off) {
      SetMaskNorm();
      ResetMask();
    }
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "left-on",
            "counter mode is still on when the block ends");
}

TEST(CheckMistakes, AtomicStoresAreSwitchedOff) {
  Global<float> y(64);
  auto kernel = [&](bool off) {
    Work work;
    const auto id =
        static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE3));
    SetFlag<HardEvent::V_MTE3>(id);
    WaitFlag<HardEvent::V_MTE3>(id);
    HERE SetAtomicAdd<float>();
    DataCopy(y.tensor(), work.a, 64);
    if (off)
      SetAtomicNone();
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "left-on",
            "stores are still atomic when the block ends");
}

TEST(CheckMistakes, ZeroedMemoryForTheSoftwareMeeting) {
  constexpr uint32_t kBlocks = 4;
  Global<int32_t> flags(kBlocks * 8);
  auto kernel = [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(room, kBlocks * 32);
    HERE SyncAll(flags.tensor(), room.Get<int32_t>());
  };
  CheckRun how;
  how.blocks = kBlocks;
  std::memset(flags.data, 0, flags.count * sizeof(int32_t));
  EXPECT_SILENT(check(how, kernel));
  std::memset(flags.data, 0, flags.count * sizeof(int32_t));
  flags.data[8] = 5; // the slot of block 1
  expectOne(check(how, kernel), "refused", "gmWorkspace was not zeroed");
}

// Every core may store zeros to the slots before they are met in, and to
// nothing else that others store to.
TEST(CheckMistakes, EveryCoreClearsWhatItMeetsIn) {
  constexpr uint32_t kBlocks = 4;
  Global<int32_t> flags(2 * kBlocks * 8);
  auto kernel = [&](uint32_t cleared, bool again) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(room, 2 * kBlocks * 32);
    auto slots = room.Get<int32_t>();
    auto clear = [&] {
      Duplicate(slots, 0, cleared);
      const auto id =
          static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE3));
      SetFlag<HardEvent::V_MTE3>(id);
      WaitFlag<HardEvent::V_MTE3>(id);
      HERE DataCopy(flags.tensor(), slots, cleared);
    };
    clear();
    SyncAll(flags.tensor(), slots);
    if (again)
      clear();
  };
  CheckRun how;
  how.blocks = kBlocks;
  auto run = [&](uint32_t cleared, bool again) {
    std::fill_n(flags.data, flags.count, 1);
    return check(how, [&] { kernel(cleared, again); });
  };
  EXPECT_SILENT(run(kBlocks * 8, false));
  expectOne(run(2 * kBlocks * 8, false), "global-race", "at the same time");
  expectOne(run(kBlocks * 8, true), "global-race", "at the same time");
}

TEST(CheckMistakes, AWideningCastNeedsItsOwnTensor) {
  auto kernel = [](bool apart) {
    Work work;
    auto narrow = (apart ? work.c : work.a).ReinterpretCast<half>();
    HERE Cast(work.a, narrow, RoundMode::CAST_NONE, 128);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "refused",
            "their element sizes differ");
}

TEST(CheckMistakes, OperandsThatShareBytesInPart) {
  auto kernel = [](uint32_t offset) {
    Work work;
    HERE Adds(work.a[offset], work.a, 1.0f, 128);
  };
  EXPECT_SILENT(check([&] { kernel(0); }));   // in place
  EXPECT_SILENT(check([&] { kernel(128); })); // apart
  expectOne(check([&] { kernel(64); }), "overlap", "begins 256 bytes after it");
  // Halves of one tensor are apart.
  EXPECT_SILENT(check([] {
    Work work;
    Add(work.a, work.a, work.a[512], 512);
  }));
}

TEST(CheckMistakes, RepeatsThatWriteWhatTheNextOneReads) {
  auto kernel = [](uint32_t to, uint32_t from) {
    Work work;
    HERE Adds(work.a[to], work.a[from], 1.0f, uint64_t(64), 4, {1, 1, 8, 8});
  };
  EXPECT_SILENT(check([&] { kernel(0, 0); }));
  EXPECT_SILENT(check([&] { kernel(256, 0); }));
  EXPECT_SILENT(check([&] { kernel(0, 64); })); // moves down, in order
  expectOne(check([&] { kernel(64, 0); }), "overlap",
            "begins 256 bytes after it");
  expectOne(check([&] { kernel(0, 8); }), "overlap", "32 bytes before it");
}

TEST(CheckMistakes, CopiesInsideATensorMoveDown) {
  auto kernel = [](uint32_t to, uint32_t from) {
    Work work;
    HERE DataCopy(work.a[to], work.a[from], 256);
  };
  EXPECT_SILENT(check([&] { kernel(0, 8); }));
  expectOne(check([&] { kernel(8, 0); }), "overlap", "begins 32 bytes after");
}

// Words of 16 bits only: a plain count of another type has the wrong width.
TEST(CheckMistakes, BitwiseCallsOnWords) {
  auto kernel = [](bool words) {
    Work work;
    if (words) {
      auto a = work.a.ReinterpretCast<uint16_t>();
      And(a, a, a, 256);
    } else {
      auto a = work.a.ReinterpretCast<int32_t>();
      HERE And(a, a, a, 128);
    }
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "refused", "int32_t");
}

TEST(CheckMistakes, OffsetsOfAGatherAreBytes) {
  auto kernel = [](int32_t step) {
    Work work;
    auto index = work.b.ReinterpretCast<int32_t>();
    CreateVecIndex(index, 0, 64);
    Muls(index, index, step, 64);
    HERE Gather(work.c, work.a, work.b.ReinterpretCast<uint32_t>(), 0u, 64);
  };
  EXPECT_SILENT(check([&] { kernel(4); }));
  expectOne(check([&] { kernel(1); }), "silent-on-device",
            "an offset is not a multiple of the 4 bytes of an element");
}

// Brcb reads eight elements per repeat, whole reductions all lanes of the mask.
TEST(CheckMistakes, CallsThatReadMoreThanTheyWereGiven) {
  Global<float> y(64);
  auto kernel = [&](uint32_t written) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> few;
    VecOut out;
    pipe.InitBuffer(few, 32);
    pipe.InitBuffer(out, 1, 256);
    Duplicate(few.Get<float>(), 1.0f, static_cast<int32_t>(written));
    auto result = out.AllocTensor<float>();
    Brcb(result, few.Get<float>(), 1, {1, 8});
    out.EnQue(result);
    result = out.DeQue<float>();
    HERE DataCopy(y.tensor(), result, 64);
    out.FreeTensor(result);
  };
  EXPECT_SILENT(check([&] { kernel(8); }));
  expectOne(check([&] { kernel(5); }), "undefined-data",
            "bytes that nothing has written");
  auto reduce = [](int32_t lanes) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> few, result;
    pipe.InitBuffer(few, 128);
    pipe.InitBuffer(result, 32);
    Duplicate(few.Get<float>(), 1.0f, 32);
    HERE WholeReduceSum(result.Get<float>(), few.Get<float>(), lanes, 1, 1, 1,
                        8);
  };
  EXPECT_SILENT(check([&] { reduce(32); }));
  expectOne(check([&] { reduce(64); }), "out-of-bounds",
            "reads 128 bytes past the end of the buffer");
}

TEST(CheckMistakes, NoCountOfZeroOnRegisterArchitectures) {
  auto kernel = [](int32_t count) {
    Work work;
    HERE Adds(work.b, work.a, 1.0f, count);
  };
  EXPECT_SILENT(check(on("Ascend950PR_9589"), [&] { kernel(64); }));
  EXPECT_SILENT(check([&] { kernel(0); })); // nothing happens on A2
  expectOne(check(on("Ascend950PR_9589"), [&] { kernel(0); }),
            "silent-on-device",
            "count is 0, which Ascend 950 leaves undefined");
}

// Three tiles cast into a buffer of one.
TEST(CheckMistakes, AResultOfTheSizeOfItsBuffer) {
  auto kernel = [](uint32_t tiles) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> in, out, next;
    pipe.InitBuffer(in, 3 * 256);
    pipe.InitBuffer(out, 128);
    pipe.InitBuffer(next, 512);
    Duplicate(in.Get<float>(), 1.0f, 192);
    HERE Cast(out.Get<half>(), in.Get<float>(), RoundMode::CAST_RINT,
              tiles * 64);
  };
  EXPECT_SILENT(check([&] { kernel(1); }));
  expectOne(check([&] { kernel(3); }), "out-of-bounds",
            "writes 256 bytes past the end of the buffer");
}

// The caller of a launch still gets the text of what was refused.
TEST(CheckMistakes, TheResultOfTheLaunchKeepsItsErrors) {
  lossgrad::sim::CheckOptions options;
  options.print = false;
  lossgrad::sim::useCheckMode(options);
  lossgrad::sim::LaunchConfig config;
  config.kernelName = "k";
  const auto result = lossgrad::sim::launch(config, [] {
    Work work;
    Adds(work.b[1], work.a, 1.0f, 8);
  });
  lossgrad::sim::useFastMode();
  lossgrad::sim::takeFindings();
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.errors.find("is not 32-byte aligned"), std::string::npos);
}

} // namespace
