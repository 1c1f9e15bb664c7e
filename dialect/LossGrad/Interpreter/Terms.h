//===- Terms.h - How large the terms of a sum are ---------------*- C++ -*-===//
//
// A result that is a small difference of large terms cannot be more exact than
// its terms. This says, op by op, how large the largest term of a value is:
// sums and differences pass on the larger operand, products multiply, a choice
// passes on what it chose, everything else starts anew with its own magnitude.
// Where asked for, exponentials scale it by their exponent's terms.
// What error that excuses is for others to decide.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_TERMS_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_TERMS_H

#include "dialect/LossGrad/Interpreter/Interpreter.h"

namespace lossgrad {

/// The largest term of a result, from the operands and their largest terms.
using TermFunction = double (*)(const Element *operands, const Element *terms);

/// Null where the result is a term by itself.
TermFunction getTermFunction(mlir::Operation *op, bool ofExponents);

/// A real value of the same extents that holds absolute values.
RuntimeValue magnitudesOf(const RuntimeValue &value);

/// Makes each term at least as large as the value: a sum of many terms of one
/// sign is larger than any of them.
void raiseToMagnitudes(RuntimeValue &terms, const RuntimeValue &value);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_TERMS_H
