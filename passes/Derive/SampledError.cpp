//===- SampledError.cpp - Which of several bodies rounds worst ------------===//

#include "passes/Derive/SampledError.h"
#include "dialect/LossGrad/Interpreter/Interpreter.h"
#include "dialect/LossGrad/Interpreter/Random.h"
#include "llvm/Support/Error.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;
using mlir::StringAttr;
using std::isnan;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static constexpr int64_t kAxis = 5, kPack = 9;
static constexpr unsigned kCalls = 96;

static double sampleReal(unsigned profile, Random &random) {
  static const double extremes[] = {0,  1e-30, 1e-8, 1e-4, 0.5, 1,
                                    2,  5,     10,   15,   20,  30,
                                    50, 87,    100,  1e4,  1e15};
  double value = 0;
  switch (profile) {
  case 0:
    value = random.uniform(-3, 3);
    break;
  case 1:
    value = random.pick(ArrayRef(extremes)) * (random.oneIn(2) ? 1 : -1);
    break;
  case 2:
    value = random.uniform(0.01, 0.99);
    break;
  case 3:
    value = random.uniform(-25, 25);
    break;
  default:
    value = random.below(2);
  }
  return roundTo(DType::Float32, value);
}

static Extents shapeOf(OperatorOp op, ParamAttr param, unsigned rows) {
  Extents shape;
  StringAttr first = cast<DimAttr>(op.getDims()[0]).getName();
  for (StringAttr dim : param.getShape().getDims())
    shape.push_back((op.findDim(dim).isPack() ? kPack : kAxis) *
                    (dim == first ? rows : 1));
  return shape;
}

static AttributeValue sampleAttribute(OperatorOp op, ParamAttr param,
                                      unsigned index) {
  if (ArrayRef<StringAttr> choices = param.getChoices(); !choices.empty()) {
    unsigned choice = index % choices.size();
    if (param.getKind() == Kind::String)
      return choices[choice].str();
    return int64_t(choice);
  }
  // An axis: the one where the split stands.
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    if (dim.getKind() == DimKind::Split && dim.getRefs()[0] == param.getName())
      for (ParamAttr tensor : op.getInputs())
        if (auto dims = tensor.getShape().getDims();
            is_contained(dims, dim.getName()))
          return int64_t(llvm::find(dims, dim.getName()) - dims.begin());
  if (param.getKind() == Kind::Bool)
    return index % 2 == 1;
  if (param.getDefaultValue())
    if (std::optional<Element> value = toElement(param.getDefaultValue()))
      return param.getKind() == Kind::Real ? AttributeValue(value->real)
                                           : AttributeValue(value->integer);
  if (param.getKind() == Kind::Real)
    return 0.5;
  return int64_t(1);
}

Call lossgrad::makeSampleCall(OperatorOp op, unsigned index, unsigned rows) {
  Random random(("sample " + Twine(index)).str());
  Call call;
  call.product = cast<StringAttr>(op.getProducts()[0]).str();
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (param.getRole() == Role::Attr)
      call.attributes.insert(
          {param.getName(), sampleAttribute(op, param, index / 4)});
  unsigned profile = index % 4;
  for (ParamAttr param : op.getInputs()) {
    Tensor &tensor = call.tensors[param.getName()];
    tensor.isNull = param.getRole() == Role::Optional && index / 2 % 2;
    Expected<bool> full = call.holds(op, param.getShape());
    bool isFull = full ? *full : true;
    consumeError(full.takeError());
    tensor.shape = isFull ? shapeOf(op, param, rows) : Extents();
    tensor.dtype = param.getKind() == Kind::Real   ? DType::Float32
                   : param.getKind() == Kind::Bool ? DType::Bool
                                                   : DType::Int64;
    tensor.elements.resize(getNumElements(tensor.shape));
    // Labels beside wide values: there differences cancel.
    unsigned own = profile == 3 && random.oneIn(2) ? 4 : profile;
    for (Element &element : tensor.elements) {
      if (param.getKind() == Kind::Real)
        element.real = sampleReal(own, random);
      else
        element.integer = param.getKind() == Kind::Bool ? random.below(2)
                          : random.oneIn(8)             ? -100
                                            : int64_t(random.below(kAxis));
    }
  }
  return call;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Relative to the exact result.
static double relativeError(double found, double exact) {
  if (found == exact)
    return 0;
  double error = std::abs(found - exact) / std::abs(exact);
  return std::isnan(error) ? 1 : error;
}

using Outputs = std::vector<OutputTensor>;

/// The outputs of each body, or nothing if one of them cannot run the call.
static std::optional<std::vector<Outputs>>
runAll(ArrayRef<OperatorOp> bodies, const Call &call, bool rounded) {
  InterpreterOptions options;
  options.inFloat32 = rounded;
  std::vector<Outputs> all;
  for (OperatorOp body : bodies) {
    Expected<Outputs> outputs = interpret(body, call, options);
    if (!outputs) {
      consumeError(outputs.takeError());
      return std::nullopt;
    }
    all.push_back(std::move(*outputs));
  }
  return all;
}

SmallVector<unsigned> lossgrad::countBadPoints(ArrayRef<OperatorOp> bodies) {
  SmallVector<unsigned> bad(bodies.size(), 0);
  for (unsigned index = 0; index < kCalls; ++index) {
    Call call = makeSampleCall(bodies[0], index);
    auto exact = runAll(bodies, call, false);
    auto rounded = exact ? runAll(bodies, call, true) : std::nullopt;
    if (!rounded)
      continue;
    for (size_t output = 0; output < (*exact)[0].size(); ++output)
      for (size_t i = 0; i < (*exact)[0][output].elements.size(); ++i) {
        auto at = [&](const std::vector<Outputs> &all, size_t body) {
          return all[body][output].elements[i].real;
        };
        auto all = seq(bodies.size());
        // NaN where another body has a number comes from a branch that was not
        // taken, or from infinities on the way.
        auto defined =
            find_if(all, [&](size_t body) { return !isnan(at(*exact, body)); });
        if (defined == all.end())
          continue;
        double wanted = at(*exact, *defined);
        // Float32 holds results of this size.
        bool isHeld = std::abs(wanted) < 1e30 &&
                      (std::abs(wanted) > 1e-30 || wanted == 0);
        if (!isHeld || any_of(all, [&](size_t body) {
              double value = at(*exact, body);
              return !isnan(value) && relativeError(value, wanted) > 1e-5;
            }))
          continue;
        for (size_t body : seq(bodies.size()))
          bad[body] += relativeError(at(*rounded, body), wanted) > 1e-3;
      }
  }
  return bad;
}
