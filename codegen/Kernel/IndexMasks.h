//===- IndexMasks.h - Where a class is that of its row ----------*- C++ -*-===//
//
// Fixed text, the second part of the device header of indices: how far the
// classes of a tile are from the index of a row or lane, rows that are left
// out, and the lane of a row that its index names.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_INDEXMASKS_H
#define LOSSGRAD_CODEGEN_KERNEL_INDEXMASKS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kIndexMasks = R"cpp(/* dst = values - number, without leaving the range; dst may be values. */
__aicore__ inline void SubtractNumber(const LocalTensor<int32_t> &dst, const LocalTensor<int32_t> &values,
    int32_t number, int32_t count)
{
//@if Adds int32_t
    const int32_t least = number > 0 ? number - LARGEST_DATA - 2 : -LARGEST_DATA - 2;
    const int32_t most = number < 0 ? LARGEST_DATA + 2 + number : LARGEST_DATA + 2;
    Maxs(dst, values, least, count);
    PipeBarrier<PIPE_V>();
    Mins(dst, dst, most, count);
    PipeBarrier<PIPE_V>();
    Adds(dst, dst, -number, count);
//@else
    const int64_t most = static_cast<int64_t>(LARGEST_DATA) + 2;
    WaitForPipe<HardEvent::V_S>();
    for (int32_t i = 0; i < count; ++i) {
        const int64_t moved = static_cast<int64_t>(values.GetValue(i)) - number;
        dst.SetValue(i, static_cast<int32_t>(moved > most ? most : (moved < -most ? -most : moved)));
    }
    WaitForPipe<HardEvent::S_V>();
//@end
}

/* near = index - first where that lies among `extent` classes, and a number beside them where it does not: both are exact
 * in float, and so is the distance to a class. Ints that a float does not hold round to such as are no class of a tile,
 * so that nothing is to be done where classes begin with 0. */
__aicore__ inline void BringNear(const LocalTensor<float> &near, const LocalTensor<int32_t> &index, int32_t first,
    int32_t extent, int32_t count)
{
//@if Adds int32_t
    if (first == 0) {
        Cast(near, index, @EXACT(int32_t, float)@, count);
        PipeBarrier<PIPE_V>();
        return;
    }
    const LocalTensor<int32_t> moved = near.ReinterpretCast<int32_t>();
    SubtractNumber(moved, index, first, count);
    PipeBarrier<PIPE_V>();
    Maxs(moved, moved, -1, count);
    PipeBarrier<PIPE_V>();
    Mins(moved, moved, extent, count);
    PipeBarrier<PIPE_V>();
    Cast(near, moved, @EXACT(int32_t, float)@, count);
    PipeBarrier<PIPE_V>();
//@else
    WaitForPipe<HardEvent::V_S>();
    for (int32_t i = 0; i < count; ++i) {
        const int64_t moved = static_cast<int64_t>(index.GetValue(i)) - first;
        near.SetValue(i, static_cast<float>(static_cast<int32_t>(moved < -1 ? -1 : (moved > extent ? extent : moved))));
    }
    WaitForPipe<HardEvent::S_V>();
//@end
}

/* dst = the class of each lane minus the index of the row, other than 0 where that is far. */
__aicore__ inline void LaneDistance(const LocalTensor<float> &dst, const LocalTensor<int32_t> &index,
    const TilePosition &at, const LocalTensor<float> &numbers, const LocalTensor<float> &near,
    const LocalTensor<float> &blocks)
{
    BringNear(near, index, at.first, at.pitch, at.rows);
//@if CreateVecIndex
    CreateVecIndex(numbers, 0.0f, static_cast<uint32_t>(at.pitch));
//@else
    ArithProgression(numbers, 0.0f, 1.0f, at.pitch);
//@end
    SpreadRows(blocks, near, at);
    PipeBarrier<PIPE_V>();
    const int32_t stride = at.pitch / BLOCK_FLOATS;
    if (stride <= MAX_STRIDE) {
        const BinaryRepeatParams strides{1, 1, 0, static_cast<uint8_t>(stride), 0, 1};
        for (int32_t lane = 0; lane < at.pitch; lane += REPEAT_FLOATS) {
            const int32_t left = at.pitch - lane;
            Sub(dst[lane], numbers[lane], blocks, static_cast<uint64_t>(left < REPEAT_FLOATS ? left : REPEAT_FLOATS),
                static_cast<uint8_t>(at.rows), strides);
        }
        return;
    }
    TilePosition row = at.FirstRow();
    for (int32_t i = 0; i < at.rows; ++i) {
        WithRows<Minus, false>(dst[i * at.pitch], numbers, blocks[i * BLOCK_FLOATS], row);
    }
}

