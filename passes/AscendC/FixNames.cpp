//===- FixNames.cpp - ascendc-fix-names -----------------------------------===//
//
// The passes before this one carry the names of values in locations, where
// every rewrite keeps them. What is printed must not depend on locations, so
// the last pass writes the names down as attributes. It decides no name.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/AscendC/IR/NameAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCFIXNAMES
#include "passes/Passes.h.inc"
} // namespace lossgrad

static StringAttr nameIn(Location loc) {
  auto name = loc->findInstanceOf<NameLoc>();
  return name ? name.getName() : StringAttr();
}

static void fixNames(Operation *op) {
  if (StringAttr name = nameIn(op->getLoc()))
    op->setDiscardableAttr(kNameAttr, name);
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.getNumArguments() == 0)
      continue;
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
}

namespace {
struct FixNamesPass : public lossgrad::impl::AscendCFixNamesBase<FixNamesPass> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody())
      if (isa<ProgramOp, func::FuncOp>(op))
        op.walk(fixNames);
  }
};
} // namespace
