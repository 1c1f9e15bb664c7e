//===- UniformToArith.cpp - Uniform values as host arithmetic -------------===//
//
// See the header. Meaning at the edges is that of the dialect: min and max keep
// NaN, comparisons with NaN are false but for ne.
//
//===----------------------------------------------------------------------===//

#include "passes/UniformToArith.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lossgrad;

/// The position of `dim` in a shape, counted from an end between which and the
/// dim lie only single axes.
static std::optional<int64_t> findAxis(OperatorOp op, ArrayRef<StringAttr> dims,
                                       StringAttr dim) {
  auto isPack = [&](StringAttr each) { return op.findDim(each).isPack(); };
  const auto *at = llvm::find(dims, dim);
  if (at == dims.end())
    return std::nullopt;
  if (llvm::none_of(llvm::make_range(dims.begin(), at), isPack))
    return at - dims.begin();
  if (llvm::none_of(llvm::make_range(at, dims.end()), isPack))
    return at - dims.end();
  return std::nullopt;
}

std::optional<SizeSource> lossgrad::findSizeSource(OperatorOp op,
                                                   StringRef name) {
  if (ParamAttr param = op.findParam(name))
    return SizeSource{name, {}};
  DimAttr dim = op.findDim(name);
  // An input may lack what it broadcasts along; an output never does.
  SmallVector<ParamAttr> shown = op.getOutputs();
  if (dim.getKind() != DimKind::Broadcast)
    llvm::append_range(shown, op.getInputs());
  Builder builder(op.getContext());
  for (ParamAttr param : shown) {
    ShapeAttr shape = param.getShape();
    if (param.getRole() == Role::Optional || shape.getFlat() ||
        shape.getConditionName())
      continue;
    ArrayRef<StringAttr> dims = shape.getDims();
    if (dims.size() == 1 && dims.front() == dim.getName())
      return SizeSource{param.getName(), {}};
    if (dim.isPack()) {
      auto isSingle = [&](StringAttr name) {
        return name != dim.getName() && !op.findDim(name).isPack();
      };
      auto place = llvm::find(dims, dim.getName());
      if (place != dims.end() &&
          llvm::count_if(dims, isSingle) == int64_t(dims.size()) - 1)
        return SizeSource{
            param.getName(), {}, place - dims.begin(), dims.end() - place - 1};
      continue;
    }
    if (std::optional<int64_t> axis = findAxis(op, dims, dim.getName()))
      return SizeSource{param.getName(), builder.getI64IntegerAttr(*axis)};
  }
  if (dim.getKind() != DimKind::Broadcast)
    return std::nullopt;
  SizeSource source{dim.getName(), {}};
  for (StringAttr name : dim.getRefs()) {
    ShapeAttr shape = op.findParam(name).getShape();
    if (shape.getFlat() || shape.getConditionName() ||
        shape.getDims().size() != 1)
      return std::nullopt;
    source.common.push_back(name);
  }
  return source;
}

Value UniformToArith::convert(Value uniform) {
  if (Value known = converted.lookup(uniform))
    return known;
  Value result = unique(build(uniform.getDefiningOp()));
  converted[uniform] = result;
  return result;
}

/// The same computation made before, if there is one. Of two names it keeps the
/// first.
Value UniformToArith::unique(Value value) {
  Operation *made = value.getDefiningOp();
  for (Operation *earlier : built) {
    if (earlier == made)
      return value;
    if (!OperationEquivalence::isEquivalentTo(
            earlier, made, OperationEquivalence::IgnoreLocations))
      continue;
    if (!isa<NameLoc>(earlier->getLoc()))
      earlier->setLoc(made->getLoc());
    made->erase();
    return earlier->getResult(0);
  }
  built.push_back(made);
  return value;
}

static Type hostType(OpBuilder &builder, Type type) {
  switch (cast<ValueType>(type).getKind()) {
  case Kind::Real:
    return builder.getF64Type();
  case Kind::Bool:
    return builder.getI1Type();
  default:
    return builder.getI64Type();
  }
}

