//===- InPlace.h - May a kernel write over its input? -----------*- C++ -*-===//
//
// An output that a contract allows in place of an input may be the same memory.
// The host does not know whether it is when it chooses a kernel, so every
// kernel of such an operator must have read an element before anybody stores to
// it. docs/schedule.md says what that excludes.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_INPLACE_H
#define LOSSGRAD_PASSES_INPLACE_H

#include "passes/Passes.h"

namespace lossgrad {

/// Why a kernel must not write an output over its input, in words that follow
/// "because it"; empty if no output of it may lie over one, or if it may.
std::string whyNotInPlace(KernelOp kernel);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_INPLACE_H
