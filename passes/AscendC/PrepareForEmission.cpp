//===- PrepareForEmission.cpp - ascendc-prepare-for-emission --------------===//
//
// The last pass before the printer. It turns computed scalars of the kernel
// body that methods use into members, decides which values are variables, and
// rejects what C++ or AscendC cannot say. It changes no buffer and no order of
// calls.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"
#include "passes/AscendC/ExpressionNames.h"
#include "passes/AscendC/ValueNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCPREPAREFOREMISSION
#include "passes/Passes.h.inc"
} // namespace lossgrad

namespace {

bool isScalar(Value value) { return value.getType().isIntOrFloat(); }

/// The method that a use stands in: init belongs to the members' own method.
bool isInMethod(Operation *op, KernelOp kernel) {
  Operation *top = kernel.getBlock().findAncestorOpInBlock(*op);
  return isa<StageOp, ProcessOp>(top);
}

class PrepareForEmissionPass
    : public lossgrad::impl::AscendCPrepareForEmissionBase<
          PrepareForEmissionPass> {
  void runOnOperation() override {
    getOperation().walk([&](KernelOp each) {
      kernel = each;
      if (failed(prepare()))
        signalPassFailure();
    });
  }

  LogicalResult prepare() {
    if (failed(checkOps()))
      return failure();
    dropNamesOfTilingFields();
    makeFields();
    dropNamesOfReads();
    dropNamesInCopyStages();
    nameSharedExpressions(kernel);
    return success();
  }

  LogicalResult checkOps();
  void dropNamesOfReads();
  void dropNamesOfTilingFields();
  void dropNamesInCopyStages();
  void makeFields();

  KernelOp kernel; // that is prepared
};

LogicalResult PrepareForEmissionPass::checkOps() {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (isa<BufferOp>(op)) {
      op->emitOpError("is a virtual buffer; run ascendc-plan-buffers first");
      return WalkResult::interrupt();
    }
    if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MinUIOp,
            arith::MaxUIOp, arith::ExtUIOp>(op) &&
        !op->getOperand(0).getType().isInteger(1)) {
      op->emitOpError("is unsigned; emitted scalars are signed");
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes()) {
      if (!type.isIndex() && !type.isF16() && !type.isBF16())
        continue;
      op->emitOpError() << "has a scalar of type " << type
                        << "; emitted scalars are i1, i32, i64 and f32";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Tiling data is at hand everywhere: a member of it needs no variable.
void PrepareForEmissionPass::dropNamesOfTilingFields() {
  kernel.walk([](TilingFieldOp field) { dropName(field); });
}

/// A copy stage mentions each part of a block once, beside the tensor that it
/// is of.
void PrepareForEmissionPass::dropNamesInCopyStages() {
  for (StageOp stage : kernel.getBlock().getOps<StageOp>())
    if (stage.getKind() != StageKind::Compute)
      stage.walk([](ViewOp view) {
        if (view->hasOneUse())
          dropName(view);
      });
}

/// Named scalars of the kernel body that methods use, also through unnamed
/// expressions, become members.
void PrepareForEmissionPass::makeFields() {
  llvm::SetVector<Value> needed;
  SmallVector<Value> work;
  kernel.walk([&](Operation *op) {
    if (op == kernel || op->getBlock() == &kernel.getBlock() ||
        !isInMethod(op, kernel))
      return;
    for (Value operand : op->getOperands())
      if (isScalar(operand) && operand.getParentBlock() == &kernel.getBlock())
        work.push_back(operand);
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<arith::ConstantOp, FieldOp, TilingFieldOp>(op))
      continue;
    if (getNameAttr(value))
      needed.insert(value);
    else
      llvm::append_range(work, op->getOperands());
  }
  // In the order of the body, so that output does not depend on use order.
  SmallVector<Value> ordered = needed.takeVector();
  llvm::sort(ordered, [](Value a, Value b) {
    return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
  });
  for (Value value : ordered) {
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfterValue(value);
    StringAttr name = getNameAttr(value);
    auto field =
        FieldOp::create(builder, value.getLoc(), value.getType(), name, value);
    setName(field, name);
    value.replaceAllUsesExcept(field.getResult(), field);
  }
}

/// Variables that only init assigns are the same wherever they are read.
void PrepareForEmissionPass::dropNamesOfReads() {
  kernel.walk([](ReadOp read) {
    bool isFixed =
        llvm::all_of(read.getVariable().getUsers(), [](Operation *user) {
          return isa<ReadOp>(user) || user->getParentOfType<InitOp>();
        });
    if (isFixed)
      dropName(read);
  });
}

} // namespace
