//===- Families.h - Which products a pass works for -------------*- C++ -*-===//
//
// From names of products to groups of families that share one architecture and
// so one kernel file. What a family can do is read from the product tables.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_FAMILIES_H
#define LOSSGRAD_PASSES_FAMILIES_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "lossgrad/Targets.h"
#include "mlir/IR/Builders.h"

namespace lossgrad {

/// Families with the same architecture.
struct FamilyGroup {
  unsigned arch;
  llvm::SmallVector<const targets::Family *> families;

  mlir::ArrayAttr getNames(mlir::Builder &builder) const;
};

/// The family of that record name (A2), compute unit (ascend910b) or chip
/// (Ascend910B1), or null.
const targets::Family *findProduct(llvm::StringRef name);

/// The families that are asked for by record name (A2), compute unit
/// (ascend910b) or chip (Ascend910B1), each of which must be a product of the
/// operator; without a request, all its products. Errors are emitted at the
/// operator.
mlir::FailureOr<llvm::SmallVector<FamilyGroup>>
selectFamilies(OperatorOp op, llvm::ArrayRef<llvm::StringRef> requests);

/// Whether all of the families have a call.
bool allHave(llvm::ArrayRef<const targets::Family *> families,
             targets::Api api);

/// The groups of the named families.
llvm::SmallVector<FamilyGroup> groupFamilies(mlir::ArrayAttr names);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_FAMILIES_H
