// Bounds of UB and global memory, reserved UB.
#include "check_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

// One tile in, doubled, out; `loaded` elements of `count`.
void doubleTile(const GlobalTensor<float> &x, const GlobalTensor<float> &y,
                uint32_t bufferBytes, uint32_t count) {
  TPipe pipe;
  VecIn in;
  VecOut out;
  pipe.InitBuffer(in, 2, bufferBytes);
  pipe.InitBuffer(out, 2, bufferBytes);
  auto a = in.AllocTensor<float>();
  DataCopy(a, x, count);
  in.EnQue(a);
  a = in.DeQue<float>();
  auto b = out.AllocTensor<float>();
  HERE Muls(b, a, 2.0f, static_cast<int32_t>(count));
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<float>();
  DataCopy(y, b, count);
  out.FreeTensor(b);
}

TEST(CheckMemory, ACorrectKernelIsSilent) {
  Global<float> x(256), y(256);
  EXPECT_SILENT(check([&] { doubleTile(x.tensor(), y.tensor(), 1024, 256); }));
  CheckRun strict;
  strict.sync = lossgrad::sim::SyncLevel::Strict;
  EXPECT_SILENT(
      check(strict, [&] { doubleTile(x.tensor(), y.tensor(), 1024, 256); }));
}

TEST(CheckMemory, AnOverrunIntoTheNeighbourBufferIsFound) {
  const auto findings = check([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    HERE Duplicate(a.Get<float>(), 1.0f, 72);
  });
  expectOne(findings, "out-of-bounds",
            "writes 32 bytes past the end of the buffer: VECCALC buffer 0 (256 "
            "bytes), bytes [0, 288)");
}

TEST(CheckMemory, UbWithoutABufferIsFound) {
  const auto findings = check([] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    HERE Duplicate(a.Get<float>()[128], 1.0f, 8);
  });
  expectOne(findings, "out-of-bounds", "UB that no buffer owns");
}

TEST(CheckMemory, AReadPastATensorIsFound) {
  Global<float> x(60);
  CheckRun how;
  how.arguments = {x.data};
  const auto findings = check(how, [&] {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 256);
    auto a = in.AllocTensor<float>();
    HERE DataCopy(a, x.tensor(), 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    in.FreeTensor(a);
  });
  expectOne(findings, "out-of-bounds",
            "reads 16 bytes past the end of the tensor: argument 0 (240 "
            "bytes), bytes [0, 256)");
}

// Two tensors in one allocation: the neighbour is outside.
TEST(CheckMemory, BoundsAreTheTensorsNotTheAllocations) {
  Global<float> both(128);
  auto load = [&](uint32_t count) {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 512);
    auto a = in.AllocTensor<float>();
    HERE DataCopy(a, both.tensor(), count);
    in.EnQue(a);
    a = in.DeQue<float>();
    in.FreeTensor(a);
  };
  CheckRun how;
  how.tensors = {{both.data, 256, "self"}, {both.data + 64, 256, "target"}};
  EXPECT_SILENT(check(how, [&] { load(64); }));
  expectOne(check(how, [&] { load(72); }), "out-of-bounds",
            "reads 32 bytes past the end of the tensor: self (256 bytes), "
            "bytes [0, 288)");
  EXPECT_SILENT(check([&] { load(72); })); // only the allocation is known
}

// Without DataCopyPad a tail is read with the rest of its block.
TEST(CheckMemory, ProductsWithoutDataCopyPadMayReadToTheNextBlock) {
  Global<float> x(60), y(60);
  auto load = [](const GlobalTensor<float> &from, uint32_t count) {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 512);
    auto a = in.AllocTensor<float>();
    HERE DataCopy(a, from, count);
    in.EnQue(a);
    a = in.DeQue<float>();
    in.FreeTensor(a);
  };
  CheckRun how;
  how.soc = "Ascend310P3";
  EXPECT_SILENT(check(how, [&] { load(x.tensor(), 64); }));
  expectOne(check(how, [&] { load(x.tensor(), 72); }), "out-of-bounds",
            "48 bytes past the end");
}

TEST(CheckMemory, AWritePastATensorIsFound) {
  Global<float> y(60);
  const auto findings = check([&] {
    TPipe pipe;
    VecOut out;
    pipe.InitBuffer(out, 1, 256);
    auto b = out.AllocTensor<float>();
    Duplicate(b, 0.0f, 64);
    out.EnQue(b);
    b = out.DeQue<float>();
    HERE DataCopy(y.tensor(), b, 64);
    out.FreeTensor(b);
  });
  expectOne(findings, "out-of-bounds",
            "writes 16 bytes past the end of the tensor");
}

TEST(CheckMemory, AScalarAccessPastATensorIsFound) {
  Global<int32_t> x(16);
  const auto findings = check([&] { HERE x.tensor().GetValue(16); });
  expectOne(findings, "out-of-bounds", "reads 4 bytes past the end");
}

TEST(CheckMemory, AReadBeforeATensorIsFound) {
  Global<float> x(64);
  CheckRun how;
  how.arguments = {x.data};
  auto kernel = [&](int64_t offset) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    HERE DataCopyPad(a.Get<float>(), x.tensor()[offset],
                     DataCopyExtParams{1, 20, 0, 0, 0},
                     DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
  };
  EXPECT_SILENT(check(how, [&] { kernel(0); }));
  expectOne(check(how, [&] { kernel(-2); }), "out-of-bounds",
            "begins 8 bytes before the tensor: argument 0 (256 bytes)");
}

