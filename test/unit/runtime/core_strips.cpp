// Deferred execution in strips (ascendc/Strips.h): memory must be what it would
// be if each instruction were executed when it is called, whoever looks at it
// and however operands overlap. The first test shows that there is something to
// be wrong: that instructions are deferred at all. core_strips_large.cpp is
// about large tensors, core_strips_random.cpp has random sequences.
#include "core_strips_support.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>

using namespace AscendC;
using namespace lossgrad::test;
using lossgrad::sim::LaunchResult;

namespace {

std::vector<float> expected(size_t count, float (*of)(size_t)) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = of(i);
  return values;
}

} // namespace

TEST(Strips, InstructionsWaitUntilSomebodyLooks) {
  std::vector<float> in = ramp(), out(kCount);
  volatile float *seen = out.data();
  float before = -1, after = -1;
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    DataCopy(global(out), buffer(0), kCount);
    before = seen[7];
    PipeBarrier<PIPE_ALL>();
    after = seen[7];
  }));
  // The other modes watch each instruction when it is called.
  const char *mode = std::getenv("LOSSGRAD_MODE");
  const bool defers = !mode || mode == std::string("fast");
  EXPECT_EQ(before, defers ? 0 : 8);
  EXPECT_EQ(after, 8);
  Switch off("LOSSGRAD_STRIP", "0");
  out.assign(kCount, 0);
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    DataCopy(global(out), buffer(0), kCount);
    before = seen[7];
  }));
  EXPECT_EQ(before, 7);
}

TEST(Strips, SwitchIsChecked) {
  for (const char *value : {"100", "-128", "65664", "x", ""}) {
    Switch bad("LOSSGRAD_STRIP", value);
    EXPECT_EQ(run([] {}).errors,
              std::string("error: kernel 'k': LOSSGRAD_STRIP is '") + value +
                  "', it must be 0 or a multiple of 128 up to 65536\n");
  }
}

//===- who looks ----------------------------------------------------------===//

TEST(Strips, ScalarAccessSeesWhatWasCalledBefore) {
  std::vector<float> in = ramp(), out(kCount);
  EXPECT_OK(run([&] {
    GlobalTensor<float> from = global(in), to = global(out);
    DataCopy(buffer(0), from, kCount);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    EXPECT_EQ(buffer(0).GetValue(kCount - 1), float(kCount));
    Adds(buffer(1), buffer(0), 1.0f, kCount);
    buffer(0).SetValue(5, 100.0f); // after the Adds has read it
    EXPECT_EQ(buffer(1).GetValue(5), 7.0f);
    DataCopy(to, buffer(0), kCount);
    EXPECT_EQ(to.GetValue(5), 100.0f);
    DataCopy(buffer(1), from, kCount);
    from.SetValue(3, -1.0f); // after the copy has read it
    EXPECT_EQ(buffer(1).GetValue(3), 3.0f);
    Adds(buffer(2), buffer(1), 1.0f, kCount);
    EXPECT_EQ(buffer(2)(9), 10.0f);
  }));
}

TEST(Strips, AddressesInUbEndTheWaiting) {
  std::vector<float> in = ramp(), out(kCount);
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    const volatile float *raw = buffer(0).GetPhyAddr();
    EXPECT_EQ(raw[kCount - 1], float(kCount - 1));
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    EXPECT_EQ(raw[kCount - 1], float(kCount));
    Muls(buffer(0), buffer(0), 2.0f, kCount);
    EXPECT_EQ(raw[1], 4.0f);
  }));
  // A reference is an address as well.
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    float &first = buffer(0)(0);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    EXPECT_EQ(first, 1.0f);
  }));
}

TEST(Strips, FlagsForTheScalarUnitEndTheWaiting) {
  std::vector<float> in = ramp(), out(kCount);
  const volatile float *seen = out.data();
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    DataCopy(global(out), buffer(0), kCount);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    EXPECT_EQ(seen[kCount - 1], float(kCount - 1));
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    DataCopy(global(out), buffer(0), kCount);
    EXPECT_EQ(global(out).GetPhyAddr()[2], 3.0f);
  }));
}

