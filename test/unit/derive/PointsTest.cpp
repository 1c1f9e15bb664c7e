//===- PointsTest.cpp - Derived bodies point by point ---------------------===//
//
// Derived bodies against the records' at 10^4 points of every specialisation,
// each combination of choices, flags, optional tensors and signs of numbers:
// ordinary values, kinks (zeros of both signs, bounds, ties), infinities and
// NaN. Where the two may differ is a list with reasons, differences.json; what
// is not in it fails, and so does what is in it and no longer happens.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Contract/Contract.h"
#include "dialect/LossGrad/Contract/Coverage.h"
#include "dialect/LossGrad/Interpreter/DimBinding.h"
#include "dialect/LossGrad/Interpreter/Random.h"
#include "mlir/IR/Diagnostics.h"
#include "test/unit/derive/Derivations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

using namespace lossgrad;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A point where a derived body may have another result than the one written
/// by hand. `inputs` are what is not finite there: `gradOutput inf`, `self
/// NaN`.
struct Difference {
  std::string record, byHand, derived, reason;
  std::vector<std::string> inputs;
};

bool fromJSON(const llvm::json::Value &value, Difference &into,
              llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("record", into.record) &&
         mapper.map("byHand", into.byHand) &&
         mapper.map("derived", into.derived) &&
         mapper.map("inputs", into.inputs) && mapper.map("reason", into.reason);
}

class Points : public testing::TestWithParam<const char *> {};

} // namespace

static std::string readFile(const Twine &name) {
  auto buffer = llvm::MemoryBuffer::getFile(LOSSGRAD_SOURCE_DIR "/" + name);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

static std::vector<Difference> readDifferences() {
  auto list = llvm::json::parse<std::vector<Difference>>(
      readFile("test/unit/derive/differences.json"));
  if (list)
    return std::move(*list);
  ADD_FAILURE() << llvm::toString(list.takeError());
  return {};
}

static std::string classify(double value) {
  return std::isnan(value)   ? "NaN"
         : std::isinf(value) ? "inf"
         : value == 0        ? "0"
                             : "number";
}

static std::string format(double value) {
  return llvm::formatv("{0:E9}", value).str();
}

/// Whether the contract takes the call, with outputs of the declared shapes.
static bool isAccepted(OperatorOp op, Call call) {
  DimBinding dims(op, call);
  for (ParamAttr output : op.getOutputs()) {
    auto shape = dims.getOutputShape(output);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return false;
    }
    call.tensors[output.getName()].shape = *shape;
  }
  mlir::ScopedDiagnosticHandler quiet(
      op.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto outcome = evaluateContract(op, call);
  return mlir::succeeded(outcome) && outcome->status == 0;
}

/// What tells specialisations apart: choices, flags, signs of numbers, and
/// ints of which there are few.
static std::string classify(const AttributeValue &value, bool isNamed) {
  if (auto *real = std::get_if<double>(&value))
    return *real > 0 ? "+" : *real < 0 ? "-" : "0";
  if (auto *integer = std::get_if<int64_t>(&value))
    return isNamed ? std::to_string(*integer) : "";
  if (auto *word = std::get_if<std::string>(&value))
    return *word;
  return std::get<bool>(value) ? "true" : "false";
}

namespace {

/// The numbers that attributes without choices may have, by class.
class Numbers {
public:
  explicit Numbers(OperatorOp op);
  void draw(Call &call, Random &random) const;
  /// Choices, flags, presence, and the classes of numbers.
  std::string describe(const Call &call) const;

private:
  using Classes = std::map<std::string, std::vector<AttributeValue>>;
  mutable OperatorOp op; // a handle, whose accessors are not const
  std::map<std::string, Classes> numbers;
};

} // namespace

Numbers::Numbers(OperatorOp op) : op(op) {
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    bool isReal = param.getKind() == Kind::Real;
    if (param.isTensor() || !param.getChoices().empty() ||
        (!isReal && param.getKind() != Kind::Int))
      continue;
    Call call = makeSampleCall(op, 0);
    std::vector<AttributeValue> accepted{call.attributes[param.getName()]};
    for (const AttributeValue &value : suggestValues(op, param)) {
      double size = std::abs(isReal ? std::get<double>(value)
                                    : double(std::get<int64_t>(value)));
      call.attributes[param.getName()] = value;
      if ((size == 0 || (size > 1e-3 && size < 1e3)) && isAccepted(op, call))
        accepted.push_back(value);
    }
    std::set<std::string> texts;
    for (const AttributeValue &value : accepted)
      texts.insert(classify(value, true));
    for (const AttributeValue &value : accepted)
      numbers[param.getName().str()]
             [classify(value, isReal || texts.size() <= 2)]
                 .push_back(value);
  }
}

