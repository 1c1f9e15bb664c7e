//===- ExpressionNames.cpp - which scalars become variables ---------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/ExpressionNames.h"

#include "dialect/AscendC/IR/AscendC.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lossgrad;

StringRef lossgrad::getScalarName(Value value) {
  if (auto name = value.getLoc()->findInstanceOf<NameLoc>())
    return name.getName();
  return {};
}

/// Ops below this one that are printed inside its expression.
static unsigned expressionSize(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) ||
      isa<arith::ConstantOp, ascendc::FieldOp, ascendc::TilingFieldOp,
          ascendc::ShareBoundOp>(op) ||
      !getScalarName(value).empty())
    return 0;
  unsigned size = 1;
  for (Value operand : op->getOperands())
    size += expressionSize(operand);
  return size;
}

/// How often a value is written: the smaller of two is a comparison and a
/// choice.
static unsigned countUses(Value value) {
  unsigned count = 0;
  for (Operation *user : value.getUsers())
    count += isa<arith::MinSIOp, arith::MaxSIOp>(user) ? 2 : 1;
  return count;
}

/// A name that says what kind of number it is, for lack of a better one.
static StringRef deriveName(Operation *op) {
  if (isa<arith::MulIOp>(op))
    return "length";
  if (isa<arith::SubIOp>(op))
    return "rest";
  if (op->getResult(0).getType().isInteger(1))
    return "condition";
  return isa<FloatType>(op->getResult(0).getType()) ? "factor" : "number";
}

void lossgrad::nameSharedExpressions(Operation *root) {
  constexpr unsigned shortEnough = 2;
  root->walk([&](Operation *op) {
    if (op->getNumResults() != 1 ||
        !op->getResult(0).getType().isIntOrFloat() || !isPure(op) ||
        countUses(op->getResult(0)) < 2 ||
        expressionSize(op->getResult(0)) <= shortEnough)
      return;
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), deriveName(op)),
                            op->getLoc()));
  });
}

/// Visits named scalars without effects, constants apart.
static void forEachNamed(Operation *root,
                         function_ref<void(Operation *, NameLoc)> visit) {
  root->walk([&](Operation *op) {
    auto name = dyn_cast<NameLoc>(op->getLoc());
    if (name && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
        op->getResult(0).getType().isIntOrFloat() &&
        !isa<arith::ConstantOp>(op) && isPure(op))
      visit(op, name);
  });
}

void lossgrad::dropNamesOfSingleReads(Operation *root) {
  forEachNamed(root, [](Operation *op, NameLoc name) {
    if (op->getNumOperands() == 0 && op->hasOneUse())
      op->setLoc(name.getChildLoc());
  });
}

void lossgrad::dropSharedNames(Operation *root) {
  llvm::StringMap<unsigned> bearers;
  forEachNamed(root,
               [&](Operation *, NameLoc name) { ++bearers[name.getName()]; });
  forEachNamed(root, [&](Operation *op, NameLoc name) {
    unsigned &count = bearers[name.getName()];
    if (!op->hasOneUse() || count == 1)
      return;
    op->setLoc(name.getChildLoc());
    --count;
  });
}
