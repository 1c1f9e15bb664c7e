//===- Interpreter.cpp - Running a body in float64 ------------------------===//

#include "dialect/LossGrad/Analysis/Uniformity.h"
#include "dialect/LossGrad/Interpreter/BodyInterpreter.h"
#include "dialect/LossGrad/Interpreter/Odometer.h"
#include "dialect/LossGrad/Interpreter/Terms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using namespace lossgrad;
using mlir::Operation;
using mlir::StringAttr;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Expected<RuntimeValue> BodyInterpreter::allocate(Value result, Element fill) {
  RuntimeValue value;
  value.kind = typeOf(result).getKind();
  for (StringAttr dim : typeOf(result).getDims()) {
    Expected<int64_t> count = countOf(dim);
    if (!count)
      return count.takeError();
    value.extents.push_back(*count);
  }
  int64_t count = getNumElements(value.extents);
  if (count > (int64_t(1) << 32))
    return createStringError("a value of type " + toString(typeOf(result)) +
                             " has " + Twine(count) +
                             " elements; that is too many to interpret");
  value.elements.assign(count, fill);
  return value;
}

Expected<RuntimeValue> BodyInterpreter::allocate(Value result) {
  return allocate(result, makeInt(0));
}

/// The strides of an operand over a list of dims, each one axis.
Extents BodyInterpreter::stridesOver(Value operand, ArrayRef<StringAttr> over) {
  return stridesOver(operand, get(operand).extents, over);
}

Extents BodyInterpreter::stridesOver(Value operand, ArrayRef<int64_t> extents,
                                     ArrayRef<StringAttr> over) {
  ArrayRef<StringAttr> own = typeOf(operand).getDims();
  Extents strides(over.size(), 0);
  int64_t stride = 1;
  for (size_t i = own.size(); i-- > 0;) {
    auto *position = llvm::find(over, own[i]);
    if (position != over.end())
      strides[position - over.begin()] = stride;
    stride *= extents[i];
  }
  return strides;
}

Expected<RuntimeValue> BodyInterpreter::scalar(Value result, int64_t integer) {
  return allocate(result, makeInt(integer));
}

