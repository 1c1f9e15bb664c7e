// Arithmetic calls in their three shapes against scalar arithmetic written here
// (half through the scalar type, which has its own conversions).
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kA = 0, kB = 32768, kD = 65536, kRoom = 8192;

float maxOf(float a, float b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
float minOf(float a, float b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// Wrapping integer arithmetic without undefined behaviour.
template <typename T, typename Fn> T wrap(T a, T b, Fn fn) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(
      static_cast<U>(fn(static_cast<uint64_t>(static_cast<int64_t>(a)),
                        static_cast<uint64_t>(static_cast<int64_t>(b)))));
}

// name, call, value of (a, b, old dst).
#define LOSSGRAD_OP(NAME, FLOATS, INTS)                                        \
  struct NAME##Case {                                                          \
    template <typename... Args> static void call(Args &&...args) {             \
      NAME(std::forward<Args>(args)...);                                       \
    }                                                                          \
    template <typename T> static T value(T a, T b, [[maybe_unused]] T d) {     \
      if constexpr (std::is_integral_v<T>)                                     \
        return INTS;                                                           \
      else                                                                     \
        return FLOATS;                                                         \
    }                                                                          \
    static constexpr const char *name = #NAME;                                 \
  };
#define LOSSGRAD_WRAP(op)                                                      \
  wrap(a, b, [](uint64_t x, uint64_t y) { return x op y; })
LOSSGRAD_OP(Add, T(a + b), LOSSGRAD_WRAP(+))
LOSSGRAD_OP(Sub, T(a - b), LOSSGRAD_WRAP(-))
LOSSGRAD_OP(Mul, T(a *b), LOSSGRAD_WRAP(*))
LOSSGRAD_OP(Div, T(a / b), T(a))
LOSSGRAD_OP(Max, T(maxOf(a, b)), std::max(a, b))
LOSSGRAD_OP(Min, T(minOf(a, b)), std::min(a, b))
LOSSGRAD_OP(And, T(a), T(a &b))
LOSSGRAD_OP(Or, T(a), T(a | b))
LOSSGRAD_OP(AddRelu, T(maxOf(T(a + b), 0)), std::max<T>(LOSSGRAD_WRAP(+), 0))
LOSSGRAD_OP(SubRelu, T(maxOf(T(a - b), 0)), std::max<T>(LOSSGRAD_WRAP(-), 0))
LOSSGRAD_OP(FusedMulAdd, T(T(a *d) + b), T(a))
LOSSGRAD_OP(FusedMulAddRelu, T(maxOf(T(T(a *d) + b), 0)), T(a))

