//===- LaunchSums.h - Sums over everything ----------------------*- C++ -*-===//
//
// Fixed text, the last part of the device header of indices: sums over all rows
// of a call, which come before its tiles: exact counts, and the steps that take
// all rows.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_LAUNCHSUMS_H
#define LOSSGRAD_CODEGEN_KERNEL_LAUNCHSUMS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kLaunchSums = R"cpp(/* values = eight ints that add up to the whole numbers in the lanes of the tile, then zeros: floats add whole numbers
 * exactly up to 2^24 only. The tile is lost. */
__aicore__ inline void FoldCounts(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    const TilePosition &at, int32_t size)
{
    NeutralPadding<FoldSum>(tile, at);
    int32_t blocks = CeilDivide(at.lanes, BLOCK_FLOATS);
    const LocalTensor<int32_t> counts = tile.ReinterpretCast<int32_t>();
    Cast(counts, tile, @ROUND(float, int32_t)@, blocks * BLOCK_FLOATS);
    PipeBarrier<PIPE_V>();
    while (blocks > 1) {
        const int32_t half = CeilDivide(blocks, 2);
        Add(counts, counts, counts[half * BLOCK_FLOATS], (blocks - half) * BLOCK_FLOATS);
        PipeBarrier<PIPE_V>();
        blocks = half;
    }
    Duplicate(values, 0.0f, size);
    PipeBarrier<PIPE_V>();
    DataCopy(values, tile, BLOCK_FLOATS);
}

/* values = the sum of the ints of each core, `pitch` from core to core. */
__aicore__ inline void CombineCounts(const LocalTensor<float> &values, const LocalTensor<float> &partials,
    int32_t cores, int32_t pitch)
{
    const LocalTensor<int32_t> counts = partials.ReinterpretCast<int32_t>();
    while (cores > 1) {
        const int32_t half = CeilDivide(cores, 2);
        Add(counts, counts, counts[half * pitch], (cores - half) * pitch);
        PipeBarrier<PIPE_V>();
        cores = half;
    }
    DataCopy(values, partials, pitch);
}

/* The sum of the eight ints, rounded once. */
__aicore__ inline float TakeCount(const LocalTensor<float> &values)
{
    const LocalTensor<int32_t> counts = values.ReinterpretCast<int32_t>();
    int32_t sum = 0;
    for (int32_t i = 0; i < BLOCK_FLOATS; ++i) {
        sum += counts.GetValue(i);
    }
    return static_cast<float>(sum);
}

/* Steps of at most launchRows rows that take all rows of a call. */
template <typename Tiling>
__aicore__ inline int64_t RowSteps(const Tiling &tiling)
{
    int64_t steps = (tiling.extents[ROW_AXIS] + tiling.launchRows - 1) / tiling.launchRows;
    for (int32_t axis = tiling.firstAxis; axis < tiling.stepAxis; ++axis) {
        steps *= tiling.extents[axis];
    }
    return steps;
}

template <typename Tiling>
__aicore__ inline TilePosition RowsAt(const Tiling &tiling, int64_t step)
{
    TilePosition at;
    at.firstAxis = tiling.firstAxis;
    for (int32_t axis = 0; axis < AXES; ++axis) {
        at.index[axis] = 0;
    }
    const int64_t rowSteps = (tiling.extents[ROW_AXIS] + tiling.launchRows - 1) / tiling.launchRows;
    at.index[ROW_AXIS] = step % rowSteps * tiling.launchRows;
    int64_t rest = step / rowSteps;
    for (int32_t axis = tiling.stepAxis - 1; axis >= tiling.firstAxis; --axis) {
        at.index[axis] = rest % tiling.extents[axis];
        rest /= tiling.extents[axis];
    }
    const int64_t rowsLeft = tiling.extents[ROW_AXIS] - at.index[ROW_AXIS];
    at.rows = static_cast<int32_t>(rowsLeft < tiling.launchRows ? rowsLeft : tiling.launchRows);
    const int64_t lanes = tiling.extents[LANE_AXIS];
    at.lanes = static_cast<int32_t>(lanes < tiling.laneTile ? lanes : tiling.laneTile); // where they are whole, all
    at.pitch = CeilDivide(at.lanes, LANE_PAD) * LANE_PAD;
    at.first = 0;
    return at;
}

/* The steps of a sum over everything that this core takes: all, or its part where the cores meet afterwards. */
template <typename Tiling>
__aicore__ inline CoreShare LaunchShare(const Tiling &tiling, int64_t steps)
{
    if (tiling.launchSplit == 0) {
        return CoreShare{0, steps, 1};
    }
    const int64_t core = GetBlockIdx();
    const int64_t cores = GetBlockNum();
    return CoreShare{core * steps / cores, (core + 1) * steps / cores, 1};
}

)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_LAUNCHSUMS_H
