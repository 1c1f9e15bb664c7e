//===- ExampleCall.cpp - A small call that an operator accepts ------------===//
//
// See the header. Declared defaults are tried first, then the named values of
// the attributes one after the other.
//
//===----------------------------------------------------------------------===//

#include "codegen/Docs/ExampleCall.h"

#include "dialect/LossGrad/Contract/Contract.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::docs;

namespace {
class ExampleMaker {
public:
  ExampleMaker(OperatorOp op, StringRef product) : op(op) {
    result.call.product = product.str();
  }

  FailureOr<ExampleCall> make();

private:
  LogicalResult attempt(std::string &why);
  void chooseExtents();
  void chooseAttributes();
  LogicalResult chooseInputs(std::string &why);
  LogicalResult describeOutputs(std::string &why);
  DType chooseDType(ParamAttr param);
  std::optional<Extents> shapeOf(ParamAttr param, std::string &why);
  Extents extentsOf(ArrayRef<StringAttr> dims);

  LogicalResult attemptChoices(std::string &why);

  OperatorOp op;
  ExampleCall result;
  llvm::StringMap<Extents> extents;
  /// Between values, whether all tensors have different ones, and whether
  /// results must be finite.
  double step = 0.5;
  bool allRise = false, wantsFinite = true, wantsVariety = true;
};
} // namespace

/// Two axes for a lone broadcast pack, one for any other dim; all different, so
/// that a mix-up of axes would show.
void ExampleMaker::chooseExtents() {
  int64_t next = 4;
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    if (dim.getKind() == DimKind::Part)
      continue; // follows from a parameter
    Extents &value = extents[dim.getName().getValue()];
    value.assign(1, next);
    if (dim.getKind() == DimKind::Broadcast)
      value.push_back(2);
    next = std::max<int64_t>(next - 1, 2);
  }
}

Extents ExampleMaker::extentsOf(ArrayRef<StringAttr> dims) {
  Extents shape;
  for (StringAttr dim : dims)
    llvm::append_range(shape, extents.lookup(dim.getValue()));
  return shape;
}

/// The axis that an attribute selects is where it stands in the inputs.
static std::optional<int64_t> splitAxis(OperatorOp op, StringRef attribute) {
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    if (dim.getKind() != DimKind::Split ||
        dim.getRefs().front().getValue() != attribute)
      continue;
    for (auto param : op.getParams().getAsRange<ParamAttr>())
      if (param.getRole() == Role::In)
        for (auto [i, name] : llvm::enumerate(param.getShape().getDims()))
          if (name == dim.getName())
            return i; // every dim before it has one axis
  }
  return std::nullopt;
}

void ExampleMaker::chooseAttributes() {
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.isTensor())
      continue;
    AttributeValue &value = result.call.attributes[param.getName().getValue()];
    Attribute given = param.getDefaultValue();
    if (std::optional<int64_t> axis = splitAxis(op, param.getName()))
      value = *axis;
    else if (auto text = dyn_cast_or_null<StringAttr>(given))
      value = text.str();
    else if (auto flag = dyn_cast_or_null<BoolAttr>(given))
      value = flag.getValue();
    else if (auto whole = dyn_cast_or_null<IntegerAttr>(given))
      value = whole.getInt();
    else if (auto real = dyn_cast_or_null<FloatAttr>(given))
      value = real.getValueAsDouble();
    else if (param.getKind() == Kind::Real)
      value = 1.0;
    else if (param.getKind() == Kind::Bool)
      value = false;
    else if (param.getKind() == Kind::String)
      value = param.getChoices().empty() ? std::string()
                                         : param.getChoices().front().str();
    else
      value = int64_t(0);
  }
}

DType ExampleMaker::chooseDType(ParamAttr param) {
  ArrayRef<DType> dtypes = param.getDTypesOn(result.call.product);
  for (DType preferred :
       {DType::Float32, DType::Int64, DType::Int32, DType::Float64,
        DType::Int16, DType::Int8, DType::UInt8, DType::Bool})
    if (llvm::is_contained(dtypes, preferred))
      return preferred;
  return DType::Undefined; // 16-bit floats: C++ has no type for them
}

std::optional<Extents> ExampleMaker::shapeOf(ParamAttr param,
                                             std::string &why) {
  ShapeAttr shape = param.getShape();
  llvm::Expected<bool> full = result.call.holds(op, shape);
  if (!full) {
    why = llvm::toString(full.takeError());
    return std::nullopt;
  }
  if (!*full)
    return Extents{1};
  Extents declared = extentsOf(shape.getDims());
  if (shape.getFlat())
    return Extents{getNumElements(declared)};
  return declared;
}

