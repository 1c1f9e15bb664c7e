//===- Contract.h - Evaluating the contract of an operator ------*- C++ -*-===//
//
// Runs the checks of an operator on one call, in their order, as the first
// phase of its aclnn function does, and says which of them ended it and why.
// It reads descriptions only, never the contents of a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_CONTRACT_H
#define LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_CONTRACT_H

#include "dialect/LossGrad/Interpreter/Call.h"

namespace lossgrad {

/// How the first phase of a call ends.
struct ContractOutcome {
  /// 0: the call is accepted.
  int64_t status = 0;
  /// Accepted by a `done_if`: there is nothing to launch.
  bool nothingToDo = false;
  /// The check or done_if that ended it; null where all checks held.
  mlir::Operation *endedBy = nullptr;
  /// Its position among the checks of the contract, from 1.
  unsigned position = 0;
  /// The message of the failed check with its values filled in.
  std::string message;
  /// The condition with the values of the call, e.g. `(rank self = 9 <= 8)`.
  std::string predicate;
};

/// Evaluates the contract. Fails with a diagnostic at the op where the contract
/// itself is at fault, e.g. where it asks for the rank of a null tensor.
mlir::FailureOr<ContractOutcome> evaluateContract(OperatorOp op,
                                                  const Call &call);

/// A condition of the contract or of the body in a call. Fails, with a
/// diagnostic, where it depends on the contents of a tensor or asks for what
/// the call does not have.
mlir::FailureOr<bool> evaluateCondition(OperatorOp op, const Call &call,
                                        mlir::Value condition);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_CONTRACT_H
