//===- Conditions.cpp - Comparisons, logic and choices --------------------===//
//
// Conditions are bits, one per element. A choice that the host makes for all
// elements is a branch, one that rows make may clear whole rows.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"
#include "passes/Points.h"

using namespace mlir;
using namespace lossgrad;

static ascendc::CompareMode compareMode(Predicate predicate) {
  switch (predicate) {
  case Predicate::eq:
    return ascendc::CompareMode::EQ;
  case Predicate::ne:
    return ascendc::CompareMode::NE;
  case Predicate::lt:
    return ascendc::CompareMode::LT;
  case Predicate::le:
    return ascendc::CompareMode::LE;
  case Predicate::gt:
    return ascendc::CompareMode::GT;
  case Predicate::ge:
    return ascendc::CompareMode::GE;
  }
  llvm_unreachable("unknown predicate");
}

static StringRef nameOr(Value value, StringRef fallback) {
  StringRef name = getValueName(value);
  return name.empty() ? fallback : name;
}

namespace {

struct Compare : BodyPattern<CompareOp> {
  using BodyPattern::BodyPattern;

  Value lower(CompareOp op, ArrayRef<Held> x) const override {
    if (cast<ValueType>(op.getLhs().getType()).getKind() == Kind::Int)
      return {}; // Indices.cpp
    Layout layout = layoutOf(op);
    Location loc = body.kernel.loc;
    Value dst = body.mask(body.callComparison(op, op.getPredicate()), layout);
    ascendc::CompareMode mode = compareMode(op.getPredicate());
    if (x[0].isTensor() && !x[1].isTensor()) {
      ascendc::CompareScalarOp::create(body.builder, loc, dst, x[0].value,
                                       x[1].value, mode,
                                       body.wholeCountOf(layout));
      return dst;
    }
    Value left = body.asTensor(x[0], "left", layout);
    Value right = body.asTensor(x[1], "right", layout);
    ascendc::CompareOp::create(body.builder, loc, dst, left, right, mode,
                               body.wholeCountOf(layout));
    return dst;
  }
};

/// Masks are bits; And, Or and Not work on 16 of them at a time.
template <typename OpTy, typename CallOp> struct Logic : BodyPattern<OpTy> {
  using BodyPattern<OpTy>::BodyPattern;

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    BodyBuilder &body = this->body;
    KernelBuilder &kernel = body.kernel;
    Layout layout = this->layoutOf(op);
    Type words = body.builder.getIntegerType(16, /*isSigned=*/false);
    Value dst = body.mask(nameOr(op, "condition"), layout);
    SmallVector<Value> operands;
    for (Held held : x)
      operands.push_back(
          kernel.view(body.asTensor(held, "condition", layout), words));
    Value wordCount = kernel.div(body.wholeCountOf(layout), kernel.i32(16));
    operands.insert(operands.begin(), kernel.view(dst, words));
    if constexpr (std::is_same_v<OpTy, NotOp>)
      CallOp::create(body.builder, kernel.loc, operands[0], operands[1],
                     wordCount, Value(), Value(), ValueRange(),
                     DenseI64ArrayAttr());
    else
      CallOp::create(body.builder, kernel.loc, operands[0], operands[1],
                     operands[2], wordCount, Value(), Value(), ValueRange(),
                     DenseI64ArrayAttr());
    return dst;
  }
};

/// The condition is one of elements, rows or lanes.
struct Choose : BodyPattern<SelectOp> {
  using BodyPattern::BodyPattern;

  Value lower(SelectOp op, ArrayRef<Held> x) const override {
    if (!x[0].isTensor())
      return {};
    Layout layout = layoutOf(op);
    Location loc = body.kernel.loc;
    Value condition = body.asTensor(x[0], "condition", layout);
    Value dst = body.fresh(op, "selected", layout);
    Value chosen = body.asTensor(x[1], "chosen", layout);
    Value count = body.countOf(layout);
    if (x[2].isTensor()) {
      Value other = body.asTensor(x[2], "other", layout);
      ascendc::SelectOp::create(body.builder, loc, dst, condition, chosen,
                                other, count);
    } else {
      ascendc::SelectScalarOp::create(body.builder, loc, dst, condition, chosen,
                                      x[2].value, count);
    }
    return dst;
  }
};

/// The host decides, for all elements.
struct ChooseForAll : BodyPattern<SelectOp> {
  using BodyPattern::BodyPattern;

