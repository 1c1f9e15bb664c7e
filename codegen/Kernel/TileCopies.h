//===- TileCopies.h - Tiles of tensors in memory ----------------*- C++ -*-===//
//
// Fixed text, the second part of the device header of tiles: how tensors are
// cut into tiles, and copies of tiles between global memory and UB, as they lie
// there. What computes with them is in TileValues.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_TILECOPIES_H
#define LOSSGRAD_CODEGEN_KERNEL_TILECOPIES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad {

inline constexpr llvm::StringLiteral kTileCopies = R"cpp(/* A tile: the indices of its first element along the axes, and its size. */
struct TilePosition {
    int64_t index[AXES];
    int32_t firstAxis; // axes before it have one element
    int32_t rows;
    int32_t lanes;
    int32_t pitch; // lanes and padding: elements from row to row in UB
    int32_t first; // index along the reduced axis, or that of classes, at which the tile begins

    __aicore__ inline int32_t Count() const { return rows * pitch; }
    /* Where the lanes of the tile begin. */
    __aicore__ inline int32_t FirstLane() const { return static_cast<int32_t>(index[LANE_AXIS]); }
    /* Rows between the first one of a group and the first one of the tile. */
    __aicore__ inline int32_t RowsAfter(const TilePosition &group) const
    {
        return static_cast<int32_t>(index[ROW_AXIS] - group.index[ROW_AXIS]);
    }
    /* The first row of the tile alone. */
    __aicore__ inline TilePosition FirstRow() const
    {
        TilePosition row = *this;
        row.rows = 1;
        return row;
    }
    /* One value per row as lanes of one row. */
    __aicore__ inline TilePosition AsLanes() const
    {
        TilePosition lanes = *this;
        lanes.lanes = rows;
        lanes.pitch = CeilDivide(rows, LANE_PAD) * LANE_PAD;
        lanes.rows = 1;
        return lanes;
    }
};

/* How the output is cut into tiles: along the lanes first, then along the rows. */
struct TileGrid {
    int64_t extents[AXES];
    int64_t rowBlocks;
    int64_t laneBlocks;
    int64_t rowTile;
    int64_t laneTile;
    int32_t firstAxis;

    template <typename Tiling>
    __aicore__ inline void Init(const Tiling &tiling)
    {
        for (int32_t axis = 0; axis < AXES; ++axis) {
            extents[axis] = tiling.extents[axis];
        }
        rowBlocks = tiling.rowBlocks;
        laneBlocks = tiling.laneBlocks;
        rowTile = tiling.rowTile;
        laneTile = tiling.laneTile;
        firstAxis = tiling.firstAxis;
    }

    __aicore__ inline TilePosition At(int64_t tile) const
    {
        TilePosition at;
        at.firstAxis = firstAxis;
        at.index[LANE_AXIS] = tile % laneBlocks * laneTile;
        int64_t rest = tile / laneBlocks;
        at.index[ROW_AXIS] = rest % rowBlocks * rowTile;
        rest /= rowBlocks;
        for (int32_t axis = ROW_AXIS - 1; axis >= firstAxis; --axis) {
            at.index[axis] = rest % extents[axis];
            rest /= extents[axis];
        }
        const int64_t rowsLeft = extents[ROW_AXIS] - at.index[ROW_AXIS];
        const int64_t lanesLeft = extents[LANE_AXIS] - at.index[LANE_AXIS];
        at.rows = static_cast<int32_t>(rowsLeft < rowTile ? rowsLeft : rowTile);
        at.lanes = static_cast<int32_t>(lanesLeft < laneTile ? lanesLeft : laneTile);
        // Whole rows may be padded to whole repeats.
        const bool isPadded = laneBlocks == 1 && at.lanes < laneTile;
        at.pitch = isPadded ? static_cast<int32_t>(laneTile) : CeilDivide(at.lanes, LANE_PAD) * LANE_PAD;
        at.first = 0;
        return at;
    }

