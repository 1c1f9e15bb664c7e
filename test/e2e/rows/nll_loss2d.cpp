// NLLLoss2dBackward: values of all kernels, on the stand-in and on the vendor's
// headers. Images of one pixel, of less and more than a block, and of many.
#include "NllTest.h"

#include "lossgrad_nll_loss2d_backward_tiling.h"

namespace {

const Shape shapes[] = {{5, 3, 1, 1},    {40, 17, 1, 1},   {2, 1, 3, 5},
                        {3, 21, 4, 4},   {1, 4, 33, 31},   {2, 300, 8, 8},
                        {2, 19, 40, 65}, {1, 2, 1, 20000}, {9, 1000, 1, 1}};

struct Operator {
  using Call = NLLLoss2dBackwardCall;
  using TilingData = NLLLoss2dBackwardTilingData;

  static bool plan(const Call &call, const lossgrad::Platform &platform,
                   TilingData &tiling, lossgrad::Launch &chosen) {
    return ComputeNLLLoss2dBackwardTiling(call, platform, tiling, chosen);
  }
  template <typename... Args>
  static int64_t run(const lossgrad::Launch &chosen, Args... args) {
    return RUN_KERNEL(chosen.key, chosen.blocks, lossgrad_nll_loss2d_backward,
                      args...);
  }
};

} // namespace

int main(int argc, char **) {
  NllTest<Operator> test("NLLLoss2dBackward", argc > 1);
  int turn = 0;
  for (const Shape &shape : shapes)
    for (int32_t dtype : {F32, F16, BF16})
      for (int further = 0; further < 5; ++further, ++turn) {
        std::vector<int> order;
        if (further == 3 && turn % 2)
          order = {1, 3, 2, 0}; // classes innermost
        else if (further == 3)
          order = {3, 2, 1, 0};
        // Any layout, where the result has a type of its own.
        const int32_t resultType = further == 4 ? (dtype + 1) % 3 : dtype;
        test.run(shape, 1, dtype, resultType, turn, order);
      }
  return test.finish(/*fewestKeys=*/17);
}
