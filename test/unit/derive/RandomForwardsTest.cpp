//===- RandomForwardsTest.cpp - Random forwards against differences -------===//
//
// Draws forwards from the operators of formulas, with conditions, ties, rows,
// classes and indices, named results that are used again or saved, and several
// outputs; derives their gradients and compares them with differences. A
// few dozen in the test suite; LOSSGRAD_RANDOM_FORWARDS=3000 (and
// LOSSGRAD_RANDOM_SEED=text) by hand.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Interpreter/Random.h"
#include "test/unit/derive/Derivations.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>

using namespace lossgrad;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Formulas over x, y and the optional o [n, c], r [n], w [c], the index t [n]
/// and the attribute a.
class Formulas {
public:
  explicit Formulas(StringRef seed) : random(seed) {}

  /// From now on formulas use the results `element` [n, c] and `perRow` [n].
  void useResults() { hasResults = true; }

  /// Per element, or per row where `isRow`.
  std::string real(unsigned depth, bool isRow = false);
  std::string row(unsigned depth);
  bool chance(unsigned count) { return random.oneIn(count); }

private:
  std::string leaf(bool isRow);
  std::string condition(unsigned depth, bool isRow);
  std::string ofClasses(unsigned depth);
  std::string positive(unsigned depth, bool isRow) {
    std::string inner = real(depth, isRow);
    return random.oneIn(2) ? "(add 1, (square " + inner + "))"
                           : "(exp (clamp " + inner + ", -2, 2))";
  }
  std::string pick(llvm::ArrayRef<const char *> list) {
    return list[random.below(list.size())];
  }

  Random random;
  bool hasResults = false;
};

} // namespace

std::string Formulas::leaf(bool isRow) {
  if (random.oneIn(6))
    return pick({"(value \"0.5\")", "(value 2)", "(value \"-1.25\")"});
  if (random.oneIn(6))
    return "(value $a)";
  if (hasResults && random.oneIn(3))
    return isRow ? "(value $perRow)"
                 : pick({"(value $element)", "(value $perRow)"});
  if (isRow)
    return "(value $r)";
  if (random.oneIn(8))
    return pick({"(select (present $o), $o, 1)",
                 "(mul \"0.25\", (to_real (iota $c)))"});
  return pick(
      {"(value $x)", "(value $x)", "(value $y)", "(value $r)", "(value $w)"});
}

std::string Formulas::condition(unsigned depth, bool isRow) {
  switch (random.below(isRow ? 3 : 4)) {
  case 0:
    return "(and " + condition(0, isRow) + ", (not " + condition(0, isRow) +
           "))";
  case 1:
    return "(is $mode, \"one\")";
  case 2:
    return "(" + pick({"gt", "le"}) + " " + real(depth, isRow) + ", " +
           real(0, isRow) + ")";
  default:
    return "(onehot $t, $c)";
  }
}

/// A value per row from values per element.
std::string Formulas::row(unsigned depth) {
  std::string inner = "(add $x, " + real(depth) + ")";
  switch (random.below(7)) {
  case 0:
    return "(sum " + inner + ", $c)";
  case 3:
    return "(mul \"0.1\", (sum " + inner + ", $n, $c))";
  case 4:
    return "(div (sum " + inner + ", $c), (extent $c))";
  case 5:
    return "(gather " + ofClasses(depth) + ", $t, $c, 1)";
  case 1:
    return "(logsumexp " + inner + ", $c)";
  case 2:
    return "(" + pick({"reduce_max", "reduce_min"}) + " " + inner + ", $c)";
  default:
    return "(gather " + inner + ", $t, $c, 0)";
  }
}

/// A value per class from values per element.
std::string Formulas::ofClasses(unsigned depth) {
  if (random.oneIn(2))
    return "(mul $w, (sum (add $y, " + real(depth) + "), $n))";
  return "(" + pick({"reduce_max", "reduce_min"}) + " (add $x, $w), $n)";
}

