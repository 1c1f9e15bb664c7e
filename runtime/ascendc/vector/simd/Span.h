// The arithmetic of the vector unit over contiguous spans: one function per
// operation and element type, each compiled for several instruction sets and
// chosen at run time. Masks, strides, address checks and product rules are not
// known here; the caller cuts an instruction into spans (Strided.h).
#pragma once

#include "ascendc/vector/abi.h"

#include <cstddef>
#include <cstdint>

namespace lossgrad::vector {

// Everything an operation depends on besides its operands. All of it is
// uniform over one instruction.
struct SpanParams {
  uint64_t scalar = 0;        // bits of the scalar operand, in the source type
  const void *mask = nullptr; // bits that Select goes by
  bool saturate = false;      // 16-bit results: inf -> largest, NaN -> 0
  bool keepNaN = false;       // Max and Min of a NaN
  bool intWraps = true;       // integer Add, Sub, Mul
  bool nanToZero = true;      // Cast of NaN to an integer
  bool flushSubnormals = false;
  bool roundShift = false; // ShiftRight rounds to nearest
};

// dst may equal src0 or src1 exactly; any other overlap is undefined.
using SpanFn = void (*)(void *dst, const void *src0, const void *src1,
                        size_t count, const SpanParams &params);

// Each returns nullptr for a type that the operation has on no product.
SpanFn binarySpan(BinaryOp op, DType dst, DType src);
SpanFn unarySpan(UnaryOp op, DType type);
SpanFn scalarSpan(ScalarOp op, DType dst, DType src);

// The multiply-adds of equal types with a single rounding (a switch); nullptr
// for every other operation.
SpanFn oneRoundingSpan(BinaryOp op, DType type);
SpanFn oneRoundingAxpySpan(DType type);

enum class Round : uint8_t { None, Rint, Floor, Ceil, Round, Trunc, Odd };

// Conversions; scalar holds the scale for int32 to half (float bits).
SpanFn castSpan(DType dst, DType src, Round mode);

enum class CompareMode : uint8_t { Lt, Gt, Eq, Le, Ge, Ne };

// One bit per element, element i in bit i % 8 of byte i / 8. count is a
// multiple of 8. src1 is a span, or with `scalar` the scalar operand is used.
SpanFn compareSpan(CompareMode mode, DType type, bool scalar);

// dst[i] = bit i of mask ? src0[i] : src1[i]; the mask begins at bit 0 of its
// first byte. With src1 == nullptr the scalar operand is taken. bytes is the
// element size, 2 or 4.
void selectSpan(unsigned bytes, void *dst, const void *mask, const void *src0,
                const void *src1, size_t count, uint32_t scalar);
// The same with the mask and the scalar among the parameters.
SpanFn selectSpan(unsigned bytes);

// Fills count elements of 1, 2, 4 or 8 bytes.
void fillSpan(unsigned bytes, void *dst, size_t count, uint64_t scalar);

// Moves elements of params.scalar bytes; with `stream` past the host's caches.
SpanFn copySpan(bool stream);
// Orders such copies before later stores.
void fenceStreams();

// Adds neighbours: out[i] = in[2i] + in[2i+1], `count` results, in the given
// type (half rounds every sum). out may equal in.
void pairwiseSum(DType type, void *out, const void *in, size_t count,
                 bool saturate);

// The sums of `repeats` contiguous groups of perRepeat (64 or 128) elements,
// each in the order of the hardware's tree: neighbours first. For half every
// node is rounded to half; the results are floats in both cases.
void treeSums(DType type, float *out, const void *in, size_t repeats,
              size_t perRepeat, bool saturate);

// Largest (or smallest) of count >= 1 elements and the index of the first
// element equal to it.
struct Extreme {
  float value;
  uint32_t index;
};
Extreme extremeOf(DType type, const void *in, size_t count, bool max,
                  bool keepNaN);

} // namespace lossgrad::vector
