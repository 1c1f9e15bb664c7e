//===- LowerSweeps.cpp - The stages of sweeps -----------------------------===//
//
// Loading and storing one tile, and what is asked of it before it is loaded.
// Computing is the business of LowerBody.cpp. See SweepLowering.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Points.h"
#include "passes/SweepLowering.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// What a sweep is about, for the names of its stages. The last needs none of
/// its own; others are called after what they hand on.
std::string SweepLowering::titleOf(const Stages &stages) {
  SweepOp sweep = stages.sweep;
  if (isOfTiles(stages) && sweep->getNumResults() == 0)
    return "";
  auto nameOfResult = [&](size_t i) {
    return ascendc::detail::capitalized(getValueName(sweep.getResult(i)));
  };
  std::string title = stages.perUnit    ? "Rows"
                      : stages.perLanes ? "Lanes"
                                        : "Sums";
  if (sweep.getEnd().getReduced().size() == 1 && sweep->getNumResults() == 1 &&
      !nameOfResult(0).empty())
    title = nameOfResult(0);
  else if (sweep->getNumResults() == 0)
    title = ascendc::detail::capitalized(
        cast<StringAttr>(sweep.getEnd().getOutputs()[0]).getValue());
  // Another one is told apart by the first result that has a name.
  if (titles.count(title) && sweep->getNumResults() == 0)
    title = "Result";
  for (size_t i = 0; titles.count(title) && i < sweep->getNumResults(); ++i)
    if (std::string name = nameOfResult(i); !name.empty())
      title = name;
  unsigned count = titles[title]++;
  return count ? title + std::to_string(count + 1) : title;
}

std::string SweepLowering::labelOf(SweepOp sweep, size_t reduction,
                                   StringRef role) {
  size_t count = 0;
  for (const Stages &stages : sweeps)
    count += SweepOp(stages.sweep).getEnd().getReduced().size();
  StringRef name = getValueName(sweep.getResult(reduction));
  if (count < 2 || name.empty())
    return role.str();
  return name.str() + ascendc::detail::capitalized(role);
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
    return {Value(), arguments.back(), Value(), Value()};
  Value at = arguments.front();
  // Where several rows are computed at a time, vectors are those of the tile.
  bool isOfGroup = hasGroups() && walks() && arguments.size() == 2;
  bool isOfPlanes = hasPlanes() && arguments.size() == 2;
  return {at,
          ascendc::TileCountOp::create(builder, kernel.named("count"),
                                       builder.getI32Type(), at),
          isOfGroup ? arguments.back() : Value(),
          isOfPlanes ? arguments.back() : Value()};
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

/// Where packed tiles have the elements of a row; the same for all tiles of as
/// many rows.
void SweepLowering::buildOffsets() {
  if (!space.isPacked())
    return;
  kernel.takeOffsets = kernel.residentTile("takeOffsets");
  kernel.spreadOffsets = kernel.residentTile("spreadOffsets");
  rowsAtHand = makeVariable("rowsAtHand", builder.getI32Type());
  auto isTile = [](const KernelTensor &tensor) {
    return tensor.layout == Layout::Tile && tensor.strides;
  };
  auto *tensor = llvm::find_if(kernel.inputs, isTile);
  Value layout = tensor != kernel.inputs.end()
                     ? tensor->strides
                     : llvm::find_if(kernel.outputs, isTile)->strides;
  offsets = "FindRows";
  kernel.buildStage(
      ascendc::StageKind::Compute, offsets,
      "Where the elements of rows are in tiles of as many rows.",
      tileArguments(), [&](ValueRange arguments) {
        Value at = arguments[0];
        ascendc::PackedOffsetsOp::create(
            builder, loc, kernel.takeOffsets, kernel.spreadOffsets, layout, at,
            kernel.buffer("quotients", builder.getF32Type()));
        Value rows = ascendc::TileExtentOp::create(
            builder, loc, builder.getI32Type(), at, ascendc::TileExtent::Rows);
        ascendc::AssignOp::create(builder, loc, rowsAtHand, rows);
      });
}

void SweepLowering::buildCopyIn(Stages &stages) {
  SmallVector<KernelTensor *> loaded;
  for (auto [name, access] :
       llvm::zip_equal(stages.sweep.getInputs().getAsRange<StringAttr>(),
                       stages.sweep.getAccesses().getAsRange<AccessAttr>()))
    if (access.getValue() == Access::Stream ||
        access.getValue() == Access::Keep)
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

//===----------------------------------------------------------------------===//
// Rows and lanes at hand
//===----------------------------------------------------------------------===//

/// The condition on rows under which all results of a sweep are other than 0.
static Value getCommonGuard(SweepOp sweep) {
  Value common;
  for (Value stored : sweep.getEnd().getStored()) {
    std::optional<RowGuard> guard =
        getRowGuard(stored.getDefiningOp<NarrowOp>().getOperand());
    if (!guard || (common && common != guard->condition))
      return {};
    common = guard->condition;
  }
  return common;
}

/// Where rows are taken one by one: the branch around those that are zeros.
void SweepLowering::buildGuard(Stages &stages) {
  SweepOp sweep = stages.sweep;
  Value condition = getCommonGuard(sweep);
  bool isHanded = condition && kernel.handed.count(condition);
  if (!hasGroups() || !walks() || !isOfTiles(stages) || !isHanded)
    return;
  Value kept = kernel.handed[condition].buffer;
  stages.guard = makeVariable("isKept", builder.getI32Type());
  stages.takeGuard = nameOf(stages, "TakeGuard");
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.takeGuard,
      "Whether the row is computed; otherwise it is not read, either.",
      {{"first", builder.getI32Type()}}, [&](ValueRange arguments) {
        Value bits = kernel.view(kept, builder.getI32Type());
        Value value = ascendc::GetValueOp::create(
            builder, loc, builder.getI32Type(), bits, arguments[0]);
        ascendc::AssignOp::create(builder, loc, stages.guard, value);
      });
  stages.clear = nameOf(stages, "Clear");
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.clear, "A row of zeros.",
      tileArguments(), [&](ValueRange arguments) {
        for (auto name : sweep.getEnd().getOutputs().getAsRange<StringAttr>())
          ascendc::ClearTileOp::create(
              builder, loc, kernel.outputNamed(name).tile, arguments[0]);
      });
}

