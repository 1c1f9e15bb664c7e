//===- RowSizes.h - Tile sizes of reductions --------------------*- C++ -*-===//
//
// Fixed text, the fourth part of the helper header of tiling functions: how
// large the tiles of a kernel that reduces are, and how they are dealt to the
// cores.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_ROWSIZES_H
#define LOSSGRAD_CODEGEN_TILING_ROWSIZES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::tiling {

inline constexpr llvm::StringLiteral kRowSizes = R"cpp(/* Parts of equal size, each a multiple of `unit` and none above `most`. */
inline int64_t EqualParts(int64_t extent, int64_t parts, int64_t unit, int64_t most)
{
    return Min(most, RoundUp(CeilDiv(extent, Max(1, parts)), unit));
}

/* Kept rows in a tile: as many as fit, but no more than leave work for all cores. */
inline int64_t SizeKeptRows(const TilePlan &plan, int64_t outer, int64_t cores, int64_t maxRows, int64_t pitch)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    const int64_t fewest = Max(1, CeilDiv(rows, maxRows));
    const int64_t rounds = CeilDiv(outer * fewest, cores);
    const int64_t balanced = Max(1, rounds * cores / outer);
    const int64_t enough = Max(1, CeilDiv(rows * pitch, MIN_CORE_WORK / 2));
    const int64_t parts = Max(fewest, Min(Min(balanced, rows), enough));
    const int64_t rowTile = CeilDiv(rows, parts);
    const bool isIdle = outer * CeilDiv(rows, rowTile) < Min(cores, outer * Min(rows, enough));
    return isIdle ? Max(1, rows / parts) : rowTile;
}

/* The largest share of the cores' time that is used where each has the same number of parts, or one more. */
inline bool IsBusier(int64_t parts, int64_t than, int64_t rows, int64_t cores)
{
    return rows * parts * CeilDiv(rows * than, cores) > rows * than * CeilDiv(rows * parts, cores);
}

/* Tiles of so many rows and lanes, dealt to the cores whatever row they belong to; rowTile is the size of a group, of
 * which the last tile may be shorter. */
inline void DealRows(TilePlan &plan, int64_t outer, int64_t cores, int64_t tileRows, int64_t laneTile, int64_t maxTile)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    plan.tileRows = static_cast<int32_t>(tileRows);
    plan.laneTile = static_cast<int32_t>(laneTile);
    plan.tileLength = static_cast<int32_t>(maxTile);
    plan.rowBlocks = CeilDiv(rows, plan.rowTile);
    plan.laneBlocks = CeilDiv(plan.extents[LANE_AXIS], laneTile);
    plan.walksLanes = 1;
    plan.steps = plan.laneBlocks;
    const int64_t groupLines = CeilDiv(plan.rowTile, tileRows);
    const int64_t lines = rows / plan.rowTile * groupLines + CeilDiv(rows % plan.rowTile, tileRows);
    const int64_t dealt = outer * lines * plan.laneBlocks;
    plan.blocks = Max(1, Min(cores, dealt));
    plan.coreLength = dealt / plan.blocks;
    plan.extraCores = dealt % plan.blocks;
}

/* Tiles of rows that are taken one by one: part of a long row, one row that is worth a copy of its own, or several.
 * They are dealt in any number; what rows have once is computed for a group of them. `bytes` are those of an element,
 * `rowCalls` the calls for each row of a tile. */
