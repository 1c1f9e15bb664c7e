//===- TileValues.h - Tiles as floats ---------------------------*- C++ -*-===//
//
// Fixed text, the third part of the device header of tiles: element types
// widened and narrowed, and tiles that are broadcast or have gaps expanded to
// dense rows. All of it is in UB, except for single elements.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_TILEVALUES_H
#define LOSSGRAD_CODEGEN_KERNEL_TILEVALUES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kTileValues = R"cpp(/* dst = src in float, exactly. */
__aicore__ inline void WidenTile(const LocalTensor<float> &dst, const LocalTensor<uint8_t> &src, int32_t type,
    int32_t count)
{
    if (type == ELEMENT_FLOAT) {
        DataCopy(dst, src.ReinterpretCast<float>(), CeilDivide(count, BLOCK_FLOATS) * BLOCK_FLOATS);
//@if cast bfloat16_t float
    } else if (type == ELEMENT_HALF) {
        Cast(dst, src.ReinterpretCast<half>(), RoundMode::CAST_NONE, count);
    } else {
        Cast(dst, src.ReinterpretCast<bfloat16_t>(), RoundMode::CAST_NONE, count);
    }
//@else
    } else {
        Cast(dst, src.ReinterpretCast<half>(), RoundMode::CAST_NONE, count);
    }
//@end
}

/* dst = src in the element type, to nearest even. */
__aicore__ inline void NarrowTile(const LocalTensor<uint8_t> &dst, const LocalTensor<float> &src, int32_t type,
    int32_t count)
{
    if (type == ELEMENT_FLOAT) {
        DataCopy(dst.ReinterpretCast<float>(), src, CeilDivide(count, BLOCK_FLOATS) * BLOCK_FLOATS);
//@if cast bfloat16_t float
    } else if (type == ELEMENT_HALF) {
        Cast(dst.ReinterpretCast<half>(), src, @ROUND(float, half)@, count);
    } else {
        Cast(dst.ReinterpretCast<bfloat16_t>(), src, @ROUND(float, bfloat16_t)@, count);
    }
//@else
    } else {
        Cast(dst.ReinterpretCast<half>(), src, @ROUND(float, half)@, count);
    }
//@end
}

/* The value of a tensor of one element. A 16-bit float has no scalar arithmetic, so it is widened by the vector unit;
 * `scratch` are two blocks. */
__aicore__ inline float ReadElement(const GlobalTensor<uint8_t> &tensor, const LocalTensor<uint8_t> &scratch,
    int32_t type)
{
    LocalTensor<float> wide = scratch[BLOCK_BYTES].ReinterpretCast<float>();
    LoadDense(scratch, tensor, 0, 1, type);
    WaitForPipe<HardEvent::MTE2_V>();
    WidenTile(wide, scratch, type, 1);
    WaitForPipe<HardEvent::V_S>();
    return wide.GetValue(0);
}

template <typename T>
__aicore__ inline float ReadElement(const GlobalTensor<T> &tensor, const LocalTensor<T> &scratch)
{
    LocalTensor<float> wide = scratch[BLOCK_BYTES / sizeof(T)].template ReinterpretCast<float>();
    LoadDense(scratch, tensor, 0, 1);
    WaitForPipe<HardEvent::MTE2_V>();
    Cast(wide, scratch, RoundMode::CAST_NONE, 1);
    WaitForPipe<HardEvent::V_S>();
    return wide.GetValue(0);
}

/* A copy fills rows up to the next block. Rows of float are padded to more, so blocks may be left: nothing computed
 * from them is stored, but what they hold should not depend on what ran before. */
__aicore__ inline void ClearPadding(const LocalTensor<uint8_t> &tile, const TileLayout &layout,
    const TilePosition &at)
{
    const int32_t filled = CeilDivide(at.lanes, BLOCK_FLOATS) * BLOCK_FLOATS;
    if (layout.type != ELEMENT_FLOAT || layout.form > REPEAT_ROWS || filled == at.pitch) {
        return;
    }
    const int32_t left = at.pitch - filled;
    const LocalTensor<float> last = tile.ReinterpretCast<float>()[filled];
    const int32_t rows = layout.form == REPEAT_ROWS ? 1 : at.rows;
    const int32_t stride = at.pitch / BLOCK_FLOATS;
    if (stride <= MAX_STRIDE) {
        Duplicate(last, 0.0f, static_cast<uint64_t>(left), static_cast<uint8_t>(rows), 1, static_cast<uint8_t>(stride));
    } else {
        for (int32_t row = 0; row < rows; ++row) {
            Duplicate(last[row * at.pitch], 0.0f, left);
        }
    }
    PipeBarrier<PIPE_V>();
}

//@if Gather
/* Byte offsets of `count` elements, `step` bytes apart. */
__aicore__ inline LocalTensor<uint32_t> MakeOffsets(const LocalTensor<float> &memory, int32_t step, int32_t count)
{
    LocalTensor<int32_t> offsets = memory.ReinterpretCast<int32_t>();
    CreateVecIndex(offsets, 0, static_cast<uint32_t>(count));
    PipeBarrier<PIPE_V>();
    Muls(offsets, offsets, step, count);
    PipeBarrier<PIPE_V>();
    return offsets.ReinterpretCast<uint32_t>();
}