void Numbers::draw(Call &call, Random &random) const {
  for (const auto &[name, classes] : numbers) {
    const auto &values =
        std::next(classes.begin(), random.below(classes.size()))->second;
    AttributeValue before = call.attributes[name];
    call.attributes[name] = values[random.below(values.size())];
    if (!isAccepted(op, call)) // together with the others
      call.attributes[name] = before;
  }
}

std::string Numbers::describe(const Call &call) const {
  std::string text;
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    std::string name = param.getName().str();
    if (param.getRole() == Role::Optional)
      text += call.find(name) ? " " + name : "";
    auto it = call.attributes.find(name);
    if (param.isTensor() || it == call.attributes.end())
      continue;
    auto known = numbers.find(name);
    bool isOne = known != numbers.end() && known->second.count("");
    text += " " + name + "=" + classify(it->second, !isOne);
  }
  return text;
}

/// Moves some elements to where conventions show: kinks, in half of the calls
/// infinities or NaN too, of one input or of all.
static void moveToKinks(OperatorOp op, Call &call, Random &random) {
  unsigned kind = random.below(6); // 0: none, 1, 2: kinks, 3, 4: inf, 5: NaN
  std::vector<double> special{0.0, -0.0, 0.5, -0.5, 1, -1, 2, -2};
  for (const auto &entry : call.attributes)
    if (auto *real = std::get_if<double>(&entry.second))
      special.insert(special.end(), {*real, -*real, 1 - *real});
  std::vector<ParamAttr> inputs;
  for (ParamAttr param : op.getInputs())
    if (param.getKind() == Kind::Real && call.find(param.getName()))
      inputs.push_back(param);
  unsigned only = random.below(inputs.size() + 1);
  for (auto [number, param] : llvm::enumerate(inputs)) {
    bool isSpecial = kind >= 3 && (number == only || only == inputs.size());
    Tensor &tensor = call.tensors[param.getName()];
    for (size_t i = 0; i < tensor.elements.size(); ++i) {
      double &value = tensor.elements[i].real;
      if (kind != 0 && random.oneIn(3))
        value = roundTo(DType::Float32, special[random.below(special.size())]);
      // A tie with another input, or at a distance that an attribute names.
      if (kind != 0 && random.oneIn(6))
        for (ParamAttr other : inputs) {
          const Tensor &from = call.tensors[other.getName()];
          if (other == param || from.elements.size() <= i ||
              !std::isfinite(from.elements[i].real))
            continue;
          value = from.elements[i].real;
          if (random.oneIn(2))
            value = roundTo(DType::Float32,
                            value + special[random.below(special.size())]);
        }
      // Exponentials of larger numbers are infinite, and so are these.
      value = std::clamp(value, -87.0, 87.0);
      if (isSpecial && random.oneIn(5))
        value = kind == 5 ? NAN : random.oneIn(2) ? INFINITY : -INFINITY;
    }
  }
}

/// What is not finite: `gradOutput inf`.
static std::set<std::string> findSpecial(OperatorOp op, const Call &call) {
  std::set<std::string> found;
  for (ParamAttr param : op.getInputs())
    if (const Tensor *tensor = call.find(param.getName());
        tensor && param.getKind() == Kind::Real)
      for (const Element &element : tensor->elements)
        if (!std::isfinite(element.real))
          found.insert(param.getName().str() + " " + classify(element.real));
  return found;
}

