//===- Calls.h - Calls with extreme values ----------------------*- C++ -*-===//
//
// Draws calls of an operator that its contract accepts: few elements, and
// contents and attributes from the numbers at which rewrites go wrong. Judging
// is not done here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_COMPARE_CALLS_H
#define LOSSGRAD_TOOLS_COMPARE_CALLS_H

#include "dialect/LossGrad/Interpreter/Interpreter.h"
#include "dialect/LossGrad/Interpreter/Random.h"

namespace lossgrad {

/// A call, and what was drawn for it in words.
struct DrawnCall {
  Call call;
  std::string text;
};

/// A random call; nothing if the contract refuses what was drawn.
std::optional<DrawnCall> drawCall(OperatorOp op, llvm::StringRef product,
                                  Random &random);

} // namespace lossgrad

#endif // LOSSGRAD_TOOLS_COMPARE_CALLS_H
