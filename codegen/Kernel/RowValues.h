//===- RowValues.h - One value per row or lane ------------------*- C++ -*-===//
//
// Fixed text, the third part of the device header of rows: a tile combined with
// one value per row or per lane, tensors of one element per row loaded and
// stored, and the same for packed tiles, whose rows have no padding.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_ROWVALUES_H
#define LOSSGRAD_CODEGEN_KERNEL_ROWVALUES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kRowValues = R"cpp(/* One block per row, filled with the row's value. */
__aicore__ inline void SpreadRows(const LocalTensor<float> &blocks, const LocalTensor<float> &values,
    const TilePosition &at)
{
    SpreadValues(blocks, values, at.rows);
}

/* dst = a op b, or b op a. */
template <class Operation, bool isReversed>
__aicore__ inline void ApplyOrdered(const LocalTensor<float> &dst, const LocalTensor<float> &a,
    const LocalTensor<float> &b, int32_t mask, int32_t repeat, const BinaryRepeatParams &strides)
{
    if (isReversed) {
        Operation::Apply(dst, b, a, mask, repeat, strides);
    } else {
        Operation::Apply(dst, a, b, mask, repeat, strides);
    }
}

/* dst = tile op value of the row, or value op tile; of the tile, or of one row for all. `blocks` are those of SpreadRows.
 */
template <class Operation, bool isReversed, bool ofLanes = false>
__aicore__ inline void WithRows(const LocalTensor<float> &dst, const LocalTensor<float> &tile,
    const LocalTensor<float> &blocks, const TilePosition &at)
{
    const int32_t stride = at.pitch / BLOCK_FLOATS;
    const bool byRow = stride > MAX_STRIDE;
    const uint8_t next = static_cast<uint8_t>(byRow ? 8 : stride);
    const uint8_t nextBlock = byRow ? 0 : 1;
    const uint8_t nextOf = ofLanes && !byRow ? 0 : next;
    const BinaryRepeatParams strides = isReversed ? BinaryRepeatParams{1, 0, 1, next, nextBlock, nextOf} :
                                                    BinaryRepeatParams{1, 1, 0, next, nextOf, nextBlock};
    if (!byRow) {
        for (int32_t lane = 0; lane < at.pitch; lane += REPEAT_FLOATS) {
            const int32_t left = at.pitch - lane;
            ApplyOrdered<Operation, isReversed>(dst[lane], tile[lane], blocks,
                left < REPEAT_FLOATS ? left : REPEAT_FLOATS, at.rows, strides);
        }
        return;
    }
    const int32_t repeats = at.pitch / REPEAT_FLOATS;
    const int32_t rest = at.pitch % REPEAT_FLOATS;
    for (int32_t row = 0; row < at.rows; ++row) {
        const LocalTensor<float> block = blocks[row * BLOCK_FLOATS];
        const LocalTensor<float> from = tile[ofLanes ? 0 : row * at.pitch];
        const LocalTensor<float> to = dst[row * at.pitch];
        int32_t lane = 0;
        for (int32_t left = repeats; left > 0; left -= MAX_REPEAT) {
            const int32_t now = left < MAX_REPEAT ? left : MAX_REPEAT;
            ApplyOrdered<Operation, isReversed>(to[lane], from[lane], block, REPEAT_FLOATS, now, strides);
            lane += now * REPEAT_FLOATS;
        }
        if (rest != 0) {
            ApplyOrdered<Operation, isReversed>(to[lane], from[lane], block, rest, 1, strides);
        }
    }
}

/* dst = tile op value of the lane, or value op tile. */
template <class Operation, bool isReversed>
__aicore__ inline void WithLanes(const LocalTensor<float> &dst, const LocalTensor<float> &tile,
    const LocalTensor<float> &values, const TilePosition &at)
{
    if (isReversed) {
        CombineRows<Operation>(dst, at.pitch, values, 0, tile, at.pitch, at.rows, at.pitch);
    } else {
        CombineRows<Operation>(dst, at.pitch, tile, at.pitch, values, 0, at.rows, at.pitch);
    }
}

