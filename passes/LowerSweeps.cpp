//===- LowerSweeps.cpp - The stages and loops of sweeps -------------------===//
//
// One lowering for all spaces. A sweep becomes a stage that loads its inputs,
// one that computes, and one that stores, if it stores; a sweep whose
// reductions take several tiles also one that finishes them. How inputs are
// loaded follows from the kernel (dense, or of any layout) and from the layout
// of each tensor; which loops run the stages from the space.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;

namespace lossgrad {

class SweepLowering {
public:
  explicit SweepLowering(KernelBuilder &kernel)
      : kernel(kernel), builder(kernel.builder), loc(kernel.loc),
        space(kernel.source.getSpace()) {}

  LogicalResult run();

private:
  /// A sweep with the stages that it became; empty names: none.
  struct Stages {
    SweepOp sweep;
    bool perUnit = false; // runs once per unit of a kernel that walks
    std::string title;
    std::string copyIn, compute, copyOut, finish, storePartials, loadPartials,
        combine;
    SmallVector<Value> totals;   // what steps accumulate, by reduction
    SmallVector<Value> partials; // sums of this core, by reduction
  };

  bool walks() const { return space.walks(); }
  std::string titleOf(const Stages &stages);
  std::string nameOf(const Stages &stages, StringRef verb) {
    return verb.str() + stages.title;
  }
  SmallVector<std::pair<std::string, Type>> tileArguments();
  TileContext contextOf(ValueRange arguments);
  void buildCopyInRow();
  void buildCopyIn(Stages &stages);
  LogicalResult buildCompute(Stages &stages);
  void buildCopyOut(Stages &stages);
  void buildFinish(Stages &stages);
  void buildExchange(Stages &stages);
  void handOn(Value result, Value buffer, Layout layout);
  void readScalar(HandedValue &handed);
  Value residentPart(const KernelTensor &tensor, Value at);
  Value buildWide(const KernelTensor &tensor, const TileContext &tile);
  void storeResults(SweepOp sweep, BodyConverter &body, Value count,
                    ArrayRef<Value> loaded);

  void buildProcess();
  void runStage(StringRef stage, ValueRange arguments);
  void runSweep(const Stages &stages, Value unit, Value share);
  void runSteps(const Stages &stages, Value unit, Value share);

  KernelBuilder &kernel;
  OpBuilder &builder;
  Location loc;
  SpaceAttr space;
  std::vector<Stages> sweeps;
  llvm::StringMap<unsigned> titles;
  std::string copyInRow; // the stage that loads resident rows
  int64_t regions = 0;   // of the workspace, one per exchanged reduction
};

} // namespace lossgrad

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// What a sweep is about, for the names of its stages. The last needs none of
/// its own; others are called after what they hand on.
std::string SweepLowering::titleOf(const Stages &stages) {
  SweepOp sweep = stages.sweep;
  if (sweep.getResults().empty())
    return "";
  StringRef result = getValueName(sweep.getResult(0));
  std::string title = result.empty() ? (stages.perUnit ? "Rows" : "Sums")
                                     : ascendc::detail::capitalized(result);
  unsigned count = titles[title]++;
  return count ? title + std::to_string(count + 1) : title;
}

SmallVector<std::pair<std::string, Type>> SweepLowering::tileArguments() {
  MLIRContext *context = builder.getContext();
  if (kernel.isFlat())
    return {{"offset", builder.getI64Type()}, {"count", builder.getI32Type()}};
  return {{"at", ascendc::TilePositionType::get(context)}};
}

/// The tile of a stage; `arguments` end with the count where tensors are flat.
TileContext SweepLowering::contextOf(ValueRange arguments) {
  if (kernel.isFlat())
    return {Value(), arguments.back()};
  Value at = arguments.front();
  return {at, ascendc::TileCountOp::create(builder, kernel.named("count"),
                                           builder.getI32Type(), at)};
}

/// The part of a resident row that a step works on.
Value SweepLowering::residentPart(const KernelTensor &tensor, Value at) {
  Value first = ascendc::FirstLaneOp::create(builder, loc, at);
  auto type = cast<ascendc::LocalTensorType>(tensor.tile.getType());
  return kernel.view(tensor.tile, type.getElementType(), first);
}

