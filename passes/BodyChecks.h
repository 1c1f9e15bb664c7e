//===- BodyChecks.h - Whether bodies of one operator agree ------*- C++ -*-===//
//
// Kernels of all variants of an operator have the same rows and lanes, those of
// the body that reduces most. A body that would do alone may not fit them.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_BODYCHECKS_H
#define LOSSGRAD_PASSES_BODYCHECKS_H

#include "passes/Spaces.h"

namespace lossgrad {

/// Refuses a body that the common shape of an operator's bodies does not fit,
/// with an error at the op.
mlir::LogicalResult checkAgainst(VariantOp variant, const BodyShape &shape);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_BODYCHECKS_H
