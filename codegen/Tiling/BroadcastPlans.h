//===- BroadcastPlans.h - Tiles of kernels without reductions ---*- C++ -*-===//
//
// Fixed text, the second part of the helper header of tiling functions: tiles
// of a dense run, and of runs that are broadcast or have gaps. Kernels with
// reductions are the parts that follow.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_BROADCASTPLANS_H
#define LOSSGRAD_CODEGEN_TILING_BROADCASTPLANS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::tiling {

inline constexpr llvm::StringLiteral kBroadcastPlans = R"cpp(/* The work of a kernel: a flat run, or tiles of rows and lanes over the runs. */
struct TilePlan {
    bool fits;
    bool isSplit; // cores exchange partial results
    int64_t key;
    int64_t elements;
    int64_t coreLength; // elements, tiles, or units of several steps
    int64_t extraCores;
    int64_t blocks;
    int64_t rowBlocks;
    int64_t laneBlocks;
    int64_t extents[AXES];
    int64_t strides[MAX_TENSORS * AXES];
    int32_t forms[MAX_TENSORS];
    int32_t tileLength;
    int32_t rowTile;
    int32_t tileRows; // where tiles are dealt whatever row they belong to; rowTile are those of a group
    int32_t laneTile;
    int32_t firstAxis;
    int64_t steps; // tiles along reduced axes, which one core takes one after the other
    int32_t stepAxis;
    int32_t walksRows;
    int32_t walksLanes;
    int32_t reducedAxis; // the axis of the innermost reduced run, or of classes
    int32_t launchRows;  // rows in a step of a sum over everything
    int32_t launchSplit; // 1 if the cores share those steps
    int32_t rowLength;   // of a row that stays in UB
    int32_t bypassL2;
};

/* A dense run, dealt in granules; the first extraCores cores get one more. */
inline TilePlan PlanFlat(const Runs &runs, int64_t used, const Platform &platform, int64_t maxTile)
{
    TilePlan plan = TilePlan();
    plan.fits = IsFlat(runs, used);
    plan.elements = runs.elements;
    const int64_t granules = CeilDiv(runs.elements, GRANULE);
    plan.blocks = Max(1, Min(platform.cores, CeilDiv(runs.elements, MIN_CORE_WORK)));
    plan.coreLength = granules / plan.blocks * GRANULE;
    plan.extraCores = granules % plan.blocks;
    const int64_t longest = plan.coreLength + (plan.extraCores > 0 ? GRANULE : 0);
    const int64_t tiles = Max(1, CeilDiv(longest, maxTile));
    plan.tileLength = static_cast<int32_t>(Max(GRANULE, RoundUp(CeilDiv(longest, tiles), GRANULE)));
    return plan;
}

inline bool FitsGap(int64_t gap, int64_t bytes) { return gap >= 0 && gap <= MAX_GAP / bytes; }

/* The lanes are the innermost run if all outputs, the last tensors, are dense
 * there and one copy can skip from lane to lane of every tensor. */
inline bool HasLanes(const Runs &runs, int64_t used, int64_t outputs)
{
    const int32_t lane = runs.rank - 1;
    for (int64_t t = runs.tensors - outputs; t < runs.tensors; ++t) {
        if (runs.strides[t][lane] != 1) {
            return false;
        }
    }
    for (int32_t t = 0; t < runs.tensors; ++t) {
        if (IsUsed(used, t) && !FitsGap(Max(runs.strides[t][lane], 1) - 1, runs.elementBytes[t])) {
            return false;
        }
        if (IsUsed(used, t) && runs.strides[t][lane] < 0) {
            return false;
        }
    }
    return true;
}

/* Puts the runs on the axes of the plan: the longest of those beside the
 * lanes becomes the rows. */
inline void AssignAxes(const Runs &runs, bool hasLanes, TilePlan &plan)
{
    const int32_t others = hasLanes ? runs.rank - 1 : runs.rank;
    int32_t row = -1;
    for (int32_t i = 0; i < others; ++i) {
        row = row < 0 || runs.extents[i] >= runs.extents[row] ? i : row;
    }
    int32_t from[AXES];
    for (int32_t axis = 0; axis < AXES; ++axis) {
        from[axis] = -1;
    }
    from[LANE_AXIS] = hasLanes ? runs.rank - 1 : -1;
    from[ROW_AXIS] = row;
    plan.firstAxis = ROW_AXIS;
    for (int32_t i = others - 1; i >= 0; --i) {
        if (i != row) {
            from[--plan.firstAxis] = i;
        }
    }
    for (int32_t axis = 0; axis < AXES; ++axis) {
        const int32_t run = from[axis];
        plan.extents[axis] = run < 0 ? 1 : runs.extents[run];
        for (int32_t t = 0; t < runs.tensors; ++t) {
            const int64_t none = axis == LANE_AXIS ? 1 : 0;
            plan.strides[t * AXES + axis] = run < 0 ? none : runs.strides[t][run];
        }
    }
}

