//===- UniformValues.cpp - What the host computes once --------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/UniformValues.h"
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

bool Magnitude::isNormalFloat32() const {
  return low >= kMinNormalFloat32 && high <= kMaxFloat32;
}

/// x * y with 0 * inf = 0 for lower bounds and inf for upper ones.
static double lowProduct(double x, double y) {
  return x == 0 || y == 0 ? 0 : x * y;
}
static double highProduct(double x, double y) {
  return std::isinf(x) || std::isinf(y)
             ? std::numeric_limits<double>::infinity()
             : x * y;
}
static double reciprocalBound(double x) {
  return x == 0 ? std::numeric_limits<double>::infinity() : 1 / x;
}

static Magnitude magnitudeOfProduct(Magnitude x, Magnitude y) {
  return {lowProduct(x.low, y.low), highProduct(x.high, y.high),
          x.nonNegative && y.nonNegative};
}

Magnitude getMagnitude(Value uniform) {
  if (std::optional<double> constant = getRealConstant(uniform))
    return {std::fabs(*constant), std::fabs(*constant),
            !std::signbit(*constant)};
  Operation *op = uniform.getDefiningOp();
  if (!op)
    return {};
  auto of = [&](unsigned i) { return getMagnitude(op->getOperand(i)); };
  return llvm::TypeSwitch<Operation *, Magnitude>(op)
      .Case<NumelOp, ExtentOp>([](auto) { return Magnitude{1, 0x1p63, true}; })
      .Case([&](MulOp) { return magnitudeOfProduct(of(0), of(1)); })
      .Case([&](DivOp) {
        Magnitude y = of(1);
        return magnitudeOfProduct(
            of(0),
            {reciprocalBound(y.high), reciprocalBound(y.low), y.nonNegative});
      })
      .Case<NegOp, AbsOp>([&](Operation *unary) {
        Magnitude x = of(0);
        x.nonNegative = isa<AbsOp>(unary);
        return x;
      })
      .Case([&](CastOp cast) {
        auto from = llvm::cast<ValueType>(cast.getOperand().getType());
        return from.getKind() == Kind::Bool ? Magnitude{0, 1, true} : of(0);
      })
      .Case([&](SelectOp) {
        Magnitude x = of(1), y = of(2);
        return Magnitude{std::min(x.low, y.low), std::max(x.high, y.high),
                         x.nonNegative && y.nonNegative};
      })
      .Case<MinOp, MaxOp>([&](Operation *either) {
        Magnitude x = of(0), y = of(1);
        if (!x.nonNegative || !y.nonNegative)
          return Magnitude{0, std::max(x.high, y.high), false};
        bool isMin = isa<MinOp>(either);
        return Magnitude{
            isMin ? std::min(x.low, y.low) : std::max(x.low, y.low),
            isMin ? std::min(x.high, y.high) : std::max(x.high, y.high), true};
      })
      .Case([&](AddOp) {
        Magnitude x = of(0), y = of(1);
        bool nonNegative = x.nonNegative && y.nonNegative;
        return Magnitude{nonNegative ? x.low + y.low : 0, x.high + y.high,
                         nonNegative};
      })
      .Default(Magnitude());
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
Value UniformBuilder::lnot(Value value) {
  return NotOp::create(builder, takeLoc(), value);
}
Value UniformBuilder::select(Value condition, Value a, Value b) {
  std::optional<double> l = getRealConstant(a), r = getRealConstant(b);
  if (a == b || (l && l == r && a.getType() == b.getType()))
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
