//===- GuardedSteps.cpp - One more step where a condition says so ---------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/GuardedSteps.h"
#include "dialect/LossGrad/Analysis/Uniformity.h"

using namespace mlir;
using namespace lossgrad;

/// A value of the host: as it computes it, or as a kernel gets it.
static bool isOfHost(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? isa<lossgrad::KernelOp>(argument.getOwner()->getParentOp())
                  : isUniform(value);
}

/// Whether `after` is one call on `before` and a uniform value, and neither is
/// used but here and in the choice between them.
static bool isStep(Value before, Value after) {
  Operation *step = after.getDefiningOp();
  if (!isa_and_nonnull<MulOp, AddOp>(step) || !after.hasOneUse())
    return false;
  Value lhs = step->getOperand(0), rhs = step->getOperand(1);
  Value by = lhs == before ? rhs : lhs;
  // A tile that was loaded may be wanted as it is; what was computed is ours.
  Operation *source = before.getDefiningOp();
  return (lhs == before || rhs == before) && isOfHost(by) &&
         !isOfHost(before) && source && !isa<WidenOp>(source) &&
         llvm::range_size(before.getUses()) == 2;
}

std::optional<GuardedStep> lossgrad::getGuardedStep(SelectOp select) {
  Value a = select.getTrueValue(), b = select.getFalseValue();
  if (!isOfHost(select.getCondition()))
    return std::nullopt;
  if (isStep(a, b))
    return GuardedStep{a, b.getDefiningOp(), /*onTrue=*/false};
  if (isStep(b, a))
    return GuardedStep{b, a.getDefiningOp(), /*onTrue=*/true};
  return std::nullopt;
}
