// What the tiling function of AddCustom tells the kernel. Plain data, the same
// on both sides.
#ifndef ADD_CUSTOM_TILING_H
#define ADD_CUSTOM_TILING_H

#include <cstdint>

constexpr uint32_t ADD_MAX_OUTER = 7;

struct AddCustomTilingData {
    uint64_t rows;       // product of the outer dims
    uint64_t columns;    // innermost dim
    uint64_t tileLength; // elements per copy
    uint64_t outerCount;
    uint64_t outerDims[ADD_MAX_OUTER];
    // In elements; 0 where the operand is broadcast.
    uint64_t x1Strides[ADD_MAX_OUTER];
    uint64_t x2Strides[ADD_MAX_OUTER];
    uint32_t x1Inner; // 1: a row of its own, 0: one value per row
    uint32_t x2Inner;
    float alpha;
    uint32_t reserved;
};
static_assert(sizeof(AddCustomTilingData) % 8 == 0, "tiling data comes in words");

#endif // ADD_CUSTOM_TILING_H
