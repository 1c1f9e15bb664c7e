//===- DerivedBodiesTest.cpp - Derived bodies against the records' --------===//
//
// The records of ops_td that have a forward keep a body written by hand; that
// is the proof of the derivation, and the derivation of the record. Both run on
// the same sampled calls: every choice, optional tensors there and not,
// ordinary values and extremes of both signs. Differences of the forward judge
// both.
//
//===----------------------------------------------------------------------===//

#include "test/unit/derive/Derivations.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace lossgrad;
using llvm::StringRef;

namespace {

class DerivedBodies : public testing::TestWithParam<const char *> {};

constexpr unsigned kCalls = 240;

/// Relative to the largest term that either result is a sum of.
constexpr double kTolerance = 1e-9;

} // namespace

TEST_P(DerivedBodies, HaveTheValuesOfTheRecord) {
  Imported hand = importByHand(GetParam());
  Imported derived = importDerived(GetParam());
  ASSERT_TRUE(hand && derived);
  OperatorOp ours = derived.getBackward(), theirs = getByHand(hand, GetParam());
  unsigned points = 0, calls = 0;
  for (unsigned index = 0; index < kCalls; ++index) {
    Call call = makeSampleCall(theirs, index);
    InterpreterOptions tracking;
    tracking.trackTerms = true;
    auto wanted = interpret(theirs, call, tracking),
         found = interpret(ours, call, tracking);
    ASSERT_EQ(bool(wanted), bool(found));
    if (!wanted) {
      llvm::consumeError(wanted.takeError());
      llvm::consumeError(found.takeError());
      continue;
    }
    ++calls;
    for (auto [w, f] : llvm::zip_equal(*wanted, *found)) {
      ASSERT_EQ(w.shape, f.shape);
      for (size_t i = 0; i < w.elements.size(); ++i) {
        double x = w.elements[i].real, y = f.elements[i].real;
        // Where terms leave the range of float32, or cancel from there, the
        // order of evaluation decides.
        double largest = std::max(w.largestTerms[i], f.largestTerms[i]);
        if (!(largest < 1e37) || (std::isnan(x) && std::isnan(y)))
          continue;
        ++points;
        EXPECT_LE(std::abs(x - y), kTolerance * std::max(largest, 1e-30))
            << w.name << "[" << i << "] of call " << index << ": " << y
            << ", by hand " << x;
      }
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(calls, kCalls / 2);
  EXPECT_GT(points, 500u);
}

/// With every result rounded to float32, on sampled calls with extremes.
TEST_P(DerivedBodies, RoundNoWorseThanTheRecord) {
  Imported hand = importByHand(GetParam());
  Imported derived = importDerived(GetParam());
  ASSERT_TRUE(hand && derived);
  auto bad =
      countBadPoints({getByHand(hand, GetParam()), derived.getBackward()});
  EXPECT_LE(bad[1], bad[0] + kFewPoints);
}

TEST_P(DerivedBodies, AreLinearInTheUpstreamGradient) {
  Imported derived = importDerived(GetParam());
  ASSERT_TRUE(derived);
  OperatorOp op = derived.getBackward();
  for (unsigned index = 0; index < 48; index += 4) {
    Call call = makeSampleCall(op, index), doubled = call;
    for (auto &entry : doubled.tensors) {
      StringRef name = entry.getKey();
      if (name.starts_with("grad") || name == "dy")
        for (Element &element : entry.second.elements)
          element.real *= 2;
    }
    auto once = run(op, call), twice = run(op, doubled);
    if (!once || !twice)
      continue;
    for (auto [a, b] : llvm::zip_equal(*once, *twice))
      for (auto [x, y] : llvm::zip_equal(a.elements, b.elements))
        if (std::isfinite(x.real)) {
          EXPECT_DOUBLE_EQ(2 * x.real, y.real);
        }
  }
}

/// All of the record's choices and presences, with values where the forward is
/// defined.
TEST_P(DerivedBodies, AgreeWithDifferences) {
  Imported derived = importDerived(GetParam());
  ASSERT_TRUE(derived);
  OperatorOp objective = derived.getObjective();
  if (!objective)
    GTEST_SKIP() << "the forward has gradients of its own";
  std::vector<unsigned> calls;
  for (unsigned index = 0; index < 96; index += 2)
    calls.push_back(index);
  EXPECT_GT(expectGradients(derived.getBackward(), objective, calls), 60u);
}

TEST(DerivedRecords, AreAllOfTheFolder) {
  unsigned count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator
           it(LOSSGRAD_SOURCE_DIR "/ops_td", error),
       end;
       it != end && !error; it.increment(error)) {
    StringRef file = llvm::sys::path::filename(it->path());
    if (!file.consume_back(".td"))
      continue;
    ++count;
    EXPECT_TRUE(llvm::is_contained(kDerivedRecords, file)) << file.str();
  }
  EXPECT_EQ(count, std::size(kDerivedRecords));
}

INSTANTIATE_TEST_SUITE_P(Records, DerivedBodies,
                         testing::ValuesIn(kDerivedRecords),
                         [](const auto &info) {
                           return std::string(info.param);
                         });
