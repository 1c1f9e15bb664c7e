// Data movement: every form against expectations worked out by hand, and the
// rules that a copy can break.
#include "core_support.h"

#include <numeric>

using namespace AscendC;
using namespace lossgrad::test;

namespace {

template <typename T> std::vector<T> iota(size_t count, T first = T(0)) {
  std::vector<T> data(count);
  for (size_t i = 0; i < count; ++i)
    data[i] = static_cast<T>(static_cast<float>(first) + float(i));
  return data;
}

// UB of 64 KiB as one tensor, filled with -1.
template <typename T> LocalTensor<T> scratch(TPipe &pipe, TBuf<> &buffer) {
  pipe.InitBuffer(buffer, 64 * 1024);
  auto tensor = buffer.Get<T>();
  for (uint32_t i = 0; i < tensor.GetSize(); ++i)
    tensor.SetValue(i, -1);
  return tensor;
}

TEST(DataCopy, CountFormInAndOut) {
  auto in = iota<float>(64);
  std::vector<float> out(64, -7);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<float>(pipe, buffer);
    DataCopy(tensor, global(in)[3], 16); // any element may be the start in GM
    DataCopy(tensor[64], tensor, 16);
    DataCopy(global(out)[1], tensor[64], 16);
  }));
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i >= 1 && i < 17 ? i + 2 : -7) << i;
}

TEST(DataCopy, CountRoundsDownAndSaysSo) {
  auto in = iota<float>(64);
  const auto result = run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<float>(pipe, buffer);
    DataCopy(tensor, global(in), 13);
    EXPECT_EQ(tensor.GetValue(7), 7);
    EXPECT_EQ(tensor.GetValue(8), -1);
    DataCopy(tensor[32], global(in), 7); // less than a block: nothing
    EXPECT_EQ(tensor.GetValue(32), -1);
  });
  EXPECT_TRUE(result.ok);
  EXPECT_NE(
      withoutLines(result.warnings)
          .find("DataCopy at core_copy.cpp:N: 52 bytes are not a multiple "
                "of 32: only the first 32 are copied\n"),
      std::string::npos)
      << result.warnings;
}

TEST(DataCopy, BlocksAndGaps) {
  auto in = iota<half>(256);
  std::vector<half> out(256, half(-7));
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<half>(pipe, buffer);
    // 3 rows of 2 blocks (32 halves), 1 block skipped in GM, 3 in UB.
    DataCopy(tensor, global(in), DataCopyParams(3, 2, 1, 3));
    for (int row = 0; row < 3; ++row)
      for (int i = 0; i < 80; ++i)
        EXPECT_EQ(float(tensor.GetValue(row * 80 + i)),
                  i < 32 ? row * 48 + i : -1);
    DataCopy(global(out), tensor, DataCopyParams(3, 2, 3, 0));
    DataCopy(tensor, global(in), DataCopyParams(0, 2, 0, 0)); // no-ops
    DataCopy(tensor, global(in), DataCopyParams(2, 0, 0, 0));
  }));
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(float(out[i]), i < 96 ? i / 32 * 48 + i % 32 : -7);
}

TEST(DataCopy, Slices) {
  // A [4, 16] int32 matrix in GM; rows 1 and 2, columns 8..15.
  auto in = iota<int32_t>(64);
  std::vector<int32_t> out(64, -7);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<int32_t>(pipe, buffer);
    SliceInfo src[] = {{8, 15, 0, 1, 16}, {1, 2, 0, 1, 4}};
    SliceInfo dst[] = {{0, 7, 0, 1, 8}, {0, 1, 0, 1, 2}};
    DataCopy(tensor, global(in), dst, src, 2);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(tensor.GetValue(i), (1 + i / 8) * 16 + 8 + i % 8);
    EXPECT_EQ(tensor.GetValue(16), -1);
    DataCopy(global(out), tensor, src, dst, 2);
  }));
  for (int i = 0; i < 64; ++i) {
    const bool inside = i / 16 >= 1 && i / 16 <= 2 && i % 16 >= 8;
    EXPECT_EQ(out[i], inside ? i : -7) << i;
  }
}

TEST(DataCopy, SlicesWithGapsOfAnyLength) {
  // A [3, 40] matrix; rows 0 and 2, columns 3..10 and 16..23: a gap of 5.
  auto in = iota<float>(120);
  std::vector<float> out(120, -7);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<float>(pipe, buffer);
    SliceInfo gm[] = {{3, 23, 5, 1, 40}, {0, 2, 1, 1, 3}};
    SliceInfo ub[] = {{0, 15, 0, 1, 16}, {0, 1, 0, 1, 2}};
    DataCopy(tensor, global(in), ub, gm, 2);
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(tensor.GetValue(i),
                i / 16 * 80 + 3 + (i % 16) + (i % 16 >= 8 ? 5 : 0));
    SliceInfo sparse[] = {{3, 23, 5, 1, 40}, {0, 1, 0, 1, 3}};
    SliceInfo dense[] = {{0, 15, 0, 1, 16}, {0, 1, 0, 1, 2}};
    DataCopy(global(out), tensor, sparse, dense, 2);
  }));
  for (int i = 0; i < 120; ++i) {
    const int column = i % 40;
    const bool inside = i < 80 && ((column >= 3 && column <= 10) ||
                                   (column >= 16 && column <= 23));
    EXPECT_EQ(out[i], inside ? (i < 40 ? i : i + 40) : -7) << i;
  }
}

