//===- RowAxes.h - Runs on the axes of a reduction --------------*- C++ -*-===//
//
// Fixed text, the third part of the helper header of tiling functions: which
// runs become lanes, rows, units and steps of a kernel that reduces, and how
// each tensor lies in a tile then. How large tiles are is in RowSizes.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_TILING_ROWAXES_H
#define LOSSGRAD_CODEGEN_TILING_ROWAXES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::tiling {

inline constexpr llvm::StringLiteral kRowAxes = R"cpp(
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
constexpr int64_t MAX_GROUP = 512;         // rows for which it is computed at a time what they have once
constexpr int64_t ROW_UNIT = @BLOCK_BYTES@ / 4;       // rows whose values are a block
constexpr int64_t MAX_SHORT_ROW = 512;     // lanes of short rows, of which a tile takes many
constexpr int64_t MIN_TILES = 3;           // of a core, where they are worth a copy each
constexpr int64_t MAX_ROW_CALLS = 24;      // of the rows of a tile: the queue of a pipe holds 32
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

/* Puts the runs on the axes: kept ones, then reduced ones, which belong to the steps, then rows and lanes. Reduced dims
 * of one element make no run; they are an axis that no run is on. */
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
    const bool isFull = row >= 0 && lane >= 0 && !runs.isReduced[row] && !runs.isReduced[lane] &&
                        plan.stepAxis == ROW_AXIS;
    plan.firstAxis -= isFull ? 1 : 0;
    plan.reducedAxis = isFull ? plan.firstAxis : (lane < 0 ? LANE_AXIS : ROW_AXIS);
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

)cpp";

} // namespace lossgrad::tiling

#endif // LOSSGRAD_CODEGEN_TILING_ROWAXES_H
