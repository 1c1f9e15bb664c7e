//===- BodyNames.h - What values of a body are called -----------*- C++ -*-===//
//
// Names for what the record does not name, made of the names of what it is
// computed from.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_BODYNAMES_H
#define LOSSGRAD_PASSES_BODYNAMES_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// The name of a value, whatever type it has been brought to; empty if it has
/// none.
llvm::StringRef callValue(mlir::Value value);

/// As the formula calls it, or after what is summed: `wtSum`, `validCount`,
/// `predNearSum`. Empty if that is too long for a name.
std::string callReduction(ReduceOp reduce);

/// What the result of a reduction is: `sum`, `maximum`.
llvm::StringRef roleOf(ReduceKind kind);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_BODYNAMES_H
