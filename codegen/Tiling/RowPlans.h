//===- RowPlans.h - Tiles of kernels with reductions ------------*- C++ -*-===//
//
// Fixed text, the second part of the helper header of tiling functions: which
// runs become lanes, rows, units and steps of a kernel that reduces, and how
// large its tiles are. A space says what its kernel can do; a plan that does
// not fit says so, and the tiling function asks the next kernel.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_ROWPLANS_H
#define LOSSGRAD_CODEGEN_TILING_ROWPLANS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::tiling {

inline constexpr llvm::StringLiteral kRowPlans = R"cpp(
constexpr int64_t MIN_STREAM = 2048;       // elements of a tile beside which a resident row is of use
constexpr int64_t MIN_SPLIT_ROW = 16384;   // elements of a row that are worth a meeting of all cores
constexpr int64_t MIN_SPLIT_PART = 65536;  // elements of all columns together that are worth it
constexpr int64_t MAX_SPLIT_ROWS = 32;     // rows whose sums all cores exchange
constexpr int64_t LAUNCH_ROWS = 1024;      // rows in a step of a sum over everything
constexpr int64_t MIN_LAUNCH_SPLIT = 4096; // rows or lanes of such a sum that are worth a meeting of all cores
constexpr int64_t MAX_SPLIT_LANES = 128;   // lanes whose sums all cores exchange
constexpr int64_t MAX_TILE = 0x7FFFFF00LL; // elements that an int32_t counts, in granules
constexpr int64_t BLOCK_BYTES = @BLOCK_BYTES@;        // what a copy takes at least where it takes whole blocks
constexpr int64_t COLUMN_UNIT = @REPEAT_BYTES@ / 4;      // lanes in which columns are dealt: a repeat of float
constexpr int64_t MIN_GROUP = 16;          // rows, if there are, that share what lanes have once
constexpr int64_t MAX_GROUP = 512;         // short rows for which it is computed at a time what they have once
constexpr int64_t ROW_UNIT = @BLOCK_BYTES@ / 4;       // rows whose values are a block
constexpr int64_t MAX_SHORT_ROW = 512;     // lanes of short rows, of which a tile takes many
constexpr int64_t MIN_TILES = 3;           // of a core, where they are worth a copy each
constexpr int64_t MAX_SINGLE_ROWS = 12;    // rows of a tile with two calls each: the queue of a pipe holds 32
constexpr int64_t MIN_SINGLE_ROW = 512;    // lanes beside which a few calls per row are little
constexpr int64_t MIN_TRANSFER = 16384;    // bytes from which on a copy is as fast as any
constexpr int64_t FAST_PIECE = 512;        // bytes from which on a copy of pieces takes them as fast as one of a run
constexpr int64_t FAST_ALIGNED = 128;      // the same where all pieces begin on blocks
constexpr int64_t MAX_PACKED_ROW = 7;      // lanes of rows of which padding would be the larger part
constexpr int64_t MIN_COLUMNS = 10;        // lanes of columns, the same
constexpr int64_t MIN_COLUMN_TILE = 512;   // elements of a tile that is worth its calls
constexpr int64_t MIN_UNITS = 8;           // of a core, where tiles begin on lines or blocks
constexpr int64_t WIDE_PAD = @REPEAT_BYTES@ / 4;      // a repeat: rows of whole repeats are folded fastest
constexpr int64_t MIN_WIDE_ROW = 33;       // lanes that are worth it
constexpr int64_t MIN_SINGLE_PART = 2048;  // lanes of a part of a row, where rows are fewer than cores
constexpr int64_t MIN_PLANE = 512;         // lanes beside which two calls per class are little
constexpr int64_t MAX_TABLE = 2048;        // classes of a table that stays in UB
constexpr int64_t MAX_CLASSES = 1 << 24;   // that a float tells apart
constexpr int64_t PLANE_BYTES = 8;         // of a lane in all rows of a tile: they are stored while lanes are computed

/* Whether neighbours along a run are adjacent in every used tensor that has both kinds of dims, and in the vectors
 * along it. */
inline bool IsDenseRun(const Runs &runs, int64_t used, int32_t run)
{
    for (int32_t t = 0; t < runs.tensors; ++t) {
        const bool isTile = runs.hasKept[t] && runs.hasReduced[t];
        const int64_t stride = runs.strides[t][run];
        if (IsUsed(used & ~runs.absent, t) && (isTile ? stride != 1 : stride > 1)) {
            return false;
        }
    }
    return true;
}

