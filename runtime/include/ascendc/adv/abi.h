// The exported functions behind the high-level vector calls. Each is one call
// here, where the vendor's library issues many instructions: values and
// operands are the same, temporary buffers are accepted and not used.
#pragma once

#include "ascendc/vector/abi.h"

namespace lossgrad::vector {

enum class MathOp : uint8_t {
  Tanh,
  Sigmoid,
  Sign,
  Log,
  Log2,
  Log10,
  Exp,
  Ceil,
  Floor,
  Round,
  Trunc,
  Erf,
};

LOSSGRAD_API void mathCall(MathOp op, DType type, void *dst, const void *src,
                           uint64_t count, Site site);
// dst = min(src, limit) or max(src, limit).
LOSSGRAD_API void clampCall(bool upper, DType type, void *dst, const void *src,
                            Scalar limit, uint64_t count, Site site);
// A null operand is the scalar.
LOSSGRAD_API void powerCall(DType type, void *dst, const void *base,
                            const void *exponent, Scalar scalar, uint64_t count,
                            Site site);
LOSSGRAD_API void broadcastCall(DType type, void *dst, const void *src,
                                int32_t dim, int32_t axis,
                                const uint32_t dstShape[],
                                const uint32_t srcShape[], Site site);

// Rows of a matrix: `columns` lie in memory, the first `valid` of them count.
struct Rows {
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t valid = 0;
};
// sum and max, if present, get one 32-byte block per row, of type `stat`.
LOSSGRAD_API void softmaxCall(bool log, DType type, DType stat, void *dst,
                              void *sum, void *max, const void *src, Rows shape,
                              Site site);
// (grad - sum(grad * src)) * src per row, or with `front` only the sum, one
// 32-byte block per row.
LOSSGRAD_API void softmaxGradCall(DType type, void *dst, const void *grad,
                                  const void *src, bool front, Rows shape,
                                  Site site);

// The sum of each row, in the order of the vector unit's trees.
LOSSGRAD_API void sumCall(DType type, void *dst, const void *src, Rows shape,
                          Site site);
// Running sums along or across the rows; lastRow, if any, gets the last one.
LOSSGRAD_API void cumSumCall(DType type, void *dst, void *lastRow,
                             const void *src, bool alongRows, Rows shape,
                             Site site);
// A mask with an element per value, its rows `columns` elements long.
struct ElementMask {
  const void *at = nullptr;
  uint32_t bytes = 1, columns = 0;
};
LOSSGRAD_API void selectByElements(DType type, void *dst, const void *tensor,
                                   Scalar scalar, bool scalarFirst,
                                   ElementMask mask, Rows shape, Site site);
LOSSGRAD_API void xorCall(DType type, void *dst, const void *a, const void *b,
                          uint64_t count, Site site);

} // namespace lossgrad::vector