    /* The same for rows without padding, all lanes of which are in the tile. */
    __aicore__ inline TilePosition PackedAt(int64_t tile) const
    {
        TilePosition at = At(tile);
        at.pitch = at.lanes;
        return at;
    }
};

/* A tensor: its element type, the elements from neighbour to neighbour along the axes (0: broadcast), its form. */
struct TileLayout {
    int64_t strides[AXES];
    int32_t form;
    int32_t type;
    int32_t bytes; // of an element
//@if not DataCopyPad
    int64_t size; // bytes to the end of the last element: no load goes beyond
//@end

    template <typename Tiling>
    __aicore__ inline void Init(const Tiling &tiling, int32_t tensor, int32_t elementType)
    {
        for (int32_t axis = 0; axis < AXES; ++axis) {
            strides[axis] = tiling.strides[tensor * AXES + axis];
        }
        form = tiling.forms[tensor];
        type = elementType;
        bytes = ElementBytes(elementType);
//@if not DataCopyPad
        size = bytes;
        for (int32_t axis = 0; axis < AXES; ++axis) {
            const int64_t reach = (tiling.extents[axis] - 1) * strides[axis] * bytes;
            size += reach > 0 ? reach : 0;
        }
        if (form == PACKED) { // strides lead to rows, which may lie in turn
            size = tiling.extents[ROW_AXIS] * tiling.extents[LANE_AXIS] * bytes;
        }
//@end
    }

    /* Bytes before the first element that a tile needs. */
    __aicore__ inline int64_t Offset(const TilePosition &at) const
    {
        int64_t elements = 0;
        for (int32_t axis = at.firstAxis; axis < AXES; ++axis) {
            elements += at.index[axis] * strides[axis];
        }
        return elements * bytes;
    }
    __aicore__ inline int64_t RowBytes() const { return strides[ROW_AXIS] * bytes; }
    __aicore__ inline int64_t LaneBytes() const { return strides[LANE_AXIS] * bytes; }
    /* Rows of a tile that differ in memory. */
    __aicore__ inline int32_t DistinctRows(const TilePosition &at) const
    {
        return strides[ROW_AXIS] == 0 ? 1 : at.rows;
    }
};

//@if DataCopyPad
/* `count` pieces of `length` bytes that begin `step` bytes apart; in UB each begins on a block, with `gap` blocks. */
template <typename T>
__aicore__ inline void LoadPieces(const LocalTensor<T> &local, const GlobalTensor<T> &global, int32_t count,
    int32_t length, int64_t step, int32_t gap)
{
    const int64_t skipped = count > 1 ? step - length : 0;
    const DataCopyExtParams pieces{static_cast<uint16_t>(count), static_cast<uint32_t>(length),
        static_cast<uint32_t>(skipped), static_cast<uint32_t>(gap), 0};
    DataCopyPad(local, global, pieces, DataCopyPadExtParams<T>{false, 0, 0, 0});
}

//@end
/* Blocks between rows in UB, where rows are `pitch` elements apart. */
__aicore__ inline int32_t RowGap(const TileLayout &layout, const TilePosition &at)
{
    return at.pitch * layout.bytes / BLOCK_BYTES - CeilDivide(at.lanes * layout.bytes, BLOCK_BYTES);
}

//@if DataCopyPad
/* Loads what a tile needs of a tensor, as it lies in memory: rows, one row, or elements. Elements with a gap take a
 * block each. T is the element type, or uint8_t where only the call tells it. */
