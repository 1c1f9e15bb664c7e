// Calls that move or make data: Compare, Select, Duplicate, Brcb, sequences,
// Gather, GatherMask, transposes; and the registers that calls leave behind.
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kA = 0, kB = 32768, kD = 65536, kM = 98304;

bool compared(CMPMODE mode, float a, float b) {
  switch (mode) {
  case CMPMODE::LT:
    return a < b;
  case CMPMODE::GT:
    return a > b;
  case CMPMODE::EQ:
    return a == b;
  case CMPMODE::LE:
    return a <= b;
  case CMPMODE::GE:
    return a >= b;
  default:
    return a != b;
  }
}

template <typename T> void checkCompare() {
  const uint32_t lanes = 256 / sizeof(T), count = lanes * 5;
  auto a = samples<T>(count, 1), b = samples<T>(count, 2);
  for (uint32_t i = 0; i < count; i += 3)
    b[i] = a[i];
  for (int m = 0; m < 6; ++m) {
    const auto mode = static_cast<CMPMODE>(m);
    std::vector<uint8_t> bits, scalar, strided;
    EXPECT_OK(run([&] {
      auto x = tensorAt<T>(kA, count), y = tensorAt<T>(kB, count);
      auto out = tensorAt<uint8_t>(kM, 4096);
      put(x, a);
      put(y, b);
      Compare(out, x, y, mode, count);
      bits = get(out, count / 8);
      CompareScalar(out, x, T(1.0f), mode, count);
      scalar = get(out, count / 8);
      // The mask is ignored on A2; strides are not.
      Compare(out, x, y, mode, uint64_t{3}, 2, {1, 2, 1, 8, 16, 8});
      strided = get(out, lanes / 4);
    }));
    for (uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(bits[i / 8] >> (i % 8) & 1, compared(mode, a[i], b[i])) << i;
      ASSERT_EQ(scalar[i / 8] >> (i % 8) & 1, compared(mode, a[i], 1.0f)) << i;
    }
    Walk::lanes(lanes, 2).each(lanes, [&](uint32_t r, uint32_t lane) {
      const uint32_t i = r * lanes + lane;
      ASSERT_EQ(strided[i / 8] >> (i % 8) & 1,
                compared(mode, a[laneIndex<T>(r, lane, 2, 16)],
                         b[laneIndex<T>(r, lane, 1, 8)]));
    });
  }
}

// The mask of a level-0 Compare: passed over on A2, honoured on 950, where the
// bits of lanes that it leaves out become 0.
TEST(VectorCompare, MaskOfTheProduct) {
  auto bitsOn = [](const char *soc, uint64_t mask, uint8_t *bits) {
    Options options;
    options.soc = soc;
    EXPECT_OK(run(options, [=] {
      auto x = tensorAt<float>(kA, 128), y = tensorAt<float>(kB, 128);
      auto out = tensorAt<uint8_t>(kD, 32);
      for (int i = 0; i < 128; ++i) {
        x.SetValue(i, 1.0f);
        y.SetValue(i, 2.0f);
      }
      for (int i = 0; i < 32; ++i)
        out.SetValue(i, 0xaa);
      Compare(out, x, y, CMPMODE::LT, mask, 2, {1, 1, 1, 8, 8, 8});
      for (int i = 0; i < 17; ++i)
        bits[i] = out.GetValue(i);
    }));
  };
  uint8_t bits[17];
  bitsOn("Ascend910B1", 10, bits);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(bits[i], 0xff) << i;
  EXPECT_EQ(bits[16], 0xaa);
  bitsOn("Ascend950PR_9589", 10, bits);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(bits[i], i % 8 == 0 ? 0xff : i % 8 == 1 ? 0x03 : 0) << i;
  EXPECT_EQ(bits[16], 0xaa);
  bitsOn("Ascend950PR_9589", 64, bits);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(bits[i], 0xff) << i;
}

TEST(VectorCompare, AllModesAndShapes) {
  checkCompare<float>();
  checkCompare<half>();
}

