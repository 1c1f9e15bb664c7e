//===- Differentiate.cpp - lossgrad-differentiate -------------------------===//
//
// Reverse-mode differentiation of the forward that a body holds. Rules of
// elementwise ops and functions are data (lossgrad.rule); here is the walk,
// what broadcasting means to an adjoint, and the rules of ops over dims,
// choices and conversions. Nothing is simplified: lossgrad-simplify does that.
//
// An adjoint logically has the dims of its value. Where it is the same along
// one of them it may lack it, as any value may.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "passes/Derive/Derive.h"
#include "passes/Derive/Rules.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADDIFFERENTIATE
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

/// Adjoints are not what they are made for.
static Location withoutName(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getChildLoc();
  return loc;
}

namespace {

class ReverseWalk {
public:
  ReverseWalk(GradientOp gradient, const ModuleRules &rules)
      : gradient(gradient), rules(rules), builder(gradient) {}

  FailureOr<Value> run();

private:
  void findActive();
  LogicalResult pass(Operation *op, Value g);
  LogicalResult passByRule(Operation *op, StringRef name, Value g);
  LogicalResult passReduced(ReducedOp op, Value g);
  LogicalResult passReduce(ReduceOp op, Value g);
  LogicalResult passGather(GatherOp op, Value g);

  bool isActive(Value value) const { return active.contains(value); }
  void accumulate(Value value, Value g);
  /// An adjoint over `dims` for an operand that may lack some of them.
  void push(Value operand, Value g, ArrayRef<StringAttr> dims);
  Value real(double value);
  InFlightDiagnostic fail(Operation *op);

  GradientOp gradient;
  const ModuleRules &rules;
  OpBuilder builder;
  llvm::DenseSet<Value> active;
  DenseMap<Value, Value> adjoints;
  Location loc = withoutName(gradient.getLoc());
};

} // namespace

static ValueType typeOf(Value value) {
  return cast<ValueType>(value.getType());
}

Value ReverseWalk::real(double value) {
  return ConstantOp::create(builder, loc, builder.getF64FloatAttr(value));
}

InFlightDiagnostic ReverseWalk::fail(Operation *op) {
  InFlightDiagnostic diagnostic = emitError(gradient.getLoc());
  diagnostic.attachNote(op->getLoc()) << "the gradient flows through here";
  return diagnostic;
}

/// Values that depend on the input.
void ReverseWalk::findActive() {
  active.insert(gradient.getInput());
  for (Operation &op : *gradient->getBlock()) {
    if (&op == gradient.getOperation())
      return;
    if (isa<GradientOp>(op) || op.getNumResults() != 1 ||
        typeOf(op.getResult(0)).getKind() != Kind::Real)
      continue;
    if (llvm::any_of(op.getOperands(), [&](Value v) { return isActive(v); }))
      active.insert(op.getResult(0));
  }
}

void ReverseWalk::accumulate(Value value, Value g) {
  if (!isActive(value))
    return;
  Value &adjoint = adjoints[value];
  adjoint = adjoint ? AddOp::create(builder, loc, adjoint, g).getResult() : g;
}

