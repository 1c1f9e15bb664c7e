//===- Rules.h - Rules of differentiation from records ----------*- C++ -*-===//
//
// The Derivative records of a file, and what they become: `lossgrad.rule` ops
// of a module. Differentiating is not done here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_RULES_H
#define LOSSGRAD_CODEGEN_IMPORT_RULES_H

#include "codegen/Import/RecordSource.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace llvm {
class RecordKeeper;
} // namespace llvm

namespace lossgrad {

/// The rules of a file, by the operator that they are for. The last rule of an
/// operator counts, so that a file of its own can replace one.
class RuleTable {
public:
  static mlir::FailureOr<RuleTable> read(const llvm::RecordKeeper &records,
                                         const RecordSource &source);

  /// The rule of an operator, or null.
  const llvm::Record *find(const llvm::Record &op) const {
    auto it = rules.find(&op);
    return it == rules.end() ? nullptr : it->second;
  }

  /// The rules that are not derivatives: they say where a gradient flows.
  mlir::FailureOr<RuleTable> getRedirects(const RecordSource &source) const;

  /// For each operand of a function with a rule, whether it gets an adjoint.
  mlir::FailureOr<llvm::SmallVector<bool>>
  getReceivers(llvm::StringRef function, const RecordSource &source) const;

  /// Prints all rules and what they say of kinks, as rows of a Markdown table;
  /// rules that are no records, but are described by some, at the end.
  mlir::LogicalResult print(const llvm::RecordKeeper &records,
                            const RecordSource &source,
                            llvm::raw_ostream &os) const;

  /// Makes one op per rule.
  mlir::LogicalResult import(const RecordSource &source,
                             mlir::OpBuilder &builder) const;

private:
  std::map<const llvm::Record *, const llvm::Record *> rules;
  llvm::SmallVector<const llvm::Record *> order; // of the operators
};

/// What a rule consists of, wherever it is written.
struct RuleText {
  const llvm::Record &record; // with the fields `operands` and `adjoints`
  std::string name;
  /// What the function is; null for an op.
  const llvm::DagInit *body = nullptr;
  llvm::SmallVector<llvm::StringRef> bodyNames, dims;
};

/// Makes the op of a rule. `passesFirst`: the function is its first operand,
/// which gets no adjoint and which the record does not list.
mlir::LogicalResult importRule(const RuleText &text, const RuleTable &table,
                               const RecordSource &source,
                               mlir::OpBuilder &builder,
                               bool passesFirst = false);

/// A function applied: dims are those of the operands but `over`.
mlir::Value createApply(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::StringRef function, mlir::ValueRange operands,
                        llvm::ArrayRef<llvm::StringRef> over);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_RULES_H
