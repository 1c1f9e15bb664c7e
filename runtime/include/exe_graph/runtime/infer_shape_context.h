//===- infer_shape_context.h - inferring output shapes ----------*- C++ -*-===//
//
// Input shapes in, output shapes out. The generated aclnn path does not call
// shape inference; graphs and tests do.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_INFER_SHAPE_CONTEXT_H

#include "extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Shape *GetInputShape(const size_t index) const {
    return shapeOf(long(index));
  }
  const Shape *GetOptionalInputShape(const size_t ir_index) const {
    return shapeOf(node_->inputIndex(ir_index, 0));
  }
  const Shape *GetRequiredInputShape(const size_t ir_index) const {
    return shapeOf(node_->inputIndex(ir_index, 0));
  }
  const Shape *GetDynamicInputShape(const size_t ir_index,
                                    const size_t relative_index) const {
    return shapeOf(node_->inputIndex(ir_index, relative_index));
  }
  const Tensor *GetInputTensor(const size_t index) const {
    return at(node_->inputs, long(index));
  }
  const Tensor *GetOptionalInputTensor(const size_t ir_index) const {
    return at(node_->inputs, node_->inputIndex(ir_index, 0));
  }
  const Tensor *GetRequiredInputTensor(const size_t ir_index) const {
    return at(node_->inputs, node_->inputIndex(ir_index, 0));
  }
  const Tensor *GetDynamicInputTensor(const size_t ir_index,
                                      const size_t relative_index) const {
    return at(node_->inputs, node_->inputIndex(ir_index, relative_index));
  }
  Shape *GetOutputShape(const size_t index) {
    return at(node_->inferredShapes, long(index));
  }

private:
  const Shape *shapeOf(long index) const {
    const Tensor *tensor = at(node_->inputs, index);
    return tensor ? &tensor->GetOriginShape() : nullptr;
  }
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
