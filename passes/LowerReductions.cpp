//===- LowerReductions.cpp - What sweeps hand to each other ---------------===//
//
// Reductions that take several tiles, are exchanged between cores, or go over
// everything once per launch. See SweepLowering.h.
//
//===----------------------------------------------------------------------===//

#include "passes/BodyNames.h"
#include "passes/SweepLowering.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

/// Whether what is summed is 0 or 1 everywhere: how many, which is exact as
/// long as an int holds it.
static bool isCount(Value summed) {
  auto cast = summed.getDefiningOp<CastOp>();
  return cast && llvm::cast<ValueType>(cast.getOperand().getType()).getKind() ==
                     Kind::Bool;
}

//===----------------------------------------------------------------------===//
// Reductions that take several tiles
//===----------------------------------------------------------------------===//

/// The steps of a unit.
Value SweepLowering::countSteps() {
  return ascendc::TileExtentOp::create(builder, loc, builder.getI64Type(),
                                       kernel.grid,
                                       ascendc::TileExtent::Steps);
}

/// Whether one core takes all steps of a total that is folded along its lanes.
/// Sums that are stored may have no steps.
bool SweepLowering::isFoldedInTheEnd(const Stages &stages) {
  bool storesVectors =
      llvm::any_of(kernel.outputs, [](const KernelTensor &tensor) {
        return tensor.layout != Layout::Tile;
      });
  return !stages.perLaunch && !space.isSplit() && !storesVectors &&
         *space.areLanesReduced();
}

/// Folds what the steps added up, once per unit.
void SweepLowering::buildFinish(Stages &stages) {
  if (stages.totals.empty())
    return;
  if (stages.perLaunch)
    return buildLaunchFinish(stages);
  SweepOp sweep = stages.sweep;
  stages.finish = nameOf(stages, "Finish");
  bool alongLanes = *space.areLanesReduced();
  bool storesVectors =
      llvm::any_of(kernel.outputs, [](const KernelTensor &tensor) {
        return tensor.layout != Layout::Tile;
      });
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.finish,
      "Fold what the steps added up.", tileArguments(),
      [&](ValueRange arguments) {
        for (auto [i, total] : llvm::enumerate(stages.totals)) {
          Value result = sweep.getResult(i);
          auto kind = cast<ReduceKindAttr>(sweep.getEnd().getKinds()[i]);
          StringRef name = getValueName(result);
          if (name.empty())
            name = roleOf(kind.getValue());
          ascendc::Fold fold = foldOf(kind.getValue());
          // A sum that is stored may be one of no elements.
          if (storesVectors) {
            ascendc::BeginTotalOp::create(builder, loc, fold, total,
                                          arguments[0], countSteps());
          }
          if (!alongLanes) {
            ascendc::ReduceRowsInPlaceOp::create(builder, loc, fold, total,
                                                 arguments[0]);
            if (space.isSplit())
              stages.partials.push_back(copyLanes(name, total, arguments[0]));
            else
              handOn(result, total, Layout::Lanes);
            continue;
          }
          Value values =
              kernel.fixedBuffer(name, builder.getF32Type(), getMaxRows());
          // All that is exchanged has a value, whatever rows there are.
          if (space.isSplit())
            ascendc::DuplicateOp::create(builder, loc, values, kernel.f32(0),
                                         kernel.i32(kMaxSplitRows));
          if (isFoldedInTheEnd(stages))
            ascendc::ReduceTotalOp::create(builder, loc, fold, values, total,
                                           arguments[0], countSteps());
          else
            ascendc::ReduceLanesInPlaceOp::create(builder, loc, fold, values,
                                                  total, arguments[0]);
          if (space.isSplit())
            stages.partials.push_back(values);
          else
            handOn(result, values, Layout::Rows);
        }
      });
}

/// Sums per lane as they are exchanged: a buffer of as many as there can be,
/// all of which have a value.
Value SweepLowering::copyLanes(StringRef name, Value total, Value at) {
  Value values = kernel.fixedBuffer(name, builder.getF32Type(), kMaxSplitLanes);
  ascendc::DuplicateOp::create(builder, loc, values, kernel.f32(0),
                               kernel.i32(kMaxSplitLanes));
  // Whole blocks: what lies behind them in a row may have no value.
  Value lanes = ascendc::TileExtentOp::create(
      builder, loc, builder.getI32Type(), at, ascendc::TileExtent::Lanes);
  ascendc::DataCopyLocalOp::create(builder, loc, values, total,
                                   kernel.roundUp(lanes, 8));
  return values;
}

