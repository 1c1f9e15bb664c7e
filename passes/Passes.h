//===- Passes.h - all passes and pipelines ----------------------*- C++ -*-===//
//
// What a tool includes to register or run passes. The passes themselves are
// described in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_PASSES_H
#define LOSSGRAD_PASSES_PASSES_H

#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace lossgrad {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// Registers the named pipelines.
void registerPipelines();

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_PASSES_H
