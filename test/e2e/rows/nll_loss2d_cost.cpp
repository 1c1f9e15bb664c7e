// Launches of the emitted NLLLoss2dBackward kernels for the cost model, in the
// order of the table in nll_loss2d_cost.py, which judges what profile mode
// counted.
#include "run_kernel.h"

#include "Elements.h"
#include "Tensors.h"

#include "lossgrad_nll_loss2d_backward_tiling.h"

namespace {

constexpr int32_t kInt64 = 3; // as the tiling data has it

void run(int32_t dtype, bool perPixel, int64_t classes, int64_t side) {
  const Shape shape = {8, classes, side, side}, pixels = {8, side, side};
  NLLLoss2dBackwardCall call = NLLLoss2dBackwardCall();
  call.gradOutput = denseTensor(perPixel ? pixels : Shape{1}, dtype);
  call.self = denseTensor(shape, dtype);
  call.target = denseTensor(pixels, kInt64);
  call.weight = denseTensor({shape[1]}, dtype);
  call.reduction = perPixel ? 0 : 1;
  call.ignoreIndex = -100;
  call.totalWeight = denseTensor({1}, dtype);
  call.out = denseTensor(shape, dtype);
  const lossgrad::Platform platform = {48, 196352, 192 << 20, 2201};
  auto *tiling = allocate<NLLLoss2dBackwardTilingData>(1);
  lossgrad::Launch chosen = lossgrad::Launch();
  if (!ComputeNLLLoss2dBackwardTiling(call, platform, *tiling, chosen)) {
    std::printf("no tiling: %s\n", chosen.failure);
    std::exit(1);
  }
  auto memory = [&](const lossgrad::Tensor &tensor) {
    return allocate<uint8_t>(size_t(spanOf(tensor)) * sizeOf(dtype));
  };
  auto *target = allocate<int64_t>(size_t(call.target.Numel()));
  for (int64_t i = 0; i < call.target.Numel(); ++i)
    target[i] = i % shape[1];
  RUN_KERNEL(chosen.key, chosen.blocks, lossgrad_nll_loss2d_backward,
             memory(call.gradOutput), memory(call.self),
             reinterpret_cast<uint8_t *>(target), memory(call.weight),
             memory(call.totalWeight), memory(call.out),
             allocate<uint8_t>(size_t(chosen.workspace) + 64),
             reinterpret_cast<uint8_t *>(tiling));
}

} // namespace

int main() {
  for (int32_t dtype : {F32, F16, BF16})
    for (bool perPixel : {false, true})
      run(dtype, perPixel, 21, 96);
  for (int32_t dtype : {F32, F16, BF16})
    run(dtype, false, 21, 512);
  return 0;
}
