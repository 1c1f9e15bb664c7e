// Tiling data macros, template tiling keys, tensor lists.
#include "core_support.h"

#include "ascendc/host_api/tiling/template_argument.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul_intf.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

struct Tiling {
  uint32_t rows;
  float scale;
};

TEST(TilingData, IsCopiedFromThePointer) {
  Tiling host{7, 0.5f};
  auto tiling = reinterpret_cast<GM_ADDR>(&host);
  GET_TILING_DATA_WITH_STRUCT(Tiling, data, tiling);
  EXPECT_EQ(data.rows, 7u);
  GET_TILING_DATA_MEMBER(Tiling, scale, scale, tiling);
  EXPECT_EQ(scale, 0.5f);
  GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, pointer, tiling);
  EXPECT_EQ(pointer->rows, 7u);
  {
    REGISTER_TILING_DEFAULT(Tiling);
    REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 3", Tiling);
    GET_TILING_DATA(registered, tiling);
    EXPECT_EQ(registered.scale, 0.5f);
  }
}

ASCENDC_TPL_ARGS_DECL(Example,
                      ASCENDC_TPL_UINT_DECL(mode, 4, ASCENDC_TPL_UI_LIST, 3, 9),
                      ASCENDC_TPL_BOOL_DECL(flag, 0, 1),
                      ASCENDC_TPL_UINT_DECL(level, 8, ASCENDC_TPL_UI_MIX, 1, 10,
                                            12, 40));
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, 3, 9),
                         ASCENDC_TPL_BOOL_SEL(flag, 0, 1)));

TEST(TemplateKeys, ConcatenateTheParameters) {
  // Index in the list, then the bool at bit 4, then the index at bit 5.
  EXPECT_EQ(GET_TPL_TILING_KEY(3, 0, 10), 0u);
  EXPECT_EQ(GET_TPL_TILING_KEY(9, 1, 12), 1u | 1u << 4 | 2u << 5);
  EXPECT_EQ(GET_TPL_TILING_KEY(9, 0, 40), 1u | 3u << 5);
  EXPECT_EQ(GET_TPL_TILING_KEY(4, 0, 10), INVALID_TILING_KEY);
  EXPECT_EQ(GET_TPL_TILING_KEY(3, 0), INVALID_TILING_KEY);
}

TEST(TensorList, Decodes) {
  std::vector<float> a(6, 1), b(12, 2);
  // Two tensors of rank 2; the pointers follow 1 + 2 * 3 words.
  uint64_t words[9] = {7 * 8,
                       2ull << 32 | 2,
                       2,
                       3,
                       1ull << 32 | 2,
                       4,
                       3,
                       reinterpret_cast<uint64_t>(a.data()),
                       reinterpret_cast<uint64_t>(b.data())};
  EXPECT_OK(run([&] {
    ListTensorDesc list(words);
    EXPECT_EQ(list.GetSize(), 2u);
    EXPECT_EQ(list.GetDataPtr<float>(1), b.data());
    TensorDesc<float> desc;
    uint64_t shape[8];
    desc.SetShapeAddr(shape);
    list.GetDesc(desc, 1);
    EXPECT_EQ(desc.GetDim(), 2u);
    EXPECT_EQ(desc.GetShape(0), 4u);
    EXPECT_EQ(desc.GetDataObj().GetSize(), 12u);
    EXPECT_EQ(desc.GetDataObj().GetValue(5), 2.0f);
  }));
  EXPECT_EQ(errorOf(run([&] {
              ListTensorDesc list(words);
              list.GetDataPtr<float>(2);
            })),
            "ASSERT at core_tiling.cpp:N: assertion failed: index < GetSize(): "
            "ListTensorDesc");
}

} // namespace