/* dst = the value of the row in every lane; `blocks` are those of SpreadRows. */
__aicore__ inline void FillRows(const LocalTensor<float> &dst, const LocalTensor<float> &blocks,
    const TilePosition &at)
{
    CopyRows(dst, blocks, 0, 1, at);
}

/* dst = the same values in every row. */
__aicore__ inline void FillLanes(const LocalTensor<float> &dst, const LocalTensor<float> &values,
    const TilePosition &at)
{
    CopyRows(dst, values, 1, 0, at);
}

/* values = the first float of `work`, `count` times; `work` has room for 16 floats. */
__aicore__ inline void RepeatFirst(const LocalTensor<float> &values, const LocalTensor<float> &work, int32_t count)
{
//@if Brcb
    const LocalTensor<float> block = work[BLOCK_FLOATS];
    Brcb(block, work, 1, {1, 8});
    PipeBarrier<PIPE_V>();
    const int32_t whole = count / REPEAT_FLOATS;
    if (whole > 0) {
        CopyRepeats(values, block, REPEAT_FLOATS, whole, 8, 0, 0);
    }
    if (count % REPEAT_FLOATS != 0) {
        const int32_t rest = CeilDivide(count % REPEAT_FLOATS, BLOCK_FLOATS) * BLOCK_FLOATS;
        CopyRepeats(values[whole * REPEAT_FLOATS], block, rest, 1, 8, 0, 0);
    }
//@else
    WaitForPipe<HardEvent::V_S>();
    Duplicate(values.ReinterpretCast<uint32_t>(), work.ReinterpretCast<uint32_t>().GetValue(0), count);
//@end
}

/* values = `count` elements that stand alone, each in a block of 32 bytes; `wide` has room for 17 floats for each. */
__aicore__ inline void TakeAlone(const LocalTensor<float> &values, const LocalTensor<uint8_t> &tile,
    const TileLayout &layout, int32_t count, const LocalTensor<float> &wide)
{
    // What stood alone in a block stands alone in as many floats.
    const int32_t blockElements = BLOCK_BYTES / layout.bytes;
    WidenTile(wide, tile, layout.type, count * blockElements);
    PipeBarrier<PIPE_V>();
//@if Gather
    const int32_t step = blockElements * static_cast<int32_t>(sizeof(float));
    const LocalTensor<uint32_t> offsets = MakeOffsets(wide[count * blockElements], step, count);
    Gather(values, wide, offsets, 0, static_cast<uint32_t>(count));
//@else
    TakeSteps(values, wide, blockElements, count);
//@end
}

/* values[row] of a tensor that has one element per row, or one for all. `wide` has room for 17 floats per row of
 * the largest tile. */
__aicore__ inline void ExpandRows(const LocalTensor<float> &values, const LocalTensor<uint8_t> &tile,
    const TileLayout &layout, const TilePosition &at, const LocalTensor<float> &wide)
{
    if (layout.form == ABSENT) {
        Duplicate(values, 0.0f, at.rows);
    } else if (layout.form == REPEAT_LANES) {
        WidenTile(values, tile, layout.type, at.rows);
    } else if (layout.form == SINGLE) {
        WidenTile(wide, tile, layout.type, 1);
        PipeBarrier<PIPE_V>();
        RepeatFirst(values, wide, at.rows);
    } else {
        TakeAlone(values, tile, layout, at.rows, wide);
    }
}

//@if not DataCopyPad
/* One value per row in the element type, to nearest even. */
__aicore__ inline void PlaceRows(const LocalTensor<uint8_t> &tile, const LocalTensor<float> &values,
    const TileLayout &layout, const TilePosition &at, const LocalTensor<float> &)
{
    NarrowTile(tile, values, layout.type, at.rows);
}

