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

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_FORMULATEXT_H
