//===- ValueNames.h - what values are called in emitted text ----*- C++ -*-===//
//
// Names are attributes of the ops that have them (NameAttributes.h) from the
// passes on that make level 3 and tiling functions; those of formulas, which
// are locations until then, are written down by fixNames. Nothing here reads a
// location otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_VALUENAMES_H
#define LOSSGRAD_PASSES_ASCENDC_VALUENAMES_H

#include "dialect/AscendC/IR/NameAttributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace lossgrad {

/// What a value is called; null if it has no name.
mlir::StringAttr getNameAttr(mlir::Value value);

/// The same as text; empty if it has none.
llvm::StringRef getName(mlir::Value value);

/// Names the result of an op, or the variable of a loop. Returns the op. The
/// location says the same, for those who print it
/// (-mlir-use-nameloc-as-prefix).
mlir::Operation *setName(mlir::Operation *op, const llvm::Twine &name);
mlir::Operation *setName(mlir::Operation *op, mlir::StringAttr name);

/// An op without a name is written where it is used.
void dropName(mlir::Operation *op);

/// Writes the names in the locations of `root` and of what it contains down as
/// attributes.
void fixNames(mlir::Operation *root);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_ASCENDC_VALUENAMES_H
