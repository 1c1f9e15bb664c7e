// More rows than float32 counts one by one: the number of those that are not
// ignored is 2^24 + 3, which is rounded once, to 2^24 + 4. With one class a row
// of the gradient is its z-loss part alone, a number divided by that count, so
// that any other count shows in the last bit.
#include "run_kernel.h"

#include "Elements.h"
#include "Tensors.h"

#include "lossgrad_cross_entropy_loss_grad_tiling.h"

namespace {

constexpr int32_t kInt64 = 3; // as the tiling data has it
constexpr int64_t kCounted = (int64_t(1) << 24) + 3;
constexpr int64_t kIgnoredEvery = 200000;
constexpr int64_t kRows = kCounted + kCounted / kIgnoredEvery + 1;

bool isIgnored(int64_t row) { return row % (kIgnoredEvery + 1) == 0; }

} // namespace

int main() {
  CrossEntropyLossGradCall call = CrossEntropyLossGradCall();
  call.gradLoss = call.gradZlossOptional = denseTensor({1}, F32);
  call.logProb = call.out = denseTensor({kRows, 1}, F32);
  call.target = denseTensor({kRows}, kInt64);
  call.lseForZlossOptional = denseTensor({kRows}, F32);
  call.reductionOptional = 1; // mean
  call.ignoreIndex = -100;
  call.lseSquareScaleForZloss = 0.5;
  auto *tiling = allocate<CrossEntropyLossGradTilingData>(1);
  lossgrad::Launch chosen = lossgrad::Launch();
  if (!ComputeCrossEntropyLossGradTiling(call, {48, 196352, 192 << 20, 2201},
                                         *tiling, chosen)) {
    std::printf("no tiling: %s\n", chosen.failure);
    return 1;
  }
  auto *gradLoss = allocate<float>(1), *gradZloss = allocate<float>(1);
  auto *logProb = allocate<float>(kRows), *lse = allocate<float>(kRows);
  auto *out = allocate<float>(kRows);
  auto *target = allocate<int64_t>(kRows);
  auto *workspace = allocate<uint8_t>(size_t(chosen.workspace) + 64);
  *gradLoss = 0x1p-10f; // so that the other parts are nothing beside 1
  *gradZloss = 1 - 0x1p-10f;
  int64_t counted = 0;
  for (int64_t i = 0; i < kRows; ++i) {
    target[i] = isIgnored(i) ? -100 : 0;
    counted += !isIgnored(i);
    logProb[i] = 0; // the one class is certain
    lse[i] = float(kCounted + 1);
    out[i] = -1;
  }
  const int64_t broken = RUN_KERNEL(
      chosen.key, chosen.blocks, lossgrad_cross_entropy_loss_grad, gradLoss,
      logProb, target, nullptr, gradZloss, lse, out, workspace, tiling);
  int64_t wrong = counted != kCounted || broken;
  for (int64_t i = 0; i < kRows; ++i)
    wrong += out[i] != (isIgnored(i) ? 0.0f : 1.0f);
  std::printf("%lld of %lld rows count, %lld wrong\n", (long long)counted,
              (long long)kRows, (long long)wrong);
  return wrong != 0;
}
