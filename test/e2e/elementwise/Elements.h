// Element types of the test programs: float32, float16 and bfloat16 as bits in
// memory, converted by arithmetic of our own so that a fault in the stand-in's
// conversions shows. Dtype codes are those of the tiling data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

enum Dtype : int32_t { F32 = 0, F16 = 1, BF16 = 2 };

inline size_t sizeOf(int dtype) { return dtype == F32 ? 4 : 2; }

inline const char *nameOf(int dtype) {
  return dtype == F32 ? "f32" : dtype == F16 ? "f16" : "bf16";
}

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline float halfFromBits(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return fromBits(sign | 0x7F800000 | mantissa << 13);
  const float size =
      exponent == 0 ? std::ldexp(float(mantissa), -24)
                    : std::ldexp(float(mantissa | 1024), int(exponent) - 25);
  return sign ? -size : size;
}

/// Of a value that the type holds exactly.
inline uint16_t bitsOfHalf(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::fabs(value);
  if (std::isnan(value))
    return 0x7E00;
  if (size > 65504)
    return sign | 0x7C00;
  if (size < 6.103515625e-05f)
    return uint16_t(sign | uint16_t(std::nearbyint(std::ldexp(size, 24))));
  int exponent;
  const float fraction = std::frexp(size, &exponent);
  const int mantissa = int(std::ldexp(fraction, 11)) & 1023;
  return uint16_t(sign | (exponent + 14) << 10 | mantissa);
}

inline float load(const uint8_t *memory, int64_t index, int dtype) {
  if (dtype == F32) {
    float value;
    std::memcpy(&value, memory + index * 4, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, memory + index * 2, 2);
  return dtype == BF16 ? fromBits(uint32_t(bits) << 16) : halfFromBits(bits);
}

/// Inputs are made of values that the type holds exactly.
inline void store(uint8_t *memory, int64_t index, int dtype, float value) {
  if (dtype == F32) {
    std::memcpy(memory + index * 4, &value, 4);
    return;
  }
  const uint16_t bits =
      dtype == F16
          ? bitsOfHalf(value)
          : uint16_t(bitsOf(value) >> 16 | (std::isnan(value) ? 64 : 0));
  std::memcpy(memory + index * 2, &bits, 2);
}

/// The distance of two numbers of the type next to `value`.
inline double ulp(double value, int dtype) {
  const int digits = dtype == F32 ? 24 : dtype == F16 ? 11 : 8;
  const int least = dtype == F16 ? -24 : dtype == F32 ? -149 : -133;
  int exponent;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent - digits, least));
}

inline double largest(int dtype) {
  return dtype == F16   ? 65504.0
         : dtype == F32 ? 3.4028234663852886e38
                        : 3.3895313892515355e38;
}
