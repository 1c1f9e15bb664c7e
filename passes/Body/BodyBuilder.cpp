//===- BodyBuilder.cpp - Vector calls of a stage --------------------------===//
//
// Counts, buffers and the calls that several subjects need. See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyBuilder.h"
#include "passes/BodyNames.h"
#include "passes/VariantNames.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Counts and buffers
//===----------------------------------------------------------------------===//

/// Counts stand at the head of the stage, so that every use sees them.
static void setInsertionPointAtHead(OpBuilder &builder, TileContext tile) {
  Value last = tile.count ? tile.count : tile.at;
  builder.setInsertionPointAfterValue(last);
}

Value BodyBuilder::countOf(Layout layout) {
  if (layout == Layout::Tile)
    return tile.count;
  Value &count = counts[static_cast<unsigned>(layout)];
  if (!count) {
    OpBuilder::InsertionGuard guard(builder);
    setInsertionPointAtHead(builder, tile);
    count = ascendc::TileExtentOp::create(
        builder, kernel.loc, builder.getI32Type(), tile.at,
        layout == Layout::Rows ? ascendc::TileExtent::Rows
                               : ascendc::TileExtent::Pitch);
  }
  return count;
}

Value BodyBuilder::wholeCountOf(Layout layout) {
  Value &whole = wholeCounts[static_cast<unsigned>(layout)];
  if (!whole) {
    Value count = countOf(layout);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(count);
    whole = ascendc::WholeRepeatsOp::create(builder, kernel.loc, count);
  }
  return whole;
}

Value BodyBuilder::temporary(StringRef label, Layout layout, Type element) {
  Type held = element ? element : Type(builder.getF32Type());
  if (layout == Layout::Rows)
    return kernel.rowBuffer(label, held);
  return layout == Layout::Lanes ? kernel.laneBuffer(label, held)
                                 : kernel.buffer(label, held);
}

Value BodyBuilder::fresh(Value result, StringRef fallback, Layout layout) {
  StringRef name = getValueName(result);
  if (name.empty())
    return temporary(fallback, layout);
  // A value of the formula: planning keeps its name for the reader.
  Value buffer = temporary(name, layout);
  buffer.getDefiningOp()->setLoc(kernel.named(name));
  return buffer;
}

Value BodyBuilder::beforeNaN(Value result, StringRef role, Layout layout) {
  return keepsNaN() ? fresh(result, role, layout) : temporary(role, layout);
}

Value BodyBuilder::mask(StringRef label, Layout layout) {
  return temporary(label, layout, builder.getI1Type());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool BodyBuilder::keepsNaN() const {
  return llvm::all_of(
      kernel.program.getFamilyTables(), [](const targets::Family *f) {
        return f->openDefault(targets::Open::MAX_MIN_KEEPS_NAN) == 1;
      });
}

Value BodyBuilder::keepNaN(Value op, Value result, Value original,
                           Layout layout) {
  if (keepsNaN())
    return result;
  Value isNumber = mask("isNumber", layout);
  ascendc::CompareOp::create(builder, kernel.loc, isNumber, original, original,
                             ascendc::CompareMode::EQ, wholeCountOf(layout));
  Value kept = fresh(op, "kept", layout);
  ascendc::SelectOp::create(builder, kernel.loc, kept, isNumber, result,
                            original, countOf(layout));
  return kept;
}

/// Bits work 16 at a time.
Value BodyBuilder::invert(Value bits, Layout layout, StringRef label) {
  Type words = builder.getIntegerType(16, /*isSigned=*/false);
  Value inverse = mask(label, layout);
  ascendc::NotOp::create(builder, kernel.loc, kernel.view(inverse, words),
                         kernel.view(bits, words),
                         kernel.div(wholeCountOf(layout), kernel.i32(16)),
                         Value(), Value(), ValueRange(), DenseI64ArrayAttr());
  return inverse;
}

std::string BodyBuilder::callComparison(CompareOp op, Predicate predicate) {
  StringRef given = getValueName(op);
  if (!given.empty() && predicate == op.getPredicate())
    return given.str();
  if (op.getLhs() == op.getRhs() && predicate == Predicate::eq)
    return "isNumber";
  std::string name =
      nameComparison(callValue(op.getLhs()), predicate, op.getRhs());
  return name.empty() ? "condition" : name;
}

Value BodyBuilder::ownTile(Value value, Held held, StringRef label) {
  Value tensor = asTile(held, label);
  Operation *op = value.getDefiningOp();
  bool isOwn = !held.isTensor() || held.layout != Layout::Tile ||
               (op && !isa<WidenOp>(op) && value.hasOneUse());
  if (isOwn)
    return tensor;
  Value copy = temporary(label, Layout::Tile);
  ascendc::DataCopyLocalOp::create(builder, kernel.loc, copy, tensor,
                                   countOf(Layout::Tile));
  return copy;
}