/* dst = the index of each lane minus the class of the row, other than 0 where that is far. */
__aicore__ inline void RowDistance(const LocalTensor<float> &dst, const LocalTensor<int32_t> &index,
    const TilePosition &at, const LocalTensor<float> &near)
{
    BringNear(near, index, at.first, at.rows, at.pitch);
    for (int32_t row = 0; row < at.rows; ++row) {
        Adds(dst[row * at.pitch], near, -static_cast<float>(row), at.pitch);
    }
}

/* dst = the tile where the indicator of the row, 1 or 0, is not 0; elsewhere exact zeros, whatever the tile holds: the
 * bits are masked, 16 at a time. */
__aicore__ inline void MaskRows(const LocalTensor<float> &dst, const LocalTensor<float> &tile,
    const LocalTensor<float> &kept, const TilePosition &at, const LocalTensor<float> &blocks)
{
    const LocalTensor<int32_t> bits = kept.ReinterpretCast<int32_t>();
    Muls(kept, kept, -1.0f, at.rows);
    PipeBarrier<PIPE_V>();
    Cast(bits, kept, @ROUND(float, int32_t)@, at.rows); // 0 or all bits
    PipeBarrier<PIPE_V>();
    SpreadRows(blocks, kept, at);
    PipeBarrier<PIPE_V>();
    constexpr int32_t halves = 2; // of a float
    const LocalTensor<uint16_t> masks = blocks.ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> from = tile.ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> to = dst.ReinterpretCast<uint16_t>();
    const int32_t stride = at.pitch / BLOCK_FLOATS;
    if (stride <= MAX_STRIDE) {
        const uint8_t next = static_cast<uint8_t>(stride);
        const BinaryRepeatParams strides{1, 1, 0, next, next, 1};
        for (int32_t lane = 0; lane < at.pitch; lane += REPEAT_FLOATS) {
            const int32_t left = at.pitch - lane;
            And(to[lane * halves], from[lane * halves], masks,
                static_cast<uint64_t>((left < REPEAT_FLOATS ? left : REPEAT_FLOATS) * halves),
                static_cast<uint8_t>(at.rows), strides);
        }
        return;
    }
    const BinaryRepeatParams strides{1, 1, 0, 8, 8, 0};
    for (int32_t row = 0; row < at.rows; ++row) {
        for (int32_t lane = 0; lane < at.pitch; lane += MAX_REPEAT * REPEAT_FLOATS) {
            const int32_t left = at.pitch - lane;
            const int32_t repeats = left / REPEAT_FLOATS < MAX_REPEAT ? left / REPEAT_FLOATS : MAX_REPEAT;
            const int32_t rest = repeats < MAX_REPEAT ? left % REPEAT_FLOATS : 0;
            const int32_t begin = (row * at.pitch + lane) * halves;
            const LocalTensor<uint16_t> mask = masks[row * BLOCK_FLOATS * halves];
            if (repeats > 0) {
                And(to[begin], from[begin], mask, static_cast<uint64_t>(REPEAT_FLOATS * halves),
                    static_cast<uint8_t>(repeats), strides);
            }
            if (rest > 0) {
                const int32_t last = begin + repeats * REPEAT_FLOATS * halves;
                And(to[last], from[last], mask, static_cast<uint64_t>(rest * halves), 1, strides);
            }
        }
    }
}

/* Rows one by one: what a row has once is a scalar, `first` rows behind the beginning of its group's vector. */

