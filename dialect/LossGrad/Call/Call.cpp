//===- Call.cpp - Reading described calls ---------------------------------===//
//
// JSON to Call, with errors that say where and what was expected.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Call/Call.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <limits>

using namespace lossgrad;
using llvm::StringRef;
namespace json = llvm::json;

int64_t TensorArgument::getNumElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

bool TensorArgument::isContiguous() const {
  if (!strides || getNumElements() <= 1)
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    if ((*strides)[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

const TensorArgument *Call::findTensor(StringRef name) const {
  auto it = tensors.find(name);
  return it == tensors.end() || it->second.null ? nullptr : &it->second;
}

namespace {

template <typename... Args>
llvm::Error fail(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

llvm::Error checkKeys(const json::Object &object, StringRef what,
                      llvm::ArrayRef<StringRef> known) {
  for (const auto &entry : object)
    if (!llvm::is_contained(known, StringRef(entry.first)))
      return fail("{0} has the unknown key '{1}'; known are: {2}", what,
                  StringRef(entry.first), llvm::join(known, ", "));
  return llvm::Error::success();
}

/// A number, or one of the strings that stand for what JSON cannot carry.
llvm::Expected<double> parseNumber(const json::Value &value, StringRef what) {
  if (auto number = value.getAsNumber())
    return *number;
  if (auto text = value.getAsString()) {
    if (*text == "inf")
      return std::numeric_limits<double>::infinity();
    if (*text == "-inf")
      return -std::numeric_limits<double>::infinity();
    if (*text == "nan")
      return std::numeric_limits<double>::quiet_NaN();
  }
  return fail("{0} must be a number, \"inf\", \"-inf\" or \"nan\"", what);
}

llvm::Expected<llvm::SmallVector<int64_t>>
parseInts(const json::Value &value, StringRef what, int64_t least) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return fail("{0} must be a list of integers", what);
  llvm::SmallVector<int64_t> ints;
  for (const json::Value &item : *array) {
    std::optional<int64_t> integer = item.getAsInteger();
    if (!integer || *integer < least)
      return fail("{0} must be a list of integers of at least {1}", what,
                  least);
    ints.push_back(*integer);
  }
  return ints;
}

llvm::Expected<std::vector<double>> parseNumbers(const json::Value &value,
                                                 StringRef what) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return fail("{0} must be a list of numbers", what);
  std::vector<double> numbers;
  for (const json::Value &item : *array) {
    llvm::Expected<double> number = parseNumber(item, what);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

llvm::Expected<std::pair<double, double>> parseSpan(const json::Value &value,
                                                    const std::string &what) {
  llvm::Expected<std::vector<double>> ends = parseNumbers(value, what);
  if (!ends)
    return ends.takeError();
  if (ends->size() != 2)
    return fail("{0} must have two ends, not {1}", what, ends->size());
  return std::make_pair((*ends)[0], (*ends)[1]);
}

llvm::Expected<Contents> parseContents(const json::Object &object,
                                       const TensorArgument &tensor,
                                       const std::string &what) {
  const json::Value *range = object.get("range");
  const json::Value *values = object.get("values");
  const json::Value *normal = object.get("normal");
  if ((range != nullptr) + (values != nullptr) + (normal != nullptr) > 1)
    return fail("{0} has more than one of 'range', 'values' and 'normal'",
                what);
  if (range) {
    auto span = parseSpan(*range, what + ": 'range'");
    if (!span)
      return span.takeError();
    return RangeContents{span->first, span->second};
  }
  if (values) {
    auto listed = parseNumbers(*values, what + ": 'values'");
    if (!listed)
      return listed.takeError();
    if (static_cast<int64_t>(listed->size()) != tensor.getNumElements())
      return fail("{0}: 'values' has {1} numbers, the shape has {2} elements",
                  what, listed->size(), tensor.getNumElements());
    return ListedContents{std::move(*listed)};
  }
  if (normal) {
    const json::Object *spans = normal->getAsObject();
    if (!spans || !spans->get("mean") || !spans->get("std"))
      return fail("{0}: 'normal' must be an object with 'mean' and 'std'",
                  what);
    auto mean = parseSpan(*spans->get("mean"), what + ": 'mean'");
    if (!mean)
      return mean.takeError();
    auto deviation = parseSpan(*spans->get("std"), what + ": 'std'");
    if (!deviation)
      return deviation.takeError();
    return NormalContents{mean->first, mean->second, deviation->first,
                          deviation->second};
  }
  return Contents{};
}

llvm::Expected<TensorArgument> parseTensor(const json::Object &object,
                                           StringRef name) {
  std::string what = ("tensor '" + name + "'").str();
  if (llvm::Error error =
          checkKeys(object, what,
                    {"name", "null", "dtype", "shape", "strides", "offset",
                     "storage_shape", "format", "range", "range_given",
                     "values", "normal"}))
    return error;
  TensorArgument tensor;
  if (object.getBoolean("null").value_or(false)) {
    tensor.null = true;
    return tensor;
  }
  std::optional<StringRef> dtypeName = object.getString("dtype");
  if (!dtypeName)
    return fail("{0} needs a 'dtype'", what);
  std::optional<DType> dtype = symbolizeDType(*dtypeName);
  if (!dtype)
    return fail("{0} has the unknown dtype '{1}'", what, *dtypeName);
  tensor.dtype = *dtype;

  const json::Value *shape = object.get("shape");
  if (!shape)
    return fail("{0} needs a 'shape'", what);
  auto extents = parseInts(*shape, what + ": 'shape'", 0);
  if (!extents)
    return extents.takeError();
  tensor.shape = *extents;

  if (const json::Value *given = object.get("strides")) {
    auto strides = parseInts(*given, what + ": 'strides'",
                             std::numeric_limits<int64_t>::min());
    if (!strides)
      return strides.takeError();
    if (strides->size() != tensor.shape.size())
      return fail("{0} has {1} strides for {2} axes", what, strides->size(),
                  tensor.shape.size());
    tensor.strides = *strides;
  }
  tensor.offset = object.getInteger("offset").value_or(0);
  if (std::optional<StringRef> format = object.getString("format"))
    tensor.format = format->str();
  auto contents = parseContents(object, tensor, what);
  if (!contents)
    return contents.takeError();
  tensor.contents = std::move(*contents);
  return tensor;
}

llvm::Expected<AttributeArgument> parseAttribute(const json::Value &value,
                                                 StringRef name) {
  if (auto flag = value.getAsBoolean())
    return *flag;
  if (auto integer = value.getAsInteger())
    return *integer;
  if (auto text = value.getAsString();
      text && *text != "inf" && *text != "-inf" && *text != "nan")
    return text->str();
  llvm::Expected<double> number =
      parseNumber(value, ("attribute '" + name + "'").str());
  if (!number)
    return number.takeError();
  return *number;
}

} // namespace

llvm::Expected<Call> lossgrad::parseCall(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("a call must be a JSON object");
  if (llvm::Error error =
          checkKeys(*object, "call",
                    {"id", "op", "kind", "level", "soc", "inputs", "attrs",
                     "outputs", "null_pointers", "expect", "source", "note"}))
    return error;

  Call call;
  call.id = object->getString("id").value_or("").str();
  call.function = object->getString("op").value_or("").str();
  call.kind = object->getString("kind").value_or("").str();
  call.level = object->getString("level").value_or("").str();
  call.note = object->getString("note").value_or("").str();
  if (std::optional<StringRef> units = object->getString("soc")) {
    llvm::SmallVector<StringRef> parts;
    units->split(parts, '|');
    for (StringRef part : parts)
      call.computeUnits.push_back(part.str());
  }
  for (StringRef list : {"inputs", "outputs"}) {
    const json::Value *given = object->get(list);
    if (!given)
      continue;
    const json::Array *array = given->getAsArray();
    if (!array)
      return fail("'{0}' must be a list of tensors", list);
    for (const json::Value &item : *array) {
      const json::Object *tensor = item.getAsObject();
      std::optional<StringRef> name =
          tensor ? tensor->getString("name") : std::nullopt;
      if (!name)
        return fail("each of '{0}' must be an object with a 'name'", list);
      auto parsed = parseTensor(*tensor, *name);
      if (!parsed)
        return parsed.takeError();
      if (!call.tensors.emplace(name->str(), std::move(*parsed)).second)
        return fail("tensor '{0}' is given twice", *name);
    }
  }
  if (const json::Object *attributes = object->getObject("attrs"))
    for (const auto &entry : *attributes) {
      auto parsed = parseAttribute(entry.second, entry.first);
      if (!parsed)
        return parsed.takeError();
      call.attributes.emplace(StringRef(entry.first).str(), std::move(*parsed));
    }
  if (const json::Array *pointers = object->getArray("null_pointers"))
    for (const json::Value &pointer : *pointers) {
      StringRef name = pointer.getAsString().value_or("");
      if (name != kWorkspaceSizeArg && name != kExecutorArg)
        return fail("'null_pointers' may list '{0}' and '{1}', not '{2}'",
                    kWorkspaceSizeArg, kExecutorArg, name);
      call.nullPointers.push_back(name.str());
    }
  if (const json::Object *expect = object->getObject("expect"))
    if (std::optional<int64_t> status = expect->getInteger("status"))
      call.expectedStatus = *status;
  return call;
}

llvm::Expected<std::vector<Call>> lossgrad::readCalls(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return fail("{0}: {1}", path, buffer.getError().message());
  std::vector<Call> calls;
  auto add = [&](StringRef text, size_t line) -> llvm::Error {
    llvm::Expected<json::Value> value = json::parse(text);
    if (!value)
      return fail("{0}:{1}: {2}", path, line,
                  llvm::toString(value.takeError()));
    llvm::Expected<Call> call = parseCall(*value);
    if (!call)
      return fail("{0}:{1}: {2}", path, line, llvm::toString(call.takeError()));
    calls.push_back(std::move(*call));
    return llvm::Error::success();
  };

  // One object, however it is laid out, or one per line.
  StringRef text = (*buffer)->getBuffer();
  if (llvm::Expected<json::Value> whole = json::parse(text)) {
    if (llvm::Error error = add(text, 1))
      return error;
    return calls;
  } else {
    llvm::consumeError(whole.takeError());
  }
  size_t line = 0;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    ++line;
    if (!first.trim().empty())
      if (llvm::Error error = add(first, line))
        return error;
    text = rest;
  }
  return calls;
}
