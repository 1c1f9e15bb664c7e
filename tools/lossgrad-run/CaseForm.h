//===- CaseForm.h - What a case may look like -------------------*- C++ -*-===//
//
// Checks cases before anything runs: known keys, values of the right kind,
// tensors that can be described and filled; names and attributes that the
// operator has. A mistake in a case is a mistake of its author and must not
// look like one of the operator. What a case computes is not looked at.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_CASEFORM_H
#define LOSSGRAD_TOOLS_RUN_CASEFORM_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lossgrad::run {

struct Case;

/// The JSON of a case by itself. The message does not say where the case is.
llvm::Error checkForm(const llvm::json::Object &object);

/// A case of the right form against its operator, likewise.
llvm::Error checkFits(OperatorOp op, const Case &test);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_CASEFORM_H
