//===- FormulaText.h - A body as lines of mathematics -----------*- C++ -*-===//
//
// For comments in emitted files: the operator's body, or a value of it, as a
// person would write it.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_FORMULATEXT_H
#define LOSSGRAD_PASSES_FORMULATEXT_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/ADT/StringSet.h"

namespace lossgrad {

/// One line per named value of the body.
llvm::SmallVector<std::string> getFormula(OperatorOp op);

/// The names that those lines define.
llvm::StringSet<> getFormulaNames(OperatorOp op);

/// How a value is computed, down to inputs, to values with one of these names
/// and to those that are called something else.
std::string
getDefinition(mlir::Value value, const llvm::StringSet<> &names,
              const llvm::DenseMap<mlir::Value, std::string> &called =
                  llvm::DenseMap<mlir::Value, std::string>());

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_FORMULATEXT_H
