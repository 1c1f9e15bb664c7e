//===- RandomCases.cpp - Many cases that a contract accepts ---------------===//
//
// Draws extents for the dims of a record, gives tensors shapes, dtypes, views
// and ranges, and keeps what the contract accepts. It aims at what breaks
// kernels: tails, single elements, empty tensors, broadcasting, strides, mixed
// dtypes, special values.
//
//===----------------------------------------------------------------------===//

#include "CaseMaker.h"
#include "dialect/LossGrad/Contract/Contract.h"
#include "dialect/LossGrad/Contract/Coverage.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "dialect/LossGrad/Interpreter/Random.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

/// Attributes are drawn from 10^-this to 10^this. Beyond, products with data of
/// the usual size leave the range of float32.
static constexpr double kDecades = 6;

namespace {

/// What makes one case different from the plain one.
struct Flavour {
  bool mixedDTypes, broadcast, strided, empty, special, large;
};

class RandomCase {
public:
  RandomCase(OperatorOp op, StringRef product, unsigned number, Random &random,
             const ParameterRanges &ranges)
      : op(op), product(product), number(number), random(random),
        ranges(ranges) {}

  /// Nothing where the contract does not accept the draw.
  std::optional<json::Object> make(const Flavour &flavour);

private:
  void drawAttributes();
  void drawNumber(ParamAttr param);
  double drawWithin(std::pair<double, double> range);
  void drawDims(const Flavour &flavour);
  Extents shapeOf(ParamAttr param, const Flavour &flavour);
  Extents shapeOfPack(DimAttr dim, ParamAttr param, const Flavour &flavour);
  json::Object makeTensor(ParamAttr param, const Flavour &flavour,
                          const Extents &shape);
  void makeStrided(json::Object &tensor, const Extents &shape);
  void placeOver(json::Object &output, const json::Array &inputs,
                 StringRef input);
  bool holds(ShapeAttr shape);
  bool isAccepted(const json::Object &object);

  OperatorOp op;
  StringRef product;
  unsigned number;
  Random &random;
  const ParameterRanges &ranges;
  json::Object attributes;
  StringMap<Extents> dims;
  /// The operand of a broadcast that has all axes.
  StringMap<StringRef> fullOperand;
};

} // namespace

//===----------------------------------------------------------------------===//
// Attributes and dims
//===----------------------------------------------------------------------===//

void RandomCase::drawAttributes() {
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.isTensor())
      continue;
    std::string name = param.getName().str();
    if (!param.getChoices().empty()) {
      size_t choice = (number + random.below(2)) % param.getChoices().size();
      attributes[name] = param.getKind() == Kind::Int
                             ? json::Value(static_cast<int64_t>(choice))
                             : json::Value(param.getChoices()[choice].str());
    } else if (param.getKind() == Kind::Bool) {
      attributes[name] = random.oneIn(2);
    } else if (!param.getDefaultValue() || random.oneIn(2)) {
      // Another value than the default; the contract refuses what it must.
      drawNumber(param);
    }
  }
}

/// A number of a range, often one of its ends.
double RandomCase::drawWithin(std::pair<double, double> range) {
  auto [low, high] = range;
  return random.oneIn(4) ? (random.oneIn(2) ? low : high)
                         : random.uniform(low, high);
}

/// Over the whole range and at its ends: what the contract compares with and
/// its neighbours, the usual numbers, and any magnitude between.
void RandomCase::drawNumber(ParamAttr param) {
  std::string name = param.getName().str();
  if (auto range = ranges.find(name); range != ranges.end()) {
    double number = drawWithin(range->second);
    attributes[name] = param.getKind() == Kind::Int
                           ? json::Value(std::llround(number))
                           : json::Value(number);
    return;
  }
  std::vector<AttributeValue> values = suggestValues(op, param);
  const AttributeValue &value = values[random.below(values.size())];
  if (auto *integer = std::get_if<int64_t>(&value))
    attributes[name] = *integer;
  else if (auto *real = std::get_if<double>(&value))
    attributes[name] =
        random.oneIn(2)
            ? *real
            : (random.oneIn(2) ? 1 : -1) *
                  std::pow(10.0, random.uniform(-kDecades, kDecades));
}

