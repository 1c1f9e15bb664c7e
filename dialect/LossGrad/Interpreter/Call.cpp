//===- Call.cpp - One call of an operator ---------------------------------===//

#include "dialect/LossGrad/Interpreter/Call.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace llvm;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t lossgrad::getNumElements(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  if (llvm::is_contained(extents, 0))
    return 0;
  for (int64_t extent : extents)
    if (MulOverflow(count, extent, count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

std::optional<Extents> lossgrad::broadcastShapes(ArrayRef<int64_t> lhs,
                                                 ArrayRef<int64_t> rhs) {
  Extents result(std::max(lhs.size(), rhs.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t l = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t r = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    if (l != r && l != 1 && r != 1)
      return std::nullopt;
    result[result.size() - 1 - i] = l == 1 ? r : l;
  }
  return result;
}

std::string lossgrad::toString(ArrayRef<int64_t> extents) {
  std::string text;
  raw_string_ostream os(text);
  os << '[';
  interleaveComma(extents, os);
  os << ']';
  return text;
}

bool Tensor::isContiguous() const {
  if (strides.empty() || getNumElements(shape) == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    // The stride of an axis of one element is never used.
    if (shape[i] != 1 && (i >= strides.size() || strides[i] != expected))
      return false;
    expected *= shape[i];
  }
  return true;
}

unsigned lossgrad::getElementBytes(DType dtype) {
  switch (dtype) {
  case DType::Int8:
  case DType::UInt8:
  case DType::Bool:
    return 1;
  case DType::Float16:
  case DType::BFloat16:
  case DType::Int16:
  case DType::UInt16:
    return 2;
  case DType::Float32:
  case DType::Int32:
  case DType::UInt32:
    return 4;
  case DType::Float64:
  case DType::Int64:
  case DType::UInt64:
  case DType::Complex64:
    return 8;
  case DType::Complex128:
    return 16;
  case DType::String:
  case DType::Undefined:
    return 0;
  }
  return 0;
}

/// The stride of an axis, also of a dense tensor.
static int64_t getStride(const Tensor &tensor, size_t axis) {
  if (!tensor.strides.empty())
    return axis < tensor.strides.size() ? tensor.strides[axis] : 0;
  return getNumElements(ArrayRef(tensor.shape).drop_front(axis + 1));
}

/// The bytes from the first to the last element.
static std::pair<int64_t, int64_t> getSpan(const Tensor &tensor) {
  int64_t first = tensor.offset, last = tensor.offset;
  for (auto [axis, extent] : enumerate(tensor.shape)) {
    int64_t stride = getStride(tensor, axis);
    (stride < 0 ? first : last) += (extent - 1) * stride;
  }
  int64_t size = getElementBytes(tensor.dtype);
  return {first * size, (last + 1) * size};
}

bool lossgrad::areSameOrApart(const Tensor &a, const Tensor &b) {
  if (getNumElements(a.shape) == 0 || getNumElements(b.shape) == 0)
    return true;
  auto [firstOfA, endOfA] = getSpan(a);
  auto [firstOfB, endOfB] = getSpan(b);
  if (endOfA <= firstOfB || endOfB <= firstOfA)
    return true;
  if (a.dtype != b.dtype || a.shape != b.shape || a.offset != b.offset)
    return false;
  for (size_t axis = 0; axis < a.shape.size(); ++axis)
    if (a.shape[axis] != 1 && getStride(a, axis) != getStride(b, axis))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

const Tensor *Call::find(StringRef name) const {
  auto it = tensors.find(name);
  return it == tensors.end() || it->second.isNull ? nullptr : &it->second;
}

static std::optional<AttributeValue> toValue(mlir::Attribute literal) {
  if (auto text = dyn_cast<mlir::StringAttr>(literal))
    return AttributeValue(text.getValue().str());
  if (auto flag = dyn_cast<mlir::BoolAttr>(literal))
    return AttributeValue(flag.getValue());
  if (auto integer = dyn_cast<mlir::IntegerAttr>(literal))
    return AttributeValue(integer.getInt());
  if (auto real = dyn_cast<mlir::FloatAttr>(literal))
    return AttributeValue(real.getValueAsDouble());
  return std::nullopt;
}

/// JSON and C convert freely between numbers; so do we where nothing is lost.
static std::optional<AttributeValue> convert(AttributeValue value, Kind kind) {
  if (auto *flag = std::get_if<bool>(&value); flag && kind != Kind::Bool)
    value = static_cast<int64_t>(*flag);
  auto *integer = std::get_if<int64_t>(&value);
  auto *real = std::get_if<double>(&value);
  switch (kind) {
  case Kind::Int:
    if (integer)
      return value;
    if (real && std::trunc(*real) == *real && std::fabs(*real) < 9e15)
      return AttributeValue(static_cast<int64_t>(*real));
    return std::nullopt;
  case Kind::Real:
    if (integer)
      return AttributeValue(static_cast<double>(*integer));
    return real ? std::optional(value) : std::nullopt;
  case Kind::Bool:
    if (integer && (*integer == 0 || *integer == 1))
      return AttributeValue(*integer == 1);
    return std::holds_alternative<bool>(value) ? std::optional(value)
                                               : std::nullopt;
  default:
    return std::holds_alternative<std::string>(value) ? std::optional(value)
                                                      : std::nullopt;
  }
}

Expected<AttributeValue> Call::getAttribute(ParamAttr param) const {
  StringRef name = param.getName();
  std::optional<AttributeValue> value;
  auto it = attributes.find(name);
  if (it != attributes.end())
    value = it->second;
  else if (param.getDefaultValue())
    value = toValue(param.getDefaultValue());
  if (!value)
    return createStringError("the call gives no value for the attribute '" +
                             name + "'");
  // An int with named values may be called by name.
  if (auto *text = std::get_if<std::string>(&*value);
      text && param.getKind() == Kind::Int)
    for (auto [i, choice] : llvm::enumerate(param.getChoices()))
      if (choice.getValue() == *text) {
        value = static_cast<int64_t>(i);
        break;
      }
  std::optional<AttributeValue> converted = convert(*value, param.getKind());
  if (!converted) {
    std::string expected = stringifyKind(param.getKind()).str();
    for (auto [i, choice] : llvm::enumerate(param.getChoices()))
      expected += ((i == 0 ? " or one of " : ", ") + choice.getValue()).str();
    auto *text = std::get_if<std::string>(&*value);
    return createStringError(
        "the attribute '" + name + "' is declared as " + expected +
        "; the call gives " +
        (text ? "\"" + *text + "\"" : std::string("a value of another kind")));
  }
  value = converted;
  // The C interface narrows before anything else sees the value.
  if (auto *real = std::get_if<double>(&*value);
      real && param.getCType() == "float")
    return AttributeValue(static_cast<double>(static_cast<float>(*real)));
  return *value;
}

Expected<bool> Call::holds(OperatorOp op, ShapeAttr shape) const {
  if (!shape.getConditionName())
    return true;
  ParamAttr attribute = op.findParam(shape.getConditionName());
  Expected<AttributeValue> actual = getAttribute(attribute);
  if (!actual)
    return actual.takeError();
  bool equal = *actual == *toValue(shape.getConditionValue());
  return equal != shape.getConditionNegated();
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// To a binary format with `fraction` stored bits, whose smallest normal
/// exponent is `minExponent`. The quotient by the unit in the last place is
/// exact, so that the value is rounded once.
static double roundToBinary(double value, int fraction, int minExponent) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  double unit = std::ldexp(1.0, exponent - fraction);
  double rounded = std::nearbyint(value / unit) * unit;
  // The exponents are symmetric: the largest is 1 - minExponent.
  return std::ilogb(rounded) > 1 - minExponent
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : rounded;
}

double lossgrad::roundTo(DType dtype, double value) {
  switch (dtype) {
  case DType::Float32:
    return static_cast<double>(static_cast<float>(value));
  case DType::Float16:
    return roundToBinary(value, /*fraction=*/10, /*minExponent=*/-14);
  case DType::BFloat16:
    return roundToBinary(value, /*fraction=*/7, /*minExponent=*/-126);
  default:
    return value;
  }
}

int64_t lossgrad::roundTo(DType dtype, int64_t value) {
  switch (dtype) {
  case DType::Int8:
    return static_cast<int8_t>(value);
  case DType::Int16:
    return static_cast<int16_t>(value);
  case DType::Int32:
    return static_cast<int32_t>(value);
  case DType::UInt8:
    return static_cast<uint8_t>(value);
  case DType::UInt16:
    return static_cast<uint16_t>(value);
  case DType::UInt32:
    return static_cast<uint32_t>(value);
  case DType::Bool:
    return value != 0;
  default:
    return value;
  }
}
