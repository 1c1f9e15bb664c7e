// Cast: every pair of A2 and every rounding mode, against rounding by search in
// the sorted list of representable values, which shares nothing with the
// library's bit tricks.
#include "vector_support.h"

#include <algorithm>

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kSrc = 0, kDst = 98304;
const RoundMode kModes[] = {RoundMode::CAST_RINT, RoundMode::CAST_FLOOR,
                            RoundMode::CAST_CEIL, RoundMode::CAST_ROUND,
                            RoundMode::CAST_TRUNC};

template <typename T, typename U>
std::vector<T> castAll(const std::vector<U> &values, RoundMode mode,
                       const Options &options = {}) {
  std::vector<T> out;
  constexpr uint32_t kChunk = 8192;
  for (size_t first = 0; first < values.size(); first += kChunk) {
    const auto count =
        static_cast<uint32_t>(std::min<size_t>(kChunk, values.size() - first));
    const std::vector<U> part(values.begin() + first,
                              values.begin() + first + count);
    EXPECT_OK(run(options, [&] {
      auto src = tensorAt<U>(kSrc, count);
      auto dst = tensorAt<T>(kDst, count);
      put(src, part);
      Cast(dst, src, mode, count);
      const auto got = get(dst, count);
      out.insert(out.end(), got.begin(), got.end());
    }));
  }
  return out;
}

std::vector<half> allHalves() {
  std::vector<half> values(65536);
  for (uint32_t i = 0; i < 65536; ++i)
    values[i] = half::fromBits(static_cast<uint16_t>(i));
  return values;
}

// Which of two neighbours, below and above the exact value.
bool takesUpper(double exact, double below, double above, bool belowIsEven,
                RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR:
    return false;
  case RoundMode::CAST_CEIL:
    return true;
  case RoundMode::CAST_TRUNC:
    return exact < 0;
  case RoundMode::CAST_ODD:
    return belowIsEven;
  default:
    break;
  }
  const double down = exact - below, up = above - exact;
  if (down != up)
    return up < down;
  if (mode == RoundMode::CAST_ROUND)
    return exact > 0;
  return !belowIsEven;
}

// Rounds to a 16-bit format given by its finite non-negative values in order;
// `step` is the spacing beyond the largest, where infinity begins.
class Rounder {
public:
  Rounder(std::vector<double> table, double beyond)
      : table(std::move(table)), beyond(beyond) {}

  // Bits of the result, infinity being one past the last entry.
  uint16_t operator()(double exact, RoundMode mode) const {
    const bool negative = std::signbit(exact);
    const uint16_t sign = negative ? 0x8000 : 0;
    const double magnitude = std::fabs(exact);
    if (std::isinf(exact))
      return static_cast<uint16_t>(sign | table.size());
    size_t low = std::upper_bound(table.begin(), table.end(), magnitude) -
                 table.begin() - 1;
    const double below = table[low];
    if (below == magnitude)
      return static_cast<uint16_t>(sign | low);
    const double above = low + 1 < table.size() ? table[low + 1] : beyond;
    // In terms of the signed value the outer neighbour is "above" when
    // positive.
    const bool even = low % 2 == 0;
    const bool outward =
        negative ? !takesUpper(-magnitude, -above, -below, !even, mode)
                 : takesUpper(magnitude, below, above, even, mode);
    return static_cast<uint16_t>(sign | (low + outward));
  }

private:
  std::vector<double> table;
  double beyond;
};

const Rounder &halfRounder() {
  static const Rounder rounder = [] {
    std::vector<double> table;
    for (int e = 0; e < 31; ++e)
      for (int m = 0; m < 1024; ++m)
        table.push_back(e == 0 ? std::ldexp(m, -24)
                               : std::ldexp(1024 + m, e - 25));
    return Rounder(table, 65536.0);
  }();
  return rounder;
}
const Rounder &bfloatRounder() {
  static const Rounder rounder = [] {
    std::vector<double> table;
    for (int e = 0; e < 255; ++e)
      for (int m = 0; m < 128; ++m)
        table.push_back(e == 0 ? std::ldexp(m, -133)
                               : std::ldexp(128 + m, e - 134));
    return Rounder(table, 0x1p128);
  }();
  return rounder;
}

