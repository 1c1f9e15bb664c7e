//===- UserLossesTest.cpp - Losses from their forwards only ---------------===//
//
// ops_td/losses says what losses that users ask for are; every gradient that is
// derived for one is compared with differences of the forward.
//
//===----------------------------------------------------------------------===//

#include "test/unit/derive/Derivations.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace lossgrad;
using llvm::StringRef;

static std::vector<std::string> getLosses() {
  std::vector<std::string> names;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           it(LOSSGRAD_SOURCE_DIR "/ops_td/losses", code),
       end;
       it != end && !code; it.increment(code))
    names.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(names);
  return names;
}

static void setTensor(Call &call, StringRef name,
                      llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<double> values) {
  Tensor &tensor = call.tensors[name];
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.dtype = DType::Float32;
  for (double value : values)
    tensor.elements.emplace_back().real = value;
}

class UserLosses : public testing::TestWithParam<std::string> {};

TEST_P(UserLosses, AgreeWithDifferences) {
  ImportOptions options;
  options.objectives = true;
  Imported loss = Imported::file("losses/" + GetParam(), options);
  ASSERT_TRUE(loss);
  ASSERT_TRUE(loss.getObjective());
  // Ordinary values, values in [0, 1] and wide ones, under every choice.
  std::vector<unsigned> calls;
  for (unsigned index = 0; index < 96; ++index)
    if (index % 4 != 1)
      calls.push_back(index);
  // Of a few losses only a quadrant is defined.
  EXPECT_GT(expectGradients(loss.getBackward(), loss.getObjective(), calls),
            50u);
}

// The second derivative of smooth L1 jumps where the distance is beta, which is
// no kink of the loss: differences are less exact there, not wrong.
TEST(Differences, AreBelievedWhereTheSecondDerivativeJumps) {
  Imported loss = importDerived("SmoothL1LossBackward");
  ASSERT_TRUE(loss);
  OperatorOp backward = loss.getBackward(), objective = loss.getObjective();
  ASSERT_TRUE(objective);
  unsigned compared = 0;
  for (unsigned index = 0; index < 24; ++index) {
    Call call = makeSampleCall(backward, index);
    const auto *given = std::get_if<double>(&call.attributes["beta"]);
    const double beta = given ? *given : 0;
    Tensor &self = call.tensors["self"];
    const Tensor &target = call.tensors["target"];
    if (beta <= 0 || self.elements.size() != target.elements.size())
      continue;
    for (auto [i, x, y] : llvm::enumerate(self.elements, target.elements))
      x.real = y.real + (i % 2 ? beta : -beta);
    auto check = compareWithDifferences(backward, objective, call, 6, "jump");
    ASSERT_TRUE(bool(check)) << llvm::toString(check.takeError());
    compared += check->compared;
    EXPECT_FALSE(check->wrong) << "call " << index;
  }
  EXPECT_GT(compared, 10u);
}

// A difference of large terms, times more: what is left of it says nothing,
// also where a reduction is what ends the forward.
TEST(Differences, SayNothingWhereTermsCancelBeforeTheReduction) {
  ImportOptions options;
  options.objectives = true;
  Imported loss = Imported::text(R"(include "Base.td"
def Biweight : ElementwiseLoss<"Biweight", ["self", "target"], [Attr<"c", "float", "where it ends">]> {
  dag inside = (sub 1, (square (div (sub $self, $target), $c)));
  let perElement = (mul (square $c), (sub 1, (mul $inside, $inside, $inside)));
})",
                                 options);
  ASSERT_TRUE(loss);
  unsigned leftOut = 0;
  for (unsigned index = 0; index < 24; ++index) {
    Call call = makeSampleCall(loss.getBackward(), index);
    call.attributes["c"] = 200000.0;
    auto check = compareWithDifferences(loss.getBackward(), loss.getObjective(),
                                        call, 6, "cancel");
    ASSERT_TRUE(bool(check)) << llvm::toString(check.takeError());
    leftOut += check->leftOut;
    EXPECT_FALSE(check->wrong) << "call " << index;
  }
  EXPECT_GT(leftOut, 10u);
}

// A softmax of logits near 1000: float64 rounds what is left of their difference
// to 1e-13, and so each of the values that gradients are to be seen in.
TEST(Differences, AreNoMoreExactThanExponents) {
  ImportOptions options;
  options.objectives = true;
  Imported loss = Imported::text(R"(include "Base.td"
def Scaled : Loss<"Scaled"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"r", Floats, ["n"], "">, Out<"loss", Floats, ["n", "c"], "">];
  dag z = (mul $x, $r, 2);
  let results = (outs (mul $x, (exp (sub $z, (logsumexp $z, $c)))):$loss);
})",
                                 options);
  ASSERT_TRUE(loss);
  unsigned compared = 0;
  for (int step = 0; step < 64; ++step) {
    Call call;
    setTensor(call, "gradOutput", {1, 2}, {0, 1});
    setTensor(call, "x", {1, 2}, {21.3, 21.5 + step / 128.0});
    setTensor(call, "r", {1}, {20.75});
    auto check = compareWithDifferences(loss.getBackward(), loss.getObjective(),
                                        call, 6, "exponents");
    ASSERT_TRUE(bool(check)) << llvm::toString(check.takeError());
    compared += check->compared;
    EXPECT_FALSE(check->wrong)
        << "step " << step << ": " << check->wrong->output << "["
        << check->wrong->index << "] is " << check->wrong->gradient
        << ", by differences " << check->wrong->difference;
  }
  EXPECT_GT(compared, 64u);
}

// Up from a tie with `high` one element ends to grow, up from one with `low`
// another begins to: the sum of both has no kink, and yet no derivative.
TEST(Differences, FindKinksThatCancel) {
  ImportOptions options;
  options.objectives = true;
  Imported loss = Imported::text(R"(include "Base.td"
def Limits : Loss<"Limits"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n"], "">, In<"low", Floats, ["n", "c"], "">, In<"high", Floats, ["n", "c"], "">, Out<"loss", Floats, ["n", "c"], "">];
  let results = (outs (clamp_min (clamp_max $x, $high), $low):$loss);
})",
                                 options);
  ASSERT_TRUE(loss);
  Call call;
  setTensor(call, "gradOutput", {1, 2}, {1, 1});
  setTensor(call, "x", {1}, {1});
  setTensor(call, "low", {1, 2}, {-5, 1});
  setTensor(call, "high", {1, 2}, {1, 5});
  auto check = compareWithDifferences(loss.getBackward(), loss.getObjective(),
                                      call, 6, "ties");
  ASSERT_TRUE(bool(check)) << llvm::toString(check.takeError());
  EXPECT_EQ(check->leftOut, 1u);
  EXPECT_FALSE(check->wrong);
}

TEST(UserLossesFolder, HasThemAll) { EXPECT_GE(getLosses().size(), 16u); }

INSTANTIATE_TEST_SUITE_P(Forwards, UserLosses, testing::ValuesIn(getLosses()),
                         [](const auto &info) { return info.param; });
