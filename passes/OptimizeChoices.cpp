//===- OptimizeChoices.cpp - Choices moved to where the host makes them ---===//
//
// Patterns of lossgrad-optimize on selects: a choice between numbers is made
// before they are converted, and a choice between equal computations is made
// between their uniform operands.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/OptimizePatterns.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

static Kind kindOf(Value value) {
  return cast<ValueType>(value.getType()).getKind();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

namespace {

/// Makes reals of whole numbers where they are chosen from.
class ChoiceCaster {
public:
  ChoiceCaster(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Whether only choices between uniform values are in the way.
  bool canCast(Value value) {
    if (isUniform(value))
      return true;
    auto [entry, isNew] = possible.try_emplace(value, false);
    if (!isNew)
      return entry->second;
    auto select = value.getDefiningOp<SelectOp>();
    bool result = select && canCast(select.getTrueValue()) &&
                  canCast(select.getFalseValue());
    return possible[value] = result;
  }

  Value cast(Value value) {
    if (Value known = made.lookup(value))
      return known;
    Value result;
    if (isUniform(value)) {
      auto type = llvm::cast<ValueType>(value.getType());
      result = CastOp::create(builder, loc, type.withKind(Kind::Real), value);
    } else {
      auto select = value.getDefiningOp<SelectOp>();
      Value a = cast(select.getTrueValue()), b = cast(select.getFalseValue());
      result = SelectOp::create(builder, loc, select.getCondition(), a, b);
    }
    return made[value] = result;
  }

private:
  OpBuilder &builder;
  Location loc;
  llvm::DenseMap<Value, bool> possible;
  llvm::DenseMap<Value, Value> made;
};

struct CastOfChoice : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    ChoiceCaster caster(rewriter, op.getLoc());
    if (isUniform(operand) || kindOf(operand) != Kind::Int ||
        kindOf(op) != Kind::Real || !caster.canCast(operand))
      return failure();
    rewriter.replaceOp(op, caster.cast(operand));
    return success();
  }
};

} // namespace

void lossgrad::populateCastPatterns(RewritePatternSet &patterns) {
  patterns.add<CastOfChoice>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// merge
//===----------------------------------------------------------------------===//

namespace {

/// Two computations that do the same work on the same data, as one. Each pair
/// of values is looked at once: shared operands make trees of bodies, not
/// forests.
class Merger {
public:
  Merger(OpBuilder &builder, Value condition)
      : builder(builder), condition(condition) {}

  bool canMerge(Value a, Value b) {
    if (a == b)
      return true;
    if (a.getType() != b.getType())
      return false;
    if (isUniform(a) && isUniform(b))
      return true;
    auto [entry, isNew] = possible.try_emplace({a, b}, false);
    if (!isNew)
      return entry->second;
    Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    bool result =
        x && y && x->getName() == y->getName() &&
        x->getAttrDictionary() == y->getAttrDictionary() &&
        x->getNumOperands() == y->getNumOperands() &&
        llvm::all_of(llvm::zip_equal(x->getOperands(), y->getOperands()),
                     [&](auto pair) {
                       auto [l, r] = pair;
                       return canMerge(l, r);
                     });
    return possible[{a, b}] = result;
  }

  Value merge(Value a, Value b) {
    if (a == b)
      return a;
    if (Value known = made.lookup({a, b}))
      return known;
    Value result;
    if (isUniform(a) && isUniform(b)) {
      result = UniformBuilder(builder, a.getLoc())
                   .named(getValueName(a))
                   .select(condition, a, b);
    } else {
      Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
      SmallVector<Value> operands;
      for (auto [l, r] : llvm::zip_equal(x->getOperands(), y->getOperands()))
        operands.push_back(merge(l, r));
      Operation *merged = builder.clone(*x);
      merged->setOperands(operands);
      result = merged->getResult(0);
    }
    return made[{a, b}] = result;
  }

private:
  OpBuilder &builder;
  Value condition;
  llvm::DenseMap<std::pair<Value, Value>, bool> possible;
  llvm::DenseMap<std::pair<Value, Value>, Value> made;
};

struct ChoiceOfEqualWork : public CountedPattern<SelectOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(SelectOp select,
                                PatternRewriter &rewriter) const override {
    Value a = select.getTrueValue(), b = select.getFalseValue();
    if (!isUniform(select.getCondition()) || (isUniform(a) && isUniform(b)))
      return failure();
    Merger merger(rewriter, select.getCondition());
    if (!merger.canMerge(a, b))
      return failure();
    rewriter.replaceOp(select, merger.merge(a, b));
    ++count;
    return success();
  }
};

} // namespace

void lossgrad::populateMergePatterns(RewritePatternSet &patterns,
                                     Counter &count) {
  patterns.add<ChoiceOfEqualWork>(patterns.getContext(), count);
}