/* Before tiles are sized: forms that do not depend on them. */
inline int32_t ChooseForm(const TilePlan &plan, const Runs &runs, int32_t tensor)
{
    if (IsUsed(runs.absent, tensor)) {
        return ABSENT;
    }
    const int64_t rowStride = plan.strides[tensor * AXES + ROW_AXIS];
    const int64_t laneStride = plan.strides[tensor * AXES + LANE_AXIS];
    const bool oneRow = plan.extents[ROW_AXIS] == 1;
    if (laneStride == 1) {
        return rowStride == 0 && !oneRow ? REPEAT_ROWS : DENSE;
    }
    if (laneStride != 0) {
        return STRIDED;
    }
    if (rowStride == 0 || oneRow) {
        return SINGLE;
    }
    if (rowStride == 1) {
        return REPEAT_LANES;
    }
    return FitsGap(rowStride - 1, runs.elementBytes[tensor]) ? STRIDED_ROWS : -1;
}

/* Tile sizes: within the buffers, and about equal work for all cores. */
inline void SizeTiles(TilePlan &plan, bool gathers, int64_t cores, int64_t maxTile)
{
    const int64_t rows = plan.extents[ROW_AXIS];
    const int64_t lanes = plan.extents[LANE_AXIS];
    int64_t outer = 1;
    for (int32_t axis = 0; axis < ROW_AXIS; ++axis) {
        outer *= plan.extents[axis];
    }
    const int64_t gathered = maxTile / GATHER_SHARE;
    const int64_t maxLanes = gathers ? Min(gathered, MAX_GATHERED) : maxTile;
    // Lanes are split for the buffers, and for the cores where rows do not suffice.
    const int64_t wanted = Min(CeilDiv(cores, Max(1, outer * rows)), CeilDiv(lanes, MIN_CORE_WORK));
    const int64_t laneParts = Max(1, Max(CeilDiv(lanes, maxLanes), wanted));
    const int64_t laneUnit = gathers ? LANE_PAD : GRANULE;
    int64_t laneTile = Max(1, CeilDiv(lanes, laneParts));
    if (laneParts > 1) {
        laneTile = Min(maxLanes, RoundUp(laneTile, laneUnit));
    }
    plan.laneBlocks = CeilDiv(lanes, laneTile);
    const int64_t pitch = RoundUp(laneTile, LANE_PAD);
    int64_t maxRows = Min(MAX_ROWS, maxTile / pitch);
    if (gathers) {
        maxRows = Min(maxRows, gathered / laneTile);
    }
    maxRows = Max(1, Min(maxRows, rows));
    // As many row blocks as make whole rounds over the cores, if that is not too little work.
    const int64_t others = Max(1, outer * plan.laneBlocks);
    const int64_t fewest = Max(1, CeilDiv(rows, maxRows));
    const int64_t rounds = CeilDiv(others * fewest, cores);
    const int64_t balanced = rounds * cores / others;
    const int64_t enough = Max(1, CeilDiv(rows * laneTile, MIN_CORE_WORK / 2));
    const int64_t rowParts = Max(fewest, Min(Min(balanced, rows), enough));
    const int64_t rowTile = Max(1, CeilDiv(rows, rowParts));
    plan.rowBlocks = CeilDiv(rows, rowTile);
    plan.rowTile = static_cast<int32_t>(rowTile);
    plan.laneTile = static_cast<int32_t>(laneTile);
    plan.tileLength = static_cast<int32_t>(maxTile);
    const int64_t tiles = outer * plan.rowBlocks * plan.laneBlocks;
    plan.blocks = Max(1, Min(cores, tiles));
    plan.coreLength = tiles / plan.blocks;
    plan.extraCores = tiles % plan.blocks;
}

/* False if some tensor's rows are too far apart for one copy per tile. */
inline bool ChooseForms(TilePlan &plan, const Runs &runs, int64_t used)
{
    for (int32_t t = 0; t < runs.tensors; ++t) {
        plan.forms[t] = IsUsed(used, t) ? ChooseForm(plan, runs, t) : static_cast<int32_t>(DENSE);
        if (plan.forms[t] < 0) {
            return false;
        }
    }
    return true;
}

inline TilePlan PlanBroadcast(
    const Runs &runs, int64_t used, int64_t outputs, int64_t cores, int64_t maxTile)
{
    TilePlan plan = TilePlan();
    plan.fits = true;
    plan.elements = runs.elements;
    AssignAxes(runs, HasLanes(runs, used, outputs), plan);
    if (!ChooseForms(plan, runs, used)) {
        AssignAxes(runs, false, plan); // rows of one element: right for all strides
        ChooseForms(plan, runs, used);
    }
    bool gathers = false;
    for (int32_t t = 0; t < runs.tensors; ++t) {
        gathers = gathers || plan.forms[t] == STRIDED || plan.forms[t] == STRIDED_ROWS;
    }
    SizeTiles(plan, gathers, cores, maxTile);
    for (int32_t t = 0; t < runs.tensors; ++t) {
        const int64_t rowStride = plan.strides[t * AXES + ROW_AXIS];
        const bool oneCopy = rowStride >= plan.laneTile && FitsGap(rowStride, runs.elementBytes[t]);
        if (plan.forms[t] == DENSE && plan.extents[ROW_AXIS] > 1 && !oneCopy) {
            plan.forms[t] = ROW_BY_ROW;
        }
    }
    return plan;
}

)cpp";

} // namespace lossgrad::tiling

#endif // LOSSGRAD_CODEGEN_TILING_BROADCASTPLANS_H
