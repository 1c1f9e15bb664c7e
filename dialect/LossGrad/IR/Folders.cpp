//===- Folders.cpp - Folding and canonicalisation -------------------------===//
//
// Rewrites that never change a result, NaN, infinities and signed zeros
// included. Rewrites that change rounding belong to lossgrad-optimize.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lossgrad;

#define NO_FOLD(OP)                                                            \
  OpFoldResult OP::fold(FoldAdaptor) { return {}; }
NO_FOLD(AddOp)
NO_FOLD(SubOp)
NO_FOLD(MulOp) NO_FOLD(DivOp) NO_FOLD(MinOp) NO_FOLD(MaxOp) NO_FOLD(PowOp)
    NO_FOLD(ClampOp) NO_FOLD(NegOp) NO_FOLD(AbsOp) NO_FOLD(SignOp)
        NO_FOLD(ExpOp) NO_FOLD(LogOp) NO_FOLD(SqrtOp) NO_FOLD(SinOp)
            NO_FOLD(CosOp) NO_FOLD(AndOp) NO_FOLD(OrOp) NO_FOLD(NotOp)
                NO_FOLD(SelectOp) NO_FOLD(CastOp) NO_FOLD(CompareOp)
                    NO_FOLD(ReduceOp)
                        OpFoldResult ConstantOp::fold(FoldAdaptor) {
  return getValue();
}
void CompareOp::getCanonicalizationPatterns(RewritePatternSet &,
                                            MLIRContext *) {}
