//===- LowerLoops.cpp - Which loops run the stages ------------------------===//
//
// The process of a kernel: its share of the work, sums over everything first,
// then units or tiles with their steps. See SweepLowering.h.
//
//===----------------------------------------------------------------------===//

#include "passes/SweepLowering.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

void SweepLowering::runStage(StringRef stage, ValueRange arguments) {
  if (!stage.empty())
    ascendc::RunOp::create(builder, loc, stage, arguments);
}

/// The tables of packed tiles, where a tile has another number of rows.
void SweepLowering::runOffsets(Value at) {
  Value rows = ascendc::TileExtentOp::create(builder, loc, builder.getI32Type(),
                                             at, ascendc::TileExtent::Rows);
  Value known =
      ascendc::ReadOp::create(builder, loc, builder.getI32Type(), rowsAtHand);
  kernel.buildIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       rows, known),
                 [&] { runStage(offsets, at); });
}

/// The steps of a unit; those of this core where the steps are dealt.
void SweepLowering::runSteps(const Stages &stages, Value unit, Value share) {
  Value first =
      share ? kernel.bound(share, ascendc::ShareBound::Begin) : kernel.i64(0);
  Value end = share ? kernel.bound(share, ascendc::ShareBound::End)
                    : ascendc::TileExtentOp::create(
                          builder, loc, builder.getI64Type(), kernel.grid,
                          ascendc::TileExtent::Steps)
                          .getResult();
  Value whole;
  if (!stages.totals.empty())
    whole = ascendc::StepAtOp::create(builder, kernel.named("whole"),
                                      kernel.grid, unit, kernel.i64(0));
  kernel.buildFor(first, end, kernel.i64(1), "step", [&](Value step) {
    Value at = ascendc::StepAtOp::create(builder, kernel.named("at"),
                                         kernel.grid, unit, step);
    runStage(stages.copyIn, at);
    SmallVector<Value> arguments{at};
    if (whole) {
      Value nth =
          share ? arith::SubIOp::create(builder, loc, step, first).getResult()
                : step;
      arguments.append({whole, nth});
    }
    runStage(stages.compute, arguments);
    runStage(stages.copyOut, at);
  });
  runStage(stages.finish, whole);
  if (!stages.storePartials.empty())
    runExchange(stages);
}

void SweepLowering::runExchange(const Stages &stages) {
  runStage(stages.storePartials, {});
  runStage(stages.clearSlots, {});
  if (stages.meet.empty())
    ascendc::SyncAllOp::create(builder, loc);
  runStage(stages.meet, {});
  runStage(stages.loadPartials, {});
  runStage(stages.combine, {});
}

/// Once, before the others: all steps, or those of this core, which then meets
/// the others.
void SweepLowering::runLaunch(const Stages &stages) {
  SweepOp sweep = stages.sweep;
  bool overLanes = isOverLanes(stages);
  auto at = [&](Value step, StringRef name) -> Value {
    if (!overLanes)
      return ascendc::RowsAtOp::create(builder, kernel.named(name), step);
    Value tile =
        walks() || hasGroups()
            ? ascendc::StepAtOp::create(builder, kernel.named(name),
                                        kernel.grid, kernel.i64(0), step)
                  .getResult()
            : ascendc::TileAtOp::create(
                  builder, kernel.named(name),
                  ascendc::TilePositionType::get(builder.getContext()),
                  kernel.grid, step)
                  .getResult();
    return ascendc::FirstRowOp::create(builder, loc, tile);
  };
  Value whole = at(kernel.i64(0), overLanes ? "firstTile" : "firstRows");
  if (!overLanes)
    whole =
        ascendc::AsLanesOp::create(builder, kernel.named("rowsAsLanes"), whole);
  runStage(stages.begin, whole);
  auto body = [&] {
    Value steps =
        !overLanes ? ascendc::RowStepsOp::create(builder, kernel.named("steps"),
                                                 builder.getI64Type())
                         .getResult()
        : walks()
            ? ascendc::TileExtentOp::create(builder, loc, builder.getI64Type(),
                                            kernel.grid,
                                            ascendc::TileExtent::Steps)
                  .getResult()
            : kernel.i64(1);
    Value share =
        ascendc::LaunchShareOp::create(builder, kernel.named("part"), steps);
    kernel.buildFor(
        kernel.bound(share, ascendc::ShareBound::Begin),
        kernel.bound(share, ascendc::ShareBound::End), kernel.i64(1), "step",
        [&](Value step) {
          Value position = at(step, "at");
          runStage(stages.copyIn, position);
          runStage(stages.compute, {position, whole, kernel.i64(1)});
        });
    runStage(stages.finish, whole);
    if (!stages.storePartials.empty())
      kernel.buildIf(
          kernel.equals(
              kernel.field(member::kLaunchSplit, builder.getI32Type()), 1),
          [&] { runExchange(stages); });
    runStage(stages.take, {});
  };
  Value guard = sweep.getGuard();
  if (guard)
    kernel.buildIf(kernel.scalars.lookup(guard), body);
  else
    body();
}

