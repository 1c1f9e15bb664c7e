// Undefined data: from UB that nothing has written to where it matters, and
// nowhere else.
#include "check_support.h"
#include "lossgrad/sim/GlobalMemory.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

// Stores `count` floats that `fill` has put into a VECOUT block.
template <typename Fill>
void store(const GlobalTensor<float> &y, uint32_t count, Fill fill) {
  TPipe pipe;
  VecOut out;
  TBuf<TPosition::VECCALC> scratch;
  pipe.InitBuffer(out, 1, count * 4);
  pipe.InitBuffer(scratch, 8192);
  auto b = out.AllocTensor<float>();
  fill(b, scratch);
  out.EnQue(b);
  b = out.DeQue<float>();
  HERE DataCopy(y, b, count);
  out.FreeTensor(b);
}

using Scratch = TBuf<TPosition::VECCALC>;

TEST(CheckData, StoringWhatNothingWroteIsFound) {
  Global<float> y(64);
  EXPECT_SILENT(check([&] {
    store(y.tensor(), 64,
          [](LocalTensor<float> b, Scratch &) { Duplicate(b, 0.0f, 64); });
  }));
  const auto findings = check([&] {
    store(y.tensor(), 64,
          [](LocalTensor<float> b, Scratch &) { Duplicate(b, 0.0f, 56); });
  });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, 56u * 4);
  EXPECT_EQ(findings[0].end, 64u * 4);
}

TEST(CheckData, ItTravelsThroughArithmeticLaneByLane) {
  Global<float> y(64);
  auto kernel = [](uint32_t defined) {
    return [defined](LocalTensor<float> b, Scratch &scratch) {
      auto a = scratch.Get<float>();
      Duplicate(a, 1.0f, static_cast<int32_t>(defined));
      Duplicate(a[128], 2.0f, 128);
      Add(b, a, a[128], 64);
      Exp(b, b, 64);
    };
  };
  EXPECT_SILENT(check([&] { store(y.tensor(), 64, kernel(64)); }));
  const auto findings = check([&] { store(y.tensor(), 64, kernel(63)); });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, 63u * 4);
}

TEST(CheckData, GarbageInLanesThatAreNotStoredIsFine) {
  Global<float> y(64);
  EXPECT_SILENT(check([&] {
    store(y.tensor(), 64, [](LocalTensor<float> b, Scratch &scratch) {
      auto a = scratch.Get<float>();
      Duplicate(a, 1.0f, 64);
      Adds(a[128], a, 1.0f, 128); // computes on garbage behind lane 64
      Adds(b, a[128], 1.0f, 64);
    });
  }));
}

TEST(CheckData, CastsCarryItByElement) {
  Global<float> y(64);
  const auto findings = check([&] {
    store(y.tensor(), 64, [](LocalTensor<float> b, Scratch &scratch) {
      auto h = scratch.Get<half>();
      Duplicate(h, static_cast<half>(1.0f), 48);
      Cast(b, h, RoundMode::CAST_NONE, 64);
    });
  });
  expectOne(findings, "undefined-data", "stored");
  EXPECT_EQ(findings[0].begin, 48u * 4);
}

// A reduction that reads past the valid elements.
TEST(CheckData, ReductionsSpreadItOverTheirResult) {
  Global<float> y(8);
  auto kernel = [](int32_t valid) {
    return [valid](LocalTensor<float> b, Scratch &scratch) {
      auto a = scratch.Get<float>();
      Duplicate(b, 0.0f, 8);
      Duplicate(a, 1.0f, valid);
      WholeReduceSum(b, a, 64, 2, 1, 1, 8);
    };
  };
  EXPECT_SILENT(check([&] { store(y.tensor(), 8, kernel(128)); }));
  const auto findings = check([&] { store(y.tensor(), 8, kernel(100)); });
  expectOne(findings, "undefined-data", "stored");
  EXPECT_EQ(findings[0].begin, 4u); // only the second repeat's sum
}