//@else
/* dst = `count` elements that lie `step` elements apart, one by one. */
template <typename T>
__aicore__ inline void TakeSteps(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t step, int32_t count)
{
    WaitForPipe<HardEvent::V_S>();
    for (int32_t i = 0; i < count; ++i) {
        dst.SetValue(i, src.GetValue(i * step));
    }
    WaitForPipe<HardEvent::S_V>();
}

//@end
/* One block for each value, filled with it; with Brcb for whole eights of them. */
__aicore__ inline void SpreadValues(const LocalTensor<float> &blocks, const LocalTensor<float> &values, int32_t count)
{
//@if Brcb
    Brcb(blocks, values, static_cast<uint8_t>(CeilDivide(count, BLOCK_FLOATS)), {1, 8});
//@else
    const LocalTensor<uint32_t> to = blocks.ReinterpretCast<uint32_t>(); // bits, whatever they mean
    const LocalTensor<uint32_t> from = values.ReinterpretCast<uint32_t>();
    WaitForPipe<HardEvent::V_S>();
    for (int32_t i = 0; i < count; ++i) {
        Duplicate(to[i * BLOCK_FLOATS], from.GetValue(i), BLOCK_FLOATS);
    }
//@end
}

//@if not SelectTensor
/* Select takes the bits of one repeat, so those of each repeat lie in a block of their own. Here `count` is in whole
 * repeats. */
__aicore__ inline void CompareRepeats(const LocalTensor<uint8_t> &bits, const LocalTensor<float> &a,
    const LocalTensor<float> &b, CMPMODE mode, int32_t count)
{
    for (int32_t i = 0; i < count; i += REPEAT_FLOATS) {
        Compare(bits[i / REPEAT_FLOATS * BLOCK_BYTES], a[i], b[i], mode, static_cast<uint32_t>(REPEAT_FLOATS));
    }
}

/* dst = a where the bit is set, b where it is not. */
__aicore__ inline void SelectRepeats(const LocalTensor<float> &dst, const LocalTensor<uint8_t> &bits,
    const LocalTensor<float> &a, const LocalTensor<float> &b, int32_t count)
{
    for (int32_t i = 0; i < count; i += REPEAT_FLOATS) {
        const int32_t left = count - i;
        Select(dst[i], bits[i / REPEAT_FLOATS * BLOCK_BYTES], a[i], b[i], SELMODE::VSEL_CMPMASK_SPR,
            static_cast<uint32_t>(left < REPEAT_FLOATS ? left : REPEAT_FLOATS));
    }
}

//@end
/* dst = src in `repeat` repeats of `width` floats; strides count blocks. */
__aicore__ inline void CopyRepeats(const LocalTensor<float> &dst, const LocalTensor<float> &src, int32_t width,
    int32_t repeat, int32_t dstStride, int32_t blockStride, int32_t srcStride)
{
//@if Copy
    const CopyRepeatParams strides{1, static_cast<uint16_t>(blockStride), static_cast<uint16_t>(dstStride),
        static_cast<uint16_t>(srcStride)};
    Copy(dst, src, static_cast<uint64_t>(width), static_cast<uint8_t>(repeat), strides);
//@else
    // Bits or themselves, as words of 16 bits.
    const LocalTensor<uint16_t> to = dst.ReinterpretCast<uint16_t>();
    const LocalTensor<uint16_t> from = src.ReinterpretCast<uint16_t>();
    const uint64_t words = 2 * static_cast<uint64_t>(width);
    const uint8_t step = static_cast<uint8_t>(blockStride);
    if (dstStride <= MAX_STRIDE && srcStride <= MAX_STRIDE) {
        const uint8_t next = static_cast<uint8_t>(srcStride);
        Or(to, from, from, words, static_cast<uint8_t>(repeat),
            BinaryRepeatParams{1, step, step, static_cast<uint8_t>(dstStride), next, next});
        return;
    }
    for (int32_t i = 0; i < repeat; ++i) {
        const LocalTensor<uint16_t> row = from[i * srcStride * 2 * BLOCK_FLOATS];
        Or(to[i * dstStride * 2 * BLOCK_FLOATS], row, row, words, 1, BinaryRepeatParams{1, step, step, 8, 8, 8});
    }
//@end
}

/* One row: adjacent floats (blockStride 1), or one block again and again (blockStride 0). */
__aicore__ inline void CopyRow(const LocalTensor<float> &dst, const LocalTensor<float> &src, uint16_t blockStride,
    int32_t count)
{
    if (blockStride == 1) {
        DataCopy(dst, src, count);
        return;
    }
    const int32_t repeats = count / REPEAT_FLOATS;
    for (int32_t done = 0; done < repeats; done += MAX_REPEAT) {
        const int32_t left = repeats - done;
        CopyRepeats(dst[done * REPEAT_FLOATS], src, REPEAT_FLOATS, left < MAX_REPEAT ? left : MAX_REPEAT, 8, 0, 0);
    }
    if (count % REPEAT_FLOATS != 0) {
        CopyRepeats(dst[repeats * REPEAT_FLOATS], src, count % REPEAT_FLOATS, 1, 8, 0, 0);
    }
}