/// Cores meet without hardware: each raises the number in its slot and waits
/// for those of the others. Nobody clears a workspace before a kernel runs, so
/// every core clears the slots of all, as SyncAll asks for: a core whose number
/// is cleared by one that comes later writes it again for as long as it waits.
/// No meeting has the slots of another.
void SweepLowering::buildMeeting(Stages &stages, int64_t firstSlot) {
  Value slots = kernel.fixedBuffer("slots", builder.getI32Type(),
                                   getMaxCores() * kSlotInts);
  auto count = [&] {
    Value cores =
        ascendc::GetBlockNumOp::create(builder, loc, builder.getI64Type());
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(),
                                   kernel.mul(cores, kernel.i64(kSlotInts)));
  };
  stages.clearSlots = nameOf(stages, "ClearSlots");
  kernel.buildStage(ascendc::StageKind::Compute, stages.clearSlots,
                    "Zeros for the slots of all cores.", {}, [&](ValueRange) {
                      ascendc::DuplicateOp::create(builder, loc, slots,
                                                   kernel.i32(0), count());
                    });
  stages.meet = nameOf(stages, "Meet");
  kernel.buildStage(
      ascendc::StageKind::CopyOut, stages.meet,
      "Clear the slots, then wait for all cores. Whoever waits writes its slot "
      "again, should a core that comes later clear it.",
      {}, [&](ValueRange) {
        ascendc::DataCopyOutOp::create(builder, loc, kernel.slots,
                                       kernel.i64(firstSlot), slots, count());
        ascendc::SyncAllSoftwareOp::create(builder, loc, kernel.slots,
                                           kernel.i64(firstSlot), slots);
      });
}

/// Where a reduced axis is dealt to the cores: every core stores its partial
/// results, all meet, and every core folds those of all, in the same order.
void SweepLowering::buildExchange(Stages &stages) {
  if (stages.partials.empty())
    return;
  SweepOp sweep = stages.sweep;
  int64_t perCore = stages.perLaunch ? kMaxSplitRows : getSplitPitch(space);
  bool alongLanes = *space.areLanesReduced();
  auto pitch = [&] { return kernel.i32(perCore); };
  // A region each: a core may be ahead of others that still read.
  int64_t firstRegion = regions;
  regions += stages.partials.size();
  int64_t regionWords =
      getMaxCores() * getExchangePitch(perCore, kernel.meetsInMemory());
  auto regionOf = [&](size_t i) {
    return kernel.i64((firstRegion + static_cast<int64_t>(i)) * regionWords);
  };
  stages.storePartials = nameOf(stages, "StorePartial");
  kernel.buildStage(
      ascendc::StageKind::CopyOut, stages.storePartials,
      "Store this core's share of the sums.", {}, [&](ValueRange) {
        for (auto [i, values] : llvm::enumerate(stages.partials)) {
          Value core = ascendc::GetBlockIdxOp::create(builder, loc,
                                                      builder.getI64Type());
          Value offset = arith::AddIOp::create(
              builder, loc, regionOf(i), kernel.mul(core, kernel.i64(perCore)));
          ascendc::StoreDenseOp::create(builder, loc, kernel.workspace, offset,
                                        values, pitch(), Value());
        }
      });
  if (kernel.meetsInMemory())
    buildMeeting(stages, firstRegion * regionWords + getMaxCores() * perCore);
  SmallVector<Value> all;
  for (size_t i = 0; i < stages.partials.size(); ++i)
    all.push_back(kernel.fixedBuffer(labelOf(sweep, i, "partials"),
                                     builder.getF32Type(),
                                     getMaxCores() * perCore));
  stages.loadPartials = nameOf(stages, "LoadPartial");
  kernel.buildStage(
      ascendc::StageKind::CopyIn, stages.loadPartials,
      "Load the shares of all cores.", {}, [&](ValueRange) {
        Value cores =
            ascendc::GetBlockNumOp::create(builder, loc, builder.getI64Type());
        Value count =
            arith::TruncIOp::create(builder, loc, builder.getI32Type(),
                                    kernel.mul(cores, kernel.i64(perCore)));
        for (auto [i, partials] : llvm::enumerate(all))
          ascendc::LoadDenseOp::create(builder, loc, partials, kernel.workspace,
                                       regionOf(i), count, Value());
      });
  stages.combine = nameOf(stages, "Combine");
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.combine,
      "Fold the shares of all cores.", {}, [&](ValueRange) {
        Value cores =
            ascendc::GetBlockNumOp::create(builder, loc, builder.getI64Type());
        Value count =
            arith::TruncIOp::create(builder, loc, builder.getI32Type(), cores);
        for (auto [i, partials] : llvm::enumerate(all)) {
          auto kind = cast<ReduceKindAttr>(sweep.getEnd().getKinds()[i]);
          // Where cores need not meet, a sum over everything is there already.
          StringRef name = getValueName(sweep.getResult(i));
          if (name.empty())
            name = roleOf(kind.getValue());
          Value values = stages.perLaunch
                             ? stages.partials[i]
                             : kernel.fixedBuffer(name, builder.getF32Type(),
                                                  alongLanes ? getMaxRows()
                                                             : kMaxSplitLanes);
          if (stages.perLaunch && isCount(sweep.getEnd().getReduced()[i]))
            ascendc::CombineCountsOp::create(builder, loc, values, partials,
                                             count, pitch());
          else
            ascendc::CombinePartialsOp::create(builder, loc,
                                               foldOf(kind.getValue()), values,
                                               partials, count, pitch());
          if (!stages.perLaunch)
            handOn(sweep.getResult(i), values,
                   alongLanes ? Layout::Rows : Layout::Lanes);
        }
      });
}

