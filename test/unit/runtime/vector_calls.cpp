// Calls that kernels use less often: compute with a cast at the end, scatter on
// the products that have it, 8-bit transposes, calls as function pointers, the
// accumulator register, and the rest of the high-level math.
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kA = 0, kB = 32768, kD = 65536, kT = 98304;

//===- compute with a cast ------------------------------------------------===//

TEST(VectorFusedCast, AddAndSubReluToHalf) {
  const auto a = samples<float>(1021, 3), b = samples<float>(1021, 4);
  for (uint32_t count : kTails) {
    std::vector<half> sums, differences;
    EXPECT_OK(run([&] {
      auto x = tensorAt<float>(kA, count), y = tensorAt<float>(kB, count);
      auto d = tensorAt<half>(kD, count);
      put(x, {a.begin(), a.begin() + count});
      put(y, {b.begin(), b.begin() + count});
      AddReluCast(d, x, y, count);
      sums = get(d, count);
      SubReluCast(d, x, y, count);
      differences = get(d, count);
    }));
    for (uint32_t i = 0; i < count; ++i) {
      const float sum = a[i] + b[i], difference = a[i] - b[i];
      if (!std::isnan(sum)) {
        EXPECT_EQ(bitsOf(sums[i]), bitsOf(half(std::max(sum, 0.0f)))) << i;
      }
      if (!std::isnan(difference)) {
        EXPECT_EQ(bitsOf(differences[i]),
                  bitsOf(half(std::max(difference, 0.0f))))
            << i;
      }
    }
  }
}

TEST(VectorFusedCast, EightBitResultsSaturate) {
  const std::vector<float> a = {-3, 5, 100, 120, 0, 60, 127, 200},
                           b = {1, 7, 20, 120, 0, -70, 0, 100};
  const std::vector<int8_t> sums = {0, 12, 120, 127, 0, 0, 127, 127};
  const std::vector<int8_t> products = {-3, 35, 127, 127, 0, -128, 0, 127};
  const std::vector<uint8_t> unsignedProducts = {0, 35, 255, 255, 0, 0, 0, 255};
  std::vector<int8_t> fromHalf, fromInt16, product;
  std::vector<uint8_t> unsignedProduct;
  EXPECT_OK(run([&] {
    auto x = tensorAt<half>(kA, 8), y = tensorAt<half>(kB, 8);
    auto xi = tensorAt<int16_t>(kA + 4096, 8),
         yi = tensorAt<int16_t>(kB + 4096, 8);
    auto d = tensorAt<int8_t>(kD, 8);
    auto u = tensorAt<uint8_t>(kD + 4096, 8);
    for (int i = 0; i < 8; ++i) {
      x.SetValue(i, half(a[i]));
      y.SetValue(i, half(b[i]));
      xi.SetValue(i, static_cast<int16_t>(a[i]));
      yi.SetValue(i, static_cast<int16_t>(b[i]));
    }
    AddReluCast(d, x, y, 8);
    fromHalf = get(d, 8);
    AddReluCast(d, xi, yi, 8);
    fromInt16 = get(d, 8);
    MulCast(d, x, y, 8);
    product = get(d, 8);
    MulCast(u, x, y, 8);
    unsignedProduct = get(u, 8);
  }));
  EXPECT_EQ(fromHalf, sums);
  EXPECT_EQ(fromInt16, sums);
  EXPECT_EQ(product, products);
  EXPECT_EQ(unsignedProduct, unsignedProducts);
}

TEST(VectorFusedCast, AddDeqReluScales) {
  std::vector<half> result;
  EXPECT_OK(run([&] {
    auto x = tensorAt<int32_t>(kA, 65), y = tensorAt<int32_t>(kB, 65);
    auto d = tensorAt<half>(kD, 65);
    for (int i = 0; i < 65; ++i) {
      x.SetValue(i, i * 10 - 300);
      y.SetValue(i, i);
    }
    SetDeqScale(half(0.25f));
    AddDeqRelu(d, x, y, 65);
    result = get(d, 65);
  }));
  for (int i = 0; i < 65; ++i)
    EXPECT_EQ(float(result[i]), std::max(0.0f, (i * 11 - 300) * 0.25f)) << i;
}

//===- scatter ------------------------------------------------------------===//