void ReverseWalk::push(Value operand, Value g, ArrayRef<StringAttr> dims) {
  if (!isActive(operand))
    return;
  SmallVector<StringRef> summed;
  for (StringAttr dim : dims) {
    if (typeOf(operand).hasDim(dim))
      continue;
    if (typeOf(g).hasDim(dim)) {
      summed.push_back(dim);
      continue;
    }
    Value count = NumelOp::create(builder, loc, dim);
    count =
        CastOp::create(builder, loc, typeOf(count).withKind(Kind::Real), count);
    g = MulOp::create(builder, loc, g, count);
  }
  if (!summed.empty())
    g = ReduceOp::create(builder, loc, ReduceKind::sum, g,
                         builder.getStrArrayAttr(summed));
  accumulate(operand, g);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult ReverseWalk::passByRule(Operation *op, StringRef name, Value g) {
  RuleOp rule = rules.find(name);
  if (!rule)
    return fail(op) << "'" << name << "' has no derivative";
  if (rule.getDerivative().getNumArguments() != op->getNumOperands() + 2)
    return fail(op) << "the rule of '" << name << "' is for "
                    << rule.getDerivative().getNumArguments() - 2
                    << " operand(s), found " << op->getNumOperands();
  SmallVector<Value> values = {g, op->getResult(0)};
  llvm::append_range(values, op->getOperands());
  SmallVector<Value> results =
      instantiate(builder, loc, rule.getDerivative(), values,
                  rule.getOverAttr(), op->getAttrOfType<ArrayAttr>("over"));
  // A function over dims gives its operands adjoints that have them.
  SmallVector<StringAttr> dims = unionOfDims(
      op->getOperandTypes(), gradient->getParentOfType<OperatorOp>());
  ArrayAttr names = rule.getOperandNames();
  for (auto [name, value] : llvm::zip(
           rule.getDerivativeYield().getOutputs().getAsRange<StringAttr>(),
           results)) {
    unsigned place = llvm::find(names, name) - names.begin();
    push(op->getOperand(place), value, dims);
  }
  return success();
}

LogicalResult ReverseWalk::passReduced(ReducedOp op, Value g) {
  if (isActive(op.getCount()))
    return fail(op) << "the count of a mean depends on the input";
  Value one = real(1);
  Value share = DivOp::create(builder, loc, one, op.getCount());
  Value factor = SelectOp::create(builder, loc, op.getMean(), share, one);
  // One element or all: no sum either way.
  accumulate(op.getValue(), MulOp::create(builder, loc, g, factor));
  return success();
}

/// Those that are largest share the adjoint.
LogicalResult ReverseWalk::passReduce(ReduceOp op, Value g) {
  if (op.getReduceKind() == ReduceKind::sum) {
    accumulate(op.getOperand(), g);
    return success();
  }
  Value hit = CompareOp::create(builder, loc, Predicate::eq, op.getOperand(),
                                op.getResult());
  Value ones =
      CastOp::create(builder, loc, typeOf(hit).withKind(Kind::Real), hit);
  Value count =
      ReduceOp::create(builder, loc, ReduceKind::sum, ones, op.getOverAttr());
  Value share = DivOp::create(builder, loc, g, count);
  accumulate(op.getOperand(),
             SelectOp::create(builder, loc, hit, share, real(0)));
  return success();
}

LogicalResult ReverseWalk::passGather(GatherOp op, Value g) {
  if (isActive(op.getOtherwise()))
    return fail(op) << "the value for an index out of range depends on the "
                       "input";
  if (typeOf(op.getIndex()).hasDim(op.getOverAttr()))
    return fail(op) << "'gather' with an index along its own dim has no "
                       "derivative";
  Value hit = OneHotOp::create(builder, loc, op.getIndex(), op.getOverAttr());
  Value spread = SelectOp::create(builder, loc, hit, g, real(0));
  push(op.getTable(), spread, typeOf(spread).getDims());
  return success();
}

LogicalResult ReverseWalk::pass(Operation *op, Value g) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReducedOp o) { return passReduced(o, g); })
      .Case([&](ReduceOp o) { return passReduce(o, g); })
      .Case([&](GatherOp o) { return passGather(o, g); })
      .Case([&](SavedOp o) {
        accumulate(o.getDefinition(), g);
        return success();
      })
      .Case([&](SelectOp o) {
        ArrayRef<StringAttr> dims = typeOf(o).getDims();
        Value zero = real(0);
        push(o.getTrueValue(),
             SelectOp::create(builder, loc, o.getCondition(), g, zero), dims);
        push(o.getFalseValue(),
             SelectOp::create(builder, loc, o.getCondition(), zero, g), dims);
        return success();
      })
      .Case([&](CastOp) { return success(); })
      .Case([&](ApplyOp o) { return passByRule(o, o.getFunction(), g); })
      .Default([&](Operation *o) {
        return passByRule(o, o->getName().stripDialect(), g);
      });
}

FailureOr<Value> ReverseWalk::run() {
  findActive();
  for (auto [output, upstream] :
       llvm::zip(gradient.getOutputs(), gradient.getUpstream())) {
    accumulate(output, upstream);
    if (auto reduced = output.getDefiningOp<ReducedOp>())
      for (Operation *user : reduced->getUsers())
        if (!isa<GradientOp>(user))
          return fail(reduced) << "a reduced loss is an output of its forward "
                                  "and nothing else";
  }
  SmallVector<Operation *> order;
  for (Operation &op : *gradient->getBlock()) {
    if (&op == gradient.getOperation())
      break;
    if (op.getNumResults() == 1 && isActive(op.getResult(0)))
      order.push_back(&op);
  }
  for (Operation *op : llvm::reverse(order)) {
    Value g = adjoints.lookup(op->getResult(0));
    if (g && op->getResult(0) != gradient.getInput() && failed(pass(op, g)))
      return failure();
  }
  Value result = adjoints.lookup(gradient.getInput());
  return result ? result : real(0);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// A sum onto a part of dims that the value lacks is a multiple of it.
static void replaceGradient(GradientOp gradient, Value value) {
  for (Operation *user : llvm::make_early_inc_range(gradient->getUsers())) {
    auto onto = dyn_cast<ReduceOntoOp>(user);
    if (!onto || typeOf(value).hasDim(onto.getFromAttr()))
      continue;
    OpBuilder builder(onto);
    auto count = [&](StringAttr dim) -> Value {
      Value n = NumelOp::create(builder, onto.getLoc(), dim);
      return CastOp::create(builder, onto.getLoc(),
                            typeOf(n).withKind(Kind::Real), n);
    };
    Value times =
        DivOp::create(builder, onto.getLoc(), count(onto.getFromAttr()),
                      count(onto.getToAttr()));
    Value all = MulOp::create(builder, onto.getLoc(), value, times);
    onto.replaceAllUsesWith(all);
    onto.erase();
  }
  gradient.replaceAllUsesWith(value);
  gradient.erase();
}

namespace {
struct Differentiate
    : public lossgrad::impl::LossgradDifferentiateBase<Differentiate> {
  void runOnOperation() override {
    ModuleRules rules(getOperation());
    SmallVector<GradientOp> gradients;
    getOperation().walk([&](GradientOp op) { gradients.push_back(op); });
    for (GradientOp gradient : gradients) {
      FailureOr<Value> value = ReverseWalk(gradient, rules).run();
      if (failed(value))
        return signalPassFailure();
      gradient->getParentOfType<OperatorOp>().setDerived(true);
      replaceGradient(gradient, *value);
    }
    getOperation().walk([](OperatorOp op) {
      for (Operation &each :
           llvm::make_early_inc_range(llvm::reverse(op.getBody().front())))
        // Named results of the forward stay: simplification knows formulas by
        // them, and what could be saved.
        if (isOpTriviallyDead(&each) && !isa<SavedOp>(each) &&
            getValueName(each.getResult(0)).empty())
          each.erase();
    });
  }
};
} // namespace
