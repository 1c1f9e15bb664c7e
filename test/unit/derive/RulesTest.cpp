//===- RulesTest.cpp - Rules and functions, one by one --------------------===//
//
// Every rule of Derivatives.td against central differences of the function in
// float64, exactly at its kinks against the stated convention, and the
// functions themselves near 0 and at both ends in float32.
//
//===----------------------------------------------------------------------===//

#include "test/unit/derive/Derivations.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace lossgrad;
using llvm::StringRef;

namespace {

/// An elementwise function of x and y, with its gradients.
class Function {
public:
  explicit Function(const std::string &formula)
      : imported(Imported::text(R"(include "Base.td"
def F : Loss<"F"> {
  let dims = [Pack<"s">];
  let params = [In<"x", Floats, ["s"], "">, In<"y", Floats, ["s"], "">, Out<"z", Floats, ["s"], "">];
  let results = (outs )" + formula + R"(:$z);
}
def FBackward : GradientOf<F, ["x", "y"]>;
)",
                                getOptions())) {}

  explicit operator bool() const { return bool(imported); }
  double at(double x, double y, bool rounded = false) {
    return call(imported.getForward(), x, y, rounded)[0];
  }
  /// For x and y.
  std::vector<double> gradient(double x, double y) {
    return call(imported.getBackward(), x, y, false);
  }

private:
  static ImportOptions getOptions() {
    ImportOptions options;
    options.forwards = true;
    return options;
  }
  std::vector<double> call(OperatorOp op, double x, double y, bool rounded) {
    Call call;
    call.product = "A2";
    for (auto [name, value] :
         {std::pair("gradOutput", 1.0), {"x", x}, {"y", y}}) {
      Tensor &tensor = call.tensors[name];
      tensor.shape = {1};
      tensor.elements.resize(1);
      tensor.elements[0].real = value;
    }
    InterpreterOptions options;
    options.inFloat32 = rounded;
    auto outputs = interpret(op, call, options);
    std::vector<double> results;
    if (!outputs) {
      ADD_FAILURE() << llvm::toString(outputs.takeError());
      return {NAN, NAN};
    }
    for (const OutputTensor &output : *outputs)
      results.push_back(output.elements[0].real);
    return results;
  }

  Imported imported;
};

struct Rule {
  const char *formula;
  double low = -2, high = 2; // where it is smooth
};
struct Kink {
  const char *formula;
  double x, y, dx, dy;
};
struct Shape {
  const char *formula;
  double (*exact)(double);
};

void PrintTo(const Rule &rule, std::ostream *os) { *os << rule.formula; }

class Rules : public testing::TestWithParam<Rule> {};

} // namespace

