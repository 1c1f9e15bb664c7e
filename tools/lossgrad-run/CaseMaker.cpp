//===- CaseMaker.cpp - One case from a few words --------------------------===//
//
// Random cases are in RandomCases.cpp.
//
//===----------------------------------------------------------------------===//

#include "CaseMaker.h"
#include "TensorData.h"
#include "codegen/Import/RecordSource.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static Error bad(const Twine &what) { return createStringError(what); }

/// `4,2` as a JSON list; numbers, or what JSON has no number for. Extents are
/// ints.
static Expected<json::Array> parseList(StringRef text, StringRef option) {
  json::Array list;
  SmallVector<StringRef> parts;
  bool onlyInts = option != "--range" && option != "--values";
  StringRef inner = text.trim("[]").trim();
  if (!inner.empty())
    inner.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    int64_t integer;
    double real;
    if (part.empty())
      return bad(option + " " + text + ": a number is missing beside a comma");
    if (!part.getAsInteger(10, integer))
      list.push_back(integer);
    else if (onlyInts)
      return bad(option + " " + text + ": '" + part +
                 "' is not an int of 64 bits");
    else if (part == "inf" || part == "-inf" || part == "nan")
      list.push_back(part.str());
    else if (!part.getAsDouble(real))
      list.push_back(real);
    else
      return bad(option + " " + text + ": '" + part + "' is not a number");
  }
  return list;
}

static json::Value parseScalar(StringRef text) {
  int64_t integer;
  double real;
  if (text == "true" || text == "false")
    return text == "true";
  if (!text.getAsInteger(10, integer))
    return integer;
  if (text != "inf" && text != "-inf" && text != "nan" &&
      !text.getAsDouble(real))
    return real;
  return text.str();
}

namespace {

/// Tensors under construction, in C order.
class Builder {
public:
  Builder(OperatorOp op, StringRef product) : op(op), product(product) {}

  Error applyWords(const CaseWords &words);
  Expected<json::Object> complete();

private:
  Expected<json::Object *> findTensor(StringRef name, StringRef option);
  Error applyLists(ArrayRef<std::string> entries, StringRef option,
                   StringRef key, bool mayBeForAll);
  Error applyAttributes(ArrayRef<std::string> entries);
  void chooseDType(ParamAttr param, json::Object &tensor);
  bool isWidest(ParamAttr param);
  Error chooseShape(ParamAttr param, json::Object &tensor);
  void chooseContents(ParamAttr param, json::Object &tensor);
  bool isWanted(ParamAttr param) const;
  Expected<Call> describe();

  OperatorOp op;
  StringRef product;
  StringMap<json::Object> tensors;
  json::Object attributes;
  std::optional<json::Array> shapeOfAll;
  std::string dtypeOfAll;
};

} // namespace

Expected<json::Object *> Builder::findTensor(StringRef name, StringRef option) {
  ParamAttr param = op.findParam(name);
  if (!param || !param.isTensor()) {
    std::string known;
    for (auto each : op.getParams().getAsRange<ParamAttr>())
      if (each.isTensor())
        known += (known.empty() ? "" : ", ") + each.getName().str();
    return bad(option + " " + name + "=...: " + op.getSymName() +
               " has no tensor '" + name + "'; its tensors are " + known);
  }
  json::Object &tensor = tensors[name];
  tensor["name"] = name.str();
  return &tensor;
}

Error Builder::applyLists(ArrayRef<std::string> entries, StringRef option,
                          StringRef key, bool mayBeForAll) {
  for (StringRef entry : entries) {
    auto [name, text] = entry.split('=');
    if (!entry.contains('=')) {
      if (!mayBeForAll)
        return bad(option + " " + entry + ": must be <tensor>=<list>");
      Expected<json::Array> list = parseList(entry, option);
      if (!list)
        return list.takeError();
      shapeOfAll = std::move(*list);
      continue;
    }
    Expected<json::Object *> tensor = findTensor(name, option);
    if (!tensor)
      return tensor.takeError();
    Expected<json::Array> list = parseList(text, option);
    if (!list)
      return list.takeError();
    (**tensor)[key] = std::move(*list);
  }
  return Error::success();
}

/// Values out of range are for the operator to refuse; words that are no value
/// of the attribute's kind never get there.
static Error checkKind(ParamAttr param, const json::Value &value,
                       StringRef entry) {
  switch (param.getKind()) {
  case Kind::Int:
    if (value.getAsInteger())
      return Error::success();
    if (!param.getChoices().empty())
      return bad("--attr " + entry + ": must be an int or one of " +
                 join(map_range(param.getChoices(),
                                [](mlir::StringAttr choice) {
                                  return choice.getValue();
                                }),
                      ", "));
    return bad("--attr " + entry + ": must be an int");
  case Kind::Real:
    if (value.getAsNumber() || value.getAsString() == "inf" ||
        value.getAsString() == "-inf" || value.getAsString() == "nan")
      return Error::success();
    return bad("--attr " + entry + ": must be a number");
  case Kind::Bool:
    return value.getAsBoolean()
               ? Error::success()
               : bad("--attr " + entry + ": must be true or false");
  default:
    return Error::success();
  }
}

