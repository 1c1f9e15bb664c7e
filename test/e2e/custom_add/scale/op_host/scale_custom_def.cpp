// ScaleCustom: y = x * factor (mode "mul") or x + factor ("add"), plus
// offsets[0], plus bias. Both types of x share one binary; which one it is
// travels in the tiling data.
#include "register/op_def_registry.h"

namespace ops {
class ScaleCustom : public OpDef {
public:
    explicit ScaleCustom(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT32})
            .DataTypeForBinQuery({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("bias")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("factor").AttrType(REQUIRED).Float();
        this->Attr("scale_mode").AttrType(OPTIONAL).String("mul");
        this->Attr("offsets").AttrType(OPTIONAL).ListInt({7});

        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true)
            .DynamicRankSupportFlag(true)
            .DynamicShapeSupportFlag(true)
            .ExtendCfgInfo("opFile.value", "scale_kernel")
            .ExtendCfgInfo("opInterface.value", "scale_custom_entry");
        this->AICore().AddConfig("ascend910b", config);
    }
};

OP_ADD(ScaleCustom);
} // namespace ops
