//===- Steps.cpp - One more call where a condition says so ----------------===//
//
// `select(u, v, f(v))` with a uniform condition (GuardedSteps.h): one branch
// around a call in place, instead of both results and a choice.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"
#include "passes/GuardedSteps.h"

using namespace mlir;
using namespace lossgrad;

void Steps::collect(SweepOp sweep, const LayoutConverter &layouts) {
  for (SelectOp select : sweep.getBody().getOps<SelectOp>()) {
    std::optional<GuardedStep> guarded = getGuardedStep(select);
    // Numbers are chosen from.
    if (!guarded || layouts.getLayout(guarded->before) == Layout::Scalar)
      continue;
    choices[guarded->step] = select;
    done.insert(select);
    guarded->step->moveBefore(select);
  }
}

namespace {

/// The step: the same call on the same buffer, under a branch.
template <typename OpTy, typename TensorOp, typename ScalarOp>
struct StepInPlace : BodyPattern<OpTy> {
  StepInPlace(const LayoutConverter &layouts, BodyBuilder &body,
              const Steps &steps)
      : BodyPattern<OpTy>(layouts, body, kOtherKind), steps(steps) {}

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    SelectOp choice = steps.choices.lookup(op);
    if (!choice)
      return {};
    BodyBuilder &body = this->body;
    KernelBuilder &kernel = body.kernel;
    Held before = x[0].isTensor() ? x[0] : x[1];
    // Conditions are members of the tiling data, compared with 1.
    Value condition = this->layouts.getBound(choice.getCondition()).value;
    auto holds = condition.getDefiningOp<arith::CmpIOp>();
    bool onTrue = choice.getTrueValue() == op.getResult();
    Value guard = onTrue ? condition : kernel.equals(holds.getLhs(), 0);
    kernel.buildIf(guard, [&] {
      body.commutative<TensorOp, ScalarOp>(before.value, x[0].value, x[1].value,
                                           before.layout);
    });
    return before.value;
  }

  const Steps &steps;
};

/// The choice is made where the step is.
struct ChoiceInPlace : BodyPattern<SelectOp> {
  ChoiceInPlace(const LayoutConverter &layouts, BodyBuilder &body,
                const Steps &steps)
      : BodyPattern(layouts, body, kOtherKind), steps(steps) {}

  Value lower(SelectOp op, ArrayRef<Held> x) const override {
    return steps.done.contains(op) ? x[1].value : Value();
  }

  const Steps &steps;
};

} // namespace

void lossgrad::populateStepPatterns(RewritePatternSet &patterns,
                                    const LayoutConverter &layouts,
                                    BodyBuilder &body, const Steps &steps) {
  patterns
      .add<StepInPlace<AddOp, ascendc::AddOp, ascendc::AddsOp>,
           StepInPlace<MulOp, ascendc::MulOp, ascendc::MulsOp>, ChoiceInPlace>(
          layouts, body, steps);
}
