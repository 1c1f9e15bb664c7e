// Arithmetic of integer lanes and operations on bits, apart from the floating
// types: every width that some product takes, in its own lanes.
#pragma once

#include "Span.h"

namespace lossgrad::vector {

constexpr bool isInteger(DType type) {
  return type == DType::Int8 || type == DType::UInt8 || type == DType::Int16 ||
         type == DType::UInt16 || type == DType::Int32 ||
         type == DType::UInt32 || type == DType::Int64 || type == DType::UInt64;
}

// Each returns nullptr for a type that the operation has on no product. Not is
// an operation on bits and takes floating types, too.
SpanFn integerBinarySpan(BinaryOp op, DType type);
SpanFn integerUnarySpan(UnaryOp op, DType type);
SpanFn integerScalarSpan(ScalarOp op, DType type);

} // namespace lossgrad::vector