template <typename T>
__aicore__ inline void LoadTile(const LocalTensor<T> &tile, const GlobalTensor<T> &tensor, const TileLayout &layout,
    const TilePosition &at)
{
    constexpr int32_t unit = static_cast<int32_t>(sizeof(T));
    const int64_t begin = layout.Offset(at) / unit;
    const int64_t rowStep = layout.RowBytes() / unit;
    const int32_t length = at.lanes * layout.bytes;
    switch (layout.form) {
        case DENSE:
            LoadPieces(tile, tensor[begin], at.rows, length, layout.RowBytes(), RowGap(layout, at));
            break;
        case ROW_BY_ROW:
            for (int32_t row = 0; row < at.rows; ++row) {
                LoadPieces(tile[row * at.pitch * layout.bytes / unit], tensor[begin + row * rowStep], 1, length,
                    length, 0);
            }
            break;
        case REPEAT_ROWS:
            LoadPieces(tile, tensor[begin], 1, length, length, 0);
            break;
        case REPEAT_LANES:
            LoadPieces(tile, tensor[begin], 1, at.rows * layout.bytes, at.rows * layout.bytes, 0);
            break;
        case STRIDED:
            for (int32_t row = 0; row < layout.DistinctRows(at); ++row) {
                LoadPieces(tile[row * at.lanes * BLOCK_BYTES / unit], tensor[begin + row * rowStep], at.lanes,
                    layout.bytes, layout.LaneBytes(), 0);
            }
            break;
        case STRIDED_ROWS:
            LoadPieces(tile, tensor[begin], at.rows, layout.bytes, layout.RowBytes(), 0);
            break;
        case PACKED:
            LoadPieces(tile, tensor[begin], 1, at.Count() * layout.bytes, 0, 0);
            break;
        case ABSENT:
            break;
        default: // SINGLE
            LoadPieces(tile, tensor[begin], 1, layout.bytes, layout.bytes, 0);
            break;
    }
}

/* Stores the rows of a tile without their padding. */
template <typename T>
__aicore__ inline void StoreTile(const GlobalTensor<T> &tensor, const LocalTensor<T> &tile, const TileLayout &layout,
    const TilePosition &at)
{
    constexpr int32_t unit = static_cast<int32_t>(sizeof(T));
    const int64_t begin = layout.Offset(at) / unit;
    const uint32_t length = static_cast<uint32_t>(at.lanes * layout.bytes);
    if (layout.form == DENSE) {
        const int64_t skipped = at.rows > 1 ? layout.RowBytes() - length : 0;
        const DataCopyExtParams rows{static_cast<uint16_t>(at.rows), length,
            static_cast<uint32_t>(RowGap(layout, at)), static_cast<uint32_t>(skipped), 0};
        DataCopyPad(tensor[begin], tile, rows);
        return;
    }
    if (layout.form == PACKED) {
        DataCopyPad(tensor[begin], tile, DataCopyExtParams{1, at.rows * length, 0, 0, 0});
        return;
    }
    for (int32_t row = 0; row < at.rows; ++row) {
        DataCopyPad(tensor[begin + row * layout.RowBytes() / unit], tile[row * at.pitch * layout.bytes / unit],
            DataCopyExtParams{1, length, 0, 0, 0});
    }
}

//@else
/* Loads what a tile needs of a tensor, as it lies in memory: rows, one row, or elements. Elements with a gap take a
 * block each. T is the element type, or uint8_t where only the call tells it. */
template <typename T>
__aicore__ inline void LoadTile(const LocalTensor<T> &tile, const GlobalTensor<T> &tensor, const TileLayout &layout,
    const TilePosition &at)
{
    constexpr int32_t unit = static_cast<int32_t>(sizeof(T));
    constexpr int32_t block = BLOCK_BYTES / unit;
    const int64_t begin = layout.Offset(at) / unit;
    const int64_t room = layout.size / unit - begin;
    const int64_t rowStep = layout.RowBytes() / unit;
    const int64_t laneStep = layout.LaneBytes() / unit;
    const int32_t element = layout.bytes / unit;
    const int32_t length = at.lanes * element;
    const int32_t pitch = at.pitch * element;
    const int64_t gap = (rowStep - length) / block;
    switch (layout.form) {
        case DENSE:
        case ROW_BY_ROW:
            if (at.rows > 1 && length % block == 0 && rowStep % block == 0 && gap >= 0 && gap <= MAX_GAP) {
                DataCopy(tile, tensor[begin], DataCopyParams{static_cast<uint16_t>(at.rows),
                    static_cast<uint16_t>(length / block), static_cast<uint16_t>(gap),
                    static_cast<uint16_t>((pitch - length) / block)});
                break;
            }
            for (int32_t row = 0; row < at.rows; ++row) {
                LoadRun(tile[row * pitch], tensor[begin + row * rowStep], length, room - row * rowStep);
            }
            break;
        case REPEAT_ROWS:
            LoadRun(tile, tensor[begin], length, room);
            break;
        case REPEAT_LANES:
            LoadRun(tile, tensor[begin], at.rows * element, room);
            break;
        case STRIDED:
            for (int32_t row = 0; row < layout.DistinctRows(at); ++row) {
                for (int32_t lane = 0; lane < at.lanes; ++lane) {
                    const int64_t from = row * rowStep + lane * laneStep;
                    LoadRun(tile[(row * at.lanes + lane) * block], tensor[begin + from], element, room - from);
                }
            }
            break;
        case STRIDED_ROWS:
            for (int32_t row = 0; row < at.rows; ++row) {
                LoadRun(tile[row * block], tensor[begin + row * rowStep], element, room - row * rowStep);
            }
            break;
        case PACKED:
            LoadRun(tile, tensor[begin], at.Count() * element, room);
            break;
        case ABSENT:
            break;
        default: // SINGLE
            LoadRun(tile, tensor[begin], element, room);
            break;
    }
}