std::string Formulas::real(unsigned depth, bool isRow) {
  if (depth == 0)
    return leaf(isRow);
  if (random.oneIn(7))
    return row(depth - 1);
  if (!isRow && random.oneIn(16))
    return ofClasses(depth - 1);
  if (!isRow && random.oneIn(16)) { // a softmax
    std::string logits = "(mul $x, " + real(depth - 1, true) + ")";
    return "(exp (sub " + logits + ", (logsumexp " + logits + ", $c)))";
  }
  auto inner = [&] { return real(depth - 1 - random.below(depth), isRow); };
  switch (random.below(10)) {
  case 0:
  case 1:
    return "(" + pick({"add", "sub", "mul"}) + " " + inner() + ", " + inner() +
           ")";
  case 2:
    return "(div " + inner() + ", " + positive(depth - 1, isRow) + ")";
  case 3:
    return "(" + pick({"neg", "abs", "relu", "square", "tanh", "sigmoid"}) +
           " " + inner() + ")";
  case 4:
    return "(" + pick({"softplus", "log_sigmoid", "erf", "sign", "expm1"}) +
           " (clamp " + inner() + ", -6, 6))";
  case 5:
    return "(" + pick({"log", "sqrt", "log1p"}) + " " +
           positive(depth - 1, isRow) + ")";
  case 6:
    return "(" + pick({"min", "max", "clamp_min", "clamp_max"}) + " " +
           inner() + ", " + inner() + ")";
  case 7:
    return "(select " + condition(depth - 1, isRow) + ", " + inner() + ", " +
           inner() + ")";
  case 8:
    return random.oneIn(2) ? "(pow " + positive(depth - 1, isRow) + ", " +
                                 pick({"\"1.5\"", "$a", "2", "-1"}) + ")"
           : random.oneIn(3) ? "(pow " + positive(depth - 1, isRow) +
                                   ", (clamp " + inner() + ", -2, 2))"
                             : "(exp (clamp " + inner() + ", -3, 3))";
  default:
    return random.oneIn(2) ? "(stop " + inner() + ")"
                           : "(pass " + inner() + ", " + inner() + ")";
  }
}

static std::string makeRecord(unsigned number, Formulas &formulas) {
  std::string name = "Random" + std::to_string(number);
  bool reduces = formulas.chance(2), isSaved = formulas.chance(2),
       isTrusted = formulas.chance(2), hasMore = formulas.chance(3);
  std::string text = "def " + name + " : Loss<\"" + name + R"("> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"y", Floats, ["n", "c"], "">, In<"r", Floats, ["n"], "">, In<"w", Floats, ["c"], "">,
                OptionalIn<"o", Floats, ["n", "c"], "">, In<"t", ClassIndices, ["n"], "">, Attr<"a", "float", "", "0.75">,
                ChoiceAttr<"mode", ["zero", "one"], "", "int64_t">, ReductionAttr<["none", "mean", "sum"]>,
                Out<"loss", Floats, ["n", "c"], "")";
  text += reduces ? ", (is $reduction, \"none\")>" : ">";
  text += hasMore ? ", Out<\"more\", Floats, [\"n\"], \"\">" : "";
  text += isSaved ? ", Out<\"kept\", Floats, [\"n\"], \"\">];\n" : "];\n";
  text += "  dag element = " + formulas.real(2) + ";\n";
  text += "  dag perRow = (add $r, " + formulas.row(1) + ");\n";
  formulas.useResults();
  text += "  dag value_ = (add (mul $x, " + formulas.real(3) + "), " +
          formulas.real(3) + ");\n";
  text += std::string("  let results = (outs ") +
          (reduces ? "(reduced $value_, (numel $x))" : "(value $value_)") +
          ":$loss";
  text += hasMore ? ", " + formulas.real(2, true) + ":$more" : "";
  text += isSaved ? ", (value $perRow):$kept);\n}\n" : ");\n}\n";
  std::string saved =
      isSaved ? "Saved<\"perRow\", \"kept\", " + std::to_string(isTrusted) + ">"
              : "";
  return text + "def " + name + "Backward : GradientOf<" + name +
         ", [\"x\", \"y\", \"r\", \"w\"], [" + saved + "]>;\n";
}

TEST(RandomForwards, AgreeWithDifferences) {
  const char *count = std::getenv("LOSSGRAD_RANDOM_FORWARDS"),
             *text = std::getenv("LOSSGRAD_RANDOM_SEED");
  unsigned wanted = count ? std::atoi(count) : 40;
  std::string seed = text ? text : "forwards";
  constexpr unsigned kBatch = 40;
  unsigned compared = 0, elements = 0;
  for (unsigned begin = 0; begin < wanted; begin += kBatch) {
    std::string records = "include \"Base.td\"\n";
    std::vector<std::string> texts;
    for (unsigned i = begin; i < std::min(begin + kBatch, wanted); ++i) {
      Formulas formulas((seed + " " + Twine(i)).str());
      texts.push_back(makeRecord(i, formulas));
      records += texts.back();
    }
    ImportOptions options;
    options.objectives = true;
    Imported imported = Imported::text(records, options);
    ASSERT_TRUE(imported) << records;
    for (unsigned i = begin; i < std::min(begin + kBatch, wanted); ++i) {
      std::string name = "Random" + std::to_string(i) + "Backward";
      SCOPED_TRACE(texts[i - begin]);
      unsigned found = expectGradients(
          imported.get(name), imported.get(name + kObjectiveSuffix.str()),
          {0, 3, 4, 6, 8, 12, 16, 20}, 4);
      compared += found > 0;
      elements += found;
    }
  }
  EXPECT_GT(compared, wanted * 9 / 10);
  EXPECT_GT(elements, wanted * 30);
}
