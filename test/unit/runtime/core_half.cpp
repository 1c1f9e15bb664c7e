// half and bfloat16_t as scalars: every value survives, rounding is to nearest
// even, each operation rounds once.
#include "core_support.h"

#include <cmath>
#include <random>

namespace {

// The nearest half by search over all of them, independent of bit tricks.
uint16_t nearestHalf(double value) {
  if (std::isnan(value))
    return 0x7e00;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  auto valueOf = [](uint16_t bits) {
    const int exponent = bits >> 10;
    const double mantissa = bits & 0x3ff;
    if (exponent == 0)
      return std::ldexp(mantissa, -24);
    return std::ldexp(1024 + mantissa, exponent - 25);
  };
  // 0x7c00 stands for 2^16 here, which is what overflow rounds against.
  uint16_t low = 0, high = 0x7c00;
  if (magnitude >= valueOf(high))
    return sign | 0x7c00;
  while (high - low > 1) {
    const uint16_t middle = (low + high) / 2;
    (valueOf(middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - valueOf(low);
  const double above = valueOf(high) - magnitude;
  const uint16_t near = below < above   ? low
                        : above < below ? high
                        : low % 2 == 0  ? low
                                        : high;
  return sign | near;
}

TEST(Half, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const half value = half::fromBits(static_cast<uint16_t>(bits));
    const half back = static_cast<float>(value);
    if (std::isnan(static_cast<float>(value)))
      EXPECT_TRUE(std::isnan(static_cast<float>(back)));
    else
      EXPECT_EQ(back.rawBits(), bits);
  }
}

TEST(Half, RoundsToNearestEven) {
  std::mt19937 random(7);
  std::uniform_int_distribution<uint32_t> anyBits;
  for (int i = 0; i < 200000; ++i) {
    const float value = lossgrad::sim::floatOfBits(anyBits(random));
    if (std::isnan(value))
      continue;
    EXPECT_EQ(half(value).rawBits(), nearestHalf(value)) << value;
  }
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    // Exactly between two neighbours, and next to it on both sides.
    const float a = half::fromBits(static_cast<uint16_t>(bits));
    const float b = half::fromBits(static_cast<uint16_t>(bits + 1));
    const float middle = (a + b) / 2;
    for (float value :
         {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e6f)})
      ASSERT_EQ(half(value).rawBits(), nearestHalf(value)) << value;
  }
  EXPECT_EQ(half(65519.996f).rawBits(), 0x7bff);
  EXPECT_EQ(half(65520.0f).rawBits(), 0x7c00);
}

TEST(Half, OperationsRoundOnce) {
  // 2049 is no half: the sum rounds to even. Twice rounded sums would differ.
  EXPECT_EQ(static_cast<float>(half(2048) + half(1)), 2048.0f);
  EXPECT_EQ(static_cast<float>(half(2050) + half(1)), 2052.0f);
  std::mt19937 random(11);
  std::uniform_int_distribution<uint32_t> anyBits(0, 0x7bff);
  for (int i = 0; i < 100000; ++i) {
    const half a = half::fromBits(static_cast<uint16_t>(anyBits(random)));
    const half b = half::fromBits(static_cast<uint16_t>(anyBits(random)));
    const double x = static_cast<float>(a), y = static_cast<float>(b);
    EXPECT_EQ((a + b).rawBits(), nearestHalf(x + y));
    EXPECT_EQ((a - b).rawBits(), nearestHalf(x - y));
    EXPECT_EQ((a * b).rawBits(), nearestHalf(x * y));
    if (y != 0)
      EXPECT_EQ((a / b).rawBits(), nearestHalf(x / y)) << x << " / " << y;
  }
}

TEST(Half, MixesLikeABuiltInType) {
  const half h = 1.5f;
  static_assert(std::is_same_v<decltype(h * 2), half>);
  static_assert(std::is_same_v<decltype(h * 2.0f), float>);
  static_assert(std::is_same_v<decltype(2.0 * h), double>);
  EXPECT_TRUE(h > 1);
  EXPECT_TRUE(1.5 == h);
  half sum = h;
  sum += 1;
  sum *= 2.0f;
  EXPECT_EQ(static_cast<float>(sum), 5.0f);
  EXPECT_EQ(static_cast<int>(half(-2.75f)), -2);
  EXPECT_EQ(static_cast<float>(-h), -1.5f);
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(bfloat16_t(1.0f).rawBits(), 0x3f80);
  EXPECT_EQ(bfloat16_t(1.00390625f).rawBits(), 0x3f80); // tie, even below
  EXPECT_EQ(bfloat16_t(1.01171875f).rawBits(), 0x3f82); // tie, even above
  EXPECT_EQ(bfloat16_t(3.4e38f).rawBits(), 0x7f80);
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16_t(NAN))));
  EXPECT_EQ(static_cast<float>(AscendC::ToBfloat16(2.5f)), 2.5f);
  EXPECT_EQ(AscendC::ToFloat(bfloat16_t(0.5f)), 0.5f);
}

TEST(Scalar, CastsWithRoundingModes) {
  using AscendC::RoundMode;
  using AscendC::ScalarCast;
  EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f)), 2);
  EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(2.5f)), 3);
  EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(-2.5f)), -3);
  EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(-2.5f)), -2);
  EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_TRUNC>(-2.5f)), -2);
  EXPECT_EQ((ScalarCast<float, int32_t, RoundMode::CAST_RINT>(1e20f)),
            2147483647);
  // To odd: 1 + 2^-12 lies between two halves; the odd one wins.
  EXPECT_EQ(
      (ScalarCast<float, half, RoundMode::CAST_ODD>(1.000244140625f)).rawBits(),
      0x3c01);
  EXPECT_EQ(AscendC::ScalarGetCountOfValue<1>(0xf0f0), 8);
  EXPECT_EQ(AscendC::ScalarCountLeadingZero(1), 63);
  EXPECT_EQ(AscendC::ScalarGetSFFValue<1>(8), 3);
  EXPECT_EQ(AscendC::ScalarGetSFFValue<0>(7), 3);
}

} // namespace
