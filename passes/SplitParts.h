//===- SplitParts.h - Sums onto a part of a broadcast pack ------*- C++ -*-===//
//
// Over which axes `reduce_onto` sums only the call tells: those along which
// the part's parameter was broadcast. Two variants serve all calls. Where it
// was broadcast along none there is nothing to sum, and the part is the pack.
// In all others the axes of the part and the rest of the pack are two dims, so
// that the sum is an ordinary reduction and the parameter a tensor that lacks
// the reduced dim.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_SPLITPARTS_H
#define LOSSGRAD_PASSES_SPLITPARTS_H

#include "passes/Passes.h"

namespace lossgrad {

/// Splits a variant whose body sums onto a part: afterwards the variant is for
/// calls in which the part is the whole pack, and the result for all others.
/// Null if the body sums onto no part; errors are emitted.
mlir::FailureOr<VariantOp> splitByPart(VariantOp variant);

/// Whether a reduction is what became of a sum onto a part.
bool isOntoPart(ReduceOp reduce);

/// How many elements such a reduction adds up for each of its results: the
/// elements of the pack for each one of the part, a real.
mlir::Value buildCountPerPart(mlir::OpBuilder &builder, mlir::Location loc,
                              VariantOp variant, mlir::StringAttr pack);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_SPLITPARTS_H