template <typename Case, typename T> void checkBinary() {
  const uint32_t room = kRoom / sizeof(T);
  const auto a = samples<T>(room, 1), b = samples<T>(room, 2),
             d = samples<T>(room, 3);
  auto with = [&](const char *shape, auto issue, auto expect) {
    std::vector<T> actual, expected = d;
    EXPECT_OK(run([&] {
      auto x = tensorAt<T>(kA, room), y = tensorAt<T>(kB, room),
           z = tensorAt<T>(kD, room);
      put(x, a);
      put(y, b);
      put(z, d);
      issue(z, x, y);
      actual = get(z, room);
    }));
    expect(expected);
    expectSame(actual, expected, std::string(Case::name) + " " + shape);
  };
  for (uint32_t count : kTails)
    with(
        "count", [&](auto &z, auto &x, auto &y) { Case::call(z, x, y, count); },
        [&](std::vector<T> &out) {
          for (uint32_t i = 0; i < count; ++i)
            out[i] = Case::value(a[i], b[i], d[i]);
        });
  const uint32_t lanes = 256 / sizeof(T);
  const BinaryRepeatParams strides[] = {{1, 1, 1, 8, 8, 8},
                                        {1, 1, 0, 8, 8, 1},
                                        {2, 3, 1, 17, 25, 8},
                                        {1, 1, 1, 9, 8, 0},
                                        {1, 2, 1, 10, 16, 12}};
  for (const BinaryRepeatParams &p : strides)
    for (uint32_t mask : {lanes, lanes / 2 + 3, 5u, 0u}) {
      const Walk walk = Walk::lanes(mask, 5);
      auto expect = [&](std::vector<T> &out) {
        walk.each(lanes, [&](uint32_t r, uint32_t lane) {
          const size_t i =
              laneIndex<T>(r, lane, p.dstBlkStride, p.dstRepStride);
          out[i] = Case::value(
              a[laneIndex<T>(r, lane, p.src0BlkStride, p.src0RepStride)],
              b[laneIndex<T>(r, lane, p.src1BlkStride, p.src1RepStride)],
              out[i]);
        });
      };
      with(
          "mask",
          [&](auto &z, auto &x, auto &y) {
            Case::call(z, x, y, uint64_t{mask}, 5, p);
          },
          expect);
    }
  for (const BinaryRepeatParams &p : strides) {
    Walk walk;
    walk.low = 0xf0f0123456789abcull;
    walk.high = sizeof(T) == 2 ? 0x8000000000000001ull : 0;
    walk.repeat = 3;
    uint64_t mask[2] = {walk.low, walk.high};
    with(
        "bitmap",
        [&](auto &z, auto &x, auto &y) { Case::call(z, x, y, mask, 3, p); },
        [&](std::vector<T> &out) {
          walk.each(lanes, [&](uint32_t r, uint32_t lane) {
            const size_t i =
                laneIndex<T>(r, lane, p.dstBlkStride, p.dstRepStride);
            out[i] = Case::value(
                a[laneIndex<T>(r, lane, p.src0BlkStride, p.src0RepStride)],
                b[laneIndex<T>(r, lane, p.src1BlkStride, p.src1RepStride)],
                out[i]);
          });
        });
  }
}

TEST(VectorElementwise, AddSubMul) {
  checkBinary<AddCase, float>();
  checkBinary<AddCase, half>();
  checkBinary<AddCase, int16_t>();
  checkBinary<AddCase, int32_t>();
  checkBinary<SubCase, float>();
  checkBinary<SubCase, half>();
  checkBinary<SubCase, int16_t>();
  checkBinary<SubCase, int32_t>();
  checkBinary<MulCase, float>();
  checkBinary<MulCase, half>();
  checkBinary<MulCase, int16_t>();
  checkBinary<MulCase, int32_t>();
}

TEST(VectorElementwise, DivMaxMin) {
  checkBinary<DivCase, float>();
  checkBinary<DivCase, half>();
  checkBinary<MaxCase, float>();
  checkBinary<MaxCase, half>();
  checkBinary<MaxCase, int16_t>();
  checkBinary<MaxCase, int32_t>();
  checkBinary<MinCase, float>();
  checkBinary<MinCase, half>();
  checkBinary<MinCase, int16_t>();
  checkBinary<MinCase, int32_t>();
}

TEST(VectorElementwise, BitsAndReluForms) {
  checkBinary<AndCase, int16_t>();
  checkBinary<AndCase, uint16_t>();
  checkBinary<OrCase, int16_t>();
  checkBinary<OrCase, uint16_t>();
  checkBinary<AddReluCase, float>();
  checkBinary<AddReluCase, half>();
  checkBinary<AddReluCase, int16_t>();
  checkBinary<SubReluCase, float>();
  checkBinary<SubReluCase, half>();
  checkBinary<SubReluCase, int16_t>();
}

TEST(VectorElementwise, MultiplyAddRoundsTwice) {
  checkBinary<FusedMulAddCase, float>();
  checkBinary<FusedMulAddCase, half>();
  checkBinary<FusedMulAddReluCase, float>();
  checkBinary<FusedMulAddReluCase, half>();
}

//===- one operand and scalars --------------------------------------------===//

