//===- Optimize.cpp - lossgrad-optimize -----------------------------------===//
//
// Algebra with uniform factors on the body of an operator, so that the host
// computes once in float64 what a literal translation would compute for every
// element. Level 1 in, level 1 out: the interpreter runs both. Choosing between
// the two sides of a condition is not done here but in lossgrad-specialize.
//
// Rewrites, in order (v: data, u: uniform). Errors are relative to the literal
// translation, in units of the last place of the compute type (float32).
//
// - (always): real(select(v, u1, u2)) is select(v, real(u1), real(u2)): whole
//   numbers that are chosen per element need no integers there. None.
// - reciprocal: v / u is v * (1/u). One ulp: two roundings for one.
// - sign: sign(v) is clamp(v * 2^160, -1, 1). None: the least |v| is 2^-149.
// - merge: select(u, f(v, u1), f(v, u2)) is f(v, select(u, u1, u2)). None.
// - gather: (v1 * u1) * (v2 * u2) is (v1 * (u1 * u2)) * v2. Half an ulp less
//   per factor saved.
// - clamp: clamp(v, lo, hi) * u is clamp(v * u, lo * u, hi * u), where |u| and
//   the bounds are provably normal in float32. None at saturation, else 0.5
//   ulp.
// - always: v * u is select(fits(u), w, w * u2) with w = v * u where u fits and
//   w = v * u1 elsewhere, if float32 may not hold u. None: u1 is a power of
//   two.
//
// The last one keeps the others right at the edges: 1/u or a product of
// coefficients may be outside of float32 although the result is not. It also
// makes x * inf and x * 0 what x / 0 and x / inf would have been.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "passes/FormulaText.h"
#include "passes/Passes.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringExtras.h"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADOPTIMIZE
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

/// So large that it takes the least float32, 2^-149, far past 1, and still the
/// product of two float32 powers of two.
static constexpr double kSaturation = 0x1p160;

namespace {

class BodyOptimizer {
public:
  BodyOptimizer(OperatorOp op) : op(op), builder(op.getContext()) {}

  void pushCastsIntoSelects();
  void replaceDivisions();
  void replaceSigns();
  void mergeSelects();
  void gatherFactors(bool gather, bool intoClamp);
  void guardCoefficients();
  void cleanUp() { eraseDeadOps(op.getBody().front()); }

private:
  template <typename OpTy> SmallVector<OpTy> collect() {
    SmallVector<OpTy> ops;
    op.getBody().walk([&](OpTy each) { ops.push_back(each); });
    return ops;
  }
  UniformBuilder uniform(Location loc) { return {builder, loc}; }
  void replace(Operation *old, Value with) {
    old->getResult(0).replaceAllUsesWith(with);
    if (isOpTriviallyDead(old))
      old->erase();
  }
  Value castChoices(Value value, Location loc);
  Value merge(Value condition, Value a, Value b);
  bool canMerge(Value a, Value b);
  void collectFactors(Value value, bool isRoot, SmallVectorImpl<Value> &data,
                      SmallVectorImpl<Value> &uniforms);
  Value scaleClamp(ClampOp clamp, Value coefficient);
  Value coefficientOf(ArrayRef<Value> uniforms, Location loc);
  Value scale(ArrayRef<Value> data, Value coefficient, Location loc,
              bool intoClamp);

  OperatorOp op;
  OpBuilder builder;
};

} // namespace

/// `value` as a real, cast where it is chosen from; null if anything but
/// choices between uniform values is in the way.
Value BodyOptimizer::castChoices(Value value, Location loc) {
  if (isUniform(value))
    return CastOp::create(builder, loc,
                          cast<ValueType>(value.getType()).withKind(Kind::Real),
                          value);
  auto select = value.getDefiningOp<SelectOp>();
  if (!select)
    return {};
  Value a = castChoices(select.getTrueValue(), loc);
  Value b = a ? castChoices(select.getFalseValue(), loc) : Value();
  return b ? SelectOp::create(builder, loc, select.getCondition(), a, b)
                 .getResult()
           : Value();
}

void BodyOptimizer::pushCastsIntoSelects() {
  for (CastOp op : collect<CastOp>()) {
    Value operand = op.getOperand();
    if (isUniform(operand) ||
        cast<ValueType>(operand.getType()).getKind() != Kind::Int ||
        cast<ValueType>(op.getType()).getKind() != Kind::Real)
      continue;
    builder.setInsertionPoint(op);
    if (Value choice = castChoices(operand, op.getLoc()))
      replace(op, choice);
  }
}

void BodyOptimizer::replaceDivisions() {
  for (DivOp div : collect<DivOp>()) {
    if (isUniform(div.getLhs()) || !isUniform(div.getRhs()))
      continue;
    builder.setInsertionPoint(div);
    UniformBuilder build = uniform(div.getLoc());
    Value one = build.real(1.0);
    Value reciprocal = build.named("reciprocal").div(one, div.getRhs());
    replace(div,
            MulOp::create(builder, div.getLoc(), div.getLhs(), reciprocal));
  }
}

