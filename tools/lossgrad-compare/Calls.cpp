//===- Calls.cpp - Calls with extreme values ------------------------------===//

#include "Calls.h"
#include "CaseMaker.h"
#include "dialect/LossGrad/Contract/Contract.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace llvm;
using namespace lossgrad;

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Normal float32: what a subnormal becomes is not promised.
static constexpr double kData[] = {
    0,     -0.0,  1,    -1,      0.5,    2,      -3,    1e-5, 1e5,
    1e-30, -1e30, 1e30, 1.2e-38, 3.3e38, -1e38,  1e-19, 2e19, 16777216,
    0.25,  100,   kInf, kNaN,    -kInf,  -1e-30, 7e-20, 1e10, -0.125};
static constexpr double kFloats[] = {
    0,    1,       -1,     0.5, 2,    -2,   1e-30,    1e30,
    1e-5, 1.2e-38, 3.3e38, 1e5, kInf, kNaN, 16777216, -1e-30};
static constexpr double kDoubles[] = {
    0,     1,     -1,     0.5,    2,        1e-30, 1e30, 1e60, 1e80, 1e-60,
    1e-90, 1e200, 1e-300, 5e-324, 16777217, kInf,  kNaN, 0.1,  1e-20};
static constexpr int64_t kInts[] = {0,    1, 2,        3,       -1,
                                    -100, 7, 16777217, 33554433};

/// Mostly extreme, sometimes ordinary.
static double drawReal(ArrayRef<double> extremes, Random &random) {
  return random.oneIn(3) ? random.uniform(-2, 2) : random.pick(extremes);
}

static AttributeValue drawAttribute(ParamAttr param, Random &random) {
  ArrayRef<mlir::StringAttr> choices = param.getChoices();
  switch (param.getKind()) {
  case Kind::Bool:
    return random.oneIn(2);
  case Kind::String:
    return choices.empty() ? std::string() : random.pick(choices).str();
  case Kind::Int:
    if (!choices.empty())
      return static_cast<int64_t>(random.below(choices.size()));
    return random.pick(ArrayRef(kInts));
  default: {
    bool isFloat = param.getCType().getValue() == "float";
    double value =
        drawReal(isFloat ? ArrayRef(kFloats) : ArrayRef(kDoubles), random);
    return isFloat ? roundTo(DType::Float32, value) : value;
  }
  }
}

static std::string toText(const AttributeValue &value) {
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  if (const auto *real = std::get_if<double>(&value))
    return formatv("{0:e}", *real);
  if (const auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  return std::get<bool>(value) ? "true" : "false";
}

/// Operands of a broadcast: of one shape, of part of its axes, or of one
/// element.
static void drawBroadcast(OperatorOp op, Random &random,
                          run::CaseWords &words) {
  static constexpr StringLiteral shapes[] = {"24", "1", "2,12", "24"};
  StringRef common = random.pick(ArrayRef(shapes));
  words.shapes.push_back(common.str());
  for (ParamAttr param : op.getInputs()) {
    bool isSmall = random.oneIn(5);
    static constexpr StringLiteral parts[] = {"1", "12", "2,1"};
    StringRef small = common == "2,12" ? random.pick(ArrayRef(parts)) : "1";
    if (param.getRole() == Role::Optional || isSmall)
      words.shapes.push_back(
          (param.getName().getValue() + "=" + (isSmall ? small : common))
              .str());
  }
}

/// The input with the most dims; the shapes of the others follow from it.
static void drawLargest(OperatorOp op, Random &random, run::CaseWords &words) {
  ParamAttr largest;
  for (ParamAttr param : op.getInputs())
    if (!largest ||
        param.getShape().getDims().size() > largest.getShape().getDims().size())
      largest = param;
  if (!largest)
    return;
  bool hasPack = false;
  for (mlir::StringAttr dim : largest.getShape().getDims())
    hasPack |= op.findDim(dim).isPack();
  size_t rank = largest.getShape().getDims().size();
  rank = hasPack ? 1 + random.below(3) : rank;
  std::string shape;
  for (size_t i = 0; i != rank; ++i)
    shape += (i ? "," : "") + std::to_string(1 + random.below(5));
  words.shapes.push_back(largest.getName().str() + "=" + shape);
}

static std::optional<Call> drawShapes(OperatorOp op, StringRef product,
                                      Random &random) {
  run::CaseWords words;
  words.dtypes = {"float32"};
  bool broadcasts = any_of(op.getDims().getAsRange<DimAttr>(), [](DimAttr dim) {
    return dim.getKind() == DimKind::Broadcast;
  });
  if (broadcasts)
    drawBroadcast(op, random, words);
  else
    drawLargest(op, random, words);
  for (ParamAttr param : op.getInputs())
    if (param.getRole() == Role::Optional && random.oneIn(2))
      words.nulls.push_back(param.getName().str());
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (!param.isTensor() && !param.getDefaultValue())
      words.attributes.push_back(param.getName().str() + "=0");
  Expected<json::Object> made = run::makeCase(op, product, words);
  if (!made) {
    consumeError(made.takeError());
    return std::nullopt;
  }
  Expected<Call> call = parseCall(*made);
  if (!call) {
    consumeError(call.takeError());
    return std::nullopt;
  }
  call->product = product.str();
  return std::move(*call);
}

std::optional<DrawnCall> lossgrad::drawCall(OperatorOp op, StringRef product,
                                            Random &random) {
  std::optional<Call> call = drawShapes(op, product, random);
  if (!call)
    return std::nullopt;
  DrawnCall drawn{std::move(*call), ""};
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (!param.isTensor()) {
      AttributeValue value = drawAttribute(param, random);
      drawn.text +=
          (param.getName().getValue() + "=").str() + toText(value) + " ";
      drawn.call.attributes[param.getName()] = std::move(value);
      continue;
    }
    auto tensor = drawn.call.tensors.find(param.getName());
    if (!param.isInput() || tensor == drawn.call.tensors.end() ||
        tensor->second.isNull)
      continue;
    drawn.text += param.getName().str() + toString(tensor->second.shape) + " ";
    if (getKindOf(tensor->second.dtype) == Kind::Real)
      for (Element &element : tensor->second.elements)
        element.real = roundTo(tensor->second.dtype, drawReal(kData, random));
  }
  mlir::ScopedDiagnosticHandler quiet(
      op.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::FailureOr<ContractOutcome> outcome = evaluateContract(op, drawn.call);
  if (mlir::failed(outcome) || outcome->status || outcome->nothingToDo)
    return std::nullopt;
  return drawn;
}
