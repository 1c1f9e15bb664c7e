//===- OptimizeFactors.cpp - Uniform factors ------------------------------===//
//
// Patterns of lossgrad-optimize on products. A product is evaluated in the
// order in which it is written: (x * y) * a has no intermediate result but
// x * y, and neither may what it becomes. So uniform factors are gathered where
// they stand next to each other, whatever they are: the result of (v * u1) * u2
// leaves float32 only if v * (u1 * u2) does, and how float32 comes by a product
// of coefficients that it cannot hold is the business of OptimizeFloat32.cpp.
// A factor moves past data only if it is at most 1, so that no intermediate
// result grows, at least 2^-64, which the reciprocal of a count is, and if
// neither it nor its product with the factor that it joins is known to be below
// 2^-32, so that an intermediate result that shrinks below the normal range was
// close to it before.
//
//===----------------------------------------------------------------------===//

#include "passes/OptimizePatterns.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

/// So large that it takes the least float32, 2^-149, far past 1, and still the
/// product of two float32 powers of two.
static constexpr double kSaturation = 0x1p160;
static constexpr double kLeastMovable = 0x1p-64;
static constexpr double kLeastKnownMovable = 0x1p-32;

static bool isReal(Value value) {
  return cast<ValueType>(value.getType()).getKind() == Kind::Real;
}

//===----------------------------------------------------------------------===//
// reciprocal, sign
//===----------------------------------------------------------------------===//

namespace {

struct DivisionByUniform : public CountedPattern<DivOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(DivOp div,
                                PatternRewriter &rewriter) const override {
    Value by = div.getRhs();
    if (isUniform(div.getLhs()) || !isUniform(by))
      return failure();
    UniformBuilder build(rewriter, div.getLoc());
    // The reciprocal of the least float64 is infinite, and 0 times it is NaN.
    if (getMagnitude(by).low < std::numeric_limits<double>::min()) {
      Value least = build.real(0x1p-1000), up = build.real(0x1p74);
      Value large = build.compare(Predicate::ge, build.abs(by), least);
      by = build.select(large, by, build.mul(by, up));
    }
    Value one = build.real(1.0);
    Value reciprocal = build.named("reciprocal").div(one, by);
    rewriter.replaceOpWithNewOp<MulOp>(div, div.getLhs(), reciprocal);
    ++count;
    return success();
  }
};

struct SignOfData : public CountedPattern<SignOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(SignOp sign,
                                PatternRewriter &rewriter) const override {
    if (isUniform(sign) || !isReal(sign))
      return failure();
    UniformBuilder build(rewriter, sign.getLoc());
    Value huge = build.real(kSaturation), low = build.real(-1.0),
          high = build.real(1.0);
    Value scaled =
        MulOp::create(rewriter, sign.getLoc(), sign.getOperand(), huge);
    rewriter.replaceOpWithNewOp<ClampOp>(sign, scaled, low, high);
    ++count;
    return success();
  }
};

} // namespace

void lossgrad::populateReciprocalPatterns(RewritePatternSet &patterns,
                                          Counter &count) {
  patterns.add<DivisionByUniform>(patterns.getContext(), count);
}
void lossgrad::populateSignPatterns(RewritePatternSet &patterns,
                                    Counter &count) {
  patterns.add<SignOfData>(patterns.getContext(), count);
}

//===----------------------------------------------------------------------===//
// Where a factor may go
//===----------------------------------------------------------------------===//

/// A product of data and a uniform value; data null if it is none.
namespace {
struct Scaled {
  Value data, by;
};
} // namespace

static Scaled getScaled(Value value) {
  auto mul = value.getDefiningOp<MulOp>();
  if (!mul || isUniform(mul) || !isReal(mul))
    return {};
  if (isUniform(mul.getRhs()))
    return {mul.getLhs(), mul.getRhs()};
  if (isUniform(mul.getLhs()))
    return {mul.getRhs(), mul.getLhs()};
  return {};
}

/// Whether a factor may be applied to a part of a product.
static bool isMovable(Value uniform) {
  Magnitude size = getMagnitude(uniform);
  return !size.zero && !size.infinite && size.low >= kLeastMovable &&
         size.high >= kLeastKnownMovable && size.high <= 1;
}

/// Whether the host's product of two factors stays within float64: an overflow
/// there would make NaN of 0 times it.
static bool canMultiply(Value a, Value b, bool pastData) {
  Magnitude both = getProduct(getMagnitude(a), getMagnitude(b));
  return both.isNormalFloat64() && (!pastData || both.high >= kLeastKnownMovable);
}

static Value multiply(OpBuilder &builder, Location loc, Value a, Value b) {
  return UniformBuilder(builder, loc).named("scale").mul(a, b);
}

namespace {

/// Puts a factor to one that is there already, inside of products and clamps
/// that nothing else uses.
class Sinker {
public:
  Sinker(OpBuilder &builder, Value factor, bool intoClamps)
      : builder(builder), factor(factor), intoClamps(intoClamps) {}

  /// The value times the factor without a product more; null if there is no
  /// such way.
  Value sink(Value value, bool pastData) {
    return canSink(value, pastData) ? apply(value, pastData) : Value();
  }

private:
  /// `pastData`: other data comes between the value and the factor.
  bool canSink(Value value, bool pastData);
  Value apply(Value value, bool pastData);
  /// clamp(v, lo, hi) times the factor.
  bool canScale(ClampOp clamp, bool pastData);
  Value scale(ClampOp clamp, bool pastData);

  OpBuilder &builder;
  Value factor;
  bool intoClamps;
};

} // namespace

