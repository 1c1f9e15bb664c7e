//===- RowPlans.h - Tiles of kernels with reductions ------------*- C++ -*-===//
//
// Fixed text, the fifth part of the helper header of tiling functions: the plan
// of a kernel that reduces, of packed rows or of others. A space says what its
// kernel can do; a plan that does not fit says so, and the next kernel is
// asked.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_ROWPLANS_H
#define LOSSGRAD_CODEGEN_TILING_ROWPLANS_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::tiling {

inline constexpr llvm::StringLiteral kRowPlans = R"cpp(/* The runs of a call whose tensors are one run each: how many turns, lanes of a turn, and rows that lie in turn. */
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
    const Space &space, int64_t rowCalls, bool hasSteps, bool isLastResort)
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
                 space.walks          ? SizeSingleRows(plan, cores, maxTile, bytes, rowCalls) :
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

)cpp";

} // namespace lossgrad::tiling

#endif // LOSSGRAD_CODEGEN_TILING_ROWPLANS_H
