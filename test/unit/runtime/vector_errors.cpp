// What the vector calls refuse: the exact messages for bad arguments and for
// what a product does not have.
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

std::string at(const char *call) {
  return std::string(call) + " at vector_errors.cpp:N: ";
}

Options on(const char *soc) {
  Options options;
  options.soc = soc;
  return options;
}

TEST(VectorErrors, UnalignedOperand) {
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              Add(x[1], x, x, 8);
            })),
            at("Add") + "UB address 0x4 of dst is not 32-byte aligned");
}

TEST(VectorErrors, BeyondUb) {
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256),
                   z = tensorAt<float>(196608 - 256, 64);
              Add(z, x, x, 65);
            })),
            at("Add") + "dst covers UB bytes [196352, 196612), UB has 196608");
}

TEST(VectorErrors, RepeatAndMask) {
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<half>(0, 256);
              Exp(x, x, uint64_t{128}, 256, {1, 1, 8, 8});
            })),
            at("Exp") + "repeat is 256, at most 255 are possible");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              Exp(x, x, uint64_t{65}, 1, {1, 1, 8, 8});
            })),
            at("Exp") + "mask is 65, a repeat of this type has 64 lanes");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              Exp(x, x, -1);
            })),
            at("Exp") + "count is -1, it must not be negative");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              Exp(x, x, uint64_t{64}, 1, {0, 1, 8, 8});
            })),
            at("Exp") +
                "block stride of dst is 0, the result would be undefined");
}

TEST(VectorErrors, NothingToDo) {
  EXPECT_OK(run([] {
    auto x = tensorAt<float>(0, 256);
    Exp(x, x, 0);
    Exp(x, x, uint64_t{64}, 0, {1, 1, 8, 8});
    Exp(x, x, uint64_t{0}, 1, {1, 1, 8, 8});
  }));
}

TEST(VectorErrors, WideningInPlace) {
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<half>(0, 256);
              Cast(x.ReinterpretCast<float>(), x, RoundMode::CAST_NONE, 128);
            })),
            at("Cast") + "dst (UB [0, 512)) overlaps src (UB [0, 256)) and "
                         "their element sizes differ");
}

// 16-bit data in the upper half of the float buffer that it is widened into: no
// write reaches an element that is still to be read.
TEST(VectorErrors, WideningFromTheUpperHalfIsInOrder) {
  for (int count : {16, 32, 48, 112, 1024, 4096}) {
    const auto result = run([count] {
      auto wide = tensorAt<float>(0, count);
      auto narrow = wide.ReinterpretCast<half>()[count];
      for (int i = 0; i < count; ++i)
        narrow.SetValue(i, half(static_cast<float>(i % 512) - 100.0f));
      Cast(wide, narrow, RoundMode::CAST_NONE, count);
      for (int i = 0; i < count; ++i)
        EXPECT_EQ(wide.GetValue(i), static_cast<float>(i % 512) - 100.0f) << i;
    });
    EXPECT_TRUE(result.ok) << result.errors;
  }
}

TEST(VectorErrors, RoundModes) {
  EXPECT_EQ(
      errorOf(run([] {
        auto x = tensorAt<float>(0, 256);
        Cast(tensorAt<bfloat16_t>(4096, 256), x, RoundMode::CAST_NONE, 64);
      })),
      at("Cast") +
          "float to bfloat16_t has no CAST_NONE on Atlas A2 (Ascend910B1), "
          "which has CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC; "
          "the device would write nothing");
  EXPECT_EQ(errorOf(run(on("Ascend310P3"),
                        [] {
                          auto x = tensorAt<bfloat16_t>(0, 256);
                          Cast(tensorAt<float>(4096, 256), x,
                               RoundMode::CAST_NONE, 64);
                        })),
            at("Cast") + "bfloat16_t to float is not available on Atlas "
                         "inference (Ascend310P3)");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<int32_t>(0, 256);
              Cast(tensorAt<half>(4096, 256), x, RoundMode::CAST_NONE, 64);
            })),
            at("Cast") + "int32_t to half multiplies by the scale of "
                         "SetDeqScale, which has not been called");
}

TEST(VectorErrors, ProductsAndTypes) {
  EXPECT_EQ(errorOf(run(on("Ascend910A"),
                        [] {
                          auto x = tensorAt<float>(0, 256);
                          Maxs(x, x, 1.0f, 64);
                        })),
            at("Maxs") + "not available on Atlas training (Ascend910A)");
  EXPECT_EQ(errorOf(run(on("Ascend910A"),
                        [] {
                          auto x = tensorAt<int16_t>(0, 256);
                          Add(x, x, x, 64);
                        })),
            at("Add") + "int16_t is not available on Atlas training "
                        "(Ascend910A), which takes half, float, int32_t");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<bfloat16_t>(0, 256);
              Add(x, x, x, 64);
            })),
            at("Add") + "bfloat16_t is not available on Atlas A2 "
                        "(Ascend910B1), which takes half, float, int16_t, "
                        "int32_t");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              Scatter(x, x, x.ReinterpretCast<uint32_t>(), 0u, 64u);
            })),
            at("Scatter") + "not available on Atlas A2 (Ascend910B1)");
  EXPECT_EQ(errorOf(run(on("Ascend910A"), [] { SetMaskCount(); })),
            at("SetMaskCount") +
                "not available on Atlas training (Ascend910A)");
}

TEST(VectorErrors, SelectAndGather) {
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              auto m = tensorAt<uint8_t>(4096, 32);
              Select(x, m, x, 1.0f, SELMODE::VSEL_CMPMASK_SPR, 64);
            })),
            at("Select") + "a scalar operand needs VSEL_TENSOR_SCALAR_MODE");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256), z = tensorAt<float>(8192, 64);
              auto off = tensorAt<uint32_t>(4096, 64);
              Duplicate(off, 4u, 64);
              off.SetValue(5, 400000u);
              Gather(z, x, off, 0u, 64u);
            })),
            at("Gather") + "offset 400000 of element 5 leads to UB byte "
                           "400000, UB has 196608");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 256);
              uint64_t kept;
              GatherMask(x, x, 8, false, 0, {1, 1, 8, 8}, kept);
            })),
            at("GatherMask") +
                "pattern is 8, built-in patterns of Atlas A2 are "
                "1 to 7");
}

TEST(VectorErrors, ReductionBuffers) {
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 1024);
              ReduceMax(tensorAt<float>(8192, 8), x, tensorAt<float>(16384, 8),
                        1024, true);
            })),
            at("ReduceMax") + "work buffer has 8 elements, 40 are needed");
  // One repeat takes none, though the formula of the documents gives 16.
  EXPECT_OK(run([] {
    auto x = tensorAt<float>(0, 64), z = tensorAt<float>(8192, 8);
    Duplicate(x, 3.0f, 64);
    x.SetValue(61, -2.0f);
    ReduceMin(z, x, x[64], 63, true);
    EXPECT_EQ(z.GetValue(0), -2.0f);
    EXPECT_EQ(z.ReinterpretCast<uint32_t>().GetValue(1), 61u);
  }));
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 128);
              ReduceMin(x, x, tensorAt<float>(16384, 8), 65, true);
            })),
            at("ReduceMin") + "work buffer has 8 elements, 16 are needed");
  EXPECT_EQ(errorOf(run([] {
              auto x = tensorAt<float>(0, 1024);
              WholeReduceSum(tensorAt<float>(8192, 8), x, 64, 1, -1, 1, 8);
            })),
            at("WholeReduceSum") +
                "dstRepStride is -1, it must be within [0, 65535]");
}

} // namespace
