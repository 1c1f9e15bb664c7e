//===- OptimizeImplied.cpp - Choices that another one has made ------------===//
//
// A look-up asks whether its index lies within the dim, and a formula that only
// wants it for valid rows has asked that before. Where a value is wanted only
// under a condition from which that of a choice follows, the choice is its
// first side. No result changes: what is chosen elsewhere is thrown away.
//
//===----------------------------------------------------------------------===//

#include "passes/OptimizePatterns.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

/// Whether two values are the same computation. Conditions are shallow: what is
/// deeper than this counts as different.
static bool isSame(Value a, Value b, unsigned depth = 4) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth == 0 || a.getType() != b.getType())
    return false;
  return OperationEquivalence::isEquivalentTo(
      x, y, [&](Value l, Value r) { return success(isSame(l, r, depth - 1)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

static void collectParts(Value condition, SmallVectorImpl<Value> &parts) {
  if (auto both = condition.getDefiningOp<AndOp>()) {
    for (Value operand : both->getOperands())
      collectParts(operand, parts);
    return;
  }
  parts.push_back(condition);
}

/// Whether one condition holds wherever another does: all of its parts are
/// parts of the other.
static bool follows(Value condition, Value from) {
  SmallVector<Value> wanted, given;
  collectParts(condition, wanted);
  collectParts(from, given);
  return llvm::all_of(wanted, [&](Value part) {
    return llvm::any_of(given,
                        [&](Value known) { return isSame(part, known); });
  });
}

namespace {

struct ImpliedChoice : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp select,
                                PatternRewriter &rewriter) const override {
    if (isUniform(select.getCondition()) ||
        select.getTrueValue().getType() != select.getType())
      return failure();
    // Up to the choice that wants it, element by element: beyond a sum or a
    // look-up the condition would be that of another element.
    Value wanted = select;
    while (wanted.hasOneUse()) {
      OpOperand &use = *wanted.use_begin();
      Operation *user = use.getOwner();
      if (!user->hasTrait<Elementwise>())
        return failure();
      auto outer = dyn_cast<SelectOp>(user);
      if (outer && use.get() == outer.getTrueValue() &&
          follows(select.getCondition(), outer.getCondition())) {
        rewriter.replaceOp(select, select.getTrueValue());
        return success();
      }
      wanted = user->getResult(0);
    }
    return failure();
  }
};

} // namespace

void lossgrad::populateImpliedPatterns(RewritePatternSet &patterns) {
  patterns.add<ImpliedChoice>(patterns.getContext());
}
