// NLLLossBackward: values of all kernels, on the stand-in and on the vendor's
// headers. One row without an axis, whole rows in a tile, several tiles of a
// row, few rows and many, and rows that lie innermost.
#include "NllTest.h"

#include "lossgrad_nll_loss_backward_tiling.h"

namespace {

const Shape shapes[] = {{7},       {3001},     {7, 1},     {300, 5},
                        {40, 64},  {37, 100},  {1100, 33}, {9, 513},
                        {6, 1000}, {3, 20000}, {4, 9001},  {70, 4096}};

struct Operator {
  using Call = NLLLossBackwardCall;
  using TilingData = NLLLossBackwardTilingData;

  static bool plan(const Call &call, const lossgrad::Platform &platform,
                   TilingData &tiling, lossgrad::Launch &chosen) {
    return ComputeNLLLossBackwardTiling(call, platform, tiling, chosen);
  }
  template <typename... Args>
  static int64_t run(const lossgrad::Launch &chosen, Args... args) {
    return RUN_KERNEL(chosen.key, chosen.blocks, lossgrad_nll_loss_backward,
                      args...);
  }
};

} // namespace

int main(int argc, char **) {
  NllTest<Operator> test("NLLLossBackward", argc > 1);
  int turn = 0;
  for (const Shape &shape : shapes)
    for (int32_t dtype : {F32, F16, BF16})
      for (int further = 0; further < 7; ++further, ++turn) {
        std::vector<int> order;
        if (shape.size() == 2 && (further == 3 || further == 5))
          order = {0, 1}; // rows innermost
        else if (shape.size() == 2 && (further == 4 || further == 6))
          order = {1, 0};
        // Any layout, where the result has a type of its own.
        const int32_t resultType = further >= 5 ? (dtype + 1) % 3 : dtype;
        test.run(shape, shape.size() - 1, dtype, resultType, turn, order);
      }
  // All but AnyRows: only the result has classes and decides the type, so that
  // rows which lie densely have a kernel of their own, and others are columns.
  return test.finish(/*fewestKeys=*/16);
}
