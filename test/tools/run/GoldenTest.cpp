// Contents and references of cases, from real records.
#include "Golden.h"
#include "Records.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace lossgrad;
using namespace lossgrad::run;

namespace {

class Golden : public testing::Test {
protected:
  Records records{{LOSSGRAD_SOURCE_DIR "/ops_td"},
                  {LOSSGRAD_SOURCE_DIR "/ops_td"}};

  OperatorOp find(llvm::StringRef function) {
    OperatorOp op = llvm::cantFail(records.find(function));
    EXPECT_TRUE(op);
    return op;
  }
  static Case parse(llvm::StringRef text) {
    llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
    return llvm::cantFail(parseCase(std::move(*value.getAsObject()), "here"));
  }
};

const char *smooth = R"({"id": "t", "op": "aclnnSmoothL1LossBackward",
  "inputs": [{"name": "gradOut", "dtype": "float32", "shape": [1], "values": [1]},
             {"name": "self", "dtype": "float32", "shape": [2, 2], "strides": [1, 2],
              "storage_shape": [2, 2], "values": [0, 1, 2, 3]},
             {"name": "target", "dtype": "float32", "shape": [2, 2], "range": [1, 1]}],
  "attrs": {"reduction": 1, "beta": 2.0},
  "outputs": [{"name": "gradInput", "dtype": "float32", "shape": [2, 2]}],
  "expect": {"status": 0, "divisor": 4}})";

TEST_F(Golden, AViewHasItsElementsInRowMajorOrder) {
  OperatorOp op = find("aclnnSmoothL1LossBackward");
  GoldenCall golden = llvm::cantFail(makeGolden(op, parse(smooth), "", {}));
  double expected[] = {-0.125, 0, 0.125, 0.25};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(golden.outputs[0].elements[i].real, expected[i]);
}

TEST_F(Golden, Divisor) {
  OperatorOp op = find("aclnnSmoothL1LossBackward");
  Case test = parse(smooth);
  GoldenCall golden = llvm::cantFail(makeGolden(op, test, "", {}));
  EXPECT_TRUE(llvm::cantFail(agreesWithDivisor(op, test, golden)));
  (*test.json.getObject("expect"))["divisor"] = 3;
  EXPECT_FALSE(llvm::cantFail(agreesWithDivisor(op, test, golden)));
}

TEST_F(Golden, ASeedGivesOtherDataAndTheSameSeedTheSame) {
  OperatorOp op = find("aclnnSmoothL1LossBackward");
  Case test = parse(smooth);
  llvm::json::Array &inputs = *test.json.getArray("inputs");
  llvm::json::Object &target = *inputs[2].getAsObject();
  target["range"] = llvm::json::Array{-1, 1};
  auto drawn = [&](llvm::StringRef seed) {
    return llvm::cantFail(makeGolden(op, test, seed, {}))
        .call.tensors["target"]
        .elements[0]
        .real;
  };
  EXPECT_EQ(drawn(""), drawn(""));
  EXPECT_EQ(drawn("1"), drawn("1"));
  EXPECT_NE(drawn(""), drawn("1"));
}

TEST_F(Golden, LargestTermOfADifference) {
  // g - exp(output) * sum(g): the sum's partial sums are about as large as the
  // root of 3^2 + 3.5^2, times exp(0) and exp(2).
  double partial = std::sqrt(3.0 * 3.0 + 3.5 * 3.5);
  OperatorOp op = find("aclnnLogSoftmaxBackward");
  Case test = parse(R"({"op": "aclnnLogSoftmaxBackward",
    "inputs": [{"name": "gradOutput", "dtype": "float32", "shape": [2], "values": [3, -3.5]},
               {"name": "output", "dtype": "float32", "shape": [2], "values": [0, 2]}],
    "attrs": {"dim": 0},
    "outputs": [{"name": "out", "dtype": "float32", "shape": [2]}]})");
  OperatorRules rules;
  rules.largestTermUlps = 32;
  GoldenCall golden = llvm::cantFail(makeGolden(op, test, "", rules));
  EXPECT_EQ(golden.outputs[0].elements[0].real, 3.5);
  EXPECT_EQ(golden.termUlps, 32);
  EXPECT_DOUBLE_EQ(golden.outputs[0].largestTerms[0], partial);
  EXPECT_DOUBLE_EQ(golden.outputs[0].largestTerms[1], partial * std::exp(2.0));
  // Without an allowance nothing is tracked.
  golden = llvm::cantFail(makeGolden(op, test, "", {}));
  EXPECT_TRUE(golden.outputs[0].largestTerms.empty());
}

