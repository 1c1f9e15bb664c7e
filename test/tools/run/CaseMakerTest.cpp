// Cases from a few words, and random ones, from real records.
#include "CaseMaker.h"
#include "CaseFile.h"
#include "Golden.h"
#include "Records.h"
#include "TensorData.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <set>

using namespace lossgrad;
using namespace lossgrad::run;

namespace {

class CaseMaker : public testing::Test {
protected:
  Records records{{LOSSGRAD_SOURCE_DIR "/ops_td"},
                  {LOSSGRAD_SOURCE_DIR "/ops_td"}};

  OperatorOp find(llvm::StringRef function) {
    OperatorOp op = llvm::cantFail(records.find(function));
    EXPECT_TRUE(op);
    return op;
  }
  std::string make(llvm::StringRef function, const CaseWords &words) {
    auto object = makeCase(find(function), "A2", words);
    return object ? llvm::formatv("{0}", llvm::json::Value(std::move(*object)))
                        .str()
                  : llvm::toString(object.takeError());
  }
  static bool has(llvm::StringRef text, llvm::StringRef part) {
    return text.contains(part);
  }
};

TEST_F(CaseMaker, OneShapeForAll) {
  CaseWords words;
  words.shapes = {"4,2"};
  words.dtypes = {"float16"};
  words.attributes = {"reduction=mean"};
  std::string text = make("aclnnSmoothL1LossBackward", words);
  EXPECT_TRUE(has(text, R"("reduction":1)")) << text;
  EXPECT_TRUE(
      has(text, R"({"dtype":"float16","name":"gradInput","shape":[4,2]})"))
      << text;
}

TEST_F(CaseMaker, OutputsFollowFromInputs) {
  CaseWords words;
  words.shapes = {"self=3,1", "target=4", "gradOut="};
  std::string text = make("aclnnSmoothL1LossBackward", words);
  EXPECT_TRUE(has(text, R"("name":"gradInput","shape":[3,4])")) << text;
}

TEST_F(CaseMaker, DimsFollowFromOneTensor) {
  CaseWords words;
  words.shapes = {"logProb=5,7"};
  std::string text = make("aclnnCrossEntropyLossGrad", words);
  EXPECT_TRUE(has(text, R"("name":"target","range":[0,6],"shape":[5])"))
      << text;
  EXPECT_TRUE(has(text, R"("name":"gradLoss","range":[-2,2],"shape":[])"))
      << text;
  EXPECT_TRUE(has(text, R"("name":"weightOptional","null":true)")) << text;
}

TEST_F(CaseMaker, Mistakes) {
  CaseWords words;
  words.shapes = {"slef=3"};
  EXPECT_EQ(make("aclnnSmoothL1LossBackward", words),
            "--shape slef=...: SmoothL1LossBackward has no tensor 'slef'; its "
            "tensors are gradOut, self, target, gradInput");
  words = {};
  words.attributes = {"alpha=1"};
  EXPECT_EQ(make("aclnnSmoothL1LossBackward", words),
            "--attr alpha=1: must be <attribute>=<value>; SmoothL1LossBackward "
            "has reduction, beta");
  words.attributes = {"reduction=men"};
  EXPECT_EQ(make("aclnnSmoothL1LossBackward", words),
            "--attr reduction=men: must be an int or one of none, mean, sum");
  words.attributes = {"beta=wide"};
  EXPECT_EQ(make("aclnnSmoothL1LossBackward", words),
            "--attr beta=wide: must be a number");
  words = {};
  words.shapes = {"2,x"};
  EXPECT_EQ(make("aclnnSmoothL1LossBackward", words),
            "--shape 2,x: 'x' is not an int of 64 bits");
  words = {};
  words.dtypes = {"half"};
  EXPECT_EQ(make("aclnnSmoothL1LossBackward", words),
            "--dtype half: unknown dtype 'half'; known are " + listDTypes());
  EXPECT_EQ(make("aclnnCrossEntropyLossGrad", {}),
            "the shape of 'logProb' does not follow from what is given; say "
            "--shape logProb=...");
}

TEST_F(CaseMaker, RandomCasesHaveReferencesAndVariety) {
  for (const char *function :
       {"aclnnSmoothL1LossBackward", "aclnnCrossEntropyLossGrad",
        "aclnnLogSoftmaxBackward", "aclnnKlDivBackward",
        "aclnnNLLLoss2dBackward"}) {
    OperatorOp op = find(function);
    auto objects = makeRandomCases(op, "A2", 32, "");
    EXPECT_GE(objects.size(), 24u) << function;
    std::set<std::string> dtypes;
    for (llvm::json::Object &object : objects) {
      for (const llvm::json::Value &output : *object.getArray("outputs"))
        dtypes.insert(output.getAsObject()->getString("dtype")->str());
      Case test = llvm::cantFail(parseCase(std::move(object), "random"));
      auto golden = makeGolden(op, test, "", {});
      EXPECT_TRUE(bool(golden)) << function << ' ' << test.id << ": "
                                << llvm::toString(golden.takeError());
      // Cancellation must not fail a loss that nobody has looked at.
      EXPECT_EQ(golden->termUlps, 32) << function;
    }
    EXPECT_EQ(dtypes.size(), 3u) << function;
  }
}

TEST_F(CaseMaker, RandomCasesKeepToRanges) {
  OperatorOp op = find("aclnnSoftmaxFocalLossBackward");
  ParameterRanges ranges;
  ranges["pred"] = {0.25, 0.5};
  ranges["gamma"] = {1.5, 3};
  unsigned whole = 0, ends = 0, nan = 0, attributes = 0;
  for (llvm::json::Object &object : makeRandomCases(op, "A2", 96, "", ranges)) {
    if (auto gamma = object.getObject("attrs")->getNumber("gamma")) {
      EXPECT_TRUE(*gamma >= 1.5 && *gamma <= 3) << *gamma;
      attributes += *gamma > 1.5 && *gamma < 3;
    }
    for (const llvm::json::Value &input : *object.getArray("inputs")) {
      const llvm::json::Object &tensor = *input.getAsObject();
      if (tensor.getString("name") != "pred")
        continue;
      const llvm::json::Array &range = *tensor.getArray("range");
      if (!range[0].getAsNumber()) {
        EXPECT_EQ(range[0].getAsString(), "nan");
        ++nan;
        continue;
      }
      double low = *range[0].getAsNumber(), high = *range[1].getAsNumber();
      EXPECT_TRUE(low >= 0.25 && high <= 0.5 && low < high) << low << high;
      ++(high - low > 0.2 ? whole : ends);
    }
  }
  EXPECT_GT(whole, 0u);
  EXPECT_GT(ends, 0u);
  EXPECT_GT(nan, 0u);
  EXPECT_GT(attributes, 0u);
}

TEST_F(CaseMaker, RandomCasesBroadcastStrideAndAreEmpty) {
  auto objects =
      makeRandomCases(find("aclnnSmoothL1LossBackward"), "A2", 48, "");
  unsigned strided = 0, empty = 0, broadcast = 0;
  for (llvm::json::Object &object : objects) {
    Case test = llvm::cantFail(parseCase(std::move(object), "random"));
    auto views = llvm::cantFail(parseViews(test));
    for (auto &entry : views)
      strided += !entry.second.isDense();
    empty += views.lookup("gradInput").getNumElements() == 0;
    broadcast += views.lookup("self").shape != views.lookup("target").shape;
  }
  EXPECT_GT(strided, 0u);
  EXPECT_GT(empty, 0u);
  EXPECT_GT(broadcast, 0u);
}

TEST_F(CaseMaker, TheSameSeedGivesTheSameCases) {
  OperatorOp op = find("aclnnSmoothL1LossBackward");
  auto text = [&](llvm::StringRef seed) {
    std::string all;
    for (llvm::json::Object &object : makeRandomCases(op, "A2", 8, seed))
      all += llvm::formatv("{0}\n", llvm::json::Value(std::move(object)));
    return all;
  };
  EXPECT_EQ(text("a"), text("a"));
  EXPECT_NE(text("a"), text("b"));
}

TEST_F(CaseMaker, IndexedDims) {
  EXPECT_EQ(findIndexedDim(find("aclnnCrossEntropyLossGrad"), "target"), "c");
  EXPECT_EQ(findIndexedDim(find("aclnnSmoothL1LossBackward"), "target"), "");
}

} // namespace