TEST(DataCopy, Nd2Nz) {
  // [3, 20] halves: two column blocks of 16, the second one zero-filled.
  auto in = iota<half>(60);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<half>(pipe, buffer);
    DataCopy(tensor, global(in), Nd2NzParams(1, 3, 20, 0, 20, 4, 1, 0));
    for (int n = 0; n < 3; ++n)
      for (int d = 0; d < 32; ++d)
        EXPECT_EQ(float(tensor.GetValue((d / 16 * 4 + n) * 16 + d % 16)),
                  d < 20 ? n * 20 + d : 0);
  }));
}

TEST(DataCopyPad, SlackIsTheFirstElementOfEachBlock) {
  auto in = iota<float>(64, 1);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<float>(pipe, buffer);
    // 2 rows of 5 floats, 3 floats skipped in GM, 1 block in UB.
    DataCopyPad(tensor, global(in), DataCopyExtParams(2, 20, 12, 1, 0),
                DataCopyPadExtParams<float>(false, 0, 0, 0));
    const float expected[] = {1,  2,  3,  4, 5,  1,  1,  1,  -1, -1, -1, -1, -1,
                              -1, -1, -1, 9, 10, 11, 12, 13, 9,  9,  9,  -1};
    for (int i = 0; i < 25; ++i)
      EXPECT_EQ(tensor.GetValue(i), expected[i]) << i;
  }));
}

// Labels of one type go to UB as another, and back: by addresses.
TEST(DataCopyPad, BetweenAddresses) {
  const std::vector<int32_t> in = {5, -1, 7, 9, 11};
  std::vector<uint32_t> out(5, 0u);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<int32_t>(pipe, buffer);
    auto *ub = (__ubuf__ uint32_t *)tensor.GetPhyAddr();
    auto *gm = (__gm__ uint32_t *)const_cast<int32_t *>(in.data());
    DataCopyPadGm2UBImpl(ub, gm, DataCopyExtParams(1, 12, 0, 0, 0),
                         DataCopyPadExtParams<uint32_t>(true, 0, 5, 3));
    EXPECT_EQ(tensor.GetValue(2), 7);
    EXPECT_EQ(tensor.GetValue(7), 3);
    DataCopyPadGm2UBImpl(ub + 8, gm + 3, DataCopyParams(1, 8, 0, 0),
                         DataCopyPadParams(true, 0, 0, 0));
    DataCopyPadUB2GMImpl((__gm__ uint32_t *)out.data(), ub,
                         DataCopyExtParams(1, 12, 0, 0, 0));
    DataCopyPadUB2GMImpl((__gm__ uint32_t *)out.data() + 3, ub + 8,
                         DataCopyParams(1, 8, 0, 0));
  }));
  EXPECT_EQ(std::vector<int32_t>(out.begin(), out.end()), in);
}

TEST(DataCopyPad, PadsLeftRightAndSlack) {
  auto in = iota<half>(64, half(1));
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<half>(pipe, buffer);
    DataCopyPad(tensor, global(in), DataCopyParams(1, 6, 0, 0),
                DataCopyPadParams(true, 2, 3, half(9).rawBits()));
    const float expected[] = {9, 9, 1, 2, 3, 9, 9, 9, 9,
                              9, 9, 9, 9, 9, 9, 9, -1};
    for (int i = 0; i < 17; ++i)
      EXPECT_EQ(float(tensor.GetValue(i)), expected[i]) << i;
    // isPad false keeps what the register holds.
    DataCopyPad(tensor[64], global(in), DataCopyExtParams(1, 6, 0, 0, 0),
                DataCopyPadExtParams<half>(false, 1, 0, half(5)));
    EXPECT_EQ(float(tensor.GetValue(64)), 9);
    SetPadValue(half(4));
    DataCopyPad(tensor[64], global(in), DataCopyExtParams(1, 6, 0, 0, 0),
                DataCopyPadExtParams<half>(false, 1, 0, half(5)));
    EXPECT_EQ(float(tensor.GetValue(64)), 4);
    EXPECT_EQ(float(tensor.GetValue(65)), 1);
  }));
}

