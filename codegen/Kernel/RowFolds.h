//===- RowFolds.h - Folds of tiles ------------------------------*- C++ -*-===//
//
// Fixed text, the second part of the device header of rows: a tile folded along
// its lanes or its rows, over the steps of a core and over cores. Combining a
// tile with what it was folded to is in RowValues.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_ROWFOLDS_H
#define LOSSGRAD_CODEGEN_KERNEL_ROWFOLDS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kRowFolds =
    R"cpp(/* Operations in both shapes: a count of adjacent floats, and repeats with strides. */
#define LOSSGRAD_OPERATION(name, call)                                                                             \
    struct name {                                                                                                  \
        __aicore__ static inline void Apply(const LocalTensor<float> &dst, const LocalTensor<float> &a,            \
            const LocalTensor<float> &b, int32_t count)                                                            \
        {                                                                                                          \
            call(dst, a, b, count);                                                                                \
        }                                                                                                          \
        template <typename T>                                                                                      \
        __aicore__ static inline void Apply(const LocalTensor<T> &dst, const LocalTensor<T> &a,                    \
            const LocalTensor<T> &b, int32_t mask, int32_t repeat, const BinaryRepeatParams &strides)              \
        {                                                                                                          \
            call(dst, a, b, static_cast<uint64_t>(mask), static_cast<uint8_t>(repeat), strides);                   \
        }                                                                                                          \
    };
LOSSGRAD_OPERATION(Plus, Add)
LOSSGRAD_OPERATION(Minus, Sub)
LOSSGRAD_OPERATION(Times, Mul)
LOSSGRAD_OPERATION(Over, Div)
LOSSGRAD_OPERATION(Larger, Max)
LOSSGRAD_OPERATION(Smaller, Min)
#undef LOSSGRAD_OPERATION

//@if not BlockReduce float
/* dst[i] = the sum of a block, `blockStride` blocks from one to the next: `before` whole ones, then `lanes` floats of
 * those that follow. A repeat takes one block. */
__aicore__ inline void SumBlocks(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t before,
    int32_t lanes, int32_t blockStride)
{
    const int32_t whole = before + lanes / BLOCK_FLOATS;
    const int32_t rest = lanes % BLOCK_FLOATS;
    const int32_t step = blockStride * BLOCK_FLOATS;
    for (int32_t done = 0; done < whole; done += MAX_REPEAT) {
        const int32_t now = whole - done < MAX_REPEAT ? whole - done : MAX_REPEAT;
        WholeReduceSum(dst[done], src[done * step], BLOCK_FLOATS, now, 1, 1, blockStride);
    }
    if (rest != 0) {
        WholeReduceSum(dst[whole], src[whole * step], rest, 1, 1, 1, blockStride);
    }
}

/* The same for the largest or smallest float, one by one. */
template <bool isLargest>
__aicore__ inline void PickBlocks(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t before,
    int32_t lanes, int32_t blockStride)
{
    const int32_t floats = before * BLOCK_FLOATS + lanes;
    WaitForPipe<HardEvent::V_S>();
    for (int32_t first = 0; first < floats; first += BLOCK_FLOATS) {
        const int32_t end = floats - first < BLOCK_FLOATS ? floats - first : BLOCK_FLOATS;
        float best = src.GetValue(first * blockStride);
        for (int32_t i = 1; i < end; ++i) {
            const float value = src.GetValue(first * blockStride + i);
            best = (isLargest ? value > best : value < best) ? value : best;
        }
        dst.SetValue(first / BLOCK_FLOATS, best);
    }
    WaitForPipe<HardEvent::S_V>();
}

//@end
/* Kinds of folds: how two values combine, what changes nothing, and the last step from 8 floats to one. */
struct FoldSum : public Plus {
    __aicore__ static inline float Neutral() { return 0.0f; }
    __aicore__ static inline void Blocks(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t repeat,
        int32_t mask, int32_t blockStride)
    {
//@if BlockReduce float
        BlockReduceSum(dst, src, repeat, mask, 1, blockStride, 8 * blockStride);
//@else
        SumBlocks(dst, src, 8 * (repeat - 1), mask, blockStride);
//@end
    }
};
struct FoldMax : public Larger {
    __aicore__ static inline float Neutral() { return -__builtin_inff(); }
    __aicore__ static inline void Blocks(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t repeat,
        int32_t mask, int32_t blockStride)
    {
//@if BlockReduce float
        BlockReduceMax(dst, src, repeat, mask, 1, blockStride, 8 * blockStride);
//@else
        PickBlocks<true>(dst, src, 8 * (repeat - 1), mask, blockStride);
//@end
    }
};
struct FoldMin : public Smaller {
    __aicore__ static inline float Neutral() { return __builtin_inff(); }
    __aicore__ static inline void Blocks(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t repeat,
        int32_t mask, int32_t blockStride)
    {
//@if BlockReduce float
        BlockReduceMin(dst, src, repeat, mask, 1, blockStride, 8 * blockStride);
//@else
        PickBlocks<false>(dst, src, 8 * (repeat - 1), mask, blockStride);
//@end
    }
};

