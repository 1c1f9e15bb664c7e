//===- CaseForm.cpp - What a case may look like ---------------------------===//

#include "CaseForm.h"
#include "AclnnCall.h"
#include "CaseFile.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "lossgrad/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

//===----------------------------------------------------------------------===//
// Keys and kinds
//===----------------------------------------------------------------------===//

namespace {
enum class Form { Text, Int, Number, Flag, Object, List };

/// A key that an object may have, and what must stand there.
struct Key {
  StringLiteral name;
  Form form;
  StringLiteral expected;
};
} // namespace

static constexpr Key caseKeys[] = {
    {"id", Form::Text, "a string"},
    {"op", Form::Text, "a string"},
    {"kind", Form::Text, "a string"},
    {"level", Form::Text, "a string"},
    {"soc", Form::Text, "a string"},
    {"inputs", Form::List, "a list of tensors"},
    {"attrs", Form::Object, "an object of attributes"},
    {"outputs", Form::List, "a list of tensors"},
    {"expect", Form::Object, "an object"},
    {"source", Form::Text, "a string"},
    {"note", Form::Text, "a string"},
    {"null_pointers", Form::List, "a list of names"}};
static constexpr Key tensorKeys[] = {
    {"name", Form::Text, "a string"},
    {"null", Form::Flag, "true or false"},
    {"dtype", Form::Text, "a string"},
    {"shape", Form::List, "a list of ints of 64 bits"},
    {"range", Form::List, "two numbers"},
    {"range_given", Form::Flag, "true or false"},
    {"values", Form::List, "a list of numbers"},
    {"normal", Form::Object, "an object"},
    {"strides", Form::List, "a list of ints of 64 bits"},
    {"offset", Form::Int, "an int"},
    {"storage_shape", Form::List, "a list of ints of 64 bits"},
    {"over", Form::Text, "a string"},
    {"format", Form::Text, "a string"}};
static constexpr Key normalKeys[] = {{"mean", Form::List, "two numbers"},
                                     {"std", Form::List, "two numbers"}};
static constexpr Key expectKeys[] = {
    {"status", Form::Int, "an int"},
    {"standard", Form::Text, "a string"},
    {"rtol", Form::Number, "a number"},
    {"ptol", Form::Number, "a number"},
    {"atol", Form::Number, "a number"},
    {"divisor", Form::Number, "a number"},
    {"largest_term_ulps", Form::Number, "a number"},
    {"float32_range", Form::Flag, "true or false"}};

static bool has(const json::Value &value, Form form) {
  switch (form) {
  case Form::Text:
    return value.getAsString().has_value();
  case Form::Int:
    return value.getAsInteger().has_value();
  case Form::Number:
    return value.getAsNumber().has_value();
  case Form::Flag:
    return value.getAsBoolean().has_value();
  case Form::Object:
    return value.getAsObject();
  case Form::List:
    return value.getAsArray();
  }
  return false;
}

