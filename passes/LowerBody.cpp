//===- LowerBody.cpp - The stage that computes a tile ---------------------===//
//
// What the body of a sweep works on, what becomes of its results, and what it
// hands on to later sweeps. The ops of the body are lowered by the patterns of
// Body/BodyPatterns.h. See SweepLowering.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"
#include "passes/Points.h"
#include "passes/SweepLowering.h"
#include "passes/UniformValues.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// What a body works on
//===----------------------------------------------------------------------===//

/// The part of a resident row that a step works on.
Value SweepLowering::residentPart(Value row, Value at) {
  Value first = ascendc::FirstLaneOp::create(builder, loc, at);
  auto type = cast<ascendc::LocalTensorType>(row.getType());
  return kernel.view(row, type.getElementType(), first);
}

/// The part of a group's vector that belongs to a tile.
Value SweepLowering::partOfGroup(Value vector, Value first) {
  auto type = cast<ascendc::LocalTensorType>(vector.getType());
  Value part = kernel.view(vector, type.getElementType(), first);
  auto buffer = vector.getDefiningOp<ascendc::BufferOp>();
  part.setLoc(kernel.named(
      buffer ? (buffer.getValueName().getValue() + "Here").str() : ""));
  return part;
}

/// A tensor's values in float32, along what it has of rows and lanes.
Value SweepLowering::buildWide(const KernelTensor &tensor,
                               const TileContext &tile, Access access) {
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
                 : alongLanes ? kernel.laneBuffer("work", f32)
                              : kernel.fixedBuffer("work", f32,
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
        "work", f32, kernel.source.getAnyLayout() ? getMaxRows() * 17 : 128);
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
    Value wide = alongLanes ? kernel.laneBuffer("work", f32)
                            : kernel.buffer("work", f32);
    Value blocks = kernel.fixedBuffer("rowBlocks", f32, getMaxRows() * 8);
    ascendc::ExpandTileOp::create(builder, loc, dst, tensor.tile,
                                  tensor.strides, at, wide, blocks);
    return dst;
  }
  if (tensor.row) {
    Value part = residentPart(tensor.row, tile.at);
    if (access == Access::Keep)
      kernel.buildWiden(tensor, part, tensor.tile, tile.count);
    return part;
  }
  Value loaded =
      tensor.isResident ? residentPart(tensor.tile, tile.at) : tensor.tile;
  if (!tensor.code && kernel.elementType(tensor.element).isF32())
    return loaded;
  Value wide = kernel.buffer(label, f32);
  kernel.buildWiden(tensor, wide, loaded, tile.count);
  return wide;
}

/// A member that one stage sets and others read.
Value SweepLowering::makeVariable(StringRef name, Type type) {
  return kernel.variable(name, type);
}

//===----------------------------------------------------------------------===//
// What later sweeps work on
//===----------------------------------------------------------------------===//

/// Whether results are zeros in the rows where a condition fails.
static bool guardsRows(Value condition) {
  return llvm::any_of(condition.getUsers(), [&](Operation *user) {
    std::optional<RowGuard> guard =
        isa<SelectOp>(user) ? getRowGuard(user->getResult(0)) : std::nullopt;
    return guard && guard->condition == condition;
  });
}