bool Sinker::canSink(Value value, bool pastData) {
  if (!value.hasOneUse() || (pastData && !isMovable(factor)))
    return false;
  if (Scaled scaled = getScaled(value); scaled.data)
    return canMultiply(scaled.by, factor, pastData);
  if (auto mul = value.getDefiningOp<MulOp>())
    return canSink(mul.getLhs(), true) || canSink(mul.getRhs(), true);
  auto clamp = value.getDefiningOp<ClampOp>();
  return intoClamps && clamp && canScale(clamp, pastData);
}

Value Sinker::apply(Value value, bool pastData) {
  if (Scaled scaled = getScaled(value); scaled.data) {
    Value both = multiply(builder, value.getLoc(), factor, scaled.by);
    return MulOp::create(builder, value.getLoc(), scaled.data, both);
  }
  if (auto clamp = value.getDefiningOp<ClampOp>())
    return scale(clamp, pastData);
  auto mul = value.getDefiningOp<MulOp>();
  Value lhs = mul.getLhs(), rhs = mul.getRhs();
  Value &side = canSink(lhs, true) ? lhs : rhs;
  side = apply(side, true);
  return MulOp::create(builder, value.getLoc(), lhs, rhs);
}

/// Where a bound or the factor may leave the normal range of float32, the
/// saturated value would change.
bool Sinker::canScale(ClampOp clamp, bool pastData) {
  Value low = clamp.getLow(), high = clamp.getHigh();
  if (!isUniform(low) || !isUniform(high) || !isReal(clamp) ||
      !canSink(clamp.getValue(), pastData))
    return false;
  Magnitude by = getMagnitude(factor);
  auto staysNormal = [&](Value bound) {
    return getRealConstant(bound) == 0.0 ||
           getProduct(getMagnitude(bound), by).isNormalFloat32();
  };
  return by.isNormalFloat32() && staysNormal(low) && staysNormal(high);
}

/// A negative factor turns min(max(v, lo), hi) into max(min(v, lo), hi), whose
/// outer bound is the lower one: as a clamp, its upper bound must not be below.
Value Sinker::scale(ClampOp clamp, bool pastData) {
  UniformBuilder build(builder, clamp.getLoc());
  Value low = build.named("low").mul(clamp.getLow(), factor);
  Value high = build.named("high").mul(clamp.getHigh(), factor);
  Magnitude by = getMagnitude(factor);
  if (by.negative) {
    Value most = build.named("high").max(low, high);
    if (by.positive) {
      Value isNegative = build.compare(Predicate::lt, factor, build.real(0.0));
      low = build.named("low").select(isNegative, high, low);
      high = build.named("high").select(isNegative, most, high);
    } else {
      low = high;
      high = most;
    }
  }
  Value inner = apply(clamp.getValue(), pastData);
  return ClampOp::create(builder, clamp.getLoc(), inner, low, high);
}

//===----------------------------------------------------------------------===//
// gather, clamp
//===----------------------------------------------------------------------===//

namespace {

/// (v * u1) * u2 is v * (u1 * u2), and (w * (v * u1)) * u2 is
/// w * (v * (u1 * u2)) where u2 may move.
struct FactorOfProduct : public CountedPattern<MulOp> {
  FactorOfProduct(MLIRContext *context, Counter &count, bool intoClamps)
      : CountedPattern(context, count), intoClamps(intoClamps) {}

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    Scaled scaled = getScaled(mul);
    if (!scaled.data || !scaled.data.getDefiningOp<MulOp>())
      return failure();
    Value gathered = Sinker(rewriter, scaled.by, intoClamps)
                         .sink(scaled.data, /*pastData=*/false);
    if (!gathered)
      return failure();
    gathered.setLoc(mul.getLoc());
    rewriter.replaceOp(mul, gathered);
    ++count;
    return success();
  }

  bool intoClamps;
};

/// (v1 * u1) * (v2 * u2) is v1 * (v2 * (u1 * u2)) where u1 may move. That v1 is
/// no product matters: without u1, a part of one could grow.
struct FactorsOnBothSides : public CountedPattern<MulOp> {
  FactorsOnBothSides(MLIRContext *context, Counter &count, bool intoClamps)
      : CountedPattern(context, count), intoClamps(intoClamps) {}

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    for (bool isLeft : {true, false}) {
      Value from = isLeft ? mul.getLhs() : mul.getRhs();
      Value to = isLeft ? mul.getRhs() : mul.getLhs();
      Scaled scaled = getScaled(from);
      if (from == to || !scaled.data || !from.hasOneUse() ||
          scaled.data.getDefiningOp<MulOp>() || !isMovable(scaled.by))
        continue;
      if (Value gathered = Sinker(rewriter, scaled.by, intoClamps)
                               .sink(to, /*pastData=*/true)) {
        rewriter.replaceOpWithNewOp<MulOp>(mul, scaled.data, gathered);
        ++count;
        return success();
      }
    }
    return failure();
  }

  bool intoClamps;
};

struct FactorOfClamp : public CountedPattern<MulOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    Scaled scaled = getScaled(mul);
    auto clamp = scaled.data ? scaled.data.getDefiningOp<ClampOp>() : ClampOp();
    if (!clamp)
      return failure();
    Value gathered =
        Sinker(rewriter, scaled.by, true).sink(clamp, /*pastData=*/false);
    if (!gathered)
      return failure();
    gathered.setLoc(mul.getLoc());
    rewriter.replaceOp(mul, gathered);
    ++count;
    return success();
  }
};

} // namespace

void lossgrad::populateGatherPatterns(RewritePatternSet &patterns,
                                      Counter &count, bool intoClamps) {
  patterns.add<FactorOfProduct, FactorsOnBothSides>(patterns.getContext(),
                                                    count, intoClamps);
}
void lossgrad::populateClampPatterns(RewritePatternSet &patterns,
                                     Counter &count) {
  patterns.add<FactorOfClamp>(patterns.getContext(), count);
}
