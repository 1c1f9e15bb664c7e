//===- RetypeBody.h - Dims again from the operands --------------*- C++ -*-===//
//
// A rewrite may put a value with fewer dims in the place of one with more: the
// side of a select that was chosen, or a scalar for a tensor of one element.
// Values broadcast implicitly, so that is right as long as what follows gets
// its type again.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_RETYPEBODY_H
#define LOSSGRAD_PASSES_RETYPEBODY_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// Gives every result of a body the dims that follow from its operands. An op
/// that works along a dim which its operand lost becomes what it means for a
/// value that is the same everywhere along it; where that cannot be said,
/// reports so at the op.
mlir::LogicalResult retypeBody(mlir::Block &body);

/// Whether an index lies within a dim of one axis.
mlir::Value buildIsInside(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value index, mlir::StringAttr dim);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_RETYPEBODY_H