// All halves, the middles between neighbours, and the floats beside both.
std::vector<float> targetedFloats() {
  std::vector<float> values;
  for (uint32_t i = 0; i < 0x7c00; i += 3) {
    const float here = half::fromBits(static_cast<uint16_t>(i));
    const float next = i + 1 < 0x7c00
                           ? float(half::fromBits(static_cast<uint16_t>(i + 1)))
                           : 65536.0f;
    const float middle = here + (next - here) / 2;
    for (float v : {here, middle, std::nextafter(middle, 0.0f),
                    std::nextafter(middle, 1e9f), std::nextafter(here, 1e9f)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  }
  const float inf = std::numeric_limits<float>::infinity();
  for (float v : {inf, -inf, 1e-30f, -1e-30f, 3e38f, -3e38f, 1e-45f, 65519.0f,
                  65520.0f, -65520.0f, 1e6f})
    values.push_back(v);
  return values;
}

TEST(VectorCast, FloatToHalfAllModes) {
  const auto values = targetedFloats();
  for (RoundMode mode :
       {RoundMode::CAST_NONE, RoundMode::CAST_RINT, RoundMode::CAST_FLOOR,
        RoundMode::CAST_CEIL, RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC,
        RoundMode::CAST_ODD}) {
    const auto actual = castAll<half>(values, mode);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(actual[i].rawBits(), halfRounder()(values[i], mode))
          << values[i] << " mode " << static_cast<int>(mode);
  }
}

TEST(VectorCast, FloatToBfloat16AllModes) {
  std::vector<float> values = targetedFloats();
  std::mt19937 random(1);
  for (int i = 0; i < 50000; ++i) {
    uint32_t bits = random();
    if (i % 2)
      bits = (bits & 0xffff0000u) | (i % 3 ? 0x8000u : 0x7fffu);
    float v;
    std::memcpy(&v, &bits, 4);
    if (!std::isnan(v))
      values.push_back(v);
  }
  for (RoundMode mode : kModes) {
    const auto actual = castAll<bfloat16_t>(values, mode);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(actual[i].rawBits(), bfloatRounder()(values[i], mode))
          << values[i] << " mode " << static_cast<int>(mode);
  }
}

// Finite numbers are rounded several vectors at a time; what is none, here and
// there, neither loses its bits nor changes its neighbours.
TEST(VectorCast, FloatToBfloat16AmongNaNAndInfinity) {
  std::mt19937 random(2);
  std::vector<float> values(4096);
  std::vector<uint32_t> raw(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    raw[i] = random() & 0xbfffffffu; // finite
    if (i % 67 == 5)
      raw[i] = (random() & 0x80000000u) | 0x7f800000u | random() % 0x800000u;
    else if (i % 71 == 9)
      raw[i] = (random() & 0x80000000u) | (0x7f7f7ff0u + random() % 0x8011u);
  }
  std::memcpy(values.data(), raw.data(), raw.size() * sizeof(uint32_t));
  const auto actual = castAll<bfloat16_t>(values, RoundMode::CAST_RINT);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t expected =
        std::isnan(values[i]) ? (raw[i] | 0x400000u) >> 16
                              : (raw[i] + 0x7fffu + (raw[i] >> 16 & 1)) >> 16;
    ASSERT_EQ(actual[i].rawBits(), expected) << values[i] << " at " << i;
  }
}

double roundIntegral(double v, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR:
    return std::floor(v);
  case RoundMode::CAST_CEIL:
    return std::ceil(v);
  case RoundMode::CAST_ROUND:
    return std::round(v);
  case RoundMode::CAST_TRUNC:
    return std::trunc(v);
  default:
    return std::nearbyint(v);
  }
}

