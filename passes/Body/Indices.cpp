//===- Indices.cpp - Ints and indices as vector calls ---------------------===//
//
// Ints lie along the rows or the lanes: they are compared, moved by a number,
// met with the classes of a tile, looked up with. A2 compares ints for equality
// only, so the order of two is told by the larger of them.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Predicates.h"
#include "passes/Body/BodyPatterns.h"
#include "passes/Families.h"

using namespace mlir;
using namespace lossgrad;

static bool isInt(Value value) {
  return cast<ValueType>(value.getType()).getKind() == Kind::Int;
}

Value BodyBuilder::compareClasses(Held index, StringRef name) {
  // Their distance is 0.
  Value distance = temporary("distance", Layout::Tile);
  if (index.layout == Layout::Rows &&
      allHave(kernel.program.getFamilyTables(), targets::Api::CompareScalar)) {
    Value blocks =
        kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8);
    Value bits = mask(name, Layout::Tile);
    ascendc::LaneHitsOp::create(builder, kernel.loc, bits, index.value, tile.at,
                                distance, temporary("classes", Layout::Lanes),
                                temporary("near", Layout::Rows), blocks);
    return bits;
  }
  if (index.layout == Layout::Rows) {
    Value blocks =
        kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8);
    Value classes = temporary("classes", Layout::Lanes);
    ascendc::LaneDistanceOp::create(builder, kernel.loc, distance, index.value,
                                    tile.at, classes,
                                    temporary("near", Layout::Rows), blocks);
  } else {
    ascendc::RowDistanceOp::create(builder, kernel.loc, distance, index.value,
                                   tile.at, temporary("near", Layout::Lanes));
  }
  Value bits = mask(name, Layout::Tile);
  ascendc::CompareScalarOp::create(builder, kernel.loc, bits, distance,
                                   kernel.f32(0), ascendc::CompareMode::EQ,
                                   wholeCountOf(Layout::Tile));
  return bits;
}

void BodyBuilder::spreadPoints(Value dst, Held index, Held value, Value other) {
  Value values = spread(value.value);
  Value blocks =
      kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8);
  ascendc::SpreadPointsOp::create(
      builder, kernel.loc, dst, index.value, values, other, tile.at,
      mask("hit", Layout::Tile), temporary("classes", Layout::Lanes),
      temporary("near", Layout::Rows), blocks);
}

namespace {

struct CompareInts : BodyPattern<CompareOp> {
  using BodyPattern::BodyPattern;

  Value lower(CompareOp op, ArrayRef<Held> x) const override {
    if (!isInt(op.getLhs()))
      return {};
    KernelBuilder &kernel = body.kernel;
    OpBuilder &builder = body.builder;
    Predicate predicate = op.getPredicate();
    Held a = x[0], b = x[1];
    if (!a.isTensor()) {
      std::swap(a, b);
      predicate = mirrored(predicate);
    }
    bool isScalar = !b.isTensor();
    if (!isScalar && a.layout != b.layout) {
      op.emitError("no schedule carries this yet: ints of rows compared with "
                   "ints of lanes");
      return {};
    }
    Layout layout = a.layout;
    bool isInverse = predicate == Predicate::ne || predicate == Predicate::lt ||
                     predicate == Predicate::gt;
    Predicate shown = op.getPredicate();
    Value bits = body.mask(
        body.callComparison(op, isInverse ? opposite(shown) : shown), layout);
    Value other = b.value;
    // a >= b where the larger of both is a; a < b where it is not.
    if (predicate != Predicate::eq && predicate != Predicate::ne) {
      bool isLarger = predicate == Predicate::ge || predicate == Predicate::lt;
      other = body.temporary("extreme", layout, builder.getI32Type());
      if (isLarger)
        body.commutative<ascendc::MaxOp, ascendc::MaxsOp>(other, a.value,
                                                          b.value, layout);
      else
        body.commutative<ascendc::MinOp, ascendc::MinsOp>(other, a.value,
                                                          b.value, layout);
      isScalar = false;
    }
    if (isScalar) { // products compare ints with tensors only
      other = body.temporary("other", layout, builder.getI32Type());
      ascendc::DuplicateOp::create(builder, kernel.loc, other, b.value,
                                   body.countOf(layout));
    }
    ascendc::CompareOp::create(builder, kernel.loc, bits, a.value, other,
                               ascendc::CompareMode::EQ,
                               body.wholeCountOf(layout));
    return isInverse ? body.invert(bits, layout, body.callComparison(op, shown))
                     : bits;
  }
};

struct MoveInts : BodyPattern<SubOp> {
  using BodyPattern::BodyPattern;

  Value lower(SubOp op, ArrayRef<Held> x) const override {
    if (!isInt(op))
      return {};
    StringRef name = getValueName(op);
    Value dst = body.temporary(name.empty() ? StringRef("moved") : name,
                               x[0].layout, body.builder.getI32Type());
    ascendc::SubtractNumberOp::create(body.builder, body.kernel.loc, dst,
                                      x[0].value, x[1].value,
                                      body.countOf(x[0].layout));
    return dst;
  }
};

struct MeetClasses : BodyPattern<OneHotOp> {
  using BodyPattern::BodyPattern;

  Value lower(OneHotOp op, ArrayRef<Held> x) const override {
    StringRef name = getValueName(op);
    return body.compareClasses(x[0],
                               name.empty() ? StringRef("isTarget") : name);
  }
};

/// One element per row, from what is in UB or from a table in global memory.
struct LookUp : BodyPattern<GatherOp> {
  using BodyPattern::BodyPattern;

  Value lower(GatherOp op, ArrayRef<Held> x) const override {
    Held from = x[0], index = x[1];
    KernelBuilder &kernel = body.kernel;
    OpBuilder &builder = body.builder;
    if (index.layout != Layout::Rows) {
      op.emitError(
          "no schedule carries this yet: a look-up with one index per lane");
      return {};
    }
    Value dst = body.fresh(op, "taken", Layout::Rows);
    if (const KernelTensor *table = kernel.findTable(from.value)) {
      Value wide = kernel.fixedBuffer("work", builder.getF32Type(), kTableWide);
      ascendc::LookUpOp::create(builder, kernel.loc, dst, table->global,
                                table->strides, index.value, body.tile.at,
                                table->tile, wide);
    } else {
      Value offsets = kernel.fixedBuffer("offsets", builder.getI32Type(),
                                         2 * kernel.rowCapacity);
      ascendc::TakeLanesOp::create(builder, kernel.loc, dst, from.value,
                                   index.value, body.tile.at, offsets,
                                   from.layout == Layout::Tile);
    }
    return dst;
  }
};

} // namespace

void lossgrad::populateIndexPatterns(RewritePatternSet &patterns,
                                     const LayoutConverter &layouts,
                                     BodyBuilder &body) {
  patterns.add<MeetClasses, LookUp>(layouts, body, kOrdinary);
  patterns.add<CompareInts, MoveInts>(layouts, body, kOtherKind);
}