void RandomCase::drawDims(const Flavour &flavour) {
  // Around blocks of 32 bytes and repeats of 256, single elements, primes.
  static constexpr int64_t extents[] = {1,  2,  3,  5,  7,  8,  9,  15, 16,
                                        17, 31, 32, 33, 63, 64, 65, 97, 128};
  static constexpr int64_t largeExtents[] = {513, 1021, 2048, 4097, 10007};
  bool large = flavour.large;
  auto extent = [&](bool inner) -> int64_t {
    if (large && inner) {
      large = false;
      return random.pick<int64_t>(largeExtents);
    }
    return random.pick<int64_t>(inner ? ArrayRef(extents)
                                      : ArrayRef(extents).take_front(8));
  };
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    Extents &drawn = dims[dim.getName()];
    size_t rank = 1;
    if (dim.isPack())
      rank = dim.getKind() == DimKind::Broadcast ? random.below(4)
                                                 : random.below(3);
    for (size_t axis = 0; axis < rank; ++axis)
      drawn.push_back(extent(axis + 1 == rank));
    if (dim.getKind() == DimKind::Broadcast && !dim.getRefs().empty())
      fullOperand[dim.getName()] =
          dim.getRefs()[random.below(dim.getRefs().size())].getValue();
  }
  if (flavour.empty)
    for (auto &entry : dims)
      if (!entry.second.empty()) {
        entry.second[random.below(entry.second.size())] = 0;
        break;
      }
  // An axis at an attribute: the packs before it say which one it is.
  int64_t position = 0;
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    if (dim.getKind() == DimKind::Split)
      attributes[dim.getRefs().front().str()] = position;
    position += dims[dim.getName()].size();
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool RandomCase::holds(ShapeAttr shape) {
  json::Object object{{"attrs", json::Object(attributes)}};
  Expected<Call> call = parseCall(object, /*withContents=*/false);
  Expected<bool> result =
      call ? call->holds(op, shape) : Expected<bool>(call.takeError());
  if (result)
    return *result;
  consumeError(result.takeError());
  return false;
}

/// A pack as one operand has it: axes of a broadcast may be one or missing.
Extents RandomCase::shapeOfPack(DimAttr dim, ParamAttr param,
                                const Flavour &flavour) {
  Extents shape = dims[dim.getName()];
  bool isOperand = is_contained(dim.getRefs(), param.getName());
  if (dim.getKind() != DimKind::Broadcast || !isOperand || !flavour.broadcast ||
      fullOperand[dim.getName()] == param.getName())
    return shape;
  for (int64_t &extent : shape)
    if (random.oneIn(2))
      extent = 1;
  size_t missing = random.oneIn(2) ? random.below(shape.size() + 1) : 0;
  return Extents(ArrayRef(shape).drop_front(missing));
}

Extents RandomCase::shapeOf(ParamAttr param, const Flavour &flavour) {
  Extents shape;
  if (!holds(param.getShape()))
    return random.oneIn(2) ? Extents{1} : Extents{};
  for (mlir::StringAttr name : param.getShape().getDims()) {
    DimAttr dim = op.findDim(name);
    shape.append(shapeOfPack(dim, param, flavour));
  }
  return shape;
}

/// A view with gaps between rows, or of a transposed storage.
void RandomCase::makeStrided(json::Object &tensor, const Extents &shape) {
  if (shape.empty())
    return;
  Extents storage(shape), strides(shape.size());
  SmallVector<size_t> order = to_vector(seq<size_t>(0, shape.size()));
  if (shape.size() > 1 && random.oneIn(2))
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  else
    storage.back() = storage.back() * (1 + random.below(2)) + 3;
  int64_t stride = 1;
  json::Array storageShape, strideList;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= std::max<int64_t>(storage[order[i]], 1);
  }
  for (size_t axis : order)
    storageShape.push_back(storage[axis]);
  for (int64_t each : strides)
    strideList.push_back(each);
  tensor["strides"] = std::move(strideList);
  tensor["storage_shape"] = std::move(storageShape);
  if (storage.back() > shape.back())
    tensor["offset"] = static_cast<int64_t>(random.below(3));
}

json::Object RandomCase::makeTensor(ParamAttr param, const Flavour &flavour,
                                    const Extents &shape) {
  ArrayRef<DType> dtypes = param.getDTypesOn(product);
  size_t which = flavour.mixedDTypes ? random.below(dtypes.size())
                                     : number % dtypes.size();
  json::Array extents;
  for (int64_t extent : shape)
    extents.push_back(extent);
  json::Object tensor{{"name", param.getName().str()},
                      {"dtype", stringifyDType(dtypes[which])},
                      {"shape", std::move(extents)}};
  if (flavour.strided && random.oneIn(2))
    makeStrided(tensor, shape);
  if (!param.isInput())
    return tensor;
  if (StringRef dim = findIndexedDim(op, param.getName()); !dim.empty())
    tensor["range"] =
        json::Array{0, std::max<int64_t>(getNumElements(dims[dim]), 1) - 1};
  else if (param.getKind() != Kind::Real)
    tensor["range"] = json::Array{0, 1};
  else if (auto range = ranges.find(param.getName()); range != ranges.end()) {
    // Elsewhere the numbers mean nothing, but NaN does everywhere. All of it,
    // or one of its ends, where formulas cancel.
    auto [low, high] = range->second;
    double near = (high - low) * 1e-5;
    switch (flavour.special && random.oneIn(2) ? 4 : random.below(4)) {
    case 4:
      tensor["range"] = json::Array{"nan", "nan"};
      break;
    case 0:
      tensor["range"] = json::Array{low, low + near};
      break;
    case 1:
      tensor["range"] = json::Array{high - near, high};
      break;
    default:
      tensor["range"] = json::Array{low, high};
    }
  } else if (flavour.special && random.oneIn(2))
    tensor["range"] = random.oneIn(2) ? json::Array{"-inf", "inf"}
                                      : json::Array{"nan", "nan"};
  else
    switch (random.below(5)) {
    case 0:
      tensor["range"] = json::Array{-1, 1};
      break;
    case 1:
      tensor["range"] = json::Array{0.05, 0.95};
      break;
    case 2:
      tensor["range"] = json::Array{-20, 20};
      break;
    case 3: // where formulas cancel
      tensor["range"] = json::Array{-1e-5, 1e-5};
      break;
    default:
      tensor["range"] = json::Array{-2, 2};
    }
  return tensor;
}

