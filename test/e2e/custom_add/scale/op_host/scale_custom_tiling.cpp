// Tiling of ScaleCustom, registered by IMPL_OP_OPTILING, with compile info.
#include "scale_custom_tiling.h"

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

#include <algorithm>
#include <cstring>

namespace optiling {
struct ScaleCompileInfo {
    uint32_t cores = 0;
    uint64_t ub = 0;
};

static ge::graphStatus Prepare(gert::TilingParseContext *context)
{
    ScaleCompileInfo *info = context->GetCompiledInfo<ScaleCompileInfo>();
    if (info == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    info->cores = platform.GetCoreNumAiv();
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ub);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Tile(gert::TilingContext *context)
{
    const ScaleCompileInfo *info = context->GetCompileInfo<ScaleCompileInfo>();
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    if (info == nullptr || attrs == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const float *factor = attrs->GetFloat(0);
    const char *mode = attrs->GetStr(1);
    auto offsets = attrs->GetListInt(2);
    const bool multiply = std::strcmp(mode, "mul") == 0;
    if (!multiply && std::strcmp(mode, "add") != 0) {
        return ge::GRAPH_FAILED;
    }
    ScaleCustomTilingData tiling;
    const uint64_t total = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint64_t tile = std::min<uint64_t>(2048, info->ub / 4 / 4 / 64 * 64);
    tiling.set_total(total);
    tiling.set_tileLength(static_cast<uint32_t>(tile));
    tiling.set_isInteger(context->GetInputDesc(0)->GetDataType() == ge::DT_INT32);
    tiling.set_hasBias(context->GetOptionalInputShape(1) != nullptr);
    tiling.shift.set_used(offsets->GetSize() > 0);
    tiling.shift.set_amount(offsets->GetSize() > 0 ? offsets->GetData()[0] : 0);
    float factors[3] = {multiply ? *factor : 1.0f, multiply ? 0.0f : *factor, 0.0f};
    tiling.set_factors(factors);
    const uint64_t tiles = (total + tile - 1) / tile;
    context->SetBlockDim(static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>(tiles, info->cores))));
    context->SetTilingKey(0);
    context->GetWorkspaceSizes(1)[0] = 1000;
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(ScaleCustom).Tiling(Tile).TilingParse<ScaleCompileInfo>(Prepare);
} // namespace optiling