  Value lower(SelectOp op, ArrayRef<Held> x) const override {
    if (x[0].isTensor())
      return {};
    Layout layout = layoutOf(op);
    KernelBuilder &kernel = body.kernel;
    Value yes = body.asTensor(x[1], "chosen", layout);
    Value no = body.asTensor(x[2], "other", layout);
    Value dst = body.fresh(op, "selected", layout);
    auto copy = [&](Value from) {
      ascendc::DataCopyLocalOp::create(body.builder, kernel.loc, dst, from,
                                       kernel.roundUp(body.countOf(layout), 8));
    };
    kernel.buildIf(
        x[0].value, [&] { copy(yes); }, [&] { copy(no); });
    return dst;
  }
};

/// Rows that are exact zeros where a condition fails, whatever was computed.
struct GuardRows : BodyPattern<SelectOp> {
  using BodyPattern::BodyPattern;

  Value lower(SelectOp op, ArrayRef<Held> x) const override {
    Held condition = x[0], value = x[1];
    if (!getRowGuard(op) || !condition.isTensor() || !value.isTensor() ||
        condition.layout != Layout::Rows || value.layout != Layout::Tile)
      return {};
    KernelBuilder &kernel = body.kernel;
    if (!condition.lowest && !body.tile.first) {
      Value dst = body.fresh(op, "kept", Layout::Tile);
      mask(dst, value.value, condition);
      return dst;
    }
    Value own = body.ownTile(op.getTrueValue(), value, "kept");
    auto clear = [&] {
      if (body.tile.first)
        ascendc::ClearRowsOp::create(body.builder, kernel.loc, own,
                                     condition.value, body.tile.first,
                                     body.tile.at);
      else
        mask(own, own, condition);
    };
    if (!condition.lowest) {
      clear();
      return own;
    }
    // Only where some row of the group is cleared.
    Value lowest = ascendc::ReadOp::create(
        body.builder, kernel.loc, body.builder.getI32Type(), condition.lowest);
    kernel.buildIf(kernel.equals(lowest, 0), clear);
    return own;
  }

  void mask(Value dst, Value tile, Held condition) const {
    KernelBuilder &kernel = body.kernel;
    Value kept = body.indicator(condition);
    if (condition.isIndicator) { // which others may need
      kept = body.temporary("indicator", Layout::Rows);
      ascendc::DataCopyLocalOp::create(
          body.builder, kernel.loc, kept, condition.value,
          kernel.roundUp(body.countOf(Layout::Rows), 8));
    }
    Value blocks = kernel.fixedBuffer("rowBlocks", body.builder.getF32Type(),
                                      getMaxRows() * 8);
    ascendc::MaskRowsOp::create(body.builder, kernel.loc, dst, tile, kept,
                                body.tile.at, blocks);
  }
};

/// A condition as a number: 1 or 0.
struct CastCondition : BodyPattern<CastOp> {
  using BodyPattern::BodyPattern;

  Value lower(CastOp op, ArrayRef<Held> x) const override {
    Kind from = cast<ValueType>(op.getOperand().getType()).getKind();
    Kind to = cast<ValueType>(op.getResult().getType()).getKind();
    if (from != Kind::Bool || to != Kind::Real) {
      op.emitError() << "no vector form casts " << stringifyKind(from) << " to "
                     << stringifyKind(to) << " yet";
      return {};
    }
    Layout layout = layoutOf(op);
    KernelBuilder &kernel = body.kernel;
    Value ones = body.temporary("ones", layout);
    Value dst = body.fresh(op, "indicator", layout);
    ascendc::DuplicateOp::create(body.builder, kernel.loc, ones, kernel.f32(1),
                                 body.countOf(layout));
    ascendc::SelectScalarOp::create(body.builder, kernel.loc, dst, x[0].value,
                                    ones, kernel.f32(0), body.countOf(layout));
    return dst;
  }
};

} // namespace

void lossgrad::populateConditionPatterns(RewritePatternSet &patterns,
                                         const LayoutConverter &layouts,
                                         BodyBuilder &body) {
  patterns
      .add<Compare, Logic<AndOp, ascendc::AndOp>, Logic<OrOp, ascendc::OrOp>,
           Logic<NotOp, ascendc::NotOp>, Choose, ChooseForAll, CastCondition>(
          layouts, body, kOrdinary);
  patterns.add<GuardRows>(layouts, body, kOtherLayouts);
}