inline bool SizeSingleRows(TilePlan &plan, int64_t cores, int64_t maxTile, int64_t bytes, int64_t rowCalls)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    const int64_t lanes = plan.extents[LANE_AXIS];
    int64_t outer = 1;
    for (int32_t axis = plan.firstAxis; axis < ROW_AXIS; ++axis) {
        outer *= plan.extents[axis];
    }
    const int64_t most = maxTile / GRANULE * GRANULE;
    if (lanes < MIN_SINGLE_ROW || most < MIN_SINGLE_ROW || plan.stepAxis != ROW_AXIS) {
        return false;
    }
    const int64_t all = outer * rows;
    const int64_t share = Min(rows, CeilDiv(all, cores));
    int64_t parts = CeilDiv(lanes, most);
    // More parts where they keep more cores busy; beyond a few rounds that makes no difference.
    const int64_t fewest = parts;
    const int64_t mostParts = all * fewest < 4 * cores ? Min(lanes / MIN_SINGLE_PART, 2 * cores) : fewest;
    for (int64_t more = fewest + 1; more <= mostParts; ++more) {
        parts = IsBusier(more, parts, all, cores) ? more : parts;
    }
    const int64_t laneTile = parts > 1 ? EqualParts(lanes, parts, GRANULE, most) : lanes;
    const int64_t pitch = RoundUp(laneTile, LANE_PAD);
    const bool isAlone = laneTile < lanes || lanes * bytes >= MIN_TRANSFER;
    // Several rows: as many as fit, unless that leaves too few tiles to load one while another is computed.
    const int64_t enough = Max(CeilDiv(MIN_TRANSFER / 2, lanes * bytes), CeilDiv(share, 8));
    const int64_t queued = MAX_ROW_CALLS / Max(1, rowCalls);
    const int64_t largest = Max(1, Min(Min(most / pitch, queued), Min(share, enough)));
    const int64_t tileRows = isAlone ? 1 : CeilDiv(share, CeilDiv(share, largest));
    // What lanes have once is read again for every group.
    const int64_t group = RoundUp(Max(share, Min(rows, MIN_GROUP)), tileRows);
    plan.rowTile = static_cast<int32_t>(Min(MAX_GROUP / tileRows * tileRows, group));
    plan.rowLength = static_cast<int32_t>(RoundUp(laneTile, GRANULE));
    DealRows(plan, outer, cores, tileRows, laneTile, maxTile);
    return true;
}

/* Tiles of several short rows, in groups of rows for which it is computed what they have once. A tile begins on a block
 * of the group's vectors. `bytes` are those of an element. */
inline bool SizeShortRows(TilePlan &plan, int64_t cores, int64_t maxTile, int64_t bytes)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    const int64_t lanes = plan.extents[LANE_AXIS];
    int64_t outer = 1;
    for (int32_t axis = plan.firstAxis; axis < ROW_AXIS; ++axis) {
        outer *= plan.extents[axis];
    }
    const int64_t pitch = RoundUp(Max(lanes, 1), LANE_PAD);
    const int64_t most = Min(maxTile / pitch, MAX_ROWS) / ROW_UNIT * ROW_UNIT;
    if (most == 0 || lanes > MAX_SHORT_ROW || plan.stepAxis != ROW_AXIS) {
        return false;
    }
    // As many rows as fit, but several tiles per core where they are worth a copy: one is loaded while another is
    // computed.
    const int64_t share = Min(rows, CeilDiv(outer * rows, cores));
    const int64_t worth = Min(MIN_TILES, share * lanes * bytes / MIN_TRANSFER);
    int64_t tiles = Max(Max(1, worth), CeilDiv(share, most));
    // Groups hold as many rows as they may; their last tiles may be shorter.
    const int64_t groups = CeilDiv(share, MAX_GROUP);
    const int64_t group = RoundUp(CeilDiv(share, groups), ROW_UNIT);
    tiles = CeilDiv(tiles, groups);
    const int64_t tileRows = Min(most, RoundUp(CeilDiv(group, tiles), ROW_UNIT));
    plan.rowTile = static_cast<int32_t>(group);
    DealRows(plan, outer, cores, tileRows, lanes, maxTile);
    return true;
}

/* Tiles of a few classes and part of the lanes, dealt to the cores whatever lanes they belong to. `most` are the lanes
 * that fit beside tileRows rows. */
