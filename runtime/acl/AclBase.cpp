//===- AclBase.cpp - element sizes and half-precision helpers -------------===//
//
// The half helpers are the vendor's, which know neither NaN nor infinity:
// conversion to half clamps to the largest finite value, conversion from half
// reads the exponent 31 as an ordinary one. They are for readable test
// programs, not for building special values.
//
//===----------------------------------------------------------------------===//
#include "acl/acl_base.h"

#include <cmath>
#include <cstring>

float aclFloat16ToFloat(aclFloat16 value) {
  const float sign = value & 0x8000 ? -1.0f : 1.0f;
  const int exponent = value >> 10 & 0x1f;
  const int mantissa = value & 0x3ff;
  if (exponent == 0)
    return sign * std::ldexp(float(mantissa), -24);
  return sign * std::ldexp(float(mantissa | 0x400), exponent - 25);
}

aclFloat16 aclFloatToFloat16(float value) {
  constexpr uint16_t Largest = 0x7BFF;
  if (std::isnan(value))
    return Largest;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65504.0f)
    return sign | Largest;
  if (magnitude < std::ldexp(1.0f, -14)) // subnormal: multiples of 2^-24
    return sign | uint16_t(std::nearbyint(std::ldexp(magnitude, 24)));
  int exponent;
  const float fraction = std::frexp(magnitude, &exponent); // in [0.5, 1)
  // Rounding up may carry into the exponent, which the addition does by itself.
  const auto mantissa = uint32_t(std::nearbyint(std::ldexp(fraction, 11)));
  const uint32_t bits = (uint32_t(exponent + 14) << 10) + (mantissa - 1024);
  return sign | uint16_t(bits > Largest ? Largest : bits);
}

size_t aclDataTypeSize(aclDataType dataType) {
  switch (int(dataType)) {
  case ACL_DT_UNDEFINED:
  case ACL_STRING:
    return 0;
  case ACL_BOOL:
  case ACL_INT8:
  case ACL_UINT8:
  case ACL_INT4:
  case ACL_UINT1:
  case ACL_HIFLOAT8:
  case ACL_FLOAT8_E5M2:
  case ACL_FLOAT8_E4M3FN:
  case ACL_FLOAT8_E8M0:
  case ACL_FLOAT6_E3M2:
  case ACL_FLOAT6_E2M3:
  case ACL_FLOAT4_E2M1:
  case ACL_FLOAT4_E1M2:
    return 1;
  case ACL_FLOAT16:
  case ACL_BF16:
  case ACL_INT16:
  case ACL_UINT16:
    return 2;
  case ACL_FLOAT:
  case ACL_INT32:
  case ACL_UINT32:
  case ACL_COMPLEX32:
    return 4;
  case ACL_COMPLEX128:
    return 16;
  default:
    return 8;
  }
}