TEST_P(Rules, AgreeWithDifferences) {
  Function f(GetParam().formula);
  ASSERT_TRUE(bool(f));
  const double h = 1e-3;
  auto difference = [&](auto at) { // of fourth order
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  };
  for (int i = 0; i < 20; ++i) {
    double span = GetParam().high - GetParam().low;
    double x = GetParam().low + span * (i + 0.37) / 20,
           y = GetParam().high - span * (i + 0.91) / 21;
    std::vector<double> found = f.gradient(x, y);
    double dx = difference([&](double d) { return f.at(x + d, y); });
    double dy = difference([&](double d) { return f.at(x, y + d); });
    EXPECT_NEAR(found[0], dx, 1e-8 * std::max(1.0, std::abs(dx))) << x;
    EXPECT_NEAR(found[1], dy, 1e-8 * std::max(1.0, std::abs(dy))) << y;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Derivatives, Rules,
    testing::Values(
        Rule{"(add $x, $y)"}, Rule{"(sub $x, $y)"}, Rule{"(mul $x, $y)"},
        Rule{"(div $x, $y)", 0.5, 2}, Rule{"(neg $x)"}, Rule{"(exp $x)"},
        Rule{"(log $x)", 0.5, 3}, Rule{"(sqrt $x)", 0.5, 3},
        Rule{"(pow $x, $y)", 0.5, 2}, Rule{"(abs $x)", 0.1, 2},
        Rule{"(sign $x)", 0.1, 2}, Rule{"(min $x, $y)"},
        Rule{"(max $x, (add $y, 5))"}, Rule{"(clamp $x, -1, 1)", -0.9, 0.9},
        Rule{"(relu $x)", 0.1, 2}, Rule{"(clamp_min $x, (add 9, $y))"},
        Rule{"(clamp_max $x, (add 9, $y))"}, Rule{"(sigmoid $x)", -8, 8},
        Rule{"(softplus $x)", -8, 8}, Rule{"(log_sigmoid $x)", -8, 8},
        Rule{"(log1p $x)", -0.5, 3}, Rule{"(expm1 $x)"},
        Rule{"(tanh $x)", -4, 4}, Rule{"(erf $x)", -3, 3},
        Rule{"(select (gt $x, $y), (mul $x, $y), (square $y))"},
        Rule{"(mul (log_sigmoid (mul $x, $y)), (tanh (sub $x, $y)))"}));

/// What PyTorch gives at the same points.
TEST(RulesAtKinks, FollowTheStatedConvention) {
  const double inf = INFINITY;
  const Kink kinks[] = {{"(abs $x)", 0, 0, 0, 0},
                        {"(relu $x)", 0, 0, 0, 0},
                        {"(max $x, $y)", 1, 1, 0.5, 0.5},
                        {"(min $x, $y)", 1, 1, 0.5, 0.5},
                        {"(clamp $x, -1, 1)", 1, 0, 1, 0},
                        {"(clamp $x, -1, 1)", -1, 0, 1, 0},
                        {"(clamp $x, -1, 1)", NAN, 0, 0, 0},
                        {"(clamp_min $x, $y)", 2, 2, 1, 0},
                        {"(clamp_max $x, $y)", 2, 2, 1, 0},
                        {"(sqrt $x)", 0, 0, inf, 0},
                        {"(pow $x, 0)", 0, 0, 0, 0},
                        {"(sign $x)", 0, 0, 0, 0},
                        {"(stop $x)", 1, 1, 0, 0},
                        {"(pass $x, $y)", 1, 1, 0, 1}};
  for (const Kink &kink : kinks) {
    Function f(kink.formula);
    ASSERT_TRUE(bool(f)) << kink.formula;
    std::vector<double> found = f.gradient(kink.x, kink.y);
    EXPECT_EQ(found[0], kink.dx) << kink.formula;
    EXPECT_EQ(found[1], kink.dy) << kink.formula;
  }
}

/// The largest element of a sum is found again, whatever the sum rounds to.
TEST(RulesOfExtrema, FindTheirElements) {
  Imported loss = Imported::text(R"(include "Base.td"
def F : Loss<"F"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, Attr<"a", "float", "", "0.3">, Out<"z", Floats, ["n"], "">];
  let results = (outs (reduce_max (add $x, $a), $c):$z);
}
def FBackward : GradientOf<F>;
)");
  ASSERT_TRUE(loss);
  OperatorOp op = loss.getBackward();
  for (unsigned index = 0; index < 40; ++index) {
    auto outputs = run(op, makeSampleCall(op, index));
    ASSERT_TRUE(outputs);
    const Call call = makeSampleCall(op, index);
    const auto &upstream = call.find("gradOutput")->elements;
    const auto &gradient = (*outputs)[0].elements;
    const size_t columns = gradient.size() / upstream.size();
    for (size_t row = 0; row < upstream.size(); ++row) {
      double sum = 0;
      for (size_t i = 0; i < columns; ++i)
        sum += gradient[row * columns + i].real;
      EXPECT_NEAR(sum, upstream[row].real, 1e-9 * std::abs(sum)) << index;
    }
  }
}

/// What a guard makes of a value is not what the extremum was taken of.
TEST(RulesOfExtrema, FindTheirElementsUnderGuards) {
  ImportOptions options;
  options.objectives = true;
  Imported loss = Imported::text(R"(include "Base.td"
def F : Loss<"F"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"y", Floats, ["n", "c"], "">, Out<"z", Floats, ["n"], "">];
  let results = (outs (reduce_min (add $x, (mul (clamp_min $x, $y), (exp (clamp $x, -3, 3)))), $c):$z);
}
def FBackward : GradientOf<F, ["x", "y"]>;
)",
                                 options);
  ASSERT_TRUE(loss);
  std::vector<unsigned> calls;
  for (unsigned index = 0; index < 160; index += 4)
    calls.push_back(index);
  EXPECT_GT(expectGradients(loss.getBackward(), loss.getObjective(), calls),
            100u);
}

