//===- Points.cpp - What differs in one place per row ---------------------===//
//
// Every value on the way from a one-hot condition to a result is a pair: what
// it is where the condition fails (`dense`), and what it is in the one place of
// a row where it holds (`at`), one value per row. An op on pairs and values of
// rows is a pair again. Where a pair meets something else that varies along the
// dim it becomes one value, a point, and the ops after it are ordinary ones:
// that keeps the order of the arithmetic, and nothing is read twice. Only what
// a choice takes from another value along the dim is looked up.
//
//===----------------------------------------------------------------------===//

#include "passes/Points.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

static ValueType typeOf(Value value) {
  return cast<ValueType>(value.getType());
}
static bool isZero(Value value) {
  return getRealConstant(value) == std::optional<double>(0);
}

std::optional<RowGuard> lossgrad::getRowGuard(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  if (!select || !isZero(select.getFalseValue()) ||
      isUniform(select.getCondition()))
    return std::nullopt;
  size_t dims = typeOf(select.getCondition()).getDims().size();
  if (dims == 0 || dims >= typeOf(select.getTrueValue()).getDims().size())
    return std::nullopt;
  return RowGuard{select.getCondition(), select.getTrueValue()};
}

namespace {

class PointBuilder {
public:
  PointBuilder(VariantOp variant)
      : builder(OpBuilder(variant.getYield())),
        loc(withoutName(variant.getLoc())) {}

  /// The result with points; null if that cannot be done.
  Value build(Value result);

private:
  struct Pair {
    Value dense, at;
  };
  /// A value of the body as it is rebuilt: an ordinary one, or a pair.
  struct Rebuilt {
    Value whole;
    Pair pair;
    explicit operator bool() const { return whole || pair.dense; }
  };

  bool isAlong(Value value) { return typeOf(value).hasDim(over); }
  bool saysInside(Value condition);
  bool findIndex(Value value);
  bool depends(Value value);
  Rebuilt rebuild(Value value);
  Rebuilt rebuildOp(Operation *op);
  Rebuilt rebuildSum(Operation *op);
  Value takeAt(Value value);
  Value whole(Rebuilt rebuilt, ValueType type);
  Value point(PointKind kind, Value dense, Value value, ValueType type);
  Value real(double value) {
    return ConstantOp::create(builder, loc, builder.getF64FloatAttr(value));
  }
  Value boolean(bool value) {
    return ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }
  /// The op on other operands; its types follow from them.
  Value recreate(Operation *op, ArrayRef<Value> operands);
  Value fold(Operation *op, ArrayRef<Value> operands);

  OpBuilder builder;
  Location loc;
  Value index;
  StringAttr over;
  llvm::DenseMap<Value, bool> dependent;
  llvm::DenseMap<Value, Rebuilt> known;
  llvm::DenseMap<Value, Value> taken;
};

} // namespace

//===----------------------------------------------------------------------===//
// What depends on the index
//===----------------------------------------------------------------------===//

/// Finds the one index of the one-hot conditions that a value is computed from,
/// element by element; false if there are several, or other ops.
bool PointBuilder::findIndex(Value value) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op)
      continue;
    if (auto onehot = dyn_cast<OneHotOp>(op)) {
      if (index && (index != onehot.getIndex() || over != onehot.getOverAttr()))
        return false;
      index = onehot.getIndex();
      over = onehot.getOverAttr();
      continue;
    }
    // A sum is a value per row, whatever it is computed from.
    if (isa<ReduceOp, GatherOp>(op))
      continue;
    if (!isa<WidenOp, NarrowOp, ConstantOp>(op) && !isUniform(next) &&
        !op->hasTrait<Elementwise>())
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

bool PointBuilder::depends(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<ReduceOp, GatherOp>(op))
    return false;
  if (isa<OneHotOp>(op))
    return true;
  auto [entry, isNew] = dependent.try_emplace(value, false);
  if (!isNew)
    return entry->second;
  bool result = llvm::any_of(op->getOperands(),
                             [&](Value operand) { return depends(operand); });
  return dependent[value] = result;
}

//===----------------------------------------------------------------------===//
// Ops on other operands
//===----------------------------------------------------------------------===//

Value PointBuilder::recreate(Operation *op, ArrayRef<Value> operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->setLoc(loc);
  Value result = copy->getResult(0);
  OperatorOp owner = op->getParentOfType<VariantOp>().getOperator();
  SmallVector<StringAttr> dims;
  for (Value operand : operands)
    for (StringAttr dim : typeOf(operand).getDims())
      if (!llvm::is_contained(dims, dim))
        dims.push_back(dim);
  owner.sortDims(dims);
  result.setType(
      ValueType::get(op->getContext(), dims, typeOf(result).getKind()));
  return result;
}

