//===- KernelBody.cpp - The body of a sweep as vector calls ---------------===//
//
// One or a few vector calls per op, in float32. A value lies along the rows,
// the lanes or both (Layout); ops between different layouts have forms of their
// own or bring their operands to whole tiles. Values without dims are scalars.
// Each result is a buffer of its own; planning makes them share storage.
//
//===----------------------------------------------------------------------===//

#include "passes/GuardedSteps.h"
#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

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

Value BodyConverter::countOf(Layout layout) {
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

Value BodyConverter::wholeCountOf(Layout layout) {
  Value &whole = wholeCounts[static_cast<unsigned>(layout)];
  if (!whole) {
    Value count = countOf(layout);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(count);
    whole = ascendc::WholeRepeatsOp::create(builder, kernel.loc, count);
  }
  return whole;
}

Value BodyConverter::temporary(StringRef label, Layout layout, Type element) {
  Type held = element ? element : Type(builder.getF32Type());
  if (layout == Layout::Rows)
    return kernel.rowBuffer(label, held);
  return layout == Layout::Lanes ? kernel.laneBuffer(label, held)
                                 : kernel.buffer(label, held);
}

/// A new buffer for a result, named like it; within a guarded step the buffer
/// that the step is done in.
Value BodyConverter::fresh(Value result, StringRef fallback, Layout layout) {
  if (inPlace)
    return inPlace;
  StringRef name = getValueName(result);
  if (name.empty())
    return temporary(fallback, layout);
  // A value of the formula: planning keeps its name for the reader.
  Value buffer = temporary(name, layout);
  buffer.getDefiningOp()->setLoc(kernel.named(name));
  return buffer;
}

Value BodyConverter::mask(StringRef label, Layout layout) {
  if (layout == Layout::Rows)
    return kernel.rowBuffer(label, builder.getI1Type());
  return layout == Layout::Lanes ? kernel.laneBuffer(label, builder.getI1Type())
                                 : kernel.buffer(label, builder.getI1Type());
}

//===----------------------------------------------------------------------===//
// Between layouts
//===----------------------------------------------------------------------===//

static Layout join(Layout a, Layout b) {
  if (a == b || b == Layout::Scalar)
    return a;
  return a == Layout::Scalar ? b : Layout::Tile;
}

static bool isMask(Value tensor) {
  return cast<ascendc::LocalTensorType>(tensor.getType())
      .getElementType()
      .isInteger(1);
}

/// One block per row with the row's value, once per value and stage.
Value BodyConverter::spread(Value rows) {
  Value &known = blocks[rows];
  if (known && !inPlace)
    return known;
  Value spread =
      kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8);
  ascendc::SpreadRowsOp::create(builder, kernel.loc, spread, rows, tile.at);
  if (!inPlace)
    known = spread;
  return spread;
}

