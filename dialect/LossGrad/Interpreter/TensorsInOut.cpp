//===- TensorsInOut.cpp - The tensors of a call as values -----------------===//
//
// How inputs become values over dims and results become outputs. A variant may
// see the axes of a pack as two dims (`split`), or a part as its pack
// (`whole`).
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Interpreter/BodyInterpreter.h"
#include "dialect/LossGrad/Interpreter/Odometer.h"
#include "dialect/LossGrad/Interpreter/Terms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include <limits>

using namespace llvm;
using namespace lossgrad;
using mlir::StringAttr;
using mlir::Value;

BodyInterpreter::BodyInterpreter(VariantOp variant, const Call &call,
                                 InterpreterOptions options)
    : BodyInterpreter(variant.getOperator(), call, options) {
  if (variant.getSplit().empty())
    return;
  split = op.findDim(cast<StringAttr>(variant.getSplit()[0]).getValue());
  auto part = dims.find(split.getName()), pack = dims.find(split.getRefs()[0]);
  if (part && pack)
    for (auto [own, all] : zip_equal(*part, *pack))
      ofPart.push_back(own == all);
}

/// The axes that a dim of a value stands for, as positions among all axes of
/// declared dims; none where those lack it.
SmallVector<size_t> BodyInterpreter::axesOver(ArrayRef<StringAttr> declared,
                                              StringAttr dim) {
  auto isPart = [&](StringAttr name) {
    return op.findDim(name).getKind() == DimKind::Part;
  };
  SmallVector<size_t> axes;
  size_t first = 0;
  for (StringAttr each : declared) {
    size_t count = dims.find(each)->size();
    bool isSplit = split && each == split.getRefs()[0];
    bool isOwn = each == dim;
    if (isSplit) // of which both dims have some axes
      isOwn |= dim == split.getName();
    else if (isPart(each)) // the whole of its pack
      isOwn |= dim == op.findDim(each).getRefs()[0] && !split;
    for (size_t i = 0; isOwn && i != count; ++i)
      if (!isSplit || ofPart[i] == (dim == split.getName()))
        axes.push_back(first + i);
    first += count;
  }
  return axes;
}

/// The elements along a dim of a value.
Expected<int64_t> BodyInterpreter::countOf(StringAttr dim) {
  Expected<ArrayRef<int64_t>> axes = dims.get(dim);
  if (!axes)
    return axes.takeError();
  if (!split || dim != split.getRefs()[0])
    return getNumElements(*axes);
  int64_t count = 1;
  for (auto [extent, isOfPart] : zip_equal(*axes, ofPart))
    count *= isOfPart ? 1 : extent;
  return count;
}

/// What an absent tensor holds: recognisable, and wrong wherever it is used.
static Element undefinedElement(Kind kind) {
  Element element;
  if (kind == Kind::Real)
    element.real = std::numeric_limits<double>::quiet_NaN();
  else
    element.integer =
        kind == Kind::Int ? std::numeric_limits<int64_t>::min() : 0;
  return element;
}

Error BodyInterpreter::load(ParamAttr param, Value argument) {
  const Tensor *tensor = call.find(param.getName());
  if (!tensor) {
    // Where its dims are open, no op of a sensible body needs it either.
    Expected<RuntimeValue> absent =
        allocate(argument, undefinedElement(param.getKind()));
    if (absent) {
      if (options.trackTerms)
        terms[argument] = magnitudesOf(*absent);
      values[argument] = std::move(*absent);
    } else
      consumeError(absent.takeError());
    return Error::success();
  }
  Expected<TensorView> view = dims.getView(param);
  if (!view)
    return view.takeError();
  if (static_cast<int64_t>(tensor->elements.size()) !=
      getNumElements(tensor->shape))
    return createStringError("the call gives no contents for '" +
                             param.getName().getValue() + "'");
  Expected<RuntimeValue> value = allocate(argument);
  if (!value)
    return value.takeError();
  // In the order of the argument's dims; a variant for one element has none.
  TensorView own;
  for (StringAttr dim : typeOf(argument).getDims())
    for (size_t axis : axesOver(param.getShape().getDims(), dim)) {
      own.extents.push_back(view->extents[axis]);
      own.strides.push_back(view->strides[axis]);
    }
  int64_t count = value->elements.size();
  Odometer at(own.extents, own.strides);
  for (int64_t i = 0; i < count; ++i, at.step())
    value->elements[i] = tensor->elements[at.getOffsets()[0]];
  if (options.trackTerms)
    terms[argument] = magnitudesOf(*value);
  values[argument] = std::move(*value);
  return Error::success();
}

Expected<OutputTensor> BodyInterpreter::store(ParamAttr param, Value value) {
  OutputTensor output;
  output.name = param.getName().str();
  output.kind = param.getKind();
  Expected<Extents> shape = dims.getOutputShape(param);
  if (!shape)
    return shape.takeError();
  output.shape = *shape;
  if (const Tensor *given = call.find(param.getName())) {
    output.dtype = given->dtype;
    if (given->shape != *shape)
      return createStringError("the output '" + output.name + "' has shape " +
                               toString(given->shape) + ", expected " +
                               toString(*shape));
  }
  ArrayRef<StringAttr> outDims = param.getShape().getDims();
  Extents extents;
  for (StringAttr dim : outDims)
    extents.append(dims.find(dim)->begin(), dims.find(dim)->end());
  Extents strides(extents.size(), 0);
  int64_t stride = 1;
  ArrayRef<StringAttr> own = typeOf(value).getDims();
  for (size_t i = own.size(); i-- > 0;) {
    int64_t inner = stride;
    SmallVector<size_t> axes = axesOver(outDims, own[i]);
    for (size_t axis : reverse(axes)) {
      strides[axis] = inner;
      inner *= extents[axis];
    }
    stride *= get(value).extents[i];
  }
  // An output of one element is the same along all dims of its value.
  Expected<bool> isFull = call.holds(op, param.getShape());
  if (!isFull)
    return isFull.takeError();
  int64_t count = *isFull ? getNumElements(extents) : 1;
  output.elements.resize(count);
  Odometer at(extents, strides);
  const RuntimeValue &source = get(value);
  if (!*isFull && source.elements.empty())
    return createStringError("the output '" + output.name +
                             "' is reduced over no elements");
  const RuntimeValue *sourceTerms =
      options.trackTerms ? &getTerms(value) : nullptr;
  output.largestTerms.resize(sourceTerms ? count : 0);
  for (int64_t i = 0; i < count; ++i, at.step()) {
    output.elements[i] = source.elements[at.getOffsets()[0]];
    if (sourceTerms)
      output.largestTerms[i] = sourceTerms->elements[at.getOffsets()[0]].real;
  }
  return output;
}
