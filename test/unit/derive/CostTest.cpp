//===- CostTest.cpp - Derived bodies cost no more than the records' -------===//
//
// The vector ops per element of the largest dims that a literal translation of
// a body needs, in the dearest case of what conditions of the call choose:
// those of the record and those of what is derived. A change that raises one is
// seen here.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/Derive.h"
#include "test/unit/derive/Derivations.h"
#include "gtest/gtest.h"

using namespace lossgrad;

namespace {
struct Pin {
  const char *record;
  unsigned byHand, derived;
};
} // namespace

static const Pin kPins[] = {
    {"BinaryCrossEntropyBackward", 8, 8},
    {"BinaryCrossEntropyWithLogitsBackward", 14, 11},
    {"CosineEmbeddingLossBackward", 14, 12},
    {"CrossEntropyLossGrad", 4, 3},
    {"DiceLossBackward", 10, 10},
    {"DpoLossBackward", 10, 10},
    {"GaussianNLLLossBackward", 12, 11},
    {"HingeEmbeddingLossBackward", 9, 8},
    {"HingeLossGrad", 5, 5},
    {"HuberLossBackward", 5, 5},
    {"IpoLossBackward", 6, 6},
    {"KlDivBackward", 4, 4},
    {"KlDivTargetBackward", 7, 7},
    {"L1LossBackward", 7, 6},
    {"LogSigmoidBackward", 3, 3},
    {"LogSoftmaxBackward", 4, 4},
    {"LogitGrad", 7, 7},
    {"MarginRankingLossBackward", 9, 7},
    {"MseLossBackward", 3, 3},
    {"MultiMarginLossBackward", 6, 5},
    {"NLLLoss2dBackward", 0, 0},
    {"NLLLossBackward", 0, 0},
    {"PoissonNLLLossBackward", 5, 5},
    {"PolyLossBackward", 7, 6},
    {"SigmoidFocalLossBackward", 31, 31},
    {"SmoothL1LossBackward", 6, 6},
    {"SoftMarginLossBackward", 6, 6},
    {"SoftmaxBackward", 4, 4},
    {"SoftmaxFocalLossBackward", 32, 31},
    {"VocabParallelCrossEntropyBackward", 5, 3},
};

TEST(Costs, AreThoseOfTheRecordsOrLess) {
  for (const Pin &pin : kPins) {
    Imported hand = importByHand(pin.record),
             derived = importDerived(pin.record);
    ASSERT_TRUE(hand && derived) << pin.record;
    unsigned ours = countVectorOps(derived.getBackward()),
             theirs = countVectorOps(getByHand(hand, pin.record));
    EXPECT_EQ(ours, pin.derived) << pin.record << ", derived";
    EXPECT_EQ(theirs, pin.byHand) << pin.record << ", by hand";
    EXPECT_LE(pin.derived, pin.byHand) << pin.record;
  }
}

/// The losses that are forwards only: what an expert would count.
TEST(Costs, OfUserLosses) {
  const std::pair<const char *, unsigned> pins[] = {
      {"Charbonnier", 7},
      {"Cispo", 3},
      {"Grpo", 3},
      {"JsdFromLogits", 24},
      {"KlFromLogits", 8},
      {"Kto", 16},
      {"LabelSmoothedNll", 0}, // reads no tile
      {"LogCosh", 7},
      {"LogProbAndEntropy", 8},
      {"LogitsCrossEntropy", 36},
      {"Orpo", 41},
      {"Pinball", 4},
      {"SelectedLogProb", 4},
      {"SimPo", 7},
      {"SoftmaxCrossEntropy", 5},
      {"Tversky", 14},
  };
  for (auto [loss, cost] : pins) {
    Imported derived = Imported::file(("losses/" + llvm::Twine(loss)).str());
    ASSERT_TRUE(derived) << loss;
    EXPECT_EQ(countVectorOps(derived.getBackward()), cost) << loss;
  }
}
