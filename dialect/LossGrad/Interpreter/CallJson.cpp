//===- CallJson.cpp - Calls and results as JSON ---------------------------===//

#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "dialect/LossGrad/Interpreter/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Random contents
//===----------------------------------------------------------------------===//

static Element real(double value) {
  Element element;
  element.real = value;
  return element;
}
static Element integer(int64_t value) {
  Element element;
  element.integer = value;
  return element;
}

static void drawRange(Tensor &tensor, double low, double high, Random random) {
  for (Element &element : tensor.elements) {
    if (getKindOf(tensor.dtype) != Kind::Real) {
      double span = std::floor(high) - std::ceil(low) + 1;
      auto step = static_cast<int64_t>(std::floor(
          span * (static_cast<double>(random.next() >> 11) / 0x1p53)));
      element = integer(
          roundTo(tensor.dtype, static_cast<int64_t>(std::ceil(low)) + step));
      continue;
    }
    double value;
    if (std::isnan(low) || std::isnan(high))
      value = std::numeric_limits<double>::quiet_NaN();
    else if (std::isinf(low) || std::isinf(high))
      value = random.next() >> 63 ? high : low;
    else
      value = random.uniform(low, high);
    element = real(roundTo(tensor.dtype, value));
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A number, or one of the strings that JSON has no number for.
static std::optional<double> toDouble(const json::Value &value) {
  if (auto number = value.getAsNumber())
    return number;
  auto text = value.getAsString();
  if (!text)
    return std::nullopt;
  double inf = std::numeric_limits<double>::infinity();
  if (*text == "inf")
    return inf;
  if (*text == "-inf")
    return -inf;
  if (*text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

static Error bad(StringRef tensor, const Twine &what) {
  return createStringError("tensor '" + tensor + "': " + what);
}

static Expected<std::pair<double, double>>
parseRange(StringRef name, StringRef key, const json::Array *range) {
  std::optional<double> low, high;
  if (range && range->size() == 2) {
    low = toDouble((*range)[0]);
    high = toDouble((*range)[1]);
  }
  if (!low || !high)
    return bad(name, "'" + key + "' must be two numbers");
  return std::pair(*low, *high);
}

static Error parseExtents(StringRef name, StringRef key,
                          const json::Array &array, Extents &extents) {
  for (const json::Value &value : array) {
    std::optional<int64_t> extent = value.getAsInteger();
    if (!extent)
      return bad(name, "'" + key + "' must be a list of ints of 64 bits");
    extents.push_back(*extent);
  }
  return Error::success();
}

/// Inputs hold what their dtype holds. What is expected of an output is kept as
/// it is written: whether a result is compared with it before or after rounding
/// is for others to say.
static Error parseValues(StringRef name, const json::Array &values,
                         bool isOutput, Tensor &tensor) {
  if (values.size() != tensor.elements.size())
    return bad(name, "has " + Twine(values.size()) + " values, but its shape " +
                         toString(tensor.shape) + " wants " +
                         Twine(tensor.elements.size()));
  for (auto [value, element] : zip(values, tensor.elements)) {
    if (getKindOf(tensor.dtype) == Kind::Real) {
      std::optional<double> number = toDouble(value);
      if (!number)
        return bad(name, "has a value that is not a number");
      element = real(isOutput ? *number : roundTo(tensor.dtype, *number));
      continue;
    }
    std::optional<int64_t> number = value.getAsInteger();
    if (auto flag = value.getAsBoolean())
      number = *flag;
    if (!number)
      return bad(name, "has a value that is not an int");
    element = integer(isOutput ? *number : roundTo(tensor.dtype, *number));
  }
  return Error::success();
}

static Error parseContents(StringRef name, StringRef id, bool isOutput,
                           const json::Object &json, Tensor &tensor) {
  int64_t count = getNumElements(tensor.shape);
  if (count > (int64_t(1) << 30))
    return bad(name, "shape " + toString(tensor.shape) +
                         " is too large to interpret");
  tensor.elements.assign(count, integer(0));
  if (const json::Array *values = json.getArray("values"))
    return parseValues(name, *values, isOutput, tensor);
  if (isOutput) {
    tensor.elements.clear();
    return Error::success();
  }
  Random random((id + "/" + name).str());
  if (const json::Object *normal = json.getObject("normal")) {
    auto mean = parseRange(name, "mean", normal->getArray("mean"));
    if (!mean)
      return mean.takeError();
    auto deviation = parseRange(name, "std", normal->getArray("std"));
    if (!deviation)
      return deviation.takeError();
    double center = random.uniform(mean->first, mean->second);
    double width = random.uniform(deviation->first, deviation->second);
    for (Element &element : tensor.elements)
      element = real(roundTo(tensor.dtype, center + width * random.normal()));
    return Error::success();
  }
  if (!json.get("range")) {
    tensor.elements.clear();
    return Error::success();
  }
  auto range = parseRange(name, "range", json.getArray("range"));
  if (!range)
    return range.takeError();
  drawRange(tensor, range->first, range->second, random);
  return Error::success();
}

static Error parseTensor(const json::Value &value, StringRef id, bool isOutput,
                         bool withContents, Call &call) {
  const json::Object *json = value.getAsObject();
  std::optional<StringRef> name = json ? json->getString("name") : std::nullopt;
  if (!name)
    return createStringError("a tensor is an object with a 'name'");
  Tensor tensor;
  tensor.isNull = json->getBoolean("null").value_or(false);
  if (!tensor.isNull) {
    StringRef text = json->getString("dtype").value_or("");
    std::optional<DType> dtype = symbolizeDType(text);
    if (!dtype)
      return bad(*name, "unknown dtype '" + text + "'");
    tensor.dtype = *dtype;
    const json::Array *shape = json->getArray("shape");
    if (!shape)
      return bad(*name, "has no 'shape'");
    if (Error error = parseExtents(*name, "shape", *shape, tensor.shape))
      return error;
    if (any_of(tensor.shape, [](int64_t extent) { return extent < 0; }))
      return bad(*name, "has a negative extent");
    if (const json::Array *strides = json->getArray("strides"))
      if (Error error =
              parseExtents(*name, "strides", *strides, tensor.strides))
        return error;
    tensor.offset = json->getInteger("offset").value_or(0);
    tensor.over = json->getString("over").value_or("").str();
    if (auto format = json->getString("format"))
      tensor.format = format->str();
    if (withContents)
      if (Error error = parseContents(*name, id, isOutput, *json, tensor))
        return error;
  }
  if (!call.tensors.try_emplace(*name, std::move(tensor)).second)
    return bad(*name, "is given twice");
  return Error::success();
}

static Error parseAttribute(StringRef name, const json::Value &value,
                            Call &call) {
  switch (value.kind()) {
  case json::Value::Null:
    return Error::success(); // left out
  case json::Value::Boolean:
    call.attributes[name] = *value.getAsBoolean();
    return Error::success();
  case json::Value::Number:
    if (auto number = value.getAsInteger())
      call.attributes[name] = *number;
    else
      call.attributes[name] = *value.getAsNumber();
    return Error::success();
  case json::Value::String: {
    StringRef text = *value.getAsString();
    if (std::optional<double> number = toDouble(value))
      call.attributes[name] = *number;
    else
      call.attributes[name] = text.str();
    return Error::success();
  }
  default:
    return createStringError("attribute '" + name +
                             "' must be a number, a bool or a string");
  }
}

Expected<Call> lossgrad::parseCall(const json::Object &json,
                                   bool withContents) {
  Call call;
  StringRef id = json.getString("id").value_or("");
  if (auto product = json.getString("product"))
    call.product = product->str();
  for (StringRef key : {"inputs", "outputs"})
    if (const json::Array *tensors = json.getArray(key))
      for (const json::Value &value : *tensors)
        if (Error error =
                parseTensor(value, id, key == "outputs", withContents, call))
          return error;
  if (const json::Object *attributes = json.getObject("attrs"))
    for (const auto &[name, value] : *attributes)
      if (Error error = parseAttribute(StringRef(name), value, call))
        return error;
  call.hasWorkspaceSize = !json.getBoolean("nullWorkspaceSize").value_or(false);
  call.hasExecutor = !json.getBoolean("nullExecutor").value_or(false);
  return call;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeReal(raw_ostream &os, double value) {
  if (std::isnan(value)) {
    os << "\"nan\"";
    return;
  }
  if (std::isinf(value)) {
    os << (value < 0 ? "\"-inf\"" : "\"inf\"");
    return;
  }
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    raw_string_ostream(text = "") << format("%.*g", digits, value);
    if (std::strtod(text.c_str(), nullptr) == value)
      break;
  }
  os << text;
}

void lossgrad::writeElements(json::OStream &json, ArrayRef<Element> elements,
                             Kind kind) {
  json.rawValue([&](raw_ostream &os) {
    os << '[';
    interleave(
        elements, os,
        [&](const Element &element) {
          if (kind == Kind::Real)
            writeReal(os, element.real);
          else if (kind == Kind::Int)
            os << element.integer;
          else
            os << (element.integer ? "true" : "false");
        },
        ", ");
    os << ']';
  });
}
