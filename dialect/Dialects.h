//===- Dialects.h - The dialects of all levels ------------------*- C++ -*-===//
//
// What a program registers that reads or writes IR of any level.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_DIALECTS_H
#define LOSSGRAD_DIALECT_DIALECTS_H

#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lossgrad {

inline void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<LossGradDialect, ascendc::AscendCDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
}

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_DIALECTS_H
