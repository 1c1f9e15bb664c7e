// High-level calls against their definitions.
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kA = 0, kB = 32768, kD = 65536, kT = 98304;

TEST(VectorAdv, MathCalls) {
  std::vector<float> x, t, s, g, f, p, c;
  for (int i = 0; i < 100; ++i)
    x.push_back(i * 0.13f - 6.0f);
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, 100), out = tensorAt<float>(kD, 100);
    auto tmp = tensorAt<uint8_t>(kT, 4096);
    put(in, x);
    Tanh(out, in, tmp, 100);
    t = get(out, 100);
    Sigmoid(out, in, 100);
    s = get(out, 100);
    Sign(out, in, tmp, 100);
    g = get(out, 100);
    Floor(out, in, 100);
    f = get(out, 100);
    Power(out, in, 2.0f, 100);
    p = get(out, 100);
    ClampMax(out, in, tmp, 1.0f, 100);
    c = get(out, 100);
  }));
  for (int i = 0; i < 100; ++i) {
    // By exponentials, in float64: not the way of the library.
    EXPECT_FLOAT_EQ(t[i], float(1 - 2 / (std::exp(2.0 * x[i]) + 1)));
    EXPECT_FLOAT_EQ(s[i],
                    static_cast<float>(1.0 / (1.0 + std::exp(-double(x[i])))));
    EXPECT_EQ(f[i], std::floor(x[i]));
    EXPECT_FLOAT_EQ(p[i], x[i] * x[i]);
    EXPECT_EQ(c[i], std::min(x[i], 1.0f));
  }
}

// Digits from tables, and what no formula of the library says again.
TEST(VectorAdv, TanhByTable) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.0f, 1e-4f,  0.5f, 1.0f, 2.0f,  5.0f,
                                20.f, 1e-30f, inf,  -inf, -1.0f, -0.5f};
  const std::vector<float> expected = {
      0.0f,         9.99999997e-5f, 0.462117157f,  0.761594156f,
      0.964027580f, 0.999909204f,   1.0f,          1e-30f,
      1.0f,         -1.0f,          -0.761594156f, -0.462117157f};
  std::vector<float> t;
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, 16), out = tensorAt<float>(kD, 16);
    put(in, x);
    Tanh(out, in, tensorAt<uint8_t>(kT, 4096), 12);
    t = get(out, 12);
  }));
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_FLOAT_EQ(t[i], expected[i]) << x[i];
}

TEST(VectorAdv, SignByTable) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {-inf, -2.5f,  -1e-38f, -0.0f,
                                0.0f, 1e-38f, 3.0f,    inf};
  const std::vector<float> expected = {-1, -1, -1, 0, 0, 1, 1, 1};
  std::vector<float> g;
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, 8), out = tensorAt<float>(kD, 8);
    put(in, x);
    Sign(out, in, tensorAt<uint8_t>(kT, 4096), 8);
    g = get(out, 8);
  }));
  EXPECT_EQ(g, expected);
}

TEST(VectorAdv, BroadCast) {
  std::vector<float> rows, columns;
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, 8), out = tensorAt<float>(kD, 64);
    put(in, {0, 1, 2, 3, 4, 5, 6, 7});
    const uint32_t dst0[] = {3, 8}, src0[] = {1, 8};
    BroadCast<float, 2, 0>(out, in, dst0, src0);
    rows = get(out, 24);
    const uint32_t dst1[] = {8, 5}, src1[] = {8, 1};
    Broadcast<float, 2, 1>(out, in, dst1, src1);
    columns = get(out, 40);
  }));
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(rows[i], i % 8);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(columns[i], i / 5);
  EXPECT_EQ(errorOf(run([] {
              auto in = tensorAt<float>(kA, 8), out = tensorAt<float>(kD, 64);
              const uint32_t dst[] = {4, 8}, src[] = {2, 8};
              BroadCast<float, 2, 0>(out, in, dst, src);
            })),
            "BroadCast at vector_adv.cpp:N: axis 0 has 2 elements in src and 4 "
            "in dst; it must be 1 or equal in src");
}

TEST(VectorAdv, SoftmaxAndItsGradient) {
  std::vector<float> x, y, sum, max, g, dot;
  for (int i = 0; i < 32; ++i)
    x.push_back((i * 7 % 13) * 0.5f);
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, 32), out = tensorAt<float>(kD, 32);
    auto s = tensorAt<float>(kB, 16), m = tensorAt<float>(kB + 4096, 16);
    put(in, x);
    SoftMaxTiling tiling;
    SoftMax(out, s, m, in, tiling, SoftMaxShapeInfo{2, 16, 2, 13});
    y = get(out, 32);
    sum = get(s, 16);
    max = get(m, 16);
    SoftmaxGrad(in, in, out, tiling, false, SoftMaxShapeInfo{2, 16, 2, 13});
    g = get(in, 32);
    put(in, x);
    SoftmaxGradFront(s, in, out, tiling, SoftMaxShapeInfo{2, 16, 2, 13});
    dot = get(s, 16);
  }));
  for (int r = 0; r < 2; ++r) {
    double top = -1e30, total = 0, product = 0;
    for (int k = 0; k < 13; ++k)
      top = std::max<double>(top, x[r * 16 + k]);
    for (int k = 0; k < 13; ++k)
      total += std::exp(x[r * 16 + k] - top);
    for (int k = 0; k < 13; ++k)
      product += x[r * 16 + k] * (std::exp(x[r * 16 + k] - top) / total);
    EXPECT_EQ(max[r * 8 + 7], top);
    EXPECT_NEAR(sum[r * 8], total, 1e-5);
    EXPECT_NEAR(dot[r * 8 + 3], product, 1e-5);
    for (int k = 0; k < 13; ++k) {
      const double p = std::exp(x[r * 16 + k] - top) / total;
      EXPECT_NEAR(y[r * 16 + k], p, 1e-6);
      EXPECT_NEAR(g[r * 16 + k], (x[r * 16 + k] - product) * p, 1e-5);
    }
  }
}

} // namespace
