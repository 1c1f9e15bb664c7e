//===- RecordText.h - A body as fields of a record --------------*- C++ -*-===//
//
// The other way round: formulas in the syntax of records, so that a derived
// body can be read as one would have written it, and kept.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_RECORDTEXT_H
#define LOSSGRAD_CODEGEN_IMPORT_RECORDTEXT_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// Prints the intermediate results and `results` of an operator. What is used
/// more than once, or has a name, is a field of its own.
void printFormulas(OperatorOp op, llvm::raw_ostream &os);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_RECORDTEXT_H