void BodyOptimizer::replaceSigns() {
  for (SignOp sign : collect<SignOp>()) {
    if (isUniform(sign) ||
        cast<ValueType>(sign.getType()).getKind() != Kind::Real)
      continue;
    builder.setInsertionPoint(sign);
    UniformBuilder build = uniform(sign.getLoc());
    Value huge = build.real(kSaturation), low = build.real(-1.0),
          high = build.real(1.0);
    Value scaled =
        MulOp::create(builder, sign.getLoc(), sign.getOperand(), huge);
    replace(sign, ClampOp::create(builder, sign.getLoc(), scaled, low, high));
  }
}

//===----------------------------------------------------------------------===//
// merge
//===----------------------------------------------------------------------===//

/// Whether two values are the same work on the same data.
bool BodyOptimizer::canMerge(Value a, Value b) {
  if (a == b)
    return true;
  if (a.getType() != b.getType())
    return false;
  if (isUniform(a) && isUniform(b))
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() ||
      x->getAttrDictionary() != y->getAttrDictionary() ||
      x->getNumOperands() != y->getNumOperands())
    return false;
  return llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                      [&](auto pair) {
                        auto [l, r] = pair;
                        return canMerge(l, r);
                      });
}

Value BodyOptimizer::merge(Value condition, Value a, Value b) {
  if (a == b)
    return a;
  if (isUniform(a) && isUniform(b))
    return uniform(a.getLoc()).named(getValueName(a)).select(condition, a, b);
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  IRMapping mapping;
  SmallVector<Value> operands;
  for (auto [l, r] : llvm::zip(x->getOperands(), y->getOperands()))
    operands.push_back(merge(condition, l, r));
  Operation *merged = builder.clone(*x, mapping);
  merged->setOperands(operands);
  return merged->getResult(0);
}

void BodyOptimizer::mergeSelects() {
  for (SelectOp select : collect<SelectOp>()) {
    Value a = select.getTrueValue(), b = select.getFalseValue();
    if (!isUniform(select.getCondition()) || isUniform(select) ||
        !canMerge(a, b) || (isUniform(a) && isUniform(b)))
      continue;
    builder.setInsertionPoint(select);
    replace(select, merge(select.getCondition(), a, b));
  }
}

//===----------------------------------------------------------------------===//
// gather, clamp
//===----------------------------------------------------------------------===//

/// The factors of a product, from left to right. Products with other users are
/// factors themselves, so that nothing is computed twice.
void BodyOptimizer::collectFactors(Value value, bool isRoot,
                                   SmallVectorImpl<Value> &data,
                                   SmallVectorImpl<Value> &uniforms) {
  if (isUniform(value)) {
    uniforms.push_back(value);
    return;
  }
  auto mul = value.getDefiningOp<MulOp>();
  if (mul && (isRoot || value.hasOneUse())) {
    collectFactors(mul.getLhs(), false, data, uniforms);
    collectFactors(mul.getRhs(), false, data, uniforms);
    return;
  }
  data.push_back(value);
}

/// clamp(v, lo, hi) * u as one clamp, or null where a bound or u may leave the
/// normal range of float32, which would change the saturated value.
Value BodyOptimizer::scaleClamp(ClampOp clamp, Value coefficient) {
  Value low = clamp.getLow(), high = clamp.getHigh();
  if (!clamp->hasOneUse() || !isUniform(low) || !isUniform(high))
    return {};
  Magnitude by = getMagnitude(coefficient);
  auto staysNormal = [&](Value bound) {
    if (getRealConstant(bound) == 0.0)
      return true;
    Magnitude at = getMagnitude(bound);
    return Magnitude{at.low * by.low, at.high * by.high, true}
        .isNormalFloat32();
  };
  if (!by.isNormalFloat32() || !staysNormal(low) || !staysNormal(high))
    return {};
  UniformBuilder build = uniform(clamp.getLoc());
  Value a = build.named("low").mul(low, coefficient);
  Value b = build.named("high").mul(high, coefficient);
  if (!by.nonNegative) {
    Value lower = build.named("low").min(a, b);
    b = build.named("high").max(a, b);
    a = lower;
  }
  SmallVector<Value> data, uniforms{coefficient};
  collectFactors(clamp.getValue(), /*isRoot=*/false, data, uniforms);
  Value inner = scale(data, coefficientOf(uniforms, clamp.getLoc()),
                      clamp.getLoc(), /*intoClamp=*/true);
  return ClampOp::create(builder, clamp.getLoc(), inner, a, b);
}

/// The product of `data` and a coefficient with one multiplication for the
/// latter: inside a clamp where that is possible, else at the first factor.
Value BodyOptimizer::scale(ArrayRef<Value> data, Value coefficient,
                           Location loc, bool intoClamp) {
  Value scaled;
  size_t at = 0;
  for (size_t i = 0; i < data.size() && intoClamp && !scaled; ++i)
    if (auto clamp = data[at = i].getDefiningOp<ClampOp>())
      scaled = scaleClamp(clamp, coefficient);
  if (!scaled)
    scaled = MulOp::create(builder, loc, data[at = 0], coefficient);
  for (auto [i, factor] : llvm::enumerate(data))
    if (i != at)
      scaled = MulOp::create(builder, loc, scaled, factor);
  return scaled;
}

