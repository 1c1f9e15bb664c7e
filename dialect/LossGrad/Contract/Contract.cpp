//===- Contract.cpp - Evaluating the contract of an operator --------------===//
//
// Conditions are evaluated on demand and from left to right: a check that does
// not apply, and the second operand of an `and` whose first is false, may ask
// for things that the call does not have.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Contract/Contract.h"

#include "dialect/LossGrad/Contract/DTypeRules.h"
#include "dialect/LossGrad/Interpreter/DimBinding.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// A value in a contract. Which member counts follows from the kind of the
/// value's type; an undefined dtype or shape has none.
struct Answer {
  Element element{};
  std::string text;
  DType dtype = DType::Undefined;
  std::optional<Extents> shape;

  static Answer ofBool(bool value) { return ofInt(value); }
  static Answer ofInt(int64_t value) {
    Answer answer;
    answer.element.integer = value;
    return answer;
  }
};

Kind getKind(Value value) {
  return llvm::cast<ValueType>(value.getType()).getKind();
}

class Evaluator {
public:
  Evaluator(OperatorOp op, const Call &call)
      : op(op), call(call), dims(op, call) {}

  FailureOr<ContractOutcome> run();
  FailureOr<bool> holds(Value condition);

private:
  FailureOr<Answer> evaluate(Value value);
  FailureOr<Answer> compute(Operation *op);
  FailureOr<Answer> computeElementwise(Operation *op);
  FailureOr<Answer> computeCompare(CompareOp op);
  FailureOr<Answer> computeAttribute(AttributeOp op);
  FailureOr<Answer> computeExtent(ExtentOp op);
  FailureOr<Answer> computeShape(ShapeOfOp op);
  FailureOr<Answer> computeSameOrApart(SameOrApartOp op);

  /// The shape of the tensor or dim that an op asks about.
  FailureOr<Extents> shapeOf(Operation *asking, StringRef name);
  /// A tensor that must not be null.
  FailureOr<const Tensor *> tensorOf(Operation *asking, StringRef name);

  /// The condition as text, with the values of the call where it asks for them.
  std::string render(Value value);
  std::string renderQuestion(Value value);
  std::string renderAnswer(const Answer &answer, Kind kind);
  FailureOr<std::string> fillMessage(CheckOp check);

