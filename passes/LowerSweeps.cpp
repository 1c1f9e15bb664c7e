//===- LowerSweeps.cpp - The stages of sweeps -----------------------------===//
//
// Loading, computing and storing one tile. See SweepLowering.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Points.h"
#include "passes/SweepLowering.h"
#include "passes/UniformValues.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lossgrad;

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
  std::string title = !result.empty()   ? ascendc::detail::capitalized(result)
                      : stages.perUnit  ? "Rows"
                      : stages.perLanes ? "Lanes"
                                        : "Sums";
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

/// The part of a resident row that a step works on.
Value SweepLowering::residentPart(const KernelTensor &tensor, Value at) {
  Value first = ascendc::FirstLaneOp::create(builder, loc, at);
  auto type = cast<ascendc::LocalTensorType>(tensor.tile.getType());
  return kernel.view(tensor.tile, type.getElementType(), first);
}

/// The part of a group's vector that belongs to a tile.
Value SweepLowering::partOfGroup(Value vector, Value first) {
  auto type = cast<ascendc::LocalTensorType>(vector.getType());
  Value part = kernel.view(vector, type.getElementType(), first);
  auto buffer = vector.getDefiningOp<ascendc::BufferOp>();
  part.setLoc(kernel.named(buffer ? (buffer.getLabel() + "Here").str() : ""));
  return part;
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
    Value values = alongLanes ? kernel.laneBuffer(tensor.name + "Ints", i32)
                              : kernel.fixedBuffer(tensor.name + "Ints", i32,
                                                   kernel.rowCapacity);
    Value wide = !kernel.castsLongInts()
                     ? kernel.fixedBuffer("work", f32, kIntWork)
                 : alongLanes ? kernel.laneBuffer("wide", f32)
                              : kernel.fixedBuffer("wide", f32,
                                                   kernel.source.getAnyLayout()
                                                       ? getMaxRows() * 17
                                                       : kernel.rowCapacity);
    ascendc::ExpandIntsOp::create(builder, loc, values, tensor.tile,
                                  tensor.strides, at, wide, alongLanes);
    return values;
  }
  if (tensor.layout == Layout::Rows) {
    Value values = kernel.rowBuffer(label, f32);
    Value wide = kernel.fixedBuffer(
        "wide", f32, kernel.source.getAnyLayout() ? getMaxRows() * 17 : 128);
    ascendc::ExpandRowsOp::create(builder, loc, values, tensor.tile,
                                  tensor.strides, tile.at, wide);
    return values;
  }
  if (kernel.source.getAnyLayout() || tensor.layout == Layout::Lanes) {
    Value at = tile.at;
    if (tensor.layout == Layout::Lanes)
      at = ascendc::FirstRowOp::create(builder, loc, at);
    bool alongLanes = tensor.layout == Layout::Lanes;
    Value dst =
        alongLanes ? kernel.laneBuffer(label, f32) : kernel.buffer(label, f32);
    Value wide = alongLanes ? kernel.laneBuffer("wide", f32)
                            : kernel.buffer("wide", f32);
    Value blocks = kernel.fixedBuffer("rowBlocks", f32, getMaxRows() * 8);
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

/// A member that one stage sets and others read.
Value SweepLowering::makeVariable(StringRef name, Type type) {
  OpBuilder members(kernel.tileLength.getDefiningOp());
  members.setInsertionPointAfter(kernel.tileLength.getDefiningOp());
  return ascendc::VariableOp::create(
      members, loc, ascendc::VariableType::get(builder.getContext(), type),
      kernel.uniqueLabel(name));
}

/// Makes a value known to later sweeps.
void SweepLowering::handOn(Value result, Value buffer, Layout layout,
                           Value at) {
  HandedValue handed{buffer, layout, Value()};
  bool isCondition = cast<ValueType>(result.getType()).getKind() == Kind::Bool;
  // The scalar unit reads one element per row, not bits.
  if (isCondition && hasGroups() && layout == Layout::Rows) {
    Value ones =
        kernel.fixedBuffer("ones", builder.getF32Type(), kernel.rowCapacity);
    StringRef name = getValueName(result);
    handed.buffer =
        kernel.fixedBuffer(name.empty() ? "indicator" : name,
                           builder.getF32Type(), kernel.rowCapacity);
    handed.isIndicator = true;
    Value rows = ascendc::TileExtentOp::create(
        builder, loc, builder.getI32Type(), at, ascendc::TileExtent::Rows);
    ascendc::DuplicateOp::create(builder, loc, ones, kernel.f32(1), rows);
    ascendc::SelectScalarOp::create(builder, loc, handed.buffer, buffer, ones,
                                    kernel.f32(0), rows);
  }
  // Sweeps over tiles take it as a scalar where there is one row.
  bool meetsTiles = llvm::any_of(result.getUsers(), [](Operation *user) {
    return user->getParentOfType<SweepOp>().walksReduced();
  });
  if (hasPlanes() && layout == Layout::Lanes && meetsTiles &&
      cast<ValueType>(result.getType()).getKind() == Kind::Int)
    handed.buffer = buildClasses(result, buffer, at);
  // Ints and conditions stay vectors, of one element.
  bool isReal = cast<ValueType>(result.getType()).getKind() == Kind::Real;
  if (isReal && kernel.hasOneRow() && layout == Layout::Rows && meetsTiles) {
    StringRef name = getValueName(result);
    handed.variable = makeVariable(
        (name.empty() ? "row" : name).str() + "Value", builder.getF32Type());
    readScalar(handed);
  }
  kernel.handed[result] = handed;
}

/// The mode in which products cast ints to float; those here are exact in any.
static ascendc::RoundMode intMode(ascendc::ProgramOp program) {
  bool hasNone = llvm::all_of(
      program.getFamilyTables(), [](const targets::Family *family) {
        return family->casts(targets::Dtype::Int32, targets::Dtype::Float32,
                             targets::Round::NONE);
      });
  return hasNone ? ascendc::RoundMode::NONE : ascendc::RoundMode::RINT;
}

/// The index of each lane as tiles compare it with their classes, in float: one
/// beside the classes where it is none of them, so that all are exact.
Value SweepLowering::buildClasses(Value result, Value index, Value at) {
  Type i32 = builder.getI32Type();
  StringRef name = getValueName(result);
  Value count = ascendc::TileExtentOp::create(builder, loc, i32, at,
                                              ascendc::TileExtent::Pitch);
  Value near = kernel.laneBuffer("near", i32);
  Value classes = kernel.laneBuffer(
      name.empty() ? "classes" : (name + "Class").str(), builder.getF32Type());
  auto clamp = [&](auto type, Value source, Value bound) {
    decltype(type)::create(builder, loc, near, source, bound, count, Value(),
                           Value(), ValueRange(), DenseI64ArrayAttr());
  };
  clamp(ascendc::MaxsOp(), index, kernel.i32(-1));
  clamp(ascendc::MinsOp(), near, kernel.classCount());
  ascendc::CastOp::create(builder, loc, classes, near, intMode(kernel.program),
                          count, Value(), Value(), ValueRange(),
                          DenseI64ArrayAttr());
  return classes;
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
      Value narrow = kernel.fixedBuffer("narrow", builder.getF32Type(),
                                        kernel.rowCapacity);
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
        ofRows             ? kernel.fixedBuffer("partial", builder.getF32Type(),
                                                kLaunchRows, ascendc::Lifetime::Resident)
        : stages.perLaunch ? kernel.laneBuffer("partial", builder.getF32Type(),
                                               ascendc::Lifetime::Resident)
                           : kernel.residentTile("partial"));
  llvm::SaveAndRestore capacity(kernel.rowCapacity, ofRows ? kLaunchRows
                                                    : stages.perUnit
                                                        ? kernel.groupCapacity()
                                                        : getMaxRows());
  if (!stages.totals.empty()) {
    arguments.push_back(
        {"whole", ascendc::TilePositionType::get(builder.getContext())});
    arguments.push_back({"step", builder.getI64Type()});
  }
  bool isOfGroup = hasGroups() && isOfTiles(stages);
  if (isOfGroup)
    arguments.push_back({"first", builder.getI32Type()});
  if (hasPlanes() && isOfTiles(stages))
    arguments.push_back({"firstClass", builder.getI32Type()});
  LogicalResult result = success();
  kernel.buildStage(
      ascendc::StageKind::Compute, stages.compute,
      stages.perLaunch  ? "Add up one step, in float."
      : stages.perLanes ? "Compute what lanes have once, in float."
      : stages.perUnit  ? "Compute what a unit has once, in float."
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
          if (isOfGroup && !tile.first && handed.layout == Layout::Rows)
            held = partOfGroup(handed.buffer, given.back());
          if (isScalar)
            held = ascendc::ReadOp::create(builder, loc, builder.getF32Type(),
                                           handed.variable);
          body.bind(value, {held, isScalar ? Layout::Scalar : handed.layout,
                            handed.isIndicator});
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
                 held.layout, tile.at);
        }
        storeResults(sweep, body, tile, loaded);
      });
  return result;
}

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