void scatters(const char *soc) {
  std::vector<float> table;
  EXPECT_OK(run({1, soc}, [&] {
    auto dst = tensorAt<float>(kD, 128), src = tensorAt<float>(kA, 64);
    auto at = tensorAt<uint32_t>(kB, 64);
    Duplicate(dst, -1.0f, 128);
    for (uint32_t i = 0; i < 64; ++i) {
      src.SetValue(i, static_cast<float>(i));
      at.SetValue(i, (63 - i) * 8); // bytes: every second element, backwards
    }
    Scatter(dst, src, at, 4u, 50u);
    table = get(dst, 128);
  }));
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(table[2 * i], -1.0f) << soc;
    EXPECT_EQ(table[2 * i + 1], 63 - i < 50 ? 63.0f - i : -1.0f) << soc;
  }
}

TEST(VectorScatter, OnTheProductsThatHaveIt) {
  scatters("Ascend310P3");
  scatters("Ascend950PR_9599");
}

TEST(VectorScatter, IsRefusedOnA2) {
  const auto result = run([] {
    auto dst = tensorAt<float>(kD, 64), src = tensorAt<float>(kA, 64);
    Scatter(dst, src, tensorAt<uint32_t>(kB, 64), 0u, 64u);
  });
  EXPECT_NE(errorOf(result).find("Scatter at vector_calls.cpp:N: "),
            std::string::npos)
      << result.errors;
}

//===- transposes ---------------------------------------------------------===//

// Source block j, half `srcHigh`, byte i goes to block i, half `dstHigh`, byte
// j; the other halves stay.
TEST(VectorTranspose, EightBitHalves) {
  for (bool srcHigh : {false, true})
    for (bool dstHigh : {false, true}) {
      std::vector<uint8_t> from(512), to;
      for (uint32_t i = 0; i < 512; ++i)
        from[i] = static_cast<uint8_t>(i * 7 + i / 256);
      EXPECT_OK(run([&] {
        auto src = tensorAt<uint8_t>(kA, 512), dst = tensorAt<uint8_t>(kD, 512);
        put(src, from);
        put(dst, std::vector<uint8_t>(512, 0xee));
        LocalTensor<uint8_t> in[16], out[16];
        for (uint32_t i = 0; i < 16; ++i) {
          in[i] = src[i * 32];
          out[i] = dst[i * 32];
        }
        TransDataTo5HD<uint8_t>(
            out, in, TransDataTo5HDParams(dstHigh, srcHigh, 1, 0, 0));
        to = get(dst, 512);
      }));
      for (uint32_t i = 0; i < 16; ++i)
        for (uint32_t j = 0; j < 16; ++j) {
          EXPECT_EQ(to[i * 32 + 16 * dstHigh + j],
                    from[j * 32 + 16 * srcHigh + i]);
          EXPECT_EQ(to[i * 32 + 16 * !dstHigh + j], 0xee);
        }
    }
}

// Two repeats through pointers: the second one advances every block.
TEST(VectorTranspose, ByPointersWithRepeats) {
  std::vector<half> from(512), to;
  for (uint32_t i = 0; i < 512; ++i)
    from[i] = half(static_cast<float>(i));
  EXPECT_OK(run([&] {
    auto src = tensorAt<half>(kA, 512), dst = tensorAt<half>(kD, 512);
    put(src, from);
    __ubuf__ half *in[16], *out[16];
    for (uint32_t i = 0; i < 16; ++i) {
      in[i] = (__ubuf__ half *)src.GetPhyAddr() + i * 32;
      out[i] = (__ubuf__ half *)dst.GetPhyAddr() + i * 16;
    }
    TransDataTo5HDParams params;
    params.repeatTimes = 2;
    params.srcRepStride = 1;
    params.dstRepStride = 16;
    TransDataTo5HDImpl(out, in, params);
    to = get(dst, 512);
  }));
  for (uint32_t column = 0; column < 32; ++column)
    for (uint32_t row = 0; row < 16; ++row)
      EXPECT_EQ(float(to[column * 16 + row]), row * 32 + column);
}

