//===- Points.h - What differs in one place per row -------------*- C++ -*-===//
//
// A one-hot result differs from others in one place per row. Where rows are
// long, comparing every position with the index costs more than computing the
// rest; `lossgrad.point` says what happens in that one place instead. Which
// kernels take points and which compare is the schedule's business.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_POINTS_H
#define LOSSGRAD_PASSES_POINTS_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// Builds the results of a variant once more, with points in the place of
/// one-hot conditions, at the end of its body. Empty where that cannot be done
/// for all of them: several indices, or something other than elementwise ops
/// between the index and a result. The results themselves where no condition is
/// one-hot.
llvm::SmallVector<mlir::Value> buildPointedResults(VariantOp variant);

/// The same results once more, where those that are 0 but in one place are
/// rounded before they are put there: one rounding per row instead of one per
/// element, and what is chosen from has the element type already.
llvm::SmallVector<mlir::Value>
buildRoundedPoints(llvm::ArrayRef<mlir::Value> results);

/// The condition of a result that is 0 where a condition on its row fails, and
/// what it is elsewhere.
struct RowGuard {
  mlir::Value condition, value;
};
/// `select(condition, value, 0)` where the condition lacks `lanes`, some of the
/// dims that the value has.
std::optional<RowGuard> getRowGuard(mlir::Value value);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_POINTS_H
