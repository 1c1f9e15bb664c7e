//===- FormulaLatex.h - The formulas of an operator for papers --*- C++ -*-===//
//
// The body of an operator as LaTeX, one line per named value, for pages. The
// plain text that kernels carry is passes/FormulaText.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_DOCS_FORMULALATEX_H
#define LOSSGRAD_CODEGEN_DOCS_FORMULALATEX_H

#include "dialect/LossGrad/IR/LossGrad.h"

#include <string>
#include <vector>

namespace lossgrad::docs {

/// `\mathit{x} &= \mathit{self} - \mathit{target}`, ...
std::vector<std::string> getLatex(OperatorOp op);

} // namespace lossgrad::docs

#endif // LOSSGRAD_CODEGEN_DOCS_FORMULALATEX_H