// A copy may leave both sides; each is a finding of its own.
TEST(CheckMemory, BothSidesOfACopyAreFound) {
  Global<float> x(64);
  const auto findings = check([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    DataCopyPad(a.Get<float>(), x.tensor(), DataCopyExtParams{1, 260, 0, 0, 0},
                DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
  });
  ASSERT_EQ(findings.size(), 2u) << all(findings);
  EXPECT_NE(findings[0].what.find("reads 4 bytes past"), std::string::npos);
  EXPECT_NE(findings[1].what.find("writes 32 bytes past"), std::string::npos);
}

// A view may reach beyond its buffer as long as nobody goes there.
TEST(CheckMemory, AViewBeyondItsBuffer) {
  auto kernel = [](int32_t count) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, next;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(next, 256);
    auto tail = a.GetWithOffset<float>(64, 128);
    HERE Duplicate(tail, 1.0f, count);
  };
  EXPECT_SILENT(check([&] { kernel(32); }));
  expectOne(check([&] { kernel(40); }), "out-of-bounds",
            "writes 32 bytes past the end of the buffer");
}

TEST(CheckMemory, MemoryThatIsNotTheDevicesIsFound) {
  static float host[64];
  const auto findings = check([&] {
    TPipe pipe;
    VecIn in;
    pipe.InitBuffer(in, 1, 256);
    GlobalTensor<float> x;
    x.SetGlobalBuffer(host, 64);
    auto a = in.AllocTensor<float>();
    HERE DataCopy(a, x, 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    in.FreeTensor(a);
  });
  expectOne(findings, "out-of-bounds", "outside of any allocation");
}

// Strides of a store in the wrong unit leave the buffer.
TEST(CheckMemory, StridesInTheWrongUnitAreFound) {
  Global<float> y(64);
  auto kernel = [&](uint32_t srcStride, bool mark) {
    TPipe pipe;
    VecOut out;
    pipe.InitBuffer(out, 1, 512);
    auto b = out.AllocTensor<float>();
    Duplicate(b, 0.0f, 128);
    out.EnQue(b);
    b = out.DeQue<float>();
    // Four rows of 32 bytes, one block apart in UB.
    const DataCopyExtParams rows{4, 32, srcStride, 0, 0};
    HERE DataCopyPad(y.tensor(), b, rows);
    out.FreeTensor(b);
  };
  EXPECT_SILENT(check([&] { kernel(1, false); }));
  const auto findings = check([&] { kernel(32, true); });
  expectOne(findings, "out-of-bounds", "UB that no buffer owns");
}

TEST(CheckMemory, BuffersInTheScratchOfSignAreFound) {
  auto kernel = [](uint32_t bytes) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, bytes);
    auto x = all.Get<float>();
    Duplicate(x, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    HERE Sign(x[64], x, 64);
  };
  EXPECT_SILENT(check([&] { kernel(184 * 1024); }));
  expectOne(check([&] { kernel(184 * 1024 + 32); }), "reserved-ub",
            "keep all buffers below 188416 bytes");
}

TEST(CheckMemory, BuffersInTheReservedScratchAreFound) {
  auto kernel = [](uint32_t bytes, bool data = false) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, bytes);
    if (data)
      Duplicate(all.Get<float>()[184 * 256], 1.0f, 8);
    auto mask = all.Get<uint8_t>();
    auto x = all.Get<float>()[64];
    auto y = all.Get<float>()[128];
    Duplicate(all.Get<int16_t>(), static_cast<int16_t>(-1), 16);
    Duplicate(x, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    HERE Select(y, mask, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  };
  EXPECT_SILENT(check([&] { kernel(184 * 1024); }));
  expectOne(check([&] { kernel(184 * 1024 + 32); }), "reserved-ub",
            "keep all buffers below 188416");
  expectOne(check([&] { kernel(184 * 1024 + 32, true); }), "refused",
            "holds data; keep data below 188416");
}

TEST(CheckMemory, AGatherThatLeavesItsSourceIsFound) {
  // The neighbour is defined: only the source's buffer tells.
  auto kernel = [](uint32_t last) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> table, neighbour, rest;
    pipe.InitBuffer(table, 256);
    pipe.InitBuffer(neighbour, 256);
    pipe.InitBuffer(rest, 512);
    Duplicate(table.Get<float>(), 1.0f, 64);
    Duplicate(neighbour.Get<float>(), 2.0f, 64);
    auto offsets = rest.Get<uint32_t>();
    Duplicate(offsets.ReinterpretCast<int32_t>(), static_cast<int32_t>(last),
              64);
    PipeBarrier<PIPE_V>();
    HERE Gather(offsets[64].ReinterpretCast<float>(), table.Get<float>(),
                offsets, 0u, 64);
  };
  EXPECT_SILENT(check([&] { kernel(252); }));
  expectOne(check([&] { kernel(256); }), "out-of-bounds",
            "an offset leads out of the 256 bytes of the source's buffer, to "
            "byte 256");
}

TEST(CheckMemory, RepeatsThatWriteOverEachOtherAreFound) {
  auto kernel = [](uint8_t stride, bool accumulates) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, 8192);
    auto x = all.Get<float>();
    Duplicate(x, 1.0f, 2048);
    PipeBarrier<PIPE_V>();
    if (accumulates) {
      HERE Add(x, x, x[512], 64, 4, {1, 1, 1, stride, stride, 8});
    } else {
      HERE Add(x, x[512], x[1024], 64, 4, {1, 1, 1, stride, 8, 8});
    }
  };
  EXPECT_SILENT(check([&] { kernel(8, false); }));
  EXPECT_SILENT(check([&] { kernel(0, true); }));
  expectOne(check([&] { kernel(4, false); }), "overlap",
            "each of 4 repeats writes 256 bytes, 128 bytes after the one "
            "before");
  expectOne(check([&] { kernel(0, false); }), "overlap",
            "each of 4 repeats writes 256 bytes, 0 bytes after the one before");
}

} // namespace