static arith::CmpFPredicate realPredicate(Predicate predicate) {
  switch (predicate) {
  case Predicate::eq:
    return arith::CmpFPredicate::OEQ;
  case Predicate::ne:
    return arith::CmpFPredicate::UNE;
  case Predicate::lt:
    return arith::CmpFPredicate::OLT;
  case Predicate::le:
    return arith::CmpFPredicate::OLE;
  case Predicate::gt:
    return arith::CmpFPredicate::OGT;
  case Predicate::ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown predicate");
}

static arith::CmpIPredicate intPredicate(Predicate predicate) {
  switch (predicate) {
  case Predicate::eq:
    return arith::CmpIPredicate::eq;
  case Predicate::ne:
    return arith::CmpIPredicate::ne;
  case Predicate::lt:
    return arith::CmpIPredicate::slt;
  case Predicate::le:
    return arith::CmpIPredicate::sle;
  case Predicate::gt:
    return arith::CmpIPredicate::sgt;
  case Predicate::ge:
    return arith::CmpIPredicate::sge;
  }
  llvm_unreachable("unknown predicate");
}

Value UniformToArith::build(Operation *op) {
  Location loc = op->getLoc();
  Type type = hostType(builder, op->getResult(0).getType());
  auto ask = [&](TilingQuestion question, StringRef name,
                 IntegerAttr axis = {}) -> Value {
    return TilingAskOp::create(builder, loc, type, question, name, axis);
  };
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto boolean = dyn_cast<BoolAttr>(value))
      value = builder.getIntegerAttr(builder.getI1Type(), boolean.getValue());
    return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(value));
  }
  if (auto attribute = dyn_cast<AttributeOp>(op))
    return ask(TilingQuestion::Attribute, attribute.getName());
  if (auto present = dyn_cast<PresentOp>(op))
    return ask(TilingQuestion::Present, present.getName());
  if (isa<NumelOp, RankOp, ExtentOp>(op))
    return buildSize(op);
  if (auto compare = dyn_cast<CompareOp>(op))
    if (Value choice = buildChoice(compare))
      return choice;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(convert(operand));
  return buildArithmetic(op, operands);
}

/// A string of the call is its number among the choices; one that is no choice
/// equals none of them.
Value UniformToArith::buildChoice(CompareOp compare) {
  auto attribute = compare.getLhs().getDefiningOp<AttributeOp>();
  auto constant = compare.getRhs().getDefiningOp<ConstantOp>();
  auto text =
      constant ? dyn_cast<StringAttr>(constant.getValue()) : StringAttr();
  if (!attribute || !text)
    return {};
  OperatorOp op = compare->getParentOfType<VariantOp>().getOperator();
  ArrayRef<StringAttr> choices = op.findParam(attribute.getName()).getChoices();
  int64_t number = llvm::find(choices, text) - choices.begin();
  Location loc = compare.getLoc();
  Type type = builder.getI64Type();
  Value given =
      unique(TilingAskOp::create(builder, loc, type, TilingQuestion::Attribute,
                                 attribute.getName(), IntegerAttr()));
  Value wanted = arith::ConstantOp::create(builder, loc,
                                           builder.getI64IntegerAttr(number));
  return arith::CmpIOp::create(builder, loc,
                               compare.getPredicate() == Predicate::eq
                                   ? arith::CmpIPredicate::eq
                                   : arith::CmpIPredicate::ne,
                               given, wanted);
}