/// The product of uniform factors, computed by the host.
Value BodyOptimizer::coefficientOf(ArrayRef<Value> uniforms, Location loc) {
  UniformBuilder build = uniform(loc);
  Value coefficient = uniforms.front();
  for (Value factor : uniforms.drop_front())
    coefficient = build.named("scale").mul(coefficient, factor);
  return coefficient;
}

void BodyOptimizer::gatherFactors(bool gather, bool intoClamp) {
  cleanUp(); // what earlier rewrites left behind would count as a use
  SmallVector<MulOp> products = collect<MulOp>();
  for (MulOp mul : llvm::reverse(products)) {
    bool isInner = mul->hasOneUse() && isa<MulOp>(*mul->user_begin());
    if (isInner || isUniform(mul) ||
        cast<ValueType>(mul.getType()).getKind() != Kind::Real)
      continue;
    SmallVector<Value> data, uniforms;
    collectFactors(mul, /*isRoot=*/true, data, uniforms);
    bool hasClamp = llvm::any_of(data, [](Value factor) {
      return bool(factor.getDefiningOp<ClampOp>());
    });
    bool worthIt = (gather && uniforms.size() > 1) || (intoClamp && hasClamp);
    if (uniforms.empty() || !worthIt)
      continue;
    builder.setInsertionPoint(mul);
    Value coefficient = coefficientOf(uniforms, mul.getLoc());
    Value scaled = scale(data, coefficient, mul.getLoc(), intoClamp);
    mul.replaceAllUsesWith(scaled);
  }
}

//===----------------------------------------------------------------------===//
// Coefficients that float32 may not hold
//===----------------------------------------------------------------------===//

/// A `float` of the C interface is a float32, whatever its value.
static bool isFloatAttribute(Value value) {
  auto attribute = value.getDefiningOp<AttributeOp>();
  if (!attribute)
    return false;
  auto op = attribute->getParentOfType<OperatorOp>();
  return op.findParam(attribute.getName()).getCType().getValue() == "float";
}

void BodyOptimizer::guardCoefficients() {
  cleanUp();
  for (MulOp mul : collect<MulOp>()) {
    Value data = mul.getLhs(), by = mul.getRhs();
    if (isUniform(data))
      std::swap(data, by);
    if (isUniform(data) || !isUniform(by) ||
        cast<ValueType>(mul.getType()).getKind() != Kind::Real ||
        getMagnitude(by).isNormalFloat32() || getRealConstant(by) == 0.0 ||
        isFloatAttribute(by))
      continue;
    builder.setInsertionPoint(mul);
    Location loc = mul.getLoc();
    UniformBuilder build = uniform(loc);
    Value least = build.real(kMinNormalFloat32), most = build.real(kMaxFloat32);
    Value up = build.real(0x1p64), down = build.real(0x1p-64);
    Value one = build.real(1.0), nearTop = build.real(0x1p126);
    Value size = build.abs(by);
    Value large = build.compare(Predicate::ge, size, least);
    Value small = build.compare(Predicate::le, size, most);
    // The name of a coefficient ends up in those of its parts.
    std::string name = getValueName(by).str();
    if (name.empty())
      name = "coefficient";
    std::string title = llvm::toUpper(name[0]) + name.substr(1);
    Value fits = build.named(name + "Fits").land(large, small);
    Value isHuge = build.compare(Predicate::gt, size, nearTop);
    Value isTiny = build.compare(Predicate::lt, size, least);
    Value smaller = build.select(isTiny, down, one);
    Value power = build.named(name + "Power").select(isHuge, up, smaller);
    Value first = build.named("first" + title).select(fits, by, power);
    Value second = build.named("second" + title).div(by, power);
    Value once = MulOp::create(builder, loc, data, first);
    Value twice = MulOp::create(builder, withoutName(loc), once, second);
    Value choice = SelectOp::create(builder, loc, fits, once, twice);
    replace(mul, choice);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OptimizePass
    : public lossgrad::impl::LossgradOptimizeBase<OptimizePass> {
  using LossgradOptimizeBase::LossgradOptimizeBase;

  void runOnOperation() override {
    // What the emitted files say on top is the formula as it was written.
    OperatorOp op = getOperation();
    if (!op->hasAttr(kFormulaAttr)) {
      SmallVector<std::string> lines = getFormula(op);
      op->setAttr(kFormulaAttr, Builder(op).getStrArrayAttr(
                                    llvm::to_vector_of<StringRef>(lines)));
    }
    BodyOptimizer optimizer(op);
    optimizer.pushCastsIntoSelects();
    if (reciprocal)
      optimizer.replaceDivisions();
    if (sign)
      optimizer.replaceSigns();
    if (merge)
      optimizer.mergeSelects();
    if (gather || clamp)
      optimizer.gatherFactors(gather, clamp);
    optimizer.guardCoefficients();
    optimizer.cleanUp();
  }
};
} // namespace