/* Stores the rows of a tile without their padding. Rows of less than a block that lie one after the other are one run,
 * in UB, too. */
template <typename T>
__aicore__ inline void StoreTile(const GlobalTensor<T> &tensor, const LocalTensor<T> &tile, const TileLayout &layout,
    const TilePosition &at)
{
    constexpr int32_t unit = static_cast<int32_t>(sizeof(T));
    constexpr int32_t block = BLOCK_BYTES / unit;
    const int64_t begin = layout.Offset(at) / unit;
    const int64_t rowStep = layout.RowBytes() / unit;
    const int32_t length = at.lanes * layout.bytes / unit;
    const int32_t pitch = at.pitch * layout.bytes / unit;
    const int64_t gap = (rowStep - length) / block;
    if (layout.form == PACKED) {
        StoreRun(tensor[begin], tile, at.rows * length);
        return;
    }
    if (at.rows > 1 && length % block == 0 && rowStep % block == 0 && gap >= 0 && gap <= MAX_GAP) {
        DataCopy(tensor[begin], tile, DataCopyParams{static_cast<uint16_t>(at.rows),
            static_cast<uint16_t>(length / block), static_cast<uint16_t>((pitch - length) / block),
            static_cast<uint16_t>(gap)});
        return;
    }
    if (at.rows > 1 && length < block && rowStep == length) {
        WaitForPipe<HardEvent::MTE3_S>();
        for (int32_t i = length; i < at.rows * length; ++i) {
            tile.SetValue(i, tile.GetValue(i / length * pitch + i % length));
        }
        WaitForPipe<HardEvent::S_MTE3>();
        StoreRun(tensor[begin], tile, at.rows * length);
        return;
    }
    if (at.rows == 1 || length < block) {
        for (int32_t row = 0; row < at.rows; ++row) {
            StoreRun(tensor[begin + row * rowStep], tile[row * pitch], length);
        }
        return;
    }
    // One wait for all rows: last blocks are shifted while whole ones are on their way, which lie beside them.
    const int32_t copied = length / block * block;
    WaitForPipe<HardEvent::MTE3_S>();
    for (int32_t row = 0; row < at.rows; ++row) {
        DataCopy(tensor[begin + row * rowStep], tile[row * pitch], static_cast<uint32_t>(copied));
        if (copied < length) {
            ShiftTail(tile[row * pitch], length);
        }
    }
    if (copied == length) {
        return;
    }
    WaitForPipe<HardEvent::S_MTE3>();
    PipeBarrier<PIPE_MTE3>(); // what is stored twice overlaps
    for (int32_t row = 0; row < at.rows; ++row) {
        DataCopy(tensor[begin + row * rowStep + length - block], tile[row * pitch + copied],
            static_cast<uint32_t>(block));
    }
}

//@end
)cpp";

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_TILECOPIES_H