TEST(Strips, ReductionsAndRegistersSeeWhatWasCalledBefore) {
  std::vector<float> in(kCount, 1.0f), out(kCount);
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    WholeReduceSum(buffer(1), buffer(0), 64, kCount / 64, 1, 1, 8);
    EXPECT_EQ(buffer(1).GetValue(kCount / 64 - 1), 128.0f);
    // The mask that a later Select takes is in UB when Select is called.
    Duplicate(buffer(2), 3.0f, kCount);
    Compare(buffer(3).ReinterpretCast<uint8_t>(), buffer(0), buffer(2),
            CMPMODE::LT, kCount);
    Select(buffer(4), buffer(3).ReinterpretCast<uint8_t>(), buffer(0),
           buffer(2), SELMODE::VSEL_CMPMASK_SPR, kCount);
    EXPECT_EQ(buffer(4).GetValue(kCount - 1), 2.0f);
  }));
}

//===- overlaps -----------------------------------------------------------===//

// The mask lies over the buffer that the compared values came from, as in
// generated kernels; then a load covers the mask.
TEST(Strips, MaskOverAnInput) {
  std::vector<float> in = ramp(), out(kCount), again(kCount);
  EXPECT_OK(run([&] {
    LocalTensor<uint8_t> mask = buffer(0).ReinterpretCast<uint8_t>();
    DataCopy(buffer(0), global(in), kCount);
    Adds(buffer(1), buffer(0), -2000.0f, kCount);
    CompareScalar(mask, buffer(1), 0.0f, CMPMODE::LT, kCount);
    Select(buffer(1), mask, buffer(1), -7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE,
           kCount);
    DataCopy(buffer(0), global(in), kCount);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    DataCopy(global(out), buffer(1), kCount);
    DataCopy(global(again), buffer(0), kCount);
  }));
  expectSame(
      out,
      expected(kCount,
               [](size_t i) { return i < 2000 ? float(i) - 2000 : -7.0f; }),
      "selected");
  expectSame(again, expected(kCount, [](size_t i) { return float(i + 1); }),
             "loaded again");
}

// A mask is read from where a value was written before: the later strips of the
// mask lie in the first strips of the values, and the other way round.
TEST(Strips, ValuesOverAMask) {
  std::vector<float> in = ramp(), out(kCount);
  EXPECT_OK(run([&] {
    LocalTensor<uint8_t> mask = buffer(0).ReinterpretCast<uint8_t>();
    DataCopy(buffer(1), global(in), kCount);
    CompareScalar(mask, buffer(1), 2000.0f, CMPMODE::LT, kCount);
    Select(buffer(2), mask, buffer(1), 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE,
           kCount);
    Muls(buffer(0), buffer(1), 2.0f, kCount); // overwrites the mask
    Add(buffer(2), buffer(2), buffer(0), kCount);
    DataCopy(global(out), buffer(2), kCount);
  }));
  expectSame(out,
             expected(kCount,
                      [](size_t i) {
                        return i < 2000 ? 3.0f * float(i) : 2.0f * float(i);
                      }),
             "out");
}

TEST(Strips, OperandsThatOverlapInPart) {
  // The second instruction reads behind (or before) what the first wrote.
  for (const int32_t shift : {-1024, -8, 8, 1024}) {
    std::vector<float> in = ramp(3 * kCount), out(kCount);
    EXPECT_OK(run([&] {
      LocalTensor<float> all = buffer(0, 3 * kCount);
      DataCopy(all, global(in), 3 * kCount);
      Muls(all[kCount], all[kCount], -1.0f, kCount);
      Adds(buffer(4), all[kCount + shift], 0.5f, kCount);
      Duplicate(all[kCount + shift], 9.0f, kCount); // and then overwritten
      DataCopy(global(out), buffer(4), kCount);
      EXPECT_EQ(all.GetValue(kCount + shift), 9.0f);
    }));
    for (int64_t i = 0; i < kCount; ++i) {
      const int64_t at = i + shift;
      const float value = static_cast<float>(kCount + at);
      ASSERT_EQ(out[i], (at >= 0 && at < kCount ? -value : value) + 0.5f)
          << "shift " << shift << ", element " << i;
    }
  }
}

// The first use of an operand may be shorter than the next.
TEST(Strips, OperandsThatGrow) {
  std::vector<float> in = ramp(), out(kCount);
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    Duplicate(buffer(1, 2 * kCount), 0.0f, 2 * kCount);
    PipeBarrier<PIPE_ALL>();
    DataCopy(buffer(0), global(in), kCount);
    Adds(buffer(1), buffer(0), 1.0f, 512);
    Adds(buffer(1), buffer(0), 1.0f, kCount);
    Adds(buffer(3), buffer(1)[1024], 0.0f, kCount - 1024);
    DataCopy(global(out), buffer(3), kCount - 1024);
  }));
  for (uint32_t i = 0; i < kCount - 1024; ++i)
    ASSERT_EQ(out[i], float(i + 1025)) << i;
}