TEST_P(Points, AreThoseOfTheRecord) {
  const char *text = std::getenv("LOSSGRAD_DERIVED_POINTS");
  const unsigned wanted = text ? std::atoi(text) : 10000;
  Imported hand = importByHand(GetParam()), derived = importDerived(GetParam());
  ASSERT_TRUE(hand && derived);
  OperatorOp theirs = getByHand(hand, GetParam()), ours = derived.getBackward();
  std::vector<Difference> listed = readDifferences();
  llvm::erase_if(listed, [](auto &each) { return each.record != GetParam(); });
  std::vector<unsigned> seen(listed.size(), 0);
  const Numbers numbers(theirs);
  struct Count {
    unsigned points = 0, calls = 0;
  };
  std::map<std::string, Count> specialisations;
  std::map<std::string, std::string> unlisted; // with an example
  // Many calls, because a call has one way of being special.
  constexpr unsigned kCalls = 60, kPointsOfACall = 100;
  unsigned specialPoints = 0, missing = 0, useless = 0;
  for (unsigned index = 0; missing || useless < 500; ++index) {
    ASSERT_LT(index, 40000u) << missing << " specialisations lack points";
    Random random(("point " + Twine(index)).str());
    Call call = makeSampleCall(theirs, index);
    numbers.draw(call, random);
    auto [it, isNew] = specialisations.try_emplace(numbers.describe(call));
    Count &count = it->second;
    missing += isNew;
    auto isEnough = [&] {
      return count.points >= wanted && count.calls >= kCalls;
    };
    useless = isEnough() ? useless + 1 : 0;
    if (useless)
      continue;
    auto attributes = std::move(call.attributes);
    size_t size = 1;
    for (ParamAttr param : theirs.getInputs())
      size = std::max(size, call.tensors[param.getName()].elements.size());
    call = makeSampleCall(theirs, index, 1 + kPointsOfACall / size);
    call.attributes = std::move(attributes);
    moveToKinks(theirs, call, random);
    std::set<std::string> special = findSpecial(theirs, call);
    InterpreterOptions tracking;
    tracking.trackTerms = true;
    auto x = interpret(theirs, call, tracking),
         y = interpret(ours, call, tracking);
    ASSERT_EQ(bool(x), bool(y));
    if (!x) { // an index that is none
      llvm::consumeError(x.takeError());
      llvm::consumeError(y.takeError());
      continue;
    }
    for (auto [a, b] : llvm::zip_equal(*x, *y))
      for (size_t i = 0; i < a.elements.size(); ++i) {
        double ourValue = b.elements[i].real, theirValue = a.elements[i].real;
        double largest = std::max(a.largestTerms[i], b.largestTerms[i]);
        bool areNumbers = std::isfinite(ourValue) && std::isfinite(theirValue);
        ++count.points;
        specialPoints += !special.empty();
        // Terms that leave the range of float32, or cancel from there.
        if (areNumbers && std::isfinite(largest) && largest > 1e37)
          continue;
        if (ourValue == theirValue ||
            (std::isnan(ourValue) && std::isnan(theirValue)) ||
            (areNumbers && std::abs(ourValue - theirValue) <=
                               1e-9 * std::max(largest, 1e-30)))
          continue;
        std::string byHand = classify(theirValue), now = classify(ourValue);
        bool isListed = false;
        for (auto [each, times] : llvm::zip_equal(listed, seen))
          if (each.byHand == byHand && each.derived == now &&
              llvm::all_of(each.inputs, [&](const std::string &input) {
                return special.count(input);
              })) {
            isListed = true;
            ++times;
          }
        if (isListed)
          continue;
        std::string kind =
            byHand + " -> " + now + " with " +
            (special.empty() ? "numbers" : llvm::join(special, ", "));
        unlisted.try_emplace(
            kind, (a.name + "[" + Twine(i) + "] of call " + Twine(index) + "," +
                   numbers.describe(call) + ": " + format(ourValue) +
                   ", by hand " + format(theirValue))
                      .str());
      }
    ++count.calls;
    missing -= isEnough();
  }
  for (auto &[kind, example] : unlisted)
    ADD_FAILURE() << "not listed: " << kind << "; " << example;
  for (auto [each, times] : llvm::zip_equal(listed, seen))
    EXPECT_GT(times, 0u) << "listed, and does not happen: " << each.byHand
                         << " -> " << each.derived << " with "
                         << llvm::join(each.inputs, ", ");
  EXPECT_GT(specialPoints, wanted / 4);
  RecordProperty("specialisations", specialisations.size());
}

INSTANTIATE_TEST_SUITE_P(Records, Points, testing::ValuesIn(kDerivedRecords),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

/// Each entry is of a record that is compared, and the docs say why.
TEST(ListedDifferences, AreExplained) {
  std::string docs = readFile("docs/derivation.md");
  for (const Difference &each : readDifferences()) {
    EXPECT_TRUE(llvm::is_contained(kDerivedRecords, StringRef(each.record)))
        << each.record;
    EXPECT_TRUE(!each.reason.empty() && StringRef(docs).contains(each.reason))
        << "the docs lack: " << each.reason;
  }
}