/// The least of the indicators of a group: where it is not 0, no row is
/// cleared.
Value SweepLowering::readLowest(Value indicators, Value rows, Value at) {
  Type i32 = builder.getI32Type();
  Value copy = kernel.fixedBuffer("indicators", builder.getF32Type(),
                                  kernel.rowCapacity);
  Value lowest = kernel.fixedBuffer("lowest", builder.getF32Type(), 8);
  ascendc::DataCopyLocalOp::create(builder, loc, copy, indicators,
                                   kernel.roundUp(rows, 8));
  ascendc::ReduceLanesInPlaceOp::create(
      builder, loc, ascendc::Fold::Min, lowest, copy,
      ascendc::AsLanesOp::create(builder, loc, at));
  Value variable = makeVariable("lowestIndicator", i32);
  ascendc::AssignOp::create(
      builder, loc, variable,
      ascendc::GetValueOp::create(builder, loc, i32, kernel.view(lowest, i32),
                                  kernel.i32(0)));
  return variable;
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
    if (guardsRows(result))
      handed.lowest = readLowest(handed.buffer, rows, at);
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
    auto vector = handed.buffer.getDefiningOp<ascendc::BufferOp>();
    if (name.empty())
      name = vector ? vector.getValueName().getValue() : "row";
    handed.variable = makeVariable(name.str() + "Value", builder.getF32Type());
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

//===----------------------------------------------------------------------===//
// The stage
//===----------------------------------------------------------------------===//

/// Rounds results into the tiles of the outputs. One that needs no rounding is
/// computed where it is stored from.
void SweepLowering::storeResults(SweepOp sweep, BodyBuilder &body,
                                 ArrayRef<Held> stored, ArrayRef<Held> inputs) {
  EndOp end = sweep.getEnd();
  const TileContext &tile = body.tile;
  SmallVector<Value> results;
  for (auto [name, held] :
       llvm::zip_equal(end.getOutputs().getAsRange<StringAttr>(), stored))
    results.push_back(
        body.asTensor(held, "filled", kernel.outputNamed(name).layout));
  auto isInput = [&](Value value) {
    return llvm::any_of(inputs,
                        [&](const Held &held) { return held.value == value; });
  };
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
                   !isInput(result) &&
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

/// The tensors that a sweep reads, as its stage has them.
SmallVector<Held> SweepLowering::buildInputs(SweepOp sweep,
                                             const TileContext &tile) {
  SmallVector<Held> inputs;
  for (auto [name, access] :
       llvm::zip_equal(sweep.getInputs().getAsRange<StringAttr>(),
                       sweep.getAccesses().getAsRange<AccessAttr>())) {
    bool isTable = access.getValue() == Access::Table;
    KernelTensor &tensor = kernel.inputNamed(name, isTable);
    if (isTable)
      inputs.push_back({tensor.global, tensor.layout});
    else if (tensor.variable)
      inputs.push_back({ascendc::ReadOp::create(
          builder, kernel.named(tensor.name + "Scalar"), builder.getF32Type(),
          tensor.variable)});
    else
      inputs.push_back(
          {buildWide(tensor, tile, access.getValue()), tensor.layout});
  }
  return inputs;
}

/// What stands for the values around a sweep: what earlier ones hand on, and
/// what the host computes. `first` is where the tile begins in a group.
SmallVector<std::pair<Value, Held>>
SweepLowering::buildOutside(const Stages &stages, const TileContext &tile,
                            Value first) {
  SmallVector<std::pair<Value, Held>> outside;
  SweepOp sweep = stages.sweep;
  auto isUsed = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return sweep->isProperAncestor(user);
    });
  };
  bool isOfGroup = hasGroups() && isOfTiles(stages);
  for (auto &[value, handed] : kernel.handed) {
    if (!isUsed(value))
      continue;
    bool isScalar =
        handed.layout == Layout::Scalar || (handed.variable && !stages.perUnit);
    Held held{handed.buffer, handed.layout, handed.isIndicator, handed.lowest};
    if (isOfGroup && !tile.first && handed.layout == Layout::Rows)
      held.value = partOfGroup(handed.buffer, first);
    if (isScalar)
      held = {ascendc::ReadOp::create(builder, loc, builder.getF32Type(),
                                      handed.variable)};
    outside.push_back({value, held});
  }
  for (BlockArgument uniform : kernel.source.getBody().getArguments())
    if (isUsed(uniform))
      outside.push_back({uniform, {kernel.scalars.lookup(uniform)}});
  return outside;
}

/// Adds what a step gives to the total. `given` ends with the largest tile and
/// the step.
void SweepLowering::buildAccumulate(const Stages &stages, ascendc::Fold fold,
                                    Value total, Value summands, Value at,
                                    ValueRange given) {
  Value whole = given[given.size() - 2], step = given.back();
  if (isFoldedInTheEnd(stages))
    ascendc::AccumulateLanesOp::create(builder, loc, fold, total, summands, at,
                                       whole, step, countSteps());
  else
    ascendc::AccumulateOp::create(builder, loc, fold, total, summands, at,
                                  whole, step);
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
  for (size_t i = 0; i < end.getReduced().size(); ++i) {
    std::string label = labelOf(sweep, i, "partial");
    // What is folded in place is the result.
    bool isInPlace =
        !stages.perLaunch && !*space.areLanesReduced() && !space.isSplit();
    if (StringRef name = getValueName(sweep.getResult(i));
        isInPlace && !name.empty())
      label = name.str();
    stages.totals.push_back(
        ofRows ? kernel.fixedBuffer(label, builder.getF32Type(), kLaunchRows,
                                    ascendc::Lifetime::Resident)
        : stages.perLaunch ? kernel.laneBuffer(label, builder.getF32Type(),
                                               ascendc::Lifetime::Resident)
                           : kernel.residentTile(label));
  }
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
        BodyBuilder body(kernel, tile);
        LayoutConverter layouts(kernel,
                                /*rowsAreScalars=*/walks() &&
                                    kernel.hasOneRow() && isOfTiles(stages));
        SmallVector<Held> inputs = buildInputs(sweep, tile);
        auto outside = buildOutside(stages, tile, given.back());
        auto copy = cast<SweepOp>(builder.clone(*sweep));
        copy.getGuardMutable().clear();
        for (auto [argument, held] :
             llvm::zip_equal(copy.getBody().getArguments(), inputs))
          layouts.bind(argument, held);
        FailureOr<BodyResults> results =
            convertBody(copy, outside, layouts, body);
        result = results;
        if (failed(result))
          return;
        Layout summed = !stages.perLaunch ? Layout::Tile
                        : ofRows          ? Layout::Rows
                                          : Layout::Lanes;
        Value summedAt = tile.at;
        if (ofRows && !stages.totals.empty())
          summedAt = ascendc::AsLanesOp::create(builder, loc, tile.at);
        for (auto [total, reduced, kind] :
             llvm::zip_equal(stages.totals, results->reduced,
                             end.getKinds().getAsRange<ReduceKindAttr>()))
          buildAccumulate(stages, foldOf(kind.getValue()), total,
                          body.asTensor(reduced, "summands", summed), summedAt,
                          given);
        for (auto [i, kept] : llvm::enumerate(results->kept))
          handOn(sweep.getResult(end.getReduced().size() + i), kept.value,
                 kept.layout, tile.at);
        storeResults(sweep, body, results->stored, inputs);
      });
  return result;
}