inline bool SizePlanes(TilePlan &plan, const Runs &runs, int64_t used, int64_t cores, int64_t most, int64_t tileRows)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    const int64_t lanes = plan.extents[LANE_AXIS];
    if (lanes < MIN_PLANE || most < MIN_PLANE || rows > MAX_CLASSES || plan.stepAxis != ROW_AXIS) {
        return false;
    }
    int64_t outer = 1;
    for (int32_t axis = plan.firstAxis; axis < ROW_AXIS; ++axis) {
        outer *= plan.extents[axis];
    }
    for (int32_t t = 0; t < runs.tensors; ++t) { // what is looked up in is there, and one run
        const bool isTable = IsUsed(used, t) && runs.hasReduced[t] && !runs.hasKept[t];
        const bool isRun = rows == 1 || plan.strides[t * AXES + ROW_AXIS] == 1;
        if (isTable && (IsUsed(runs.absent, t) || !isRun || rows > MAX_TABLE)) {
            return false;
        }
    }
    plan.rowBlocks = CeilDiv(rows, tileRows);
    plan.rowTile = static_cast<int32_t>(CeilDiv(rows, plan.rowBlocks));
    plan.rowBlocks = CeilDiv(rows, plan.rowTile);
    plan.tileRows = plan.rowTile;
    // More parts of the lanes where that deals whole units to more cores: what lanes have once is read by each core
    // that has one of their tiles. Beyond a few rounds that makes no difference.
    const int64_t fewest = CeilDiv(lanes, most);
    const int64_t mostParts = outer * fewest < 4 * cores ? Min(lanes / MIN_PLANE, 2 * cores) : fewest;
    int64_t parts = fewest;
    for (int64_t more = fewest + 1; more <= mostParts; ++more) {
        parts = IsBusier(more, parts, outer, cores) ? more : parts;
    }
    const int64_t laneTile = parts > 1 ? EqualParts(lanes, parts, GRANULE, most) : lanes;
    plan.laneTile = static_cast<int32_t>(laneTile);
    plan.laneBlocks = CeilDiv(lanes, laneTile);
    plan.rowLength = static_cast<int32_t>(RoundUp(laneTile, GRANULE));
    plan.tileLength = static_cast<int32_t>(plan.rowTile * plan.rowLength);
    plan.walksRows = 1;
    plan.steps = plan.rowBlocks;
    const int64_t dealt = outer * plan.rowBlocks * plan.laneBlocks;
    plan.blocks = Max(1, Min(cores, dealt));
    plan.coreLength = dealt / plan.blocks;
    plan.extraCores = dealt % plan.blocks;
    return true;
}

/* Rows of such a tile: as many as there are classes, and as bytes of a lane allow. */
inline int64_t PlaneRows(const Runs &runs, int64_t bytes)
{
    int64_t classes = 1;
    for (int32_t run = 0; run < runs.rank; ++run) {
        classes *= runs.isReduced[run] ? runs.extents[run] : 1;
    }
    return Max(1, Min(classes, PLANE_BYTES / bytes));
}

/* The bytes of the smallest element that tiles have. */
inline int64_t TileBytes(const Runs &runs, int64_t used)
{
    int64_t bytes = 4;
    for (int32_t t = 0; t < runs.tensors; ++t) {
        if (IsUsed(used, t) && runs.hasKept[t] && runs.hasReduced[t]) {
            bytes = Min(bytes, runs.elementBytes[t]);
        }
    }
    return bytes;
}

/* Lanes from which on pieces of memory, one per row of a tile, are copied fast. */
inline int64_t FastLanes(const TilePlan &plan, const Runs &runs, int64_t used)
{
    int64_t lanes = 1;
    for (int32_t t = 0; t < runs.tensors; ++t) {
        if (IsUsed(used, t) && runs.hasKept[t] && runs.hasReduced[t]) {
            const int64_t bytes = runs.elementBytes[t];
            const bool isAligned = plan.strides[t * AXES + ROW_AXIS] * bytes % BLOCK_BYTES == 0;
            lanes = Max(lanes, (isAligned ? FAST_ALIGNED : FAST_PIECE) / bytes);
        }
    }
    return lanes;
}