TEST(CheckData, ASelectionByAnUndefinedMaskIsFound) {
  Global<float> y(64);
  auto kernel = [](bool compare) {
    return [compare](LocalTensor<float> b, Scratch &scratch) {
      auto a = scratch.Get<float>()[64];
      auto mask = scratch.Get<uint8_t>();
      Duplicate(a, 1.0f, 64);
      PipeBarrier<PIPE_V>();
      if (compare)
        CompareScalar(mask, a, 0.5f, CMPMODE::GT, 64);
      PipeBarrier<PIPE_V>();
      HERE Select(b, mask, a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    };
  };
  CheckRun how;
  EXPECT_SILENT(check([&] { store(y.tensor(), 64, kernel(true)); }));
  const auto findings = check([&] {
    // store() marks its own line last, so remember this one.
    store(y.tensor(), 64, kernel(false));
  });
  ASSERT_EQ(findings.size(), 1u) << all(findings);
  EXPECT_EQ(findings[0].call, "Select");
  EXPECT_NE(findings[0].what.find("decide a selection"), std::string::npos);
}

// The source that a lane does not take may be garbage; the mask is bit by bit.
TEST(CheckData, OnlyTheSelectedSourceCounts) {
  Global<float> y(64);
  EXPECT_SILENT(check([&] {
    store(y.tensor(), 64, [](LocalTensor<float> b, Scratch &scratch) {
      auto a = scratch.Get<float>()[64];
      auto c = scratch.Get<float>()[128];
      auto mask = scratch.Get<uint8_t>();
      Duplicate(b, 0.0f, 64);
      Duplicate(a, 1.0f, 61); // garbage from lane 61
      CompareScalar(mask, a, 0.5f, CMPMODE::GT, 64);
      Duplicate(c, 3.0f, 64);
      Select(b, mask, a, c, SELMODE::VSEL_TENSOR_TENSOR_MODE, 61);
    });
  }));
}

TEST(CheckData, AnUndefinedScalarIsFound) {
  const auto findings = check([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    auto tensor = a.Get<float>();
    Duplicate(tensor, 1.0f, 32);
    tensor.GetValue(31);
    HERE tensor.GetValue(32);
  });
  expectOne(findings, "undefined-data", "are read as a scalar");
}

TEST(CheckData, AnUndefinedIndexIsFound) {
  Global<float> y(64);
  auto kernel = [](bool fill) {
    return [fill](LocalTensor<float> b, Scratch &scratch) {
      auto table = scratch.Get<float>();
      auto offsets = scratch.Get<uint32_t>()[64];
      Duplicate(table, 1.0f, 64);
      if (fill)
        Duplicate(offsets, uint32_t(4), 64);
      else // zero bytes that the device would not have
        std::memset(offsets.GetPhyAddr(), 0, 256);
      PipeBarrier<PIPE_V>();
      Gather(b, table, offsets, 0, 64);
    };
  };
  EXPECT_SILENT(check([&] { store(y.tensor(), 64, kernel(true)); }));
  const auto findings = check([&] { store(y.tensor(), 64, kernel(false)); });
  ASSERT_EQ(findings.size(), 1u) << all(findings);
  EXPECT_EQ(findings[0].call, "Gather") << all(findings);
  EXPECT_NE(findings[0].what.find("decide an index"), std::string::npos)
      << all(findings);
}

// Padding with isPad = false is whatever the register holds.
TEST(CheckData, PaddingLeftToChanceIsUndefined) {
  Global<float> x(64), y(64);
  auto kernel = [&](bool isPad) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    auto a = queue.AllocTensor<float>();
    const DataCopyExtParams rows{1, 5 * 4, 0, 0, 0};
    const DataCopyPadExtParams<float> pad{isPad, 0, 3, 0.0f};
    DataCopyPad(a, x.tensor(), rows, pad);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    HERE DataCopy(y.tensor(), a, 8);
    queue.FreeTensor(a);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  const auto findings = check([&] { kernel(false); });
  expectOne(findings, "undefined-data", "stored");
  EXPECT_EQ(findings[0].begin, 20u);
}

// Device memory of aclrtMalloc has no value before somebody writes it.
TEST(CheckData, GlobalMemoryIsUndefinedUntilWritten) {
  Global<float> x(64), y(64);
  lossgrad::sim::globalAllocated(x.data, 256, /*defined=*/false);
  auto kernel = [&] {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    auto a = queue.AllocTensor<float>();
    DataCopy(a, x.tensor(), 64);
    queue.EnQue(a);
    a = queue.DeQue<float>();
    HERE DataCopy(y.tensor(), a, 64);
    queue.FreeTensor(a);
  };
  lossgrad::sim::globalWrittenByHost(x.data, 128);
  const auto findings = check(kernel);
  expectOne(findings, "undefined-data", "stored");
  EXPECT_EQ(findings[0].begin, 128u);
  lossgrad::sim::globalWrittenByHost(x.data + 32, 128);
  EXPECT_SILENT(check(kernel));
}

} // namespace
