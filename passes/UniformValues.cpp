//===- UniformValues.cpp - What the host computes once --------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/UniformValues.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace lossgrad {

std::optional<double> getRealConstant(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      return real.getValueAsDouble();
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      if (integer.getType().isSignlessInteger(64))
        return static_cast<double>(integer.getInt());
  }
  return std::nullopt;
}

std::optional<bool> getBoolConstant(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto boolean = dyn_cast<BoolAttr>(constant.getValue()))
      return boolean.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Magnitudes
//===----------------------------------------------------------------------===//

namespace {
using Limits = std::numeric_limits<double>;
using Known = llvm::DenseMap<Value, Magnitude>;
} // namespace

/// Bounds that left the range of float64 on the way say so.
static Magnitude settle(Magnitude x) {
  if (x.low < Limits::denorm_min()) {
    x.zero = true;
    x.low = Limits::denorm_min();
  }
  if (x.high > Limits::max()) {
    x.infinite = true;
    x.high = Limits::max();
  }
  return x;
}

static Magnitude ofConstant(double value) {
  double size = std::fabs(value);
  bool number = size > 0 && size < Limits::infinity();
  Magnitude x;
  x.low = x.high = number ? size : 1;
  x.zero = size == 0;
  x.infinite = std::isinf(value);
  x.nan = std::isnan(value);
  x.negative = std::signbit(value);
  x.positive = !x.negative;
  return x;
}

/// A number between bounds that are positive.
static Magnitude between(double low, double high) {
  return {low, high, false, false, false, false, true};
}

Magnitude getProduct(const Magnitude &x, const Magnitude &y) {
  Magnitude result;
  result.low = x.low * y.low;
  result.high = x.high * y.high;
  result.zero = x.zero || y.zero;
  result.infinite = x.infinite || y.infinite;
  result.nan =
      x.nan || y.nan || (x.zero && y.infinite) || (x.infinite && y.zero);
  result.negative = (x.negative && y.positive) || (x.positive && y.negative);
  result.positive = (x.positive && y.positive) || (x.negative && y.negative);
  return settle(result);
}

static Magnitude getReciprocal(Magnitude x) {
  std::swap(x.zero, x.infinite);
  double low = x.low;
  x.low = 1 / x.high;
  x.high = 1 / low;
  return settle(x);
}

/// Either of two values.
static Magnitude getUnion(Magnitude x, const Magnitude &y) {
  x.low = std::min(x.low, y.low);
  x.high = std::max(x.high, y.high);
  x.zero |= y.zero;
  x.infinite |= y.infinite;
  x.nan |= y.nan;
  x.negative |= y.negative;
  x.positive |= y.positive;
  return x;
}

static Magnitude getMinimum(const Magnitude &x, const Magnitude &y) {
  Magnitude result = getUnion(x, y);
  if (result.negative)
    return result;
  result.infinite = x.infinite && y.infinite;
  if (!x.infinite)
    result.high = std::min(result.high, x.high);
  if (!y.infinite)
    result.high = std::min(result.high, y.high);
  return result;
}

static Magnitude getMaximum(const Magnitude &x, const Magnitude &y) {
  Magnitude result = getUnion(x, y);
  if (result.negative)
    return result;
  result.zero = x.zero && y.zero;
  if (!x.zero)
    result.low = std::max(result.low, x.low);
  if (!y.zero)
    result.low = std::max(result.low, y.low);
  return result;
}

static Magnitude getSum(const Magnitude &x, const Magnitude &y) {
  Magnitude result = getUnion(x, y);
  bool sameSign = !(result.negative && result.positive);
  result.high = x.high + y.high;
  result.nan |= x.infinite && y.infinite && !sameSign;
  result.zero = !sameSign || (x.zero && y.zero);
  if (!sameSign)
    result.low = Limits::denorm_min();
  else if (!x.zero && !y.zero)
    result.low = x.low + y.low;
  return settle(result);
}

static Magnitude negated(Magnitude x) {
  std::swap(x.negative, x.positive);
  return x;
}

static Magnitude getRoot(Magnitude x) {
  x.low = std::sqrt(x.low);
  x.high = std::sqrt(x.high);
  x.nan |= x.negative;
  x.negative = false;
  x.positive = true;
  return x;
}

/// What a comparison with a constant that holds says of a value.
static void narrow(Magnitude &x, Predicate predicate, double constant) {
  if (predicate == Predicate::ne || std::isnan(constant))
    return;
  x.nan = false;
  if (predicate == Predicate::eq) {
    x = ofConstant(constant);
    return;
  }
  bool above = predicate == Predicate::gt || predicate == Predicate::ge;
  bool strict = predicate == Predicate::gt || predicate == Predicate::lt;
  if (above ? constant >= 0 : constant <= 0) { // away from 0
    (above ? x.negative : x.positive) = false;
    x.zero &= constant == 0 && !strict;
    x.low = std::max(x.low, std::fabs(constant));
  } else if (!(above ? x.positive : x.negative)) {
    x.high = std::min(x.high, std::fabs(constant));
    x.infinite &= std::isinf(constant);
  }
}