/* Whether some output, of the last tensors, has reduced dims; the others have one element per row or lane. */
inline bool HasTileOutputs(const Runs &runs, int64_t outputs)
{
    for (int64_t t = runs.tensors - outputs; t < runs.tensors; ++t) {
        if (runs.hasReduced[t]) {
            return true;
        }
    }
    return false;
}
inline bool HasVectorOutputs(const Runs &runs, int64_t outputs)
{
    for (int64_t t = runs.tensors - outputs; t < runs.tensors; ++t) {
        if (!runs.hasReduced[t]) {
            return true;
        }
    }
    return false;
}

/* The run along the lanes: the innermost dense one of its part; without one any whose outputs are dense, if that will
 * do; -1 for lanes of one element. Sums along lanes that nothing is stored along must be worth it: the lanes are the
 * innermost of all runs. */
inline int32_t ChooseLane(const Runs &runs, int64_t used, int64_t outputs, const Space &space)
{
    const bool wantsReduced = space.lanes == REDUCED;
    for (int32_t run = runs.rank - 1; run >= 0; --run) {
        if (runs.isReduced[run] == wantsReduced && IsDenseRun(runs, used, run)) {
            return run;
        }
    }
    const int32_t last = wantsReduced && !HasTileOutputs(runs, outputs) ? runs.rank - 1 : 0;
    for (int32_t run = runs.rank - 1; run >= last && !space.isDense; --run) {
        bool isStored = true;
        for (int64_t t = runs.tensors - outputs; t < runs.tensors; ++t) {
            const bool lacksLanes = wantsReduced && !runs.hasReduced[t];
            isStored = isStored && (lacksLanes || runs.strides[t][run] == 1);
        }
        for (int32_t t = 0; t < runs.tensors; ++t) {
            const int64_t gap = Max(runs.strides[t][run], 1) - 1;
            const bool isReached = runs.strides[t][run] >= 0 && FitsGap(gap, runs.elementBytes[t]);
            isStored = isStored && (!IsUsed(used, t) || isReached);
        }
        if (runs.isReduced[run] == wantsReduced && isStored) {
            return run;
        }
    }
    return -1;
}

/* The longest run of its part beside the lanes; the later of equals. */
inline int32_t ChooseRow(const Runs &runs, int32_t lane, const Space &space)
{
    int32_t row = -1;
    for (int32_t run = 0; run < runs.rank && space.rows != NOTHING; ++run) {
        const bool isPart = runs.isReduced[run] == (space.rows == REDUCED);
        if (run != lane && isPart && (row < 0 || runs.extents[run] >= runs.extents[row])) {
            row = run;
        }
    }
    return row;
}

/* Puts the runs on the axes: kept ones, then reduced ones, which belong to the steps, then rows and lanes. */
inline void PlaceRuns(const Runs &runs, int32_t row, int32_t lane, TilePlan &plan)
{
    int32_t from[AXES];
    for (int32_t axis = 0; axis < AXES; ++axis) {
        from[axis] = -1;
    }
    from[ROW_AXIS] = row;
    from[LANE_AXIS] = lane;
    plan.firstAxis = ROW_AXIS;
    plan.stepAxis = ROW_AXIS;
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t run = runs.rank - 1; run >= 0; --run) {
            if (run != row && run != lane && runs.isReduced[run] == (pass == 0)) {
                from[--plan.firstAxis] = run;
            }
        }
        plan.stepAxis = pass == 0 ? plan.firstAxis : plan.stepAxis;
    }
    plan.reducedAxis = LANE_AXIS;
    for (int32_t axis = 0; axis < AXES; ++axis) {
        const int32_t run = from[axis];
        plan.extents[axis] = run < 0 ? 1 : runs.extents[run];
        plan.reducedAxis = run >= 0 && runs.isReduced[run] ? axis : plan.reducedAxis;
        for (int32_t t = 0; t < runs.tensors; ++t) {
            const bool isVector = !(runs.hasKept[t] && runs.hasReduced[t]);
            const int64_t none = axis == LANE_AXIS && !isVector ? 1 : 0;
            plan.strides[t * AXES + axis] = run < 0 ? none : runs.strides[t][run];
        }
    }
}