/* dst = a op b on the first `count` floats of every row; rows are `pitch` floats apart. The shape of the calls does
 * not change the result: many short rows are repeats of one call, few long ones a call each. */
template <class Operation>
__aicore__ inline void CombineRows(const LocalTensor<float> &dst, int32_t dstPitch, const LocalTensor<float> &a,
    int32_t aPitch, const LocalTensor<float> &b, int32_t bPitch, int32_t rows, int32_t count)
{
    const bool isDense = count == dstPitch && count == aPitch && count == bPitch;
    const int32_t pitch = dstPitch > aPitch ? (dstPitch > bPitch ? dstPitch : bPitch) :
                                              (aPitch > bPitch ? aPitch : bPitch);
    if (isDense || rows == 1) {
        Operation::Apply(dst, a, b, rows * count);
    } else if (pitch <= MAX_STRIDE * BLOCK_FLOATS && rows * REPEAT_FLOATS >= count) {
        const BinaryRepeatParams strides{1, 1, 1, static_cast<uint8_t>(dstPitch / BLOCK_FLOATS),
            static_cast<uint8_t>(aPitch / BLOCK_FLOATS), static_cast<uint8_t>(bPitch / BLOCK_FLOATS)};
        for (int32_t lane = 0; lane < count; lane += REPEAT_FLOATS) {
            const int32_t left = count - lane;
            Operation::Apply(dst[lane], a[lane], b[lane], left < REPEAT_FLOATS ? left : REPEAT_FLOATS, rows, strides);
        }
    } else {
        for (int32_t row = 0; row < rows; ++row) {
            Operation::Apply(dst[row * dstPitch], a[row * aPitch], b[row * bPitch], count);
        }
    }
}

/* Behind the last lane of each row up to `end`, 64 lanes at most: what changes no fold. */
template <class Fold>
__aicore__ inline void NeutralPadding(const LocalTensor<float> &tile, const TilePosition &at, int32_t end)
{
    if (at.lanes == end) {
        return;
    }
    const int32_t used = at.lanes % BLOCK_FLOATS;
    const int32_t last = at.lanes - used;
    uint64_t mask[2] = {(~0ull >> (REPEAT_FLOATS - (end - last))) & (~0ull << used), 0};
    const int32_t stride = at.pitch / BLOCK_FLOATS;
    if (stride <= MAX_STRIDE) {
        Duplicate(tile[last], Fold::Neutral(), mask, static_cast<uint8_t>(at.rows), 1, static_cast<uint8_t>(stride));
    } else {
        for (int32_t row = 0; row < at.rows; ++row) {
            Duplicate(tile[row * at.pitch + last], Fold::Neutral(), mask, 1, 1, 8);
        }
    }
    PipeBarrier<PIPE_V>();
}

/* The same up to the end of the last block. */
template <class Fold>
__aicore__ inline void NeutralPadding(const LocalTensor<float> &tile, const TilePosition &at)
{
    NeutralPadding<Fold>(tile, at, CeilDivide(at.lanes, BLOCK_FLOATS) * BLOCK_FLOATS);
}

/* Folds the blocks of each row into its first one, in place. */
template <class Fold>
__aicore__ inline void FoldBlocks(const LocalTensor<float> &tile, int32_t pitch, int32_t rows, int32_t blocks)
{
    while (blocks > 1) {
        const int32_t half = CeilDivide(blocks, 2);
        CombineRows<Fold>(tile, pitch, tile, pitch, tile[half * BLOCK_FLOATS], pitch, rows,
            (blocks - half) * BLOCK_FLOATS);
        PipeBarrier<PIPE_V>();
        blocks = half;
    }
}

