// Every rule of judging has a result that it accepts and one, as close as
// possible, that it refuses.
#include "Judge.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace lossgrad;
using namespace lossgrad::run;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Element> reals(std::initializer_list<double> values) {
  std::vector<Element> elements;
  for (double value : values) {
    Element element;
    element.real = value;
    elements.push_back(element);
  }
  return elements;
}

Verdict judgeReals(DType dtype, std::initializer_list<double> golden,
                   std::initializer_list<double> actual) {
  std::vector<Element> reference = reals(golden);
  return judge(dtype, {reference}, reals(actual));
}

/// `n` copies of one result.
Verdict judgeMany(DType dtype, size_t n, double golden, double actual) {
  std::vector<Element> reference, result;
  for (size_t i = 0; i < n; ++i) {
    reference.push_back(reals({golden})[0]);
    result.push_back(reals({actual})[0]);
  }
  return judge(dtype, {reference}, result);
}

TEST(Judge, ExactResultsAreRight) {
  Verdict verdict = judgeReals(DType::Float32, {1, -2.5, 0}, {1, -2.5, 0});
  EXPECT_TRUE(verdict.right);
  EXPECT_EQ(verdict.maxError, 0);
}

// What a half cannot hold is its largest number on products that saturate, and
// infinite on others.
TEST(Judge, HalvesOfProductsThatSaturate) {
  std::vector<Element> golden = reals({1e6, -kInf, kNaN, 2}),
                       cut = reals({65504, -65504, 0, 2}),
                       kept = reals({kInf, -kInf, kNaN, 2});
  Reference saturating{golden};
  saturating.saturates = true;
  EXPECT_TRUE(judge(DType::Float16, saturating, cut).right);
  EXPECT_FALSE(judge(DType::Float16, saturating, kept).right);
  EXPECT_FALSE(judge(DType::Float16, {golden}, cut).right);
  EXPECT_TRUE(judge(DType::Float16, {golden}, kept).right);
  EXPECT_FALSE(judge(DType::Float32, saturating, cut).right);
}

// Where the formula itself leaves float32, only there, and only if it is asked.
TEST(Judge, WhereTheFormulaLeavesFloat32NothingIsSaid) {
  std::vector<Element> golden = reals({-kInf, 1, kNaN, 2, 3}),
                       literal = reals({kNaN, kInf, -kInf, 2, 3}),
                       actual = reals({kNaN, kNaN, kInf, 2, 3});
  Reference reference{golden};
  EXPECT_FALSE(judge(DType::Float32, reference, actual).right);
  reference.inFloat32 = literal;
  EXPECT_TRUE(judge(DType::Float32, reference, actual).right);
  for (double wrong : {kNaN, kInf, 2.5}) {
    Verdict verdict =
        judge(DType::Float32, reference, reals({kNaN, kNaN, kInf, wrong, 3}));
    EXPECT_FALSE(verdict.right);
    EXPECT_EQ(verdict.index, 3u);
  }
  // Infinities of both signs are not the same.
  golden = reals({kInf}), literal = reals({-kInf});
  reference = {golden};
  reference.inFloat32 = literal;
  EXPECT_TRUE(judge(DType::Float32, reference, reals({-kInf})).right);
  literal[0].real = kInf;
  EXPECT_FALSE(judge(DType::Float32, reference, reals({-kInf})).right);
}

// A case may ask for more than the rules do, and never for less.
TEST(Judge, ToleranceOfTheCase) {
  std::vector<Element> golden = reals({1, 1, 1, 1}),
                       actual = reals({1, 1, 1, 1.0001});
  EXPECT_TRUE(judge(DType::Float32, {golden}, actual).right);
  Reference strict{golden, {}, 0, Tolerance{1e-5, 0, 0}};
  Verdict verdict = judge(DType::Float32, strict, actual);
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.index, 3u);
  EXPECT_EQ(verdict.reason, "1 of 4 elements beyond the tolerance of the case");
  strict.tolerance->beyond = 0.25;
  EXPECT_TRUE(judge(DType::Float32, strict, actual).right);
  strict.tolerance = Tolerance{1e-5, 1e-3, 0};
  EXPECT_TRUE(judge(DType::Float32, strict, actual).right);
  Reference loose{golden, {}, 0, Tolerance{1, 1, 1}};
  EXPECT_FALSE(judge(DType::Float32, loose, reals({1, 1, 1, 1.5})).right);
}