TEST(VectorCompare, TailBitsStayAndAreReported) {
  std::vector<uint8_t> bits;
  const auto result = run([&] {
    auto x = tensorAt<float>(kA, 128);
    auto out = tensorAt<uint8_t>(kM, 32);
    put(out, std::vector<uint8_t>(32, 0xaa));
    Duplicate(x, 1.0f, 128);
    CompareScalar(out, x, 1.0f, CMPMODE::EQ, 100);
    bits = get(out, 16);
  });
  EXPECT_TRUE(result.ok) << result.errors;
  EXPECT_NE(result.warnings.find(
                "count 100 is no multiple of 64 (256 bytes): the last 36 "
                "elements are not compared and their bits stay as they are"),
            std::string::npos)
      << result.warnings;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(bits[i], 0xff);
    EXPECT_EQ(bits[i + 8], 0xaa);
  }
}

TEST(VectorCompare, Int32OnlyForEquality) {
  std::vector<uint8_t> bits;
  EXPECT_OK(run([&] {
    auto x = tensorAt<int32_t>(kA, 64), y = tensorAt<int32_t>(kB, 64);
    auto out = tensorAt<uint8_t>(kM, 32);
    Duplicate(x, 16777217, 64);
    Duplicate(y, 16777216, 64);
    y.SetValue(1, 16777217);
    Compare(out, x, y, CMPMODE::EQ, 64u);
    bits = get(out, 1);
  }));
  EXPECT_EQ(bits[0], 2);
  EXPECT_EQ(errorOf(run([&] {
              auto x = tensorAt<int32_t>(kA, 64);
              Compare(tensorAt<uint8_t>(kM, 32), x, x, CMPMODE::LT, 64u);
            })),
            "Compare at vector_moves.cpp:N: int32_t compares only with EQ on "
            "Atlas A2 (Ascend910B1), not with LT");
}