/// A condition per row or lane as ones and zeros.
Value BodyConverter::indicator(Held held) {
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
Value BodyConverter::expand(Held held, StringRef label) {
  if (held.layout == Layout::Tile)
    return held.value;
  bool wasMask = held.isIndicator || isMask(held.value);
  Value vector = wasMask ? indicator(held) : held.value;
  // What is spread over a packed tile is so once per value and stage.
  bool isPacked = kernel.source.getSpace().isPacked();
  if (Value known = isPacked && !wasMask ? blocks.lookup(vector) : Value())
    return known;
  Value filled = temporary(label, Layout::Tile);
  if (isPacked) {
    ascendc::SpreadPackedOp::create(builder, kernel.loc, filled, vector,
                                    kernel.spreadOffsets, tile.at);
    if (!inPlace)
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

/// A tensor of this layout for a value that may be a scalar.
Value BodyConverter::asTensor(Value value, StringRef label, Layout layout) {
  if (auto constant = value.getDefiningOp<ConstantOp>();
      constant && !get(value))
    (void)convertConstant(constant);
  Held held = values.lookup(value);
  if (!isTensor(value)) {
    Value filled = temporary(label, layout);
    ascendc::DuplicateOp::create(builder, kernel.loc, filled, held.value,
                                 countOf(layout));
    return filled;
  }
  return held.layout == layout ? held.value : expand(held, label);
}

/// An operand of an op whose result has this layout: scalars stay scalars.
Value BodyConverter::operand(Value value, Layout layout) {
  return isTensor(value) ? asTensor(value, "expanded", layout) : get(value);
}

bool BodyConverter::convertMixed(Operation *op, ascendc::RowFunction function,
                                 StringRef label) {
  if (!isTensor(op->getOperand(0)) || !isTensor(op->getOperand(1)) ||
      kernel.source.getSpace().isPacked())
    return false;
  if (tile.first && convertSingleRows(op, function, label))
    return true;
  Held a = values.lookup(op->getOperand(0)),
       b = values.lookup(op->getOperand(1));
  if (tile.first && (a.layout == Layout::Rows || b.layout == Layout::Rows))
    return false;
  bool isReversed = b.layout == Layout::Tile;
  Held whole = isReversed ? b : a, vector = isReversed ? a : b;
  if (whole.layout != Layout::Tile || vector.layout == Layout::Tile)
    return false;
  // The destination is not the vector's place: it is read by every row.
  Value dst = fresh(op->getResult(0), label, Layout::Tile);
  bool swaps = isReversed && (function == ascendc::RowFunction::Minus ||
                              function == ascendc::RowFunction::Over);
  if (vector.layout == Layout::Rows)
    ascendc::WithRowsOp::create(builder, kernel.loc, function, dst, whole.value,
                                spread(vector.value), tile.at, swaps);
  else
    ascendc::WithLanesOp::create(builder, kernel.loc, function, dst,
                                 whole.value, vector.value, tile.at, swaps);
  values[op->getResult(0)] = {dst, Layout::Tile};
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether Max and Min keep NaN on every family of the program.
static bool keepsNaN(ascendc::ProgramOp program) {
  return llvm::all_of(program.getFamilyTables(), [](const targets::Family *f) {
    return f->openDefault(targets::Open::MAX_MIN_KEEPS_NAN) == 1;
  });
}

/// `result` where `original` is a number, NaN where it is not.
Value BodyConverter::keepNaN(Value result, Value original, Layout layout) {
  if (keepsNaN(kernel.program))
    return result;
  Value isNumber = mask("isNumber", layout);
  ascendc::CompareOp::create(builder, kernel.loc, isNumber, original, original,
                             ascendc::CompareMode::EQ, wholeCountOf(layout));
  Value kept = temporary("kept", layout);
  ascendc::SelectOp::create(builder, kernel.loc, kept, isNumber, result,
                            original, countOf(layout));
  return kept;
}

template <typename TensorOp, typename ScalarOp>
Value BodyConverter::extremum(Value result, Value a, Value b, Layout layout) {
  Value dst = fresh(result, "extremum", layout);
  commutative<TensorOp, ScalarOp>(dst, a, b, layout);
  for (Value operand : {a, b})
    if (isa<ascendc::LocalTensorType>(operand.getType()))
      dst = keepNaN(dst, operand, layout);
  return dst;
}

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

void BodyConverter::convertCompare(CompareOp compare) {
  StringRef name = getValueName(compare);
  Layout layout = join(values.lookup(compare.getLhs()).layout,
                       values.lookup(compare.getRhs()).layout);
  Value dst = mask(name.empty() ? "condition" : name, layout);
  ascendc::CompareMode mode = compareMode(compare.getPredicate());
  if (isTensor(compare.getLhs()) && !isTensor(compare.getRhs()))
    ascendc::CompareScalarOp::create(
        builder, kernel.loc, dst, get(compare.getLhs()), get(compare.getRhs()),
        mode, wholeCountOf(layout));
  else
    ascendc::CompareOp::create(builder, kernel.loc, dst,
                               asTensor(compare.getLhs(), "left", layout),
                               asTensor(compare.getRhs(), "right", layout),
                               mode, wholeCountOf(layout));
  values[compare] = {dst, layout};
}

/// Masks are bits; And, Or and Not work on 16 of them at a time.
void BodyConverter::convertLogic(Operation *op) {
  Layout layout = Layout::Scalar;
  for (Value operand : op->getOperands())
    layout = join(layout, values.lookup(operand).layout);
  Type words = builder.getIntegerType(16, /*isSigned=*/false);
  StringRef name = getValueName(op->getResult(0));
  Value dst = mask(name.empty() ? StringRef("condition") : name, layout);
  SmallVector<Value> sources;
  for (Value operand : op->getOperands())
    sources.push_back(
        kernel.view(asTensor(operand, "condition", layout), words));
  Value wordCount = kernel.div(wholeCountOf(layout), kernel.i32(16));
  Value target = kernel.view(dst, words);
  auto emit = [&](auto type) {
    using OpTy = decltype(type);
    if constexpr (std::is_same_v<OpTy, ascendc::NotOp>)
      OpTy::create(builder, kernel.loc, target, sources[0], wordCount, Value(),
                   Value(), ValueRange(), DenseI64ArrayAttr());
    else
      OpTy::create(builder, kernel.loc, target, sources[0], sources[1],
                   wordCount, Value(), Value(), ValueRange(),
                   DenseI64ArrayAttr());
  };
  if (isa<AndOp>(op))
    emit(ascendc::AndOp());
  else if (isa<OrOp>(op))
    emit(ascendc::OrOp());
  else
    emit(ascendc::NotOp());
  values[op->getResult(0)] = {dst, layout};
}

LogicalResult BodyConverter::convertSelect(SelectOp select) {
  if (convertRowGuard(select))
    return success();
  Layout layout = Layout::Scalar;
  for (Value operand : select->getOperands())
    layout = join(layout, values.lookup(operand).layout);
  if (!isTensor(select.getCondition())) {
    // The host decides, for all elements.
    Value yes = asTensor(select.getTrueValue(), "chosen", layout);
    Value no = asTensor(select.getFalseValue(), "other", layout);
    Value dst = fresh(select, "selected", layout);
    auto copy = [&](Value from) {
      ascendc::DataCopyLocalOp::create(builder, kernel.loc, dst, from,
                                       kernel.roundUp(countOf(layout), 8));
    };
    kernel.buildIf(
        get(select.getCondition()), [&] { copy(yes); }, [&] { copy(no); });
    values[select] = {dst, layout};
    return success();
  }
  Value condition = asTensor(select.getCondition(), "condition", layout);
  Value dst = fresh(select, "selected", layout);
  Value chosen = asTensor(select.getTrueValue(), "chosen", layout);
  Value count = countOf(layout);
  if (isTensor(select.getFalseValue()))
    ascendc::SelectOp::create(builder, kernel.loc, dst, condition, chosen,
                              asTensor(select.getFalseValue(), "other", layout),
                              count);
  else
    ascendc::SelectScalarOp::create(builder, kernel.loc, dst, condition, chosen,
                                    get(select.getFalseValue()), count);
  values[select] = {dst, layout};
  return success();
}

/// A reduction within the tile.
LogicalResult BodyConverter::convertReduce(ReduceOp reduce) {
  ascendc::Fold fold = foldOf(reduce.getReduceKind());
  Value source = asTile(reduce.getOperand(), "summands");
  bool alongLanes = *kernel.source.getSpace().areLanesReduced();
  Layout layout = alongLanes ? Layout::Rows : Layout::Lanes;
  Value dst = fresh(reduce, "total", layout);
  if (kernel.source.getSpace().isPacked())
    ascendc::ReducePackedOp::create(builder, kernel.loc, fold, dst, source,
                                    kernel.takeOffsets, tile.at);
  else if (alongLanes)
    ascendc::ReduceLanesOp::create(builder, kernel.loc, fold, dst, source,
                                   temporary("folded", Layout::Tile), tile.at);
  else
    ascendc::ReduceRowsOp::create(builder, kernel.loc, fold, dst, source,
                                  tile.at);
  values[reduce] = {dst, layout};
  return success();
}

//===----------------------------------------------------------------------===//
// Guarded steps
//===----------------------------------------------------------------------===//

/// A choice whether one more call is made on a tensor; scalars are chosen from.
std::optional<GuardedStep> BodyConverter::getStepOnTensor(SelectOp select) {
  std::optional<GuardedStep> guarded = getGuardedStep(select);
  return guarded && isTensor(guarded->before) ? guarded : std::nullopt;
}

/// Whether an op is the call of such a choice, and made where that stands.
bool BodyConverter::isStepOnTensor(Operation *op) {
  auto select =
      op->hasOneUse() ? dyn_cast<SelectOp>(*op->user_begin()) : SelectOp();
  std::optional<GuardedStep> guarded =
      select ? getStepOnTensor(select) : std::nullopt;
  return guarded && guarded->step == op;
}

/// One more call on the same buffer, where the condition says so.
LogicalResult BodyConverter::convertGuarded(SelectOp select,
                                            GuardedStep guarded) {
  Held before = values.lookup(guarded.before);
  // Conditions are members of the tiling data, compared with 1.
  auto holds = get(select.getCondition()).getDefiningOp<arith::CmpIOp>();
  Value guard =
      guarded.onTrue ? holds.getResult() : kernel.equals(holds.getLhs(), 0);
  LogicalResult result = success();
  kernel.buildIf(guard, [&] {
    llvm::SaveAndRestore here(inPlace, before.value);
    result = convert(guarded.step);
  });
  values[select] = before;
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// An int of data: those of the host are numbers.
static bool isInt(Value value) {
  return cast<ValueType>(value.getType()).getKind() == Kind::Int;
}

/// Constants stand at the head of the stage, so that every use sees them.
LogicalResult BodyConverter::convertConstant(ConstantOp constant) {
  OpBuilder::InsertionGuard guard(builder);
  auto *stage = builder.getInsertionBlock()->getParentOp();
  while (!isa<ascendc::StageOp>(stage))
    stage = stage->getParentOp();
  builder.setInsertionPointToStart(
      &cast<ascendc::StageOp>(stage).getBody().front());
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue());
      integer && integer.getType().isSignlessInteger(64)) {
    values[constant] = {ascendc::ToNumberOp::create(
                            builder, kernel.loc, kernel.i64(integer.getInt())),
                        Layout::Scalar};
    return success();
  }
  std::optional<double> value = getRealConstant(constant);
  if (!value)
    return constant.emitError(
        "a constant of this kind has no place in a kernel");
  values[constant] = {kernel.f32(*value), Layout::Scalar};
  return success();
}

/// Values without dims that depend on one-element inputs: once per tile, on the
/// scalar unit.
LogicalResult BodyConverter::convertScalar(Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> x;
  for (Value operand : op->getOperands())
    x.push_back(get(operand));
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](AddOp) { return arith::AddFOp::create(builder, loc, x); })
          .Case([&](SubOp) { return arith::SubFOp::create(builder, loc, x); })
          .Case([&](MulOp) { return arith::MulFOp::create(builder, loc, x); })
          .Case([&](DivOp) { return arith::DivFOp::create(builder, loc, x); })
          .Case(
              [&](NegOp) { return arith::NegFOp::create(builder, loc, x[0]); })
          .Case([&](SelectOp) {
            return arith::SelectOp::create(builder, loc, x[0], x[1], x[2]);
          })
          .Default(Value());
  if (!result)
    return op->emitError("has no scalar form in a kernel yet");
  values[op->getResult(0)] = {result, Layout::Scalar};
  return success();
}

LogicalResult BodyConverter::convert(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return convertConstant(constant);
  if (auto select = dyn_cast<SelectOp>(op))
    if (std::optional<GuardedStep> guarded = getStepOnTensor(select))
      return convertGuarded(select, *guarded);
  Layout layout = Layout::Scalar;
  bool anyTensor = false;
  for (Value operand : op->getOperands()) {
    if (tables.contains(operand))
      continue;
    if (auto constant = operand.getDefiningOp<ConstantOp>();
        constant && !get(operand) && failed(convertConstant(constant)))
      return failure();
    // An operand without a value is one that no earlier step could place: a
    // located error is better than a wrong kernel.
    if (!get(operand)) {
      StringRef name = getValueName(operand);
      return op->emitError("no schedule carries this yet: operand '")
             << (name.empty() ? StringRef("(unnamed)") : name)
             << "' has no value in this kernel";
    }
    anyTensor |= isTensor(operand);
    layout = join(layout, values.lookup(operand).layout);
  }
  if (!anyTensor)
    return convertScalar(op);

  Value result = op->getResult(0);
  auto bind = [&](Value buffer) {
    values[result] = {buffer, layout};
    return success();
  };
  auto x = [&](unsigned i) { return operand(op->getOperand(i), layout); };
  auto apply = [&](auto type, StringRef label) {
    Value src = x(0), dst = fresh(result, label, layout);
    unary<decltype(type)>(dst, src, layout);
    return bind(dst);
  };
  using Function = ascendc::RowFunction;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AddOp) {
        if (convertMixed(op, Function::Plus, "sum"))
          return success();
        Value a = x(0), b = x(1), dst = fresh(result, "sum", layout);
        commutative<ascendc::AddOp, ascendc::AddsOp>(dst, a, b, layout);
        return bind(dst);
      })
      .Case([&](MulOp) {
        if (convertMixed(op, Function::Times, "product"))
          return success();
        Value a = x(0), b = x(1), dst = fresh(result, "product", layout);
        commutative<ascendc::MulOp, ascendc::MulsOp>(dst, a, b, layout);
        return bind(dst);
      })
      .Case([&](SubOp sub) {
        if (isInt(sub))
          return convertIntSub(sub);
        if (convertMixed(op, Function::Minus, "difference"))
          return success();
        Value a = x(0), b = x(1), dst = fresh(result, "difference", layout);
        if (isTensor(sub.getLhs()) && isTensor(sub.getRhs())) {
          binary<ascendc::SubOp>(dst, a, b, layout);
        } else if (isTensor(sub.getLhs())) {
          Value minus = arith::NegFOp::create(builder, kernel.loc, b);
          binary<ascendc::AddsOp>(dst, a, minus, layout);
        } else { // s - t = s + (-t), exactly
          Value minus = temporary("minus", layout);
          binary<ascendc::MulsOp>(minus, b, kernel.f32(-1), layout);
          binary<ascendc::AddsOp>(dst, minus, a, layout);
        }
        return bind(dst);
      })
      .Case([&](DivOp div) {
        if (convertMixed(op, Function::Over, "quotient"))
          return success();
        Value dst = fresh(result, "quotient", layout);
        binary<ascendc::DivOp>(dst, asTensor(div.getLhs(), "dividend", layout),
                               asTensor(div.getRhs(), "divisor", layout),
                               layout);
        return bind(dst);
      })
      .Case([&](MinOp) {
        return bind(extremum<ascendc::MinOp, ascendc::MinsOp>(result, x(0),
                                                              x(1), layout));
      })
      .Case([&](MaxOp) {
        return bind(extremum<ascendc::MaxOp, ascendc::MaxsOp>(result, x(0),
                                                              x(1), layout));
      })
      .Case([&](ClampOp clamp) {
        Value value = asTensor(clamp.getValue(), "value", layout);
        Value low = x(1), high = x(2);
        Value raised = temporary("raised", layout);
        commutative<ascendc::MaxOp, ascendc::MaxsOp>(raised, value, low,
                                                     layout);
        Value dst = fresh(result, "clamped", layout);
        commutative<ascendc::MinOp, ascendc::MinsOp>(dst, raised, high, layout);
        dst = keepNaN(dst, value, layout);
        for (Value bound : {low, high})
          if (isa<ascendc::LocalTensorType>(bound.getType()))
            dst = keepNaN(dst, bound, layout);
        return bind(dst);
      })
      .Case([&](NegOp) {
        Value dst = fresh(result, "negated", layout);
        binary<ascendc::MulsOp>(dst, x(0), kernel.f32(-1), layout);
        return bind(dst);
      })
      .Case([&](AbsOp) { return apply(ascendc::AbsOp(), "size"); })
      .Case([&](ExpOp) { return apply(ascendc::ExpOp(), "exponential"); })
      .Case([&](LogOp) { return apply(ascendc::LnOp(), "logarithm"); })
      .Case([&](SqrtOp) { return apply(ascendc::SqrtOp(), "root"); })
      .Case([&](ReduceOp reduce) { return convertReduce(reduce); })
      .Case([&](CompareOp compare) {
        if (isInt(compare.getLhs()))
          return convertIntCompare(compare);
        convertCompare(compare);
        return success();
      })
      .Case([&](OneHotOp onehot) { return convertOneHot(onehot); })
      .Case([&](GatherOp gather) { return convertGather(gather); })
      .Case([&](PointOp point) { return convertPoint(point); })
      .Case<AndOp, OrOp, NotOp>([&](Operation *logic) {
        convertLogic(logic);
        return success();
      })
      .Case([&](SelectOp select) { return convertSelect(select); })
      .Case([&](CastOp cast) -> LogicalResult {
        auto from = llvm::cast<ValueType>(cast.getOperand().getType());
        auto to = llvm::cast<ValueType>(cast.getResult().getType());
        if (from.getKind() != Kind::Bool || to.getKind() != Kind::Real)
          return op->emitError()
                 << "no vector form casts " << stringifyKind(from.getKind())
                 << " to " << stringifyKind(to.getKind()) << " yet";
        Value ones = temporary("ones", layout),
              dst = fresh(result, "indicator", layout);
        ascendc::DuplicateOp::create(builder, kernel.loc, ones, kernel.f32(1),
                                     countOf(layout));
        ascendc::SelectScalarOp::create(builder, kernel.loc, dst, x(0), ones,
                                        kernel.f32(0), countOf(layout));
        return bind(dst);
      })
      .Default([](Operation *other) {
        return other->emitError("has no vector form yet");
      });
}

LogicalResult BodyConverter::run(SweepOp sweep) {
  for (auto [uniform, scalar] : kernel.scalars)
    values[uniform] = {scalar, Layout::Scalar};
  for (Operation &op : sweep.getBody().front().without_terminator()) {
    // What is stored is rounded where it is stored.
    if (auto narrow = dyn_cast<NarrowOp>(op);
        narrow &&
        !llvm::is_contained(sweep.getEnd().getStored(), narrow.getResult())) {
      convertRound(narrow);
      continue;
    }
    if (isa<WidenOp, NarrowOp>(op) || isStepOnTensor(&op))
      continue;
    if (failed(convert(&op)))
      return failure();
  }
  return success();
}