TEST(DataCopyPad, StoresOnlyTheBytesAsked) {
  for (uint32_t count : {1u, 7u, 8u, 9u, 31u, 33u}) {
    std::vector<float> out(128, -7);
    EXPECT_OK(run([&] {
      TPipe pipe;
      TBuf<> buffer;
      auto tensor = scratch<float>(pipe, buffer);
      for (uint32_t i = 0; i < 256; ++i)
        tensor.SetValue(i, float(i));
      // Two rows; the second one starts after the rounded first and a block.
      DataCopyPad(global(out)[3], tensor,
                  DataCopyExtParams(2, count * 4, 1, 8, 0));
    }));
    const uint32_t pitch = (count + 7) / 8 * 8 + 8;
    for (uint32_t i = 0; i < 128; ++i) {
      float expected = -7;
      for (uint32_t row = 0; row < 2; ++row) {
        const uint32_t start = 3 + row * (count + 2);
        if (i >= start && i < start + count)
          expected = float(row * pitch + i - start);
      }
      EXPECT_EQ(out[i], expected) << count << " " << i;
    }
  }
}

TEST(Copy, MasksAndStrides) {
  EXPECT_OK(run([] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<float>(pipe, buffer);
    for (uint32_t i = 0; i < 1024; ++i)
      tensor.SetValue(i, float(i));
    auto dst = tensor[4096];
    // One row repeated: the source does not advance. 11 lanes: 8 + 3.
    Copy(dst, tensor[64], 11, 3, CopyRepeatParams(1, 1, 8, 0));
    for (int r = 0; r < 3; ++r)
      for (int i = 0; i < 64; ++i)
        EXPECT_EQ(dst.GetValue(r * 64 + i), i < 11 ? 64 + i : -1);
    // A bitmap, every second source block into adjacent blocks.
    dst = tensor[8192];
    const uint64_t mask[] = {0xff00000000000105ull, 0};
    Copy(dst, tensor, mask, 1, CopyRepeatParams(1, 2, 8, 8));
    for (int i = 0; i < 64; ++i) {
      const bool on = mask[0] >> i & 1;
      EXPECT_EQ(dst.GetValue(i), on ? i / 8 * 16 + i % 8 : -1) << i;
    }
  }));
}

// Every number of leading lanes, block strides and a counter, against the rule
// lane by lane.
TEST(Copy, LeadingLanes) {
  EXPECT_OK(run([] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<half>(pipe, buffer);
    for (uint32_t i = 0; i < 2048; ++i)
      tensor.SetValue(i, half(float(i)));
    auto dst = tensor[8192];
    for (uint32_t lanes : {1u, 16u, 17u, 63u, 64u, 65u, 100u, 128u})
      for (uint16_t stride : {1, 2}) {
        Duplicate(dst, half(-1.0f), 2048);
        Copy(dst, tensor, lanes, 2, CopyRepeatParams(stride, 1, 16, 8));
        for (uint32_t r = 0; r < 2; ++r)
          for (uint32_t i = 0; i < 128; ++i)
            EXPECT_EQ(
                float(dst.GetValue(r * 256 + i / 16 * 16 * stride + i % 16)),
                i < lanes ? float(r * 128 + i) : -1.0f)
                << lanes << " lanes, stride " << stride << ", lane " << i;
      }
  }));
}

template <typename T> void atomicCase(const char *soc) {
  std::vector<T> out(40, T(1));
  Options options;
  options.blocks = 8;
  options.soc = soc;
  EXPECT_OK(run(options, [&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<T>(pipe, buffer);
    for (uint32_t i = 0; i < 32; ++i)
      tensor.SetValue(i, T(i % 4));
    SetAtomicAdd<T>();
    DataCopy(global(out), tensor, 32);
    SetAtomicNone();
  }));
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(float(out[i]), i < 32 ? 1 + 8 * (i % 4) : 1) << i;
}

TEST(Atomic, AddsFromAllBlocks) {
  atomicCase<float>("Ascend910B1");
  atomicCase<half>("Ascend910B1");
  atomicCase<bfloat16_t>("Ascend910B1");
  atomicCase<int32_t>("Ascend910B1");
  atomicCase<int16_t>("Ascend910B1");
  atomicCase<int8_t>("Ascend910B1");
  atomicCase<float>("Ascend910A");
}

TEST(Atomic, MaxAndMin) {
  std::vector<int32_t> high(8, 3), low(8, 3);
  EXPECT_OK(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    auto tensor = scratch<int32_t>(pipe, buffer);
    for (int32_t i = 0; i < 8; ++i)
      tensor.SetValue(i, i);
    SetAtomicMax<int32_t>();
    DataCopy(global(high), tensor, 8);
    SetAtomicMin<int32_t>();
    DataCopyPad(global(low), tensor, DataCopyExtParams(1, 32, 0, 0, 0));
    SetAtomicNone();
  }));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(high[i], std::max(i, 3));
    EXPECT_EQ(low[i], std::min(i, 3));
  }
}