/// Keys that would be ignored are mistakes: a misspelt one changes what a case
/// tests. `lead` begins messages about values, `path` stands before their keys.
static Error checkKeys(const json::Object &object, ArrayRef<Key> keys,
                       const Twine &what, const Twine &lead = "",
                       StringRef path = "") {
  for (const auto &[name, value] : object) {
    const Key *key = find_if(keys, [name = StringRef(name)](const Key &k) {
      return k.name == name;
    });
    if (key == keys.end())
      return createStringError(
          what + " has an unknown key '" + StringRef(name) + "'; known are " +
          join(map_range(keys, [](const Key &k) { return k.name; }), ", "));
    if (!has(value, key->form))
      return createStringError(lead + "'" + path + key->name + "' must be " +
                               key->expected);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A number, or one of the words that JSON has no number for.
static std::optional<double> toNumber(const json::Value &value) {
  if (auto number = value.getAsNumber())
    return number;
  StringRef text = value.getAsString().value_or("");
  if (text == "inf" || text == "-inf")
    return text == "inf" ? HUGE_VAL : -HUGE_VAL;
  return text == "nan" ? std::optional<double>(NAN) : std::nullopt;
}

static bool areTwoNumbers(const json::Object &object, StringRef key) {
  const json::Array *pair = object.getArray(key);
  return pair && pair->size() == 2 && toNumber((*pair)[0]) &&
         toNumber((*pair)[1]);
}

static Error checkRange(const json::Object &tensor, const View &view) {
  constexpr StringLiteral words = " (or \"inf\", \"-inf\", \"nan\")";
  if (!areTwoNumbers(tensor, "range"))
    return createStringError("'range' must be two numbers" + words);
  const json::Array &range = *tensor.getArray("range");
  double low = *toNumber(range[0]), high = *toNumber(range[1]);
  if (low > high)
    return createStringError("'range' must not end below its beginning");
  if (!isRealDType(view.dtype) && !(std::isfinite(low) && std::isfinite(high)))
    return createStringError("the 'range' of integers must be finite");
  return Error::success();
}

static Error checkValues(const json::Array &values, const View &view) {
  if (static_cast<int64_t>(values.size()) != view.getNumElements())
    return createStringError("has " + Twine(values.size()) +
                             " values, but its shape " + toString(view.shape) +
                             " wants " + Twine(view.getNumElements()));
  bool reals = isRealDType(view.dtype);
  for (auto [i, value] : enumerate(values))
    if (reals ? !toNumber(value)
              : !value.getAsInteger() && !value.getAsBoolean())
      return createStringError("value " + Twine(i) + " must be " +
                               (reals ? "a number, \"inf\", \"-inf\" or "
                                        "\"nan\""
                                      : "an int"));
  return Error::success();
}

static Error checkContents(const json::Object &tensor, const View &view) {
  unsigned kinds = 0;
  for (StringRef key : {"range", "values", "normal"})
    kinds += tensor.get(key) != nullptr;
  if (kinds > 1)
    return createStringError("takes one of 'range', 'values' and 'normal', "
                             "not several");
  if (tensor.get("range"))
    return checkRange(tensor, view);
  if (const json::Array *values = tensor.getArray("values"))
    return checkValues(*values, view);
  const json::Object *normal = tensor.getObject("normal");
  if (!normal)
    return Error::success();
  if (Error error = checkKeys(*normal, normalKeys, "'normal'", "", "normal."))
    return error;
  for (const Key &key : normalKeys)
    if (!areTwoNumbers(*normal, key.name))
      return createStringError("'normal' needs '" + key.name +
                               "', two numbers");
  return Error::success();
}

static Error checkTensor(const json::Value &entry, StringRef list,
                         bool hasSource, StringSet<> &seen) {
  const json::Object *tensor = entry.getAsObject();
  auto name = tensor ? tensor->getString("name") : std::nullopt;
  if (!name)
    return createStringError("each of '" + list + "' needs a \"name\"");
  auto named = [&](Error error) {
    return createStringError("tensor '" + *name +
                             "': " + toString(std::move(error)));
  };
  if (Error error = checkKeys(*tensor, tensorKeys, "tensor '" + *name + "'",
                              "tensor '" + *name + "': "))
    return error;
  if (!seen.insert(*name).second)
    return createStringError("tensor '" + *name + "': is given twice");
  if (tensor->getBoolean("null").value_or(false))
    return Error::success();
  Expected<View> view = parseView(*tensor); // names the tensor itself
  if (!view)
    return view.takeError();
  if (!isKnownFormat(view->format))
    return named(createStringError("unknown format '" + view->format + "'"));
  if (Error error = checkContents(*tensor, *view))
    return named(std::move(error));
  if (list == "outputs" && !hasSource)
    for (StringRef key : {"range", "normal"})
      if (tensor->get(key))
        return named(createStringError(
            "an output takes 'values', which are compared, not '" + key + "'"));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static Error checkProducts(StringRef units) {
  SmallVector<StringRef> names;
  units.split(names, '|', -1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    if (name = name.trim();
        name != "other" && !targets::findComputeUnit(name.str()))
      return createStringError("'soc' names '" + name +
                               "', which is no compute unit (ascend910b)");
  return Error::success();
}

static Error checkPointers(const json::Array &names) {
  for (const json::Value &value : names) {
    StringRef name = value.getAsString().value_or("");
    if (name != kWorkspaceSizeArg && name != kExecutorArg)
      return createStringError("'null_pointers' may list '" +
                               Twine(kWorkspaceSizeArg) + "' and '" +
                               kExecutorArg + "', not '" + name + "'");
  }
  return Error::success();
}

/// A tolerance has to mean something. Cases of a source may carry what only its
/// own judge uses.
static Error checkExpectation(const json::Object &expect, bool hasSource) {
  if (Error error = checkKeys(expect, expectKeys, "'expect'", "", "expect."))
    return error;
  for (StringRef key : {"rtol", "atol", "ptol", "largest_term_ulps"})
    if (auto value = expect.getNumber(key); value && !(*value >= 0))
      return createStringError("'expect." + key + "' must not be negative");
  if (expect.getNumber("ptol").value_or(0) > 1)
    return createStringError("'expect.ptol' is a share of the elements and "
                             "must be at most 1");
  if (hasSource)
    return Error::success();
  if (expect.get("standard"))
    return createStringError(
        "'expect.standard' names a rule of the source of a case, which is not "
        "applied here; only cases with a 'source' may have it");
  if ((expect.get("atol") || expect.get("ptol")) && !expect.get("rtol"))
    return createStringError("'expect.atol' and 'expect.ptol' need "
                             "'expect.rtol'");
  return Error::success();
}

/// An output may lie in the storage of an input, whose memory is its own.
static Error checkPlaces(const json::Object &object) {
  StringMap<const json::Object *> inputs;
  for (StringRef list : {"inputs", "outputs"}) {
    const json::Array *tensors = object.getArray(list);
    for (size_t i = 0; tensors && i < tensors->size(); ++i) {
      const json::Object &tensor = *(*tensors)[i].getAsObject();
      StringRef name = *tensor.getString("name");
      bool isNull = tensor.getBoolean("null").value_or(false);
      if (auto over = tensor.getString("over"); over && !isNull) {
        const json::Object *input = inputs.lookup(*over);
        if (list == "inputs" || !input)
          return createStringError("tensor '" + name + "': lies over '" +
                                   *over +
                                   "'; an output may lie over an input");
        View mine = cantFail(parseView(tensor)),
             whole = cantFail(parseView(*input));
        if (mine.getStorageElements() * getElementBytes(mine.dtype) >
            whole.getStorageElements() * getElementBytes(whole.dtype))
          return createStringError("tensor '" + name + "': the storage of '" +
                                   *over + "' is too short for it");
      } else if (list == "inputs" && !isNull) {
        inputs[name] = &tensor;
      }
    }
  }
  return Error::success();
}

Error run::checkForm(const json::Object &object) {
  if (Error error = checkKeys(object, caseKeys, "a case"))
    return error;
  if (object.getString("id") == StringRef(""))
    return createStringError("'id' must not be empty");
  StringSet<> seen;
  for (StringRef list : {"inputs", "outputs"})
    if (const json::Array *tensors = object.getArray(list))
      for (const json::Value &tensor : *tensors)
        if (Error error = checkTensor(tensor, list,
                                      object.get("source") != nullptr, seen))
          return error;
  if (Error error = checkPlaces(object))
    return error;
  if (const json::Object *expect = object.getObject("expect"))
    if (Error error = checkExpectation(*expect, object.get("source")))
      return error;
  if (Error error = checkProducts(object.getString("soc").value_or("")))
    return error;
  if (const json::Array *pointers = object.getArray("null_pointers"))
    return checkPointers(*pointers);
  return Error::success();
}

/// The names of an operator's tensors, or of its attributes.
static std::string listParams(OperatorOp op, bool tensors) {
  std::string names;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (param.isTensor() == tensors)
      names += (names.empty() ? "" : ", ") + param.getName().str();
  return names.empty() ? "none" : names;
}

Error run::checkFits(OperatorOp op, const Case &test) {
  Expected<Call> call = parseCall(test.json, /*withContents=*/false);
  if (!call)
    return call.takeError();
  auto checkName = [&](StringRef name, bool isTensor) -> Error {
    ParamAttr param = op.findParam(name);
    if (param && param.isTensor() == isTensor)
      return Error::success();
    StringRef what = isTensor ? "tensor" : "attribute";
    return createStringError(op.getSymName() + " has no " + what + " '" + name +
                             "'; its " + what + "s are " +
                             listParams(op, isTensor));
  };
  for (const auto &entry : call->tensors)
    if (Error error = checkName(entry.first(), /*isTensor=*/true))
      return error;
  for (const auto &entry : call->attributes)
    if (Error error = checkName(entry.first(), /*isTensor=*/false))
      return error;
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    bool given = call->attributes.count(param.getName());
    // A string that is left out is a null pointer.
    if (param.isTensor() || (param.getKind() == Kind::String && !given))
      continue;
    Expected<AttributeValue> value = call->getAttribute(param);
    if (!value)
      return value.takeError();
  }
  return Error::success();
}