template <typename T> T saturated(double v) {
  if (std::isnan(v))
    return 0;
  if (v <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (v >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(v);
}

template <typename T, typename U>
void checkToInteger(const std::vector<U> &values) {
  for (RoundMode mode : kModes) {
    const auto actual = castAll<T>(values, mode);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(actual[i], saturated<T>(roundIntegral(
                               static_cast<float>(values[i]), mode)))
          << static_cast<float>(values[i]) << " mode "
          << static_cast<int>(mode);
  }
}

TEST(VectorCast, AllHalvesToIntegers) {
  const auto halves = allHalves();
  checkToInteger<int32_t>(halves);
  checkToInteger<int16_t>(halves);
  checkToInteger<int8_t>(halves);
  checkToInteger<uint8_t>(halves);
}

TEST(VectorCast, FloatsToIntegers) {
  std::vector<float> values;
  for (int i = -4000; i < 4000; ++i)
    values.push_back(i * 0.125f);
  for (int e = 0; e < 70; ++e)
    for (float m : {1.0f, 1.5f, 1.9999999f})
      for (float sign : {1.0f, -1.0f})
        values.push_back(sign * std::ldexp(m, e));
  values.push_back(0.49999997f);
  values.push_back(std::nanf(""));
  values.push_back(std::numeric_limits<float>::infinity());
  checkToInteger<int32_t>(values);
  checkToInteger<int16_t>(values);
  checkToInteger<int64_t>(values);
  for (RoundMode mode : kModes) {
    const auto integral = castAll<float>(values, mode);
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isnan(values[i])) {
        ASSERT_EQ(integral[i], roundIntegral(values[i], mode)) << values[i];
      }
  }
}

TEST(VectorCast, Widening) {
  const auto halves = allHalves();
  const auto wide = castAll<float>(halves, RoundMode::CAST_NONE);
  for (size_t i = 0; i < halves.size(); ++i) {
    if (isNaN(halves[i])) {
      ASSERT_TRUE(std::isnan(wide[i]));
    } else {
      ASSERT_EQ(bitsOf(wide[i]), bitsOf(float(halves[i])));
    }
  }
  std::vector<bfloat16_t> bfloats(65536);
  for (uint32_t i = 0; i < 65536; ++i)
    bfloats[i] = bfloat16_t::fromBits(static_cast<uint16_t>(i));
  const auto wideB = castAll<float>(bfloats, RoundMode::CAST_NONE);
  for (uint32_t i = 0; i < 65536; ++i)
    ASSERT_EQ(bitsOf(wideB[i]), uint64_t{i} << 16);
  checkToInteger<int32_t>(bfloats);
}

TEST(VectorCast, SmallIntegers) {
  std::vector<int8_t> bytes;
  std::vector<uint8_t> ubytes;
  std::vector<int16_t> words;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<int8_t>(i - 128));
    ubytes.push_back(static_cast<uint8_t>(i));
  }
  for (int i = -32768; i < 32768; ++i)
    words.push_back(static_cast<int16_t>(i));
  const auto a = castAll<half>(bytes, RoundMode::CAST_NONE);
  const auto b = castAll<half>(ubytes, RoundMode::CAST_NONE);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(float(a[i]), bytes[i]);
    EXPECT_EQ(float(b[i]), ubytes[i]);
  }
  const auto f = castAll<float>(words, RoundMode::CAST_NONE);
  for (size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(f[i], words[i]);
  for (RoundMode mode : kModes) {
    const auto h = castAll<half>(words, mode);
    for (size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(h[i].rawBits(), halfRounder()(words[i], mode)) << words[i];
  }
}

TEST(VectorCast, WideIntegers) {
  std::vector<int32_t> ints = {0,         1,         -1,        INT32_MAX,
                               INT32_MIN, 16777217,  -16777217, 16777219,
                               33554435,  2147483583};
  std::vector<int64_t> longs = {0,
                                1,
                                -1,
                                INT64_MAX,
                                INT64_MIN,
                                (int64_t{1} << 40) + 1,
                                -(int64_t{1} << 40) - 1,
                                (int64_t{1} << 31),
                                -(int64_t{1} << 31) - 1};
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    ints.push_back(static_cast<int32_t>(random()));
    longs.push_back(static_cast<int64_t>(random()) >> (i % 60));
  }
  for (RoundMode mode : kModes) {
    const auto f = castAll<float>(ints, mode);
    for (size_t i = 0; i < ints.size(); ++i) {
      const double exact = ints[i];
      float expected = static_cast<float>(exact);
      if (mode != RoundMode::CAST_RINT && expected != exact) {
        const float other = expected < exact ? std::nextafter(expected, 1e30f)
                                             : std::nextafter(expected, -1e30f);
        const float below = std::min(expected, other),
                    above = std::max(expected, other);
        uint32_t bits;
        std::memcpy(&bits, &below, 4);
        expected = takesUpper(exact, below, above, bits % 2 == 0, mode) ? above
                                                                        : below;
      }
      ASSERT_EQ(f[i], expected)
          << ints[i] << " mode " << static_cast<int>(mode);
    }
  }
  const auto nearest = castAll<float>(longs, RoundMode::CAST_RINT);
  const auto cut = castAll<float>(longs, RoundMode::CAST_TRUNC);
  const auto narrow = castAll<int32_t>(longs, RoundMode::CAST_NONE);
  for (size_t i = 0; i < longs.size(); ++i) {
    EXPECT_EQ(nearest[i], static_cast<float>(longs[i]));
    EXPECT_LE(std::fabs(static_cast<long double>(cut[i])),
              std::fabs(static_cast<long double>(longs[i])));
    EXPECT_EQ(narrow[i], std::clamp<int64_t>(longs[i], INT32_MIN, INT32_MAX));
  }
  const auto words = castAll<int16_t>(ints, RoundMode::CAST_NONE);
  const auto wide = castAll<int64_t>(ints, RoundMode::CAST_NONE);
  for (size_t i = 0; i < ints.size(); ++i) {
    EXPECT_EQ(words[i], std::clamp(ints[i], -32768, 32767));
    EXPECT_EQ(wide[i], ints[i]);
  }
}

