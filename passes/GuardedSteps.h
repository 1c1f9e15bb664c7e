//===- GuardedSteps.h - One more step where a condition says so -*- C++ -*-===//
//
// `select(u, v, f(v))` with a uniform condition u, where f is one call with a
// uniform operand: the work of both sides differs by one call on a tile that is
// there anyway. A scalar branch per tile around that call is as fast as a body
// for each side, so such a choice is no reason for variants.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_GUARDEDSTEPS_H
#define LOSSGRAD_PASSES_GUARDEDSTEPS_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// The parts of such a choice.
struct GuardedStep {
  mlir::Value before;    ///< v
  mlir::Operation *step; ///< f
  bool onTrue;           ///< the step is done where the condition holds
};

/// Reads a choice as a guarded step. v must not be needed otherwise, so that
/// the step may be done in place.
std::optional<GuardedStep> getGuardedStep(SelectOp select);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_GUARDEDSTEPS_H