/* Tile sizes, units and steps; false if a tile cannot take what the space wants whole, or would have fewer than
 * `fastLanes` of many lanes. */
inline bool SizeRowTiles(TilePlan &plan, const Space &space, bool gathers, int64_t cores, int64_t maxTile,
    int64_t fastLanes)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    const int64_t lanes = plan.extents[LANE_AXIS];
    int64_t outer = 1;
    int64_t steps = 1;
    for (int32_t axis = 0; axis < ROW_AXIS; ++axis) {
        (axis < plan.stepAxis ? outer : steps) *= plan.extents[axis];
    }
    const int64_t room = gathers ? Min(maxTile / GATHER_SHARE, MAX_ROWS * MAX_GATHERED) : maxTile;
    const int64_t maxLanes = gathers ? Min(room / LANE_PAD * LANE_PAD, MAX_GATHERED) : room;
    int64_t laneTile = lanes;
    int64_t rowTile = 1;
    if (space.lanes == REDUCED) {
        const bool isWhole = RoundUp(lanes, LANE_PAD) <= maxLanes && !space.isResident && !space.isSplit;
        if (!isWhole && !space.walks) {
            return false;
        }
        const int64_t share = space.isSplit ? Min(room / Max(rows, 1), CeilDiv(lanes, cores)) : maxLanes;
        const int64_t unit = gathers ? LANE_PAD : GRANULE;
        const int64_t most = space.isSplit ? room / Max(rows, 1) / unit * unit : maxLanes / unit * unit;
        if (!isWhole) {
            laneTile = EqualParts(lanes, CeilDiv(lanes, Max(1, share)), unit, most);
        } else if (!space.walks && lanes >= MIN_WIDE_ROW && RoundUp(lanes, WIDE_PAD) <= maxLanes) {
            laneTile = RoundUp(lanes, WIDE_PAD);
        }
        const int64_t pitch = RoundUp(Max(laneTile, 1), LANE_PAD);
        const int64_t maxRows = Max(1, Min(MAX_ROWS, room / pitch));
        rowTile = space.isSplit        ? rows :
                  space.rows == KEPT   ? SizeKeptRows(plan, outer, cores, Min(maxRows, rows), pitch) :
                                         1;
        if (laneTile <= 0 || rowTile > maxRows) {
            return false;
        }
    } else if (space.isSplit) {
        // All lanes, and as many rows as fit, but no more than leave work for all cores.
        const int64_t pitch = RoundUp(lanes, LANE_PAD);
        rowTile = Max(1, Min(Min(MAX_ROWS, room / pitch), CeilDiv(rows, cores)));
        if (pitch > maxLanes) {
            return false;
        }
    } else {
        // As many rows as fit beside few lanes, then as many lanes as fit, but no more than leave work for all cores.
        const int64_t maxRows = Min(MAX_ROWS, room / LANE_PAD);
        if ((rows > maxRows && !space.walks) || maxRows == 0) {
            return false;
        }
        // Steps leave room for lanes that fill lines of global memory, as far as there is work for all cores.
        const int64_t share = outer * lanes / cores / COLUMN_UNIT * COLUMN_UNIT;
        const int64_t wide = space.walks && !gathers ? Max(COLUMN_UNIT, Min(GRANULE, share)) : COLUMN_UNIT;
        const int64_t narrow = Min(RoundUp(lanes, LANE_PAD), wide);
        const int64_t fewest = CeilDiv(rows, Max(1, Min(MAX_ROWS, room / narrow)));
        rowTile = space.walks ? CeilDiv(rows, fewest) : rows;
        const int64_t widest = Min(maxLanes, Max(LANE_PAD, room / rowTile / LANE_PAD * LANE_PAD));
        const int64_t wanted = Min(CeilDiv(cores, outer), CeilDiv(rows * lanes, MIN_CORE_WORK / 2));
        const int64_t parts = Max(CeilDiv(lanes, widest), Min(wanted, CeilDiv(lanes, COLUMN_UNIT)));
        laneTile = parts > 1 ? EqualParts(lanes, parts, Min(COLUMN_UNIT, widest), widest) : lanes;
        const bool isNarrow = laneTile < Min(lanes, fastLanes) && share >= fastLanes;
        if (rowTile * RoundUp(laneTile, LANE_PAD) > room || isNarrow) {
            return false;
        }
    }
    plan.rowTile = static_cast<int32_t>(rowTile);
    plan.tileRows = plan.rowTile;
    plan.laneTile = static_cast<int32_t>(laneTile);
    plan.tileLength = static_cast<int32_t>(maxTile);
    plan.rowBlocks = CeilDiv(rows, rowTile);
    plan.laneBlocks = CeilDiv(lanes, laneTile);
    plan.walksRows = space.rows == REDUCED ? 1 : 0;
    plan.walksLanes = space.lanes == REDUCED ? 1 : 0;
    steps *= (plan.walksRows != 0 ? plan.rowBlocks : 1) * (plan.walksLanes != 0 ? plan.laneBlocks : 1);
    const int64_t units =
        outer * (plan.walksRows != 0 ? 1 : plan.rowBlocks) * (plan.walksLanes != 0 ? 1 : plan.laneBlocks);
    plan.steps = steps;
    const int64_t dealt = space.isSplit ? steps : units;
    plan.blocks = Max(1, Min(cores, dealt));
    plan.coreLength = dealt / plan.blocks;
    plan.extraCores = dealt % plan.blocks;
    return space.walks || steps == 1;
}