TEST(Strips, CopyDownwardsInsideUb) {
  std::vector<float> in = ramp(), out(kCount);
  EXPECT_OK(run([&] {
    LocalTensor<float> all = buffer(0, 2 * kCount);
    DataCopy(all[512], global(in), kCount);
    DataCopy(all, all[512], kCount); // overlaps by all but 512 elements
    DataCopy(global(out), all, kCount);
  }));
  expectSame(out, ramp(), "moved");
}

TEST(Strips, CastsInPlace) {
  std::vector<float> in = ramp(), out(kCount);
  for (float &value : in)
    value = static_cast<float>(static_cast<int>(value) % 2000); // fits half
  EXPECT_OK(run([&] {
    // Narrow from the same start, then widen from the upper half.
    LocalTensor<float> wide = buffer(0);
    LocalTensor<half> low = wide.ReinterpretCast<half>();
    LocalTensor<half> high = low[kCount];
    DataCopy(wide, global(in), kCount);
    Cast(low, wide, RoundMode::CAST_RINT, kCount);
    Adds(low, low, half(1.0f), kCount);
    DataCopy(high, low, kCount);
    Cast(wide, high, RoundMode::CAST_NONE, kCount);
    DataCopy(global(out), wide, kCount);
  }));
  expectSame(out,
             expected(kCount, [](size_t i) { return float(i % 2000 + 1); }),
             "out");
}

TEST(Strips, TailsOfEveryLength) {
  for (const uint32_t count : {257u, 511u, 513u, 769u, 1021u, 1024u, 1025u}) {
    std::vector<float> in = ramp(), out(kCount, -1.0f);
    EXPECT_OK(run([&] {
      DataCopy(buffer(0), global(in), kCount);
      Duplicate(buffer(1), 5.0f, kCount);
      Adds(buffer(1), buffer(0), 1.0f, count);
      Muls(buffer(1), buffer(1), 2.0f, count - 1);
      DataCopyPad(global(out), buffer(1),
                  DataCopyExtParams{1, (count + 1) * 4, 0, 0, 0});
    }));
    for (uint32_t i = 0; i < kCount; ++i)
      ASSERT_EQ(out[i], i < count - 1    ? 2 * float(i + 1)
                        : i == count - 1 ? float(i + 1)
                        : i == count     ? 5.0f
                                         : -1.0f)
          << count << " elements, element " << i;
  }
}

// More steps and operands than a list holds.
TEST(Strips, LongSequences) {
  std::vector<float> in = ramp(), out(1024);
  EXPECT_OK(run([&] {
    auto row = [](uint32_t n) { return tensorAt<float>(n * 4096, 1024); };
    DataCopy(buffer(0), global(in), kCount); // begins a list
    Duplicate(row(4), 1.0f, 1024);
    for (uint32_t n = 5; n < 45; ++n)
      Adds(row(n), row(n - 1), 1.0f, 1024);
    for (uint32_t i = 0; i < 100; ++i)
      Adds(row(44), row(44), 1.0f, 1024);
    DataCopy(global(out), row(44), 1024);
  }));
  expectSame(out, std::vector<float>(1024, 141.0f), "out");
}

//===- other cores --------------------------------------------------------===//

namespace {
// Each block of `blocks` writes its part; `meet` lets it know that its left
// neighbour has; then it reads the neighbour's.
void passAround(uint32_t blocks, void (*meet)(std::vector<int32_t> &)) {
  const size_t total = size_t{blocks} * kCount;
  std::vector<float> in = ramp(total), middle(total), out(total);
  std::vector<int32_t> workspace(blocks * 8 * 4);
  Options options;
  options.blocks = blocks;
  EXPECT_OK(run(options, [&] {
    const int64_t own = GetBlockIdx() * kCount;
    const int64_t other = (GetBlockIdx() + blocks - 1) % blocks * kCount;
    DataCopy(buffer(0), global(in)[own], kCount);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    DataCopy(global(middle)[own], buffer(0), kCount);
    meet(workspace);
    DataCopy(buffer(1), global(middle)[other], kCount);
    DataCopy(global(out)[own], buffer(1), kCount);
  }));
  for (size_t i = 0; i < total; ++i)
    ASSERT_EQ(out[i], float((i + total - kCount) % total + 1)) << i;
}
} // namespace

TEST(Strips, SyncAllPublishesAndRefreshes) {
  passAround(40, [](std::vector<int32_t> &) { SyncAll(); });
}

