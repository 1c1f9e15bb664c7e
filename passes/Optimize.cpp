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
// - (always): f(v1, v2)[i] is f(v1[i], v2[i]): what is looked up is an input.
//   None.
// - (always): select(v1, select(v2, v3, ...), ...) is select(v1, v3, ...) where
//   v2 holds wherever v1 does. None.
// - (always): pow(v, u) is a product, up to the eighth power and with roots for
//   halves; else exp(u * log(|v|)), times (-1)^u below 0, and 1 for u = 0. As
//   many ulp as there are products; else |u * log(v)|, at most 90.
// - reciprocal: v / u is v * (1/u). One ulp: two roundings for one.
// - sign: sign(v) is clamp(v * 2^160, -1, 1). None: the least |v| is 2^-149.
// - merge: select(u, f(v, u1), f(v, u2)) is f(v, select(u, u1, u2)). None.
// - gather: (v * u1) * u2 is v * (u1 * u2). Half an ulp less per factor saved.
//   ((v1 * u1) * v2) * u2 is (v1 * (u1 * u2)) * v2 where 2^-64 <= |u2| <= 1.
//   The same, and 2^-150 * v2 where v1 * u1 * u2 is below the normal range.
// - clamp: clamp(v * u1, lo, hi) * u2 is clamp(v * (u1 * u2), lo * u2, hi *
//   u2), where |u2| and the bounds are provably normal in float32. None at
//   saturation, else 0.5 ulp.
// - (always): what float32 may not hold is prepared for it where data meets it
//   (OptimizeFloat32.cpp). None where v is normal.
//
// The last one keeps the others right at the edges: 1/u or a product of
// coefficients may be outside of float32 although the result is not. It also
// makes x * inf and x * 0 what x / 0 and x / inf would have been.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/FormulaText.h"
#include "passes/OptimizePatterns.h"
#include "passes/Passes.h"
#include "passes/UniformValues.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "lossgrad-optimize"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADOPTIMIZE
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

namespace {
struct OptimizePass
    : public lossgrad::impl::LossgradOptimizeBase<OptimizePass> {
  using LossgradOptimizeBase::LossgradOptimizeBase;

  /// What the emitted files say on top is the formula as it was written.
  void keepFormula() {
    OperatorOp op = getOperation();
    if (op.getFormula())
      return;
    SmallVector<std::string> lines = getFormula(op);
    op.setFormulaAttr(
        Builder(op).getStrArrayAttr(llvm::to_vector_of<StringRef>(lines)));
  }

  LogicalResult apply(RewritePatternSet patterns, StringRef what) {
    LDBG() << getOperation().getSymName() << ": " << what;
    GreedyRewriteConfig config;
    config.enableFolding(false)
        .enableConstantCSE(false)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    return applyPatternsGreedily(getOperation().getBody(), std::move(patterns),
                                 config);
  }

  /// Algebra: until nothing changes.
  LogicalResult simplify() {
    RewritePatternSet forms(&getContext());
    populateCastPatterns(forms);
    populateIndexPatterns(forms, numLookUps);
    populatePowerPatterns(forms, numPowers);
    populateImpliedPatterns(forms);
    if (reciprocal)
      populateReciprocalPatterns(forms, numReciprocals);
    if (sign)
      populateSignPatterns(forms, numSigns);
    if (merge)
      populateMergePatterns(forms, numMerged);
    if (failed(apply(std::move(forms), "forms")))
      return failure();
    RewritePatternSet factors(&getContext());
    if (gather)
      populateGatherPatterns(factors, numGathered, clamp);
    if (clamp)
      populateClampPatterns(factors, numScaled);
    return apply(std::move(factors), "factors");
  }

  /// The border to float32: each op once.
  LogicalResult prepareForFloat32() {
    LDBG() << getOperation().getSymName() << ": border to float32";
    RewritePatternSet border(&getContext());
    populateFloat32Patterns(border, numGuarded);
    SmallVector<Operation *> ops;
    for (Operation &op : getOperation().getBody().front())
      ops.push_back(&op);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false).setStrictness(
        GreedyRewriteStrictness::ExistingOps);
    return applyOpPatternsGreedily(ops, std::move(border), config);
  }

  void runOnOperation() override {
    keepFormula();
    if (failed(simplify()) || failed(prepareForFloat32()))
      return signalPassFailure();
    eraseDeadOps(getOperation().getBody().front());
  }
};
} // namespace
