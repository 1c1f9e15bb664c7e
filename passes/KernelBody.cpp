//===- KernelBody.cpp - The body of a sweep as vector calls ---------------===//
//
// One or a few vector calls per op, in float32, on adjacent elements. Values
// without dims are scalars. Each result is a buffer of its own; planning makes
// them share storage.
//
//===----------------------------------------------------------------------===//

#include "passes/GuardedSteps.h"
#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lossgrad;

namespace lossgrad {

class BodyConverter {
public:
  BodyConverter(KernelBuilder &kernel, Value count)
      : kernel(kernel), builder(kernel.builder), count(count) {}

  LogicalResult run(ArrayRef<Value> tiles);

private:
  LogicalResult convert(Operation *op);
  LogicalResult convertScalar(Operation *op);
  LogicalResult convertSelect(SelectOp select);
  LogicalResult convertGuarded(SelectOp select, GuardedStep guarded);
  LogicalResult convertDivision(DivOp div);
  void convertCompare(CompareOp compare);
  void convertLogic(Operation *op);
  Value keepNaN(Value result, Value original);

  /// A choice whether one more call is made on a tile; scalars are chosen from.
  std::optional<GuardedStep> getStepOnTile(SelectOp select) {
    std::optional<GuardedStep> guarded = getGuardedStep(select);
    return guarded && isTensor(guarded->before) ? guarded : std::nullopt;
  }
  /// Whether an op is the call of such a choice, and made where that stands.
  bool isStepOnTile(Operation *op) {
    auto select =
        op->hasOneUse() ? dyn_cast<SelectOp>(*op->user_begin()) : SelectOp();
    std::optional<GuardedStep> guarded =
        select ? getStepOnTile(select) : std::nullopt;
    return guarded && guarded->step == op;
  }
  bool isTensor(Value value) {
    Value held = values.lookup(value);
    return held && isa<ascendc::LocalTensorType>(held.getType());
  }
  Value get(Value value) { return values.lookup(value); }
  /// A new buffer for a result, named like it; within a guarded step the buffer
  /// that the step is done in.
  Value fresh(Value result, StringRef fallback) {
    if (inPlace)
      return inPlace;
    StringRef name = getValueName(result);
    if (name.empty())
      return temporary(fallback);
    // A value of the formula: planning keeps its name for the reader.
    Value buffer = temporary(name);
    buffer.getDefiningOp()->setLoc(kernel.named(name));
    return buffer;
  }
  Value temporary(StringRef label) {
    return kernel.buffer(label, builder.getF32Type());
  }
  Value mask(StringRef label) {
    return kernel.buffer(label, builder.getI1Type());
  }
  /// A tensor for a value that may be a scalar.
  Value asTensor(Value value, StringRef label) {
    if (isTensor(value))
      return get(value);
    Value filled = temporary(label);
    ascendc::DuplicateOp::create(builder, kernel.loc, filled, get(value),
                                 count);
    return filled;
  }
  template <typename OpTy> void binary(Value dst, Value a, Value b) {
    OpTy::create(builder, kernel.loc, dst, a, b, count, Value(), Value(),
                 ValueRange(), DenseI64ArrayAttr());
  }
  template <typename OpTy> void unary(Value dst, Value src) {
    OpTy::create(builder, kernel.loc, dst, src, count, Value(), Value(),
                 ValueRange(), DenseI64ArrayAttr());
  }
  /// Tensor op tensor, or tensor op scalar with the scalar form.
  template <typename TensorOp, typename ScalarOp>
  void commutative(Value dst, Value a, Value b) {
    if (!isa<ascendc::LocalTensorType>(a.getType()))
      std::swap(a, b);
    if (isa<ascendc::LocalTensorType>(b.getType()))
      binary<TensorOp>(dst, a, b);
    else
      binary<ScalarOp>(dst, a, b);
  }
  template <typename TensorOp, typename ScalarOp>
  Value extremum(Value result, Value a, Value b);
  Value wholeCount() {
    if (!rounded)
      rounded = ascendc::WholeRepeatsOp::create(builder, kernel.loc, count);
    return rounded;
  }