/// The same with what constants decide.
Value PointBuilder::fold(Operation *op, ArrayRef<Value> operands) {
  auto constant = [&](unsigned i) { return getBoolConstant(operands[i]); };
  if (isa<AndOp, OrOp>(op)) {
    bool neutral = isa<AndOp>(op);
    for (unsigned i : {0, 1})
      if (std::optional<bool> known = constant(i))
        return *known == neutral ? operands[1 - i] : boolean(!neutral);
  }
  if (isa<NotOp>(op))
    if (std::optional<bool> known = constant(0))
      return boolean(!*known);
  if (isa<SelectOp>(op)) {
    if (std::optional<bool> known = constant(0))
      return operands[*known ? 1 : 2];
    if (isZero(operands[1]) && isZero(operands[2]))
      return operands[2];
  }
  if (auto cast = dyn_cast<CastOp>(op);
      cast && typeOf(cast).getKind() == Kind::Real)
    if (std::optional<bool> known = constant(0))
      return real(*known);
  if (isa<NegOp>(op))
    if (std::optional<double> known = getRealConstant(operands[0]))
      return real(-*known + 0.0);
  return recreate(op, operands);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Whether a condition only says that the index is one of the dim, which it is
/// wherever there is a point.
bool PointBuilder::saysInside(Value condition) {
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare || compare.getLhs() != index)
    return false;
  auto constant = compare.getRhs().getDefiningOp<ConstantOp>();
  auto zero =
      constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  auto extent = compare.getRhs().getDefiningOp<ExtentOp>();
  if (compare.getPredicate() == Predicate::ge)
    return zero && zero.getInt() == 0;
  return compare.getPredicate() == Predicate::lt && extent &&
         extent.getNameAttr() == over && !extent.getAxisAttr();
}

/// A value in the place of the index, one per row; null if an op in the way is
/// not elementwise.
Value PointBuilder::takeAt(Value value) {
  if (Value result = taken.lookup(value))
    return result;
  if (saysInside(value))
    return boolean(true);
  if (auto both = value.getDefiningOp<AndOp>(); both && !isAlong(value)) {
    Value lhs = takeAt(both.getLhs()), rhs = takeAt(both.getRhs());
    bool isSame = lhs == both.getLhs() && rhs == both.getRhs();
    return taken[value] = isSame ? value : fold(both, {lhs, rhs});
  }
  if (!isAlong(value))
    return value;
  Operation *op = value.getDefiningOp();
  Value result;
  if (isa<OneHotOp>(op)) {
    result = boolean(true);
  } else if (isa<WidenOp>(op)) {
    if (typeOf(value).getKind() == Kind::Real)
      result = GatherOp::create(builder, loc, value, index, real(0), over);
  } else if (op->hasTrait<Elementwise>()) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(takeAt(operand));
    if (!llvm::is_contained(operands, Value()))
      result = fold(op, operands);
  }
  return taken[value] = result;
}

Value PointBuilder::point(PointKind kind, Value dense, Value value,
                          ValueType type) {
  return PointOp::create(builder, loc, type, kind, dense, index, value,
                         over.getValue());
}

/// A pair as one value.
Value PointBuilder::whole(Rebuilt rebuilt, ValueType type) {
  if (rebuilt.whole)
    return rebuilt.whole;
  auto [dense, at] = rebuilt.pair;
  return at ? point(PointKind::Set, dense, at, type) : Value();
}

/// Something that varies, plus or minus what is 0 but in one place: nothing
/// else of it changes.
PointBuilder::Rebuilt PointBuilder::rebuildSum(Operation *op) {
  for (unsigned i : {1u, 0u}) {
    if (i == 0 && !isa<AddOp>(op))
      continue;
    Rebuilt term = rebuild(op->getOperand(i));
    Rebuilt other = rebuild(op->getOperand(1 - i));
    if (!term || !other || !term.pair.dense || !isZero(term.pair.dense) ||
        !other.whole || !isAlong(other.whole))
      continue;
    Value by = term.pair.at;
    if (isa<SubOp>(op)) {
      std::optional<double> known = getRealConstant(by);
      by = known ? real(-*known) : NegOp::create(builder, loc, by).getResult();
    }
    return {point(PointKind::Add, other.whole, by, typeOf(op->getResult(0))),
            {}};
  }
  return {};
}

