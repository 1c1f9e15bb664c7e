//===- Uniformity.cpp - What the host can compute -------------------------===//

#include "dialect/LossGrad/Analysis/Uniformity.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lossgrad;

bool lossgrad::isUniform(Value value) {
  SmallVector<Value> work = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !cast<ValueType>(next.getType()).getDims().empty())
      return false;
    if (seen.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return true;
}

Uniformity::Uniformity(OperatorOp op) : op(op) {
  unsigned count = op.getInputs().size();
  for (BlockArgument argument : op.getBody().getArguments()) {
    llvm::BitVector reads(count);
    reads.set(argument.getArgNumber());
    inputsRead[argument] = reads;
  }
  op.getBody().walk([&](Operation *inner) {
    llvm::BitVector reads(count);
    for (Value operand : inner->getOperands())
      reads |= inputsRead.lookup(operand);
    for (Value result : inner->getResults())
      inputsRead[result] = reads;
  });
}

const llvm::BitVector &Uniformity::getInputsRead(Value value) const {
  return inputsRead.find(value)->second;
}

bool Uniformity::isIndependentOfData(Value value) const {
  return getInputsRead(value).none();
}

llvm::BitVector Uniformity::getInputsReadByOutputs() const {
  auto owner = op;
  llvm::BitVector reads(owner.getInputs().size());
  for (Value value : owner.getYield().getValues())
    reads |= getInputsRead(value);
  return reads;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printNames(raw_ostream &os, OperatorOp op,
                       const llvm::BitVector &inputs) {
  SmallVector<ParamAttr> params = op.getInputs();
  llvm::interleaveComma(inputs.set_bits(), os, [&](unsigned i) {
    os << params[i].getName().getValue();
  });
}

static void print(raw_ostream &os, OperatorOp op) {
  Uniformity uniformity(op);
  os << "operator @" << op.getSymName() << '\n';
  for (Operation &inner : op.getBody().front())
    for (Value result : inner.getResults()) {
      StringRef name = getValueName(result);
      os << "  " << (name.empty() ? inner.getName().getStringRef() : name)
         << ": ";
      if (isUniform(result))
        os << "uniform";
      else if (uniformity.isIndependentOfData(result))
        os << "independent of data";
      else
        os << "reads ";
      printNames(os, op, uniformity.getInputsRead(result));
      os << '\n';
    }
  os << "  outputs read: ";
  printNames(os, op, uniformity.getInputsReadByOutputs());
  os << '\n';
}

namespace {

struct PrintUniformity
    : public PassWrapper<PrintUniformity, OperationPass<OperatorOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintUniformity)

  StringRef getArgument() const override { return "lossgrad-print-uniformity"; }
  StringRef getDescription() const override {
    return "Print which values of a body are uniform and which inputs the "
           "others read";
  }
  void runOnOperation() override {
    print(llvm::outs(), getOperation());
    markAllAnalysesPreserved();
  }
};

} // namespace

void lossgrad::registerUniformityPrinter() {
  PassRegistration<PrintUniformity>();
}
