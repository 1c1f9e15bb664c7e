// Inference of ScaleCustom, registered by IMPL_OP_INFERSHAPE.
#include "register/op_impl_registry.h"

namespace ops {
static ge::graphStatus InferShape4Scale(gert::InferShapeContext *context)
{
    const gert::Shape *x = context->GetRequiredInputShape(0);
    gert::Shape *y = context->GetOutputShape(0);
    if (x == nullptr || y == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *y = *x;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferType4Scale(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, ge::DT_FLOAT);
}

IMPL_OP_INFERSHAPE(ScaleCustom).InferShape(InferShape4Scale).InferDataType(InferType4Scale);
} // namespace ops