/// What a schedule carries has a source for every size.
Value UniformToArith::buildSize(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("name");
  SizeSource source =
      *findSizeSource(op->getParentOfType<VariantOp>().getOperator(), name);
  Location loc = op->getLoc();
  Type type = builder.getI64Type();
  auto ask = [&](TilingQuestion question, IntegerAttr axis) -> Value {
    return TilingAskOp::create(
        builder, loc, type, question, source.tensor, axis,
        source.common.empty() ? ArrayAttr()
                              : builder.getStrArrayAttr(source.common));
  };
  if (source.axis) // one axis: its rank is 1, its elements are its extent
    return isa<RankOp>(op) ? arith::ConstantOp::create(
                                 builder, loc, builder.getI64IntegerAttr(1))
                           : ask(TilingQuestion::Extent, source.axis);
  if (auto extent = dyn_cast<ExtentOp>(op)) {
    int64_t axis = extent.getAxis().value_or(0);
    axis += axis < 0 ? -source.axesBehind : source.axesBefore;
    return ask(TilingQuestion::Extent, builder.getI64IntegerAttr(axis));
  }
  // A pack among single axes: what is left of the tensor without them.
  int64_t others = source.axesBefore + source.axesBehind;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  if (isa<RankOp>(op)) {
    Value rank = ask(TilingQuestion::Rank, IntegerAttr());
    return others ? arith::SubIOp::create(builder, loc, rank, number(others))
                        .getResult()
                  : rank;
  }
  Value count = ask(TilingQuestion::Numel, IntegerAttr());
  auto without = [&](int64_t axis) {
    Value extent = ask(TilingQuestion::Extent, builder.getI64IntegerAttr(axis));
    // Without elements there is nothing to divide.
    Value divisor = arith::MaxSIOp::create(builder, loc, extent, number(1));
    count = arith::DivSIOp::create(builder, loc, count, divisor);
  };
  for (int64_t axis = 0; axis < source.axesBefore; ++axis)
    without(axis);
  for (int64_t axis = 1; axis <= source.axesBehind; ++axis)
    without(-axis);
  return count;
}

/// A function of the helper header that takes a real, declared on first use.
Value UniformToArith::call(StringRef helper, Location loc, Value operand,
                           Type type) {
  type = type ? type : operand.getType();
  Operation *module = builder.getInsertionBlock()->getParentOp();
  while (!isa<ModuleOp>(module))
    module = module->getParentOp();
  if (!SymbolTable::lookupSymbolIn(module, helper)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(cast<ModuleOp>(module).getBody());
    auto signature = builder.getFunctionType(operand.getType(), type);
    auto declaration = func::FuncOp::create(builder, loc, helper, signature);
    declaration.setPrivate();
  }
  return func::CallOp::create(builder, loc, helper, type, operand).getResult(0);
}