TEST(VectorCast, DequantisationMultipliesByTheScale) {
  const std::vector<int32_t> values = {0, 1, -3, 2049, 65520, 100000, -7};
  std::vector<half> scaled;
  EXPECT_OK(run([&] {
    auto src = tensorAt<int32_t>(kSrc, 64);
    auto dst = tensorAt<half>(kDst, 64);
    put(src, values);
    SetDeqScale(half(0.5f));
    Cast(dst, src, RoundMode::CAST_NONE, 7);
    scaled = get(dst, 7);
  }));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(scaled[i].rawBits(),
              halfRounder()(values[i] * 0.5, RoundMode::CAST_RINT));
}

TEST(VectorCast, SaturationModeOfCtrl48) {
  const std::vector<float> values = {1e6f, -1e6f, std::nanf(""), 1.0f,
                                     -std::numeric_limits<float>::infinity()};
  std::vector<half> kept, cut;
  EXPECT_OK(run([&] {
    auto src = tensorAt<float>(kSrc, 64);
    auto dst = tensorAt<half>(kDst, 64);
    put(src, values);
    Cast(dst, src, RoundMode::CAST_RINT, 5);
    kept = get(dst, 5);
    SetCtrlSpr<48, 48>(0);
    EXPECT_EQ((GetCtrlSpr<48, 48>()), 0);
    Cast(dst, src, RoundMode::CAST_RINT, 5);
    cut = get(dst, 5);
  }));
  EXPECT_EQ(kept[0].rawBits(), 0x7c00);
  EXPECT_TRUE(isNaN(kept[2]));
  EXPECT_EQ(cut[0].rawBits(), 0x7bff);
  EXPECT_EQ(cut[1].rawBits(), 0xfbff);
  EXPECT_EQ(cut[2].rawBits(), 0);
  EXPECT_EQ(cut[3].rawBits(), 0x3c00);
  EXPECT_EQ(cut[4].rawBits(), 0xfbff);
}

TEST(VectorCast, Level0StridesFollowTheWiderType) {
  const auto values = samples<half>(2048, 3);
  std::vector<float> wide(2048, -5.0f);
  EXPECT_OK(run([&] {
    auto src = tensorAt<half>(kSrc, 2048);
    auto dst = tensorAt<float>(kDst, 2048);
    put(src, values);
    put(dst, wide);
    Cast(dst, src, RoundMode::CAST_NONE, uint64_t{40}, 10, {1, 2, 16, 9});
    wide = get(dst, 2048);
  }));
  std::vector<float> expected(2048, -5.0f);
  Walk::lanes(40, 10).each(64, [&](uint32_t r, uint32_t lane) {
    expected[laneIndex<float>(r, lane, 1, 16)] =
        values[laneIndex<half>(r, lane, 2, 9)];
  });
  expectSame(wide, expected, "Cast");
}

TEST(VectorCast, PackedInt4) {
  std::vector<half> values;
  for (int i = 0; i < 32; ++i)
    values.push_back(half(i - 16));
  std::vector<half> back;
  EXPECT_OK(run([&] {
    auto src = tensorAt<half>(kSrc, 64);
    auto packed = tensorAt<int4b_t>(kDst, 64);
    put(src, values);
    Cast(packed, src, RoundMode::CAST_RINT, 32);
    Cast(src, packed, RoundMode::CAST_NONE, 32);
    back = get(src, 32);
  }));
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(float(back[i]), std::clamp(i - 16, -8, 7));
}

} // namespace