// Whatever is allowed for, what was lost is known.
TEST(Judge, TheWorstRelativeError) {
  std::vector<Element> golden = reals({1, 1e-8, 1e-40});
  std::vector<double> terms = {1, 1, 1};
  Verdict verdict =
      judge(DType::Float32, {golden, terms, 32}, reals({1, 1.5e-8, 0}));
  EXPECT_TRUE(verdict.right);
  EXPECT_EQ(verdict.maxError, 0);
  EXPECT_NEAR(verdict.worstRelative, 0.5, 1e-9);
  EXPECT_EQ(verdict.worstIndex, 1u);
  EXPECT_GT(verdict.worstRelative, kHalfTheDigits);
}

TEST(Judge, NumberOfElements) {
  EXPECT_FALSE(judgeReals(DType::Float32, {1, 2}, {1}).right);
  EXPECT_TRUE(judgeReals(DType::Float32, {}, {}).right);
}

TEST(Judge, NaNWhereNaNIsRightAndNowhereElse) {
  EXPECT_TRUE(judgeReals(DType::Float32, {kNaN}, {kNaN}).right);
  Verdict verdict = judgeReals(DType::Float32, {1, kNaN}, {1, 2});
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.index, 1u);
  EXPECT_EQ(verdict.reason, "a number where NaN is right");
  verdict = judgeReals(DType::Float32, {1, 2}, {1, kNaN});
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.reason, "NaN where a number is right");
  EXPECT_FALSE(judgeReals(DType::Float32, {kNaN}, {kInf}).right);
  EXPECT_FALSE(judgeReals(DType::Float32, {kInf}, {kNaN}).right);
}

TEST(Judge, InfinitiesOfTheSameSign) {
  EXPECT_TRUE(judgeReals(DType::Float16, {kInf, -kInf}, {kInf, -kInf}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {kInf}, {-kInf}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {kInf}, {65504}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {60000}, {kInf}).right);
}

TEST(Judge, TheReferenceIsRoundedBeforeItIsComparedWithAnInfinity) {
  // 1e6 is no float16: its rounding is infinite, and so must the result be.
  EXPECT_TRUE(judgeReals(DType::Float16, {1e6}, {kInf}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {1e6}, {65504}).right);
  EXPECT_FALSE(judgeReals(DType::Float32, {1e6}, {kInf}).right);
}

TEST(Judge, NearTheLargestNumberBothAreRight) {
  EXPECT_TRUE(judgeReals(DType::Float16, {65504 * 0.995}, {kInf}).right);
  EXPECT_TRUE(judgeReals(DType::Float16, {65504 * 1.005}, {65504}).right);
  EXPECT_TRUE(judgeReals(DType::Float16, {-65504 * 1.005}, {-65504}).right);
  // One part in a hundred, and not two.
  EXPECT_FALSE(judgeReals(DType::Float16, {65504 * 0.98}, {kInf}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {65504 * 1.02}, {65504}).right);
  // The sign and the size still count.
  EXPECT_FALSE(judgeReals(DType::Float16, {65504 * 1.005}, {-kInf}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {65504 * 1.005}, {5}).right);
  EXPECT_TRUE(judgeReals(DType::BFloat16, {0x1.fep127}, {kInf}).right);
}

struct Limit {
  DType dtype;
  double mean;
  /// GoogleTest would print the bytes, padding included.
  friend void PrintTo(const Limit &limit, std::ostream *os) {
    *os << stringifyDType(limit.dtype).str();
  }
};

class JudgeLimits : public testing::TestWithParam<Limit> {};

TEST_P(JudgeLimits, OneElementStaysBelowTenTimesTheMean) {
  auto [dtype, mean] = GetParam();
  EXPECT_EQ(getMeanLimit(dtype), mean);
  // Among many right elements one with an error just inside and outside; the
  // values are exact in every dtype but the wrong one.
  auto one = [&, type = dtype](double error) {
    std::vector<Element> reference, actual;
    for (int i = 0; i < 1000; ++i) {
      reference.push_back(reals({64})[0]);
      actual.push_back(reals({64})[0]);
    }
    actual[7].real = 64 * (1 + error);
    return judge(type, {reference}, actual);
  };
  EXPECT_TRUE(one(9.5 * mean).right);
  Verdict verdict = one(10.5 * mean);
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.index, 7u);
  EXPECT_EQ(verdict.reason, "error above the limit for one element");
  EXPECT_NEAR(verdict.error, 10.5 * mean, 0.1 * mean);
}

