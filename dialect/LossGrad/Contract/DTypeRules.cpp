//===- DTypeRules.cpp - Promotion and casts of dtypes ---------------------===//

#include "dialect/LossGrad/Contract/DTypeRules.h"
#include "dialect/LossGrad/IR/Semantics.h"

using namespace lossgrad;

namespace {

bool isComplex(DType type) {
  return type == DType::Complex64 || type == DType::Complex128;
}

bool isFloating(DType type) { return getKindOf(type) == Kind::Real; }

bool isIntegral(DType type) { return getKindOf(type) == Kind::Int; }

/// Unsigned types wider than a byte promote with nothing but themselves and
/// bool.
bool isWideUnsigned(DType type) {
  return type == DType::UInt16 || type == DType::UInt32 ||
         type == DType::UInt64;
}

bool isNumber(DType type) {
  return type == DType::Bool || isIntegral(type) || isFloating(type) ||
         isComplex(type);
}

/// Width order of the signed integers and uint8, whose union is int16.
unsigned rankOfInteger(DType type) {
  switch (type) {
  case DType::UInt8:
  case DType::Int8:
    return 0;
  case DType::Int16:
    return 1;
  case DType::Int32:
    return 2;
  default:
    return 3;
  }
}

unsigned rankOfFloat(DType type) {
  switch (type) {
  case DType::Float64:
    return 2;
  case DType::Float32:
    return 1;
  default:
    return 0;
  }
}

DType promoteReals(DType lhs, DType rhs) {
  if (lhs == DType::Bool)
    return rhs;
  if (rhs == DType::Bool)
    return lhs;
  if (isWideUnsigned(lhs) || isWideUnsigned(rhs))
    return DType::Undefined;
  if (isFloating(lhs) && isFloating(rhs)) {
    if (rankOfFloat(lhs) == rankOfFloat(rhs)) // float16 with bfloat16
      return DType::Float32;
    return rankOfFloat(lhs) > rankOfFloat(rhs) ? lhs : rhs;
  }
  if (isFloating(lhs))
    return lhs;
  if (isFloating(rhs))
    return rhs;
  if (rankOfInteger(lhs) == rankOfInteger(rhs)) // int8 with uint8
    return DType::Int16;
  return rankOfInteger(lhs) > rankOfInteger(rhs) ? lhs : rhs;
}

} // namespace

DType lossgrad::promoteDTypes(DType lhs, DType rhs) {
  if (!isNumber(lhs) || !isNumber(rhs))
    return DType::Undefined;
  if (lhs == rhs)
    return lhs;
  if (isComplex(lhs) || isComplex(rhs)) {
    bool wide = lhs == DType::Complex128 || rhs == DType::Complex128 ||
                lhs == DType::Float64 || rhs == DType::Float64;
    return wide ? DType::Complex128 : DType::Complex64;
  }
  return promoteReals(lhs, rhs);
}

bool lossgrad::isCastable(DType from, DType to) {
  if (!isNumber(from) || !isNumber(to))
    return false;
  if (isComplex(from) && !isComplex(to))
    return false;
  if (isFloating(from) && (isIntegral(to) || to == DType::Bool))
    return false;
  return to != DType::Bool || from == DType::Bool;
}
