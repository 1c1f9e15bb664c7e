//===- Semantics.h - What elementwise ops compute ---------------*- C++ -*-===//
//
// The meaning of elementwise ops on single elements, NaN and overflow included,
// in one place for folders, interpreter and contract evaluation. Nothing here
// knows dims, and no lowering uses it.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_SEMANTICS_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_SEMANTICS_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// One element: a real, or an int (0 or 1 for a bool). The kind is known from
/// the type of the value.
union Element {
  double real;
  int64_t integer;
};

/// The kind of a tensor's elements; none for types that no body computes with.
std::optional<Kind> getKindOf(DType dtype);

/// Computes one element of a result from the elements of the operands.
using ElementFunction = Element (*)(const Element *operands);

/// The function of an elementwise op on real, int and bool operands; null for
/// any other op (and for comparisons of strings, dtypes and shapes).
ElementFunction getElementFunction(mlir::Operation *op);

/// Start and step of a reduction; `max` and `min` keep NaN.
Element getReductionStart(ReduceKind reduceKind, Kind kind);
ElementFunction getReductionStep(ReduceKind reduceKind, Kind kind);

/// Conversion between literals of constants and elements.
std::optional<Element> toElement(mlir::Attribute literal);
mlir::Attribute toLiteral(mlir::MLIRContext *context, Element element,
                          Kind kind);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_SEMANTICS_H