Expected<Extents> BodyInterpreter::axesOf(StringRef name) {
  if (ParamAttr param = op.findParam(name)) {
    if (const Tensor *tensor = call.find(name))
      return tensor->shape;
    if (param.getRole() == Role::Out)
      return dims.getOutputShape(param);
    // The shape of an absent tensor is asked for only where it is not used.
    return Extents();
  }
  Expected<ArrayRef<int64_t>> axes = dims.get(name);
  if (!axes)
    return axes.takeError();
  return Extents(*axes);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Expected<RuntimeValue> BodyInterpreter::constant(ConstantOp inner) {
  RuntimeValue value;
  value.kind = typeOf(inner.getResult()).getKind();
  if (auto text = dyn_cast<StringAttr>(inner.getValue()))
    value.text = text.str();
  else if (std::optional<Element> element = toElement(inner.getValue()))
    value.elements.push_back(*element);
  return value;
}

Expected<RuntimeValue> BodyInterpreter::attribute(AttributeOp inner) {
  Expected<AttributeValue> actual =
      call.getAttribute(op.findParam(inner.getName()));
  if (!actual)
    return actual.takeError();
  RuntimeValue value;
  value.kind = typeOf(inner.getResult()).getKind();
  Element element = makeInt(0);
  if (auto *text = std::get_if<std::string>(&*actual)) {
    value.text = *text;
    return value;
  }
  if (auto *real = std::get_if<double>(&*actual))
    element.real = *real;
  else if (auto *integer = std::get_if<int64_t>(&*actual))
    element.integer = *integer;
  else
    element.integer = std::get<bool>(*actual);
  value.elements.push_back(element);
  return value;
}

Expected<RuntimeValue> BodyInterpreter::extent(ExtentOp inner) {
  Expected<Extents> axes = axesOf(inner.getName());
  if (!axes)
    return axes.takeError();
  int64_t rank = axes->size(), axis = inner.getAxis().value_or(0);
  if (axis < 0)
    axis += rank;
  return scalar(inner.getResult(),
                axis >= 0 && axis < rank ? (*axes)[axis] : 1);
}

Expected<RuntimeValue> BodyInterpreter::compareText(CompareOp inner) {
  bool equal = get(inner.getLhs()).text == get(inner.getRhs()).text;
  return scalar(inner.getResult(),
                equal == (inner.getPredicate() == Predicate::eq));
}

Expected<RuntimeValue> BodyInterpreter::selectText(SelectOp inner) {
  bool first = get(inner.getCondition()).elements[0].integer;
  return get(first ? inner.getTrueValue() : inner.getFalseValue());
}

Expected<RuntimeValue> BodyInterpreter::elementwise(Operation *inner) {
  ElementFunction function = getElementFunction(inner);
  if (!function) {
    if (auto compare = dyn_cast<CompareOp>(inner))
      return compareText(compare);
    if (auto select = dyn_cast<SelectOp>(inner))
      return selectText(select);
    return createStringError("the op " + inner->getName().getStringRef() +
                             " cannot be interpreted");
  }
  Expected<RuntimeValue> result = allocate(inner->getResult(0));
  if (!result)
    return result.takeError();
  ArrayRef<StringAttr> over = typeOf(inner->getResult(0)).getDims();
  SmallVector<Extents, 3> strides;
  SmallVector<const Element *, 3> sources;
  for (Value operand : inner->getOperands()) {
    strides.push_back(stridesOver(operand, over));
    sources.push_back(get(operand).elements.data());
  }
  Odometer at(result->extents, strides);
  Element operands[3];
  const size_t count = sources.size();
  for (Element &element : result->elements) {
    ArrayRef<int64_t> offsets = at.getOffsets();
    for (size_t i = 0; i < count; ++i)
      operands[i] = sources[i][offsets[i]];
    element = function(operands);
    at.step();
  }
  return result;
}

Expected<RuntimeValue> BodyInterpreter::iota(IotaOp inner) {
  Expected<RuntimeValue> result = allocate(inner.getResult());
  if (result)
    for (auto [i, element] : enumerate(result->elements))
      element.integer = i;
  return result;
}

/// Folds the source into the result, over which the odometer moves with it.
static void fold(const RuntimeValue &source, ReduceKind kind, Odometer at,
                 RuntimeValue &result) {
  ElementFunction step = getReductionStep(kind, source.kind);
  for (const Element &element : source.elements) {
    Element &sum = result.elements[at.getOffsets()[0]];
    Element operands[2] = {sum, element};
    sum = step(operands);
    at.step();
  }
}

Expected<RuntimeValue> BodyInterpreter::reduce(ReduceOp inner,
                                               const RuntimeValue &source,
                                               ReduceKind kind) {
  Expected<RuntimeValue> result =
      allocate(inner.getResult(), getReductionStart(kind, source.kind));
  if (!result)
    return result.takeError();
  // The result seen over the dims of the operand: 0 where it is reduced.
  Extents strides = stridesOver(inner.getResult(), result->extents,
                                typeOf(inner.getOperand()).getDims());
  fold(source, kind, Odometer(source.extents, strides), *result);
  return result;
}

Expected<RuntimeValue> BodyInterpreter::reduceOnto(ReduceOntoOp inner,
                                                   const RuntimeValue &source,
                                                   ReduceKind kind) {
  Expected<RuntimeValue> result =
      allocate(inner.getResult(), getReductionStart(kind, source.kind));
  if (!result)
    return result.takeError();
  // Only here do the axes of a pack matter one by one: walk them all, and let
  // the result stand still along those that are reduced.
  Extents axes;
  SmallVector<bool> reduced;
  for (StringAttr dim : typeOf(inner.getOperand()).getDims()) {
    ArrayRef<int64_t> from = *dims.find(dim);
    ArrayRef<int64_t> to =
        dim == inner.getFromAttr() ? *dims.find(inner.getTo()) : from;
    axes.append(from.begin(), from.end());
    for (auto [f, t] : zip(from, to))
      reduced.push_back(t != f);
  }
  // A part takes the place of its pack only if the declared order agrees;
  // find the order of the result's axes from its own type.
  Extents strides(axes.size(), 0);
  int64_t stride = 1;
  ArrayRef<StringAttr> resultDims = typeOf(inner.getResult()).getDims();
  for (StringAttr dim : reverse(resultDims)) {
    StringAttr own = dim == inner.getToAttr() ? inner.getFromAttr() : dim;
    size_t first = 0;
    for (StringAttr d : typeOf(inner.getOperand()).getDims()) {
      if (d == own)
        break;
      first += dims.find(d)->size();
    }
    for (size_t i = dims.find(own)->size(); i-- > 0;)
      if (!reduced[first + i]) {
        strides[first + i] = stride;
        stride *= axes[first + i];
      }
  }
  fold(source, kind, Odometer(axes, strides), *result);
  return result;
}

Expected<RuntimeValue> BodyInterpreter::gather(GatherOp inner,
                                               const RuntimeValue &table,
                                               const RuntimeValue &otherwise) {
  Expected<RuntimeValue> result = allocate(inner.getResult());
  if (!result)
    return result.takeError();
  ArrayRef<StringAttr> over = typeOf(inner.getResult()).getDims();
  Extents extents = result->extents;
  SmallVector<Extents, 3> strides;
  for (Value operand : inner->getOperands())
    strides.push_back(stridesOver(operand, over));
  // Along the looked-up dim the table moves with the index, not with the
  // position in the result.
  auto *position = llvm::find(over, inner.getOverAttr());
  if (position != over.end())
    strides[0][position - over.begin()] = 0;
  int64_t tableStride = stridesOver(inner.getTable(), inner.getOverAttr())[0];
  int64_t limit = getNumElements(*dims.find(inner.getOver()));
  const RuntimeValue &index = get(inner.getIndex());
  Odometer at(extents, strides);
  for (Element &element : result->elements) {
    ArrayRef<int64_t> offsets = at.getOffsets();
    int64_t i = index.elements[offsets[1]].integer;
    element = i >= 0 && i < limit ? table.elements[offsets[0] + i * tableStride]
                                  : otherwise.elements[offsets[2]];
    at.step();
  }
  return result;
}

Expected<RuntimeValue> BodyInterpreter::oneHot(OneHotOp inner) {
  Expected<RuntimeValue> result = allocate(inner.getResult());
  if (!result)
    return result.takeError();
  ArrayRef<StringAttr> over = typeOf(inner.getResult()).getDims();
  size_t axis = llvm::find(over, inner.getOverAttr()) - over.begin();
  Extents strides = stridesOver(inner.getIndex(), over);
  const RuntimeValue &index = get(inner.getIndex());
  Odometer at(result->extents, strides);
  for (Element &element : result->elements) {
    element.integer =
        index.elements[at.getOffsets()[0]].integer == at.getIndex()[axis];
    at.step();
  }
  return result;
}

Expected<RuntimeValue> BodyInterpreter::reduced(ReducedOp inner) {
  RuntimeValue result = get(inner.getValue());
  if (get(inner.getNone()).elements[0].integer)
    return result;
  double sum = 0;
  for (const Element &element : result.elements)
    sum += element.real;
  if (get(inner.getMean()).elements[0].integer)
    sum /= get(inner.getCount()).elements[0].real;
  for (Element &element : result.elements)
    element.real = sum;
  return result;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

Expected<RuntimeValue> BodyInterpreter::evaluate(Operation *inner) {
  for (Value operand : inner->getOperands())
    if (!values.contains(operand))
      return createStringError("an absent optional tensor is used by " +
                               inner->getName().getStringRef() +
                               ", and the call does not say what its dims are");
  return TypeSwitch<Operation *, Expected<RuntimeValue>>(inner)
      .Case([&](ConstantOp o) { return constant(o); })
      .Case([&](AttributeOp o) { return attribute(o); })
      .Case([&](PresentOp o) {
        return scalar(o.getResult(), call.find(o.getName()) != nullptr);
      })
      .Case<NumelOp, RankOp>([&](auto o) -> Expected<RuntimeValue> {
        Expected<Extents> axes = axesOf(o.getName());
        if (!axes)
          return axes.takeError();
        return scalar(o.getResult(), isa<NumelOp>(inner) ? getNumElements(*axes)
                                                         : axes->size());
      })
      .Case([&](ExtentOp o) { return extent(o); })
      .Case([&](IotaOp o) { return iota(o); })
      .Case([&](ReduceOp o) {
        return reduce(o, get(o.getOperand()), o.getReduceKind());
      })
      .Case([&](ReduceOntoOp o) {
        return reduceOnto(o, get(o.getOperand()), o.getReduceKind());
      })
      .Case([&](GatherOp o) {
        return gather(o, get(o.getTable()), get(o.getOtherwise()));
      })
      .Case([&](OneHotOp o) { return oneHot(o); })
      .Case([&](ReducedOp o) { return reduced(o); })
      .Default([&](Operation *o) { return elementwise(o); });
}

static void roundToFloat32(RuntimeValue &value, bool flushSubnormals) {
  if (value.kind != Kind::Real)
    return;
  for (Element &element : value.elements) {
    element.real = roundTo(DType::Float32, element.real);
    if (flushSubnormals && std::fabs(element.real) < 0x1p-126)
      element.real = std::copysign(0.0, element.real);
  }
}

/// Makes an op on data see uniform operands as a kernel gets them.
void BodyInterpreter::roundOperands(Operation *inner) {
  onData = options.inFloat32 && !isUniform(inner->getResult(0));
  if (!onData)
    return;
  for (Value operand : inner->getOperands()) {
    auto known = values.find(operand);
    if (known == values.end() || !isUniform(operand))
      continue;
    RuntimeValue rounded = known->second;
    roundToFloat32(rounded, options.flushSubnormals);
    metByData[operand] = std::move(rounded);
  }
}

Expected<bool> BodyInterpreter::runCondition(mlir::Block &condition) {
  for (Operation &inner : condition) {
    if (auto end = dyn_cast<HoldsOp>(inner))
      return get(end.getCondition()).elements[0].integer != 0;
    Expected<RuntimeValue> result = evaluate(&inner);
    if (!result)
      return result.takeError();
    values[inner.getResult(0)] = std::move(*result);
  }
  return createStringError("the condition does not end");
}

Expected<std::vector<OutputTensor>> BodyInterpreter::run(mlir::Region &body) {
  for (ParamAttr param : op.getInputs())
    if (param.getRole() == Role::In && !call.find(param.getName()))
      return createStringError("the call gives no tensor for '" +
                               param.getName().getValue() + "'");
  for (auto [param, argument] : zip_equal(op.getInputs(), body.getArguments()))
    if (Error error = load(param, argument))
      return error;
  std::vector<OutputTensor> outputs;
  for (Operation &inner : body.front()) {
    if (auto yield = dyn_cast<YieldOp>(inner)) {
      onData = false;
      for (auto [param, value] :
           zip_equal(op.getOutputs(), yield.getValues())) {
        Expected<OutputTensor> output = store(param, value);
        if (!output)
          return output.takeError();
        outputs.push_back(std::move(*output));
      }
      return outputs;
    }
    roundOperands(&inner);
    Expected<RuntimeValue> result = evaluate(&inner);
    if (!result)
      return result.takeError();
    if (onData)
      roundToFloat32(*result, options.flushSubnormals);
    if (options.onResult)
      options.onResult(inner.getResult(0), *result);
    if (options.trackTerms)
      if (Error error = trackTerms(&inner, *result))
        return error;
    values[inner.getResult(0)] = std::move(*result);
    // Free what no later op needs: bodies are short, tensors are not.
    for (Value operand : inner.getOperands())
      if (all_of(operand.getUsers(), [&](Operation *user) {
            return user == &inner || user->isBeforeInBlock(&inner);
          })) {
        values.erase(operand);
        terms.erase(operand);
      }
  }
  return createStringError("the body does not yield");
}

Expected<std::vector<OutputTensor>>
lossgrad::interpret(OperatorOp op, const Call &call,
                    InterpreterOptions options) {
  return BodyInterpreter(op, call, options).run(op.getBody());
}

Expected<std::vector<OutputTensor>>
lossgrad::interpret(VariantOp variant, const Call &call,
                    InterpreterOptions options) {
  return BodyInterpreter(variant, call, options).run(variant.getBody());
}

Expected<bool> lossgrad::holds(VariantOp variant, const Call &call) {
  return BodyInterpreter(variant.getOperator(), call, {})
      .runCondition(variant.getCondition().front());
}