/// Where lanes are walked over: what tells that a tile has others than those at
/// hand.
void SweepLowering::buildLaneBegin(Stages &stages) {
  if (!stages.perLanes || !walks())
    return;
  stages.lanes = makeVariable("lanesAtHand", builder.getI32Type());
  stages.begin = nameOf(stages, "Begin");
  kernel.buildStage(ascendc::StageKind::Compute, stages.begin,
                    "No lanes are at hand yet.", {}, [&](ValueRange) {
                      ascendc::AssignOp::create(builder, loc, stages.lanes,
                                                kernel.i32(-1));
                    });
  stages.take = nameOf(stages, "Note");
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.take, "These lanes are at hand.",
      tileArguments(), [&](ValueRange arguments) {
        Value first = ascendc::FirstLaneOp::create(builder, loc, arguments[0]);
        ascendc::AssignOp::create(builder, loc, stages.lanes, first);
      });
}

/// Where classes pass: what is looked up in is loaded once, whole.
void SweepLowering::buildTables() {
  SmallVector<KernelTensor *> tables;
  for (KernelTensor &tensor : kernel.inputs)
    if (tensor.table)
      tables.push_back(&tensor);
  if (tables.empty())
    return;
  copyInTables = "CopyInTables";
  kernel.buildStage(ascendc::StageKind::CopyIn, copyInTables,
                    "Load what is looked up in.", {}, [&](ValueRange) {
                      for (KernelTensor *tensor : tables)
                        ascendc::LoadDenseOp::create(
                            builder, loc, tensor->tile, tensor->global,
                            kernel.i64(0), kernel.classCount(),
                            kernel.dtypeCode(*tensor));
                    });
  computeTables = "ComputeTables";
  kernel.buildStage(ascendc::StageKind::Compute, computeTables,
                    "What is looked up in, in float.", {}, [&](ValueRange) {
                      for (KernelTensor *tensor : tables)
                        kernel.buildWiden(*tensor, tensor->table, tensor->tile,
                                          kernel.classCount());
                    });
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
// All sweeps
//===----------------------------------------------------------------------===//

/// Whether a sweep only hands on what lanes have once.
bool SweepLowering::isPerLanes(SweepOp sweep) {
  ValueRange kept = sweep.getEnd().getKept();
  return hasGroups() && !kept.empty() &&
         kernel.layoutOf(cast<ValueType>(kept[0].getType())) == Layout::Lanes;
}

LogicalResult SweepLowering::run() {
  for (SweepOp sweep : kernel.source.getBody().getOps<SweepOp>()) {
    Stages &stages = sweeps.emplace_back();
    stages.sweep = sweep;
    stages.perLaunch = sweep.isPerLaunch();
    stages.perLanes = isPerLanes(sweep);
    stages.perUnit = (walks() || hasGroups()) && !stages.perLaunch &&
                     !stages.perLanes && !sweep.walksReduced();
    stages.title = titleOf(stages);
  }
  buildCopyInRow();
  buildTables();
  buildOffsets();
  for (Stages &stages : sweeps) {
    buildCopyIn(stages);
    if (failed(buildCompute(stages)))
      return failure();
    buildGuard(stages);
    buildLaneBegin(stages);
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
