// SmoothL1LossBackward: values of all kernels, and every kind of beta.
#include "ValueCases.h"

#include "lossgrad_smooth_l1_loss_backward_tiling.h"

namespace {

struct SmoothL1 {
  using Tiling = SmoothL1LossBackwardTilingData;
  static constexpr int kInputs = 3;
  static constexpr int kKeys = 10;
  static constexpr bool kOptional[kInputs] = {};

  /// Every kernel must run with its coefficient in one step and in two.
  static inline std::set<std::pair<uint64_t, int32_t>> ways;

  static bool tile(const Case &c, const lossgrad::Platform &platform,
                   Tiling &tiling, lossgrad::Launch &launch) {
    const SmoothL1LossBackwardCall call = {
        c.inputs[0], c.inputs[1], c.inputs[2], c.reduction, c.beta, c.output};
    const bool done =
        ComputeSmoothL1LossBackwardTiling(call, platform, tiling, launch);
    ways.insert({launch.key, tiling.scaleFits});
    return done;
  }

  static int runKernel(uint64_t key, uint32_t blocks, uint8_t *const *memory,
                       uint8_t *workspace, uint8_t *tiling) {
    return RUN_KERNEL(key, blocks, lossgrad_smooth_l1_loss_backward, memory[0],
                      memory[1], memory[2], memory[3], workspace, tiling);
  }

  /// The value branch by branch as the operator is specified. The error of
  /// clamp(x * (k / beta), -k, k) * gradOut: four roundings of at most 2^-24
  /// each (difference, coefficient, two products), so 2 * 2^-23 relative.
  static Bounded formula(const Case &c, const double *inputs) {
    const double gradOut = inputs[0], x = inputs[1] - inputs[2], beta = c.beta;
    const double k = c.reduction == 1 ? 1.0 / double(c.inputs[1].Numel()) : 1.0;
    const double sign = x > 0 ? 1 : x < 0 ? -1 : 0;
    const double d = std::isnan(x)                             ? x
                     : std::fabs(x) < beta || std::isinf(beta) ? x / beta
                                                               : sign;
    const Bounded bound = coefficient(k);
    const Bounded inner =
        beta > 0 ? clamp((Bounded(inputs[1]) - Bounded(inputs[2])) *
                             coefficient(k / beta),
                         -bound, bound)
                 : Bounded(sign * k, bound.error);
    return Bounded(d * gradOut * k, (inner * gradOut).error);
  }
};

class SmoothL1Cases : public ValueCases<SmoothL1> {
public:
  void betas() {
    for (float beta : {0.0f, 1e-45f, 1e-40f, 1e-38f, 1e-7f, 0.007f, 0.5f, 1.0f,
                       41.0f, 1e30f, 3e38f, kInf})
      for (int64_t reduction : {0, 1})
        for (bool single : {false, true})
          for (bool special : {false, true}) {
            Case c =
                equalShapes("beta " + std::to_string(beta), {3, 1001}, F32);
            if (single)
              reshape(c, 0, {1});
            c.beta = beta;
            c.reduction = reduction;
            c.special = special;
            run(c);
          }
  }
};

} // namespace

int main() {
  SmoothL1Cases cases;
  cases.all();
  cases.betas();
  const bool allWays = SmoothL1::ways.size() == 2 * SmoothL1::kKeys;
  if (!allWays)
    std::printf("%zu of %d ways through the kernels used\n",
                SmoothL1::ways.size(), 2 * SmoothL1::kKeys);
  return cases.finish() != 0 || !allWays;
}
