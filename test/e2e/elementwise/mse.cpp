// MseLossBackward: values of all kernels.
#include "ValueCases.h"

#include "lossgrad_mse_loss_backward_tiling.h"

namespace {

struct Mse {
  using Tiling = MseLossBackwardTilingData;
  static constexpr int kInputs = 3;
  static constexpr int kKeys = 10;
  static constexpr bool kOptional[kInputs] = {};

  static bool tile(const Case &c, const lossgrad::Platform &platform,
                   Tiling &tiling, lossgrad::Launch &launch) {
    const MseLossBackwardCall call = {c.inputs[0], c.inputs[1], c.inputs[2],
                                      c.reduction, c.output};
    return ComputeMseLossBackwardTiling(call, platform, tiling, launch);
  }

  static int runKernel(uint64_t key, uint32_t blocks, uint8_t *const *memory,
                       uint8_t *workspace, uint8_t *tiling) {
    return RUN_KERNEL(key, blocks, lossgrad_mse_loss_backward, memory[0],
                      memory[1], memory[2], memory[3], workspace, tiling);
  }

  static Bounded formula(const Case &c, const double *inputs) {
    const double k = c.reduction == 1 ? 2.0 / double(c.inputs[1].Numel()) : 2.0;
    return (Bounded(inputs[1]) - Bounded(inputs[2])) * inputs[0] *
           coefficient(k);
  }
};

} // namespace

int main() {
  ValueCases<Mse> cases;
  cases.all();
  return cases.finish();
}
