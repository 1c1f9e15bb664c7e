//===- PrepareTiling.cpp - lossgrad-prepare-tiling ------------------------===//
//
// The last pass over tiling functions: names for the emitted text. It changes
// no value.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "passes/AscendC/ExpressionNames.h"
#include "passes/AscendC/ValueNames.h"
#include "passes/Passes.h"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADPREPARETILING
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

namespace {
struct PrepareTilingPass
    : public lossgrad::impl::LossgradPrepareTilingBase<PrepareTilingPass> {
  using LossgradPrepareTilingBase::LossgradPrepareTilingBase;

  void runOnOperation() override {
    dropNamesOfSingleReads(getOperation());
    dropSharedNames(getOperation());
    dropNamesOfMembers();
    nameSharedExpressions(getOperation());
  }

  /// What is only stored in the member of its name needs no variable.
  void dropNamesOfMembers() {
    getOperation().walk([](TilingStoreOp store) {
      Value value = store.getValue();
      if (auto rounded = value.getDefiningOp<arith::TruncFOp>())
        value = rounded.getIn();
      Operation *op = value.getDefiningOp();
      if (op && value.hasOneUse() &&
          lossgrad::getName(value) == store.getMember())
        dropName(op);
    });
  }
};
} // namespace
