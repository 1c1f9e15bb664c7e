// The element types that cross the border between kernel and library, as C++
// types and as one-byte codes. The numbers are our own; the DT_ macros of the
// kernel API (ascendc/constants.h) carry the vendor's.
#pragma once

#include "lossgrad/sim/Half.h"

#include <cstdint>

// 4-bit integers exist only packed, two to a byte; the type is a label.
struct int4b_t {
  int8_t storage;
};

namespace lossgrad::sim {

enum class DType : uint8_t {
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Half,
  BFloat16,
  Float,
  Double,
  Int4,
  Bool,
  None,
};

template <typename T> inline constexpr DType dtypeOf = DType::None;
template <> inline constexpr DType dtypeOf<int8_t> = DType::Int8;
template <> inline constexpr DType dtypeOf<uint8_t> = DType::UInt8;
template <> inline constexpr DType dtypeOf<int16_t> = DType::Int16;
template <> inline constexpr DType dtypeOf<uint16_t> = DType::UInt16;
template <> inline constexpr DType dtypeOf<int32_t> = DType::Int32;
template <> inline constexpr DType dtypeOf<uint32_t> = DType::UInt32;
template <> inline constexpr DType dtypeOf<int64_t> = DType::Int64;
template <> inline constexpr DType dtypeOf<uint64_t> = DType::UInt64;
template <> inline constexpr DType dtypeOf<long long> = DType::Int64;
template <> inline constexpr DType dtypeOf<unsigned long long> = DType::UInt64;
template <> inline constexpr DType dtypeOf<half> = DType::Half;
template <> inline constexpr DType dtypeOf<bfloat16_t> = DType::BFloat16;
template <> inline constexpr DType dtypeOf<float> = DType::Float;
template <> inline constexpr DType dtypeOf<double> = DType::Double;
template <> inline constexpr DType dtypeOf<int4b_t> = DType::Int4;
template <> inline constexpr DType dtypeOf<bool> = DType::Bool;

constexpr const char *nameOf(DType type) {
  constexpr const char *names[] = {
      "int8",   "uint8",  "int16",  "uint16", "int32",
      "uint32", "int64",  "uint64", "half",   "bfloat16",
      "float",  "double", "int4",   "bool",   "(no element type)"};
  return names[static_cast<unsigned>(type)];
}

} // namespace lossgrad::sim
