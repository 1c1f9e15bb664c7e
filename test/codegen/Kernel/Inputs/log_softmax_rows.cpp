// Row sums and exp: within 2e-6 of float64, for rows around a repeat.
#include "run_kernel.h"

static int check(int64_t rows, int32_t cols, int blocks)
{
    int64_t total = rows * cols;
    auto *grad = allocate<float>(total), *output = allocate<float>(total), *result = allocate<float>(total);
    for (int64_t i = 0; i < total; ++i) {
        grad[i] = sample(i);
        output[i] = -std::fabs(sample(i + 7777));
    }
    auto *tiling = allocate<LogSoftmaxBackwardTilingData>(1);
    *tiling = {rows, cols, (cols + 127) / 128 * 128};
    auto *workspace = allocate<uint8_t>(32);
    int bad = RUN_KERNEL(1, blocks, lossgrad_log_softmax_backward, (uint8_t *)grad, (uint8_t *)output,
        (uint8_t *)result, workspace, (uint8_t *)tiling);
    int wrong = 0;
    for (int64_t row = 0; row < rows; ++row) {
        double sum = 0, size = 0;
        for (int32_t i = 0; i < cols; ++i) {
            sum += grad[row * cols + i];
            size += std::fabs(grad[row * cols + i]);
        }
        for (int32_t i = 0; i < cols; ++i) {
            double want = grad[row * cols + i] - std::exp(static_cast<double>(output[row * cols + i])) * sum;
            wrong += !(std::fabs(result[row * cols + i] - want) <= 2e-6 * (size + 1));
        }
    }
    if (wrong || bad)
        std::printf("[%lld, %d]: %d wrong values, %d bad blocks\n", (long long)rows, cols, wrong, bad);
    return wrong + bad;
}

int main()
{
    int failures = 0;
    for (int32_t cols : {1, 7, 8, 63, 64, 65, 513, 1000})
        for (int64_t rows : {1, 2, 5})
            failures += check(rows, cols, 2);
    return failures != 0;
}
