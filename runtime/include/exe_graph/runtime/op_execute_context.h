//===- op_execute_context.h - host-executed operators -----------*- C++ -*-===//
//
// Named by the signature of a registration function; graphs use it, the
// stand-in does not.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_OP_EXECUTE_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_OP_EXECUTE_CONTEXT_H

#include "extended_kernel_context.h"

namespace gert {
class OpExecuteContext : public ExtendedKernelContext {
public:
  using ExtendedKernelContext::ExtendedKernelContext;
};
} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_OP_EXECUTE_CONTEXT_H
