//===- VariantNames.h - What variants are called ----------------*- C++ -*-===//
//
// A variant is called after what sets it apart; the ordinary case has no name
// of its own.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_VARIANTNAMES_H
#define LOSSGRAD_PASSES_VARIANTNAMES_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// `PosWeight` for `posWeightOptional`.
std::string titleOf(llvm::StringRef param);

/// What a condition is called where it holds: `WithWeight`, `ReductionIs1`.
/// Empty if it is too long for a name.
std::string nameCondition(mlir::Value condition);

/// The same of a comparison with a number or with a value that has a name:
/// `targetIsNotIgnoreIndex`.
std::string nameComparison(llvm::StringRef left, Predicate predicate,
                           mlir::Value right);

/// Adds to what a variant is called and when it runs; inputs that are there
/// make one list: `WithPosWeightAndWeight`.
void describe(VariantOp variant, llvm::StringRef name, llvm::StringRef when);

/// The side where a condition does not hold is the ordinary one.
void describeSides(mlir::Value condition, VariantOp holds, VariantOp fails);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_VARIANTNAMES_H