Error Builder::applyAttributes(ArrayRef<std::string> entries) {
  for (StringRef entry : entries) {
    auto [name, text] = entry.split('=');
    ParamAttr param = op.findParam(name);
    if (!entry.contains('=') || !param || param.isTensor()) {
      std::string known;
      for (auto each : op.getParams().getAsRange<ParamAttr>())
        if (!each.isTensor())
          known += (known.empty() ? "" : ", ") + each.getName().str();
      SmallVector<StringRef> names;
      StringRef(known).split(names, ", ");
      StringRef nearest = findNearest(name, names);
      return bad("--attr " + entry + ": must be <attribute>=<value>; " +
                 op.getSymName() + " has " + (known.empty() ? "none" : known) +
                 (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
    }
    // A choice may be given by its name.
    json::Value value = param.getKind() == Kind::String
                            ? json::Value(text.str())
                            : parseScalar(text);
    for (auto [i, choice] : enumerate(param.getChoices()))
      if (param.getKind() == Kind::Int && choice.getValue() == text)
        value = static_cast<int64_t>(i);
    if (Error error = checkKind(param, value, entry))
      return error;
    // A key of a StringRef would not outlive the words.
    attributes[name.str()] = std::move(value);
  }
  return Error::success();
}

Error Builder::applyWords(const CaseWords &words) {
  if (Error error = applyLists(words.shapes, "--shape", "shape", true))
    return error;
  if (Error error = applyLists(words.ranges, "--range", "range", false))
    return error;
  if (Error error = applyLists(words.values, "--values", "values", false))
    return error;
  if (Error error = applyLists(words.strides, "--strides", "strides", false))
    return error;
  if (Error error =
          applyLists(words.storageShapes, "--storage", "storage_shape", false))
    return error;
  for (StringRef entry : words.offsets) {
    auto [name, text] = entry.split('=');
    int64_t offset;
    if (text.getAsInteger(10, offset))
      return bad("--offset " + entry + ": must be <tensor>=<elements>");
    Expected<json::Object *> tensor = findTensor(name, "--offset");
    if (!tensor)
      return tensor.takeError();
    (**tensor)["offset"] = offset;
  }
  for (StringRef entry : words.dtypes) {
    auto [name, text] = entry.split('=');
    StringRef dtype = entry.contains('=') ? text : entry;
    if (!symbolizeDType(dtype))
      return bad("--dtype " + entry + ": unknown dtype '" + dtype +
                 "'; known are " + listDTypes());
    if (!entry.contains('=')) {
      dtypeOfAll = dtype.str();
      continue;
    }
    Expected<json::Object *> tensor = findTensor(name, "--dtype");
    if (!tensor)
      return tensor.takeError();
    (**tensor)["dtype"] = dtype.str();
  }
  for (StringRef entry : words.overs) {
    auto [name, input] = entry.split('=');
    Expected<json::Object *> tensor = findTensor(name, "--over");
    if (!tensor)
      return tensor.takeError();
    if (Expected<json::Object *> below = findTensor(input, "--over"); !below)
      return below.takeError();
    (**tensor)["over"] = input.str();
  }
  for (StringRef name : words.nulls) {
    Expected<json::Object *> tensor = findTensor(name, "--null");
    if (!tensor)
      return tensor.takeError();
    (**tensor)["null"] = true;
  }
  return applyAttributes(words.attributes);
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

bool Builder::isWanted(ParamAttr param) const {
  auto given = tensors.find(param.getName());
  if (given == tensors.end())
    return param.getRole() != Role::Optional;
  return !given->second.getBoolean("null").value_or(false);
}

void Builder::chooseDType(ParamAttr param, json::Object &tensor) {
  if (tensor.get("dtype"))
    return;
  ArrayRef<DType> dtypes = param.getDTypesOn(product);
  std::optional<DType> wanted = symbolizeDType(dtypeOfAll);
  if (wanted &&
      (is_contained(dtypes, *wanted) || param.getKind() == Kind::Real))
    tensor["dtype"] = dtypeOfAll;
  else
    tensor["dtype"] =
        stringifyDType(dtypes.empty() ? DType::Float32 : dtypes.front());
}

/// The call as far as it is known.
Expected<Call> Builder::describe() {
  json::Array known;
  for (const auto &entry : tensors)
    if (entry.second.get("shape") && entry.second.get("dtype"))
      known.push_back(json::Object(entry.second));
  json::Object object{{"inputs", std::move(known)},
                      {"attrs", json::Object(attributes)}};
  return parseCall(object, /*withContents=*/false);
}

/// Whether an input is declared with as many dims as any that is wanted. A
/// shape without a name is that of such inputs; a class per row follows from
/// it.
bool Builder::isWidest(ParamAttr param) {
  auto params = op.getParams().getAsRange<ParamAttr>();
  return param.isInput() && all_of(params, [&](ParamAttr other) {
           return !other.isInput() || !isWanted(other) ||
                  other.getShape().getDims().size() <=
                      param.getShape().getDims().size();
         });
}

Error Builder::chooseShape(ParamAttr param, json::Object &tensor) {
  if (tensor.get("shape"))
    return Error::success();
  Expected<Call> call = describe();
  if (!call)
    return call.takeError();
  ShapeAttr declared = param.getShape();
  Expected<bool> holds = call->holds(op, declared);
  if (!holds)
    return holds.takeError();
  if (!*holds || declared.getDims().empty()) {
    tensor["shape"] = json::Array();
    return Error::success();
  }
  if (shapeOfAll && isWidest(param)) {
    tensor["shape"] = json::Array(*shapeOfAll);
    return Error::success();
  }
  // What other tensors make of the dims; a missing operand of a broadcast
  // takes the shape of one that is declared alike.
  if (param.isInput())
    for (auto other : op.getParams().getAsRange<ParamAttr>()) {
      auto given = tensors.find(other.getName());
      if (other.isTensor() && other.getShape() == declared &&
          given != tensors.end() && given->second.get("shape")) {
        tensor["shape"] = *given->second.get("shape");
        return Error::success();
      }
    }
  DimBinding dims(op, *call);
  Expected<Extents> extents = param.isInput()
                                  ? dims.getShape(declared.getDims())
                                  : dims.getOutputShape(param);
  if (!extents) {
    consumeError(extents.takeError());
    return bad("the shape of '" + param.getName().getValue() +
               "' does not follow from what is given; say --shape " +
               param.getName().getValue() + "=...");
  }
  json::Array shape;
  for (int64_t extent : *extents)
    shape.push_back(extent);
  tensor["shape"] = std::move(shape);
  return Error::success();
}

void Builder::chooseContents(ParamAttr param, json::Object &tensor) {
  if (!param.isInput() || tensor.get("range") || tensor.get("values"))
    return;
  int64_t high = 1;
  if (StringRef dim = findIndexedDim(op, param.getName()); !dim.empty()) {
    if (Expected<Call> call = describe()) {
      DimBinding dims(op, *call);
      if (auto extents = dims.find(dim))
        high = std::max<int64_t>(getNumElements(*extents), 1) - 1;
    } else {
      consumeError(call.takeError());
    }
  }
  tensor["range"] =
      param.getKind() == Kind::Real ? json::Array{-2, 2} : json::Array{0, high};
}

Expected<json::Object> Builder::complete() {
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (!param.isTensor() && !attributes.get(param.getName()) &&
        !param.getDefaultValue()) {
      if (param.getChoices().empty())
        return bad("'" + param.getName().getValue() +
                   "' has no default; say --attr " +
                   param.getName().getValue() + "=...");
      attributes[param.getName().str()] = 0;
    }
  // Given shapes first: the others follow from them.
  json::Array inputs, outputs;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (param.isTensor() && isWanted(param)) {
      json::Object &tensor = tensors[param.getName()];
      tensor["name"] = param.getName().str();
      chooseDType(param, tensor);
    }
  for (bool widest : {true, false})
    for (auto param : op.getParams().getAsRange<ParamAttr>())
      if (param.isTensor() && isWanted(param) && isWidest(param) == widest)
        if (Error error = chooseShape(param, tensors[param.getName()]))
          return error;
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (!param.isTensor())
      continue;
    bool wanted = isWanted(param);
    json::Object &tensor = tensors[param.getName()];
    if (wanted)
      chooseContents(param, tensor);
    else
      tensor = json::Object{{"name", param.getName().str()}, {"null", true}};
    (param.isInput() ? inputs : outputs).push_back(json::Object(tensor));
  }
  return json::Object{{"op", ("aclnn" + op.getSymName()).str()},
                      {"inputs", std::move(inputs)},
                      {"attrs", std::move(attributes)},
                      {"outputs", std::move(outputs)}};
}

Expected<json::Object> run::makeCase(OperatorOp op, StringRef product,
                                     const CaseWords &words) {
  Builder builder(op, product);
  if (Error error = builder.applyWords(words))
    return error;
  return builder.complete();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Whether a value is computed from a body argument.
static bool comesFrom(mlir::Value value, mlir::Value argument) {
  SmallVector<mlir::Value> pending{value};
  SmallPtrSet<mlir::Operation *, 8> seen;
  while (!pending.empty()) {
    mlir::Value next = pending.pop_back_val();
    if (next == argument)
      return true;
    if (mlir::Operation *op = next.getDefiningOp())
      if (seen.insert(op).second)
        pending.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

StringRef run::findIndexedDim(OperatorOp op, StringRef input) {
  for (auto [param, argument] :
       zip(op.getInputs(), op.getBody().getArguments())) {
    if (param.getName() != input || param.getKind() != Kind::Int)
      continue;
    for (mlir::Operation &inner : op.getBody().front()) {
      if (auto gather = dyn_cast<GatherOp>(inner))
        if (comesFrom(gather.getIndex(), argument))
          return gather.getOver();
      if (auto onehot = dyn_cast<OneHotOp>(inner))
        if (comesFrom(onehot.getIndex(), argument))
          return onehot.getOver();
    }
  }
  return "";
}
