//===- KernelPlanes.cpp - Classes along the rows, as vector calls ---------===//
//
// The part of BodyConverter for kernels whose lanes stay while classes pass. A
// tile has a few rows, each of one class and thousands of lanes, so that a call
// per row is long. What lanes have once (the index as a float, what a point
// puts there, rounded where that is all there is to a result) was handed on by
// a sweep of its own: a row costs one comparison with its class and one choice.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

static Type elementOf(Value tensor) {
  return cast<ascendc::LocalTensorType>(tensor.getType()).getElementType();
}

void BodyConverter::forEachRow(function_ref<void(Value)> body) {
  Value rows =
      ascendc::TileExtentOp::create(builder, kernel.loc, builder.getI32Type(),
                                    tile.at, ascendc::TileExtent::Rows);
  auto loop = scf::ForOp::create(builder, kernel.named("row"), kernel.i32(0),
                                 rows, kernel.i32(1));
  loop->setAttr("ascendc.independent", builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Where the bits of a row begin: each has room for all lanes that a tile may
/// have, and so begins on a block. Offsets into bits are bytes.
Value BodyConverter::bitsOfRow(Value bits, Value row) {
  Value rowBytes = kernel.div(
      kernel.field(member::kRowLength, builder.getI32Type()), kernel.i32(8));
  Value bytes = kernel.view(bits, builder.getIntegerType(8, false));
  return kernel.view(bytes, elementOf(bits), kernel.mul(row, rowBytes));
}

Value BodyConverter::comparePlanes(Value index) {
  Value bits = mask("hit", Layout::Tile);
  Value whole = wholeCountOf(Layout::Lanes);
  forEachRow([&](Value row) {
    Value number =
        arith::AddIOp::create(builder, kernel.loc, tile.firstClass, row);
    Value asFloat = arith::SIToFPOp::create(builder, kernel.loc,
                                            builder.getF32Type(), number);
    ascendc::CompareScalarOp::create(builder, kernel.loc, bitsOfRow(bits, row),
                                     index, asFloat, ascendc::CompareMode::EQ,
                                     whole);
  });
  return bits;
}

LogicalResult BodyConverter::convertPlanePoint(PointOp point) {
  Value index = get(point.getIndex());
  if (!index || !elementOf(index).isF32())
    return point.emitError("no schedule carries this yet: an index that does "
                           "not lie along the lanes of planes");
  Value value = asTensor(point.getValue(), "value", Layout::Lanes);
  Value lanes = countOf(Layout::Lanes);
  Type element = elementOf(value);
  auto rowOf = [&](Value tensor, Value row, Type as = {}) {
    return kernel.view(tensor, as ? as : elementOf(tensor),
                       kernel.mul(row, lanes));
  };
  std::optional<double> constant = getRealConstant(point.getDense());
  if (constant || !isTensor(point.getDense())) {
    Value bits = comparePlanes(index);
    if (!constant && !get(point.getDense()))
      return point.emitError("no schedule carries this yet: a point in what "
                             "has no value in this kernel");
    // Zeros are the same bits in every type of that width, and so is a choice.
    bool isRounded = !element.isF32();
    Type as = isRounded ? Type(builder.getF16Type()) : element;
    Value dst = isRounded ? temporary("chosen", Layout::Tile, element)
                          : fresh(point, "pointed", Layout::Tile);
    Value other = constant ? kernel.f32(*constant) : get(point.getDense());
    forEachRow([&](Value row) {
      Value from = isRounded ? kernel.view(value, as) : value;
      ascendc::SelectScalarOp::create(builder, kernel.loc, rowOf(dst, row, as),
                                      bitsOfRow(bits, row), from, other, lanes);
    });
    values[point] = {dst, Layout::Tile};
    return success();
  }
  Value dense = asTile(point.getDense(), "dense");
  Value changed;
  if (point.getKind() == PointKind::Add) {
    changed = temporary("changed", Layout::Tile);
    ascendc::WithLanesOp::create(builder, kernel.loc,
                                 ascendc::RowFunction::Plus, changed, dense,
                                 value, tile.at, /*reversed=*/false);
  }
  Value bits = comparePlanes(index);
  Value dst = fresh(point, "pointed", Layout::Tile);
  forEachRow([&](Value row) {
    ascendc::SelectOp::create(
        builder, kernel.loc, rowOf(dst, row), bitsOfRow(bits, row),
        changed ? rowOf(changed, row) : value, rowOf(dense, row), lanes);
  });
  values[point] = {dst, Layout::Tile};
  return success();
}

/// From a table that is in UB whole. An index outside of it takes the nearest.
void BodyConverter::convertPlaneGather(GatherOp gather, KernelTensor &table) {
  Value index = get(gather.getIndex());
  Type i32 = builder.getI32Type();
  Value offsets = temporary("offsets", Layout::Lanes, i32);
  Value dst = fresh(gather, "taken", Layout::Lanes);
  Value last = arith::SubIOp::create(builder, kernel.loc, kernel.classCount(),
                                     kernel.i32(1));
  binary<ascendc::MaxsOp>(offsets, index, kernel.i32(0), Layout::Lanes);
  binary<ascendc::MinsOp>(offsets, offsets, last, Layout::Lanes);
  binary<ascendc::MulsOp>(offsets, offsets, kernel.i32(sizeof(float)),
                          Layout::Lanes);
  Type bytes = builder.getIntegerType(32, /*isSigned=*/false);
  ascendc::GatherOp::create(builder, kernel.loc, dst, table.table,
                            kernel.view(offsets, bytes), kernel.i32(0),
                            countOf(Layout::Lanes));
  values[gather] = {dst, Layout::Lanes};
}

/// A value that is rounded before it is stored, once for all classes.
void BodyConverter::convertRound(NarrowOp narrow) {
  Held held = values.lookup(narrow.getOperand());
  Type element = kernel.elementType(narrow.getElement());
  if (!isTensor(narrow.getOperand()) || element.isF32()) {
    values[narrow] = held;
    return;
  }
  Value dst = temporary("rounded", held.layout, element);
  kernel.buildRound(narrow.getElement(), dst, held.value, countOf(held.layout));
  values[narrow] = {dst, held.layout};
}
