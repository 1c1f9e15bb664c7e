//===- FixNames.cpp - ascendc-fix-names -----------------------------------===//
//
// Names of values as attributes. Formulas carry theirs in locations, where
// every rewrite keeps them and no op differs from another by its name alone.
// What is printed must not depend on locations, so the passes that make level 3
// and tiling functions end by writing the names down; the pass of that name
// does it for text that was written by hand. It decides no name.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"
#include "passes/AscendC/ValueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCFIXNAMES
#include "passes/Passes.h.inc"
} // namespace lossgrad

StringAttr lossgrad::getNameAttr(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->getAttrOfType<StringAttr>(kNameAttr);
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  auto names = owner->getAttrOfType<ArrayAttr>(kArgumentNamesAttr);
  if (!names)
    return {};
  auto name = cast<StringAttr>(names[argument.getArgNumber()]);
  return name.empty() ? StringAttr() : name;
}

StringRef lossgrad::getName(Value value) {
  StringAttr name = getNameAttr(value);
  return name ? name.getValue() : StringRef();
}

Operation *lossgrad::setName(Operation *op, const Twine &name) {
  return setName(op, StringAttr::get(op->getContext(), name));
}

Operation *lossgrad::setName(Operation *op, StringAttr name) {
  dropName(op);
  if (!name || name.empty())
    return op;
  op->setDiscardableAttr(kNameAttr, name);
  op->setLoc(NameLoc::get(name, op->getLoc()));
  return op;
}

void lossgrad::dropName(Operation *op) {
  op->removeDiscardableAttr(kNameAttr);
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    op->setLoc(name.getChildLoc());
}

static StringAttr nameIn(Location loc) {
  auto name = loc->findInstanceOf<NameLoc>();
  return name ? name.getName() : StringAttr();
}

static void fixArgumentNames(Operation *op, Region &region) {
  SmallVector<Attribute> names;
  bool anyName = false;
  for (BlockArgument argument : region.getArguments()) {
    StringAttr name = nameIn(argument.getLoc());
    anyName |= static_cast<bool>(name);
    names.push_back(name ? name : StringAttr::get(op->getContext(), ""));
  }
  if (anyName)
    op->setDiscardableAttr(kArgumentNamesAttr,
                           ArrayAttr::get(op->getContext(), names));
}

void lossgrad::fixNames(Operation *root) {
  root->walk([](Operation *op) {
    if (op->getNumResults() > 0 || isa<LoopLikeOpInterface>(op))
      if (StringAttr name = nameIn(op->getLoc()))
        setName(op, name);
    for (Region &region : op->getRegions())
      if (!region.empty() && region.getNumArguments() > 0)
        fixArgumentNames(op, region);
  });
}

namespace {
struct FixNamesPass : public lossgrad::impl::AscendCFixNamesBase<FixNamesPass> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody())
      if (isa<ProgramOp, func::FuncOp>(op))
        fixNames(&op);
  }
};
} // namespace