/* Rows of `dst` from one row (blockStride 1) or from one block per row (blockStride 0); repeatStride counts blocks
 * from row to row of the source. Many short rows are repeats of one call, few long ones a call each. */
__aicore__ inline void CopyRows(const LocalTensor<float> &dst, const LocalTensor<float> &src, uint16_t blockStride,
    uint16_t repeatStride, const TilePosition &at)
{
    if (at.rows * REPEAT_FLOATS < at.pitch) {
        for (int32_t row = 0; row < at.rows; ++row) {
            CopyRow(dst[row * at.pitch], src[row * repeatStride * BLOCK_FLOATS], blockStride, at.pitch);
        }
        return;
    }
    for (int32_t lane = 0; lane < at.pitch; lane += REPEAT_FLOATS) {
        const int32_t left = at.pitch - lane;
        CopyRepeats(dst[lane], src[lane * blockStride], left < REPEAT_FLOATS ? left : REPEAT_FLOATS, at.rows,
            at.pitch / BLOCK_FLOATS, blockStride, repeatStride);
    }
}

/* Floats of a tile as LoadTile left it, where it is not dense. */
__aicore__ inline int32_t LoadedCount(const TileLayout &layout, const TilePosition &at)
{
    const int32_t blockElements = BLOCK_BYTES / layout.bytes;
    switch (layout.form) {
        case REPEAT_ROWS:
            return at.pitch;
        case REPEAT_LANES:
            return at.rows;
        case STRIDED:
            return layout.DistinctRows(at) * at.lanes * blockElements;
        case STRIDED_ROWS:
            return at.rows * blockElements;
        default: // SINGLE
            return 1;
    }
}

/* dst = the tile as dense rows of float. `wide` has room for as many floats as dst, `blocks` for one block per row
 * of the largest tile. */
__aicore__ inline void ExpandTile(const LocalTensor<float> &dst, const LocalTensor<uint8_t> &tile,
    const TileLayout &layout, const TilePosition &at, const LocalTensor<float> &wide,
    const LocalTensor<float> &blocks)
{
    if (layout.form == ABSENT) {
        Duplicate(dst, 0.0f, at.Count());
        return;
    }
    ClearPadding(tile, layout, at);
    if (layout.form <= ROW_BY_ROW) {
        WidenTile(dst, tile, layout.type, at.Count());
        return;
    }
    LocalTensor<float> values = tile.ReinterpretCast<float>();
    if (layout.type != ELEMENT_FLOAT) {
        WidenTile(wide, tile, layout.type, LoadedCount(layout, at));
        PipeBarrier<PIPE_V>();
        values = wide;
    }
    if (layout.form == REPEAT_ROWS) {
        CopyRows(dst, values, 1, 0, at);
        return;
    }
    // An element that stood alone in a block of 32 bytes stands alone in as many floats.
//@if Gather
    const int32_t step = BLOCK_BYTES / layout.bytes * static_cast<int32_t>(sizeof(float));
//@else
    const int32_t step = BLOCK_BYTES / layout.bytes;
//@end
    if (layout.form == STRIDED) {
        Duplicate(dst, 0.0f, at.Count());
//@if Gather
        const LocalTensor<uint32_t> offsets = MakeOffsets(blocks, step, at.lanes);
        const int32_t rowStep = layout.DistinctRows(at) == 1 ? 0 : at.lanes * step;
        for (int32_t row = 0; row < at.rows; ++row) {
            Gather(dst[row * at.pitch], values, offsets, static_cast<uint32_t>(row * rowStep),
                static_cast<uint32_t>(at.lanes));
        }
//@else
        const int32_t rowStep = layout.DistinctRows(at) == 1 ? 0 : at.lanes * step;
        for (int32_t row = 0; row < at.rows; ++row) {
            TakeSteps(dst[row * at.pitch], values[row * rowStep], step, at.lanes);
        }
//@end
        return;
    }
    if (layout.form == STRIDED_ROWS) {
//@if Gather
        const LocalTensor<uint32_t> offsets = MakeOffsets(blocks, step, at.rows);
        Gather(dst, values, offsets, 0, static_cast<uint32_t>(at.rows));
        PipeBarrier<PIPE_V>();
//@else
        TakeSteps(dst, values, step, at.rows);
//@end
        values = dst;
    }
    // One block per row, or one for all, along the lanes.
    const bool isSingle = layout.form == SINGLE;
    SpreadValues(blocks, values, isSingle ? 1 : at.rows);
    PipeBarrier<PIPE_V>();
    CopyRows(dst, blocks, 0, isSingle ? 0 : 1, at);
}

)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_TILEVALUES_H
