//===- DTypeRules.h - Promotion and casts of dtypes -------------*- C++ -*-===//
//
// The aclnn rules of type promotion, as contracts ask for them. How a value is
// converted is not here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_DTYPERULES_H
#define LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_DTYPERULES_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// The dtype in which two operands meet; undefined where there is none.
DType promoteDTypes(DType lhs, DType rhs);

/// Whether a result of one dtype may be stored as the other: not from complex
/// to real, from floating to integral, or from anything but bool to bool.
bool isCastable(DType from, DType to);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_DTYPERULES_H
