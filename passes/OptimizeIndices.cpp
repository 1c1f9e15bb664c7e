//===- OptimizeIndices.cpp - Look-ups moved to the inputs -----------------===//
//
// Patterns of lossgrad-optimize on gathers: what is computed element by element
// from tables is computed once from what is taken from them.
//
//===----------------------------------------------------------------------===//

#include "passes/OptimizePatterns.h"
#include "passes/RetypeBody.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// f(a, b)[i] is f(a[i], b[i]), of which a dim that an operand lacks leaves
/// that as it is. An index outside of the dim still gives `otherwise`. What is
/// chosen where the index is, is chosen in its place.
struct GatherOfElementwise : public CountedPattern<GatherOp> {
  using CountedPattern::CountedPattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    Operation *table = op.getTable().getDefiningOp();
    if (!table || !table->hasTrait<Elementwise>() || isUniform(op.getTable()))
      return failure();
    StringAttr over = op.getOverAttr();
    auto isAlong = [&](Value value) {
      return cast<ValueType>(value.getType()).hasDim(over);
    };
    // Of conditions only that of this very index is known in its place.
    auto isOwn = [&](Value value) {
      auto hit = value.getDefiningOp<OneHotOp>();
      return hit && hit.getIndex() == op.getIndex() &&
             hit.getOverAttr() == over;
    };
    if (llvm::any_of(table->getOperands(), [&](Value operand) {
          return isAlong(operand) && !isOwn(operand) &&
                 cast<ValueType>(operand.getType()).getKind() != Kind::Real;
        }))
      return failure();
    Location loc = withoutName(op.getLoc());
    Value zero = ConstantOp::create(rewriter, loc, rewriter.getF64FloatAttr(0));
    SmallVector<Value> taken;
    for (Value operand : table->getOperands()) {
      if (isOwn(operand))
        taken.push_back(
            ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true)));
      else if (isAlong(operand))
        taken.push_back(GatherOp::create(rewriter, loc, operand, op.getIndex(),
                                         zero, over));
      else
        taken.push_back(operand);
    }
    OperationState state(loc, table->getName());
    state.addOperands(taken);
    state.addAttributes(table->getAttrs());
    state.propertiesAttr = table->getPropertiesAsAttribute();
    SmallVector<Type> types;
    // Only a cast has a kind of its own, which its operand does not tell.
    if (isa<CastOp>(table))
      types.push_back(
          cast<ValueType>(taken.front().getType())
              .withKind(cast<ValueType>(op.getTable().getType()).getKind()));
    else if (failed(cast<InferTypeOpInterface>(table).inferReturnTypes(
                 op.getContext(), loc, taken, table->getAttrDictionary(),
                 table->getPropertiesStorage(), {}, types)))
      return failure();
    state.addTypes(types);
    Operation *computed = rewriter.create(state);
    Value value = computed->getResult(0);
    if (SmallVector<Value> folded;
        succeeded(rewriter.tryFold(computed, folded)) && folded.size() == 1)
      value = folded.front();
    Value inside = buildIsInside(rewriter, loc, op.getIndex(), over);
    rewriter.replaceOpWithNewOp<SelectOp>(op, inside, value, op.getOtherwise());
    ++count;
    return success();
  }
};

} // namespace

void lossgrad::populateIndexPatterns(RewritePatternSet &patterns,
                                     Counter &count) {
  patterns.add<GatherOfElementwise>(patterns.getContext(), count);
}
