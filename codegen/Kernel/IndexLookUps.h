//===- IndexLookUps.h - Elements that an index names ------------*- C++ -*-===//
//
// Fixed text, the third part of the device header of indices: the element of a
// row or of a table that the index of each row names.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_INDEXLOOKUPS_H
#define LOSSGRAD_CODEGEN_KERNEL_INDEXLOOKUPS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kIndexLookUps = R"cpp(/* values[row] = the lane with the row's index: of the row itself, or of one row for all. An index outside of the lanes
 * takes the nearest. `offsets` has room for two ints per row. */
template <bool ofTile>
__aicore__ inline void TakeLanes(const LocalTensor<float> &values, const LocalTensor<float> &lanes,
    const LocalTensor<int32_t> &index, const TilePosition &at, const LocalTensor<int32_t> &offsets)
{
//@if Gather
    Maxs(offsets, index, 0, at.rows);
    PipeBarrier<PIPE_V>();
    Mins(offsets, offsets, at.lanes - 1, at.rows);
    PipeBarrier<PIPE_V>();
    Muls(offsets, offsets, static_cast<int32_t>(sizeof(float)), at.rows);
    PipeBarrier<PIPE_V>();
    if (ofTile) {
        const LocalTensor<int32_t> rowOffsets = offsets[CeilDivide(at.rows, BLOCK_FLOATS) * BLOCK_FLOATS];
        MakeOffsets(rowOffsets.ReinterpretCast<float>(), at.pitch * static_cast<int32_t>(sizeof(float)), at.rows);
        Add(offsets, offsets, rowOffsets, at.rows);
        PipeBarrier<PIPE_V>();
    }
    Gather(values, lanes, offsets.ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(at.rows));
//@else
    WaitForPipe<HardEvent::V_S>();
    for (int32_t row = 0; row < at.rows; ++row) {
        const int32_t found = index.GetValue(row);
        const int32_t lane = found < 0 ? 0 : (found < at.lanes ? found : at.lanes - 1);
        values.SetValue(row, lanes.GetValue((ofTile ? row * at.pitch : 0) + lane));
    }
    WaitForPipe<HardEvent::S_V>();
//@end
}

//@if Gather
/* values[row] = the element of a dense table for all rows, which is copied as a whole and lies in `tile` then. */
__aicore__ inline void LookUpInCopy(const LocalTensor<float> &values, const GlobalTensor<uint8_t> &table,
    const TileLayout &layout, int64_t begin, const LocalTensor<int32_t> &index, const TilePosition &at,
    const LocalTensor<uint8_t> &tile, const LocalTensor<float> &wide)
{
    WaitForPipe<HardEvent::V_MTE2>(); // for the place
    LoadDense(tile, table, begin, at.lanes * layout.bytes);
    WaitForPipe<HardEvent::MTE2_V>();
    LocalTensor<float> lanes = tile.ReinterpretCast<float>();
    if (layout.type != ELEMENT_FLOAT) {
        WidenTile(wide, tile, layout.type, at.lanes);
        PipeBarrier<PIPE_V>();
        lanes = wide;
    }
    TilePosition part = at;
    for (int32_t done = 0; done < at.rows; done += TABLE_INDICES) {
        part.rows = at.rows - done < TABLE_INDICES ? at.rows - done : TABLE_INDICES;
        TakeLanes<false>(values[done], lanes, index[done], part, wide[TABLE_LANES].ReinterpretCast<int32_t>());
        PipeBarrier<PIPE_V>();
    }
}

//@end
/* values[row] = the element of a table in global memory with the row's index: a short table for all rows is copied
 * once, of others one element per row. An index outside of the table takes the nearest. It waits for the copies itself.
 */
template <typename Tiling>
__aicore__ inline void LookUp(const LocalTensor<float> &values, const GlobalTensor<uint8_t> &table,
    const TileLayout &layout, const LocalTensor<int32_t> &index, const TilePosition &at, const Tiling &tiling,
    const LocalTensor<uint8_t> &tile, const LocalTensor<float> &wide)
{
    if (layout.form == ABSENT) {
        Duplicate(values, 0.0f, at.rows);
        return;
    }
    TilePosition origin = at;
    origin.index[tiling.reducedAxis] = 0;
    const int64_t begin = layout.Offset(origin);
    const int64_t step = layout.strides[tiling.reducedAxis] * layout.bytes;
    const int64_t last = tiling.extents[tiling.reducedAxis] - 1;
//@if Gather
    if (layout.RowBytes() == 0 && step == layout.bytes && last < TABLE_LANES) {
        TilePosition all = at;
        all.lanes = static_cast<int32_t>(last) + 1;
        LookUpInCopy(values, table, layout, begin, index, all, tile, wide);
        return;
    }
//@end
    for (int32_t done = 0; done < at.rows; done += TABLE_ROWS) {
        const int32_t rows = at.rows - done < TABLE_ROWS ? at.rows - done : TABLE_ROWS;
        WaitForPipe<HardEvent::V_S>(); // for the index, and for the tile
//@if DataCopyPad
//@else
        WaitForPipe<HardEvent::S_MTE2>(); // which may have the end of a run element by element
//@end
        for (int32_t row = 0; row < rows; ++row) {
            const int64_t found = index.GetValue(done + row);
            const int64_t nearest = found < 0 ? 0 : (found > last ? last : found);
            const int64_t from = begin + (done + row) * layout.RowBytes() + nearest * step;
//@if DataCopyPad
            LoadPieces(tile[row * BLOCK_BYTES], table[from], 1, layout.bytes, layout.bytes, 0);
//@else
            LoadRun(tile[row * BLOCK_BYTES], table[from], layout.bytes, layout.size - from);
//@end
        }
        WaitForPipe<HardEvent::MTE2_V>();
        TakeAlone(values[done], tile, layout, rows, wide);
    }
}

)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_INDEXLOOKUPS_H