/// Loads the rows that stay in UB, once per unit.
void SweepLowering::buildCopyInRow() {
  auto isResident = [](const KernelTensor &tensor) {
    return tensor.isResident;
  };
  if (llvm::none_of(kernel.inputs, isResident))
    return;
  copyInRow = "CopyInRow";
  kernel.buildStage(ascendc::StageKind::CopyIn, copyInRow,
                    "Load the whole row of what is read more than once.",
                    tileArguments(), [&](ValueRange arguments) {
                      for (KernelTensor &tensor : kernel.inputs)
                        if (tensor.isResident)
                          ascendc::LoadTileOp::create(
                              builder, loc, tensor.tile, tensor.global,
                              tensor.strides, arguments[0]);
                    });
}

void SweepLowering::buildCopyIn(Stages &stages) {
  SmallVector<KernelTensor *> loaded;
  for (auto [name, access] :
       llvm::zip_equal(stages.sweep.getInputs().getAsRange<StringAttr>(),
                       stages.sweep.getAccesses().getAsRange<AccessAttr>()))
    if (access.getValue() == Access::Stream)
      loaded.push_back(&kernel.inputNamed(name));
  if (loaded.empty())
    return;
  stages.copyIn = nameOf(stages, "CopyIn");
  kernel.buildStage(
      ascendc::StageKind::CopyIn, stages.copyIn,
      kernel.source.getAnyLayout()
          ? "Load one tile of the inputs, each as it lies in memory."
          : "Load one tile of the inputs.",
      tileArguments(), [&](ValueRange arguments) {
        for (KernelTensor *tensor : loaded) {
          if (kernel.isFlat()) {
            ascendc::LoadDenseOp::create(builder, loc, tensor->tile,
                                         tensor->global, arguments[0],
                                         arguments[1], tensor->code);
            continue;
          }
          Value at = arguments[0];
          if (tensor->layout == Layout::Lanes)
            at = ascendc::FirstRowOp::create(builder, loc, at);
          ascendc::LoadTileOp::create(builder, loc, tensor->tile,
                                      tensor->global, tensor->strides, at);
        }
      });
}

