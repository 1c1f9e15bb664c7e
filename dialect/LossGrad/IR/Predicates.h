//===- Predicates.h - Comparisons the other way round -----------*- C++ -*-===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_PREDICATES_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_PREDICATES_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// What a < b is for b > a, and so on.
inline Predicate mirrored(Predicate predicate) {
  switch (predicate) {
  case Predicate::lt:
    return Predicate::gt;
  case Predicate::le:
    return Predicate::ge;
  case Predicate::gt:
    return Predicate::lt;
  case Predicate::ge:
    return Predicate::le;
  default:
    return predicate;
  }
}

/// What holds where a comparison does not; of reals, where none is NaN.
inline Predicate opposite(Predicate predicate) {
  switch (predicate) {
  case Predicate::eq:
    return Predicate::ne;
  case Predicate::ne:
    return Predicate::eq;
  case Predicate::lt:
    return Predicate::ge;
  case Predicate::le:
    return Predicate::gt;
  case Predicate::gt:
    return Predicate::le;
  case Predicate::ge:
    return Predicate::lt;
  }
  llvm_unreachable("unknown predicate");
}

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_PREDICATES_H