/* Whether few long sums are worth splitting over cores, where they are exchanged once: nothing is kept outside of a
 * tile, and without a split most cores would be idle. */
inline bool IsWorthSplitting(const TilePlan &plan, const Space &space, int64_t cores)
{
    if (space.isDense && plan.firstAxis != ROW_AXIS) {
        return false;
    }
    int64_t summed = plan.extents[space.lanes == REDUCED ? LANE_AXIS : ROW_AXIS];
    for (int32_t axis = plan.stepAxis; axis < ROW_AXIS; ++axis) {
        summed *= plan.extents[axis];
    }
    const int64_t kept = plan.extents[space.lanes == REDUCED ? ROW_AXIS : LANE_AXIS];
    const int64_t most = space.lanes == REDUCED ? MAX_SPLIT_ROWS : MAX_SPLIT_LANES;
    const int64_t units = space.lanes == REDUCED ? kept : CeilDiv(kept, COLUMN_UNIT);
    // Columns that are read again after the meeting, or stored, must be longer.
    const int64_t worth = space.isDense ? MIN_SPLIT_PART : MIN_SPLIT_ROW;
    const int64_t least = space.lanes == REDUCED ? MIN_SPLIT_ROW : CeilDiv(worth, units * COLUMN_UNIT);
    return plan.stepAxis == plan.firstAxis && kept <= most && units * 2 <= cores && summed >= least;
}

/* How sums over everything are walked over: each core takes all steps, or its part of many. */
inline void SizeLaunch(TilePlan &plan, const Runs &runs, const Space &space)
{
    int64_t rows = plan.extents[ROW_AXIS];
    for (int32_t axis = 0; axis < plan.stepAxis; ++axis) {
        rows *= plan.extents[axis];
    }
    plan.launchRows = static_cast<int32_t>(HasGathers(plan, runs) ? MAX_ROWS : LAUNCH_ROWS);
    const bool isLong = rows > MIN_LAUNCH_SPLIT || plan.extents[plan.reducedAxis] > MIN_LAUNCH_SPLIT * 16;
    plan.launchSplit = space.hasLaunch && plan.blocks > 1 && isLong ? 1 : 0;
}

)cpp";

} // namespace lossgrad::tiling

#endif // LOSSGRAD_CODEGEN_TILING_ROWSIZES_H