TEST_P(JudgeLimits, TheMeanStaysBelowItsLimit) {
  auto [dtype, mean] = GetParam();
  EXPECT_TRUE(judgeMany(dtype, 10, 1000, 1000 * (1 + 0.9 * mean)).right ||
              dtype == DType::BFloat16);
  Verdict verdict = judgeMany(dtype, 10, 1000, 1000 * (1 + 3 * mean));
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.reason, "mean error above the limit");
  EXPECT_GT(verdict.meanError, mean);
}

INSTANTIATE_TEST_SUITE_P(DTypes, JudgeLimits,
                         testing::Values(Limit{DType::Float32, 0x1p-13},
                                         Limit{DType::Float16, 0x1p-10},
                                         Limit{DType::BFloat16, 0x1p-7}));

TEST(Judge, AWrongMeanOverManyElementsShows) {
  // An absolute tolerance alone would pass it: both values are below 1e-5.
  EXPECT_FALSE(judgeMany(DType::Float32, 100, 1e-6, 2e-6).right);
  EXPECT_TRUE(judgeMany(DType::Float32, 100, 1e-6, 1e-6 * (1 + 1e-6)).right);
}

TEST(Judge, SmallNumbersAreMeasuredAgainstTheFloor) {
  // abs(golden) + 1e-7 in the denominator: 1e-12 off zero is no error.
  EXPECT_TRUE(judgeReals(DType::Float32, {0}, {1e-12}).right);
  EXPECT_FALSE(judgeReals(DType::Float32, {0}, {1e-9}).right);
}

TEST(Judge, NeighboursAreRight) {
  // One unit in the last place of a subnormal half is a large relative error.
  double ulp = 0x1p-24;
  EXPECT_TRUE(judgeReals(DType::Float16, {3 * ulp}, {4 * ulp}).right);
  EXPECT_TRUE(judgeReals(DType::Float16, {ulp}, {0}).right);
  EXPECT_TRUE(judgeReals(DType::Float16, {0}, {-ulp}).right);
  EXPECT_FALSE(judgeReals(DType::Float16, {40 * ulp}, {42 * ulp}).right);
  EXPECT_TRUE(isSameOrNeighbour(DType::BFloat16, 1, 1 + 0x1p-7));
  EXPECT_FALSE(isSameOrNeighbour(DType::BFloat16, 1, 1 + 0x1p-6));
  EXPECT_FALSE(isSameOrNeighbour(DType::Float32, kNaN, kNaN));
}

TEST(Judge, UnitsOfTheLargestTerm) {
  // 1 - (1 - 2^-20): the terms are about 1, the result about 1e-6.
  std::vector<Element> golden = reals({0x1p-20});
  std::vector<double> terms = {1.0};
  double ulp = 0x1p-23;
  auto judgeWith = [&](double actual, double ulps) {
    return judge(DType::Float32, {golden, terms, ulps}, reals({actual})).right;
  };
  EXPECT_TRUE(judgeWith(0x1p-20 + 32 * ulp, 32));
  EXPECT_FALSE(judgeWith(0x1p-20 + 33 * ulp, 32));
  EXPECT_FALSE(judgeWith(0x1p-20 + 32 * ulp, 0)); // no allowance asked for
  EXPECT_EQ(getFloatUlp(1.0), 0x1p-23);
  EXPECT_EQ(getFloatUlp(1.99), 0x1p-23);
  EXPECT_EQ(getFloatUlp(2.0), 0x1p-22);
  EXPECT_EQ(getFloatUlp(0), 0x1p-149);
  // An infinite term excuses nothing.
  terms = {kInf};
  EXPECT_FALSE(judgeWith(5, 32));
}

TEST(Judge, IntsAreEqual) {
  Element one, two;
  one.integer = 1;
  two.integer = 2;
  std::vector<Element> golden = {one, two};
  EXPECT_TRUE(judge(DType::Int64, {golden}, {one, two}).right);
  Verdict verdict = judge(DType::Int64, {golden}, {one, one});
  EXPECT_FALSE(verdict.right);
  EXPECT_EQ(verdict.index, 1u);
}

} // namespace
