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
#include "llvm/Support/SaveAndRestore.h"

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
    bool perUnit = false;   // runs once per unit of a kernel that walks
    bool perLaunch = false; // runs once, before the others
    std::string title;
    std::string begin, copyIn, compute, copyOut, finish, storePartials,
        loadPartials, combine, take;
    SmallVector<Value> totals;   // what steps accumulate, by reduction
    SmallVector<Value> partials; // sums of this core, by reduction
  };

  bool walks() const { return space.walks(); }
  std::string titleOf(const Stages &stages);
  std::string nameOf(const Stages &stages, StringRef verb) {
    return verb.str() + stages.title;
  }
  /// Whether a sum over everything goes along the lanes; else along the rows.
  bool isOverLanes(const Stages &stages) {
    SweepOp sweep = stages.sweep;
    Value operand = sweep.getEnd().getReduced().front();
    return kernel.layoutOf(cast<ValueType>(operand.getType())) == Layout::Lanes;
  }
  SmallVector<std::pair<std::string, Type>> tileArguments();
  TileContext contextOf(ValueRange arguments);
  void buildCopyInRow();
  void buildCopyIn(Stages &stages);
  LogicalResult buildCompute(Stages &stages);
  void buildCopyOut(Stages &stages);
  void buildFinish(Stages &stages);
  void buildExchange(Stages &stages);
  void buildBegin(Stages &stages);
  void buildLaunchFinish(Stages &stages);
  Value copyLanes(StringRef name, Value total, Value at);
  void handOn(Value result, Value buffer, Layout layout);
  void readScalar(HandedValue &handed);
  Value residentPart(const KernelTensor &tensor, Value at);
  Value buildWide(const KernelTensor &tensor, const TileContext &tile);
  void storeResults(SweepOp sweep, BodyConverter &body, const TileContext &tile,
                    ArrayRef<Value> loaded);

  void buildProcess();
  void runStage(StringRef stage, ValueRange arguments);
  void runSweep(const Stages &stages, Value unit, Value share);
  void runSteps(const Stages &stages, Value unit, Value share);
  void runExchange(const Stages &stages);
  void runLaunch(const Stages &stages);

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
  StringRef result;
  if (!sweep.getResults().empty())
    result = getValueName(sweep.getResult(0));
  else if (stages.perUnit)
    result = cast<StringAttr>(sweep.getEnd().getOutputs()[0]).getValue();
  else
    return "";
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
  if (tensor.isInt) {
    bool alongLanes = tensor.layout == Layout::Lanes;
    Type i32 = builder.getI32Type();
    Value at = tile.at;
    if (alongLanes)
      at = ascendc::FirstRowOp::create(builder, loc, at);
    Value values = alongLanes ? kernel.buffer(tensor.name + "Ints", i32)
                              : kernel.fixedBuffer(tensor.name + "Ints", i32,
                                                   kernel.rowCapacity);
    Value wide = alongLanes ? kernel.buffer("wide", f32)
                            : kernel.fixedBuffer("wide", f32,
                                                 kernel.source.getAnyLayout()
                                                     ? kMaxRows * 17
                                                     : kernel.rowCapacity);
    ascendc::ExpandIntsOp::create(builder, loc, values, tensor.tile,
                                  tensor.strides, at, wide, alongLanes);
    return values;
  }
  if (tensor.layout == Layout::Rows) {
    Value values = kernel.fixedBuffer(label, f32, kernel.rowCapacity);
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
  // Ints and conditions stay vectors, of one element.
  bool isReal = cast<ValueType>(result.getType()).getKind() == Kind::Real;
  if (isReal && kernel.hasOneRow() && layout == Layout::Rows && meetsTiles) {
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
                                 const TileContext &tile,
                                 ArrayRef<Value> loaded) {
  EndOp end = sweep.getEnd();
  SmallVector<Value> results;
  for (auto [name, stored] : llvm::zip_equal(
           end.getOutputs().getAsRange<StringAttr>(), end.getStored()))
    results.push_back(
        body.asLayout(stored.getDefiningOp<NarrowOp>().getOperand(), "filled",
                      kernel.outputNamed(name).layout));
  for (auto [name, result] :
       llvm::zip_equal(end.getOutputs().getAsRange<StringAttr>(), results)) {
    KernelTensor &tensor = kernel.outputNamed(name);
    if (tensor.layout == Layout::Rows) {
      Value narrow =
          kernel.fixedBuffer("narrow", builder.getF32Type(), kMaxRows);
      ascendc::PlaceRowsOp::create(builder, loc, tensor.tile, result,
                                   tensor.strides, tile.at, narrow);
      continue;
    }
    if (tensor.layout == Layout::Lanes) {
      Value lanes =
          ascendc::TileExtentOp::create(builder, loc, builder.getI32Type(),
                                        tile.at, ascendc::TileExtent::Pitch);
      kernel.buildNarrow(tensor, tensor.tile, result, lanes);
      continue;
    }
    bool inPlace = !tensor.code && tensor.tile.getType() == result.getType() &&
                   !llvm::is_contained(loaded, result) &&
                   result.getDefiningOp<ascendc::BufferOp>() &&
                   llvm::count(results, result) == 1;
    if (!inPlace) {
      kernel.buildNarrow(tensor, tensor.tile, result, tile.count);
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
  // A total is a whole tile, or as long as a vector of rows: each step adds to
  // it element by element.
  bool ofRows = stages.perLaunch && !isOverLanes(stages);
  for (size_t i = 0; i < end.getReduced().size(); ++i)
    stages.totals.push_back(
        ofRows ? kernel.fixedBuffer("partial", builder.getF32Type(),
                                    kLaunchRows, ascendc::Lifetime::Resident)
               : kernel.residentTile("partial"));
  llvm::SaveAndRestore capacity(kernel.rowCapacity,
                                ofRows ? kLaunchRows : kMaxRows);
  if (!stages.totals.empty()) {
    arguments.push_back(
        {"whole", ascendc::TilePositionType::get(builder.getContext())});
    arguments.push_back({"step", builder.getI64Type()});
  }
  LogicalResult result = success();
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.compute,
      stages.perLaunch ? "Add up one step, in float."
      : stages.perUnit ? "Compute what a unit has once, in float."
      : kernel.source.getAnyLayout()
          ? "Expand the inputs to dense tiles and compute in float."
          : "Compute one tile in float.",
      arguments, [&](ValueRange given) {
        TileContext tile = contextOf(given);
        BodyConverter body(kernel, tile);
        SmallVector<Value> loaded;
        for (auto [name, access, argument] :
             llvm::zip_equal(sweep.getInputs().getAsRange<StringAttr>(),
                             sweep.getAccesses().getAsRange<AccessAttr>(),
                             sweep.getBody().getArguments())) {
          bool isTable = access.getValue() == Access::Table;
          KernelTensor &tensor = kernel.inputNamed(name, isTable);
          if (isTable) {
            for (Operation *user : argument.getUsers())
              body.bindTable(user->getResult(0), tensor);
            continue;
          }
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
          bool isScalar = handed.layout == Layout::Scalar ||
                          (handed.variable && !stages.perUnit);
          Value held = handed.buffer;
          if (isScalar)
            held = ascendc::ReadOp::create(builder, loc, builder.getF32Type(),
                                           handed.variable);
          body.bind(value, {held, isScalar ? Layout::Scalar : handed.layout});
        }
        result = body.run(sweep);
        if (failed(result))
          return;
        Layout summed = !stages.perLaunch ? Layout::Tile
                        : ofRows          ? Layout::Rows
                                          : Layout::Lanes;
        Value summedAt = tile.at;
        if (ofRows && !stages.totals.empty())
          summedAt = ascendc::AsLanesOp::create(builder, loc, tile.at);
        for (auto [total, reduced, kind] :
             llvm::zip_equal(stages.totals, end.getReduced(),
                             end.getKinds().getAsRange<ReduceKindAttr>()))
          ascendc::AccumulateOp::create(
              builder, loc, foldOf(kind.getValue()), total,
              body.asTensor(reduced, "summands", summed), summedAt,
              given[given.size() - 2], given.back());
        for (auto [i, kept] : llvm::enumerate(end.getKept())) {
          BodyConverter::Held held = body.lookup(kept);
          handOn(sweep.getResult(end.getReduced().size() + i), held.value,
                 held.layout);
        }
        storeResults(sweep, body, tile, loaded);
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
          else if (tensor.layout == Layout::Rows)
            ascendc::StoreRowsOp::create(builder, loc, tensor.global,
                                         tensor.tile, tensor.strides,
                                         arguments[0]);
          else
            ascendc::StoreTileOp::create(
                builder, loc, tensor.global, tensor.tile, tensor.strides,
                tensor.layout == Layout::Lanes
                    ? ascendc::FirstRowOp::create(builder, loc, arguments[0])
                          .getResult()
                    : arguments[0]);
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
          ascendc::Fold fold = foldOf(kind.getValue());
          // A sum that is stored may be one of no elements.
          if (storesVectors) {
            Value steps = ascendc::TileExtentOp::create(
                builder, loc, builder.getI64Type(), kernel.grid,
                ascendc::TileExtent::Steps);
            ascendc::BeginTotalOp::create(builder, loc, fold, total,
                                          arguments[0], steps);
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

/// Sums per lane as they are exchanged: a buffer of as many as there can be,
/// all of which have a value.
Value SweepLowering::copyLanes(StringRef name, Value total, Value at) {
  Value values = kernel.fixedBuffer(name.empty() ? "total" : name,
                                    builder.getF32Type(), kMaxSplitLanes);
  ascendc::DuplicateOp::create(builder, loc, values, kernel.f32(0),
                               kernel.i32(kMaxSplitLanes));
  // Whole blocks: what lies behind them in a row may have no value.
  Value lanes = ascendc::TileExtentOp::create(
      builder, loc, builder.getI32Type(), at, ascendc::TileExtent::Lanes);
  ascendc::DataCopyLocalOp::create(builder, loc, values, total,
                                   kernel.roundUp(lanes, 8));
  return values;
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
  auto regionOf = [&](size_t i) {
    return kernel.i64((firstRegion + static_cast<int64_t>(i)) * kMaxCores *
                      perCore);
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
  SmallVector<Value> all;
  for (size_t i = 0; i < stages.partials.size(); ++i)
    all.push_back(kernel.fixedBuffer("partials", builder.getF32Type(),
                                     kMaxCores * perCore));
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
          Value values =
              stages.perLaunch
                  ? stages.partials[i]
                  : kernel.fixedBuffer("total", builder.getF32Type(),
                                       alongLanes ? kMaxRows : kMaxSplitLanes);
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
  for (size_t i = 0; i < stages.totals.size(); ++i)
    stages.partials.push_back(kernel.fixedBuffer("sum", builder.getF32Type(),
                                                 kMaxSplitRows,
                                                 ascendc::Lifetime::Resident));
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.finish,
      "Fold what the steps added up.", tileArguments(),
      [&](ValueRange arguments) {
        for (auto [total, values, kind] : llvm::zip_equal(
                 stages.totals, stages.partials,
                 sweep.getEnd().getKinds().getAsRange<ReduceKindAttr>())) {
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
                      for (auto [values, result] : llvm::zip_equal(
                               stages.partials, sweep.getResults())) {
                        HandedValue handed = kernel.handed[result];
                        handed.buffer = values;
                        readScalar(handed);
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
  if (!stages.storePartials.empty())
    runExchange(stages);
}

void SweepLowering::runExchange(const Stages &stages) {
  runStage(stages.storePartials, {});
  ascendc::SyncAllOp::create(builder, loc);
  runStage(stages.loadPartials, {});
  runStage(stages.combine, {});
}

/// Once, before the others: all steps, or those of this core, which then meets
/// the others.
void SweepLowering::runLaunch(const Stages &stages) {
  SweepOp sweep = stages.sweep;
  bool overLanes = isOverLanes(stages);
  auto at = [&](Value step) -> Value {
    if (!overLanes)
      return ascendc::RowsAtOp::create(builder, kernel.named("at"), step);
    Value tile =
        walks() ? ascendc::StepAtOp::create(builder, kernel.named("at"),
                                            kernel.grid, kernel.i64(0), step)
                      .getResult()
                : ascendc::TileAtOp::create(
                      builder, kernel.named("at"),
                      ascendc::TilePositionType::get(builder.getContext()),
                      kernel.grid, step)
                      .getResult();
    return ascendc::FirstRowOp::create(builder, loc, tile);
  };
  Value whole = at(kernel.i64(0));
  if (!overLanes)
    whole = ascendc::AsLanesOp::create(builder, kernel.named("whole"), whole);
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
          Value position = at(step);
          runStage(stages.copyIn, position);
          runStage(stages.compute, {position, whole, kernel.i64(1)});
        });
    runStage(stages.finish, whole);
    kernel.buildIf(
        kernel.equals(kernel.field(member::kLaunchSplit, builder.getI32Type()),
                      1),
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
  Value at = ascendc::StepAtOp::create(builder, kernel.named("at"), kernel.grid,
                                       unit, kernel.i64(0));
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
    stages.perLaunch = sweep.isPerLaunch();
    stages.perUnit = walks() && !stages.perLaunch && !sweep.walksReduced();
    stages.title = titleOf(stages);
  }
  buildCopyInRow();
  for (Stages &stages : sweeps) {
    buildCopyIn(stages);
    if (failed(buildCompute(stages)))
      return failure();
    buildCopyOut(stages);
    if (stages.perLaunch)
      buildBegin(stages);
    buildFinish(stages);
    buildExchange(stages);
  }
  buildProcess();
  return success();
}

LogicalResult lossgrad::lowerSweeps(KernelBuilder &kernel) {
  return SweepLowering(kernel).run();
}
