// What the reductions over blocks, pairs and repeats (Reduce.cpp) and over
// whole tensors (ReduceAll.cpp) share: the operation in the element type, and
// the lanes of one repeat brought together.
#pragma once

#include "Shape.h"

#include <cstring>
#include <limits>

namespace lossgrad::vector {

struct Reduction {
  ReduceOp op;
  DType type;
  bool saturate;
  bool keepNaN;

  static Reduction of(const Core &core, ReduceOp op, DType type) {
    return {op, type, saturates(core), core.isOpen(Open::MAX_MIN_KEEPS_NAN)};
  }
  uint32_t bytes() const { return bytesOf(type); }
  uint32_t perRepeat() const { return sim::kRepeatBytes / bytes(); }

  uint32_t bitsOfFloat(float value) const {
    return type == DType::Half ? sim::halfBitsOfFloat(value)
                               : sim::bitsOfFloat(value);
  }
  float floatOf(const void *at) const {
    uint32_t bits = 0;
    std::memcpy(&bits, at, bytes());
    return type == DType::Half
               ? sim::floatOfHalfBits(static_cast<uint16_t>(bits))
               : sim::floatOfBits(bits);
  }
  void write(uint8_t *dst, float value) const {
    const uint32_t bits = bitsOfFloat(value);
    std::memcpy(dst, &bits, bytes());
  }
  float neutral() const {
    const float inf = std::numeric_limits<float>::infinity();
    return op == ReduceOp::Sum ? 0.0f : op == ReduceOp::Max ? -inf : inf;
  }
  // One rounding in the element type.
  float add(float a, float b) const {
    const float sum = a + b;
    if (type == DType::Float)
      return sum;
    const uint16_t bits = sim::halfBitsOfFloat(sum);
    if (saturate && (bits & 0x7fff) >= 0x7c00)
      return (bits & 0x7fff) > 0x7c00 ? 0.0f
                                      : (bits & 0x8000 ? -65504.0f : 65504.0f);
    return sim::floatOfHalfBits(bits);
  }
  // Does b win over a? (a came first.)
  bool replaces(float a, float b) const {
    if (a != a || b != b)
      return keepNaN ? (a == a) : (a != a && b == b);
    return op == ReduceOp::Max ? b > a : b < a;
  }
};

// The lanes of one repeat, contiguous; those that do not take part hold the
// neutral element.
class Row {
public:
  // A full dense repeat needs no copy.
  const uint8_t *load(const Reduction &what, const uint8_t *from,
                      uint32_t blockStride, const sim::LaneMask &mask);

private:
  alignas(64) uint8_t bytes[sim::kRepeatBytes];
};

// Extreme over the active lanes among [first, first + count), of which there is
// at least one.
Extreme extremeOfLanes(const Reduction &what, const sim::LaneMask &mask,
                       const uint8_t *lanes, uint32_t first, uint32_t count);

// The tree sum of every repeat.
std::vector<float> repeatSums(const Reduction &what, const Lanes &lanes,
                              const uint8_t *from, uint32_t blockStride,
                              uint64_t pitch);

// One tree over the sums of the repeats, and so on: how level-0 sums and the
// library's Sum add up `count` dense elements.
float treeOfAll(const Reduction &what, const uint8_t *from, uint64_t count);

// Strides of the reductions are integers in the API.
void requireStride(Core &core, int32_t stride, const char *name);

} // namespace lossgrad::vector
