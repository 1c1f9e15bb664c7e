//===- TilingEmitter.h - Tiling functions as C++ ----------------*- C++ -*-===//
//
// Prints the host side of an operator's schedules: the pure computation, a
// header without any toolkit type, and the adapter that fills its arguments
// from a gert::TilingContext. IR in, text out.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_TILINGEMITTER_H
#define LOSSGRAD_CODEGEN_TILING_TILINGEMITTER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace lossgrad::tiling {

/// `<file>_tiling.h`: struct of the call and the function that computes the
/// tiling data, the key and the number of blocks.
mlir::LogicalResult emitComputation(mlir::ModuleOp module,
                                    llvm::raw_ostream &out);

/// `<file>_tiling.cpp`: the tiling function of the toolkit.
mlir::LogicalResult emitAdapter(mlir::ModuleOp module, llvm::raw_ostream &out);

/// `lossgrad_tiling.h`: what tiling functions share.
mlir::LogicalResult emitHelpers(mlir::ModuleOp module, llvm::raw_ostream &out);

/// `lossgrad_tiling_call.h`: how tiling functions read a call and log what is
/// wrong with it.
mlir::LogicalResult emitCallReader(mlir::ModuleOp module,
                                   llvm::raw_ostream &out);

/// Registers --mlir-to-tiling, which prints the files of each operator, each
/// after a line `//--- path`.
void registerTranslation();

} // namespace lossgrad::tiling

#endif // LOSSGRAD_CODEGEN_TILING_TILINGEMITTER_H
