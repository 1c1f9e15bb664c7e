//===- KernelChoice.h - Which kernel a call gets ----------------*- C++ -*-===//
//
// Fixed text, the last part of the helper header of tiling functions: the
// kernels of an operator in their order, of which a call gets the first that is
// for it and whose plan fits.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_KERNELCHOICE_H
#define LOSSGRAD_CODEGEN_TILING_KERNELCHOICE_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::tiling {

inline constexpr llvm::StringLiteral kKernelChoice = R"cpp(/* The length of a row that would stay in UB, 0 if there is none. */
inline int64_t ResidentLength(const Runs &runs, int64_t used, int64_t outputs, const Space &space)
{
    const int32_t lane = space.isResident ? ChooseLane(runs, used, outputs, space) : -1;
    return lane < 0 ? 0 : RoundUp(runs.extents[lane], GRANULE);
}

/* The length of a row of which a tile may have several that are taken one by one, 0 if there is none: then what lanes
 * have once is as long as a tile. */
inline int64_t SharedLength(const Runs &runs, int64_t used, int64_t outputs, const Space &space)
{
    const bool isRowByRow = space.singleRows && space.lanes == REDUCED && space.walks;
    const int32_t lane = isRowByRow ? ChooseLane(runs, used, outputs, space) : -1;
    const bool isShared = lane >= 0 && runs.extents[lane] * TileBytes(runs, used) < MIN_TRANSFER;
    return isShared ? RoundUp(runs.extents[lane], GRANULE) : 0;
}

/* A kernel: its key, which calls it is for, the UB that it takes, and its space. */
struct KernelRow {
    int64_t key;
    int64_t variant;
    int64_t dtype;        // of all typed tensors; ANY_TYPE: whatever they have
    int64_t fixedBytes;   // UB, whatever the tile
    int64_t granuleBytes; // UB for each granule of a tile
    int64_t rowBytes;     // UB for each granule of a row that stays
    int64_t rowCalls;     // calls for each row of a tile, where rows are taken one by one
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
    const int64_t groups = CeilDiv(plan.extents[ROW_AXIS], plan.rowTile);
    const int64_t lastGroup = plan.extents[ROW_AXIS] - (groups - 1) * plan.rowTile;
    int64_t rows = lastGroup - (CeilDiv(lastGroup, tileRows) - 1) * tileRows;
    if (groups > 1) {
        rows = Min(rows, plan.rowTile - (CeilDiv(plan.rowTile, tileRows) - 1) * tileRows);
    }
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

/* Whether the call leaves out a tensor of whole tiles: kernels for dense tensors compute with what lies in UB. */
inline bool LeavesOutTiles(const Runs &runs, int64_t used)
{
    for (int32_t t = 0; t < runs.tensors; ++t) {
        if (IsUsed(used & runs.absent, t) && runs.hasKept[t] && runs.hasReduced[t]) {
            return true;
        }
    }
    return false;
}

/* The first kernel of the list that is for this call and whose tiles fit. Where copies take whole blocks, less is
 * stored element by element, through lines of a cache that no two cores may share: then one core does it all. There
 * folds may read element by element, too: what is left out must be zeros. */
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
        if (wholeBlocks && kernel.space.hasReductions && kernel.space.isDense && LeavesOutTiles(runs, used)) {
            continue;
        }
        const bool isFlat = kernel.space.rows == NOTHING && kernel.space.lanes == KEPT;
        const int64_t shared = SharedLength(runs, used, outputs, kernel.space);
        const int64_t resident = ResidentLength(runs, used, outputs, kernel.space);
        const int64_t row = Max(shared, resident) / GRANULE * kernel.rowBytes;
        // Of planes, which have several rows, the largest number of lanes.
        const bool isPlanes = kernel.space.singleRows && kernel.space.lanes == KEPT;
        const int64_t perGranule = isPlanes ? kernel.rowBytes +
                                                  PlaneRows(runs, TileBytes(runs, used)) * kernel.granuleBytes :
                                   shared == 0 && resident == 0 ? kernel.granuleBytes + kernel.rowBytes :
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
            plan = PlanRows(runs, used, outputs, platform.cores, tile, kernel.space, kernel.rowCalls, hasSteps,
                isLastResort);
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

#endif // LOSSGRAD_CODEGEN_TILING_KERNELCHOICE_H
