//===- CheckCoverage.h - What the checks of a record miss -------*- C++ -*-===//
//
// Refuses records whose checks let calls through that break the declarations,
// and says which check would close each gap. The search is the dialect's
// (Contract/Coverage.h); here are the words of a record's author.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_CHECKCOVERAGE_H
#define LOSSGRAD_CODEGEN_IMPORT_CHECKCOVERAGE_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// Reports every gap at `loc`, the checks of the record.
mlir::LogicalResult checkCoverage(OperatorOp op, mlir::Location loc);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_CHECKCOVERAGE_H
