//===- ExpressionNames.h - which scalars become variables -------*- C++ -*-===//
//
// In emitted text a scalar with a name is a variable and one without is written
// where it is used. These functions decide that for the last passes before the
// printers of kernels and tiling functions.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_EXPRESSIONNAMES_H
#define LOSSGRAD_PASSES_ASCENDC_EXPRESSIONNAMES_H

#include "mlir/IR/Operation.h"

namespace lossgrad {

/// Names expressions of some length that would be written more than once.
void nameSharedExpressions(mlir::Operation *root);

/// Takes the names of reads (ops without operands) that are used once: they are
/// as short as their name.
void dropNamesOfSingleReads(mlir::Operation *root);

/// Takes the names of values that are used once and share their name with
/// another, which then needs no number.
void dropSharedNames(mlir::Operation *root);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_ASCENDC_EXPRESSIONNAMES_H
