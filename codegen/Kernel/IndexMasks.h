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

/* numbers = the class of each lane, counted from the first of the tile, and blocks = the index of each row so. */
__aicore__ inline void NumberLanes(const LocalTensor<int32_t> &index, const TilePosition &at,
    const LocalTensor<float> &numbers, const LocalTensor<float> &near, const LocalTensor<float> &blocks)
{
//@if CreateVecIndex
    CreateVecIndex(numbers, 0.0f, static_cast<uint32_t>(at.pitch));
//@else
    ArithProgression(numbers, 0.0f, 1.0f, at.pitch);
//@end
    BringNear(near, index, at.first, at.pitch, at.rows);
    SpreadRows(blocks, near, at);
    PipeBarrier<PIPE_V>();
}

/* dst = the class of each lane minus the index of the row, other than 0 where that is far. */
__aicore__ inline void LaneDistance(const LocalTensor<float> &dst, const LocalTensor<int32_t> &index,
    const TilePosition &at, const LocalTensor<float> &numbers, const LocalTensor<float> &near,
    const LocalTensor<float> &blocks)
{
    NumberLanes(index, at, numbers, near, blocks);
    WithRows<Minus, false, true>(dst, numbers, blocks, at);
}

//@if CompareScalar
/* A bit per element: whether the class of the lane is the index of the row. A repeat of one comparison makes 8 bytes, and
 * a call begins on a block. */
__aicore__ inline void LaneHits(const LocalTensor<uint8_t> &hits, const LocalTensor<int32_t> &index,
    const TilePosition &at, const LocalTensor<float> &distance, const LocalTensor<float> &numbers,
    const LocalTensor<float> &near, const LocalTensor<float> &blocks)
{
    NumberLanes(index, at, numbers, near, blocks);
    if (at.pitch == REPEAT_FLOATS) {
        Compare(hits, numbers, blocks, CMPMODE::EQ, static_cast<uint64_t>(REPEAT_FLOATS),
            static_cast<uint8_t>(at.rows), BinaryRepeatParams{1, 1, 0, 8, 0, 1});
        return;
    }
    WithRows<Minus, false, true>(distance, numbers, blocks, at);
    PipeBarrier<PIPE_V>();
    CompareScalar(hits, distance, 0.0f, CMPMODE::EQ, WholeRepeats(at.Count()));
}

/* dst = the value of the row where the class of the lane is its index, and `other` elsewhere; `values` are the blocks
 * of SpreadRows. Where rows are whole repeats both calls take blocks as they are. The bits of a call follow those of the
 * one before, so that its rows fill whole blocks, unless it is the only one. */
__aicore__ inline void SpreadPoints(const LocalTensor<float> &dst, const LocalTensor<int32_t> &index,
    const LocalTensor<float> &values, float other, const TilePosition &at, const LocalTensor<uint8_t> &hits,
    const LocalTensor<float> &numbers, const LocalTensor<float> &near, const LocalTensor<float> &blocks)
{
    constexpr int32_t hitBytes = REPEAT_FLOATS / 8; // of a repeat
    const int32_t stride = at.pitch / BLOCK_FLOATS;
    const bool isWhole = at.pitch % REPEAT_FLOATS == 0 && stride <= MAX_STRIDE;
    NumberLanes(index, at, numbers, near, blocks);
    if (!isWhole || (at.rows * hitBytes % BLOCK_BYTES != 0 && at.pitch != REPEAT_FLOATS)) {
        WithRows<Minus, false, true>(dst, numbers, blocks, at);
        PipeBarrier<PIPE_V>();
        CompareScalar(hits, dst, 0.0f, CMPMODE::EQ, WholeRepeats(at.Count()));
        PipeBarrier<PIPE_V>();
        FillRows(dst, values, at);
        PipeBarrier<PIPE_V>();
        Select(dst, hits, dst, other, SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(at.Count()));
        return;
    }
    const int32_t hitsOfLanes = at.rows * hitBytes;
    const BinaryRepeatParams nextIndex{1, 1, 0, 8, 0, 1};
    const BinaryRepeatParams nextValue{1, 0, 1, static_cast<uint8_t>(stride), 1, 8};
    for (int32_t lane = 0, hit = 0; lane < at.pitch; lane += REPEAT_FLOATS, hit += hitsOfLanes) {
        Compare(hits[hit], numbers[lane], blocks, CMPMODE::EQ, static_cast<uint64_t>(REPEAT_FLOATS),
            static_cast<uint8_t>(at.rows), nextIndex);
    }
    PipeBarrier<PIPE_V>();
    for (int32_t lane = 0, hit = 0; lane < at.pitch; lane += REPEAT_FLOATS, hit += hitsOfLanes) {
        Select(dst[lane], hits[hit], values, other, SELMODE::VSEL_TENSOR_SCALAR_MODE,
            static_cast<uint64_t>(REPEAT_FLOATS), static_cast<uint8_t>(at.rows), nextValue);
    }
}

//@end
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

/* dst = row op value of the row, or value op row. */
template <class Operation, bool isReversed>
__aicore__ inline void WithSingleRows(const LocalTensor<float> &dst, const LocalTensor<float> &tile,
    const LocalTensor<float> &values, int32_t first, const TilePosition &at)
{
    for (int32_t row = 0; row < at.rows; ++row) {
        const int32_t begin = row * at.pitch;
        ApplyNumber<isReversed>(Operation(), dst[begin], tile[begin], values.GetValue(first + row), at.pitch);
    }
}

/* dst = one row for all op value of the row, or value op row. The first rowsAtHand rows of dst are right for
 * valueAtHand and the lanes from laneAtHand on, so that rows of one value, tile after tile, are computed once. */
template <class Operation, bool isReversed>
__aicore__ inline void KeepSingleRows(const LocalTensor<float> &dst, const LocalTensor<float> &row,
    const LocalTensor<float> &values, int32_t first, const TilePosition &at, int32_t &rowsAtHand, int32_t &laneAtHand,
    float &valueAtHand)
{
    const int32_t lane = at.FirstLane();
    const float value = values.GetValue(first);
    int32_t same = 1;
    while (same < at.rows && values.GetValue(first + same) == value) {
        ++same;
    }
    const int32_t known = lane == laneAtHand && value == valueAtHand ? rowsAtHand : 0;
    for (int32_t i = known < same ? known : same; i < at.rows; ++i) {
        ApplyNumber<isReversed>(Operation(), dst[i * at.pitch], row, i < same ? value : values.GetValue(first + i),
            at.pitch);
    }
    rowsAtHand = same < at.rows || known < same ? same : known;
    laneAtHand = lane;
    valueAtHand = value;
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
