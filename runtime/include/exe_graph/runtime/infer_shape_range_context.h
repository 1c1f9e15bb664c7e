//===- infer_shape_range_context.h - shape ranges of graphs -----*- C++ -*-===//
//
// Named by the signature of a registration function; ranges occur in graphs
// only, which the stand-in does not build.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H

#include "extended_kernel_context.h"

namespace gert {
class InferShapeRangeContext : public ExtendedKernelContext {
public:
  using ExtendedKernelContext::ExtendedKernelContext;
};
} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