/// A tensor's values in float32, along what it has of rows and lanes.
Value SweepLowering::buildWide(const KernelTensor &tensor,
                               const TileContext &tile) {
  Type f32 = builder.getF32Type();
  std::string label = tensor.name + "F32";
  if (tensor.layout == Layout::Rows) {
    Value values = kernel.fixedBuffer(label, f32, kMaxRows);
    Value wide = kernel.fixedBuffer(
        "wide", f32, kernel.source.getAnyLayout() ? kMaxRows * 17 : 128);
    ascendc::ExpandRowsOp::create(builder, loc, values, tensor.tile,
                                  tensor.strides, tile.at, wide);
    return values;
  }
  if (kernel.source.getAnyLayout() || tensor.layout == Layout::Lanes) {
    Value at = tile.at;
    if (tensor.layout == Layout::Lanes)
      at = ascendc::FirstRowOp::create(builder, loc, at);
    Value dst = kernel.buffer(label, f32), wide = kernel.buffer("wide", f32);
    Value blocks = kernel.fixedBuffer("rowBlocks", f32, kMaxRows * 8);
    ascendc::ExpandTileOp::create(builder, loc, dst, tensor.tile,
                                  tensor.strides, at, wide, blocks);
    return dst;
  }
  Value loaded =
      tensor.isResident ? residentPart(tensor, tile.at) : tensor.tile;
  if (!tensor.code && kernel.elementType(tensor.element).isF32())
    return loaded;
  Value wide = kernel.buffer(label, f32);
  kernel.buildWiden(tensor, wide, loaded, tile.count);
  return wide;
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

/// Makes a value known to later sweeps.
void SweepLowering::handOn(Value result, Value buffer, Layout layout) {
  HandedValue handed{buffer, layout, Value()};
  // Sweeps over tiles take it as a scalar where there is one row.
  bool meetsTiles = llvm::any_of(result.getUsers(), [](Operation *user) {
    return user->getParentOfType<SweepOp>().walksReduced();
  });
  if (kernel.hasOneRow() && layout == Layout::Rows && meetsTiles) {
    StringRef name = getValueName(result);
    OpBuilder members(kernel.tileLength.getDefiningOp());
    members.setInsertionPointAfter(kernel.tileLength.getDefiningOp());
    handed.variable = ascendc::VariableOp::create(
        members, loc,
        ascendc::VariableType::get(builder.getContext(), builder.getF32Type()),
        kernel.uniqueLabel((name.empty() ? "row" : name).str() + "Value"));
    readScalar(handed);
  }
  kernel.handed[result] = handed;
}

/// A value per row, of which there is one, as a scalar.
void SweepLowering::readScalar(HandedValue &handed) {
  Value value = ascendc::GetValueOp::create(builder, loc, builder.getF32Type(),
                                            handed.buffer, kernel.i32(0));
  ascendc::AssignOp::create(builder, loc, handed.variable, value);
}

/// Rounds results into the tiles of the outputs. One that needs no rounding is
/// computed where it is stored from.
void SweepLowering::storeResults(SweepOp sweep, BodyConverter &body,
                                 Value count, ArrayRef<Value> loaded) {
  EndOp end = sweep.getEnd();
  SmallVector<Value> results;
  for (Value stored : end.getStored())
    results.push_back(
        body.asTile(stored.getDefiningOp<NarrowOp>().getOperand(), "filled"));
  for (auto [name, result] :
       llvm::zip_equal(end.getOutputs().getAsRange<StringAttr>(), results)) {
    KernelTensor &tensor =
        *llvm::find_if(kernel.outputs, [&](const KernelTensor &each) {
          return each.name == name;
        });
    bool inPlace = !tensor.code && tensor.tile.getType() == result.getType() &&
                   !llvm::is_contained(loaded, result) &&
                   result.getDefiningOp<ascendc::BufferOp>() &&
                   llvm::count(results, result) == 1;
    if (!inPlace) {
      kernel.buildNarrow(tensor, tensor.tile, result, count);
      continue;
    }
    result.replaceAllUsesWith(tensor.tile);
    result.getDefiningOp()->erase();
  }
}

LogicalResult SweepLowering::buildCompute(Stages &stages) {
  SweepOp sweep = stages.sweep;
  EndOp end = sweep.getEnd();
  stages.compute = nameOf(stages, "Compute");
  auto arguments = tileArguments();
  if (kernel.isFlat())
    arguments.erase(arguments.begin());
  // A total is a whole tile: each step adds to it element by element.
  for (size_t i = 0; i < end.getReduced().size(); ++i)
    stages.totals.push_back(kernel.residentTile("partial"));
  if (!stages.totals.empty()) {
    arguments.push_back(
        {"whole", ascendc::TilePositionType::get(builder.getContext())});
    arguments.push_back({"step", builder.getI64Type()});
  }
  LogicalResult result = success();
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.compute,
      stages.perUnit ? "Compute what a unit has once, in float."
      : kernel.source.getAnyLayout()
          ? "Expand the inputs to dense tiles and compute in float."
          : "Compute one tile in float.",
      arguments, [&](ValueRange given) {
        TileContext tile = contextOf(given);
        BodyConverter body(kernel, tile);
        SmallVector<Value> loaded;
        for (auto [name, argument] :
             llvm::zip_equal(sweep.getInputs().getAsRange<StringAttr>(),
                             sweep.getBody().getArguments())) {
          KernelTensor &tensor = kernel.inputNamed(name);
          BodyConverter::Held held;
          if (tensor.variable)
            held.value = ascendc::ReadOp::create(
                builder, kernel.named(tensor.name + "Scalar"),
                builder.getF32Type(), tensor.variable);
          else
            held = {buildWide(tensor, tile), tensor.layout};
          loaded.push_back(held.value);
          for (Operation *user : argument.getUsers())
            body.bind(user->getResult(0), held);
        }
        for (auto [value, handed] : kernel.handed) {
          if (llvm::none_of(value.getUsers(), [&](Operation *user) {
                return sweep->isProperAncestor(user);
              }))
            continue;
          bool isScalar = handed.variable && !stages.perUnit;
          Value held = handed.buffer;
          if (isScalar)
            held = ascendc::ReadOp::create(builder, loc, builder.getF32Type(),
                                           handed.variable);
          body.bind(value, {held, isScalar ? Layout::Scalar : handed.layout});
        }
        result = body.run(sweep);
        if (failed(result))
          return;
        for (auto [total, reduced, kind] :
             llvm::zip_equal(stages.totals, end.getReduced(),
                             end.getKinds().getAsRange<ReduceKindAttr>()))
          ascendc::AccumulateOp::create(builder, loc, foldOf(kind.getValue()),
                                        total, body.asTile(reduced, "summands"),
                                        tile.at, given[given.size() - 2],
                                        given.back());
        for (auto [i, kept] : llvm::enumerate(end.getKept())) {
          BodyConverter::Held held = body.lookup(kept);
          handOn(sweep.getResult(end.getReduced().size() + i), held.value,
                 held.layout);
        }
        storeResults(sweep, body, tile.count, loaded);
      });
  return result;
}

