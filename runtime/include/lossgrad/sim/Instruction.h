// How an instruction crosses from a kernel into the library: operands with
// their strides, which elements take part, how often, and the scalar. Public
// headers pack one of these structs and call one exported function per
// instruction and type; everything else (checks, footprint, execution) happens
// there. Nothing here executes anything.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/DType.h"
#include "lossgrad/sim/Export.h"
#include "lossgrad/sim/Site.h"

#include <cstdint>
#include <cstring>

namespace lossgrad::sim {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kBlocksPerRepeat = 8;

// Elements of type T in one repeat: 64 floats, 128 halves.
template <typename T>
inline constexpr uint32_t kLanes = kRepeatBytes / sizeof(T);

// A vector operand in UB. Strides are in 32-byte blocks, as in the API: block
// to block inside a repeat, and repeat to repeat. The defaults are dense.
struct Operand {
  void *addr = nullptr;
  uint32_t blockStride = 1;
  uint32_t repeatStride = 8;
};

// Which elements an instruction touches, in the API's four ways of saying it.
struct Selection {
  enum class Kind : uint8_t {
    Count,    // low elements, dense; clobbers mode and mask as the device does
    Lanes,    // the first low lanes of each repeat; leaves that mask behind
    Bitmap,   // lanes of low (0..63) and high (64..127); leaves it behind
    Register, // the mask register as it is (isSetMask = false)
  };
  Kind kind = Kind::Count;
  uint32_t repeat = 1;
  uint64_t low = 0;
  uint64_t high = 0;

  static Selection count(int64_t elements) {
    return {Kind::Count, 1, static_cast<uint64_t>(elements), 0};
  }
  static Selection lanes(uint64_t mask, uint32_t repeat) {
    return {Kind::Lanes, repeat, mask, 0};
  }
  static Selection bitmap(const uint64_t mask[], uint32_t repeat) {
    return {Kind::Bitmap, repeat, mask[0], mask[1]};
  }
  static Selection asRegister(uint32_t repeat) {
    return {Kind::Register, repeat, 0, 0};
  }
  // What a level-0 wrapper with a template flag isSetMask passes on.
  template <bool isSetMask>
  static Selection level0(uint64_t mask, uint32_t repeat) {
    return isSetMask ? lanes(mask, repeat) : asRegister(repeat);
  }
  template <bool isSetMask>
  static Selection level0(const uint64_t mask[], uint32_t repeat) {
    return isSetMask ? bitmap(mask, repeat) : asRegister(repeat);
  }
};

// A scalar operand as its raw bits; the exported function knows the type.
struct Scalar {
  uint64_t bits = 0;
  template <typename T> static Scalar of(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    Scalar scalar;
    std::memcpy(&scalar.bits, &value, sizeof value);
    return scalar;
  }
  template <typename T> T as() const {
    T value;
    std::memcpy(static_cast<void *>(&value), &bits, sizeof value);
    return value;
  }
};

struct UnaryInstr {
  Site site;
  Selection select;
  Operand dst, src;
};

struct BinaryInstr {
  Site site;
  Selection select;
  Operand dst, src0, src1;
};

// One tensor and one scalar source.
struct ScalarInstr {
  Site site;
  Selection select;
  Operand dst, src;
  Scalar scalar;
};

// No source but a scalar (Duplicate).
struct FillInstr {
  Site site;
  Selection select;
  Operand dst;
  Scalar scalar;
};

} // namespace lossgrad::sim