//===----------------------------------------------------------------------===//
// Sums over everything
//===----------------------------------------------------------------------===//

/// What no step gives: a core may have none, and a sum may not be wanted.
void SweepLowering::buildBegin(Stages &stages) {
  SweepOp sweep = stages.sweep;
  OpBuilder members(kernel.tileLength.getDefiningOp());
  members.setInsertionPointAfter(kernel.tileLength.getDefiningOp());
  for (Value result : sweep.getResults()) {
    StringRef name = getValueName(result);
    Value variable = ascendc::VariableOp::create(
        members, loc,
        ascendc::VariableType::get(builder.getContext(), builder.getF32Type()),
        kernel.uniqueLabel((name.empty() ? "sum" : name).str() + "Value"));
    kernel.handed[result] = {Value(), Layout::Scalar, variable};
  }
  stages.begin = nameOf(stages, "Begin");
  bool ofRows = !isOverLanes(stages);
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.begin, "Nothing is added up yet.",
      tileArguments(), [&](ValueRange arguments) {
        Value count =
            ofRows ? kernel.i32(kLaunchRows)
                   : ascendc::TileCountOp::create(
                         builder, loc, builder.getI32Type(), arguments[0])
                         .getResult();
        for (auto [total, result] :
             llvm::zip_equal(stages.totals, sweep.getResults())) {
          ascendc::AssignOp::create(
              builder, loc, kernel.handed[result].variable, kernel.f32(0));
          ascendc::DuplicateOp::create(builder, loc, total, kernel.f32(0),
                                       count);
        }
      });
}

/// Folds what the steps of this core gave to one number, and reads it where it
/// is the number of all cores.
void SweepLowering::buildLaunchFinish(Stages &stages) {
  SweepOp sweep = stages.sweep;
  stages.finish = nameOf(stages, "Finish");
  for (size_t i = 0; i < stages.totals.size(); ++i) {
    StringRef name = getValueName(sweep.getResult(i));
    stages.partials.push_back(
        kernel.fixedBuffer(name.empty() ? "sum" : name, builder.getF32Type(),
                           kMaxSplitRows, ascendc::Lifetime::Resident));
  }
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.finish,
      "Fold what the steps added up.", tileArguments(),
      [&](ValueRange arguments) {
        for (auto [total, values, summed, kind] : llvm::zip_equal(
                 stages.totals, stages.partials, sweep.getEnd().getReduced(),
                 sweep.getEnd().getKinds().getAsRange<ReduceKindAttr>())) {
          if (isCount(summed)) {
            ascendc::FoldCountsOp::create(builder, loc, values, total,
                                          arguments[0],
                                          kernel.i32(kMaxSplitRows));
            continue;
          }
          ascendc::DuplicateOp::create(builder, loc, values, kernel.f32(0),
                                       kernel.i32(kMaxSplitRows));
          ascendc::ReduceLanesInPlaceOp::create(builder, loc,
                                                foldOf(kind.getValue()), values,
                                                total, arguments[0]);
        }
      });
  stages.take = nameOf(stages, "Take");
  kernel.buildStage(ascendc::StageKind::Compute, stages.take, "Read the sums.",
                    {}, [&](ValueRange) {
                      for (auto [values, summed, result] : llvm::zip_equal(
                               stages.partials, sweep.getEnd().getReduced(),
                               sweep.getResults())) {
                        HandedValue handed = kernel.handed[result];
                        handed.buffer = values;
                        if (isCount(summed))
                          ascendc::AssignOp::create(
                              builder, loc, handed.variable,
                              ascendc::TakeCountOp::create(
                                  builder, loc, builder.getF32Type(), values));
                        else
                          readScalar(handed);
                      }
                    });
}
