//===- infer_datatype_context.h - inferring output types --------*- C++ -*-===//
//
// Input element types in, output element types out.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H

#include "extended_kernel_context.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
public:
  using ExtendedKernelContext::ExtendedKernelContext;

  ge::DataType GetInputDataType(const size_t index) const {
    return typeOf(long(index));
  }
  ge::DataType GetOptionalInputDataType(const size_t ir_index) const {
    return typeOf(node_->inputIndex(ir_index, 0));
  }
  ge::DataType GetRequiredInputDataType(const size_t ir_index) const {
    return typeOf(node_->inputIndex(ir_index, 0));
  }
  ge::DataType GetDynamicInputDataType(const size_t ir_index,
                                       const size_t relative_index) const {
    return typeOf(node_->inputIndex(ir_index, relative_index));
  }
  ge::DataType GetOutputDataType(const size_t index) const {
    const ge::DataType *type = at(node_->inferredTypes, long(index));
    return type ? *type : ge::DT_UNDEFINED;
  }
  ge::graphStatus SetOutputDataType(const size_t index,
                                    const ge::DataType datatype) {
    ge::DataType *type = at(node_->inferredTypes, long(index));
    if (type == nullptr)
      return ge::GRAPH_FAILED;
    *type = datatype;
    return ge::GRAPH_SUCCESS;
  }

private:
  ge::DataType typeOf(long index) const {
    const CompileTimeTensorDesc *desc = at(node_->inputDescs, index);
    return desc ? desc->GetDataType() : ge::DT_UNDEFINED;
  }
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
