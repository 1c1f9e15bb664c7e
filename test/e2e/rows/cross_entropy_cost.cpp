// Launches of the emitted CrossEntropyLossGrad kernels for the cost model, in
// the order of the table in cross_entropy_cost.py, which judges what profile
// mode counted.
#include "run_kernel.h"

#include "Elements.h"
#include "Tensors.h"

#include "lossgrad_cross_entropy_loss_grad_tiling.h"

#include <algorithm>

namespace {

constexpr int32_t kInt64 = 3; // as the tiling data has it

struct Case {
  int64_t rows, classes;
  int32_t dtype;
  bool weighted = false, mean = false;
  int64_t ignoredEvery = 0; // of so many rows the first is ignored
  double smoothing = 0, zloss = 0;
};

void run(const Case &c) {
  const Shape row = {c.rows}, all = {c.rows, c.classes};
  CrossEntropyLossGradCall call = CrossEntropyLossGradCall();
  call.gradLoss = denseTensor(c.mean ? Shape{1} : row, c.dtype);
  call.logProb = denseTensor(all, c.dtype);
  call.target = denseTensor(row, kInt64);
  if (c.weighted)
    call.weightOptional = denseTensor({c.classes}, F32);
  call.reductionOptional = c.mean ? 1 : 0;
  call.ignoreIndex = -100;
  call.labelSmoothing = c.smoothing;
  call.lseSquareScaleForZloss = c.zloss;
  if (c.zloss != 0) {
    call.gradZlossOptional = call.gradLoss;
    call.lseForZlossOptional = denseTensor(row, c.dtype);
  }
  call.out = denseTensor(all, c.dtype);
  const lossgrad::Platform platform = {48, 196352, 192 << 20, 2201};
  auto *tiling = allocate<CrossEntropyLossGradTilingData>(1);
  lossgrad::Launch chosen = lossgrad::Launch();
  if (!ComputeCrossEntropyLossGradTiling(call, platform, *tiling, chosen)) {
    std::printf("no tiling: %s\n", chosen.failure);
    std::exit(1);
  }
  auto *gradLoss = allocate<uint8_t>(size_t(c.rows) * 4);
  auto *logProb =
      allocate<uint8_t>(size_t(c.rows * c.classes) * sizeOf(c.dtype));
  auto *target = allocate<int64_t>(size_t(c.rows));
  auto *weight = allocate<float>(size_t(c.classes));
  auto *out = allocate<uint8_t>(size_t(c.rows * c.classes) * sizeOf(c.dtype));
  auto *workspace = allocate<uint8_t>(size_t(chosen.workspace) + 64);
  // Numbers, not zeros: rows of one gradient have their products in common,
  // unless those are NaN.
  std::fill(weight, weight + c.classes, 1.0f);
  const size_t gradients = size_t(c.mean ? 1 : c.rows);
  for (size_t i = 0; i < gradients; ++i)
    if (c.dtype == F32)
      reinterpret_cast<float *>(gradLoss)[i] = 1.0f;
    else
      reinterpret_cast<uint16_t *>(gradLoss)[i] =
          c.dtype == F16 ? 0x3C00 : 0x3F80;
  for (int64_t i = 0; i < c.rows; ++i)
    target[i] =
        c.ignoredEvery && i % c.ignoredEvery == 0 ? -100 : i * 7919 % c.classes;
  RUN_KERNEL(chosen.key, chosen.blocks, lossgrad_cross_entropy_loss_grad,
             gradLoss, logProb, reinterpret_cast<uint8_t *>(target),
             reinterpret_cast<uint8_t *>(weight), gradLoss, gradLoss, out,
             workspace, reinterpret_cast<uint8_t *>(tiling));
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) { // one launch: rows, classes, dtype, weights, mean, smoothing
    const auto number = [&](int i) {
      return i < argc ? std::atof(argv[i]) : 0;
    };
    run({int64_t(number(1)), int64_t(number(2)), int32_t(number(3)),
         number(4) != 0, number(5) != 0, 0, number(6), 0});
    return 0;
  }
  for (int32_t dtype : {F32, F16, BF16}) {
    run({96, 32000, dtype});
    run({3072, 512, dtype});
  }
  run({96, 32000, F32, /*weighted=*/true, /*mean=*/true});
  run({3, 131072, F32});
  run({96, 32000, F32, false, false, /*ignoredEvery=*/2});
  for (int32_t dtype : {F32, BF16})
    for (bool weighted : {false, true}) {
      run({768, 32000, dtype, weighted, /*mean=*/true, 0, 0.1, 1e-4});
      run({12288, 512, dtype, weighted, /*mean=*/true, 0, 0.1, 1e-4});
      run({24576, 64, dtype, weighted, /*mean=*/true});
      run({24576, 64, dtype, weighted, /*mean=*/true, 0, 0.1, 1e-4});
    }
  run({24576, 64, F32, false, /*mean=*/true, /*ignoredEvery=*/2});
  return 0;
}