template <typename T, typename Call, typename Value>
void checkOne(const std::string &name, Call call, Value value) {
  const uint32_t room = kRoom / sizeof(T), lanes = 256 / sizeof(T);
  const auto a = samples<T>(room, 4), d = samples<T>(room, 5);
  auto with = [&](auto issue, auto expect) {
    std::vector<T> actual, expected = d;
    EXPECT_OK(run([&] {
      auto x = tensorAt<T>(kA, room), z = tensorAt<T>(kD, room);
      put(x, a);
      put(z, d);
      issue(z, x);
      actual = get(z, room);
    }));
    expect(expected);
    expectSame(actual, expected, name);
  };
  for (uint32_t count : kTails)
    with([&](auto &z, auto &x) { call(z, x, static_cast<int32_t>(count)); },
         [&](std::vector<T> &out) {
           for (uint32_t i = 0; i < count; ++i)
             out[i] = value(a[i], d[i]);
         });
  const UnaryRepeatParams strides[] = {
      {1, 1, 8, 8}, {1, 0, 8, 1}, {3, 2, 25, 16}, {1, 1, 8, 0}};
  for (const UnaryRepeatParams &p : strides) {
    uint64_t bitmap[2] = {0x00ff00ff13577531ull,
                          sizeof(T) == 2 ? 0xfull << 50 : 0};
    Walk walk;
    walk.low = bitmap[0];
    walk.high = bitmap[1];
    for (const Walk &shape :
         {Walk::lanes(lanes, 4), Walk::lanes(11, 4), walk}) {
      Walk active = shape;
      active.repeat = 4;
      uint64_t mask[2] = {active.low, active.high};
      with([&](auto &z, auto &x) { call(z, x, mask, 4, p); },
           [&](std::vector<T> &out) {
             active.each(lanes, [&](uint32_t r, uint32_t lane) {
               T &o =
                   out[laneIndex<T>(r, lane, p.dstBlkStride, p.dstRepStride)];
               o = value(
                   a[laneIndex<T>(r, lane, p.srcBlkStride, p.srcRepStride)], o);
             });
           });
    }
  }
}

#define LOSSGRAD_ONE(T, NAME, VALUE)                                           \
  checkOne<T>(                                                                 \
      #NAME, [](auto &&...args) { NAME(args...); },                            \
      [](T a, [[maybe_unused]] T d) -> T { return VALUE; })

TEST(VectorElementwise, ExactUnary) {
  LOSSGRAD_ONE(float, Abs, std::fabs(a));
  LOSSGRAD_ONE(half, Abs, half(std::fabs(float(a))));
  LOSSGRAD_ONE(float, Sqrt, std::sqrt(a));
  LOSSGRAD_ONE(half, Sqrt, half(std::sqrt(float(a))));
  LOSSGRAD_ONE(float, Reciprocal, 1.0f / a);
  LOSSGRAD_ONE(half, Reciprocal, half(1.0f / float(a)));
  LOSSGRAD_ONE(float, Rsqrt, 1.0f / std::sqrt(a));
  LOSSGRAD_ONE(float, Relu, maxOf(a, 0.0f));
  LOSSGRAD_ONE(half, Relu, half(maxOf(a, 0.0f)));
  LOSSGRAD_ONE(int32_t, Relu, std::max(a, 0));
  LOSSGRAD_ONE(int16_t, Not, static_cast<int16_t>(~a));
  LOSSGRAD_ONE(uint16_t, Not, static_cast<uint16_t>(~a));
}

#define LOSSGRAD_SCALAR(T, NAME, SCALAR, VALUE)                                \
  checkOne<T>(                                                                 \
      #NAME,                                                                   \
      [](auto &z, auto &x, auto &&...args) {                                   \
        NAME(z, x, static_cast<T>(SCALAR), args...);                           \
      },                                                                       \
      [](T a, [[maybe_unused]] T d) -> T {                                     \
        [[maybe_unused]] const T s = static_cast<T>(SCALAR);                   \
        return VALUE;                                                          \
      })

