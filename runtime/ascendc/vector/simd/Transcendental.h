// Exp and Ln over spans, apart from the arithmetic because their accuracy is a
// promise of its own: float results within 2 ulp, and exact special values
// (exp(-inf) = 0, exp overflow = inf, ln(0) = -inf, ln(x < 0) = NaN).
#pragma once

#include "Span.h"

namespace lossgrad::vector {

SpanFn transcendentalSpan(UnaryOp op, DType type);

} // namespace lossgrad::vector