TEST(Strips, SoftwareSyncAllPublishesAndRefreshes) {
  passAround(40, [](std::vector<int32_t> &workspace) {
    SyncAll(global(workspace), tensorAt<int32_t>(5 * kBytes, 40 * 8));
  });
}

TEST(Strips, FlagsBetweenBlocksPublishAndRefresh) {
  passAround(8, [](std::vector<int32_t> &workspace) {
    LocalTensor<int32_t> local = tensorAt<int32_t>(5 * kBytes, 64);
    const auto block = static_cast<int32_t>(GetBlockIdx());
    IBSet(global(workspace), local, block, 0);
    IBWait(global(workspace), local, (block + 7) % 8, 0);
  });
}

TEST(Strips, AtomicAddAfterAPlainStore) {
  std::vector<float> in(kCount, 1.0f), out(kCount);
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), global(in), kCount);
    DataCopy(global(out), buffer(0), kCount);
    Muls(buffer(0), buffer(0), 2.0f, kCount);
    SetAtomicAdd<float>();
    DataCopy(global(out), buffer(0), kCount);
    Duplicate(buffer(0), 4.0f, kCount); // must not be what is added
    DataCopy(global(out), buffer(0), kCount);
    SetAtomicNone();
  }));
  expectSame(out, std::vector<float>(kCount, 7.0f), "out");
}

//===- failures -----------------------------------------------------------===//

TEST(Strips, WhatCameBeforeAnErrorHasHappened) {
  std::vector<float> in = ramp(), out(kCount);
  auto stored = [&](const char *what) {
    for (uint32_t i = 0; i < kCount; ++i)
      ASSERT_EQ(out[i], float(i + 1)) << what;
    out.assign(kCount, 0.0f);
  };
  auto calls = [&] {
    DataCopy(buffer(0), global(in), kCount);
    Adds(buffer(0), buffer(0), 1.0f, kCount);
    DataCopy(global(out), buffer(0), kCount);
  };
  EXPECT_EQ(errorOf(run([&] {
              calls();
              Adds(buffer(0)[1], buffer(0), 1.0f, kCount);
            })),
            "Adds at core_strips.cpp:N: UB address 0x4 of dst is not 32-byte "
            "aligned");
  stored("a refused instruction");
  EXPECT_EQ(errorOf(run([&] {
              calls();
              throw std::runtime_error("enough");
            })),
            "DataCopy at core_strips.cpp:N: the kernel threw: enough");
  stored("an exception");
  EXPECT_EQ(errorOf(run([&] {
              calls();
              volatile int *nowhere = nullptr;
              *nowhere = 1;
            })),
            "DataCopy at core_strips.cpp:N: memory fault at address (nil) "
            "(Segmentation fault); this is the last call before it");
  stored("a fault");
}

// Found when the list is executed, reported for the call that is at fault.
TEST(Strips, FaultsNameTheCallThatFaults) {
  auto *memory =
      static_cast<float *>(lossgrad::sim::allocateGlobal(512 * sizeof(float)));
  std::vector<float> in = ramp(), out(kCount);
  int line = 0;
  const LaunchResult result = run([&] {
    GlobalTensor<float> shorter;
    shorter.SetGlobalBuffer(memory);
    DataCopy(buffer(0), global(in), kCount);
    line = __LINE__ + 1;
    DataCopy(buffer(1), shorter, kCount);
    Add(buffer(0), buffer(0), buffer(1), kCount);
    DataCopy(global(out), buffer(0), kCount);
  });
  lossgrad::sim::freeGlobal(memory);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.errors.find("error: kernel 'k', block 0: DataCopy at "
                               "core_strips.cpp:" +
                               std::to_string(line) +
                               ": memory fault at address "),
            0u)
      << result.errors;
}

// A core is used again after a block that failed with a list.
TEST(Strips, NothingIsLeftOverFromAFailedBlock) {
  std::vector<float> in = ramp(), out(kCount);
  auto *memory =
      static_cast<float *>(lossgrad::sim::allocateGlobal(512 * sizeof(float)));
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(run([&] {
                   GlobalTensor<float> shorter;
                   shorter.SetGlobalBuffer(memory);
                   DataCopy(buffer(1), shorter, kCount);
                   DataCopy(global(out), buffer(1), kCount);
                 }).ok);
    EXPECT_OK(run([&] {
      DataCopy(buffer(0), global(in), kCount);
      DataCopy(global(out), buffer(0), kCount);
    }));
    expectSame(out, in, "the next launch");
  }
  lossgrad::sim::freeGlobal(memory);
}
