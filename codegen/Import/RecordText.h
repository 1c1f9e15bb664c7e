//===- RecordText.h - A body as fields of a record --------------*- C++ -*-===//
//
// The other way round: formulas in the syntax of records, so that a derived
// body can be read as one would have written it, and kept.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_RECORDTEXT_H
#define LOSSGRAD_CODEGEN_IMPORT_RECORDTEXT_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace llvm {
class RecordKeeper;
} // namespace llvm

namespace lossgrad {

/// Prints the intermediate results and `results` of an operator. What is used
/// more than once, or has a name, is a field of its own, by none of the names
/// that are reserved. Every line begins with `indent`.
void printFormulas(OperatorOp op, llvm::raw_ostream &os,
                   llvm::ArrayRef<llvm::StringRef> reserved = {},
                   llvm::StringRef indent = "  ");

/// Prints a file of records with the derived operators of `module` written
/// down: an operator that says nothing of its results has them in its
/// definition, a forward without an operator gets one. What stands for another
/// body, or is made of several operators, follows as comments.
void printDerivedRecords(llvm::StringRef text, mlir::ModuleOp module,
                         const llvm::RecordKeeper &records,
                         llvm::raw_ostream &os);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_RECORDTEXT_H