/// What the contract demands of an attribute in every call.
static void narrowByContract(Magnitude &x, OperatorOp op, StringRef name) {
  SmallVector<Value> hold;
  for (auto check : op.getContract().getOps<CheckOp>())
    if (!check.getWhen())
      hold.push_back(check.getCondition());
  for (unsigned i = 0; i != hold.size(); ++i) { // grows
    if (auto both = hold[i].getDefiningOp<AndOp>()) {
      hold.append({both.getLhs(), both.getRhs()});
      continue;
    }
    auto compare = hold[i].getDefiningOp<CompareOp>();
    auto attribute =
        compare ? compare.getLhs().getDefiningOp<AttributeOp>() : AttributeOp();
    if (attribute && attribute.getName() == name)
      if (auto constant = getRealConstant(compare.getRhs()))
        narrow(x, compare.getPredicate(), *constant);
  }
}

static OperatorOp getOperatorOf(Operation *op) {
  if (auto variant = op->getParentOfType<VariantOp>())
    return variant.getOperator();
  return op->getParentOfType<OperatorOp>();
}

static bool isFloatAttribute(AttributeOp attribute) {
  OperatorOp op = getOperatorOf(attribute);
  return op &&
         op.findParam(attribute.getName()).getCType().getValue() == "float";
}

static Magnitude ofAttribute(AttributeOp attribute) {
  Magnitude x;
  if (cast<ValueType>(attribute.getType()).getKind() == Kind::Int) {
    x.low = 1;
    x.high = 0x1p63;
    x.infinite = x.nan = false;
  } else if (isFloatAttribute(attribute)) {
    x.low = kMinFloat32;
    x.high = kMaxFloat32;
  }
  if (OperatorOp op = getOperatorOf(attribute))
    narrowByContract(x, op, attribute.getName());
  return x;
}