/* Stores elements that lie `step` of them apart, one by one. */
template <typename T>
__aicore__ inline void StoreAlone(const GlobalTensor<uint8_t> &tensor, int64_t begin, const LocalTensor<T> &values,
    int64_t step, int32_t count)
{
    GlobalTensor<T> target;
    target.SetGlobalBuffer((__gm__ T *)tensor.GetPhyAddr(begin));
    for (int32_t i = 0; i < count; ++i) {
        target.SetValue(i * step, values.GetValue(i));
    }
//@if DataCacheCleanAndInvalid
    DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE>(target);
//@end
}

/* Stores one element per row. Those that lie apart do so one by one. */
__aicore__ inline void StoreRows(const GlobalTensor<uint8_t> &tensor, const LocalTensor<uint8_t> &tile,
    const TileLayout &layout, const TilePosition &at)
{
    if (layout.form != STRIDED_ROWS) {
        StoreRun(tensor[layout.Offset(at)], tile, at.rows * layout.bytes);
        return;
    }
    WaitForPipe<HardEvent::MTE3_S>(); // which waited for the values
    const int64_t begin = layout.Offset(at);
    if (layout.type == ELEMENT_FLOAT) {
        StoreAlone(tensor, begin, tile.ReinterpretCast<uint32_t>(), layout.strides[ROW_AXIS], at.rows);
    } else {
        StoreAlone(tensor, begin, tile.ReinterpretCast<uint16_t>(), layout.strides[ROW_AXIS], at.rows);
    }
}

//@else
/* One value per row in the element type, to nearest even: adjacent ones, or a block each where the rows of the tensor
 * lie apart. `narrow` has room for one float per row. */
__aicore__ inline void PlaceRows(const LocalTensor<uint8_t> &tile, const LocalTensor<float> &values,
    const TileLayout &layout, const TilePosition &at, const LocalTensor<float> &narrow)
{
    if (layout.form != STRIDED_ROWS) {
        NarrowTile(tile, values, layout.type, at.rows);
        return;
    }
    const uint8_t repeats = static_cast<uint8_t>(CeilDivide(at.rows, BLOCK_FLOATS));
    if (layout.type == ELEMENT_FLOAT) {
        Brcb(tile.ReinterpretCast<float>(), values, repeats, {1, 8});
        return;
    }
    NarrowTile(narrow.ReinterpretCast<uint8_t>(), values, layout.type, at.rows);
    PipeBarrier<PIPE_V>();
    Brcb(tile.ReinterpretCast<half>(), narrow.ReinterpretCast<half>(), repeats, {1, 8}); // bits of any 16-bit type
}

/* Stores one element per row, as PlaceRows left them. */
__aicore__ inline void StoreRows(const GlobalTensor<uint8_t> &tensor, const LocalTensor<uint8_t> &tile,
    const TileLayout &layout, const TilePosition &at)
{
    const uint32_t bytes = static_cast<uint32_t>(layout.bytes);
    DataCopyExtParams rows{1, at.rows * bytes, 0, 0, 0};
    if (layout.form == STRIDED_ROWS) {
        rows = DataCopyExtParams{static_cast<uint16_t>(at.rows), bytes, 0,
            static_cast<uint32_t>(layout.RowBytes() - layout.bytes), 0};
    }
    DataCopyPad(tensor[layout.Offset(at)], tile, rows);
}

//@end
//@if Gather
/* quotients = numbers / divisor, towards 0, of numbers from 0 to 2^20. */
__aicore__ inline void DivideWhole(const LocalTensor<int32_t> &quotients, const LocalTensor<int32_t> &numbers,
    int32_t divisor, int32_t count)
{
    const LocalTensor<float> wide = quotients.ReinterpretCast<float>();
    Cast(wide, numbers, @EXACT(int32_t, float)@, count);
    PipeBarrier<PIPE_V>();
    Adds(wide, wide, 0.5f, count); // far enough from the next number for one rounding
    PipeBarrier<PIPE_V>();
    Muls(wide, wide, 1.0f / static_cast<float>(divisor), count);
    PipeBarrier<PIPE_V>();
    Cast(quotients, wide, RoundMode::CAST_FLOOR, count);
    PipeBarrier<PIPE_V>();
}

