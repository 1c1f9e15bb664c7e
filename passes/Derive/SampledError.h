//===- SampledError.h - Which of several bodies rounds worst ----*- C++ -*-===//
//
// Formulas that are equal in exact arithmetic differ in float32: 1 - 1 / (1 +
// e) is not e / (1 + e) where e is small. They are run on sampled calls, with
// every result rounded to float32, against float64.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_SAMPLEDERROR_H
#define LOSSGRAD_PASSES_DERIVE_SAMPLEDERROR_H

#include "dialect/LossGrad/Interpreter/Call.h"

namespace lossgrad {

/// A call of small tensors that the operator's declarations fit; contracts are
/// not asked. `index` counts through choices, presence and kinds of values:
/// ordinary ones, extremes of both signs, values in [0, 1], wide ones and
/// labels. The first dim is as many times longer as `rows` says.
Call makeSampleCall(OperatorOp op, unsigned index, unsigned rows = 1);

/// For each of some bodies that are equal in exact arithmetic, at how many of
/// the sampled points its result in float32 is clearly off. Points where they
/// do not agree in float64 say nothing.
llvm::SmallVector<unsigned> countBadPoints(llvm::ArrayRef<OperatorOp> bodies);

/// How many more bad points than the best a body may have.
inline constexpr unsigned kFewPoints = 3;

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_SAMPLEDERROR_H