  KernelBuilder &kernel;
  OpBuilder &builder;
  Value count, rounded;
  Value inPlace;
  llvm::DenseMap<Value, Value> values;
};

} // namespace lossgrad

/// Whether Max and Min keep NaN on every family of the program.
static bool keepsNaN(ascendc::ProgramOp program) {
  return llvm::all_of(program.getFamilyTables(), [](const targets::Family *f) {
    return f->openDefault(targets::Open::MAX_MIN_KEEPS_NAN) == 1;
  });
}

/// `result` where `original` is a number, NaN where it is not.
Value BodyConverter::keepNaN(Value result, Value original) {
  if (keepsNaN(kernel.program))
    return result;
  Value isNumber = mask("isNumber");
  ascendc::CompareOp::create(builder, kernel.loc, isNumber, original, original,
                             ascendc::CompareMode::EQ, wholeCount());
  Value kept = temporary("kept");
  ascendc::SelectOp::create(builder, kernel.loc, kept, isNumber, result,
                            original, count);
  return kept;
}

template <typename TensorOp, typename ScalarOp>
Value BodyConverter::extremum(Value result, Value a, Value b) {
  Value dst = fresh(result, "extremum");
  commutative<TensorOp, ScalarOp>(dst, a, b);
  for (Value operand : {a, b})
    if (isa<ascendc::LocalTensorType>(operand.getType()))
      dst = keepNaN(dst, operand);
  return dst;
}

LogicalResult BodyConverter::convertDivision(DivOp div) {
  Value dst = fresh(div, "quotient");
  binary<ascendc::DivOp>(dst, asTensor(div.getLhs(), "dividend"),
                         asTensor(div.getRhs(), "divisor"));
  values[div] = dst;
  return success();
}

void BodyConverter::convertCompare(CompareOp compare) {
  auto mode = [](Predicate predicate) {
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
  };
  StringRef name = getValueName(compare);
  Value dst = mask(name.empty() ? "condition" : name);
  if (isTensor(compare.getLhs()) && !isTensor(compare.getRhs()))
    ascendc::CompareScalarOp::create(
        builder, kernel.loc, dst, get(compare.getLhs()), get(compare.getRhs()),
        mode(compare.getPredicate()), wholeCount());
  else
    ascendc::CompareOp::create(builder, kernel.loc, dst,
                               asTensor(compare.getLhs(), "left"),
                               asTensor(compare.getRhs(), "right"),
                               mode(compare.getPredicate()), wholeCount());
  values[compare] = dst;
}

/// Masks are bits; And, Or and Not work on 16 of them at a time.
void BodyConverter::convertLogic(Operation *op) {
  Type words = builder.getIntegerType(16, /*isSigned=*/false);
  Value dst = mask(getValueName(op->getResult(0)).empty()
                       ? StringRef("condition")
                       : getValueName(op->getResult(0)));
  Value wordCount = kernel.div(wholeCount(), kernel.i32(16));
  auto asWords = [&](Value value) { return kernel.view(value, words); };
  auto emit = [&](auto type, ValueRange sources) {
    using OpTy = decltype(type);
    Value target = asWords(dst);
    if constexpr (std::is_same_v<OpTy, ascendc::NotOp>)
      OpTy::create(builder, kernel.loc, target, sources[0], wordCount, Value(),
                   Value(), ValueRange(), DenseI64ArrayAttr());
    else
      OpTy::create(builder, kernel.loc, target, sources[0], sources[1],
                   wordCount, Value(), Value(), ValueRange(),
                   DenseI64ArrayAttr());
  };
  SmallVector<Value> sources;
  for (Value operand : op->getOperands())
    sources.push_back(asWords(get(operand)));
  if (isa<AndOp>(op))
    emit(ascendc::AndOp(), sources);
  else if (isa<OrOp>(op))
    emit(ascendc::OrOp(), sources);
  else
    emit(ascendc::NotOp(), sources);
  values[op->getResult(0)] = dst;
}

