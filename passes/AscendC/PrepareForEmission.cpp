//===- PrepareForEmission.cpp - ascendc-prepare-for-emission --------------===//
//
// The last pass before the printer. It turns scalars of the kernel body that
// methods use into members, gives names to expressions that would be printed
// more than once, and rejects what C++ or AscendC cannot say. It changes no
// buffer and no order of calls.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"
#include "passes/AscendC/ExpressionNames.h"

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
    if (failed(checkOps()))
      return signalPassFailure();
    hoistTilingFields();
    makeFields();
    dropNamesOfSingleReads(getOperation());
    dropNamesOfReads();
    nameSharedExpressions(getOperation());
  }

  LogicalResult checkOps();
  void dropNamesOfReads();
  void hoistTilingFields();
  void makeFields();
};

LogicalResult PrepareForEmissionPass::checkOps() {
  WalkResult result = getOperation().walk([&](Operation *op) {
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

/// A scalar read of tiling data is the same wherever it stands: do it once, in
/// the kernel body.
void PrepareForEmissionPass::hoistTilingFields() {
  KernelOp kernel = getOperation();
  llvm::MapVector<StringRef, TilingFieldOp> first;
  kernel.walk([&](TilingFieldOp field) {
    if (field.getIndex())
      return;
    TilingFieldOp &known = first[field.getMember()];
    if (!known) {
      known = field;
      return;
    }
    field.getResult().replaceAllUsesWith(known.getResult());
    field.erase();
  });
  Operation *previous = nullptr;
  for (auto &entry : first) {
    if (previous)
      entry.second->moveAfter(previous);
    else
      entry.second->moveBefore(&kernel.getBlock().front());
    previous = entry.second;
  }
}

/// Named scalars of the kernel body that methods use, also through unnamed
/// expressions, become members.
void PrepareForEmissionPass::makeFields() {
  KernelOp kernel = getOperation();
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
    if (!op || isa<arith::ConstantOp, FieldOp>(op))
      continue;
    if (!getScalarName(value).empty())
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
    auto field =
        FieldOp::create(builder, value.getLoc(), value.getType(),
                        builder.getStringAttr(getScalarName(value)), value);
    value.replaceAllUsesExcept(field.getResult(), field);
  }
}

/// Variables that only init assigns are the same wherever they are read.
void PrepareForEmissionPass::dropNamesOfReads() {
  getOperation().walk([](ReadOp read) {
    bool isFixed =
        llvm::all_of(read.getVariable().getUsers(), [](Operation *user) {
          return isa<ReadOp>(user) || user->getParentOfType<InitOp>();
        });
    if (auto name = dyn_cast<NameLoc>(read.getLoc()); name && isFixed)
      read->setLoc(name.getChildLoc());
  });
}

} // namespace