template <bool isReversed>
__aicore__ inline void ApplyNumber(Plus, const LocalTensor<float> &dst, const LocalTensor<float> &row, float number,
    int32_t count)
{
    Adds(dst, row, number, count);
}
template <bool isReversed>
__aicore__ inline void ApplyNumber(Times, const LocalTensor<float> &dst, const LocalTensor<float> &row, float number,
    int32_t count)
{
    Muls(dst, row, number, count);
}
template <bool isReversed>
__aicore__ inline void ApplyNumber(Minus, const LocalTensor<float> &dst, const LocalTensor<float> &row, float number,
    int32_t count)
{
    if (!isReversed) {
        Adds(dst, row, -number, count);
        return;
    }
    Muls(dst, row, -1.0f, count);
    PipeBarrier<PIPE_V>();
    Adds(dst, dst, number, count);
}

/* dst = row op value of the row, or value op row; of the tile, or of one row for all. */
template <class Operation, bool isReversed, bool ofLanes>
__aicore__ inline void WithSingleRows(const LocalTensor<float> &dst, const LocalTensor<float> &tile,
    const LocalTensor<float> &values, int32_t first, const TilePosition &at)
{
    for (int32_t row = 0; row < at.rows; ++row) {
        const int32_t begin = row * at.pitch;
        ApplyNumber<isReversed>(Operation(), dst[begin], tile[ofLanes ? 0 : begin], values.GetValue(first + row),
            at.pitch);
    }
}

/* dst = the value of the row in every lane. */
__aicore__ inline void FillSingleRows(const LocalTensor<float> &dst, const LocalTensor<float> &values, int32_t first,
    const TilePosition &at)
{
    for (int32_t row = 0; row < at.rows; ++row) {
        Duplicate(dst[row * at.pitch], values.GetValue(first + row), at.pitch);
    }
}

/* Rows whose indicator is 0 become exact zeros, whatever they hold. */
__aicore__ inline void ClearRows(const LocalTensor<float> &tile, const LocalTensor<float> &kept, int32_t first,
    const TilePosition &at)
{
    for (int32_t row = 0; row < at.rows; ++row) {
        if (kept.GetValue(first + row) == 0.0f) {
            Duplicate(tile[row * at.pitch], 0.0f, at.pitch);
        }
    }
}

/* A tile of exact zeros. */
template <typename T>
__aicore__ inline void ClearTile(const LocalTensor<T> &tile, const TilePosition &at)
{
    const LocalTensor<float> zeros = tile.template ReinterpretCast<float>(); // of the same bits in every element type
    Duplicate(zeros, 0.0f, at.Count() * static_cast<int32_t>(sizeof(T)) / static_cast<int32_t>(sizeof(float)));
}

/* What happens to one lane of a block. */
struct AddPoint {
    __aicore__ static inline void Apply(const LocalTensor<float> &block, float value, uint64_t *lane)
    {
        Adds(block, block, value, lane, 1, UnaryRepeatParams{1, 1, 8, 8});
    }
};
struct SetPoint {
    __aicore__ static inline void Apply(const LocalTensor<float> &block, float value, uint64_t *lane)
    {
        Duplicate(block, value, lane, 1, 1, 8);
    }
};

/* The value of each row, or of all. */
__aicore__ inline float ValueAt(const LocalTensor<float> &values, int32_t row) { return values.GetValue(row); }
__aicore__ inline float ValueAt(float value, int32_t row) { return value; }

/* The lane with the row's index, where the tile has it: one call for each row, with a mask of one lane. */
template <class Point, class Values>
__aicore__ inline void Points(const LocalTensor<float> &tile, const LocalTensor<int32_t> &index, const Values &values,
    int32_t first, const TilePosition &at)
{
    for (int32_t row = 0; row < at.rows; ++row) {
        const int64_t lane = static_cast<int64_t>(index.GetValue(first + row)) - at.first;
        if (lane >= 0 && lane < at.lanes) {
            const int32_t inBlock = static_cast<int32_t>(lane) % BLOCK_FLOATS;
            uint64_t mask[2] = {1ull << inBlock, 0};
            const LocalTensor<float> block = tile[row * at.pitch + static_cast<int32_t>(lane) - inBlock];
            Point::Apply(block, ValueAt(values, first + row), mask);
        }
    }
}

)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_INDEXMASKS_H