LogicalResult BodyConverter::convertSelect(SelectOp select) {
  Value condition = get(select.getCondition());
  Value dst = fresh(select, "selected");
  Value chosen = asTensor(select.getTrueValue(), "chosen");
  if (isTensor(select.getFalseValue()))
    ascendc::SelectOp::create(builder, kernel.loc, dst, condition, chosen,
                              get(select.getFalseValue()), count);
  else
    ascendc::SelectScalarOp::create(builder, kernel.loc, dst, condition, chosen,
                                    get(select.getFalseValue()), count);
  values[select] = dst;
  return success();
}

/// One more call on the same buffer, where the condition says so.
LogicalResult BodyConverter::convertGuarded(SelectOp select,
                                            GuardedStep guarded) {
  Value buffer = get(guarded.before);
  // Conditions are members of the tiling data, compared with 1.
  auto holds = get(select.getCondition()).getDefiningOp<arith::CmpIOp>();
  Value guard =
      guarded.onTrue ? holds.getResult() : kernel.equals(holds.getLhs(), 0);
  LogicalResult result = success();
  kernel.buildIf(guard, [&] {
    llvm::SaveAndRestore here(inPlace, buffer);
    result = convert(guarded.step);
  });
  values[select] = buffer;
  return result;
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
  values[op->getResult(0)] = result;
  return success();
}

LogicalResult BodyConverter::convert(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    if (std::optional<double> value = getRealConstant(constant)) {
      values[constant] = kernel.f32(*value);
      return success();
    }
    return op->emitError("a constant of this kind has no place in a kernel");
  }
  if (auto select = dyn_cast<SelectOp>(op))
    if (std::optional<GuardedStep> guarded = getStepOnTile(select))
      return convertGuarded(select, *guarded);
  // An operand without a value is a constant from outside the sweep, or one
  // that no earlier step could place: a located error is better than a wrong
  // kernel.
  for (Value operand : op->getOperands())
    if (!values.lookup(operand)) {
      if (auto constant = operand.getDefiningOp<ConstantOp>()) {
        if (failed(convert(constant)))
          return failure();
        continue;
      }
      StringRef name = getValueName(operand);
      return op->emitError("no schedule carries this yet: operand '")
             << (name.empty() ? StringRef("(unnamed)") : name)
             << "' has no value in this kernel";
    }
  bool anyTensor = llvm::any_of(
      op->getOperands(), [&](Value operand) { return isTensor(operand); });
  if (!anyTensor)
    return convertScalar(op);

  Value result = op->getNumResults() ? op->getResult(0) : Value();
  auto bind = [&](Value buffer) {
    values[result] = buffer;
    return success();
  };
  auto x = [&](unsigned i) { return get(op->getOperand(i)); };
  auto apply = [&](auto type, StringRef label) {
    Value dst = fresh(result, label);
    unary<decltype(type)>(dst, x(0));
    return bind(dst);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AddOp) {
        Value dst = fresh(result, "sum");
        commutative<ascendc::AddOp, ascendc::AddsOp>(dst, x(0), x(1));
        return bind(dst);
      })
      .Case([&](MulOp) {
        Value dst = fresh(result, "product");
        commutative<ascendc::MulOp, ascendc::MulsOp>(dst, x(0), x(1));
        return bind(dst);
      })
      .Case([&](SubOp sub) {
        Value dst = fresh(result, "difference");
        if (isTensor(sub.getLhs()) && isTensor(sub.getRhs())) {
          binary<ascendc::SubOp>(dst, x(0), x(1));
        } else if (isTensor(sub.getLhs())) {
          Value minus = arith::NegFOp::create(builder, kernel.loc, x(1));
          binary<ascendc::AddsOp>(dst, x(0), minus);
        } else { // s - t = s + (-t), exactly
          Value minus = temporary("minus");
          binary<ascendc::MulsOp>(minus, x(1), kernel.f32(-1));
          binary<ascendc::AddsOp>(dst, minus, x(0));
        }
        return bind(dst);
      })
      .Case([&](DivOp div) { return convertDivision(div); })
      .Case([&](MinOp) {
        return bind(
            extremum<ascendc::MinOp, ascendc::MinsOp>(result, x(0), x(1)));
      })
      .Case([&](MaxOp) {
        return bind(
            extremum<ascendc::MaxOp, ascendc::MaxsOp>(result, x(0), x(1)));
      })
      .Case([&](ClampOp clamp) {
        Value value = asTensor(clamp.getValue(), "value");
        Value raised = temporary("raised");
        commutative<ascendc::MaxOp, ascendc::MaxsOp>(raised, value, x(1));
        Value dst = fresh(result, "clamped");
        commutative<ascendc::MinOp, ascendc::MinsOp>(dst, raised, x(2));
        dst = keepNaN(dst, value);
        for (unsigned bound : {1, 2})
          if (isTensor(op->getOperand(bound)))
            dst = keepNaN(dst, x(bound));
        return bind(dst);
      })
      .Case([&](NegOp) {
        Value dst = fresh(result, "negated");
        binary<ascendc::MulsOp>(dst, x(0), kernel.f32(-1));
        return bind(dst);
      })
      .Case([&](AbsOp) { return apply(ascendc::AbsOp(), "size"); })
      .Case([&](ExpOp) { return apply(ascendc::ExpOp(), "exponential"); })
      .Case([&](LogOp) { return apply(ascendc::LnOp(), "logarithm"); })
      .Case([&](SqrtOp) { return apply(ascendc::SqrtOp(), "root"); })
      .Case([&](CompareOp compare) {
        convertCompare(compare);
        return success();
      })
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
        Value ones = temporary("ones"), dst = fresh(result, "indicator");
        ascendc::DuplicateOp::create(builder, kernel.loc, ones, kernel.f32(1),
                                     count);
        ascendc::SelectScalarOp::create(builder, kernel.loc, dst, x(0), ones,
                                        kernel.f32(0), count);
        return bind(dst);
      })
      .Default([](Operation *other) {
        return other->emitError("has no vector form yet");
      });
}

