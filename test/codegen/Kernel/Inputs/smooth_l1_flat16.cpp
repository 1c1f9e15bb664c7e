// The 16-bit template for both types: computed in float, rounded once.
#include "run_kernel.h"

template <typename T> float widen(T value);
template <> float widen(half value) { return static_cast<float>(value); }
template <> float widen(bfloat16_t value)
{
    uint16_t raw;
    std::memcpy(&raw, &value, 2);
    uint32_t wide = static_cast<uint32_t>(raw) << 16;
    float result;
    std::memcpy(&result, &wide, 4);
    return result;
}

// The bits of `value` rounded to nearest even.
static uint16_t roundBits(float value, bool toHalf)
{
    if (toHalf) {
        _Float16 rounded = static_cast<_Float16>(value);
        uint16_t raw;
        std::memcpy(&raw, &rounded, 2);
        return raw;
    }
    uint32_t wide;
    std::memcpy(&wide, &value, 4);
    wide += 0x7fff + ((wide >> 16) & 1);
    return static_cast<uint16_t>(wide >> 16);
}

template <typename T>
static int check(uint64_t key, bool isHalf, int64_t total, int32_t tile, int blocks)
{
    T *tensors[4];
    for (T *&tensor : tensors)
        tensor = allocate<T>(total);
    for (int t = 0; t < 3; ++t)
        for (int64_t i = 0; i < total; ++i) {
            uint16_t raw = roundBits(sample(3 * i + t), isHalf);
            std::memcpy(&tensors[t][i], &raw, 2);
        }
    const float scale = 0.4f, bound = 0.5f;
    auto *tiling = allocate<SmoothL1LossBackwardTilingData>(1);
    *tiling = {(total + tile - 1) / tile, total, tile, scale, bound};
    auto *workspace = allocate<uint8_t>(32);
    int bad = RUN_KERNEL(key, blocks, lossgrad_smooth_l1_loss_backward, (uint8_t *)tensors[0], (uint8_t *)tensors[1],
        (uint8_t *)tensors[2], (uint8_t *)tensors[3], workspace, (uint8_t *)tiling);
    int wrong = 0;
    for (int64_t i = 0; i < total; ++i) {
        float x = (widen(tensors[1][i]) - widen(tensors[2][i])) * scale;
        float y = std::fmax(std::fmin(x, bound), -bound) * widen(tensors[0][i]);
        uint16_t raw;
        std::memcpy(&raw, &tensors[3][i], 2);
        wrong += raw != roundBits(y, isHalf);
    }
    if (wrong || bad)
        std::printf("key %d total %lld: %d wrong values, %d bad blocks\n", (int)key, (long long)total, wrong, bad);
    return wrong + bad;
}

int main()
{
    int failures = 0;
    for (int64_t total : {1, 15, 16, 17, 256, 257, 1031}) {
        failures += check<half>(1, true, total, 256, 2);
        failures += check<bfloat16_t>(2, false, total, 256, 2);
    }
    return failures != 0;
}