/* How each tensor lies in a tile; false if the kernel cannot load or store it so. */
inline bool ChooseRowForms(TilePlan &plan, const Runs &runs, int64_t used, int64_t outputs, const Space &space)
{
    for (int32_t t = 0; t < runs.tensors; ++t) {
        plan.forms[t] = IsUsed(used, t) ? ChooseForm(plan, runs, t) : static_cast<int32_t>(DENSE);
        const bool isTile = runs.hasKept[t] && runs.hasReduced[t];
        const int32_t form = plan.forms[t];
        const bool isDense = isTile ? form == DENSE || form == ABSENT : form != STRIDED && form != STRIDED_ROWS;
        const bool isGathered = t >= runs.tensors - outputs && form == STRIDED;
        if (form < 0 || isGathered || (space.isDense && !isDense)) {
            return false;
        }
    }
    return true;
}

/* After tiles are sized: whether one copy takes the rows of a tile. */
inline void ChooseCopies(TilePlan &plan, const Runs &runs)
{
    for (int32_t t = 0; t < runs.tensors; ++t) {
        const int64_t rowStride = plan.strides[t * AXES + ROW_AXIS];
        const int64_t lanes = Min(plan.laneTile, plan.extents[LANE_AXIS]);
        const bool oneCopy = rowStride >= lanes && FitsGap(rowStride, runs.elementBytes[t]);
        if (plan.forms[t] == DENSE && plan.extents[ROW_AXIS] > 1 && !oneCopy) {
            plan.forms[t] = ROW_BY_ROW;
        }
    }
}

inline bool HasGathers(const TilePlan &plan, const Runs &runs)
{
    for (int32_t t = 0; t < runs.tensors; ++t) {
        if (plan.forms[t] == STRIDED || plan.forms[t] == STRIDED_ROWS) {
            return true;
        }
    }
    return false;
}

/* Parts of equal size, each a multiple of `unit` and none above `most`. */
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

/* Tiles of so many rows and lanes, dealt to the cores whatever row they belong to; rowTile is the size of a group. */
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
    const int64_t dealt = outer * CeilDiv(rows, tileRows) * plan.laneBlocks;
    plan.blocks = Max(1, Min(cores, dealt));
    plan.coreLength = dealt / plan.blocks;
    plan.extraCores = dealt % plan.blocks;
}

/* Tiles of rows that are taken one by one: part of a long row, one row that is worth a copy of its own, or several.
 * They are dealt in any number; what rows have once is computed for a group of them. `bytes` are those of an element.
 */
inline bool SizeSingleRows(TilePlan &plan, int64_t cores, int64_t maxTile, int64_t bytes)
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
    const int64_t largest = Max(1, Min(Min(most / pitch, MAX_SINGLE_ROWS), Min(share, enough)));
    const int64_t tileRows = isAlone ? 1 : CeilDiv(share, CeilDiv(share, largest));
    // What lanes have once is read again for every group.
    const int64_t group = RoundUp(Max(share, Min(rows, MIN_GROUP)), tileRows);
    plan.rowTile = static_cast<int32_t>(Min(MAX_ROWS / tileRows * tileRows, group));
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
    const int64_t tiles = Max(Max(1, worth), CeilDiv(share, most));
    const int64_t tileRows = Min(most, RoundUp(CeilDiv(share, tiles), ROW_UNIT));
    plan.rowTile = static_cast<int32_t>(Min(MAX_GROUP / tileRows * tileRows, RoundUp(share, tileRows)));
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

/* The runs of a call whose tensors are one run each: how many turns, lanes of a turn, and rows that lie in turn. */
struct Packing {
    bool isRun;
    int64_t turns;
    int64_t lanes;
    int64_t inner;
};

/* Whether the strides of a tensor are those of one run of what it has: 1, times the extents behind. */
inline bool IsOneRun(const Runs &runs, int32_t tensor, bool hasReduced)
{
    int64_t stride = 1;
    for (int32_t run = runs.rank - 1; run >= 0; --run) {
        const bool isHere = hasReduced || !runs.isReduced[run];
        if (runs.strides[tensor][run] != (isHere ? stride : 0)) {
            return false;
        }
        stride *= isHere ? runs.extents[run] : 1;
    }
    return true;
}