TEST(VectorElementwise, Scalars) {
  LOSSGRAD_SCALAR(float, Adds, 0.1f, a + s);
  LOSSGRAD_SCALAR(half, Adds, 0.1f, a + s);
  LOSSGRAD_SCALAR(int32_t, Adds, 7,
                  wrap(a, s, [](uint64_t x, uint64_t y) { return x + y; }));
  LOSSGRAD_SCALAR(float, Muls, -3.7f, a *s);
  LOSSGRAD_SCALAR(half, Muls, -3.7f, a * s);
  LOSSGRAD_SCALAR(int16_t, Muls, 77,
                  wrap(a, s, [](uint64_t x, uint64_t y) { return x * y; }));
  LOSSGRAD_SCALAR(float, Maxs, 0.5f, maxOf(a, s));
  LOSSGRAD_SCALAR(half, Mins, 0.5f, half(minOf(a, s)));
  LOSSGRAD_SCALAR(int32_t, Mins, -5, std::min(a, s));
  LOSSGRAD_SCALAR(float, LeakyRelu, 0.01f, a >= 0 ? a : a * s);
  LOSSGRAD_SCALAR(half, LeakyRelu, 0.01f, a >= half(0) ? a : a * s);
  LOSSGRAD_SCALAR(uint32_t, ShiftLeft, 5, a << 5);
  LOSSGRAD_SCALAR(int16_t, ShiftRight, 3, static_cast<int16_t>(a >> 3));
  LOSSGRAD_SCALAR(uint16_t, ShiftRight, 3, static_cast<uint16_t>(a >> 3));
  LOSSGRAD_SCALAR(int32_t, ShiftRight, 31, a >> 31);
  LOSSGRAD_SCALAR(float, Axpy, 1.3f, float(float(s * a) + d));
  LOSSGRAD_SCALAR(half, Axpy, 1.3f, half(half(s * a) + d));
}

TEST(VectorElementwise, FloatFromHalf) {
  const uint32_t count = 513;
  const auto a = samples<half>(count, 6), b = samples<half>(count, 7);
  const auto d = samples<float>(count, 8);
  std::vector<float> added, scaled, strided;
  EXPECT_OK(run([&] {
    auto x = tensorAt<half>(kA, 1024), y = tensorAt<half>(kB, 1024);
    auto z = tensorAt<float>(kD, 1024);
    put(x, a);
    put(y, b);
    put(z, d);
    MulAddDst(z, x, y, 513);
    added = get(z, count);
    put(z, d);
    Axpy(z, x, half(0.3f), 513);
    scaled = get(z, count);
    put(z, d);
    // One repeat is 64 elements: 8 blocks of float, 4 of half.
    MulAddDst(z, x, y, uint64_t{50}, 8, {1, 1, 1, 8, 4, 4});
    strided = get(z, count);
  }));
  std::vector<float> sums = d, axpy = d, rows = d;
  for (uint32_t i = 0; i < count; ++i) {
    sums[i] = float(a[i]) * float(b[i]) + d[i]; // the product is exact
    axpy[i] = float(half(0.3f)) * float(a[i]) + d[i];
    if (i < 512 && i % 64 < 50)
      rows[i] = sums[i];
  }
  expectSame(added, sums, "MulAddDst");
  expectSame(scaled, axpy, "Axpy");
  expectSame(strided, rows, "MulAddDst with strides");
}

TEST(VectorElementwise, AccumulatesOverRepeats) {
  // dst == src1 with repeat stride 0: each repeat adds to the last.
  std::vector<float> sum;
  const auto a = samples<float>(64 * 9, 9);
  EXPECT_OK(run([&] {
    auto x = tensorAt<float>(kA, 1024), z = tensorAt<float>(kD, 64);
    put(x, a);
    Duplicate(z, 0.0f, 64);
    Add(z, x, z, uint64_t{64}, 9, {1, 1, 1, 0, 8, 0});
    sum = get(z, 64);
  }));
  std::vector<float> expected(64, 0.0f);
  for (uint32_t i = 0; i < a.size(); ++i)
    expected[i % 64] = a[i] + expected[i % 64];
  expectSame(sum, expected, "Add");
}