TEST(Calls, TheCountThatGatherMaskKept) {
  EXPECT_OK(run([] {
    auto x = tensorAt<float>(kA, 128), z = tensorAt<float>(kD, 128);
    Duplicate(x, 1.0f, 128);
    uint64_t kept = 0;
    GatherMask(z, x, 3, true, 42, {1, 2, 8, 0}, kept);
    EXPECT_EQ(kept, 22u);
    EXPECT_EQ(AscendCUtils::GetRsvdCnt(), 22);
  }));
}

//===- calls as function pointers -----------------------------------------===//

using BinaryRows = void (*)(const LocalTensor<float> &,
                            const LocalTensor<float> &,
                            const LocalTensor<float> &, uint64_t, const uint8_t,
                            const BinaryRepeatParams &);
using BinaryCount = void (*)(const LocalTensor<float> &,
                             const LocalTensor<float> &,
                             const LocalTensor<float> &, const int32_t &);
template <typename T>
using UnaryCount = void(const LocalTensor<T> &, const LocalTensor<T> &,
                        const int32_t &);
template <typename T>
using ScalarCount = void(const LocalTensor<T> &, const LocalTensor<T> &,
                         const T &, const int32_t &);

void rows(const LocalTensor<float> &d, const LocalTensor<float> &a,
          const LocalTensor<float> &b, BinaryRows op) {
  op(d, a, b, 64, 2, {1, 1, 1, 8, 8, 0});
}
template <typename T, UnaryCount<T> *op, ScalarCount<T> *scale>
void twoSteps(const LocalTensor<T> &d, const LocalTensor<T> &a, T by,
              int32_t count) {
  op(d, a, count);
  scale(d, d, by, count);
}

TEST(VectorAddress, CallsCanBePassed) {
  std::vector<float> difference, product, root;
  std::vector<half> magnitude;
  EXPECT_OK(run([&] {
    auto a = tensorAt<float>(kA, 128), b = tensorAt<float>(kB, 64),
         d = tensorAt<float>(kD, 128);
    for (int i = 0; i < 128; ++i)
      a.SetValue(i, static_cast<float>(i * i));
    for (int i = 0; i < 64; ++i)
      b.SetValue(i, static_cast<float>(i));
    rows(d, a, b, Sub);
    difference = get(d, 128);
    BinaryCount multiply = Mul;
    multiply(d, a, b, 33);
    product = get(d, 33);
    twoSteps<float, Sqrt, Muls>(d, a, 3.0f, 128);
    root = get(d, 128);
    auto h = tensorAt<half>(kT, 16);
    Duplicate(h, half(-2.0f), 16);
    twoSteps<half, Abs, Adds>(h, h, half(0.5f), 16);
    magnitude = get(h, 16);
  }));
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(difference[i], i * i - i % 64);
    EXPECT_EQ(root[i], 3.0f * i);
  }
  for (int i = 0; i < 33; ++i)
    EXPECT_EQ(product[i], i * i * i);
  for (half value : magnitude)
    EXPECT_EQ(float(value), 2.5f);
}

// What goes wrong inside is still reported as the call's.
TEST(VectorAddress, ErrorsNameTheCall) {
  const std::string error = errorOf(run([] {
    BinaryCount add = Add;
    add(tensorAt<float>(kD + 4, 8), tensorAt<float>(kA, 8),
        tensorAt<float>(kB, 8), 8);
  }));
  EXPECT_EQ(error.rfind("Add at ", 0), 0u) << error;
}

//===- the accumulator ----------------------------------------------------===//

TEST(VectorAccumulator, HoldsTheLastSum) {
  float typed = 0, raw = 0;
  EXPECT_OK(run([&] {
    auto src = tensorAt<float>(kA, 200), dst = tensorAt<float>(kD, 8);
    Duplicate(src, 0.5f, 200);
    ReduceSum(dst, src, tensorAt<float>(kB, 64), 200);
    typed = GetAccVal<float>();
    const uint64_t bits = GetAccVal();
    std::memcpy(&raw, &bits, sizeof raw);
  }));
  EXPECT_EQ(typed, 100.0f);
  EXPECT_EQ(raw, 100.0f);
}

//===- high-level math ----------------------------------------------------===//

