//===- LegalizeCalls.h - Calls that a product lacks -------------*- C++ -*-===//
//
// Replaces AscendC calls that the product tables do not list by others that
// they do. What device headers are made of is replaced in their text instead
// (codegen/Kernel/DeviceHeader.h).
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_LEGALIZECALLS_H
#define LOSSGRAD_PASSES_LEGALIZECALLS_H

#include "dialect/AscendC/IR/AscendC.h"
#include "mlir/IR/PatternMatch.h"

namespace lossgrad {

/// Calls with a scalar, and comparisons of ints, by calls with tensors of
/// floats.
void populateTensorFormPatterns(mlir::RewritePatternSet &patterns);

/// Choices by the bits of one repeat at a time. All masks of the program lie
/// accordingly, so this is for all of them or none.
void populateRepeatMaskPatterns(mlir::RewritePatternSet &patterns);

/// Applies what the products of the program need.
void legalizeCalls(ascendc::ProgramOp program);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_LEGALIZECALLS_H
