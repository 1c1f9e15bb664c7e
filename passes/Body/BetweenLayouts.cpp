//===- BetweenLayouts.cpp - What rows or lanes have once, beside tiles ----===//
//
// A value per row or lane becomes a tile where nothing better is known, and is
// an operand of its own where the calls have a form for that: blocks per row
// with a stride of none, lanes that repeat, one number per row.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"

using namespace mlir;
using namespace lossgrad;

static bool isMask(Value tensor) {
  return cast<ascendc::LocalTensorType>(tensor.getType())
      .getElementType()
      .isInteger(1);
}

Value BodyBuilder::spread(Value rows) {
  Value &known = blocks[rows];
  if (known)
    return known;
  known =
      kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8);
  ascendc::SpreadRowsOp::create(builder, kernel.loc, known, rows, tile.at);
  return known;
}

Value BodyBuilder::indicator(Held held) {
  if (held.isIndicator)
    return held.value;
  Value ones = temporary("ones", held.layout);
  Value values = temporary("indicator", held.layout);
  ascendc::DuplicateOp::create(builder, kernel.loc, ones, kernel.f32(1),
                               countOf(held.layout));
  ascendc::SelectScalarOp::create(builder, kernel.loc, values, held.value, ones,
                                  kernel.f32(0), countOf(held.layout));
  return values;
}

/// A value per row or lane as a tile. Bits cannot be spread: they go as ones
/// and zeros.
Value BodyBuilder::expand(Held held, StringRef label) {
  if (held.layout == Layout::Tile)
    return held.value;
  bool wasMask = held.isIndicator || isMask(held.value);
  Value vector = wasMask ? indicator(held) : held.value;
  // What is spread over a packed tile is so once per value and stage.
  bool isPacked = kernel.source.getSpace().isPacked();
  if (Value known = isPacked && !wasMask ? blocks.lookup(vector) : Value())
    return known;
  Value filled = temporary(wasMask ? "filled" : label, Layout::Tile);
  if (isPacked) {
    ascendc::SpreadPackedOp::create(builder, kernel.loc, filled, vector,
                                    kernel.spreadOffsets, tile.at);
    blocks[vector] = filled;
  } else if (held.layout == Layout::Rows && tile.first)
    ascendc::FillSingleRowsOp::create(builder, kernel.loc, filled, vector,
                                      tile.first, tile.at);
  else if (held.layout == Layout::Rows)
    ascendc::FillRowsOp::create(builder, kernel.loc, filled, spread(vector),
                                tile.at);
  else
    ascendc::FillLanesOp::create(builder, kernel.loc, filled, vector, tile.at);
  if (!wasMask)
    return filled;
  Value bits = mask(label, Layout::Tile);
  ascendc::CompareScalarOp::create(builder, kernel.loc, bits, filled,
                                   kernel.f32(0), ascendc::CompareMode::NE,
                                   wholeCountOf(Layout::Tile));
  return bits;
}

Value BodyBuilder::asTensor(Held held, StringRef label, Layout layout) {
  if (!held.isTensor()) {
    Value filled = temporary(label, layout);
    ascendc::DuplicateOp::create(builder, kernel.loc, filled, held.value,
                                 countOf(layout));
    return filled;
  }
  return held.layout == layout ? held.value : expand(held, label);
}

namespace {

using Function = ascendc::RowFunction;

/// An operation between tensors of two layouts.
template <typename OpTy> struct MixedPattern : BodyPattern<OpTy> {
  MixedPattern(const LayoutConverter &layouts, BodyBuilder &body,
               PatternBenefit benefit, Function function, StringRef label)
      : BodyPattern<OpTy>(layouts, body, benefit), function(function),
        label(label) {}

  bool isOfTensors(ArrayRef<Held> x) const {
    return x[0].isTensor() && x[1].isTensor() &&
           !this->body.kernel.source.getSpace().isPacked();
  }

  Function function;
  StringRef label;
};

/// A tile, or one row for all, with one value per row where rows are taken one
/// by one: as a number, row by row.
template <typename OpTy> struct WithSingleRows : MixedPattern<OpTy> {
  WithSingleRows(const LayoutConverter &layouts, BodyBuilder &body,
                 Function function, StringRef label)
      : MixedPattern<OpTy>(layouts, body, kSingleRows, function, label) {}

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    BodyBuilder &body = this->body;
    bool isReversed = x[0].layout == Layout::Rows;
    Held rows = x[!isReversed], other = x[isReversed];
    if (!this->isOfTensors(x) || !body.tile.first ||
        rows.layout != Layout::Rows || other.layout == Layout::Rows)
      return {};
    KernelBuilder &kernel = body.kernel;
    bool swaps = isReversed && this->function == Function::Minus;
    if (other.layout == Layout::Lanes) {
      // Lanes stay while rows pass, which may well have the same value.
      StringRef name = getValueName(op);
      Value kept = kernel.residentTile(name.empty() ? this->label : name);
      Type i32 = body.builder.getI32Type();
      ascendc::KeepSingleRowsOp::create(
          body.builder, kernel.loc, this->function, kept, other.value,
          rows.value, body.tile.first, body.tile.at,
          kernel.variable("rowsAtHand", i32),
          kernel.variable("laneAtHand", i32),
          kernel.variable("valueAtHand", body.builder.getF32Type()), swaps);
      return kept;
    }
    Value dst = body.fresh(op, this->label, Layout::Tile);
    ascendc::WithSingleRowsOp::create(body.builder, kernel.loc, this->function,
                                      dst, other.value, rows.value,
                                      body.tile.first, body.tile.at, swaps);
    return dst;
  }
};