/* values[row] = the fold of the first block of each row. */
template <class Fold>
__aicore__ inline void FoldFirstBlocks(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    int32_t pitch, int32_t rows)
{
    const int32_t stride = pitch / BLOCK_FLOATS;
//@if BlockReduce float
    if (stride == 1) { // one call, also over the rows that are missing in the last eight
        Fold::Blocks(values, tile, CeilDivide(rows, BLOCK_FLOATS), REPEAT_FLOATS, stride);
        return;
    }
//@end
    const int32_t whole = rows / BLOCK_FLOATS;
    const int32_t rest = rows % BLOCK_FLOATS;
    if (whole > 0) {
        Fold::Blocks(values, tile, whole, REPEAT_FLOATS, stride);
    }
    if (rest > 0) {
        const int32_t done = whole * BLOCK_FLOATS;
        Fold::Blocks(values[done], tile[done * pitch], 1, rest * BLOCK_FLOATS, stride);
    }
}

/* dst = the folds of the blocks of 8 among `count` adjacent floats. */
template <class Fold>
__aicore__ inline void FoldRun(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t count)
{
    const int32_t repeats = count / REPEAT_FLOATS;
    const int32_t rest = count % REPEAT_FLOATS;
    for (int32_t done = 0; done < repeats; done += MAX_REPEAT) {
        const int32_t left = repeats - done;
        Fold::Blocks(dst[done * BLOCK_FLOATS], src[done * REPEAT_FLOATS], left < MAX_REPEAT ? left : MAX_REPEAT,
            REPEAT_FLOATS, 1);
    }
    if (rest != 0) {
        Fold::Blocks(dst[repeats * BLOCK_FLOATS], src[repeats * REPEAT_FLOATS], 1, rest, 1);
    }
}
template <class Fold>
__aicore__ inline void FoldEachBlock(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t count)
{
    FoldRun<Fold>(dst, src, count);
    PipeBarrier<PIPE_V>();
}

/* values[0] = the fold of `count` floats with room for as many behind them: every block becomes a float, again and
 * again, each time in repeats behind those before. */
template <class Fold>
__aicore__ inline void FoldShrinkingRow(const LocalTensor<float> &values, const LocalTensor<float> &row, int32_t count)
{
    int32_t from = 0;
    int32_t to = WholeRepeats(count);
    while (count > BLOCK_FLOATS) {
        FoldEachBlock<Fold>(row[to], row[from], count);
        count = CeilDivide(count, BLOCK_FLOATS);
        from = to;
        to += WholeRepeats(count);
    }
    Fold::Blocks(values, row[from], 1, count, 1);
}

//@if BlockReduce float
/* values[0] = the fold of one long row, which is lost: halved, so that there is room behind it, then every block becomes
 * a float, again and again. Halves are an odd number of repeats apart, which is in different banks. `count` is a multiple
 * of BLOCK_FLOATS from MIN_LONG_ROW on. */
template <class Fold>
__aicore__ inline void FoldLongRow(const LocalTensor<float> &values, const LocalTensor<float> &row, int32_t count)
{
    const int32_t half = (CeilDivide(count, 2 * REPEAT_FLOATS) | 1) * REPEAT_FLOATS;
    Fold::Apply(row, row, row[half], count - half);
    PipeBarrier<PIPE_V>();
    count = half;
    FoldShrinkingRow<Fold>(values, row, count);
}

//@end
/* values[row] = the fold of each row of the tile, which is lost. */
template <class Fold>
__aicore__ inline void ReduceLanesInPlace(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    const TilePosition &at)
{
    NeutralPadding<Fold>(tile, at);
    const int32_t blocks = CeilDivide(at.lanes, BLOCK_FLOATS);
//@if BlockReduce float
    if (at.rows == 1 && at.lanes >= MIN_LONG_ROW) {
        FoldLongRow<Fold>(values, tile, blocks * BLOCK_FLOATS);
        return;
    }
//@end
    FoldBlocks<Fold>(tile, at.pitch, at.rows, blocks);
    FoldFirstBlocks<Fold>(values, tile, at.pitch, at.rows);
}

//@if BlockReduce float
/* values[row] = the fold of each row of the tile, of which there are few: block by block, row by row, without what lies
 * behind its lanes. The last block of each row lies behind everything else in `work`. */
