//===- ExpressionNames.cpp - which scalars become variables ---------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/ExpressionNames.h"
#include "passes/AscendC/ValueNames.h"

#include "dialect/AscendC/IR/AscendC.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lossgrad;

/// Ops below this one that are printed inside its expression.
static unsigned expressionSize(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) ||
      isa<arith::ConstantOp, ascendc::FieldOp, ascendc::TilingFieldOp,
          ascendc::ShareBoundOp>(op) ||
      getNameAttr(value))
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
    setName(op, deriveName(op));
  });
}

/// Visits named scalars without effects, constants apart.
static void forEachNamed(Operation *root,
                         function_ref<void(Operation *, StringRef)> visit) {
  root->walk([&](Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return;
    StringRef name = getName(op->getResult(0));
    if (!name.empty() && op->getResult(0).getType().isIntOrFloat() &&
        !isa<arith::ConstantOp>(op) && isPure(op))
      visit(op, name);
  });
}

void lossgrad::dropNamesOfSingleReads(Operation *root) {
  forEachNamed(root, [](Operation *op, StringRef) {
    if (op->getNumOperands() == 0 && op->hasOneUse())
      dropName(op);
  });
}

void lossgrad::dropSharedNames(Operation *root) {
  llvm::StringMap<unsigned> bearers;
  forEachNamed(root, [&](Operation *, StringRef name) { ++bearers[name]; });
  forEachNamed(root, [&](Operation *op, StringRef name) {
    unsigned &count = bearers[name];
    if (!op->hasOneUse() || count == 1)
      return;
    dropName(op);
    --count;
  });
}
