//===- Golden.cpp - What a case should give -------------------------------===//

#include "Golden.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "passes/Derive/Differences.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// `{"name": [low, high], ...}`; nothing where it is something else.
static std::optional<ParameterRanges> parseRanges(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return std::nullopt;
  ParameterRanges ranges;
  for (const auto &[name, pair] : *object) {
    const json::Array *ends = pair.getAsArray();
    auto low =
        ends && ends->size() == 2 ? (*ends)[0].getAsNumber() : std::nullopt;
    auto high = low ? (*ends)[1].getAsNumber() : std::nullopt;
    if (!high || !(*low <= *high))
      return std::nullopt;
    ranges[StringRef(name)] = {*low, *high};
  }
  return ranges;
}

Expected<StringMap<OperatorRules>> run::readRules(StringRef path) {
  auto bad = [&](const Twine &what) {
    return createStringError(path + ": " + what);
  };
  Expected<json::Value> table = readJson(path);
  if (!table)
    return table.takeError();
  const json::Array *rows = table->getAsArray();
  if (!rows)
    return bad("must be a list of {\"op\", \"reason\", ...}");
  StringMap<OperatorRules> rules;
  for (const json::Value &row : *rows) {
    const json::Object *object = row.getAsObject();
    auto op = object ? object->getString("op") : std::nullopt;
    auto reason = object ? object->getString("reason") : std::nullopt;
    if (!op || !reason || reason->empty())
      return bad("each row needs \"op\" and \"reason\"");
    OperatorRules entry;
    for (const auto &[key, value] : *object) {
      StringRef name = key;
      if (name == "op" || name == "reason")
        continue;
      if (name == "largest_term_ulps" && value.getAsNumber())
        entry.largestTermUlps = *value.getAsNumber();
      else if (name == "redraw_all_zero" && value.getAsBoolean())
        entry.redrawAllZero = *value.getAsBoolean();
      else if (auto ranges = parseRanges(value); name == "ranges" && ranges)
        entry.ranges = std::move(*ranges);
      else
        return bad("'" + *op + "': '" + name +
                   "' is no rule, or its value is of another kind");
    }
    if (!rules.try_emplace(*op, entry).second)
      return bad("'" + *op + "' is given twice");
  }
  return rules;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

Expected<StringMap<View>> run::parseViews(const Case &test) {
  StringMap<View> views;
  for (StringRef list : {"inputs", "outputs"}) {
    const json::Array *tensors = test.json.getArray(list);
    for (size_t i = 0; tensors && i < tensors->size(); ++i) {
      const json::Object &tensor = *(*tensors)[i].getAsObject();
      if (tensor.getBoolean("null").value_or(false))
        continue;
      Expected<View> view = parseView(tensor);
      if (!view)
        return view.takeError();
      views.try_emplace(*tensor.getString("name"), std::move(*view));
    }
  }
  return views;
}

/// A floating tensor of a case without contents is drawn from here, so that a
/// case on the command line need not say more than shapes.
static void fillInRanges(json::Object &object) {
  json::Array *inputs = object.getArray("inputs");
  for (size_t i = 0; inputs && i < inputs->size(); ++i) {
    json::Object &tensor = *(*inputs)[i].getAsObject();
    if (!tensor.get("range") && !tensor.get("values") && !tensor.get("normal"))
      tensor["range"] = json::Array{-2, 2};
  }
}

static bool isAllZeroOrNaN(ArrayRef<OutputTensor> outputs) {
  for (const OutputTensor &output : outputs)
    for (const Element &element : output.elements)
      if (output.kind != Kind::Real
              ? element.integer != 0
              : element.real != 0 && !std::isnan(element.real))
        return false;
  return true;
}

/// Only together: an absolute bound alone, as some sources have it, leaves open
/// what holds for large values.
static std::optional<Tolerance> parseTolerance(const Case &test) {
  const json::Object *expect = test.json.getObject("expect");
  auto relative = expect ? expect->getNumber("rtol") : std::nullopt;
  if (!relative)
    return std::nullopt;
  return Tolerance{*relative, expect->getNumber("atol").value_or(0),
                   expect->getNumber("ptol").value_or(0)};
}

/// The parameters that hold results of the forward.
static SmallVector<StringRef> getSaved(OperatorOp op, OperatorOp objective) {
  SmallVector<StringRef> names;
  if (objective)
    for (ParamAttr output : objective.getOutputs())
      if (StringRef name = output.getName();
          name.consume_front(kNowPrefix) && op.findParam(name))
        names.push_back(name);
  return names;
}

/// What the forward saves is what it computes, rounded like everything that is
/// handed over.
static Error computeSaved(OperatorOp objective, ArrayRef<StringRef> saved,
                          const json::Object &object, Call &call) {
  StringSet<> given;
  const json::Array *inputs = object.getArray("inputs");
  for (size_t i = 0; inputs && i < inputs->size(); ++i)
    if (const json::Object &tensor = *(*inputs)[i].getAsObject();
        tensor.get("values"))
      given.insert(*tensor.getString("name"));
  Call whole = call;
  if (Error error =
          lossgrad::computeSaved(objective, whole, *object.getString("id")))
    return error;
  for (StringRef name : saved) {
    Tensor &tensor = call.tensors[name];
    if (tensor.isNull || given.contains(name))
      continue;
    tensor.elements = whole.tensors[name].elements;
    for (Element &element : tensor.elements)
      element.real = roundTo(tensor.dtype, element.real);
  }
  return Error::success();
}

static Expected<GoldenCall> draw(OperatorOp op, OperatorOp objective,
                                 const Case &test, StringRef suffix,
                                 double termUlps) {
  json::Object object = test.json;
  object["id"] = test.id + suffix.str();
  fillInRanges(object);
  Expected<Call> call = parseCall(object);
  if (!call)
    return call.takeError();
  Expected<StringMap<View>> views = parseViews(test);
  if (!views)
    return views.takeError();
  bool isEmpty = any_of(call->tensors, [](const auto &entry) {
    return !entry.second.isNull && getNumElements(entry.second.shape) == 0;
  });
  SmallVector<StringRef> saved = getSaved(op, objective);
  if (!saved.empty() && !isEmpty)
    if (Error error = computeSaved(objective, saved, object, *call))
      return error;
  GoldenCall golden;
  golden.call = std::move(*call);
  golden.termUlps = termUlps;
  golden.tolerance = parseTolerance(test);
  for (auto &entry : *views) {
    Storage storage(entry.second);
    Tensor &tensor = golden.call.tensors[entry.first()];
    ParamAttr param = op.findParam(entry.first());
    if (param && param.isInput())
      storage.scatter(tensor.elements);
    golden.storage.try_emplace(entry.first(), std::move(storage));
  }
  InterpreterOptions options;
  options.trackTerms = termUlps > 0;
  auto outputs = interpret(op, golden.call, options);
  if (!outputs)
    return outputs.takeError();
  golden.outputs = std::move(*outputs);
  return golden;
}

Expected<GoldenCall> run::makeGolden(OperatorOp op, const Case &test,
                                     StringRef seed, const OperatorRules &rules,
                                     OperatorOp objective) {
  double termUlps = rules.largestTermUlps;
  if (const json::Object *expect = test.json.getObject("expect"))
    termUlps = expect->getNumber("largest_term_ulps").value_or(termUlps);
  std::string suffix = seed.empty() ? "" : ("#" + seed).str();
  Expected<GoldenCall> golden = draw(op, objective, test, suffix, termUlps);
  // A few attempts: some cases have no other draw.
  for (int attempt = 1; attempt <= 8 && golden && rules.redrawAllZero &&
                        isAllZeroOrNaN(golden->outputs);
       ++attempt)
    golden = draw(op, objective, test,
                  suffix + "#draw" + std::to_string(attempt), termUlps);
  if (const json::Object *expect = test.json.getObject("expect");
      golden && expect)
    golden->float32Range = expect->getBoolean("float32_range").value_or(false);
  if (golden && termUlps > rules.largestTermUlps)
    golden->allowance =
        ("errors up to " + Twine(static_cast<int64_t>(std::ceil(termUlps))) +
         " float32 units in the last place of the largest term")
            .str();
  return golden;
}

Expected<std::vector<OutputTensor>>
run::computeInFloat32(OperatorOp op, const GoldenCall &golden) {
  InterpreterOptions options;
  options.inFloat32 = true;
  return interpret(op, golden.call, options);
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

/// The attribute with the choices mean and sum, set to sum in `call`.
static bool setToSum(OperatorOp op, Call &call) {
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.getRole() != Role::Attr)
      continue;
    std::optional<size_t> mean, sum;
    for (auto [i, choice] : enumerate(param.getChoices())) {
      if (choice.getValue() == "mean" || choice.getValue() == "batchmean")
        mean = i;
      if (choice.getValue() == "sum")
        sum = i;
    }
    if (!mean || !sum)
      continue;
    if (param.getKind() == Kind::Int)
      call.attributes[param.getName()] = static_cast<int64_t>(*sum);
    else
      call.attributes[param.getName()] = std::string("sum");
    return true;
  }
  return false;
}

Expected<bool> run::agreesWithDivisor(OperatorOp op, const Case &test,
                                      const GoldenCall &golden) {
  const json::Object *expect = test.json.getObject("expect");
  auto divisor = expect ? expect->getNumber("divisor") : std::nullopt;
  if (!divisor)
    return true;
  // One element decides; larger cases have smaller siblings.
  for (const OutputTensor &output : golden.outputs)
    if (output.elements.size() > (size_t(4) << 20))
      return true;
  Call asSum = golden.call;
  if (!setToSum(op, asSum))
    return true;
  auto outputs = interpret(op, asSum);
  if (!outputs)
    return outputs.takeError();
  for (auto [sum, mean] : zip(*outputs, golden.outputs))
    for (auto [s, m] : zip(sum.elements, mean.elements))
      if (sum.kind == Kind::Real && std::isfinite(s.real) && m.real != 0 &&
          s.real != 0)
        return std::fabs(s.real / m.real - *divisor) <= 1e-9 * *divisor;
  return true;
}