/// Near 0 and at both ends, with every op rounded to float32.
TEST(Functions, AreExactToAFewUnitsInFloat32) {
  const Shape shapes[] = {
      {"(sigmoid $x)", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"(softplus $x)",
       [](double x) {
         return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
       }},
      {"(log_sigmoid $x)",
       [](double x) {
         return std::fmin(x, 0) - std::log1p(std::exp(-std::fabs(x)));
       }},
      {"(log1p $x)", [](double x) { return std::log1p(x); }},
      {"(expm1 $x)", [](double x) { return std::expm1(x); }},
      {"(tanh $x)", [](double x) { return std::tanh(x); }},
      {"(erf $x)", [](double x) { return std::erf(x); }}};
  for (const Shape &shape : shapes) {
    Function f(shape.formula);
    ASSERT_TRUE(bool(f)) << shape.formula;
    for (double magnitude : {0.0, 1e-30, 1e-12, 1e-7, 1e-4, 0.01, 0.3, 0.46,
                             0.47, 0.9, 3.0, 5.0, 12.0, 40.0, 80.0})
      for (double sign : {1.0, -1.0}) {
        double x = roundTo(DType::Float32, sign * magnitude);
        double exact = shape.exact(x);
        if (std::isnan(exact))
          continue;
        EXPECT_NEAR(f.at(x, 0, true), exact, 1e-6 * std::abs(exact))
            << shape.formula << " at " << x;
        EXPECT_NEAR(f.at(x, 0), exact, 4e-15 * std::abs(exact))
            << shape.formula << " at " << x << " in float64";
      }
  }
}

TEST(Functions, KeepTheEnds) {
  const double inf = INFINITY;
  auto value = [](const char *formula, double x) {
    return Function(formula).at(x, 0, true);
  };
  for (const char *function :
       {"(sigmoid $x)", "(softplus $x)", "(log_sigmoid $x)", "(expm1 $x)"})
    EXPECT_TRUE(std::isnan(value(function, NAN))) << function;
  EXPECT_EQ(value("(sigmoid $x)", -inf), 0);
  EXPECT_EQ(value("(sigmoid $x)", inf), 1);
  EXPECT_EQ(value("(softplus $x)", inf), inf);
  EXPECT_EQ(value("(softplus $x)", -inf), 0);
  EXPECT_EQ(value("(log_sigmoid $x)", -inf), -inf);
  EXPECT_EQ(value("(log_sigmoid $x)", inf), 0);
  EXPECT_EQ(value("(log1p $x)", inf), inf);
  EXPECT_EQ(value("(log1p $x)", -1), -inf);
  EXPECT_TRUE(std::isnan(value("(log1p $x)", -inf)));
  EXPECT_TRUE(std::isnan(value("(log1p $x)", NAN)));
  EXPECT_EQ(value("(add $y, (logsumexp $x, $s))", inf), inf);
  EXPECT_EQ(value("(add $y, (logsumexp $x, $s))", -inf), -inf);
  EXPECT_EQ(value("(add $y, (logsumexp $x, $s))", 0x1p100), 0x1p100);
  EXPECT_TRUE(std::isnan(value("(add $y, (logsumexp $x, $s))", NAN)));
  EXPECT_EQ(value("(expm1 $x)", -inf), -1);
  EXPECT_EQ(value("(expm1 $x)", inf), inf);
  EXPECT_EQ(value("(tanh $x)", inf), 1);
  EXPECT_EQ(value("(tanh $x)", -inf), -1);
  EXPECT_TRUE(std::isnan(value("(tanh $x)", NAN)));
  EXPECT_EQ(value("(erf $x)", inf), 1);
  EXPECT_EQ(value("(erf $x)", -inf), -1);
  EXPECT_TRUE(std::isnan(value("(erf $x)", NAN)));
}