LogicalResult BodyConverter::run(ArrayRef<Value> tiles) {
  Block &body = kernel.sweep.getBody().front();
  for (auto [uniform, scalar] : kernel.scalars)
    values[uniform] = scalar;
  for (auto [i, tensor] : llvm::enumerate(kernel.inputs)) {
    Value held = tiles[i];
    if (!held)
      held =
          ascendc::ReadOp::create(builder, kernel.named(tensor.name + "Scalar"),
                                  builder.getF32Type(), tensor.variable);
    for (Operation *user : body.getArgument(i).getUsers())
      values[user->getResult(0)] = held;
  }
  SmallVector<Value> results;
  for (Operation &op : body.without_terminator()) {
    if (isa<WidenOp>(op))
      continue;
    if (auto narrow = dyn_cast<NarrowOp>(op)) {
      results.push_back(asTensor(narrow.getOperand(), "filled"));
      continue;
    }
    if (isStepOnTile(&op))
      continue;
    if (failed(convert(&op)))
      return failure();
  }
  for (auto [tensor, result] : llvm::zip(kernel.outputs, results)) {
    // A result that needs no rounding is computed where it is stored from.
    bool inPlace = !tensor.code && tensor.tile.getType() == result.getType() &&
                   !llvm::is_contained(tiles, result) &&
                   llvm::count(results, result) == 1;
    if (!inPlace) {
      kernel.buildNarrow(tensor, tensor.tile, result, count);
      continue;
    }
    result.replaceAllUsesWith(tensor.tile);
    result.getDefiningOp()->erase();
  }
  return success();
}

LogicalResult KernelBuilder::buildBody(ArrayRef<Value> tiles, Value count) {
  return BodyConverter(*this, count).run(tiles);
}