/// A tile with one value per row or lane, which is never spread over a tile.
template <typename OpTy> struct WithVector : MixedPattern<OpTy> {
  WithVector(const LayoutConverter &layouts, BodyBuilder &body,
             Function function, StringRef label)
      : MixedPattern<OpTy>(layouts, body, kOtherLayouts, function, label) {}

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    BodyBuilder &body = this->body;
    bool isReversed = x[1].layout == Layout::Tile;
    Held whole = x[isReversed], vector = x[!isReversed];
    if (!this->isOfTensors(x) || whole.layout != Layout::Tile ||
        vector.layout == Layout::Tile ||
        (body.tile.first && vector.layout == Layout::Rows))
      return {};
    // The destination is not the vector's place: it is read by every row.
    Value dst = body.fresh(op, this->label, Layout::Tile);
    bool swaps = isReversed && (this->function == Function::Minus ||
                                this->function == Function::Over);
    if (vector.layout == Layout::Rows)
      ascendc::WithRowsOp::create(body.builder, body.kernel.loc, this->function,
                                  dst, whole.value, body.spread(vector.value),
                                  body.tile.at, swaps, /*of_lanes=*/false);
    else
      ascendc::WithLanesOp::create(body.builder, body.kernel.loc,
                                   this->function, dst, whole.value,
                                   vector.value, body.tile.at, swaps);
    return dst;
  }
};

/// One value per row with one per lane: the lanes are repeated for every row.
template <typename OpTy> struct RowsWithLanes : MixedPattern<OpTy> {
  RowsWithLanes(const LayoutConverter &layouts, BodyBuilder &body,
                Function function, StringRef label)
      : MixedPattern<OpTy>(layouts, body, kOtherLayouts, function, label) {}

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    BodyBuilder &body = this->body;
    bool isReversed = x[0].layout == Layout::Rows;
    Held rows = x[!isReversed], lanes = x[isReversed];
    if (!this->isOfTensors(x) || rows.layout != Layout::Rows ||
        lanes.layout != Layout::Lanes || body.tile.first)
      return {};
    Value dst = body.fresh(op, this->label, Layout::Tile);
    bool swaps = isReversed && (this->function == Function::Minus ||
                                this->function == Function::Over);
    ascendc::WithRowsOp::create(body.builder, body.kernel.loc, this->function,
                                dst, lanes.value, body.spread(rows.value),
                                body.tile.at, swaps, /*of_lanes=*/true);
    return dst;
  }
};

} // namespace

void lossgrad::populateBetweenLayoutsPatterns(RewritePatternSet &patterns,
                                              const LayoutConverter &layouts,
                                              BodyBuilder &body) {
  patterns.add<WithVector<AddOp>>(layouts, body, Function::Plus, "sum");
  patterns.add<WithVector<SubOp>>(layouts, body, Function::Minus, "difference");
  patterns.add<WithVector<MulOp>>(layouts, body, Function::Times, "product");
  patterns.add<WithVector<DivOp>>(layouts, body, Function::Over, "quotient");
  patterns.add<RowsWithLanes<AddOp>>(layouts, body, Function::Plus, "sum");
  patterns.add<RowsWithLanes<SubOp>>(layouts, body, Function::Minus,
                                     "difference");
  patterns.add<RowsWithLanes<MulOp>>(layouts, body, Function::Times, "product");
  patterns.add<RowsWithLanes<DivOp>>(layouts, body, Function::Over, "quotient");
  patterns.add<WithSingleRows<AddOp>>(layouts, body, Function::Plus, "sum");
  patterns.add<WithSingleRows<SubOp>>(layouts, body, Function::Minus,
                                      "difference");
  patterns.add<WithSingleRows<MulOp>>(layouts, body, Function::Times,
                                      "product");
}