/* Reduced elements are one run, with kept ones before, behind or both. What has kept dims alone lies like them, or is
 * one element. */
inline Packing FindPacking(const Runs &runs, int64_t used)
{
    Packing packing = {!runs.sumsNothing, 1, 0, 1};
    for (int32_t run = 0; run < runs.rank; ++run) {
        if (runs.isReduced[run]) {
            packing.isRun = packing.isRun && packing.lanes == 0;
            packing.lanes = runs.extents[run];
        } else {
            (packing.lanes == 0 ? packing.turns : packing.inner) *= runs.extents[run];
        }
    }
    for (int32_t t = 0; t < runs.tensors; ++t) {
        const bool isTile = runs.hasKept[t] && runs.hasReduced[t];
        const bool isOne = IsUsed(runs.absent, t) || runs.numels[t] == 1;
        if (IsUsed(used, t) && (isTile || !isOne)) {
            packing.isRun = packing.isRun && !IsUsed(runs.absent, t) && IsOneRun(runs, t, isTile);
        }
    }
    packing.isRun = packing.isRun && packing.lanes > 1;
    return packing;
}

inline int64_t CommonDivisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Tiles of whole turns, which begin on lines of global memory or at least on blocks, if turns are not too long for
 * that. Rows are taken apart lane by lane in blocks. */
inline TilePlan PlanPacked(const Runs &runs, int64_t used, int64_t cores, int64_t maxTile)
{
    TilePlan plan = TilePlan();
    plan.elements = runs.elements;
    const Packing packing = FindPacking(runs, used);
    const int64_t turn = packing.lanes * packing.inner;
    // Columns would be tiles of one turn, and rows mostly padding.
    const bool isShort = packing.inner > 1 ? packing.inner < MIN_COLUMNS || turn < MIN_COLUMN_TILE :
                                             packing.lanes <= MAX_PACKED_ROW;
    if (!packing.isRun || !isShort) {
        return plan;
    }
    const int64_t busy = Max(1, Min(cores, CeilDiv(runs.elements, MIN_CORE_WORK)));
    const int64_t turnsOfCore = CeilDiv(packing.turns, busy);
    int64_t unit = 1; // turns
    for (int64_t line = GRANULE; line >= LANE_PAD && unit == 1; line = line == GRANULE ? LANE_PAD : 0) {
        const int64_t whole = line / CommonDivisor(line, turn);
        unit = 2 * whole * turn <= maxTile && MIN_UNITS * whole <= turnsOfCore ? whole : 1;
    }
    int64_t most = maxTile / turn / unit * unit;
    while (most > 0 && RoundUp(most * packing.inner, ROW_UNIT) * packing.lanes > maxTile) {
        most -= unit;
    }
    if (most == 0) {
        return plan;
    }
    const int64_t share = RoundUp(turnsOfCore, unit);
    const int64_t turns = EqualParts(share, CeilDiv(share, most), unit, most);
    for (int32_t axis = 0; axis < AXES; ++axis) {
        plan.extents[axis] = 1;
    }
    plan.extents[ROW_AXIS] = packing.turns * packing.inner;
    plan.extents[LANE_AXIS] = packing.lanes;
    for (int32_t t = 0; t < runs.tensors; ++t) {
        const bool isTile = runs.hasKept[t] && runs.hasReduced[t];
        const bool isOne = !isTile && runs.numels[t] == 1;
        plan.strides[t * AXES + ROW_AXIS] = isTile ? packing.lanes : isOne ? 0 : 1;
        plan.strides[t * AXES + LANE_AXIS] = isTile ? packing.inner : 0;
        plan.forms[t] = isTile ? PACKED : IsUsed(runs.absent, t) ? ABSENT : isOne ? SINGLE : REPEAT_LANES;
    }
    plan.fits = true;
    plan.firstAxis = ROW_AXIS;
    plan.stepAxis = ROW_AXIS;
    plan.reducedAxis = LANE_AXIS;
    plan.steps = 1;
    plan.rowTile = static_cast<int32_t>(turns * packing.inner);
    plan.tileRows = plan.rowTile;
    plan.laneTile = static_cast<int32_t>(packing.lanes);
    plan.laneBlocks = 1;
    plan.tileLength = static_cast<int32_t>(maxTile);
    plan.rowBlocks = CeilDiv(packing.turns, turns);
    plan.blocks = Max(1, Min(cores, plan.rowBlocks));
    plan.coreLength = plan.rowBlocks / plan.blocks;
    plan.extraCores = plan.rowBlocks % plan.blocks;
    return plan;
}

