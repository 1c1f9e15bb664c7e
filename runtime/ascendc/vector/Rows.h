// An instruction's repeats as rows: the same number of leading lanes in each,
// rows any distance apart, an operand's blocks side by side or one block for
// the whole row. That is what kernels make of row sums, of a value per row and
// of folding; other masks and block strides go lane by lane (Shape.cpp).
#pragma once

#include "Shape.h"

namespace lossgrad::vector {

// A span function over rows: count is their number, params.rows what they are.
void rowSpan(void *dst, const void *src0, const void *src1, size_t rows,
             const SpanParams &params);

// Are these the same but for the width, and but for rows and registers?
bool sameRows(const RowShape &a, const RowShape &b);
bool sameParams(const SpanParams &a, const SpanParams &b);

// Do the first `width` lanes of each repeat make rows of all ports?
bool makesRows(uint32_t width, const Port &dst, const Port &src0,
               const Port &src1);
RowShape rowsOf(SpanFn fn, uint32_t width, const Port &dst, const Port &src0,
                const Port &src1);

// Puts `rows` rows off, where that is possible.
bool deferRows(Core &core, SpanFn run, const RowShape &shape,
               const SpanParams &params, uint64_t rows, const Port &dst,
               const Port &src0, const Port &src1);

// The same for a reduction: rows of src make `written` bytes each.
bool deferReduction(Core &core, SpanFn run, const RowShape &shape,
                    const SpanParams &params, uint64_t rows, void *dst,
                    uint32_t written, void *src);

} // namespace lossgrad::vector