void SweepLowering::buildCopyOut(Stages &stages) {
  EndOp end = stages.sweep.getEnd();
  if (end.getStored().empty())
    return;
  stages.copyOut = nameOf(stages, "CopyOut");
  kernel.buildStage(
      ascendc::StageKind::CopyOut, stages.copyOut,
      "Store one tile of the results.", tileArguments(),
      [&](ValueRange arguments) {
        for (KernelTensor &tensor : kernel.outputs) {
          bool isHere = llvm::any_of(
              end.getOutputs().getAsRange<StringAttr>(),
              [&](StringAttr name) { return name == tensor.name; });
          if (!isHere)
            continue;
          if (kernel.isFlat())
            ascendc::StoreDenseOp::create(builder, loc, tensor.global,
                                          arguments[0], tensor.tile,
                                          arguments[1], tensor.code);
          else
            ascendc::StoreTileOp::create(builder, loc, tensor.global,
                                         tensor.tile, tensor.strides,
                                         arguments[0]);
        }
      });
}

//===----------------------------------------------------------------------===//
// Reductions that take several tiles
//===----------------------------------------------------------------------===//

/// Folds what the steps added up, once per unit.
void SweepLowering::buildFinish(Stages &stages) {
  if (stages.totals.empty())
    return;
  SweepOp sweep = stages.sweep;
  stages.finish = nameOf(stages, "Finish");
  bool alongLanes = *space.areLanesReduced();
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.finish,
      "Fold what the steps added up.", tileArguments(),
      [&](ValueRange arguments) {
        for (auto [i, total] : llvm::enumerate(stages.totals)) {
          Value result = sweep.getResult(i);
          auto kind = cast<ReduceKindAttr>(sweep.getEnd().getKinds()[i]);
          StringRef name = getValueName(result);
          ascendc::Fold fold = foldOf(kind.getValue());
          if (!alongLanes) {
            ascendc::ReduceRowsInPlaceOp::create(builder, loc, fold, total,
                                                 arguments[0]);
            handOn(result, total, Layout::Lanes);
            continue;
          }
          Value values = kernel.fixedBuffer(name.empty() ? "total" : name,
                                            builder.getF32Type(), kMaxRows);
          // All that is exchanged has a value, whatever rows there are.
          if (space.isSplit())
            ascendc::DuplicateOp::create(builder, loc, values, kernel.f32(0),
                                         kernel.i32(kMaxSplitRows));
          ascendc::ReduceLanesInPlaceOp::create(builder, loc, fold, values,
                                                total, arguments[0]);
          if (space.isSplit())
            stages.partials.push_back(values);
          else
            handOn(result, values, Layout::Rows);
        }
      });
}