/// What rises does so in steps, the rest is 1; ints alternate, so that they are
/// a class wherever there are two.
static Element elementOf(Kind kind, bool rises, size_t index, double step) {
  Element element;
  if (kind == Kind::Real)
    element.real = rises ? step * double(index + 1) : 1.0;
  else
    element.integer = index % 2;
  return element;
}

LogicalResult ExampleMaker::chooseInputs(std::string &why) {
  size_t position = 0;
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (!param.isInput())
      continue;
    Tensor &tensor = result.call.tensors[param.getName().getValue()];
    tensor = Tensor();
    if (param.getRole() == Role::Optional) {
      tensor.isNull = true;
      continue;
    }
    std::optional<Extents> shape = shapeOf(param, why);
    if (!shape)
      return failure();
    tensor.shape = *shape;
    tensor.dtype = chooseDType(param);
    if (tensor.dtype == DType::Undefined) {
      why = (param.getName().getValue() + " takes no dtype that C++ has").str();
      return failure();
    }
    // Gradients and labels stand around what they are for.
    bool rises = allRise || position % 2;
    for (int64_t i = 0, e = getNumElements(*shape); i < e; ++i)
      tensor.elements.push_back(elementOf(param.getKind(), rises, i, step));
    ++position;
  }
  return success();
}

LogicalResult ExampleMaker::describeOutputs(std::string &why) {
  DimBinding binding(op, result.call);
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.getRole() != Role::Out)
      continue;
    llvm::Expected<Extents> shape = binding.getOutputShape(param);
    if (!shape) {
      why = llvm::toString(shape.takeError());
      return failure();
    }
    Tensor &tensor = result.call.tensors[param.getName().getValue()];
    tensor = Tensor();
    tensor.shape = *shape;
    tensor.dtype = chooseDType(param);
    if (tensor.dtype == DType::Undefined) {
      why = (param.getName().getValue() + " takes no dtype that C++ has").str();
      return failure();
    }
  }
  return success();
}

/// Whether half of the elements differ: an example that is at the
/// limit of a clamp everywhere shows nothing.
static bool isVaried(const OutputTensor &output) {
  if (output.kind != Kind::Real || output.elements.size() < 4)
    return true;
  std::set<double> different;
  for (const Element &element : output.elements)
    different.insert(element.real);
  return 2 * different.size() >= output.elements.size();
}

LogicalResult ExampleMaker::attempt(std::string &why) {
  if (failed(chooseInputs(why)) || failed(describeOutputs(why)))
    return failure();
  FailureOr<ContractOutcome> outcome = evaluateContract(op, result.call);
  if (failed(outcome))
    return failure();
  if (outcome->status != 0 || outcome->nothingToDo) {
    why = outcome->nothingToDo ? "there is nothing to do" : outcome->message;
    return failure();
  }
  llvm::Expected<std::vector<OutputTensor>> results =
      interpret(op, result.call);
  if (!results) {
    why = llvm::toString(results.takeError());
    return failure();
  }
  for (const OutputTensor &output : *results)
    for (const Element &element : output.elements)
      if (wantsFinite && output.kind == Kind::Real &&
          !std::isfinite(element.real)) {
        why = "its result is not finite";
        return failure();
      }
  if (wantsVariety && !llvm::all_of(*results, isVaried)) {
    why = "its results are alike";
    return failure();
  }
  result.results = std::move(*results);
  return success();
}

/// With the attributes as they are, and with each choice in turn.
LogicalResult ExampleMaker::attemptChoices(std::string &why) {
  std::string ignored;
  if (succeeded(attempt(why)))
    return success();
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    for (auto [i, choice] : llvm::enumerate(param.getChoices())) {
      AttributeValue &value =
          result.call.attributes[param.getName().getValue()];
      AttributeValue before = value;
      value = param.getKind() == Kind::String ? AttributeValue(choice.str())
                                              : AttributeValue(int64_t(i));
      if (succeeded(attempt(ignored)))
        return success();
      value = before;
    }
  return failure();
}

FailureOr<ExampleCall> ExampleMaker::make() {
  chooseExtents();
  chooseAttributes();
  std::string why, ignored;
  for (bool variety : {true, false})
    // Probabilities lie between 0 and 1, which steps of a sixteenth do.
    for (auto [nextStep, rises] :
         {std::pair(0.5, false), std::pair(0.0625, false),
          std::pair(0.0625, true)}) {
      step = nextStep;
      allRise = rises;
      wantsVariety = variety;
      if (succeeded(attemptChoices(why.empty() ? why : ignored)))
        return std::move(result);
    }
  step = 0.5;
  allRise = false;
  wantsFinite = false;
  if (succeeded(attemptChoices(ignored)))
    return std::move(result);
  return op.emitError("has no example call: ") << why;
}

FailureOr<ExampleCall> docs::makeExampleCall(OperatorOp op, StringRef product) {
  return ExampleMaker(op, product).make();
}