/// The magnitude of a value whose operands are known.
static Magnitude compute(Operation *op, const Known &known) {
  auto of = [&](unsigned i) { return known.lookup(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, Magnitude>(op)
      .Case<NumelOp, ExtentOp>([](auto) { return between(1, 0x1p63); })
      .Case([](AttributeOp attribute) { return ofAttribute(attribute); })
      .Case([&](MulOp) { return getProduct(of(0), of(1)); })
      .Case([&](DivOp) { return getProduct(of(0), getReciprocal(of(1))); })
      .Case([&](NegOp) { return negated(of(0)); })
      .Case([&](AbsOp) {
        Magnitude x = of(0);
        x.negative = false;
        x.positive = true;
        return x;
      })
      .Case([&](CastOp cast) {
        auto from = llvm::cast<ValueType>(cast.getOperand().getType());
        if (from.getKind() == Kind::Int)
          return of(0);
        Magnitude x = between(1, from.getKind() == Kind::Bool ? 1 : 0x1p63);
        x.zero = true;
        x.negative = from.getKind() == Kind::Real;
        return x;
      })
      .Case([&](SelectOp) { return getUnion(of(1), of(2)); })
      .Case([&](MinOp) { return getMinimum(of(0), of(1)); })
      .Case([&](MaxOp) { return getMaximum(of(0), of(1)); })
      .Case(
          [&](ClampOp) { return getMinimum(getMaximum(of(0), of(1)), of(2)); })
      .Case([&](AddOp) { return getSum(of(0), of(1)); })
      .Case([&](SubOp) { return getSum(of(0), negated(of(1))); })
      .Case([&](SqrtOp) { return getRoot(of(0)); })
      .Default(Magnitude());
}

/// The ops that a value is computed from, operands first, each once: shared
/// parts are many where formulas square what they squared.
static SmallVector<Value> getSources(Value value) {
  SmallVector<Value> order;
  llvm::DenseSet<Value> seen;
  SmallVector<std::pair<Value, unsigned>> work = {{value, 0}};
  seen.insert(value);
  while (!work.empty()) {
    auto &[next, operand] = work.back();
    Operation *op = next.getDefiningOp();
    if (op && operand < op->getNumOperands()) {
      Value source = op->getOperand(operand++);
      if (seen.insert(source).second)
        work.push_back({source, 0});
      continue;
    }
    order.push_back(next);
    work.pop_back();
  }
  return order;
}

Magnitude getMagnitude(Value uniform) {
  Known known;
  for (Value value : getSources(uniform)) {
    Operation *op = value.getDefiningOp();
    std::optional<double> constant = getRealConstant(value);
    Magnitude x = constant ? ofConstant(*constant)
                  : op     ? compute(op, known)
                           : Magnitude();
    // Ints wrap around, to anything.
    if (cast<ValueType>(value.getType()).getKind() == Kind::Int &&
        x.high > 0x1p63)
      x = {1, 0x1p63, true, false, false, true, true};
    known[value] = x;
  }
  return known.lookup(uniform);
}

bool isExactFloat32(Value uniform) {
  llvm::DenseMap<Value, bool> exact;
  for (Value value : getSources(uniform)) {
    auto isExact = [&](Value operand) { return exact.lookup(operand); };
    Operation *op = value.getDefiningOp();
    bool result = false;
    if (std::optional<double> constant = getRealConstant(value)) {
      result = std::isnan(*constant) || *constant == double(float(*constant));
    } else if (auto attribute = dyn_cast_or_null<AttributeOp>(op)) {
      result = isFloatAttribute(attribute);
    } else if (isa_and_nonnull<NegOp, AbsOp, MinOp, MaxOp, ClampOp>(op)) {
      result = llvm::all_of(op->getOperands(), isExact);
    } else if (auto select = dyn_cast_or_null<SelectOp>(op)) {
      result =
          isExact(select.getTrueValue()) && isExact(select.getFalseValue());
    } else if (auto cast = dyn_cast_or_null<CastOp>(op)) {
      auto from = llvm::cast<ValueType>(cast.getOperand().getType());
      result = from.getKind() == Kind::Bool;
    } else {
      result = isa_and_nonnull<SignOp, Float32AtLeastOp, Float32AtMostOp,
                               Float32ExactlyOp>(op);
    }
    exact[value] = result;
  }
  return exact.lookup(uniform);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Location withoutName(Location loc) {
  while (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  return loc;
}

UniformBuilder &UniformBuilder::named(StringRef text) {
  name = text.str();
  return *this;
}

Location UniformBuilder::takeLoc() {
  if (name.empty())
    return loc;
  Location named = NameLoc::get(builder.getStringAttr(name), loc);
  name.clear();
  return named;
}

Value UniformBuilder::real(double value) {
  return ConstantOp::create(builder, takeLoc(), builder.getF64FloatAttr(value));
}
Value UniformBuilder::boolean(bool value) {
  return ConstantOp::create(builder, takeLoc(), builder.getBoolAttr(value));
}

Value UniformBuilder::mul(Value lhs, Value rhs) {
  std::optional<double> l = getRealConstant(lhs), r = getRealConstant(rhs);
  if (l && r)
    return real(*l * *r);
  if (r)
    std::swap(lhs, rhs), std::swap(l, r);
  if (l == 1.0)
    return rhs;
  if (l == -1.0)
    return neg(rhs);
  return MulOp::create(builder, takeLoc(), lhs, rhs);
}

Value UniformBuilder::div(Value lhs, Value rhs) {
  std::optional<double> l = getRealConstant(lhs), r = getRealConstant(rhs);
  if (l && r)
    return real(*l / *r);
  if (r == 1.0)
    return lhs;
  return DivOp::create(builder, takeLoc(), lhs, rhs);
}

Value UniformBuilder::neg(Value value) {
  if (std::optional<double> constant = getRealConstant(value))
    return real(-*constant);
  return NegOp::create(builder, takeLoc(), value);
}
Value UniformBuilder::abs(Value value) {
  if (std::optional<double> constant = getRealConstant(value))
    return real(std::fabs(*constant));
  return AbsOp::create(builder, takeLoc(), value);
}
Value UniformBuilder::min(Value lhs, Value rhs) {
  return MinOp::create(builder, takeLoc(), lhs, rhs);
}
Value UniformBuilder::max(Value lhs, Value rhs) {
  return MaxOp::create(builder, takeLoc(), lhs, rhs);
}
Value UniformBuilder::add(Value lhs, Value rhs) {
  return AddOp::create(builder, takeLoc(), lhs, rhs);
}
Value UniformBuilder::sign(Value value) {
  return SignOp::create(builder, takeLoc(), value);
}
Value UniformBuilder::clamp(Value value, double low, double high) {
  Location at = takeLoc();
  Value least = real(low), most = real(high);
  return ClampOp::create(builder, at, value, least, most);
}
Value UniformBuilder::compare(Predicate predicate, Value lhs, Value rhs) {
  return CompareOp::create(builder, takeLoc(), predicate, lhs, rhs);
}
Value UniformBuilder::land(Value lhs, Value rhs) {
  if (getBoolConstant(lhs) == true)
    return rhs;
  if (getBoolConstant(rhs) == true)
    return lhs;
  return AndOp::create(builder, takeLoc(), lhs, rhs);
}
Value UniformBuilder::lor(Value lhs, Value rhs) {
  if (getBoolConstant(lhs) == false)
    return rhs;
  if (getBoolConstant(rhs) == false)
    return lhs;
  return OrOp::create(builder, takeLoc(), lhs, rhs);
}
Value UniformBuilder::lnot(Value value) {
  return NotOp::create(builder, takeLoc(), value);
}
Value UniformBuilder::select(Value condition, Value a, Value b) {
  std::optional<double> l = getRealConstant(a), r = getRealConstant(b);
  // Zeros differ by their sign.
  if (a == b || (l && l == r && *l != 0 && a.getType() == b.getType()))
    return a;
  if (std::optional<bool> known = getBoolConstant(condition))
    return *known ? a : b;
  return SelectOp::create(builder, takeLoc(), condition, a, b);
}

void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace lossgrad