/// Where a reduced axis is dealt to the cores: every core stores its partial
/// results, all meet, and every core folds those of all, in the same order.
void SweepLowering::buildExchange(Stages &stages) {
  if (stages.partials.empty())
    return;
  SweepOp sweep = stages.sweep;
  auto pitch = [&] { return kernel.i32(kMaxSplitRows); };
  // A region each: a core may be ahead of others that still read.
  int64_t firstRegion = regions;
  regions += stages.partials.size();
  auto regionOf = [&](size_t i) {
    return kernel.i64((firstRegion + static_cast<int64_t>(i)) * kMaxCores *
                      kMaxSplitRows);
  };
  stages.storePartials = nameOf(stages, "StorePartial");
  kernel.buildStage(
      ascendc::StageKind::CopyOut, stages.storePartials,
      "Store this core's share of the sums.", {}, [&](ValueRange) {
        for (auto [i, values] : llvm::enumerate(stages.partials)) {
          Value core = ascendc::GetBlockIdxOp::create(builder, loc,
                                                      builder.getI64Type());
          Value offset = arith::AddIOp::create(
              builder, loc, regionOf(i),
              kernel.mul(core, kernel.i64(kMaxSplitRows)));
          ascendc::StoreDenseOp::create(builder, loc, kernel.workspace, offset,
                                        values, pitch(), Value());
        }
      });
  SmallVector<Value> all;
  for (size_t i = 0; i < stages.partials.size(); ++i)
    all.push_back(kernel.fixedBuffer("partials", builder.getF32Type(),
                                     kMaxCores * kMaxSplitRows));
  stages.loadPartials = nameOf(stages, "LoadPartial");
  kernel.buildStage(
      ascendc::StageKind::CopyIn, stages.loadPartials,
      "Load the shares of all cores.", {}, [&](ValueRange) {
        Value cores =
            ascendc::GetBlockNumOp::create(builder, loc, builder.getI64Type());
        Value count = arith::TruncIOp::create(
            builder, loc, builder.getI32Type(),
            kernel.mul(cores, kernel.i64(kMaxSplitRows)));
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
          Value values =
              kernel.fixedBuffer("total", builder.getF32Type(), kMaxRows);
          ascendc::CombinePartialsOp::create(builder, loc,
                                             foldOf(kind.getValue()), values,
                                             partials, count, pitch());
          handOn(sweep.getResult(i), values, Layout::Rows);
        }
      });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void SweepLowering::runStage(StringRef stage, ValueRange arguments) {
  if (!stage.empty())
    ascendc::RunOp::create(builder, loc, stage, arguments);
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
  if (stages.storePartials.empty())
    return;
  runStage(stages.storePartials, {});
  ascendc::SyncAllOp::create(builder, loc);
  runStage(stages.loadPartials, {});
  runStage(stages.combine, {});
}

void SweepLowering::runSweep(const Stages &stages, Value unit, Value share) {
  if (!stages.perUnit)
    return runSteps(stages, unit, share);
  Value at = ascendc::StepAtOp::create(builder, kernel.named("at"), kernel.grid,
                                       unit, kernel.i64(0));
  runStage(stages.copyIn, at);
  runStage(stages.compute, at);
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
            runSweep(stages, unit, Value());
          return;
        }
        const Stages &only = sweeps.front();
        Value at = ascendc::TileAtOp::create(
            builder, kernel.named("at"),
            ascendc::TilePositionType::get(builder.getContext()), kernel.grid,
            unit);
        for (StringRef stage : {only.copyIn, only.compute, only.copyOut})
          runStage(stage, at);
      });
}

LogicalResult SweepLowering::run() {
  for (SweepOp sweep : kernel.source.getBody().getOps<SweepOp>()) {
    Stages &stages = sweeps.emplace_back();
    stages.sweep = sweep;
    stages.perUnit = walks() && !sweep.walksReduced();
    stages.title = titleOf(stages);
  }
  buildCopyInRow();
  for (Stages &stages : sweeps) {
    buildCopyIn(stages);
    if (failed(buildCompute(stages)))
      return failure();
    buildCopyOut(stages);
    buildFinish(stages);
    buildExchange(stages);
  }
  buildProcess();
  return success();
}

LogicalResult lossgrad::lowerSweeps(KernelBuilder &kernel) {
  return SweepLowering(kernel).run();
}