// exp(200) is no float32, and exp(-200) is 0 there.
TEST_F(Golden, TheFormulaInFloat32) {
  OperatorOp op = find("aclnnLogSoftmaxBackward");
  Case test = parse(R"({"op": "aclnnLogSoftmaxBackward",
    "inputs": [{"name": "gradOutput", "dtype": "float32", "shape": [2], "values": ["inf", 1]},
               {"name": "output", "dtype": "float32", "shape": [2], "values": [200, -200]}],
    "attrs": {"dim": 0},
    "outputs": [{"name": "out", "dtype": "float32", "shape": [2]}],
    "expect": {"float32_range": true}})");
  GoldenCall golden = llvm::cantFail(makeGolden(op, test, "", {}));
  EXPECT_TRUE(golden.float32Range);
  EXPECT_EQ(golden.outputs[0].elements[1].real,
            -std::numeric_limits<double>::infinity());
  auto literal = llvm::cantFail(computeInFloat32(op, golden));
  EXPECT_TRUE(std::isnan(literal[0].elements[1].real));
}

TEST_F(Golden, ADrawThatIgnoresEveryRowIsMadeAgain) {
  // Two rows, targets 0 or 1, class 0 ignored: one draw in four proves nothing.
  OperatorOp op = find("aclnnCrossEntropyLossGrad");
  OperatorRules rules;
  rules.redrawAllZero = true;
  for (int i = 0; i < 40; ++i) {
    Case test = parse(R"({"op": "aclnnCrossEntropyLossGrad",
      "inputs": [{"name": "gradLoss", "dtype": "float32", "shape": [], "values": [1]},
                 {"name": "logProb", "dtype": "float32", "shape": [2, 2], "range": [-2, -1]},
                 {"name": "target", "dtype": "int64", "shape": [2], "range": [0, 1]}],
      "attrs": {"reductionOptional": "mean", "ignoreIndex": 0},
      "outputs": [{"name": "out", "dtype": "float32", "shape": [2, 2]}]})");
    test.id = "t" + std::to_string(i);
    GoldenCall golden = llvm::cantFail(makeGolden(op, test, "", rules));
    EXPECT_TRUE(llvm::any_of(golden.outputs[0].elements,
                             [](Element e) { return e.real != 0; }));
  }
}

TEST_F(Golden, OneElementKeepsTheRankOfTheBroadcast) {
  OperatorOp op = find("aclnnSmoothL1LossBackward");
  Case test = parse(R"({"op": "aclnnSmoothL1LossBackward",
    "inputs": [{"name": "gradOut", "dtype": "float32", "shape": []},
               {"name": "self", "dtype": "float32", "shape": [1, 1]},
               {"name": "target", "dtype": "float32", "shape": [1]}],
    "attrs": {"reduction": 0, "beta": 1},
    "outputs": [{"name": "gradInput", "dtype": "float32", "shape": [1, 1]}]})");
  GoldenCall golden = llvm::cantFail(makeGolden(op, test, "", {}));
  EXPECT_EQ(golden.outputs[0].shape, (Extents{1, 1}));
}

TEST(Rules, TheShippedTableIsRead) {
  auto rules = llvm::cantFail(
      readRules(LOSSGRAD_SOURCE_DIR "/tools/lossgrad-run/rules.json"));
  EXPECT_EQ(rules.lookup("aclnnLogSoftmaxBackward").largestTermUlps, 32);
  EXPECT_EQ(rules.lookup("aclnnSmoothL1LossBackward").largestTermUlps, 0);
  EXPECT_TRUE(rules.lookup("aclnnCrossEntropyLossGrad").redrawAllZero);
  EXPECT_EQ(rules.lookup("aclnnSoftmaxFocalLossBackward").ranges.lookup("pred"),
            std::make_pair(0.0, 1.0));
}

TEST(Rules, AnOperatorHasOneRow) {
  llvm::SmallString<128> path;
  int file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("rules", "json", file, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true)
      << R"([{"op": "a", "reason": "x"}, {"op": "a", "reason": "y"}])";
  auto rules = readRules(path);
  ASSERT_FALSE(static_cast<bool>(rules));
  EXPECT_EQ(llvm::toString(rules.takeError()),
            (path + ": 'a' is given twice").str());
}

} // namespace