/* Tiles of a kernel with reductions or classes. As a last resort lanes have one element, whatever they are. Where
 * another kernel walks over columns in steps, tiles of whole columns need not have few lanes. */
inline TilePlan PlanRows(const Runs &runs, int64_t used, int64_t outputs, int64_t cores, int64_t maxTile,
    const Space &space, bool hasSteps, bool isLastResort)
{
    TilePlan plan = TilePlan();
    plan.elements = runs.elements;
    const int32_t lane = ChooseLane(runs, used, outputs, space);
    if (lane < 0 && (space.isDense || (space.lanes == REDUCED && !isLastResort))) {
        return plan;
    }
    const int32_t row = ChooseRow(runs, lane, space);
    PlaceRuns(runs, row, lane, plan);
    if (!ChooseRowForms(plan, runs, used, outputs, space)) {
        if (space.isDense) {
            return plan;
        }
        // Tiles of one element are right for all strides; with a run for every axis, rows have to do.
        PlaceRuns(runs, runs.rank == MAX_RANK ? row : -1, -1, plan);
        if (!ChooseRowForms(plan, runs, used, outputs, space)) {
            return plan;
        }
    }
    plan.rowLength = static_cast<int32_t>(Min(RoundUp(plan.extents[LANE_AXIS], GRANULE), MAX_TILE));
    const int64_t bytes = TileBytes(runs, used);
    const int64_t fastLanes = hasSteps && !space.walks ? FastLanes(plan, runs, used) : 1;
    const bool wanted = (!space.isSplit || IsWorthSplitting(plan, space, cores)) &&
                        (!space.isResident || (maxTile >= MIN_STREAM && plan.stepAxis == ROW_AXIS));
    plan.fits = wanted && maxTile > 0 &&
                (!space.singleRows    ? SizeRowTiles(plan, space, HasGathers(plan, runs), cores, maxTile, fastLanes) :
                 space.lanes == KEPT  ? SizePlanes(plan, runs, used, cores, maxTile, PlaneRows(runs, bytes)) :
                 space.walks          ? SizeSingleRows(plan, cores, maxTile, bytes) :
                                        SizeShortRows(plan, cores, maxTile, bytes));
    if (runs.sumsNothing) { // sums of no elements are stored, and nothing else
        const bool isStored = HasVectorOutputs(runs, outputs);
        plan.fits = plan.fits && space.walks && !space.isSplit && !space.singleRows;
        plan.steps = 0;
        plan.coreLength = isStored ? plan.coreLength : 0;
        plan.extraCores = isStored ? plan.extraCores : 0;
    }
    ChooseCopies(plan, runs);
    SizeLaunch(plan, runs, space);
    return plan;
}

/* The length of a row that would stay in UB, 0 if there is none. */
inline int64_t ResidentLength(const Runs &runs, int64_t used, int64_t outputs, const Space &space)
{
    const int32_t lane = space.isResident ? ChooseLane(runs, used, outputs, space) : -1;
    return lane < 0 ? 0 : RoundUp(runs.extents[lane], GRANULE);
}

/* A kernel: its key, which calls it is for, the UB that it takes, and its space. */
struct KernelRow {
    int64_t key;
    int64_t variant;
    int64_t dtype;        // of all typed tensors; ANY_TYPE: whatever they have
    int64_t fixedBytes;   // UB, whatever the tile
    int64_t granuleBytes; // UB for each granule of a tile
    int64_t rowBytes;     // UB for each granule of a row that stays
    Space space;
};

/* The type that these tensors have in common, or ANY_TYPE. */
inline int64_t CommonType(const Runs &runs, int64_t typed)
{
    int64_t common = ANY_TYPE;
    for (int32_t t = runs.tensors - 1; t >= 0; --t) {
        if (IsUsed(typed, t)) {
            if (common != ANY_TYPE && common != runs.dtypes[t]) {
                return ANY_TYPE;
            }
            common = runs.dtypes[t];
        }
    }
    return common;
}

/* Whether several cores store less than a block of 32 bytes at a place. What has one element per row or lane of a
 * space with reductions is stored by one core where all have it. */