PointBuilder::Rebuilt PointBuilder::rebuildOp(Operation *op) {
  if (isa<OneHotOp>(op))
    return {{}, {boolean(false), boolean(true)}};
  if (!op->hasTrait<Elementwise>())
    return {};
  auto type = typeOf(op->getResult(0));
  if (isa<AddOp, SubOp>(op))
    if (Rebuilt sum = rebuildSum(op))
      return sum;
  SmallVector<Rebuilt> operands;
  bool meetsOthers = false; // that vary along the dim
  for (Value operand : op->getOperands()) {
    operands.push_back(rebuild(operand));
    if (!operands.back())
      return {};
    Value whole = operands.back().whole;
    meetsOthers |= whole && isAlong(whole);
  }
  // Conditions and choices stay pairs: what is not chosen is not needed, and
  // the other side is looked up. A guard of the row stays outermost.
  auto select = dyn_cast<SelectOp>(op);
  bool isReal = type.getKind() == Kind::Real;
  bool chooses = select && depends(select.getCondition());
  std::optional<RowGuard> guard = getRowGuard(op->getResult(0));
  bool isGuard = guard && !depends(guard->condition) &&
                 !isAlong(guard->condition) && operands[1].pair.dense &&
                 !isZero(operands[1].pair.dense);
  bool isOrdinary = isReal && !chooses && (meetsOthers || isGuard);
  SmallVector<Value> dense, at;
  for (auto [operand, rebuilt] : llvm::zip_equal(op->getOperands(), operands)) {
    if (isOrdinary) {
      dense.push_back(whole(rebuilt, typeOf(operand)));
      continue;
    }
    dense.push_back(rebuilt.whole ? rebuilt.whole : rebuilt.pair.dense);
    at.push_back(rebuilt.whole ? Value() : rebuilt.pair.at);
  }
  if (llvm::is_contained(dense, Value()))
    return {};
  if (isOrdinary)
    return {recreate(op, dense), {}};
  // Of a choice that is made in the one place only the chosen side is taken.
  if (chooses && at[0])
    if (std::optional<bool> known = getBoolConstant(at[0])) {
      unsigned side = *known ? 1 : 2;
      Value chosen = at[side] ? at[side] : takeAt(op->getOperand(side));
      return {{}, {fold(op, dense), chosen}};
    }
  // Nor is the other side of a condition that is decided there.
  for (Value value : at)
    if (std::optional<bool> known =
            value ? getBoolConstant(value) : std::nullopt;
        known && isa<AndOp, OrOp>(op) && *known == isa<OrOp>(op))
      return {{}, {fold(op, dense), value}};
  for (auto [i, value] : llvm::enumerate(at)) {
    if (!value)
      value = takeAt(op->getOperand(i));
    if (!value)
      return {};
  }
  return {{}, {fold(op, dense), fold(op, at)}};
}

PointBuilder::Rebuilt PointBuilder::rebuild(Value value) {
  if (!depends(value))
    return {value, {}};
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Rebuilt result = rebuildOp(value.getDefiningOp());
  return known[value] = result;
}

Value PointBuilder::build(Value result) {
  auto narrow = result.getDefiningOp<NarrowOp>();
  if (!narrow || !findIndex(narrow.getOperand()))
    return {};
  if (!index)
    return result;
  Rebuilt rebuilt = rebuild(narrow.getOperand());
  if (!rebuilt)
    return {};
  Value stored = whole(rebuilt, typeOf(result));
  if (!stored)
    return {};
  return NarrowOp::create(builder, narrow.getLoc(), stored.getType(), stored,
                          narrow.getElement());
}

SmallVector<Value> lossgrad::buildRoundedPoints(ArrayRef<Value> results) {
  SmallVector<Value> rounded;
  for (Value result : results) {
    auto narrow = result.getDefiningOp<NarrowOp>();
    auto point = narrow.getOperand().getDefiningOp<PointOp>();
    bool isRounded = point && point.getKind() == PointKind::Set &&
                     isZero(point.getDense()) &&
                     !typeOf(point.getValue()).getDims().empty() &&
                     narrow.getElement().getBinding() == Binding::Template;
    if (!isRounded) {
      rounded.push_back(result);
      continue;
    }
    OpBuilder builder(narrow);
    auto before =
        NarrowOp::create(builder, point.getLoc(), point.getValue().getType(),
                         point.getValue(), narrow.getElement());
    auto moved = PointOp::create(builder, point.getLoc(), point.getType(),
                                 point.getKind(), point.getDense(),
                                 point.getIndex(), before, point.getOver());
    rounded.push_back(NarrowOp::create(builder, narrow.getLoc(),
                                       narrow.getType(), moved,
                                       narrow.getElement()));
  }
  return rounded;
}

SmallVector<Value> lossgrad::buildPointedResults(VariantOp variant) {
  SmallVector<Value> results;
  YieldOp yield = variant.getYield();
  Operation *last = yield->getPrevNode();
  for (Value value : yield.getValues())
    results.push_back(PointBuilder(variant).build(value));
  if (!llvm::is_contained(results, Value()))
    return results;
  while (yield->getPrevNode() != last)
    yield->getPrevNode()->erase();
  return {};
}
