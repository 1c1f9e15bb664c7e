//===- KernelSingleRows.cpp - Guards and points as vector calls -----------===//
//
// The part of BodyConverter for what rows have of their own: rows that are
// zeros, one place of a row that differs, and, where rows are taken one by one,
// values per row as scalars.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"
#include "passes/Points.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

/// A tile, or one row for all, with one value per row; false if it is not that.
bool BodyConverter::convertSingleRows(Operation *op,
                                      ascendc::RowFunction function,
                                      StringRef label) {
  using Function = ascendc::RowFunction;
  if (function != Function::Plus && function != Function::Minus &&
      function != Function::Times)
    return false;
  Held a = values.lookup(op->getOperand(0)),
       b = values.lookup(op->getOperand(1));
  bool isReversed = a.layout == Layout::Rows;
  Held rows = isReversed ? a : b, other = isReversed ? b : a;
  if (rows.layout != Layout::Rows || other.layout == Layout::Rows)
    return false;
  Value dst = fresh(op->getResult(0), label, Layout::Tile);
  ascendc::WithSingleRowsOp::create(
      builder, kernel.loc, function, dst, other.value, rows.value, tile.first,
      tile.at, isReversed && function == Function::Minus,
      other.layout == Layout::Lanes);
  values[op->getResult(0)] = {dst, Layout::Tile};
  return true;
}

Value BodyConverter::ownTile(Value value, StringRef label) {
  Value held = asTile(value, label);
  Operation *op = value.getDefiningOp();
  bool isOwn = !isTensor(value) ||
               values.lookup(value).layout != Layout::Tile ||
               (op && !isa<WidenOp>(op) && value.hasOneUse());
  if (isOwn)
    return held;
  Value copy = temporary(label, Layout::Tile);
  ascendc::DataCopyLocalOp::create(builder, kernel.loc, copy, held,
                                   countOf(Layout::Tile));
  return copy;
}

/// Rows that are exact zeros where a condition fails, whatever was computed.
bool BodyConverter::convertRowGuard(SelectOp select) {
  std::optional<RowGuard> guard = getRowGuard(select);
  if (!guard || !isTensor(guard->condition) || !isTensor(guard->value))
    return false;
  Held condition = values.lookup(guard->condition);
  if (condition.layout != Layout::Rows ||
      values.lookup(guard->value).layout != Layout::Tile)
    return false;
  if (tile.first) {
    Value own = ownTile(guard->value, "kept");
    ascendc::ClearRowsOp::create(builder, kernel.loc, own, condition.value,
                                 tile.first, tile.at);
    values[select] = {own, Layout::Tile};
    return true;
  }
  Value dst = fresh(select, "kept", Layout::Tile);
  Value kept = indicator(condition);
  if (condition.isIndicator) { // which others may need
    kept = temporary("indicator", Layout::Rows);
    ascendc::DataCopyLocalOp::create(builder, kernel.loc, kept, condition.value,
                                     kernel.roundUp(countOf(Layout::Rows), 8));
  }
  ascendc::MaskRowsOp::create(
      builder, kernel.loc, dst, get(guard->value), kept, tile.at,
      kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8));
  values[select] = {dst, Layout::Tile};
  return true;
}

/// Short rows, many at a time: what every element would be as the point, taken
/// where the element is one.
void BodyConverter::convertManyPoints(PointOp point) {
  Value dense = asTile(point.getDense(), "dense");
  Value changed;
  if (point.getKind() == PointKind::Set) {
    changed = asTile(point.getValue(), "changed");
  } else {
    changed = temporary("changed", Layout::Tile);
    if (isTensor(point.getValue()))
      ascendc::WithRowsOp::create(
          builder, kernel.loc, ascendc::RowFunction::Plus, changed, dense,
          spread(get(point.getValue())), tile.at, /*reversed=*/false);
    else
      commutative<ascendc::AddOp, ascendc::AddsOp>(
          changed, dense, get(point.getValue()), Layout::Tile);
  }
  Value hit = compareClasses(values.lookup(point.getIndex()), "hit");
  Value dst = fresh(point, "pointed", Layout::Tile);
  ascendc::SelectOp::create(builder, kernel.loc, dst, hit, changed, dense,
                            countOf(Layout::Tile));
  values[point] = {dst, Layout::Tile};
}

LogicalResult BodyConverter::convertPoint(PointOp point) {
  Held index = values.lookup(point.getIndex());
  if (tile.firstClass)
    return convertPlanePoint(point);
  if (index.layout != Layout::Rows)
    return point.emitError("no schedule carries this yet: a point with an "
                           "index that does not lie along the rows");
  // Rows one by one, of a group or alone: a call for each.
  Value first = tile.first;
  if (!first && kernel.hasOneRow())
    first = kernel.i32(0);
  if (!first)
    return convertManyPoints(point), success();
  Value own = ownTile(point.getDense(), "dense");
  ascendc::PointsOp::create(
      builder, kernel.loc,
      point.getKind() == PointKind::Add ? ascendc::Point::Add
                                        : ascendc::Point::Set,
      own, index.value, get(point.getValue()), first, tile.at);
  values[point] = {own, Layout::Tile};
  return success();
}