  OperatorOp op;
  const Call &call;
  DimBinding dims;
  llvm::DenseMap<Value, Answer> answers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

FailureOr<ContractOutcome> Evaluator::run() {
  ContractOutcome outcome;
  for (Operation &statement : op.getContract().front()) {
    Value when, condition;
    if (auto check = dyn_cast<CheckOp>(statement)) {
      when = check.getWhen();
      condition = check.getCondition();
    } else if (auto done = dyn_cast<DoneIfOp>(statement)) {
      when = done.getWhen();
      condition = done.getCondition();
    } else {
      continue;
    }
    ++outcome.position;
    if (when) {
      FailureOr<bool> applies = holds(when);
      if (failed(applies))
        return failure();
      if (!*applies)
        continue;
    }
    FailureOr<bool> held = holds(condition);
    if (failed(held))
      return failure();
    auto check = dyn_cast<CheckOp>(statement);
    if (check ? *held : !*held)
      continue;
    outcome.endedBy = &statement;
    outcome.predicate = render(condition);
    outcome.nothingToDo = !check;
    if (check) {
      outcome.status = check.getStatus();
      FailureOr<std::string> message = fillMessage(check);
      if (failed(message))
        return failure();
      outcome.message = *message;
    }
    return outcome;
  }
  outcome.position = 0;
  return outcome;
}

FailureOr<std::string> Evaluator::fillMessage(CheckOp check) {
  std::string message = check.getMessage().str();
  for (auto [index, value] : llvm::enumerate(check.getValues())) {
    FailureOr<Answer> answer = evaluate(value);
    if (failed(answer))
      return failure();
    std::string placeholder = llvm::formatv("{{{0}}", index);
    size_t at = message.find(placeholder);
    if (at != std::string::npos)
      message.replace(at, placeholder.size(),
                      renderAnswer(*answer, getKind(value)));
  }
  return message;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<Answer> Evaluator::evaluate(Value value) {
  auto known = answers.find(value);
  if (known != answers.end())
    return known->second;
  if (isa<BlockArgument>(value))
    return op.emitError("a condition asks for the contents of a tensor");
  FailureOr<Answer> answer = compute(value.getDefiningOp());
  if (succeeded(answer))
    answers[value] = *answer;
  return answer;
}

FailureOr<bool> Evaluator::holds(Value condition) {
  FailureOr<Answer> answer = evaluate(condition);
  if (failed(answer))
    return failure();
  return answer->element.integer != 0;
}

FailureOr<Extents> Evaluator::shapeOf(Operation *asking, StringRef name) {
  if (op.findDim(name)) {
    auto extents = dims.get(name);
    if (!extents)
      return asking->emitError("in this contract: ")
             << llvm::toString(extents.takeError());
    return Extents(extents->begin(), extents->end());
  }
  FailureOr<const Tensor *> tensor = tensorOf(asking, name);
  if (failed(tensor))
    return failure();
  return (*tensor)->shape;
}

FailureOr<const Tensor *> Evaluator::tensorOf(Operation *asking,
                                              StringRef name) {
  if (const Tensor *tensor = call.find(name))
    return tensor;
  return asking->emitError("the contract asks about '")
         << name << "', which is null in this call; a check of 'present "
         << name << "' must come first";
}

FailureOr<Answer> Evaluator::compute(Operation *op) {
  using Result = FailureOr<Answer>;
  auto query = [&](auto asking, auto answer) -> Result {
    auto tensor = tensorOf(asking, asking.getName());
    if (failed(tensor))
      return failure();
    return answer(**tensor);
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](ConstantOp constant) -> Result {
        Answer answer;
        if (auto text = dyn_cast<StringAttr>(constant.getValue()))
          answer.text = text.str();
        else if (auto dtype = dyn_cast<DTypeAttr>(constant.getValue()))
          answer.dtype = dtype.getValue();
        else if (auto element = toElement(constant.getValue()))
          answer.element = *element;
        return answer;
      })
      .Case([&](AttributeOp asking) { return computeAttribute(asking); })
      .Case([&](PresentOp asking) -> Result {
        if (asking.getName() == kWorkspaceSizeArg)
          return Answer::ofBool(call.hasWorkspaceSize);
        if (asking.getName() == kExecutorArg)
          return Answer::ofBool(call.hasExecutor);
        ParamAttr param = this->op.findParam(asking.getName());
        if (param && !param.isTensor())
          return Answer::ofBool(call.attributes.contains(asking.getName()));
        return Answer::ofBool(call.find(asking.getName()) != nullptr);
      })
      .Case<NumelOp, RankOp>([&](auto asking) -> Result {
        FailureOr<Extents> shape = shapeOf(asking, asking.getName());
        if (failed(shape))
          return failure();
        return Answer::ofInt(isa<RankOp>(asking)
                                 ? static_cast<int64_t>(shape->size())
                                 : getNumElements(*shape));
      })
      .Case([&](ExtentOp asking) { return computeExtent(asking); })
      .Case([&](DTypeOfOp asking) -> Result {
        return query(asking, [](const Tensor &tensor) {
          Answer answer;
          answer.dtype = tensor.dtype;
          return answer;
        });
      })
      .Case([&](FormatOp asking) -> Result {
        return query(asking, [](const Tensor &tensor) {
          Answer answer;
          answer.text = tensor.format;
          return answer;
        });
      })
      .Case([&](ContiguousOp asking) -> Result {
        return query(asking, [](const Tensor &tensor) {
          return Answer::ofBool(tensor.isContiguous());
        });
      })
      .Case([&](ShapeOfOp asking) { return computeShape(asking); })
      .Case([&](SameOrApartOp asking) { return computeSameOrApart(asking); })
      .Case([&](ProductInOp asking) -> Result {
        return Answer::ofBool(
            llvm::any_of(asking.getProducts().getAsRange<StringAttr>(),
                         [&](StringAttr p) { return p == call.product; }));
      })
      .Case([&](CompareOp compare) { return computeCompare(compare); })
      .Default([&](Operation *other) { return computeElementwise(other); });
}

FailureOr<Answer> Evaluator::computeAttribute(AttributeOp asking) {
  auto value = call.getAttribute(op.findParam(asking.getName()));
  if (!value)
    return asking.emitError() << llvm::toString(value.takeError());
  Answer answer;
  if (auto *text = std::get_if<std::string>(&*value))
    answer.text = *text;
  else if (auto *real = std::get_if<double>(&*value))
    answer.element.real = *real;
  else if (auto *integer = std::get_if<int64_t>(&*value))
    answer.element.integer = *integer;
  else
    answer.element.integer = std::get<bool>(*value);
  return answer;
}

FailureOr<Answer> Evaluator::computeExtent(ExtentOp asking) {
  FailureOr<Extents> shape = shapeOf(asking, asking.getName());
  if (failed(shape))
    return failure();
  int64_t rank = shape->size();
  int64_t axis = asking.getAxis() ? static_cast<int64_t>(*asking.getAxis()) : 0;
  if (axis < 0)
    axis += rank;
  return Answer::ofInt(axis < 0 || axis >= rank ? 1 : (*shape)[axis]);
}

FailureOr<Answer> Evaluator::computeShape(ShapeOfOp asking) {
  Answer answer;
  if (asking.getName()) {
    FailureOr<Extents> shape = shapeOf(asking, *asking.getName());
    if (failed(shape))
      return failure();
    answer.shape = *shape;
    return answer;
  }
  SmallVector<StringAttr> names(asking.getDims()->getAsRange<StringAttr>());
  if (auto shape = dims.getShape(names))
    answer.shape = *shape;
  else
    llvm::consumeError(shape.takeError());
  return answer;
}

FailureOr<Answer> Evaluator::computeSameOrApart(SameOrApartOp asking) {
  FailureOr<const Tensor *> tensor = tensorOf(asking, asking.getName()),
                            other = tensorOf(asking, asking.getOther());
  if (failed(tensor) || failed(other))
    return failure();
  auto getMemory = [](const Tensor &of, StringRef name) {
    return of.over.empty() ? name : StringRef(of.over);
  };
  bool shared = getMemory(**tensor, asking.getName()) ==
                getMemory(**other, asking.getOther());
  return Answer::ofBool(!shared || areSameOrApart(**tensor, **other));
}

FailureOr<Answer> Evaluator::computeCompare(CompareOp compare) {
  Kind kind = getKind(compare.getLhs());
  if (isDataKind(kind))
    return computeElementwise(compare);
  FailureOr<Answer> lhs = evaluate(compare.getLhs());
  FailureOr<Answer> rhs = succeeded(lhs) ? evaluate(compare.getRhs())
                                         : FailureOr<Answer>(failure());
  if (failed(rhs))
    return failure();
  bool equal = kind == Kind::String ? lhs->text == rhs->text
               : kind == Kind::DType
                   ? lhs->dtype == rhs->dtype && lhs->dtype != DType::Undefined
                   : lhs->shape && rhs->shape && *lhs->shape == *rhs->shape;
  return Answer::ofBool(equal == (compare.getPredicate() == Predicate::eq));
}

FailureOr<Answer> Evaluator::computeElementwise(Operation *op) {
  // Conditions that decide what is asked for next.
  if (isa<AndOp, OrOp>(op)) {
    FailureOr<bool> first = holds(op->getOperand(0));
    if (failed(first))
      return failure();
    if (*first == isa<OrOp>(op))
      return Answer::ofBool(*first);
    return evaluate(op->getOperand(1));
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    FailureOr<bool> condition = holds(select.getCondition());
    if (failed(condition))
      return failure();
    return evaluate(*condition ? select.getTrueValue()
                               : select.getFalseValue());
  }

  SmallVector<Answer> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Answer> answer = evaluate(operand);
    if (failed(answer))
      return failure();
    operands.push_back(*answer);
  }
  Answer answer;
  if (auto in = dyn_cast<DTypeInOp>(op))
    return Answer::ofBool(
        llvm::any_of(in.getDtypes().getAsRange<DTypeAttr>(), [&](DTypeAttr d) {
          return d.getValue() == operands[0].dtype;
        }));
  if (auto declared = dyn_cast<DTypeDeclaredOp>(op))
    return Answer::ofBool(llvm::is_contained(
        this->op.findParam(declared.getName()).getDTypesOn(call.product),
        operands[0].dtype));
  if (isa<DTypePromoteOp>(op)) {
    answer.dtype = promoteDTypes(operands[0].dtype, operands[1].dtype);
    return answer;
  }
  if (isa<DTypeCastableOp>(op))
    return Answer::ofBool(isCastable(operands[0].dtype, operands[1].dtype));
  if (isa<ShapeBroadcastOp>(op)) {
    if (operands[0].shape && operands[1].shape)
      answer.shape = broadcastShapes(*operands[0].shape, *operands[1].shape);
    return answer;
  }
  if (auto defined = dyn_cast<DefinedOp>(op))
    return Answer::ofBool(getKind(defined.getOperand()) == Kind::DType
                              ? operands[0].dtype != DType::Undefined
                              : operands[0].shape.has_value());
  ElementFunction function = getElementFunction(op);
  if (!function)
    return op->emitError("cannot be evaluated in a contract");
  SmallVector<Element> elements;
  for (const Answer &operand : operands)
    elements.push_back(operand.element);
  answer.element = function(elements.data());
  return answer;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Evaluator::renderAnswer(const Answer &answer, Kind kind) {
  switch (kind) {
  case Kind::Real: {
    // As the emitted C code prints it.
    char digits[32];
    snprintf(digits, sizeof digits, "%g", answer.element.real);
    return digits;
  }
  case Kind::Int:
    return std::to_string(answer.element.integer);
  case Kind::Bool:
    return answer.element.integer ? "true" : "false";
  case Kind::String:
    return '"' + answer.text + '"';
  case Kind::DType:
    return stringifyDType(answer.dtype).str();
  case Kind::Shape:
    return answer.shape ? toString(*answer.shape) : "undefined";
  }
  llvm_unreachable("every kind has a text");
}

std::string Evaluator::render(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ConstantOp>(op))
    return renderAnswer(*compute(op), getKind(value));
  auto infix = [&](StringRef symbol) {
    return llvm::formatv("({0} {1} {2})", render(op->getOperand(0)), symbol,
                         render(op->getOperand(1)))
        .str();
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](AndOp) { return infix("and"); })
      .Case([&](OrOp) { return infix("or"); })
      .Case([&](NotOp no) { return "not " + render(no.getOperand()); })
      .Case([&](CompareOp compare) {
        static constexpr StringLiteral symbols[] = {"==", "!=", "<",
                                                    "<=", ">",  ">="};
        return infix(symbols[static_cast<size_t>(compare.getPredicate())]);
      })
      .Default([&](Operation *) { return renderQuestion(value); });
}