inline bool HasShortStores(const TilePlan &plan, const Runs &runs, int64_t outputs, const Space &space)
{
    const int64_t tileLanes = plan.extents[LANE_AXIS] - (plan.laneBlocks - 1) * plan.laneTile;
    const int64_t tileRows = plan.tileRows > 0 ? plan.tileRows : plan.rowTile; // a group has several tiles
    const int64_t rows = plan.extents[ROW_AXIS] - (CeilDiv(plan.extents[ROW_AXIS], tileRows) - 1) * tileRows;
    for (int64_t t = runs.tensors - outputs; t < runs.tensors; ++t) {
        const bool isVector = space.hasReductions && !runs.hasReduced[t];
        if (isVector && space.isSplit) {
            continue;
        }
        const bool isPerRow = isVector && space.lanes == REDUCED;
        const bool isWhole = isPerRow || plan.laneBlocks == 1;
        const int64_t lanes = isPerRow ? 1 : tileLanes;
        const bool isRun = isWhole && plan.strides[t * AXES + ROW_AXIS] == (isPerRow ? 1 : plan.extents[LANE_AXIS]);
        if ((isRun ? rows * lanes : lanes) * runs.elementBytes[t] < BLOCK_BYTES) {
            return true;
        }
    }
    return false;
}

/* The first kernel of the list that is for this call and whose tiles fit. Where copies take whole blocks, less is
 * stored element by element, through lines of a cache that no two cores may share: then one core does it all. */
inline TilePlan FirstFit(const Runs &runs, int64_t used, int64_t typed, int64_t outputs, const Platform &platform,
    int64_t variant, const KernelRow *kernels, int32_t count, bool wholeBlocks = false)
{
    const int64_t dtype = CommonType(runs, typed & ~runs.absent);
    TilePlan plan = TilePlan();
    for (int32_t i = 0; i < 2 * count && !plan.fits && runs.areRead; ++i) {
        const KernelRow &kernel = kernels[i % count];
        const bool isLastResort = i >= count;
        if (kernel.variant != variant || (kernel.dtype != ANY_TYPE && kernel.dtype != dtype)) {
            continue;
        }
        const bool isFlat = kernel.space.rows == NOTHING && kernel.space.lanes == KEPT;
        const int64_t row = ResidentLength(runs, used, outputs, kernel.space) / GRANULE * kernel.rowBytes;
        // Of planes, which have several rows, the largest number of lanes.
        const bool isPlanes = kernel.space.singleRows && kernel.space.lanes == KEPT;
        const int64_t perGranule = isPlanes ? kernel.rowBytes +
                                                  PlaneRows(runs, TileBytes(runs, used)) * kernel.granuleBytes :
                                              kernel.granuleBytes;
        const int64_t tile = LargestTile(platform.ubBytes - row, kernel.fixedBytes, perGranule);
        if (tile <= 0) {
            continue;
        }
        if (isFlat) {
            plan = PlanFlat(runs, used, platform, tile);
        } else if (!kernel.space.hasReductions) {
            plan = PlanBroadcast(runs, used, outputs, platform.cores, tile);
        } else if (kernel.space.isPacked) {
            plan = PlanPacked(runs, used, platform.cores, tile);
        } else {
            bool hasSteps = false;
            for (int32_t next = i % count + 1; next < count; ++next) {
                const KernelRow &later = kernels[next];
                hasSteps = hasSteps || (later.variant == variant && later.dtype == kernel.dtype &&
                                        later.space.lanes == KEPT && later.space.isDense && later.space.walks);
            }
            plan = PlanRows(runs, used, outputs, platform.cores, tile, kernel.space, hasSteps, isLastResort);
        }
        if (wholeBlocks && plan.fits && !isFlat && HasShortStores(plan, runs, outputs, kernel.space)) {
            plan.coreLength = plan.coreLength * plan.blocks + plan.extraCores;
            plan.extraCores = 0;
            plan.blocks = 1;
        }
        plan.key = kernel.key;
        plan.bypassL2 = BypassL2(runs, used, outputs, kernel.space.hasReductions, platform.l2Bytes);
        plan.isSplit = kernel.space.isSplit || plan.launchSplit != 0;
    }
    return plan;
}

)cpp";

} // namespace lossgrad::tiling

#endif // LOSSGRAD_CODEGEN_TILING_ROWPLANS_H
