//===- FormulaOperator.h - What Formula.td says of an operator --*- C++ -*-===//
//
// The defs that may stand first in a formula's dag, read from their records:
// the op they become, what stands at each place, which kinds of values fit. No
// operator is known by name in C++.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_FORMULAOPERATOR_H
#define LOSSGRAD_CODEGEN_IMPORT_FORMULAOPERATOR_H

#include "codegen/Import/RecordSource.h"
#include "mlir/IR/Attributes.h"

namespace lossgrad {

/// What stands at one place of a dag.
struct FormulaArg {
  enum Kind {
    Value,
    Tensor,
    Pointer,
    Sized,
    Dim,
    Dims,
    Part,
    DimsOf,
    Attribute,
    Int,
    Choice,
    Families,
    OwnFamilies
  };
  Kind kind;
  llvm::StringRef attr; // of the op
  llvm::StringRef doc;

  bool takesRest() const { return kind == Dims || kind == Families; }
};

/// A FormulaOp, or a Function if `body` is set.
struct FormulaOperator {
  llvm::StringRef name;
  llvm::StringRef doc;
  llvm::SmallVector<FormulaArg> args;
  const llvm::Record *record = nullptr;

  std::string mlirOp; // with dialect; empty: the argument itself
  llvm::StringRef kinds;
  bool nary = false;
  unsigned optional = 0;
  llvm::SmallVector<mlir::NamedAttribute> fixed;

  const llvm::DagInit *body = nullptr;
  llvm::SmallVector<llvm::StringRef> names; // of a function's arguments
  llvm::SmallVector<llvm::StringRef> dims;  // those that name dims

  unsigned getMinArgs() const;
  /// ~0u if there is no limit.
  unsigned getMaxArgs() const;
  /// `(sum value, dim...)`: for messages and listings.
  std::string getUsage() const;
};

/// Reads an operator; reports what is wrong with its definition.
mlir::FailureOr<FormulaOperator>
readFormulaOperator(const llvm::Record &record, const RecordSource &source);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_FORMULAOPERATOR_H
