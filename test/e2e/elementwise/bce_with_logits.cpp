// BinaryCrossEntropyWithLogitsBackward: values of all kernels, with and without
// each of the optional weights.
#include "ValueCases.h"

#include "lossgrad_binary_cross_entropy_with_logits_backward_tiling.h"

namespace {

struct BceWithLogits {
  using Tiling = BinaryCrossEntropyWithLogitsBackwardTilingData;
  static constexpr int kInputs = 5;
  static constexpr int kKeys = 30;
  static constexpr bool kOptional[kInputs] = {false, false, false, true, true};

  static bool tile(const Case &c, const lossgrad::Platform &platform,
                   Tiling &tiling, lossgrad::Launch &launch) {
    const BinaryCrossEntropyWithLogitsBackwardCall call = {
        c.inputs[0], c.inputs[1], c.inputs[2], c.inputs[3],
        c.inputs[4], c.reduction, c.output};
    return ComputeBinaryCrossEntropyWithLogitsBackwardTiling(call, platform,
                                                             tiling, launch);
  }

  static int runKernel(uint64_t key, uint32_t blocks, uint8_t *const *memory,
                       uint8_t *workspace, uint8_t *tiling) {
    return RUN_KERNEL(key, blocks,
                      lossgrad_binary_cross_entropy_with_logits_backward,
                      memory[0], memory[1], memory[2], memory[3], memory[4],
                      memory[5], workspace, tiling);
  }

  /// Exp may be a unit off, which is two roundings.
  static Bounded formula(const Case &c, const double *inputs) {
    const Bounded y = inputs[2];
    const Bounded py = c.inputs[4].present ? Bounded(inputs[4]) * y : y;
    const Bounded e =
        monotone(-Bounded(inputs[1]), [](double v) { return std::exp(v); }, 2);
    const Bounded sigmoid = monotone(e + 1, [](double v) { return 1 / v; }, 1);
    const double k = c.reduction == 1 ? 1.0 / double(c.inputs[1].Numel()) : 1.0;
    const Bounded d = (py + 1 - y) * sigmoid - py;
    const Bounded weighted = c.inputs[3].present ? d * inputs[3] : d;
    return weighted * inputs[0] * coefficient(k);
  }
};

} // namespace

int main() {
  ValueCases<BceWithLogits> cases;
  cases.all();
  return cases.finish();
}