TEST(VectorAdvMath, EveryCallAgainstItsDefinition) {
  struct Case {
    const char *name;
    void (*call)(const LocalTensor<float> &, const LocalTensor<float> &,
                 const LocalTensor<uint8_t> &);
    double (*expected)(double);
    bool exact;
  };
  constexpr uint32_t kCount = 129;
  const Case cases[] = {
#define CALL(...)                                                              \
  [](const LocalTensor<float> &d, const LocalTensor<float> &s,                 \
     const LocalTensor<uint8_t> &t) { __VA_ARGS__; }
      {"Log", CALL(Log(d, s, t, kCount)), [](double v) { return std::log(v); },
       false},
      {"Log2", CALL(Log2(d, s, t, kCount)),
       [](double v) { return std::log2(v); }, false},
      {"Log10", CALL(Log10(d, s, t, kCount)),
       [](double v) { return std::log10(v); }, false},
      {"Exp", CALL((Exp<float, 10>(d, s, t, kCount))),
       [](double v) { return std::exp(v); }, false},
      {"Erf", CALL(Erf(d, s, t, kCount)), [](double v) { return std::erf(v); },
       false},
      {"Ceil", CALL(Ceil(d, s, t, kCount)),
       [](double v) { return std::ceil(v); }, true},
      {"Floor", CALL(Floor(d, s, t, kCount)),
       [](double v) { return std::floor(v); }, true},
      {"Trunc", CALL(Trunc(d, s, t, kCount)),
       [](double v) { return std::trunc(v); }, true},
      {"Round", CALL(Round(d, s, t, kCount)),
       [](double v) { return std::nearbyint(v); }, true},
      {"ClampMin", CALL(ClampMin(d, s, t, 1.5f, kCount)),
       [](double v) { return std::max(v, 1.5); }, true},
      {"Power", CALL(Power(d, s, s, t, kCount)),
       [](double v) { return std::pow(v, v); }, false},
      {"Power scalar base", CALL(Power(d, 2.0f, s, t, kCount)),
       [](double v) { return std::exp2(v); }, false},
#undef CALL
  };
  std::vector<float> x;
  for (uint32_t i = 0; i < kCount; ++i)
    x.push_back(0.03125f + i * 0.0625f);
  for (const Case &one : cases) {
    std::vector<float> y;
    EXPECT_OK(run([&] {
      auto in = tensorAt<float>(kA, kCount), out = tensorAt<float>(kD, 136);
      put(in, x);
      put(out, std::vector<float>(136, -77.0f));
      one.call(out, in, tensorAt<uint8_t>(kT, 8192));
      y = get(out, 136);
    }));
    for (uint32_t i = 0; i < kCount; ++i) {
      const double expected = one.expected(x[i]);
      if (one.exact)
        EXPECT_EQ(y[i], static_cast<float>(expected))
            << one.name << " of " << x[i];
      else
        EXPECT_NEAR(y[i], expected, 4e-7 * std::max(1.0, std::abs(expected)))
            << one.name << " of " << x[i];
    }
    for (uint32_t i = kCount; i < 136; ++i)
      EXPECT_EQ(y[i], -77.0f) << one.name << " wrote beyond its count";
  }
}

TEST(VectorAdvMath, LogSoftMaxOfRows) {
  constexpr uint32_t kRows = 3, kColumns = 16, kValid = 11;
  std::vector<float> x, y;
  for (uint32_t i = 0; i < kRows * kColumns; ++i)
    x.push_back((i * 5 % 17) * 0.75f - 4.0f);
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, kRows * kColumns),
         out = tensorAt<float>(kD, kRows * kColumns);
    put(in, x);
    LogSoftMaxTiling tiling;
    LogSoftMax(out, tensorAt<float>(kB, 24), tensorAt<float>(kB + 4096, 24), in,
               tensorAt<uint8_t>(kT, 8192), tiling,
               SoftMaxShapeInfo{kRows, kColumns, kRows, kValid});
    y = get(out, kRows * kColumns);
  }));
  for (uint32_t r = 0; r < kRows; ++r) {
    double total = 0;
    for (uint32_t k = 0; k < kValid; ++k)
      total += std::exp(double(x[r * kColumns + k]));
    for (uint32_t k = 0; k < kValid; ++k)
      EXPECT_NEAR(y[r * kColumns + k], x[r * kColumns + k] - std::log(total),
                  2e-6);
  }
}

} // namespace
