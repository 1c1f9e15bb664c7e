//===- OptimizeFloat32.cpp - Where data meets what float32 cannot hold ----===//
//
// Patterns of lossgrad-optimize for the border between the host, which computes
// uniform values in float64, and kernels, which get them as float32. They keep
// the meaning of a body where rounding alone would not:
//
// - A coefficient that float32 may not hold becomes a coefficient that it does
//   and, where the host says so, a second one. The first is a power of two
//   then, so that only the second product rounds, and both go the same way, so
//   that no intermediate result is farther out than the result. Neither is
//   infinite or 0 unless the coefficient is: 0 times the one and infinity times
//   the other would be NaN. Where a coefficient may be beyond 2^254 there is a
//   third one.
// - A bound that data is compared with becomes the float32 next to it on the
//   side that gives the same answer for every float32.
// - min, max and clamp keep NaN; vector instructions with a scalar may not.
//
// The guarded product or sum is one more call on the same tile (see
// GuardedSteps.h), made only where it is needed.
//
//===----------------------------------------------------------------------===//

#include "passes/OptimizePatterns.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;

static bool isReal(Value value) {
  return cast<ValueType>(value.getType()).getKind() == Kind::Real;
}

//===----------------------------------------------------------------------===//
// Coefficients
//===----------------------------------------------------------------------===//

namespace {
/// u as `first`, or where it does not fit as `first * second`, and `beyond`
/// that as `first * second * third`; null where that cannot be.
struct Coefficients {
  Value fits, first, second, beyond, third;
};
} // namespace

/// The powers of two that the first coefficient is where u does not fit. With
/// the last one, used below the square of the one before, what is left of a
/// finite v vanishes in the second product even if that is no smaller than
/// float32 allows.
static constexpr double kUp = 0x1p127, kDown = 0x1p-126;
static constexpr double kFarDown = kMinFloat32;
static constexpr double kFar = kDown * kDown;
/// Where both factors can be far above the least float32, the first product of
/// ordinary data is exact, and only the second is rounded.
static constexpr double kGentleDown = 0x1p-64;
static constexpr double kGentle = kDown * kGentleDown;

/// No result is finite beyond 2^277 times the least float32, so three factors
/// reach wherever it matters, and the last one may as well be finite.
static void addThird(UniformBuilder &build, Coefficients &parts, Value by,
                     Value size) {
  if (getMagnitude(by).high <= kMaxFloat32 * kUp)
    return;
  parts.beyond =
      build.compare(Predicate::gt, size, build.real(kMaxFloat32 * kUp));
  Value rest = build.div(by, build.real(kUp * kUp));
  Value infinity = build.real(std::numeric_limits<double>::infinity());
  Value isFinite = build.compare(Predicate::lt, size, infinity);
  Value limited = build.clamp(rest, -kMaxFloat32, kMaxFloat32);
  parts.third = build.select(isFinite, limited, rest);
  parts.second = build.select(parts.beyond, build.real(kUp), parts.second);
}

/// The second coefficient is 0 only if u is.
static Value keepFromZero(UniformBuilder &build, Value second, Value by) {
  if (getMagnitude(by).low >= kMinFloat32 * kFarDown)
    return second;
  Value least = build.real(kMinFloat32);
  Value large = build.compare(Predicate::ge, build.abs(second), least);
  Value limited = build.mul(build.sign(second), least);
  return build.select(large, second, limited);
}

static Coefficients split(OpBuilder &builder, Location loc, Value by) {
  UniformBuilder build(builder, loc);
  Value least = build.real(kMinNormalFloat32), most = build.real(kMaxFloat32);
  Value size = build.abs(by);
  Value large = build.compare(Predicate::ge, size, least);
  Value small = build.compare(Predicate::le, size, most);
  Value up = build.real(kUp), down = build.real(kDown);
  if (getMagnitude(by).low < kFar) {
    Value isNear = build.compare(Predicate::ge, size, build.real(kFar));
    down = build.select(isNear, down, build.real(kFarDown));
  }
  Value isGentle = build.compare(Predicate::ge, size, build.real(kGentle));
  down = build.select(isGentle, build.real(kGentleDown), down);
  Value above = build.compare(Predicate::gt, size, build.real(1.0));
  Value power = build.select(above, up, down);
  Coefficients parts;
  parts.fits = build.land(large, small);
  parts.first = build.select(parts.fits, by, power);
  parts.second = keepFromZero(build, build.div(by, power), by);
  addThird(build, parts, by, size);
  // The name of a coefficient ends up in those of its parts.
  std::string name = getValueName(by).str();
  if (name.empty())
    name = "coefficient";
  std::string title = llvm::toUpper(name[0]) + name.substr(1);
  auto call = [&](Value part, const std::string &text) {
    if (part && part != by && !part.getDefiningOp<ConstantOp>())
      part.setLoc(NameLoc::get(builder.getStringAttr(text), withoutName(loc)));
  };
  call(power, name + "Power");
  call(parts.fits, name + "Fits");
  call(parts.first, "first" + title);
  call(parts.second, "second" + title);
  call(parts.beyond, name + "IsFar");
  call(parts.third, "third" + title);
  return parts;
}