/// An output that is the same memory as an input, if they have one shape.
void RandomCase::placeOver(json::Object &output, const json::Array &inputs,
                           StringRef input) {
  for (const json::Value &each : inputs) {
    const json::Object &tensor = *each.getAsObject();
    if (tensor.getString("name") != input || !tensor.get("shape") ||
        *tensor.get("shape") != *output.get("shape"))
      continue;
    for (StringRef key : {"dtype", "strides", "storage_shape", "offset"}) {
      output.erase(key);
      if (const json::Value *value = tensor.get(key))
        output[key] = *value;
    }
    output["over"] = input;
  }
}

bool RandomCase::isAccepted(const json::Object &object) {
  Expected<Call> call = parseCall(object, /*withContents=*/false);
  if (!call) {
    consumeError(call.takeError());
    return false;
  }
  call->product = product.str();
  mlir::ScopedDiagnosticHandler quiet(
      op.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::FailureOr<ContractOutcome> outcome = evaluateContract(op, *call);
  return mlir::succeeded(outcome) && outcome->status == 0;
}

std::optional<json::Object> RandomCase::make(const Flavour &flavour) {
  drawAttributes();
  drawDims(flavour);
  json::Array inputs, outputs;
  for (ParamAttr param : op.getInputs())
    if (param.getRole() == Role::Optional && random.oneIn(2))
      inputs.push_back(
          json::Object{{"name", param.getName().str()}, {"null", true}});
    else
      inputs.push_back(makeTensor(param, flavour, shapeOf(param, flavour)));
  json::Object object{{"op", ("aclnn" + op.getSymName()).str()},
                      {"inputs", std::move(inputs)},
                      {"attrs", json::Object(attributes)}};
  // Outputs follow from what the inputs came to.
  Expected<Call> call = parseCall(object, /*withContents=*/false);
  if (!call) {
    consumeError(call.takeError());
    return std::nullopt;
  }
  DimBinding binding(op, *call);
  for (ParamAttr param : op.getOutputs()) {
    Expected<Extents> shape = binding.getOutputShape(param);
    if (!shape) {
      consumeError(shape.takeError());
      return std::nullopt;
    }
    // Enough for every core and tile; the reference takes its time.
    if (getNumElements(*shape) > (int64_t(1) << 18))
      return std::nullopt;
    json::Object output = makeTensor(param, flavour, *shape);
    if (param.getInPlaceOf() && random.oneIn(2))
      placeOver(output, *object.getArray("inputs"), param.getInPlaceOf());
    outputs.push_back(std::move(output));
  }
  object["outputs"] = std::move(outputs);
  if (!isAccepted(object))
    return std::nullopt;
  return object;
}

std::vector<json::Object> run::makeRandomCases(OperatorOp op, StringRef product,
                                               unsigned count, StringRef seed,
                                               const ParameterRanges &ranges) {
  Random random((op.getSymName() + "/" + seed).str());
  std::vector<json::Object> cases;
  auto hasDType = [&](ParamAttr param) {
    return !param.isTensor() || !param.getDTypesOn(product).empty();
  };
  if (!all_of(op.getParams().getAsRange<ParamAttr>(), hasDType))
    return cases;
  for (unsigned i = 0; i < count; ++i) {
    Flavour flavour{
        /*mixedDTypes=*/i % 3 == 2, /*broadcast=*/i % 2 == 1,
        /*strided=*/i % 4 == 3,     /*empty=*/i % 16 == 10,
        /*special=*/i % 8 == 6,     /*large=*/i % 6 == 4};
    // The contract may want more than the dims say; plainer draws follow.
    for (int attempt = 0; attempt < 40; ++attempt) {
      if (attempt == 20)
        flavour.mixedDTypes = flavour.strided = flavour.empty = false;
      if (attempt == 30)
        flavour.broadcast = false;
      auto object = RandomCase(op, product, i, random, ranges).make(flavour);
      if (!object)
        continue;
      (*object)["id"] = (op.getSymName() + "/random/" + Twine(i)).str();
      // Nobody has looked at these values: where terms cancel, float32 can
      // only promise an error relative to the terms, and where the formula
      // leaves its range nothing.
      (*object)["expect"] =
          json::Object{{"largest_term_ulps", 32}, {"float32_range", true}};
      cases.push_back(std::move(*object));
      break;
    }
  }
  return cases;
}