void SweepLowering::runSweep(const Stages &stages, Value unit, Value share) {
  if (!stages.perUnit)
    return runSteps(stages, unit, share);
  Value at = ascendc::StepAtOp::create(builder, kernel.named("whole"),
                                       kernel.grid, unit, kernel.i64(0));
  runStage(stages.copyIn, at);
  auto compute = [&] {
    runStage(stages.compute, at);
    runStage(stages.copyOut, at);
  };
  // Where every core has the sums, one stores them.
  if (!space.isSplit() || stages.copyOut.empty())
    return compute();
  Value core =
      ascendc::GetBlockIdxOp::create(builder, loc, builder.getI64Type());
  kernel.buildIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       core, kernel.i64(0)),
                 compute);
}

/// A tile whose row may be one that is written without being read: a branch
/// around load and computation. Tiles of several rows are loaded as they are.
void SweepLowering::runGuarded(const Stages &stages, Value at, Value first) {
  auto compute = [&] {
    runStage(stages.copyIn, at);
    runStage(stages.compute, {at, first});
  };
  if (!stages.guard)
    return compute();
  runStage(stages.takeGuard, first);
  Value isKept = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      ascendc::ReadOp::create(builder, loc, builder.getI32Type(), stages.guard),
      kernel.i32(0));
  Value rows = ascendc::TileExtentOp::create(builder, loc, builder.getI32Type(),
                                             at, ascendc::TileExtent::Rows);
  Value hasMore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        rows, kernel.i32(1));
  kernel.buildIf(arith::OrIOp::create(builder, loc, hasMore, isKept), compute,
                 [&] { runStage(stages.clear, at); });
}

/// What lanes have once, where a tile has others than those at hand.
void SweepLowering::runLanes(const Stages &stages, Value at) {
  Value isNew = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      ascendc::FirstLaneOp::create(builder, loc, at),
      ascendc::ReadOp::create(builder, loc, builder.getI32Type(),
                              stages.lanes));
  kernel.buildIf(isNew, [&] {
    for (StringRef stage : {stages.copyIn, stages.compute, stages.take})
      runStage(stage, at);
  });
}

/// Tiles are dealt whatever row they belong to. What rows have once is computed
/// for as many of them as a core has, up to a group.
void SweepLowering::runSingleRows() {
  using Bound = ascendc::ShareBound;
  for (const Stages &stages : sweeps) {
    if (!stages.perLanes)
      continue;
    runStage(stages.begin, {});
    if (walks())
      continue;
    Value at =
        ascendc::StepAtOp::create(builder, kernel.named("lanes"), kernel.grid,
                                  kernel.i64(0), kernel.i64(0));
    runStage(stages.copyIn, at);
    runStage(stages.compute, at);
  }
  Value share = ascendc::TileShareOp::create(builder, kernel.named("share"));
  Value first = ascendc::FirstGroupOp::create(builder, loc, kernel.grid, share);
  Value end = ascendc::EndGroupOp::create(builder, loc, kernel.grid, share);
  kernel.buildFor(first, end, kernel.i64(1), "group", [&](Value group) {
    Value tiles = ascendc::GroupTilesOp::create(builder, kernel.named("tiles"),
                                                kernel.grid, group, share);
    Value rows = ascendc::GroupRowsOp::create(builder, kernel.named("rows"),
                                              kernel.grid, tiles);
    for (const Stages &stages : sweeps)
      if (stages.perUnit)
        for (StringRef stage : {stages.copyIn, stages.compute, stages.copyOut})
          runStage(stage, rows);
    kernel.buildFor(kernel.bound(tiles, Bound::Begin),
                    kernel.bound(tiles, Bound::End), kernel.i64(1), "tile",
                    [&](Value tile) {
                      Value at = ascendc::DealtTileOp::create(
                          builder, kernel.named("at"), kernel.grid, tile);
                      Value from = ascendc::RowsAfterOp::create(
                          builder, kernel.named("first"), at, rows);
                      for (const Stages &stages : sweeps) {
                        if (stages.perLanes && walks())
                          runLanes(stages, at);
                        if (!isOfTiles(stages))
                          continue;
                        runGuarded(stages, at, from);
                        runStage(stages.copyOut, at);
                      }
                    });
  });
}