/// A question or function with its answer: `rank self = 9`,
/// `shape_broadcast(shape a = [2], shape b = [3]) = undefined`.
std::string Evaluator::renderQuestion(Value value) {
  Operation *op = value.getDefiningOp();
  std::string text = op->getName().stripDialect().str();
  if (auto name = op->getAttrOfType<StringAttr>("name"))
    text += " " + name.str();
  if (auto pair = dyn_cast<SameOrApartOp>(op))
    text += ", " + pair.getOther().str();
  if (op->getNumOperands()) {
    // A list, not a range that renders when it is asked: join asks twice, and
    // the time would double with each level.
    SmallVector<std::string> operands;
    for (Value operand : op->getOperands())
      operands.push_back(render(operand));
    text += "(" + llvm::join(operands, ", ") + ")";
  }
  // What evaluation passed over has no answer to show.
  auto known = answers.find(value);
  if (known != answers.end())
    text += " = " + renderAnswer(known->second, getKind(value));
  return text;
}

FailureOr<ContractOutcome> lossgrad::evaluateContract(OperatorOp op,
                                                      const Call &call) {
  return Evaluator(op, call).run();
}

FailureOr<bool> lossgrad::evaluateCondition(OperatorOp op, const Call &call,
                                            Value condition) {
  return Evaluator(op, call).holds(condition);
}
