//===- Derive.h - From a forward to its gradient ----------------*- C++ -*-===//
//
// What importers and tools call to have the gradients of a module derived. The
// passes themselves are described in DerivePasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_DERIVE_H
#define LOSSGRAD_PASSES_DERIVE_DERIVE_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/BuiltinOps.h"

namespace lossgrad {

/// Replaces every `gradient` of the module by formulas, simplified, and removes
/// the rules. Reports what has no derivative, and gradients that need what
/// their operator is not handed.
mlir::LogicalResult deriveGradients(mlir::ModuleOp module);

/// The vector ops that the body of an operator takes per element of its largest
/// dims, by a literal translation: to compare bodies, not to predict kernels.
unsigned countVectorOps(OperatorOp op);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_DERIVE_H
