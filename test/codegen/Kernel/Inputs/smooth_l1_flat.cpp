// Every length around a tile, with a NaN: the emitted flat fp32 kernel against
// the formula, bit for bit.
#include "run_kernel.h"

static float expected(float self, float target, float gradOut, float scale, float bound)
{
    float x = (self - target) * scale;
    float clamped = std::isnan(x) ? x : std::fmax(std::fmin(x, bound), -bound);
    return clamped * gradOut;
}

static int check(int64_t total, int32_t tile, int blocks)
{
    auto *gradOut = allocate<float>(total), *self = allocate<float>(total);
    auto *target = allocate<float>(total), *gradInput = allocate<float>(total);
    for (int64_t i = 0; i < total; ++i) {
        gradOut[i] = sample(3 * i);
        self[i] = i % 97 == 5 ? NAN : sample(3 * i + 1);
        target[i] = sample(3 * i + 2);
    }
    auto *tiling = allocate<SmoothL1LossBackwardTilingData>(1);
    *tiling = {(total + tile - 1) / tile, total, tile, 0.25f / 1.5f, 0.25f};
    auto *workspace = allocate<uint8_t>(32);
    int bad = RUN_KERNEL(1, blocks, lossgrad_smooth_l1_loss_backward, (uint8_t *)gradOut, (uint8_t *)self,
        (uint8_t *)target, (uint8_t *)gradInput, workspace, (uint8_t *)tiling);
    int wrong = 0;
    for (int64_t i = 0; i < total; ++i)
        wrong += !same(gradInput[i], expected(self[i], target[i], gradOut[i], 0.25f / 1.5f, 0.25f));
    if (wrong || bad)
        std::printf("total %lld tile %d: %d wrong values, %d bad blocks\n", (long long)total, tile, wrong, bad);
    return wrong + bad;
}

int main()
{
    int failures = 0;
    for (int64_t total : {1, 7, 8, 31, 32, 33, 255, 256, 257, 513, 4099})
        failures += check(total, 256, 2);
    failures += check(30011, 5760, 2);
    return failures != 0;
}