TEST(VectorElementwise, WholeTensorOperators) {
  std::vector<float> sum, quotient;
  const auto a = samples<float>(100, 10), b = samples<float>(100, 11);
  EXPECT_OK(run([&] {
    auto x = tensorAt<float>(kA, 100), y = tensorAt<float>(kB, 100),
         z = tensorAt<float>(kD, 100);
    put(x, a);
    put(y, b);
    z = x + y;
    sum = get(z, 100);
    z = x / y;
    quotient = get(z, 100);
  }));
  for (size_t i = 0; i < 100; ++i) {
    if (!std::isnan(sum[i])) {
      EXPECT_EQ(sum[i], a[i] + b[i]);
    }
    if (!std::isnan(quotient[i])) {
      EXPECT_EQ(quotient[i], a[i] / b[i]);
    }
  }
}

//===- Exp and Ln ---------------------------------------------------------===//

double ulps(float actual, double exact) {
  int exponent;
  std::frexp(static_cast<float>(exact), &exponent);
  return std::fabs(actual - exact) /
         std::ldexp(1.0, std::max(exponent - 24, -149));
}

TEST(VectorElementwise, ExpAndLnWithinTwoUlp) {
  constexpr uint32_t kCount = 8192;
  double worstExp = 0, worstLn = 0;
  for (uint32_t round = 0; round < 64; ++round) {
    std::vector<float> x(kCount), e, l;
    std::mt19937 random(round);
    for (uint32_t i = 0; i < kCount; ++i) {
      const uint32_t bits = random();
      std::memcpy(&x[i], &bits, 4);
      if (i % 2) // where exp is neither 0 nor inf
        x[i] = std::ldexp(static_cast<float>(static_cast<int32_t>(bits)), -24);
    }
    EXPECT_OK(run([&] {
      auto in = tensorAt<float>(kA, kCount), out = tensorAt<float>(kD, kCount);
      put(in, x);
      Exp(out, in, kCount);
      e = get(out, kCount);
      Ln(out, in, kCount);
      l = get(out, kCount);
    }));
    for (uint32_t i = 0; i < kCount; ++i) {
      const double exact = std::exp(static_cast<double>(x[i]));
      const bool overflows = std::isinf(static_cast<float>(exact));
      ASSERT_EQ(std::isnan(e[i]), std::isnan(x[i])) << x[i];
      if (overflows) {
        ASSERT_EQ(e[i], static_cast<float>(exact)) << x[i];
      } else if (!std::isnan(x[i])) {
        worstExp = std::max(worstExp, ulps(e[i], exact));
      }
      ASSERT_EQ(std::isnan(l[i]), std::isnan(x[i]) || x[i] < 0) << x[i];
      if (x[i] > 0 && !std::isinf(x[i]))
        worstLn = std::max(worstLn, ulps(l[i], std::log(double(x[i]))));
    }
  }
  EXPECT_LT(worstExp, 2.0);
  EXPECT_LT(worstLn, 2.0);
}

TEST(VectorElementwise, ExpAndLnSpecialValues) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.0f,          -0.0f, inf,   -inf,
                                std::nanf(""), 88.8f, 88.7f, -103.9f,
                                -104.5f,       -1.0f, 1e-45f};
  std::vector<float> e, l;
  EXPECT_OK(run([&] {
    auto in = tensorAt<float>(kA, 64), out = tensorAt<float>(kD, 64);
    put(in, x);
    Exp(out, in, 11);
    e = get(out, 11);
    Ln(out, in, 11);
    l = get(out, 11);
  }));
  EXPECT_EQ(e[0], 1.0f);
  EXPECT_EQ(e[1], 1.0f);
  EXPECT_EQ(e[2], inf);
  EXPECT_EQ(e[3], 0.0f);
  EXPECT_TRUE(std::isnan(e[4]));
  EXPECT_EQ(e[5], inf);
  EXPECT_LT(e[6], inf);
  EXPECT_EQ(e[7], 1e-45f);
  EXPECT_EQ(e[8], 0.0f);
  EXPECT_EQ(l[0], -inf);
  EXPECT_EQ(l[1], -inf);
  EXPECT_EQ(l[2], inf);
  EXPECT_TRUE(std::isnan(l[3]));
  EXPECT_TRUE(std::isnan(l[4]));
  EXPECT_TRUE(std::isnan(l[9]));
  EXPECT_NEAR(l[10], -103.278929903431f, 1e-5f);
}

} // namespace
