//===- PointCalls.cpp - One place of a row that differs -------------------===//
//
// Where rows are taken one by one, a point is a call for the row; where they
// are short, one comparison and one choice for the tile.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"
#include "passes/Families.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// What is along the rows, in kernels other than those of planes.
struct PointPattern : BodyPattern<PointOp> {
  using BodyPattern::BodyPattern;

  /// Rows before those of the tile, where rows are taken one by one, of a group
  /// or alone.
  bool takesRowByRow() const {
    return body.tile.first || body.kernel.hasOneRow();
  }
};

/// A call for each row.
struct PointOfRow : PointPattern {
  using PointPattern::PointPattern;

  Value lower(PointOp op, ArrayRef<Held> x) const override {
    Held dense = x[0], index = x[1], value = x[2];
    if (index.layout != Layout::Rows || !takesRowByRow())
      return {};
    KernelBuilder &kernel = body.kernel;
    Value first = body.tile.first ? body.tile.first : kernel.i32(0);
    Value own = body.ownTile(op.getDense(), dense, "dense");
    ascendc::PointsOp::create(
        body.builder, kernel.loc,
        op.getKind() == PointKind::Add ? ascendc::Point::Add
                                       : ascendc::Point::Set,
        own, index.value, value.value, first, body.tile.at);
    return own;
  }
};

/// Short rows, many at a time: what every element would be as the point, taken
/// where the element is one.
struct PointsOfTile : PointPattern {
  using PointPattern::PointPattern;

  Value lower(PointOp op, ArrayRef<Held> x) const override {
    Held index = x[1], value = x[2];
    if (index.layout != Layout::Rows || takesRowByRow())
      return {};
    if (Value pointed = lowerSpread(op, x))
      return pointed;
    KernelBuilder &kernel = body.kernel;
    OpBuilder &builder = body.builder;
    // The comparison first: what it needs a tile for is done with then.
    Value hit = body.compareClasses(index, "isTarget");
    Value dense = body.asTile(x[0], "dense");
    Value changed;
    if (op.getKind() == PointKind::Set) {
      changed = body.asTile(value, "changed");
    } else {
      changed = body.temporary("changed", Layout::Tile);
      if (value.isTensor())
        ascendc::WithRowsOp::create(
            builder, kernel.loc, ascendc::RowFunction::Plus, changed, dense,
            body.spread(value.value), body.tile.at, /*reversed=*/false,
            /*of_lanes=*/false);
      else
        body.commutative<ascendc::AddOp, ascendc::AddsOp>(
            changed, dense, value.value, Layout::Tile);
    }
    Value dst = body.fresh(op, "pointed", Layout::Tile);
    ascendc::SelectOp::create(builder, kernel.loc, dst, hit, changed, dense,
                              body.countOf(Layout::Tile));
    return dst;
  }

  /// One value per row, beside something that all elements have in common: what
  /// they are set to, or what changes no number that it is added to, which of
  /// the zeros is the negative one. Null for other points.
  Value lowerSpread(PointOp op, ArrayRef<Held> x) const {
    Held dense = x[0], index = x[1], value = x[2];
    KernelBuilder &kernel = body.kernel;
    bool isAdded = op.getKind() == PointKind::Add;
    if (!value.isTensor() || value.layout != Layout::Rows ||
        (!isAdded && dense.isTensor()) ||
        !allHave(kernel.program.getFamilyTables(), targets::Api::CompareScalar))
      return {};
    Value other = isAdded ? kernel.f32(-0.0) : dense.value;
    Value points = isAdded ? body.temporary("points", Layout::Tile)
                           : body.fresh(op, "pointed", Layout::Tile);
    body.spreadPoints(points, index, value, other);
    if (!isAdded)
      return points;
    Value sum = body.fresh(op, "pointed", Layout::Tile);
    body.binary<ascendc::AddOp>(sum, body.asTile(dense, "dense"), points,
                                Layout::Tile);
    return sum;
  }
};

} // namespace

void lossgrad::populatePointPatterns(RewritePatternSet &patterns,
                                     const LayoutConverter &layouts,
                                     BodyBuilder &body) {
  patterns.add<PointOfRow, PointsOfTile>(layouts, body, kOrdinary);
}
