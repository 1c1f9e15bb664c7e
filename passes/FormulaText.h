//===- FormulaText.h - A body as lines of mathematics -----------*- C++ -*-===//
//
// For the comment on top of an emitted file: the operator's body as a person
// would write it, one line per named value.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_FORMULATEXT_H
#define LOSSGRAD_PASSES_FORMULATEXT_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

llvm::SmallVector<std::string> getFormula(OperatorOp op);

/// An attribute of the operator that keeps these lines where a pass rewrites
/// the body.
inline constexpr llvm::StringLiteral kFormulaAttr = "lossgrad.formula";

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_FORMULATEXT_H
