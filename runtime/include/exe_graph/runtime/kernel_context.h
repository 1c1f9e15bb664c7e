//===- kernel_context.h - base of all contexts ------------------*- C++ -*-===//
//
// A context is a window on one operator call; the state is lossgrad::OpNode.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_KERNEL_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_KERNEL_CONTEXT_H

#include "lossgrad/op_node.h"

namespace gert {

class KernelContext {
public:
  explicit KernelContext(lossgrad::OpNode &node) : node_(&node) {}
  size_t GetInputNum() const { return node_->inputs.size(); }
  size_t GetOutputNum() const { return node_->outputs.size(); }

protected:
  template <typename List>
  static auto at(List &list, long index) -> decltype(&list[0]) {
    return index >= 0 && size_t(index) < list.size() ? &list[size_t(index)]
                                                     : nullptr;
  }
  lossgrad::OpNode *node_;
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_KERNEL_CONTEXT_H
