// AddCustom: y = x1 + alpha * x2 with broadcasting. Definition, shape and type
// inference, and tiling.
#include "../op_kernel/add_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

#include <algorithm>

namespace {

// The broadcast of two shapes; false when they do not fit.
bool Broadcast(const gert::Shape &a, const gert::Shape &b, gert::Shape &out)
{
    const size_t rank = std::max(a.GetDimNum(), b.GetDimNum());
    out.SetDimNum(rank);
    for (size_t i = 0; i < rank; ++i) {
        const int64_t da = i < a.GetDimNum() ? a.GetDim(a.GetDimNum() - 1 - i) : 1;
        const int64_t db = i < b.GetDimNum() ? b.GetDim(b.GetDimNum() - 1 - i) : 1;
        if (da != db && da != 1 && db != 1) {
            return false;
        }
        out.SetDim(rank - 1 - i, da == 1 ? db : da);
    }
    return true;
}

// Strides of an operand along the dims of the output, 0 where it is broadcast.
void FillStrides(const gert::Shape &operand, const gert::Shape &out, uint64_t *strides, uint32_t &inner)
{
    const size_t rank = out.GetDimNum();
    const size_t lead = rank - operand.GetDimNum();
    uint64_t stride = 1;
    inner = 0;
    for (size_t i = rank; i > 0; --i) {
        const size_t d = i - 1;
        const int64_t extent = d >= lead ? operand.GetDim(d - lead) : 1;
        const bool own = extent == out.GetDim(d) && extent != 1;
        if (d == rank - 1) {
            inner = own ? 1 : 0;
        } else {
            strides[d] = own ? stride : 0;
        }
        stride *= static_cast<uint64_t>(extent);
    }
}

} // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const gert::StorageShape *x1 = context->GetInputShape(0);
    const gert::StorageShape *x2 = context->GetInputShape(1);
    const float *alpha = context->GetAttrs()->GetFloat(0);
    if (x1 == nullptr || x2 == nullptr || alpha == nullptr) {
        return ge::GRAPH_FAILED;
    }
    gert::Shape out;
    if (!Broadcast(x1->GetStorageShape(), x2->GetStorageShape(), out) || out.GetDimNum() > ADD_MAX_OUTER + 1) {
        return ge::GRAPH_FAILED;
    }
    AddCustomTilingData *tiling = context->GetTilingData<AddCustomTilingData>();
    if (tiling == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *tiling = AddCustomTilingData();
    tiling->alpha = *alpha;
    tiling->rows = 1;
    tiling->columns = 1;
    const size_t rank = out.GetDimNum();
    if (rank > 0) {
        tiling->columns = static_cast<uint64_t>(out.GetDim(rank - 1));
        tiling->outerCount = rank - 1;
        for (size_t i = 0; i + 1 < rank; ++i) {
            tiling->outerDims[i] = static_cast<uint64_t>(out.GetDim(i));
            tiling->rows *= tiling->outerDims[i];
        }
    }
    FillStrides(x1->GetStorageShape(), out, tiling->x1Strides, tiling->x1Inner);
    FillStrides(x2->GetStorageShape(), out, tiling->x2Strides, tiling->x2Inner);

    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const int size = ge::GetSizeByDataType(context->GetInputDesc(0)->GetDataType());
    // Three queues of two buffers, each a multiple of 256 bytes.
    const uint64_t bytes = ub / 6 / 256 * 256;
    const uint64_t needed = (tiling->columns * size + 255) / 256 * 256;
    tiling->tileLength = std::min(bytes, std::max<uint64_t>(needed, 256)) / size;
    const uint64_t cores = platform.GetCoreNumAiv();
    context->SetBlockDim(static_cast<uint32_t>(std::max<uint64_t>(1, std::min(tiling->rows, cores))));
    context->SetTilingKey(1);
    size_t *workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context)
{
    const gert::Shape *x1 = context->GetInputShape(0);
    const gert::Shape *x2 = context->GetInputShape(1);
    gert::Shape *y = context->GetOutputShape(0);
    if (x1 == nullptr || x2 == nullptr || y == nullptr) {
        return GRAPH_FAILED;
    }
    return Broadcast(*x1, *x2, *y) ? GRAPH_SUCCESS : GRAPH_FAILED;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
} // namespace ge

namespace ops {
class AddCustom : public OpDef {
public:
    explicit AddCustom(const char *name) : OpDef(name)
    {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};

OP_ADD(AddCustom);
} // namespace ops
