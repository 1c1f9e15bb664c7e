//===- Rules.h - The rules of a module --------------------------*- C++ -*-===//
//
// Finds the rules of a module and writes them out where they are used: values
// of a rule have no dims but those it names, so types are inferred anew from
// the operands.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_RULES_H
#define LOSSGRAD_PASSES_DERIVE_RULES_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace lossgrad {

class ModuleRules {
public:
  explicit ModuleRules(mlir::ModuleOp module);

  /// The rule of an op or function, or null.
  RuleOp find(llvm::StringRef name) const { return rules.lookup(name); }

  /// What a function makes of its operands, at the builder's place.
  mlir::Value define(mlir::OpBuilder &builder, ApplyOp apply) const;

  /// Writes all functions of a block out.
  void expandFunctions(mlir::Block &block) const;

  /// Erases the rules.
  void erase();

private:
  llvm::StringMap<RuleOp> rules;
};

/// Writes a region of a rule out for these operands, with the dims that the
/// rule works over replaced; returns what it yields.
llvm::SmallVector<mlir::Value>
instantiate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &region,
            mlir::ValueRange operands, mlir::ArrayAttr from,
            mlir::ArrayAttr to);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_RULES_H
