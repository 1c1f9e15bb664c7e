//===- HeldValues.h - which value a tensor holds where it is used -*- C++
//-*-===//
//
// Planning puts several values into one tensor. What each use of it means stays
// known by an attribute of the user (NameAttributes.h), as far as the tensor is
// not called so itself.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_HELDVALUES_H
#define LOSSGRAD_PASSES_ASCENDC_HELDVALUES_H

#include "dialect/AscendC/IR/AscendC.h"
#include "passes/AscendC/ValueNames.h"

#include "llvm/ADT/StringSet.h"

namespace lossgrad::ascendc {

/// Names that say by themselves what a value is: those of the formula and of
/// parameters.
class KnownNames {
public:
  explicit KnownNames(KernelOp kernel);
  bool contains(mlir::StringAttr name) const {
    return name && values.contains(name.getValue());
  }
  bool isParameter(mlir::StringAttr name) const {
    return name && parameters.contains(name.getValue());
  }

private:
  llvm::StringSet<> values, parameters;
};

/// What a tensor is called, also where it is a result of cases by type; null if
/// it has no name.
mlir::StringAttr getTensorName(mlir::Value tensor);

/// The value that a tensor operand holds: what the user says, else what the
/// tensor is called.
mlir::StringAttr getHeldValue(mlir::OpOperand &operand);

/// Whether the user says it.
bool saysHeldValue(mlir::OpOperand &operand);

/// Lets the user say it, where the tensor is called otherwise; that of a view
/// says it in any case.
void setHeldValue(mlir::OpOperand &operand, mlir::StringAttr value);

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_HELDVALUES_H