template <typename T> void checkSelect() {
  const uint32_t lanes = 256 / sizeof(T);
  const auto a = samples<T>(4096, 3), b = samples<T>(4096, 4),
             d = samples<T>(4096, 5);
  std::vector<uint8_t> mask(1024);
  std::mt19937 random(6);
  for (uint8_t &byte : mask)
    byte = static_cast<uint8_t>(random());
  auto bit = [&](uint32_t i) { return mask[i / 8] >> (i % 8) & 1; };
  auto with = [&](const char *what, auto issue, auto expect) {
    std::vector<T> actual, expected = d;
    EXPECT_OK(run([&] {
      auto x = tensorAt<T>(kA, 4096), y = tensorAt<T>(kB, 4096),
           z = tensorAt<T>(kD, 4096);
      auto m = tensorAt<uint8_t>(kM, 1024);
      put(x, a);
      put(y, b);
      put(z, d);
      put(m, mask);
      issue(z, m, x, y);
      actual = get(z, 4096);
    }));
    expect(expected);
    expectSame(actual, expected, what);
  };
  const T scalar = T(2.5f);
  for (uint32_t count : kTails) {
    with(
        "mode 2",
        [&](auto &z, auto &m, auto &x, auto &y) {
          Select(z, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        },
        [&](std::vector<T> &out) {
          for (uint32_t i = 0; i < count; ++i)
            out[i] = bit(i) ? a[i] : b[i];
        });
    with(
        "mode 1",
        [&](auto &z, auto &m, auto &x, auto &) {
          Select(z, m, x, scalar, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
        },
        [&](std::vector<T> &out) {
          for (uint32_t i = 0; i < count; ++i)
            out[i] = bit(i) ? a[i] : scalar;
        });
    with(
        "mode 0",
        [&](auto &z, auto &m, auto &x, auto &y) {
          Select(z, m, x, y, SELMODE::VSEL_CMPMASK_SPR, count);
        },
        [&](std::vector<T> &out) {
          for (uint32_t i = 0; i < count; ++i)
            out[i] = bit(i % lanes) ? a[i] : b[i];
        });
  }
  const BinaryRepeatParams p{2, 1, 1, 16, 9, 8};
  with(
      "level 0",
      [&](auto &z, auto &m, auto &x, auto &y) {
        Select(z, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{21}, 4,
               p);
      },
      [&](std::vector<T> &out) {
        Walk::lanes(21, 4).each(lanes, [&](uint32_t r, uint32_t lane) {
          out[laneIndex<T>(r, lane, 2, 16)] =
              bit(r * lanes + lane) ? a[laneIndex<T>(r, lane, 1, 9)]
                                    : b[laneIndex<T>(r, lane, 1, 8)];
        });
      });
}

TEST(VectorSelect, ModesAndShapes) {
  checkSelect<float>();
  checkSelect<half>();
}

TEST(VectorSelect, RegisterForms) {
  std::vector<float> picked, withScalar;
  std::vector<uint64_t> stored;
  EXPECT_OK(run([&] {
    auto x = tensorAt<float>(kA, 128), y = tensorAt<float>(kB, 128),
         z = tensorAt<float>(kD, 128);
    Duplicate(x, 1.0f, 128);
    Duplicate(y, 1.0f, 128);
    x.SetValue(3, 0.0f);
    Compare(x, y, CMPMODE::LT, uint64_t{64}, {1, 1, 1, 8, 8, 8});
    auto kept = tensorAt<uint64_t>(kM, 4);
    GetCmpMask(kept);
    stored = get(kept, 1);
    Duplicate(y, 9.0f, 128);
    SetVectorMask<float>(64);
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(z, x, y, 2, {1, 1, 1, 8, 8, 8});
    picked = get(z, 128);
    // CMPMASK as the scalar of mode 1.
    auto five = tensorAt<float>(kM + 64, 8);
    Duplicate(five, 5.0f, 8);
    SetCmpMask(five);
    auto bits = tensorAt<uint8_t>(kM + 128, 32);
    put(bits, std::vector<uint8_t>(8, 0x0f));
    SetVectorMask<float>(64);
    Select(z, bits, y, 1, {1, 1, 1, 8, 8, 8});
    withScalar = get(z, 64);
  }));
  EXPECT_EQ(stored[0], 8u);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(picked[i], i % 64 == 3 ? (i == 3 ? 0.0f : 1.0f) : 9.0f) << i;
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(withScalar[i], i % 8 < 4 ? 9.0f : 5.0f);
}

TEST(VectorSelect, DataInTheReservedScratchIsReported) {
  auto kernel = [](bool data) {
    TPipe pipe;
    TBuf<> all;
    pipe.InitBuffer(all, 190 * 1024);
    auto z = all.Get<float>();
    auto m = z[1024].ReinterpretCast<uint8_t>();
    Duplicate(z, 1.0f, data ? 188416 / 4 + 8 : 4096);
    Select(z, m, z, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    Select(z, m, z, 2.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  };
  // A buffer that covers the scratch and holds nothing there.
  EXPECT_OK(run([&] { kernel(false); }));
  EXPECT_EQ(errorOf(run([&] { kernel(true); })),
            "Select at vector_moves.cpp:N: overwrites scratch at UB [188416, "
            "188448), where buffer 0 at UB [0, 194560) holds data; keep data "
            "below 188416");
}

TEST(VectorFill, DuplicateAndBrcb) {
  std::vector<half> copies;
  std::vector<float> filled;
  std::vector<uint16_t> words;
  EXPECT_OK(run([&] {
    auto x = tensorAt<half>(kA, 64), z = tensorAt<half>(kD, 512);
    std::vector<half> values;
    for (int i = 0; i < 16; ++i)
      values.push_back(half(i));
    put(x, values);
    Brcb(z, x, 2, {2, 16});
    copies = get(z, 512);
    auto f = tensorAt<float>(kB, 256);
    put(f, std::vector<float>(256, 1.0f));
    Duplicate(f, 4.0f, uint64_t{10}, 3, 2, 16);
    filled = get(f, 256);
    auto w = tensorAt<uint16_t>(kM, 64);
    Duplicate(w, uint16_t{0x1234}, 33);
    words = get(w, 33);
  }));
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t k = 0; k < 16; ++k)
      EXPECT_EQ(float(copies[i / 8 * 256 + i % 8 * 32 + k]), i);
  std::vector<float> expected(256, 1.0f);
  Walk::lanes(10, 3).each(64, [&](uint32_t r, uint32_t lane) {
    const size_t i = laneIndex<float>(r, lane, 2, 16);
    if (i < 256)
      expected[i] = 4.0f;
  });
  EXPECT_EQ(filled, expected);
  EXPECT_EQ(words, std::vector<uint16_t>(33, 0x1234));
}

TEST(VectorFill, Sequences) {
  std::vector<int32_t> index;
  std::vector<float> steps;
  std::vector<half> halves;
  EXPECT_OK(run([&] {
    auto i32 = tensorAt<int32_t>(kA, 600);
    CreateVecIndex(i32, 5, 513u);
    index = get(i32, 513);
    auto f = tensorAt<float>(kB, 600);
    put(f, std::vector<float>(600, -1.0f));
    ArithProgression(f, 1.0f, 0.1f, 101);
    steps = get(f, 120);
    auto h = tensorAt<half>(kD, 600);
    CreateVecIndex(h, half(0.0f), 300u);
    halves = get(h, 300);
  }));
  for (int i = 0; i < 513; ++i)
    EXPECT_EQ(index[i], 5 + i);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(float(halves[i]), i);
  // Block by block, then row by row: each a rounded addition.
  std::vector<float> expected(104);
  for (int i = 0; i < 104; ++i)
    expected[i] = i < 8    ? 1.0f + 0.1f * static_cast<float>(i)
                  : i < 64 ? expected[i - 8] + 0.1f * 8.0f
                           : expected[i - 64] + 0.1f * 64.0f;
  for (int i = 0; i < 104; ++i) // written up to a whole block
    EXPECT_EQ(steps[i], expected[i]) << i;
  EXPECT_EQ(steps[104], -1.0f);
}

TEST(VectorGather, ByBytesAndBlocks) {
  const auto table = samples<float>(512, 9);
  std::vector<uint32_t> offsets(600);
  std::mt19937 random(10);
  for (uint32_t &o : offsets)
    o = random() % 500 * 4;
  std::vector<float> picked, masked, blocks;
  EXPECT_OK(run([&] {
    auto src = tensorAt<float>(kA, 512), dst = tensorAt<float>(kD, 1024);
    auto off = tensorAt<uint32_t>(kB, 600);
    put(src, table);
    put(off, offsets);
    Gather(dst, src, off, 16u, 513u);
    picked = get(dst, 513);
    Duplicate(dst, 0.0f, 1024);
    Gather(dst, src, off, 0u, uint64_t{20}, 2, 9);
    masked = get(dst, 200);
    std::vector<uint32_t> at(16);
    for (uint32_t i = 0; i < 16; ++i)
      at[i] = (15 - i) * 32;
    put(off, at);
    Gatherb(dst, src, off, 2, {1, 8});
    blocks = get(dst, 128);
  }));
  for (uint32_t i = 0; i < 513; ++i)
    EXPECT_EQ(bitsOf(picked[i]), bitsOf(table[offsets[i] / 4 + 4]));
  for (uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(bitsOf(masked[72 + i]), bitsOf(table[offsets[64 + i] / 4]));
  EXPECT_EQ(masked[20], 0.0f);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(bitsOf(blocks[i]), bitsOf(table[(15 - i / 8) * 8 + i % 8]));
}

TEST(VectorGather, MaskCompacts) {
  std::vector<float> x(512);
  for (uint32_t i = 0; i < 512; ++i)
    x[i] = static_cast<float>(i);
  std::vector<float> even, fourth, chosen;
  uint64_t kept[3] = {};
  EXPECT_OK(run([&] {
    auto src = tensorAt<float>(kA, 512), dst = tensorAt<float>(kD, 512);
    auto pattern = tensorAt<uint32_t>(kB, 64);
    put(src, x);
    GatherMask(dst, src, 1, true, 201, {1, 1, 8, 0}, kept[0]);
    even = get(dst, 101);
    GatherMask(dst, src, 5, false, 0, {1, 3, 9, 0}, kept[1]);
    fourth = get(dst, 48);
    put(pattern, std::vector<uint32_t>{0x80000001u, 2u});
    GatherMask(dst, src, pattern, true, 64, {1, 2, 8, 0}, kept[2]);
    chosen = get(dst, 6);
  }));
  EXPECT_EQ(kept[0], 101u);
  EXPECT_EQ(kept[1], 48u);
  EXPECT_EQ(kept[2], 6u);
  for (uint32_t i = 0; i < 101; ++i)
    EXPECT_EQ(even[i], 2.0f * i);
  for (uint32_t i = 0; i < 48; ++i)
    EXPECT_EQ(fourth[i], i / 16 * 72 + i % 16 * 4 + 2);
  EXPECT_EQ(chosen, (std::vector<float>{0, 31, 33, 64, 95, 97}));
}

TEST(VectorLayout, Transposes) {
  std::vector<half> m(256), t;
  for (uint32_t i = 0; i < 256; ++i)
    m[i] = half(static_cast<float>(i));
  std::vector<float> f(128), tf;
  for (uint32_t i = 0; i < 128; ++i)
    f[i] = static_cast<float>(i);
  std::vector<half> t5;
  EXPECT_OK(run([&] {
    auto src = tensorAt<half>(kA, 256), dst = tensorAt<half>(kD, 256);
    put(src, m);
    Transpose(dst, src);
    t = get(dst, 256);
    LocalTensor<half> from[16], to[16];
    LocalTensor<float> from32[16], to32[16];
    auto s32 = tensorAt<float>(kB, 128), d32 = tensorAt<float>(kM, 128);
    put(s32, f);
    for (uint32_t i = 0; i < 16; ++i) {
      from[i] = src[i * 16];
      to[i] = dst[i * 16];
      from32[i] = s32[i * 8];
      to32[i] = d32[i * 8];
    }
    TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
    t5 = get(dst, 256);
    TransDataTo5HD<float>(to32, from32, TransDataTo5HDParams());
    tf = get(d32, 128);
  }));
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t j = 0; j < 16; ++j) {
      EXPECT_EQ(float(t[i * 16 + j]), j * 16 + i);
      EXPECT_EQ(float(t5[i * 16 + j]), j * 16 + i);
      if (i < 8) {
        EXPECT_EQ(tf[i * 16 + j], j * 8 + i);
      }
    }
}

//===- registers ----------------------------------------------------------===//

TEST(VectorState, MaskIsStickyAndCountFormsResetIt) {
  std::vector<float> first, second, counted;
  EXPECT_OK(run([&] {
    auto x = tensorAt<float>(kA, 256), z = tensorAt<float>(kD, 256);
    Duplicate(x, 1.0f, 256);
    Duplicate(z, 0.0f, 256);
    SetVectorMask<float>(0, 0x5);
    Adds<float, false>(z, x, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    first = get(z, 4);
    // Level 0 with a mask leaves that mask behind.
    Adds(z, x, 2.0f, uint64_t{2}, 1, {1, 1, 8, 8});
    Adds<float, false>(z, x, 3.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    second = get(z, 4);
    // A count form leaves all lanes on.
    Adds(z, x, 4.0f, 1);
    Adds<float, false>(z, x, 5.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    EXPECT_EQ(get(z, 64), std::vector<float>(64, 6.0f));
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(0, 100);
    Adds<float, false>(z, x, 6.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    SetMaskNorm();
    ResetMask();
    counted = get(z, 101);
  }));
  EXPECT_EQ(first, (std::vector<float>{2, 0, 2, 0}));
  EXPECT_EQ(second, (std::vector<float>{4, 4, 2, 0}));
  EXPECT_EQ(counted[99], 7.0f);
  EXPECT_EQ(counted[100], 0.0f);
}

TEST(VectorState, SwitchesOfOpenBehaviour) {
  auto maximum = [] {
    std::vector<float> out;
    EXPECT_OK(run([&] {
      auto x = tensorAt<float>(kA, 64);
      Duplicate(x, std::nanf(""), 64);
      Maxs(x, x, 1.0f, 1);
      out = get(x, 1);
    }));
    return out[0];
  };
  auto fused = [] {
    std::vector<float> out;
    EXPECT_OK(run([&] {
      auto x = tensorAt<float>(kA, 8), y = tensorAt<float>(kB, 8),
           z = tensorAt<float>(kD, 8);
      Duplicate(x, 1.0f + 0x1p-23f, 8);
      Duplicate(y, 1.0f - 0x1p-23f, 8);
      Duplicate(z, -1.0f, 8);
      MulAddDst(z, x, y, 8);
      out = get(z, 1);
    }));
    return out[0];
  };
  auto sum = [] {
    std::vector<int16_t> out;
    EXPECT_OK(run([&] {
      auto x = tensorAt<int16_t>(kA, 16);
      Duplicate(x, int16_t{32767}, 16);
      Adds(x, x, int16_t{1}, 16);
      out = get(x, 1);
    }));
    return out[0];
  };
  EXPECT_EQ(maximum(), 1.0f);
  EXPECT_EQ(fused(), 0.0f);
  EXPECT_EQ(sum(), -32768);
  Switch keep("LOSSGRAD_OPEN_MAX_MIN_KEEPS_NAN", "1");
  Switch once("LOSSGRAD_OPEN_FUSED_MULADD_ONE_ROUNDING", "1");
  Switch saturate("LOSSGRAD_OPEN_INT_ARITHMETIC_WRAPS", "0");
  EXPECT_TRUE(std::isnan(maximum()));
  EXPECT_EQ(fused(), -0x1p-46f);
  EXPECT_EQ(sum(), 32767);
}

} // namespace
