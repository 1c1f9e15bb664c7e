// The arithmetic of the vector unit over contiguous spans: one function per
// operation and element type, each compiled for several instruction sets and
// chosen at run time. Masks, strides, address checks and product rules are not
// known here; the caller cuts an instruction into spans (Strided.h).
#pragma once

#include "ascendc/vector/abi.h"

#include <cstddef>
#include <cstdint>

namespace lossgrad::vector {

struct SpanParams;

// dst may equal src0 or src1 exactly; any other overlap is undefined.
using SpanFn = void (*)(void *dst, const void *src0, const void *src1,
                        size_t count, const SpanParams &params);

// One operand of a step by rows.
struct RowSide {
  uint32_t pitch = 0; // bytes from row to row
  uint32_t bits = 0;  // of an element
  bool block = false; // 32 bytes per row, again and again (block stride 0)
};

// What a row is to a span function that gets the number of rows as its count.
struct RowShape {
  SpanFn lanes = nullptr; // over the elements of a row
  uint32_t width = 0;     // elements of a row
  RowSide dst, src0, src1;
};

// Memory that comes later, so many bytes for each element of now: a function
// that computes long asks for it on the way.
struct Later {
  const uint8_t *at = nullptr;
  uint32_t bytes = 0;
};

// Everything an operation depends on besides its operands. All of it is
// uniform over one instruction.
struct SpanParams {
  uint64_t scalar = 0;        // bits of the scalar operand, in the source type
  const void *mask = nullptr; // bits that Select goes by
  const RowShape *rows = nullptr; // of functions over rows
  bool saturate = false;          // 16-bit results: inf -> largest, NaN -> 0
  bool keepNaN = false;           // Max and Min of a NaN
  bool intWraps = true;           // integer Add, Sub, Mul
  bool nanToZero = true;          // Cast of NaN to an integer
  bool flushSubnormals = false;
  bool roundShift = false; // ShiftRight rounds to nearest
  bool asksAhead = false;  // the function does ask for `later`
  Later later[2] = {};
  uint64_t *extreme = nullptr; // register for the last maximum or minimum
};

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
// element size.
void selectSpan(unsigned bytes, void *dst, const void *mask, const void *src0,
                const void *src1, size_t count, uint64_t scalar);
// The same with the mask and the scalar among the parameters.
SpanFn selectSpan(unsigned bytes);

// Fills count elements of 1, 2, 4 or 8 bytes.
void fillSpan(unsigned bytes, void *dst, size_t count, uint64_t scalar);

// Moves elements of params.scalar bytes; with `stream` past the host's caches.
SpanFn copySpan(bool stream);
// Each element of 2 or 4 bytes over a block of its own.
SpanFn spreadSpan(unsigned bytes);
// One block of 32 bytes over and over; bytes is a multiple of 64.
void repeatBlock(void *dst, const void *block, size_t bytes);
// Blocks of 32 bytes of some repeats: `stride` bytes from block to block and
// `pitch` from repeat to repeat on either side. They are moved in order.
struct BlockMove {
  void *to;
  uint64_t toStride, toPitch;
  const void *from;
  uint64_t fromStride, fromPitch;
  uint32_t blocks, repeats; // blocks of each repeat
};
void moveBlocks(const BlockMove &move);
// Orders streamed copies before later stores.
void fenceStreams();

// Sums of `group` neighbours each (a power of two, at most 16), in the order of
// the hardware's tree and in the given type: half rounds every sum. out may
// equal in.
void groupSums(DType type, void *out, const void *in, size_t results,
               size_t group, bool saturate);

// The sums of the first `lanes` elements of each repeat, `pitch` bytes apart,
// in the order of the hardware's tree over all 64 or 128 lanes, of which the
// others count as 0: neighbours first. For half every node is rounded to half;
// the results are floats in both cases.
void treeSums(DType type, float *out, const void *in, size_t repeats,
              size_t pitch, size_t lanes, bool saturate);

// Largest (or smallest) of count >= 1 elements and the index of the first
// element equal to it.
struct Extreme {
  float value;
  uint32_t index;
};
Extreme extremeOf(DType type, const void *in, size_t count, bool max,
                  bool keepNaN);

} // namespace lossgrad::vector