template <class Fold>
__aicore__ inline void ReduceLongRows(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    const LocalTensor<float> &work, const TilePosition &at)
{
    const int32_t ends = CeilDivide(at.rows, BLOCK_FLOATS) * REPEAT_FLOATS;
    const LocalTensor<float> last = work[at.Count() - ends];
    Duplicate(last, Fold::Neutral(), ends);
    LocalTensor<float> from = tile;
    int32_t pitch = at.pitch;
    int32_t count = at.lanes;
    int32_t taken = 0; // floats of `work`
    do {
        const int32_t next = CeilDivide(count, BLOCK_FLOATS);
        const int32_t nextPitch = next > BLOCK_FLOATS ? WholeRepeats(next) : BLOCK_FLOATS; // repeats meet other banks
        const LocalTensor<float> to = next > BLOCK_FLOATS ? work[taken] : last;
        for (int32_t row = 0; row < at.rows; ++row) {
            FoldRun<Fold>(to[row * nextPitch], from[row * pitch], count);
        }
        PipeBarrier<PIPE_V>();
        from = to;
        pitch = nextPitch;
        count = next;
        taken += at.rows * nextPitch;
    } while (count > BLOCK_FLOATS);
    FoldFirstBlocks<Fold>(values, last, BLOCK_FLOATS, at.rows);
}

//@end
/* The same for rows of whole repeats, without a gap between them: one pass folds every block to a float, with one source
 * per instruction instead of two that meet in the same banks. */
template <class Fold>
__aicore__ inline void ReduceWholeRepeats(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    const LocalTensor<float> &work, const TilePosition &at)
{
    FoldEachBlock<Fold>(work, tile, at.Count());
    int32_t pitch = at.pitch / BLOCK_FLOATS;
    int32_t from = 0;
    while (pitch % REPEAT_FLOATS == 0) {
        const int32_t to = from + at.rows * pitch;
        FoldEachBlock<Fold>(work[to], work[from], at.rows * pitch);
        from = to;
        pitch /= BLOCK_FLOATS;
    }
    FoldBlocks<Fold>(work[from], pitch, at.rows, pitch / BLOCK_FLOATS);
    FoldFirstBlocks<Fold>(values, work[from], pitch, at.rows);
}

/* values[row] = the fold of each row of the tile, which keeps its lanes. `work` has room for as many floats. */
template <class Fold>
__aicore__ inline void ReduceLanes(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    const LocalTensor<float> &work, const TilePosition &at)
{
//@if BlockReduce float
    if (at.pitch >= MIN_LONG_PITCH) {
        ReduceLongRows<Fold>(values, tile, work, at);
        return;
    }
//@end
    if (at.pitch % REPEAT_FLOATS == 0) {
        NeutralPadding<Fold>(tile, at, at.pitch);
        ReduceWholeRepeats<Fold>(values, tile, work, at);
        return;
    }
    NeutralPadding<Fold>(tile, at);
    const int32_t blocks = CeilDivide(at.lanes, BLOCK_FLOATS);
    if (blocks == 1) {
        FoldFirstBlocks<Fold>(values, tile, at.pitch, at.rows);
        return;
    }
    const int32_t half = CeilDivide(blocks, 2);
    const int32_t pitch = half * BLOCK_FLOATS;
    CombineRows<Fold>(work, pitch, tile, at.pitch, tile[pitch], at.pitch, at.rows, (blocks - half) * BLOCK_FLOATS);
    if (blocks % 2 != 0) { // the block in the middle has no partner
        const int32_t middle = pitch - BLOCK_FLOATS;
        const int32_t stride = at.pitch / BLOCK_FLOATS;
        if (stride <= MAX_STRIDE) {
            CopyRepeats(work[middle], tile[middle], BLOCK_FLOATS, at.rows, half, 1, stride);
        } else {
            for (int32_t row = 0; row < at.rows; ++row) {
                DataCopy(work[row * pitch + middle], tile[row * at.pitch + middle], BLOCK_FLOATS);
            }
        }
    }
    PipeBarrier<PIPE_V>();
    FoldBlocks<Fold>(work, pitch, at.rows, half);
    FoldFirstBlocks<Fold>(values, work, pitch, at.rows);
}

/* The first row of the tile = the fold of its rows; the others are lost. */
template <class Fold>
__aicore__ inline void ReduceRowsInPlace(const LocalTensor<float> &tile, int32_t rows, int32_t pitch)
{
    while (rows > 1) {
        const int32_t half = CeilDivide(rows, 2);
        Fold::Apply(tile, tile, tile[half * pitch], (rows - half) * pitch);
        PipeBarrier<PIPE_V>();
        rows = half;
    }
}
template <class Fold>
__aicore__ inline void ReduceRowsInPlace(const LocalTensor<float> &tile, const TilePosition &at)
{
    ReduceRowsInPlace<Fold>(tile, at.rows, at.pitch);
}

