//===- OptimizePowers.cpp - Powers of data --------------------------------===//
//
// Patterns of lossgrad-optimize on powers: no call computes one. Exponents that
// are small whole numbers or halves are products and roots, others are
// exponentials of logarithms, with the sign apart. Powers of uniform values are
// the host's.
//
//===----------------------------------------------------------------------===//

#include "passes/OptimizePatterns.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

/// Exponents up to here are products: no more calls than an exponential of a
/// logarithm takes, and none of their error.
static constexpr double kMaxProducts = 8;

/// Whether a value is never below 0, but may be NaN.
static bool isNeverNegative(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  auto holds = [&](Value operand) {
    return isNeverNegative(operand, depth + 1);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AbsOp, ExpOp, SqrtOp>([](auto) { return true; })
      .Case([&](ConstantOp) {
        auto number = getRealConstant(value);
        return number && *number >= 0;
      })
      .Case([&](MulOp o) {
        return o.getLhs() == o.getRhs() ||
               (holds(o.getLhs()) && holds(o.getRhs()));
      })
      .Case([&](MaxOp o) { return holds(o.getLhs()) || holds(o.getRhs()); })
      .Case([&](ClampOp o) { return holds(o.getLow()) && holds(o.getHigh()); })
      .Case([&](SelectOp o) {
        return holds(o.getTrueValue()) && holds(o.getFalseValue());
      })
      .Case<AddOp, DivOp, MinOp>(
          [&](auto o) { return holds(o.getLhs()) && holds(o.getRhs()); })
      .Case([&](ReduceOp o) { return holds(o.getOperand()); })
      .Default(false);
}

/// Whether a value is no zero with a sign, of which 1 / sqrt(v) would be -inf.
static bool isNeverMinusZero(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<AbsOp, ExpOp>(op))
    return true;
  if (auto number = getRealConstant(value))
    return !(*number == 0 && std::signbit(*number));
  if (auto mul = dyn_cast<MulOp>(op))
    return mul.getLhs() == mul.getRhs();
  // A sum is one only if both are.
  auto add = dyn_cast<AddOp>(op);
  return add && (isNeverMinusZero(add.getLhs(), depth + 1) ||
                 isNeverMinusZero(add.getRhs(), depth + 1));
}

namespace {
/// Builds the power of one op.
class PowerBuilder {
public:
  PowerBuilder(PowOp pow, PatternRewriter &rewriter)
      : rewriter(rewriter), loc(withoutName(pow.getLoc())), base(pow.getLhs()),
        exponent(pow.getRhs()), build(rewriter, pow.getLoc()) {}

  /// Null if there is no way.
  Value get();

private:
  Value products(double exponent);
  Value exponential(Value of);
  Value isZero();
  Value ofUniform();
  Value ofData();

  PatternRewriter &rewriter;
  Location loc;
  Value base, exponent;
  UniformBuilder build;
};
} // namespace

/// x^n by squaring, times a root of x for a half.
Value PowerBuilder::products(double halves) {
  double size = std::abs(halves);
  auto whole = static_cast<unsigned>(size);
  Value result;
  if (size != whole) {
    result = SqrtOp::create(rewriter, loc, base);
    // Not the root of -0 but that of 0, where no other factor has its sign.
    if (halves < 0 && whole % 2 == 0 && !isNeverMinusZero(base))
      result = AddOp::create(rewriter, loc, result, build.real(0));
  }
  Value square = base;
  for (; whole; whole /= 2) {
    if (whole % 2)
      result = result ? MulOp::create(rewriter, loc, result, square).getResult()
                      : square;
    if (whole > 1)
      square = MulOp::create(rewriter, loc, square, square);
  }
  return halves < 0
             ? DivOp::create(rewriter, loc, build.real(1), result).getResult()
             : result;
}

Value PowerBuilder::exponential(Value of) {
  Value log = LogOp::create(rewriter, loc, of);
  return ExpOp::create(rewriter, loc,
                       MulOp::create(rewriter, loc, log, exponent));
}

/// Whether a uniform exponent is 0, in the terms in which others ask about it:
/// the exponents of gradients are one less than those of forwards.
Value PowerBuilder::isZero() {
  Value asked = exponent;
  double zero = 0;
  auto sub = exponent.getDefiningOp<SubOp>();
  if (auto number = sub ? getRealConstant(sub.getRhs()) : std::nullopt)
    asked = sub.getLhs(), zero = *number;
  return build.compare(Predicate::eq, asked, build.real(zero));
}

/// To an exponent that is the same for a call. (-1)^y is the sign below 0, and
/// NaN where y is no whole number.
Value PowerBuilder::ofUniform() {
  if (auto number = getRealConstant(exponent)) {
    if (*number == 0)
      return build.real(1);
    if (2 * *number == std::round(2 * *number) &&
        std::abs(*number) <= kMaxProducts)
      return products(*number);
  }
  Value result;
  if (isNeverNegative(base)) {
    result = exponential(base);
  } else {
    Value size = exponential(AbsOp::create(rewriter, loc, base));
    Value sign = PowOp::create(rewriter, loc, build.real(-1), exponent);
    Value negative =
        CompareOp::create(rewriter, loc, Predicate::lt, base, build.real(0));
    result = SelectOp::create(rewriter, loc, negative,
                              MulOp::create(rewriter, loc, size, sign), size);
  }
  if (getRealConstant(exponent))
    return result;
  return SelectOp::create(rewriter, loc, isZero(), build.real(1), result);
}

/// To an exponent that is data: only of what has a logarithm.
Value PowerBuilder::ofData() {
  if (!isNeverNegative(base))
    return {};
  Value none =
      CompareOp::create(rewriter, loc, Predicate::eq, exponent, build.real(0));
  return SelectOp::create(rewriter, loc, none, build.real(1),
                          exponential(base));
}

Value PowerBuilder::get() {
  return isUniform(exponent) ? ofUniform() : ofData();
}

namespace {
struct PowerOfData : public OpRewritePattern<PowOp> {
  PowerOfData(MLIRContext *context, Counter &count)
      : OpRewritePattern(context), count(count) {}

  LogicalResult matchAndRewrite(PowOp pow,
                                PatternRewriter &rewriter) const override {
    if (isUniform(pow.getResult()))
      return failure();
    Value result = PowerBuilder(pow, rewriter).get();
    if (!result)
      return failure();
    rewriter.replaceOp(pow, result);
    ++count;
    return success();
  }

  Counter &count;
};
} // namespace

void lossgrad::populatePowerPatterns(RewritePatternSet &patterns,
                                     Counter &count) {
  patterns.add<PowerOfData>(patterns.getContext(), count);
}
