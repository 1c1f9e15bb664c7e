// A row and a column broadcast over [rows, cols], for rows and columns around
// blocks, repeats and tiles.
#include "run_kernel.h"

static int check(int64_t rows, int32_t cols, int32_t tileRows, int blocks)
{
    const float scale = 0.4f, bound = 0.5f;
    int64_t total = rows * cols;
    auto *gradOut = allocate<float>(rows), *self = allocate<float>(total);
    auto *target = allocate<float>(cols), *gradInput = allocate<float>(total);
    for (int64_t i = 0; i < rows; ++i)
        gradOut[i] = sample(i);
    for (int64_t i = 0; i < cols; ++i)
        target[i] = sample(i + 1000);
    for (int64_t i = 0; i < total; ++i)
        self[i] = sample(i + 5000);
    auto *tiling = allocate<SmoothL1LossBackwardTilingData>(1);
    *tiling = {rows, (rows + tileRows - 1) / tileRows, cols, (cols + 7) / 8 * 8, tileRows, scale, bound};
    auto *workspace = allocate<uint8_t>(32);
    int bad = RUN_KERNEL(1, blocks, lossgrad_smooth_l1_loss_backward, (uint8_t *)gradOut, (uint8_t *)self,
        (uint8_t *)target, (uint8_t *)gradInput, workspace, (uint8_t *)tiling);
    int wrong = 0;
    for (int64_t i = 0; i < total; ++i) {
        float x = (self[i] - target[i % cols]) * scale;
        float y = std::fmax(std::fmin(x, bound), -bound) * gradOut[i / cols];
        wrong += !same(gradInput[i], y);
    }
    if (wrong || bad)
        std::printf("[%lld, %d] tile %d: %d wrong values, %d bad blocks\n", (long long)rows, cols, tileRows, wrong, bad);
    return wrong + bad;
}

int main()
{
    int failures = 0;
    for (int32_t cols : {1, 7, 8, 9, 48, 63, 64, 65, 130})
        for (int64_t rows : {1, 8, 9, 33})
            failures += check(rows, cols, 16, 2);
    return failures != 0;
}
