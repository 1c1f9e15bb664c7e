//===- OptimizePatterns.h - The rewrites of lossgrad-optimize ---*- C++ -*-===//
//
// Patterns by switch, so that another pass or a test can take some of them. The
// table of rewrites with their errors is in Optimize.cpp. All of them read and
// write level 1 and leave uniform values to the host.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_OPTIMIZEPATTERNS_H
#define LOSSGRAD_PASSES_OPTIMIZEPATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace lossgrad {

using Counter = mlir::Pass::Statistic;

/// A pattern that counts how often it is applied.
template <typename OpTy>
struct CountedPattern : public mlir::OpRewritePattern<OpTy> {
  CountedPattern(mlir::MLIRContext *context, Counter &count)
      : mlir::OpRewritePattern<OpTy>(context), count(count) {}

  Counter &count;
};

/// Casts of chosen whole numbers become choices of reals.
void populateCastPatterns(mlir::RewritePatternSet &patterns);
/// v / u as v * (1 / u).
void populateReciprocalPatterns(mlir::RewritePatternSet &patterns,
                                Counter &count);
/// sign(v) as a saturated product.
void populateSignPatterns(mlir::RewritePatternSet &patterns, Counter &count);
/// A choice between equal computations as one computation on chosen values.
void populateMergePatterns(mlir::RewritePatternSet &patterns, Counter &count);
/// Uniform factors next to each other, and those that may move to others.
/// `intoClamps`: they may also move into a clamp that has a factor inside.
void populateGatherPatterns(mlir::RewritePatternSet &patterns, Counter &count,
                            bool intoClamps);
/// clamp(v * u1, lo, hi) * u2 with one product.
void populateClampPatterns(mlir::RewritePatternSet &patterns, Counter &count);

/// Powers of data as products, or exponentials of logarithms.
void populatePowerPatterns(mlir::RewritePatternSet &patterns, Counter &count);

/// Look-ups in what is computed as computations on what is looked up.
void populateIndexPatterns(mlir::RewritePatternSet &patterns, Counter &count);

/// Choices whose condition follows from that under which their result is
/// wanted.
void populateImpliedPatterns(mlir::RewritePatternSet &patterns);

/// What float32 may not hold where data meets it: coefficients, bounds of
/// comparisons, NaN among the operands of min, max and clamp. These apply once:
/// to run on the ops of a body, not on what they make of them.
void populateFloat32Patterns(mlir::RewritePatternSet &patterns, Counter &count);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_OPTIMIZEPATTERNS_H
