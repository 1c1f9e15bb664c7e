//===- RegisterTest.cpp - contexts, registration, platform ----------------===//
//
// The quirks of the gert types that operator sources meet, tiling data classes,
// the registry, and what the platform answers per product.
//
//===----------------------------------------------------------------------===//
#include "lossgrad/op_test.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace {

TEST(Shape, Quirks) {
  gert::Shape shape;
  EXPECT_TRUE(shape.IsScalar());
  EXPECT_EQ(shape.GetShapeSize(), 1);
  shape.SetDim(0, 5); // does not make the shape one long
  EXPECT_EQ(shape.GetDimNum(), 0u);
  shape.SetDim(3, 7);
  EXPECT_EQ(shape.GetDimNum(), 3u);
  shape.SetDimNum(2);
  EXPECT_EQ(shape.GetDim(25), std::numeric_limits<int64_t>::min());
  shape = gert::Shape{int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(shape.GetShapeSize(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ((gert::Shape{2, 3}), gert::Shape().AppendDim(2).AppendDim(3));
  EXPECT_NE((gert::Shape{2, 3}), (gert::Shape{2, 3, 1}));
  gert::Shape full;
  for (int i = 0; i < 30; ++i)
    full.AppendDim(1);
  EXPECT_EQ(full.GetDimNum(), 25u);
  shape.SetScalar();
  EXPECT_EQ(shape.GetDimNum(), 0u);
}

TEST(Types, Sizes) {
  EXPECT_EQ(ge::GetSizeByDataType(ge::DT_BF16), 2);
  EXPECT_EQ(ge::GetSizeByDataType(ge::DT_STRING), -1);
  EXPECT_EQ(ge::GetSizeByDataType(ge::DT_INT4), 1004);
  EXPECT_EQ(ge::GetSizeInBytes(3, ge::DT_INT4), 2);
  EXPECT_EQ(ge::GetSizeInBytes(3, ge::DT_FLOAT), 12);
  EXPECT_EQ(ge::GetSizeInBytes(-1, ge::DT_FLOAT), -1);
}

TEST(TilingData, CapacityIsALimit) {
  auto buffer = gert::TilingData::CreateCap(16);
  auto *data = reinterpret_cast<gert::TilingData *>(buffer.get());
  EXPECT_EQ(data->Append(uint64_t(1)), ge::GRAPH_SUCCESS);
  *data << uint32_t(2);
  EXPECT_EQ(data->GetDataSize(), 12u);
  EXPECT_EQ(data->Append(uint64_t(3)), ge::GRAPH_FAILED);
  EXPECT_EQ(data->Expand(5), nullptr);
  EXPECT_NE(data->Expand(4), nullptr);
}

} // namespace

namespace optiling {
BEGIN_TILING_DATA_DEF(InnerPart)
TILING_DATA_FIELD_DEF(uint8_t, small);
TILING_DATA_FIELD_DEF(uint16_t, middle);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(WholeData)
TILING_DATA_FIELD_DEF(uint8_t, first);
TILING_DATA_FIELD_DEF(float, second);
TILING_DATA_FIELD_DEF_ARR(uint64_t, 2, third);
TILING_DATA_FIELD_DEF(uint8_t, fourth);
TILING_DATA_FIELD_DEF_STRUCT(InnerPart, inner);
TILING_DATA_FIELD_DEF(uint16_t, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(RegisterTestOp, WholeData)
} // namespace optiling

namespace {

TEST(TilingClass, Layout) {
  optiling::WholeData data;
  // first 0, second 4, third 8, fourth 24, inner 32 (8 bytes), last 40.
  EXPECT_EQ(data.GetDataSize(), 48u);
  data.set_first(1);
  data.set_second(2.5f);
  const uint64_t pair[] = {3, 4};
  data.set_third(pair);
  data.set_fourth(5);
  data.inner.set_small(6);
  data.inner.set_middle(7);
  data.set_last(8);
  unsigned char bytes[48] = {};
  data.SaveToBuffer(bytes, 47); // too small: nothing
  EXPECT_EQ(bytes[0], 0);
  data.SaveToBuffer(bytes, sizeof bytes);
  float second;
  std::memcpy(&second, bytes + 4, 4);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(second, 2.5f);
  EXPECT_EQ(bytes[8], 3);
  EXPECT_EQ(bytes[16], 4);
  EXPECT_EQ(bytes[24], 5);
  EXPECT_EQ(bytes[32], 6);
  EXPECT_EQ(bytes[34], 7);
  EXPECT_EQ(bytes[40], 8);
  EXPECT_EQ(data.get_third()[1], 4u);
  EXPECT_EQ(data.inner.get_middle(), 7);
  auto made =
      optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance(
          "RegisterTestOp");
  ASSERT_NE(made, nullptr);
  EXPECT_STREQ(made->GetTilingClassName(), "WholeData");
  EXPECT_EQ(made->GetFieldInfo().size(), 6u);
}

struct Result {
  int64_t values[8];
};

/// Records what a context shows.
ge::graphStatus inspect(gert::TilingContext *context) {
  Result *result = context->GetTilingData<Result>();
  if (result == nullptr)
    return ge::GRAPH_PARAM_INVALID;
  const gert::RuntimeAttrs *attrs = context->GetAttrs();
  result->values[0] = context->GetInputShape(1)->GetStorageShape().GetDim(0);
  result->values[1] = context->GetOptionalInputShape(1) == nullptr;
  result->values[2] =
      context->GetRequiredInputShape(2)->GetOriginShape().GetDim(0);
  result->values[3] =
      context->GetDynamicInputShape(3, 1)->GetStorageShape().GetDimNum();
  result->values[4] = context->GetInputShape(9) == nullptr &&
                      context->GetOutputShape(1) == nullptr &&
                      context->GetInputDesc(9) == nullptr &&
                      context->GetDynamicInputShape(3, 2) == nullptr;
  result->values[5] = *attrs->GetInt(0) + int64_t(*attrs->GetFloat(1)) +
                      *attrs->GetBool(2) +
                      int64_t(std::strlen(attrs->GetStr(3))) +
                      attrs->GetListInt(4)->GetData()[1] +
                      int64_t(attrs->GetListFloat(5)->GetSize());
  result->values[6] = attrs->GetInt(6) == nullptr && attrs->GetAttrNum() == 6;
  result->values[7] = context->GetOutputDesc(0)->GetDataType();
  context->SetBlockDim(3);
  context->SetTilingKey(42);
  if (context->GetWorkspaceSizes(1000) != nullptr)
    return ge::GRAPH_FAILED;
  context->GetWorkspaceSizes(2)[1] = 77;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(InspectOp).Tiling(inspect, 256);

TEST(Contexts, TilingSeesDeclaredAndActualInputs) {
  lossgrad::OpCall call("InspectOp");
  call.platform("Ascend910B1")
      .input({11}, ge::DT_FLOAT)
      .absentInput()
      .input({22}, ge::DT_FLOAT16)
      .beginDynamic()
      .input({1}, ge::DT_INT32)
      .input({1, 2, 3}, ge::DT_INT32)
      .endDynamic()
      .output({5}, ge::DT_BF16)
      .attr(int64_t(100))
      .attr(20.0f)
      .attr(true)
      .attr("abcd")
      .attr(std::vector<int64_t>{1, 1000})
      .attr(std::vector<float>{1, 2});
  ASSERT_EQ(call.tile(), ge::GRAPH_SUCCESS) << call.error();
  const auto *result = static_cast<const Result *>(call.tilingData());
  EXPECT_EQ(result->values[0], 22); // plain indices count what is there
  EXPECT_EQ(result->values[1], 1);
  EXPECT_EQ(result->values[2], 22);
  EXPECT_EQ(result->values[3], 3);
  EXPECT_EQ(result->values[4], 1);
  EXPECT_EQ(result->values[5], 100 + 20 + 1 + 4 + 1000 + 2);
  EXPECT_EQ(result->values[6], 1);
  EXPECT_EQ(result->values[7], ge::DT_BF16);
  EXPECT_EQ(call.node().blockDim, 3u);
  EXPECT_EQ(call.node().tilingKey, 42u);
  EXPECT_EQ(call.node().workspaceCount, 2u);
  EXPECT_EQ(call.node().workspaces[1], 77u);
  EXPECT_EQ(call.tilingDataSize(), sizeof(Result));
  call.tilingCapacity(8);
  EXPECT_EQ(call.tile(), ge::GRAPH_PARAM_INVALID); // buffer too small
}

TEST(Contexts, UnknownOperatorAndProduct) {
  lossgrad::OpCall call("NobodyRegisteredThis");
  EXPECT_EQ(call.tile(), ge::GRAPH_FAILED);
  EXPECT_STREQ(call.error(),
               "no tiling function is registered for NobodyRegisteredThis");
  EXPECT_EQ(call.inferShape(), ge::GRAPH_FAILED);
  EXPECT_EQ(call.inferDataType(), ge::GRAPH_FAILED);
  lossgrad::OpCall elsewhere("InspectOp");
  elsewhere.platform("Ascend1000");
  EXPECT_EQ(elsewhere.tile(), ge::GRAPH_FAILED);
  EXPECT_STREQ(elsewhere.error(), "unknown SoC 'Ascend1000'");
}

ge::graphStatus sameShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return context->GetOutputShape(1) == nullptr ? ge::GRAPH_SUCCESS
                                               : ge::GRAPH_FAILED;
}
ge::graphStatus halfType(gert::InferDataTypeContext *context) {
  if (context->SetOutputDataType(1, ge::DT_FLOAT) != ge::GRAPH_FAILED ||
      context->GetInputDataType(7) != ge::DT_UNDEFINED)
    return ge::GRAPH_FAILED;
  return context->SetOutputDataType(0, ge::DT_FLOAT16);
}
IMPL_OP_INFERSHAPE(InferOp).InferShape(sameShape).InferDataType(halfType);
IMPL_OP(FollowOp).InferOutDataTypeSameWithFirstInput();

TEST(Contexts, Inference) {
  lossgrad::OpCall call("InferOp");
  call.input({2, 3}, ge::DT_FLOAT).output({}, ge::DT_UNDEFINED);
  ASSERT_EQ(call.inferShape(), ge::GRAPH_SUCCESS);
  EXPECT_EQ(call.node().inferredShapes[0], (gert::Shape{2, 3}));
  ASSERT_EQ(call.inferDataType(), ge::GRAPH_SUCCESS);
  EXPECT_EQ(call.node().inferredTypes[0], ge::DT_FLOAT16);
  lossgrad::OpCall follow("FollowOp");
  follow.input({2}, ge::DT_BF16).output({}, ge::DT_UNDEFINED);
  ASSERT_EQ(follow.inferDataType(), ge::GRAPH_SUCCESS);
  EXPECT_EQ(follow.node().inferredTypes[0], ge::DT_BF16);
}

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;
using platform_ascendc::SocVersion;

uint64_t memory(const PlatformAscendC &platform, CoreMemType type) {
  uint64_t size = 0;
  platform.GetCoreMemSize(type, size);
  return size;
}

TEST(Platform, Products) {
  struct {
    const char *soc;
    SocVersion version;
    uint32_t aic, aiv;
    uint64_t ub, l1, l2;
    uint32_t workspace;
  } const rows[] = {
      {"Ascend910A", SocVersion::ASCEND910, 32, 32, 262144, 1 << 20, 32 << 20,
       2 << 20},
      {"Ascend910B1", SocVersion::ASCEND910B, 24, 48, 196352, 524032, 192 << 20,
       16 << 20},
      {"Ascend910B3", SocVersion::ASCEND910B, 20, 40, 196352, 524032, 192 << 20,
       16 << 20},
      {"Ascend910B4", SocVersion::ASCEND910B, 20, 40, 196352, 524032, 96 << 20,
       16 << 20},
      {"Ascend910_9391", SocVersion::ASCEND910B, 24, 48, 196352, 524032,
       192 << 20, 16 << 20},
      {"Ascend310P3", SocVersion::ASCEND310P, 8, 8, 262144, 1 << 20, 16 << 20,
       2 << 20},
  };
  for (const auto &row : rows) {
    PlatformAscendC platform(fe::PlatFormInfos::Find(row.soc));
    EXPECT_EQ(platform.GetSocVersion(), row.version) << row.soc;
    EXPECT_EQ(platform.GetCoreNumAic(), row.aic) << row.soc;
    EXPECT_EQ(platform.GetCoreNumAiv(), row.aiv) << row.soc;
    EXPECT_EQ(memory(platform, CoreMemType::UB), row.ub) << row.soc;
    EXPECT_EQ(memory(platform, CoreMemType::L1), row.l1) << row.soc;
    EXPECT_EQ(memory(platform, CoreMemType::L2), row.l2) << row.soc;
    EXPECT_EQ(platform.GetLibApiWorkSpaceSize(), row.workspace) << row.soc;
  }
  EXPECT_EQ(fe::PlatFormInfos::Find("Ascend1000"), nullptr);
  EXPECT_EQ(fe::PlatFormInfos::Find(nullptr), nullptr);
}

TEST(Platform, TestsOverrideCoresAndUb) {
  fe::PlatFormInfos *infos = fe::PlatFormInfos::Find("Ascend910B1", 64, 262144);
  PlatformAscendC platform(infos);
  EXPECT_EQ(platform.GetCoreNumAiv(), 64u);
  EXPECT_EQ(memory(platform, CoreMemType::UB), 262144u - 256);
  EXPECT_EQ(infos, fe::PlatFormInfos::Find("Ascend910B1", 64, 262144));
  std::string value;
  EXPECT_TRUE(infos->GetPlatformRes("SoCInfo", "vector_core_cnt", value));
  EXPECT_EQ(value, "64");
  EXPECT_TRUE(
      infos->GetPlatformResWithLock("version", "Short_SoC_version", value));
  EXPECT_EQ(value, "Ascend910B");
  EXPECT_FALSE(infos->GetPlatformRes("SoCInfo", "no_such_key", value));
}

TEST(Platform, SliceCount) {
  PlatformAscendC platform(fe::PlatFormInfos::Find("Ascend910B1"));
  EXPECT_EQ(platform.CalcTschBlockDim(48, 24, 48), 24u);
  EXPECT_EQ(platform.CalcTschBlockDim(5, 24, 48), 3u);
  EXPECT_EQ(platform.CalcTschBlockDim(5, 0, 48), 5u);
  EXPECT_EQ(platform.CalcTschBlockDim(38, 20, 40), 19u);
  EXPECT_EQ(platform.CalcTschBlockDim(3, 1, 2), 0u); // beyond the cube cores
  EXPECT_EQ(platform.CalcTschBlockDim(6, 1, 3), 2u);
  EXPECT_EQ(platform.GetResCubeGroupWorkSpaceSize(), 1u << 20);
  EXPECT_EQ(platform.GetResGroupBarrierWorkSpaceSize(), 1u << 20);
  PlatformAscendC a3(fe::PlatFormInfos::Find("Ascend910_9391"));
  EXPECT_EQ(a3.GetResCubeGroupWorkSpaceSize(), ~0u);
  auto *instance = platform_ascendc::PlatformAscendCManager::GetInstance();
  ASSERT_NE(instance, nullptr);
  EXPECT_EQ(instance->GetCoreNumAiv(), 48u);
}

TEST(PlatformDeathTest, NullPlatformEndsTheProgram) {
  EXPECT_DEATH(PlatformAscendC(nullptr).GetCoreNum(),
               "the platform pointer is null");
}

} // namespace

namespace ge {
REG_OP(ProtoTest)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OPTIONAL_INPUT(weight, TensorType::ALL())
    .DYNAMIC_INPUT(rest, TensorType({DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(beta, Float, 1.0)
    .ATTR(sizes, ListInt, {1, 2})
    .REQUIRED_ATTR(mode, String)
    .OP_END_FACTORY_REG(ProtoTest)
} // namespace ge

TEST(Proto, KeepsTheOrder) {
  const ge::op::ProtoTest op("node");
  const ge::OpProto &proto = op.proto();
  ASSERT_EQ(proto.inputs.size(), 3u);
  EXPECT_STREQ(proto.inputs[1].name, "weight");
  EXPECT_EQ(proto.inputs[1].kind, ge::OpProto::Optional);
  EXPECT_EQ(proto.inputs[0].types.size(), 2u);
  ASSERT_EQ(proto.attrs.size(), 3u);
  EXPECT_STREQ(proto.attrs[1].kind, "ListInt");
  EXPECT_TRUE(proto.attrs[2].required);
}