TEST(GlobalMemory, Fills) {
  std::vector<half> out(100, half(1));
  EXPECT_OK(run([&] {
    InitOutput<half>(global(out), 33, half(2));
    auto rest = global(out)[50];
    InitGlobalMemory<half>(rest, 7, half(3));
  }));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(float(out[i]), i < 33 ? 2 : i >= 50 && i < 57 ? 3 : 1);
}

//===- Rules --------------------------------------------------------------===//

TEST(CopyErrors, UnalignedUB) {
  auto in = iota<float>(64);
  EXPECT_EQ(
      errorOf(run([&] {
        TPipe pipe;
        TBuf<> buffer;
        auto tensor = scratch<float>(pipe, buffer);
        DataCopy(tensor[9], global(in), 8);
      })),
      "DataCopy at core_copy.cpp:N: UB address 0x24 of dst is not 32-byte "
      "aligned");
}

TEST(CopyErrors, BeyondUB) {
  std::vector<float> in(65536);
  EXPECT_EQ(errorOf(run([&] {
              TPipe pipe;
              TBuf<> buffer;
              auto tensor = scratch<float>(pipe, buffer);
              DataCopy(tensor, global(in), 49160);
            })),
            "DataCopy at core_copy.cpp:N: dst covers UB bytes [0, 196640), UB "
            "has 196608");
}

TEST(CopyErrors, NullPointer) {
  EXPECT_EQ(errorOf(run([&] {
              TPipe pipe;
              TBuf<> buffer;
              auto tensor = scratch<float>(pipe, buffer);
              GlobalTensor<float> nowhere;
              nowhere.SetGlobalBuffer(nullptr);
              DataCopy(tensor, nowhere, 8);
            })),
            "DataCopy at core_copy.cpp:N: src is a null pointer in global "
            "memory");
}

TEST(CopyErrors, TooManyBlocks) {
  std::vector<float> in(8);
  EXPECT_EQ(errorOf(run([&] {
              TPipe pipe;
              TBuf<> buffer;
              auto tensor = scratch<float>(pipe, buffer);
              DataCopy(tensor, global(in), DataCopyParams(4096, 1, 0, 0));
            })),
            "DataCopy at core_copy.cpp:N: blockCount is 4096, at most 4095 are "
            "possible");
}

TEST(CopyErrors, PadLength) {
  std::vector<float> in(8);
  EXPECT_EQ(errorOf(run([&] {
              TPipe pipe;
              TBuf<> buffer;
              auto tensor = scratch<float>(pipe, buffer);
              DataCopyPad(tensor, global(in), DataCopyExtParams(1, 6, 0, 0, 0),
                          DataCopyPadExtParams<float>());
            })),
            "DataCopyPad at core_copy.cpp:N: blockLen is 6 bytes, it must be a "
            "multiple of the element size 4");
  EXPECT_EQ(
      errorOf(run([&] {
        TPipe pipe;
        TBuf<> buffer;
        auto tensor = scratch<float>(pipe, buffer);
        DataCopyPad(tensor, global(in), DataCopyExtParams(1, 8, 0, 0, 0),
                    DataCopyPadExtParams<float>(true, 9, 0, 0));
      })),
      "DataCopyPad at core_copy.cpp:N: leftPadding and rightPadding are 36 "
      "and 0 bytes, each may be at most 32");
}

TEST(CopyErrors, ProductWithoutTheCall) {
  std::vector<float> in(8);
  Options inference;
  inference.soc = "Ascend310P3";
  EXPECT_EQ(errorOf(run(inference,
                        [&] {
                          TPipe pipe;
                          TBuf<> buffer;
                          auto tensor = scratch<float>(pipe, buffer);
                          DataCopyPad(tensor, global(in),
                                      DataCopyExtParams(1, 8, 0, 0, 0),
                                      DataCopyPadExtParams<float>());
                        })),
            "DataCopyPad at core_copy.cpp:N: not available on Atlas inference "
            "(Ascend310P3)");
  Options first;
  first.soc = "Ascend910A";
  EXPECT_EQ(errorOf(run(first, [] { SetAtomicAdd<half>(); })),
            "SetAtomicAdd at core_copy.cpp:N: half is not available for this "
            "call on Atlas training (Ascend910A)");
}

TEST(CopyErrors, ScalarAccessOutsideUB) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TBuf<> buffer;
              pipe.InitBuffer(buffer, 32);
              buffer.Get<float>().SetValue(49152, 1.0f);
            })),
            "LocalTensor::SetValue at core_copy.cpp:N: the element covers UB "
            "bytes [196608, 196612), UB has 196608");
}

} // namespace