static bool needsSplit(Value by) {
  return !getMagnitude(by).isNormalFloat32() && !isExactFloat32(by);
}

/// `once`, or with the other coefficients where the first is not all.
static void finish(PatternRewriter &rewriter, Operation *op, Value once,
                   const Coefficients &by) {
  Location loc = op->getLoc();
  Value twice = MulOp::create(rewriter, withoutName(loc), once, by.second);
  Value choice = SelectOp::create(rewriter, loc, by.fits, once, twice);
  if (by.beyond) {
    Value thrice = MulOp::create(rewriter, withoutName(loc), choice, by.third);
    choice = SelectOp::create(rewriter, loc, by.beyond, thrice, choice);
  }
  rewriter.replaceOp(op, choice);
}

namespace {

struct ProductWithUniform : public CountedPattern<MulOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    Value data = mul.getLhs(), by = mul.getRhs();
    if (isUniform(data))
      std::swap(data, by);
    if (isUniform(data) || !isUniform(by) || !isReal(mul) || !needsSplit(by))
      return failure();
    Coefficients parts = split(rewriter, mul.getLoc(), by);
    Value once = MulOp::create(rewriter, mul.getLoc(), data, parts.first);
    finish(rewriter, mul, once, parts);
    ++count;
    return success();
  }
};

struct QuotientOfUniform : public CountedPattern<DivOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(DivOp div,
                                PatternRewriter &rewriter) const override {
    if (isUniform(div.getRhs()) || !isUniform(div.getLhs()) ||
        !needsSplit(div.getLhs()))
      return failure();
    Coefficients parts = split(rewriter, div.getLoc(), div.getLhs());
    Value once =
        DivOp::create(rewriter, div.getLoc(), parts.first, div.getRhs());
    finish(rewriter, div, once, parts);
    ++count;
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

struct ComparisonWithUniform : public CountedPattern<CompareOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(CompareOp compare,
                                PatternRewriter &rewriter) const override {
    for (bool isRight : {true, false}) {
      OpOperand &side =
          isRight ? compare.getRhsMutable() : compare.getLhsMutable();
      Value bound = side.get();
      Value data = isRight ? compare.getLhs() : compare.getRhs();
      if (!isUniform(bound) || isUniform(data) || !isReal(bound) ||
          isExactFloat32(bound))
        continue;
      Value held = round(rewriter, bound, compare.getPredicate(), isRight);
      rewriter.modifyOpInPlace(compare, [&] { side.set(held); });
      ++count;
      return success();
    }
    return failure();
  }

  /// v >= u and v < u turn at the first float32 that is not below u; v > u and
  /// v <= u at the last one that is not above it.
  static Value round(OpBuilder &builder, Value bound, Predicate predicate,
                     bool isRight) {
    Location loc = bound.getLoc();
    switch (predicate) {
    case Predicate::eq:
    case Predicate::ne:
      return Float32ExactlyOp::create(builder, loc, bound);
    case Predicate::ge:
    case Predicate::lt:
      return isRight ? Value(Float32AtLeastOp::create(builder, loc, bound))
                     : Value(Float32AtMostOp::create(builder, loc, bound));
    case Predicate::gt:
    case Predicate::le:
      return isRight ? Value(Float32AtMostOp::create(builder, loc, bound))
                     : Value(Float32AtLeastOp::create(builder, loc, bound));
    }
    llvm_unreachable("unknown predicate");
  }
};

//===----------------------------------------------------------------------===//
// NaN
//===----------------------------------------------------------------------===//

/// min(v, u) is min(v, u) + u where u is NaN.
template <typename OpTy> struct LimitByUniform : public CountedPattern<OpTy> {
  using CountedPattern<OpTy>::CountedPattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (isUniform(op) || !isReal(op))
      return failure();
    UniformBuilder build(rewriter, op.getLoc());
    Value isNaN, sum;
    for (Value operand : op->getOperands()) {
      if (!isUniform(operand) || !getMagnitude(operand).nan)
        continue;
      Value here = build.compare(Predicate::ne, operand, operand);
      isNaN = isNaN ? build.lor(isNaN, here) : here;
      sum = sum ? build.add(sum, operand) : operand;
    }
    if (!isNaN)
      return failure();
    Location loc = op.getLoc();
    std::string name = getValueName(sum).str();
    name = (name.empty() ? "bound" : name) + "IsNaN";
    isNaN.setLoc(NameLoc::get(rewriter.getStringAttr(name), withoutName(loc)));
    auto limited = cast<OpTy>(rewriter.clone(*op));
    Value kept = AddOp::create(rewriter, withoutName(loc), limited, sum);
    rewriter.replaceOpWithNewOp<SelectOp>(op, isNaN, kept, limited);
    ++this->count;
    return success();
  }
};

} // namespace

void lossgrad::populateFloat32Patterns(RewritePatternSet &patterns,
                                       Counter &count) {
  patterns.add<ProductWithUniform, QuotientOfUniform, ComparisonWithUniform,
               LimitByUniform<MinOp>, LimitByUniform<MaxOp>,
               LimitByUniform<ClampOp>>(patterns.getContext(), count);
}