/* Floats from lane to lane, where the lanes of all rows of a packed tile are taken apart. */
__aicore__ inline int32_t PackedPitch(const TilePosition &at)
{
    return CeilDivide(at.rows, BLOCK_FLOATS) * BLOCK_FLOATS;
}

/* Of a packed tile, in bytes: where each lane of the rows is, lane by lane, and where the value of its row is for each
 * element. `inner` rows, the stride of the lanes, lie in turn. */
__aicore__ inline void PackedOffsets(const LocalTensor<float> &take, const LocalTensor<float> &spread,
    const TileLayout &layout, const TilePosition &at, const LocalTensor<float> &work)
{
    constexpr int32_t bytes = static_cast<int32_t>(sizeof(float));
    const int32_t inner = static_cast<int32_t>(layout.strides[LANE_AXIS]);
    const int32_t period = at.lanes * inner;
    const int32_t count = at.Count();
    const LocalTensor<int32_t> taken = take.ReinterpretCast<int32_t>();
    const LocalTensor<int32_t> spreads = spread.ReinterpretCast<int32_t>();
    const LocalTensor<int32_t> quotients = work.ReinterpretCast<int32_t>();
    // Element e: e / period turns, and within one e % inner rows. e / inner counts lanes of turns.
    CreateVecIndex(spreads, 0, static_cast<uint32_t>(count));
    PipeBarrier<PIPE_V>();
    DivideWhole(quotients, spreads, inner, count);
    DivideWhole(taken, spreads, period, count);
    Sub(quotients, quotients, taken, count);
    PipeBarrier<PIPE_V>();
    Muls(quotients, quotients, inner, count);
    PipeBarrier<PIPE_V>();
    Sub(spreads, spreads, quotients, count);
    PipeBarrier<PIPE_V>();
    Muls(spreads, spreads, bytes, count);
    // Row j: j / inner turns before it; rows that fill the last block are the last row again.
    const int32_t pitch = PackedPitch(at);
    CreateVecIndex(taken, 0, static_cast<uint32_t>(pitch));
    PipeBarrier<PIPE_V>();
    Mins(taken, taken, at.rows - 1, pitch);
    PipeBarrier<PIPE_V>();
    DivideWhole(quotients, taken, inner, pitch);
    Muls(quotients, quotients, period - inner, pitch);
    PipeBarrier<PIPE_V>();
    Add(taken, taken, quotients, pitch);
    PipeBarrier<PIPE_V>();
    Muls(taken, taken, bytes, pitch);
    PipeBarrier<PIPE_V>();
    for (int32_t lane = 1; lane < at.lanes; lane *= 2) { // lanes lie `inner` elements apart
        const int32_t lanes = at.lanes - lane < lane ? at.lanes - lane : lane;
        Adds(taken[lane * pitch], taken, lane * inner * bytes, lanes * pitch);
        PipeBarrier<PIPE_V>();
    }
}

/* values[row] = the fold of each row of a packed tile, as ReduceRows folds; behind them lies what it leaves. */
template <class Fold>
__aicore__ inline void ReducePacked(const LocalTensor<float> &values, const LocalTensor<float> &tile,
    const LocalTensor<float> &take, const TilePosition &at)
{
    const int32_t pitch = PackedPitch(at);
    Gather(values, tile, take.ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(at.lanes * pitch));
    PipeBarrier<PIPE_V>();
    ReduceRowsInPlace<Fold>(values, at.lanes, pitch);
}

/* dst = the value of the row for every element of a packed tile. */
__aicore__ inline void SpreadPacked(const LocalTensor<float> &dst, const LocalTensor<float> &values,
    const LocalTensor<float> &spread, const TilePosition &at)
{
    Gather(dst, values, spread.ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(at.Count()));
}

//@end
/* The total of no steps. */
template <class Fold>
__aicore__ inline void BeginTotal(const LocalTensor<float> &total, const TilePosition &whole, int64_t steps)
{
    if (steps == 0) {
        Duplicate(total, Fold::Neutral(), whole.Count());
        PipeBarrier<PIPE_V>();
    }
}

)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_ROWVALUES_H