/* The first row of `work` = the fold of the rows of the tile. */
template <class Fold>
__aicore__ inline void ReduceRows(const LocalTensor<float> &work, const LocalTensor<float> &tile,
    const TilePosition &at)
{
    const int32_t half = CeilDivide(at.rows, 2);
    if (at.rows > 1) {
        Fold::Apply(work, tile, tile[half * at.pitch], (at.rows - half) * at.pitch);
    }
    if (at.rows % 2 != 0) { // the row in the middle has no partner
        const int32_t middle = (half - 1) * at.pitch;
        DataCopy(work[middle], tile[middle], at.pitch);
    }
    PipeBarrier<PIPE_V>();
    ReduceRowsInPlace<Fold>(work, half, at.pitch);
}

/* Adds the tile of a step to what the steps before it gave, which lies like a `whole` tile. The first step that a core
 * takes begins anew; it may be the last of all, and shorter. */
template <class Fold>
__aicore__ inline void Accumulate(const LocalTensor<float> &total, const LocalTensor<float> &tile,
    const TilePosition &at, const TilePosition &whole, int64_t step)
{
    NeutralPadding<Fold>(tile, at);
    if (step == 0 && at.lanes == whole.lanes && at.rows == whole.rows) {
        DataCopy(total, tile, at.Count());
        return;
    }
    if (step == 0) {
        Duplicate(total, Fold::Neutral(), whole.Count());
        PipeBarrier<PIPE_V>();
    }
    CombineRows<Fold>(total, whole.pitch, total, whole.pitch, tile, at.pitch, at.rows,
        CeilDivide(at.lanes, BLOCK_FLOATS) * BLOCK_FLOATS);
}

/* Whether the tile of a step becomes a float per block at once: a long row of few steps. The total of each step but the
 * first lies behind that of the first. */
//@if BlockReduce float
__aicore__ inline bool IsFoldedByStep(const TilePosition &whole, int64_t steps)
{
    return steps <= MAX_FOLDED_STEPS && whole.rows == 1 && whole.lanes >= MIN_LONG_ROW;
}
//@else
__aicore__ inline bool IsFoldedByStep(const TilePosition &, int64_t) { return false; }
//@end

/* The same where the lanes of the total are folded by ReduceTotal once all `steps` are done. */
template <class Fold>
__aicore__ inline void AccumulateLanes(const LocalTensor<float> &total, const LocalTensor<float> &tile,
    const TilePosition &at, const TilePosition &whole, int64_t step, int64_t steps)
{
    if (!IsFoldedByStep(whole, steps)) {
        Accumulate<Fold>(total, tile, at, whole, step);
        return;
    }
    const int32_t count = CeilDivide(whole.lanes, BLOCK_FLOATS);
    const int32_t own = CeilDivide(at.lanes, BLOCK_FLOATS);
    if (step == 0 && own < count) {
        Duplicate(total, Fold::Neutral(), count);
        PipeBarrier<PIPE_V>();
    }
    const int32_t behind = (CeilDivide(count, REPEAT_FLOATS) | 1) * REPEAT_FLOATS; // in other banks
    const LocalTensor<float> folded = total[step == 0 ? 0 : behind];
    FoldRun<Fold>(folded, tile, at.lanes);
    if (step != 0) {
        PipeBarrier<PIPE_V>();
        Fold::Apply(total, total, folded, own);
    }
}

/* values[row] = the fold of the total of all steps, which is lost. */
template <class Fold>
__aicore__ inline void ReduceTotal(const LocalTensor<float> &values, const LocalTensor<float> &total,
    const TilePosition &whole, int64_t steps)
{
    if (!IsFoldedByStep(whole, steps)) {
        ReduceLanesInPlace<Fold>(values, total, whole);
        return;
    }
    FoldShrinkingRow<Fold>(values, total, CeilDivide(whole.lanes, BLOCK_FLOATS));
}

/* values = the fold of what each core has, `pitch` floats from core to core. */
template <class Fold>
__aicore__ inline void CombinePartials(const LocalTensor<float> &values, const LocalTensor<float> &partials,
    int32_t cores, int32_t pitch)
{
    ReduceRowsInPlace<Fold>(partials, cores, pitch);
    DataCopy(values, partials, pitch);
}

)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_ROWFOLDS_H
