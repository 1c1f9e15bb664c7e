//===- Planes.cpp - Classes along the rows --------------------------------===//
//
// In kernels whose lanes stay while classes pass, a tile has a few rows, each
// of one class and thousands of lanes, so that a call per row is long. What
// lanes have once (the index as a float, what a point puts there, rounded where
// that is all there is to a result) was handed on by a sweep of its own: a row
// costs one comparison with its class and one choice.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/NameAttributes.h"
#include "passes/Body/BodyPatterns.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

static Type elementOf(Value tensor) {
  return cast<ascendc::LocalTensorType>(tensor.getType()).getElementType();
}

/// A loop over the rows of the tile, which touch different bytes.
static void forEachRow(BodyBuilder &body, function_ref<void(Value)> build) {
  OpBuilder &builder = body.builder;
  KernelBuilder &kernel = body.kernel;
  Value rows =
      ascendc::TileExtentOp::create(builder, kernel.loc, builder.getI32Type(),
                                    body.tile.at, ascendc::TileExtent::Rows);
  auto loop = scf::ForOp::create(builder, kernel.named("row"), kernel.i32(0),
                                 rows, kernel.i32(1));
  loop->setAttr(ascendc::kIndependentAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  build(loop.getInductionVar());
}

/// Where the bits of a row begin: each has room for all lanes that a tile may
/// have, and so begins on a block. Offsets into bits are bytes.
static Value bitsOfRow(BodyBuilder &body, Value bits, Value row) {
  KernelBuilder &kernel = body.kernel;
  OpBuilder &builder = body.builder;
  Value rowBytes = kernel.div(
      kernel.field(member::kRowLength, builder.getI32Type()), kernel.i32(8));
  Value bytes = kernel.view(bits, builder.getIntegerType(8, false));
  return kernel.view(bytes, elementOf(bits), kernel.mul(row, rowBytes));
}

/// The bits of each row's comparison of the index of lanes with its class.
static Value comparePlanes(BodyBuilder &body, Value index) {
  KernelBuilder &kernel = body.kernel;
  OpBuilder &builder = body.builder;
  Value bits = body.mask("isTarget", Layout::Tile);
  Value whole = body.wholeCountOf(Layout::Lanes);
  forEachRow(body, [&](Value row) {
    Value number =
        arith::AddIOp::create(builder, kernel.loc, body.tile.firstClass, row);
    Value asFloat = arith::SIToFPOp::create(builder, kernel.loc,
                                            builder.getF32Type(), number);
    Value bitsHere = bitsOfRow(body, bits, row);
    ascendc::CompareScalarOp::create(builder, kernel.loc, bitsHere, index,
                                     asFloat, ascendc::CompareMode::EQ, whole);
  });
  return bits;
}

namespace {

struct PlanePattern : BodyPattern<PointOp> {
  using BodyPattern::BodyPattern;

  bool isOfPlanes(const Held &index) const {
    return body.tile.firstClass && index.isTensor() &&
           elementOf(index.value).isF32();
  }
  Value rowOf(Value tensor, Value row, Type as = {}) const {
    return body.kernel.view(tensor, as ? as : elementOf(tensor),
                            body.kernel.mul(row, body.countOf(Layout::Lanes)));
  }
};

/// A point in what is the same number everywhere.
struct PointInNumber : PlanePattern {
  using PlanePattern::PlanePattern;

  Value lower(PointOp op, ArrayRef<Held> x) const override {
    Held dense = x[0], index = x[1];
    if (!isOfPlanes(index) || dense.isTensor())
      return {};
    KernelBuilder &kernel = body.kernel;
    OpBuilder &builder = body.builder;
    Value value = body.asTensor(x[2], "value", Layout::Lanes);
    Value lanes = body.countOf(Layout::Lanes);
    Type element = elementOf(value);
    Value bits = comparePlanes(body, index.value);
    // Zeros are the same bits in every type of that width, and so is a choice.
    bool isRounded = !element.isF32();
    Type as = isRounded ? Type(builder.getF16Type()) : element;
    Value dst = isRounded ? body.temporary("chosen", Layout::Tile, element)
                          : body.fresh(op, "pointed", Layout::Tile);
    forEachRow(body, [&](Value row) {
      Value from = isRounded ? kernel.view(value, as) : value;
      Value to = rowOf(dst, row, as);
      Value bitsHere = bitsOfRow(body, bits, row);
      ascendc::SelectScalarOp::create(builder, kernel.loc, to, bitsHere, from,
                                      dense.value, lanes);
    });
    return dst;
  }
};

/// A point in what every element has of its own.
struct PointInTile : PlanePattern {
  using PlanePattern::PlanePattern;

  Value lower(PointOp op, ArrayRef<Held> x) const override {
    Held index = x[1];
    if (!isOfPlanes(index) || !x[0].isTensor())
      return {};
    KernelBuilder &kernel = body.kernel;
    OpBuilder &builder = body.builder;
    Value value = body.asTensor(x[2], "value", Layout::Lanes);
    Value lanes = body.countOf(Layout::Lanes);
    Value dense = body.asTile(x[0], "dense");
    Value changed;
    if (op.getKind() == PointKind::Add) {
      changed = body.temporary("changed", Layout::Tile);
      ascendc::WithLanesOp::create(builder, kernel.loc,
                                   ascendc::RowFunction::Plus, changed, dense,
                                   value, body.tile.at, /*reversed=*/false);
    }
    Value bits = comparePlanes(body, index.value);
    Value dst = body.fresh(op, "pointed", Layout::Tile);
    forEachRow(body, [&](Value row) {
      Value to = rowOf(dst, row);
      Value bitsHere = bitsOfRow(body, bits, row);
      Value from = changed ? rowOf(changed, row) : value;
      ascendc::SelectOp::create(builder, kernel.loc, to, bitsHere, from,
                                rowOf(dense, row), lanes);
    });
    return dst;
  }
};

/// From a table that is in UB whole. An index outside of it takes the nearest.
struct LookUpInUB : BodyPattern<GatherOp> {
  using BodyPattern::BodyPattern;

  Value lower(GatherOp op, ArrayRef<Held> x) const override {
    KernelBuilder &kernel = body.kernel;
    OpBuilder &builder = body.builder;
    const KernelTensor *table = kernel.findTable(x[0].value);
    Held index = x[1];
    if (index.layout != Layout::Lanes || !table || !table->table)
      return {};
    Type i32 = builder.getI32Type();
    Value offsets = body.temporary("offsets", Layout::Lanes, i32);
    Value dst = body.fresh(op, "taken", Layout::Lanes);
    Value last = arith::SubIOp::create(builder, kernel.loc, kernel.classCount(),
                                       kernel.i32(1));
    body.binary<ascendc::MaxsOp>(offsets, index.value, kernel.i32(0),
                                 Layout::Lanes);
    body.binary<ascendc::MinsOp>(offsets, offsets, last, Layout::Lanes);
    body.binary<ascendc::MulsOp>(offsets, offsets, kernel.i32(sizeof(float)),
                                 Layout::Lanes);
    Type bytes = builder.getIntegerType(32, /*isSigned=*/false);
    ascendc::GatherOp::create(builder, kernel.loc, dst, table->table,
                              kernel.view(offsets, bytes), kernel.i32(0),
                              body.countOf(Layout::Lanes));
    return dst;
  }
};

} // namespace

void lossgrad::populatePlanePatterns(RewritePatternSet &patterns,
                                     const LayoutConverter &layouts,
                                     BodyBuilder &body) {
  patterns.add<PointInNumber, PointInTile, LookUpInUB>(layouts, body,
                                                       kOtherLayouts);
}