/// Tiles are dealt whatever lanes they belong to: a core computes what lanes
/// have once, and then the tiles of classes that are its own.
void SweepLowering::runPlanes() {
  using Bound = ascendc::ShareBound;
  for (StringRef stage : {copyInTables, computeTables})
    runStage(stage, {});
  Value share = ascendc::TileShareOp::create(builder, kernel.named("share"));
  Value steps =
      ascendc::TileExtentOp::create(builder, loc, builder.getI64Type(),
                                    kernel.grid, ascendc::TileExtent::Steps);
  Value begin = kernel.bound(share, Bound::Begin);
  Value end = kernel.bound(share, Bound::End);
  Value rowTile = kernel.field(member::kRowTile, builder.getI32Type());
  kernel.buildFor(
      kernel.div(begin, steps), kernel.ceilDiv(end, steps), kernel.i64(1),
      "unit", [&](Value unit) {
        for (const Stages &stages : sweeps)
          if (stages.perUnit)
            runSweep(stages, unit, Value());
        Value first = kernel.mul(unit, steps, "first");
        auto here = [&](Value tile) {
          return arith::SubIOp::create(builder, loc, tile, first).getResult();
        };
        Value from = arith::MaxSIOp::create(builder, kernel.named("from"),
                                            here(begin), kernel.i64(0));
        Value to = arith::MinSIOp::create(builder, kernel.named("to"),
                                          here(end), steps);
        kernel.buildFor(from, to, kernel.i64(1), "step", [&](Value step) {
          Value at = ascendc::StepAtOp::create(builder, kernel.named("at"),
                                               kernel.grid, unit, step);
          Value nth =
              arith::TruncIOp::create(builder, loc, builder.getI32Type(), step);
          Value firstClass = kernel.mul(nth, rowTile);
          for (const Stages &stages : sweeps) {
            if (!isOfTiles(stages))
              continue;
            runStage(stages.copyIn, at);
            runStage(stages.compute, {at, firstClass});
            runStage(stages.copyOut, at);
          }
        });
      });
}

void SweepLowering::buildProcess() {
  auto process = ascendc::ProcessOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&process.getBody().emplaceBlock());
  using Bound = ascendc::ShareBound;
  Location shareLoc = kernel.named("share");
  if (kernel.isFlat()) {
    const Stages &only = sweeps.front();
    Value share = ascendc::FlatShareOp::create(builder, shareLoc);
    kernel.buildFor(
        kernel.bound(share, Bound::Begin), kernel.bound(share, Bound::End),
        kernel.bound(share, Bound::Step), "offset", [&](Value offset) {
          Value count = ascendc::ShareCountOp::create(
              builder, kernel.named("count"), share, offset);
          runStage(only.copyIn, {offset, count});
          runStage(only.compute, count);
          runStage(only.copyOut, {offset, count});
        });
    return;
  }
  for (const Stages &stages : sweeps)
    if (stages.perLaunch)
      runLaunch(stages);
  if (hasGroups())
    return runSingleRows();
  if (hasPlanes())
    return runPlanes();
  Value share = ascendc::TileShareOp::create(builder, shareLoc);
  if (space.isSplit()) {
    for (const Stages &stages : sweeps)
      runSweep(stages, kernel.i64(0), share);
    return;
  }
  kernel.buildFor(
      kernel.bound(share, Bound::Begin), kernel.bound(share, Bound::End),
      kernel.i64(1), walks() ? "unit" : "tile", [&](Value unit) {
        if (walks()) {
          if (!copyInRow.empty()) {
            Value row = ascendc::UnitRowOp::create(builder, kernel.named("row"),
                                                   kernel.grid, unit);
            runStage(copyInRow, row);
          }
          for (const Stages &stages : sweeps)
            if (!stages.perLaunch)
              runSweep(stages, unit, Value());
          return;
        }
        const Stages &only = sweeps.back();
        auto position = ascendc::TilePositionType::get(builder.getContext());
        Value at =
            space.isPacked()
                ? ascendc::PackedAtOp::create(builder, kernel.named("at"),
                                              position, kernel.grid, unit)
                      .getResult()
                : ascendc::TileAtOp::create(builder, kernel.named("at"),
                                            position, kernel.grid, unit)
                      .getResult();
        if (space.isPacked())
          runOffsets(at);
        for (StringRef stage : {only.copyIn, only.compute, only.copyOut})
          runStage(stage, at);
      });
}
