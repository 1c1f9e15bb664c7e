//===- Semantics.cpp - What elementwise ops compute -----------------------===//
//
// See Semantics.h. Comparisons with NaN are false but `ne`; min, max, clamp,
// abs and sign keep NaN; ints wrap around.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Semantics.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace lossgrad;

std::optional<Kind> lossgrad::getKindOf(DType dtype) {
  switch (dtype) {
  case DType::Float32:
  case DType::Float16:
  case DType::BFloat16:
  case DType::Float64:
    return Kind::Real;
  case DType::Bool:
    return Kind::Bool;
  case DType::Int8:
  case DType::Int16:
  case DType::Int32:
  case DType::Int64:
  case DType::UInt8:
  case DType::UInt16:
  case DType::UInt32:
  case DType::UInt64:
    return Kind::Int;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Helpers that make an element function of a lambda over plain numbers
//===----------------------------------------------------------------------===//

static Element element(double real) {
  Element e;
  e.real = real;
  return e;
}
static Element element(int64_t integer) {
  Element e;
  e.integer = integer;
  return e;
}
static Element element(bool flag) { return element(int64_t(flag)); }

/// Signed arithmetic that wraps around is undefined in C++; go through
/// unsigned.
template <typename Fn> static int64_t wrap(Fn fn, int64_t a, int64_t b) {
  return static_cast<int64_t>(
      fn(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

static double minKeepNan(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}
static double maxKeepNan(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}

/// Toward zero, saturating, NaN gives 0.
static int64_t toInt(double value) {
  constexpr double limit = 9223372036854775808.0; // 2^63
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return std::numeric_limits<int64_t>::max();
  if (value < -limit)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

/// The neighbours of a real among the float32; the nearest one is one of them.
static double float32AtLeast(double value) {
  auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, HUGE_VALF) : nearest;
}
static double float32AtMost(double value) { return -float32AtLeast(-value); }
static double float32Exactly(double value) {
  return static_cast<float>(value) == value
             ? value
             : std::numeric_limits<double>::quiet_NaN();
}

// Two variants of an op: for real and for int operands.
#define REAL(EXPR)                                                             \
  [](const Element *o) -> Element {                                            \
    [[maybe_unused]] double a = o[0].real;                                     \
    return element(EXPR);                                                      \
  }
#define REAL2(EXPR)                                                            \
  [](const Element *o) -> Element {                                            \
    double a = o[0].real, b = o[1].real;                                       \
    return element(EXPR);                                                      \
  }
#define INT(EXPR)                                                              \
  [](const Element *o) -> Element {                                            \
    int64_t a = o[0].integer;                                                  \
    return element(EXPR);                                                      \
  }
#define INT2(EXPR)                                                             \
  [](const Element *o) -> Element {                                            \
    int64_t a = o[0].integer, b = o[1].integer;                                \
    return element(EXPR);                                                      \
  }

//===----------------------------------------------------------------------===//
// Comparison, clamp, select, cast
//===----------------------------------------------------------------------===//

static ElementFunction compareFunction(Predicate predicate, Kind kind) {
  bool real = kind == Kind::Real;
  switch (predicate) {
  case Predicate::eq:
    return real ? ElementFunction(REAL2(a == b)) : INT2(a == b);
  case Predicate::ne:
    return real ? ElementFunction(REAL2(a != b)) : INT2(a != b);
  case Predicate::lt:
    return real ? ElementFunction(REAL2(a < b)) : INT2(a < b);
  case Predicate::le:
    return real ? ElementFunction(REAL2(a <= b)) : INT2(a <= b);
  case Predicate::gt:
    return real ? ElementFunction(REAL2(a > b)) : INT2(a > b);
  case Predicate::ge:
    return real ? ElementFunction(REAL2(a >= b)) : INT2(a >= b);
  }
  return nullptr;
}

/// Also of -inf: the sign below 0 is a power of -1. Of 1, it is the exponential
/// of 0 times the exponent.
static double power(double base, double exponent) {
  bool isWhole = exponent == std::trunc(exponent);
  bool isOfOne = base == 1 && !std::isfinite(exponent);
  return (base < 0 && !isWhole) || isOfOne
             ? std::numeric_limits<double>::quiet_NaN()
             : std::pow(base, exponent);
}

static Element clampReal(const Element *o) {
  return element(minKeepNan(maxKeepNan(o[0].real, o[1].real), o[2].real));
}
static Element clampInt(const Element *o) {
  return element(std::min(std::max(o[0].integer, o[1].integer), o[2].integer));
}
static Element selectElement(const Element *o) {
  return o[0].integer ? o[1] : o[2];
}

static ElementFunction castFunction(Kind from, Kind to) {
  if (from == Kind::Real)
    return to == Kind::Real
               ? ElementFunction([](const Element *o) { return *o; })
           : to == Kind::Int ? ElementFunction(REAL(toInt(a)))
                             : REAL(!(a == 0));
  if (to == Kind::Real)
    return INT(static_cast<double>(a));
  return to == Kind::Bool ? ElementFunction(INT(a != 0)) : INT(a);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static ElementFunction intFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, ElementFunction>(op)
      .Case([](AddOp) { return INT2(wrap(std::plus<>(), a, b)); })
      .Case([](SubOp) { return INT2(wrap(std::minus<>(), a, b)); })
      .Case([](MulOp) { return INT2(wrap(std::multiplies<>(), a, b)); })
      .Case([](MinOp) { return INT2(std::min(a, b)); })
      .Case([](MaxOp) { return INT2(std::max(a, b)); })
      .Case([](NegOp) { return INT(wrap(std::minus<>(), 0, a)); })
      .Case([](AbsOp) { return INT(a < 0 ? wrap(std::minus<>(), 0, a) : a); })
      .Case([](SignOp) { return INT(int64_t((a > 0) - (a < 0))); })
      .Case([](AndOp) { return INT2(a && b); })
      .Case([](OrOp) { return INT2(a || b); })
      .Case([](NotOp) { return INT(!a); })
      .Case([](ClampOp) { return clampInt; })
      .Default([](Operation *) { return nullptr; });
}

static ElementFunction realFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, ElementFunction>(op)
      .Case([](AddOp) { return REAL2(a + b); })
      .Case([](SubOp) { return REAL2(a - b); })
      .Case([](MulOp) { return REAL2(a * b); })
      .Case([](DivOp) { return REAL2(a / b); })
      .Case([](PowOp) { return REAL2(power(a, b)); })
      .Case([](MinOp) { return REAL2(minKeepNan(a, b)); })
      .Case([](MaxOp) { return REAL2(maxKeepNan(a, b)); })
      .Case([](NegOp) { return REAL(-a); })
      .Case([](AbsOp) { return REAL(std::fabs(a)); })
      .Case([](SignOp) {
        return REAL(a > 0 ? 1.0 : a < 0 ? -1.0 : a);
      })
      .Case([](ExpOp) { return REAL(std::exp(a)); })
      .Case([](LogOp) { return REAL(std::log(a)); })
      .Case([](SqrtOp) { return REAL(std::sqrt(a)); })
      .Case([](SinOp) { return REAL(std::sin(a)); })
      .Case([](CosOp) { return REAL(std::cos(a)); })
      .Case([](Float32AtLeastOp) { return REAL(float32AtLeast(a)); })
      .Case([](Float32AtMostOp) { return REAL(float32AtMost(a)); })
      .Case([](Float32ExactlyOp) { return REAL(float32Exactly(a)); })
      .Case([](ClampOp) { return clampReal; })
      .Default([](Operation *) { return nullptr; });
}

static Kind kindOf(Value value) {
  return llvm::cast<ValueType>(value.getType()).getKind();
}

ElementFunction lossgrad::getElementFunction(Operation *op) {
  if (!op->hasTrait<Elementwise>())
    return nullptr;
  if (auto inner = dyn_cast<SelectOp>(op))
    return isDataKind(kindOf(inner.getResult())) ? selectElement : nullptr;
  Kind kind = kindOf(op->getOperand(0));
  if (!isDataKind(kind))
    return nullptr;
  if (auto inner = dyn_cast<CompareOp>(op))
    return compareFunction(inner.getPredicate(), kind);
  if (auto inner = dyn_cast<CastOp>(op))
    return castFunction(kind, kindOf(inner.getResult()));
  return kind == Kind::Real ? realFunction(op) : intFunction(op);
}

Element lossgrad::getReductionStart(ReduceKind reduceKind, Kind kind) {
  using Real = std::numeric_limits<double>;
  using Int = std::numeric_limits<int64_t>;
  bool real = kind == Kind::Real;
  switch (reduceKind) {
  case ReduceKind::sum:
    return real ? element(0.0) : element(int64_t(0));
  case ReduceKind::max:
    return real ? element(-Real::infinity()) : element(Int::min());
  case ReduceKind::min:
    return real ? element(Real::infinity()) : element(Int::max());
  }
  return element(0.0);
}

ElementFunction lossgrad::getReductionStep(ReduceKind reduceKind, Kind kind) {
  bool real = kind == Kind::Real;
  switch (reduceKind) {
  case ReduceKind::sum:
    return real ? ElementFunction(REAL2(a + b))
                : INT2(wrap(std::plus<>(), a, b));
  case ReduceKind::max:
    return real ? ElementFunction(REAL2(maxKeepNan(a, b)))
                : INT2(std::max(a, b));
  case ReduceKind::min:
    return real ? ElementFunction(REAL2(minKeepNan(a, b)))
                : INT2(std::min(a, b));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

std::optional<Element> lossgrad::toElement(Attribute literal) {
  if (auto flag = dyn_cast<BoolAttr>(literal))
    return element(flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(literal))
    return element(integer.getInt());
  if (auto real = dyn_cast<FloatAttr>(literal))
    return element(real.getValueAsDouble());
  return std::nullopt;
}

Attribute lossgrad::toLiteral(MLIRContext *context, Element value, Kind kind) {
  Builder builder(context);
  switch (kind) {
  case Kind::Real:
    return builder.getF64FloatAttr(value.real);
  case Kind::Int:
    return builder.getI64IntegerAttr(value.integer);
  case Kind::Bool:
    return builder.getBoolAttr(value.integer);
  default:
    return {};
  }
}
