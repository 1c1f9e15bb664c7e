//===- extended_kernel_context.h - what all contexts show -------*- C++ -*-===//
//
// Names, attributes and descriptors. Plain indices count actual tensors: with
// an absent optional input before it, an index shifts. The Optional, Required
// and Dynamic accessors take the index of the declaration.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H

#include "kernel_context.h"

namespace gert {

class ExtendedKernelContext : protected KernelContext {
public:
  using KernelContext::KernelContext;

  const CompileTimeTensorDesc *GetInputDesc(const size_t index) const {
    return at(node_->inputDescs, long(index));
  }
  const CompileTimeTensorDesc *
  GetOptionalInputDesc(const size_t ir_index) const {
    return GetDynamicInputDesc(ir_index, 0);
  }
  const CompileTimeTensorDesc *
  GetRequiredInputDesc(const size_t ir_index) const {
    return GetDynamicInputDesc(ir_index, 0);
  }
  const CompileTimeTensorDesc *
  GetDynamicInputDesc(const size_t ir_index,
                      const size_t relative_index) const {
    return at(node_->inputDescs, node_->inputIndex(ir_index, relative_index));
  }
  const CompileTimeTensorDesc *GetOutputDesc(const size_t index) const {
    return at(node_->outputDescs, long(index));
  }
  const AnchorInstanceInfo *
  GetIrInputInstanceInfo(const size_t ir_index) const {
    return at(node_->declaredInputs, long(ir_index));
  }
  const AnchorInstanceInfo *
  GetIrOutputInstanceInfo(const size_t ir_index) const {
    return at(node_->declaredOutputs, long(ir_index));
  }
  size_t GetComputeNodeInputNum() const { return node_->inputs.size(); }
  size_t GetComputeNodeOutputNum() const { return node_->outputs.size(); }
  const RuntimeAttrs *GetAttrs() const { return node_->attrs; }
  const ge::char_t *GetNodeType() const { return node_->type; }
  const ge::char_t *GetNodeName() const { return node_->name; }
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