Value UniformToArith::buildArithmetic(Operation *op, ValueRange x) {
  Location loc = op->getLoc();
  bool real = isa<FloatType>(x.front().getType());
  auto pick = [&](auto realOp, auto intOp) -> Value {
    if (real)
      return decltype(realOp)::create(builder, loc, x);
    return decltype(intOp)::create(builder, loc, x);
  };
  auto zero = [&]() -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getZeroAttr(x.front().getType()));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return pick(arith::AddFOp(), arith::AddIOp()); })
      .Case([&](SubOp) { return pick(arith::SubFOp(), arith::SubIOp()); })
      .Case([&](MulOp) { return pick(arith::MulFOp(), arith::MulIOp()); })
      .Case([&](DivOp) { return arith::DivFOp::create(builder, loc, x); })
      .Case([&](MinOp) { return pick(arith::MinimumFOp(), arith::MinSIOp()); })
      .Case([&](MaxOp) { return pick(arith::MaximumFOp(), arith::MaxSIOp()); })
      .Case([&](ClampOp) -> Value {
        if (!real) {
          Value raised = arith::MaxSIOp::create(builder, loc, x[0], x[1]);
          return arith::MinSIOp::create(builder, loc, raised, x[2]);
        }
        Value raised = arith::MaximumFOp::create(builder, loc, x[0], x[1]);
        return arith::MinimumFOp::create(builder, loc, raised, x[2]);
      })
      .Case([&](NegOp) -> Value {
        if (real)
          return arith::NegFOp::create(builder, loc, x[0]);
        return arith::SubIOp::create(builder, loc, zero(), x[0]);
      })
      .Case([&](AbsOp) -> Value {
        if (real)
          return math::AbsFOp::create(builder, loc, x[0]);
        Value isNegative = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, x[0], zero());
        Value minus = arith::SubIOp::create(builder, loc, zero(), x[0]);
        return arith::SelectOp::create(builder, loc, isNegative, minus, x[0]);
      })
      .Case([&](ExpOp) { return math::ExpOp::create(builder, loc, x[0]); })
      .Case([&](LogOp) { return math::LogOp::create(builder, loc, x[0]); })
      .Case([&](SqrtOp) { return math::SqrtOp::create(builder, loc, x[0]); })
      .Case([&](SinOp) { return math::SinOp::create(builder, loc, x[0]); })
      .Case([&](CosOp) { return math::CosOp::create(builder, loc, x[0]); })
      .Case([&](Float32AtLeastOp) { return call("FloatAtLeast", loc, x[0]); })
      .Case([&](Float32AtMostOp) { return call("FloatAtMost", loc, x[0]); })
      .Case([&](Float32ExactlyOp) { return call("FloatExactly", loc, x[0]); })
      .Case(
          [&](PowOp) { return math::PowFOp::create(builder, loc, x[0], x[1]); })
      .Case([&](CompareOp compare) -> Value {
        if (real)
          return arith::CmpFOp::create(
              builder, loc, realPredicate(compare.getPredicate()), x[0], x[1]);
        return arith::CmpIOp::create(
            builder, loc, intPredicate(compare.getPredicate()), x[0], x[1]);
      })
      .Case([&](AndOp) { return arith::AndIOp::create(builder, loc, x); })
      .Case([&](OrOp) { return arith::OrIOp::create(builder, loc, x); })
      .Case([&](NotOp) -> Value {
        Value yes = arith::ConstantOp::create(
            builder, loc, builder.getIntegerAttr(builder.getI1Type(), 1));
        return arith::XOrIOp::create(builder, loc, x[0], yes);
      })
      .Case([&](SelectOp) { return arith::SelectOp::create(builder, loc, x); })
      .Case([&](SignOp) -> Value {
        // Ints of the host are small; reals follow through two comparisons.
        Type type = x[0].getType();
        auto number = [&](double value) -> Value {
          TypedAttr attr = real ? TypedAttr(builder.getFloatAttr(type, value))
                                : TypedAttr(builder.getIntegerAttr(
                                      type, static_cast<int64_t>(value)));
          return arith::ConstantOp::create(builder, loc, attr);
        };
        Value above, below;
        if (real) {
          above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        x[0], number(0));
          below = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                        x[0], number(0));
        } else {
          above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        x[0], number(0));
          below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        x[0], number(0));
        }
        Value rest = arith::SelectOp::create(builder, loc, below, number(-1),
                                             x[0]); // zero or NaN stay
        return arith::SelectOp::create(builder, loc, above, number(1), rest);
      })
      .Case([&](CastOp cast) -> Value {
        Type from = x[0].getType();
        Type to = hostType(builder, cast.getResult().getType());
        if (from == to)
          return x[0];
        if (from.isInteger(1))
          return to.isF64()
                     ? Value(arith::UIToFPOp::create(builder, loc, to, x[0]))
                     : Value(arith::ExtUIOp::create(builder, loc, to, x[0]));
        if (to.isF64())
          return arith::SIToFPOp::create(builder, loc, to, x[0]);
        if (to.isInteger(1)) {
          if (real)
            return arith::CmpFOp::create(
                builder, loc, arith::CmpFPredicate::UNE, x[0], zero());
          return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       x[0], zero());
        }
        return call("ToInt", loc, x[0], to);
      });
}
