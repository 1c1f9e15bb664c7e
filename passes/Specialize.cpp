//===- Specialize.cpp - lossgrad-specialize -------------------------------===//
//
// Variants of a body. A condition becomes a variant only if it changes the work
// per element by more than a guarded step: after lossgrad-optimize, most of
// what is left of selects on uniform conditions does. Work per launch stays
// what it is, a value that the host computes. Element types and schedules are
// other passes' business.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Conditions.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "passes/GuardedSteps.h"
#include "passes/RetypeBody.h"
#include "passes/Schedules.h"
#include "passes/SplitParts.h"
#include "passes/UniformValues.h"
#include "passes/VariantNames.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "lossgrad-specialize"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADSPECIALIZE
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Drafts: variants that are not named yet
//===----------------------------------------------------------------------===//

/// The body of the operator as a variant that always holds.
static VariantOp createVariant(OpBuilder &builder, OperatorOp op) {
  Location loc = withoutName(op.getLoc());
  auto variant =
      VariantOp::create(builder, loc, op.getSymName(), op.getSymName(),
                        builder.getStrArrayAttr({}), /*whole=*/
                        builder.getStrArrayAttr({}), /*split=*/
                        builder.getStrArrayAttr({}), /*families=*/nullptr,
                        /*base=*/nullptr, /*title=*/nullptr,
                        /*occasion=*/nullptr);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&variant.getCondition().emplaceBlock());
  HoldsOp::create(builder, loc, UniformBuilder(builder, loc).boolean(true));
  IRMapping mapping;
  op.getBody().cloneInto(&variant.getBody(), mapping);
  for (auto [param, argument] :
       llvm::zip_equal(op.getInputs(), variant.getBody().getArguments()))
    argument.setLoc(NameLoc::get(param.getName(), argument.getLoc()));
  return variant;
}

/// Copies a uniform value and what it is computed from.
static Value cloneUniform(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneUniform(builder, operand, mapping);
  return builder.clone(*op, mapping)->getResult(0);
}

/// Narrows the condition of a variant to calls where `value` is `expected`.
static void require(VariantOp variant, Value value, bool expected) {
  HoldsOp holds = variant.getHolds();
  OpBuilder builder(holds);
  UniformBuilder build(builder, holds.getLoc());
  IRMapping mapping;
  Value condition = cloneUniform(builder, value, mapping);
  if (!expected)
    condition = build.lnot(condition);
  holds.getConditionMutable().assign(
      build.land(holds.getCondition(), condition));
  eraseDeadOps(variant.getCondition().front());
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether a value is there for every element of a result, and not only once
/// per row or lane.
static bool isPerElement(VariantOp variant, Value value) {
  auto type = cast<ValueType>(value.getType());
  return llvm::any_of(variant.getYield().getValues(), [&](Value result) {
    return llvm::all_of(cast<ValueType>(result.getType()).getDims(),
                        [&](StringAttr dim) { return type.hasDim(dim); });
  });
}

/// Whether there are rows and lanes to tell apart in a body.
static bool hasRows(VariantOp variant) {
  return llvm::any_of(variant.getBody().front(), [](Operation &op) {
    return isa<ReduceOp, GatherOp, OneHotOp>(op);
  });
}

/// Whether a value is computed from an input that a call may leave out, and for
/// which zeros cannot be taken instead: those of a row or a lane can.
static bool readsOptional(VariantOp variant, Value value) {
  SmallVector<ParamAttr> inputs = variant.getOperator().getInputs();
  bool canBeZeros = hasRows(variant);
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      bool isOptional =
          inputs[argument.getArgNumber()].getRole() == Role::Optional;
      if (isOptional && !(canBeZeros && !isPerElement(variant, argument)))
        return true;
    } else if (seen.insert(next.getDefiningOp()).second) {
      llvm::append_range(open, next.getDefiningOp()->getOperands());
    }
  }
  return false;
}

/// The uniform values of a body, in one walk.
static llvm::DenseSet<Value> getUniformValues(Block &body) {
  llvm::DenseSet<Value> uniform;
  for (Operation &op : body)
    if (op.getNumResults() == 1 &&
        cast<ValueType>(op.getResult(0).getType()).getDims().empty() &&
        llvm::all_of(op.getOperands(),
                     [&](Value operand) { return uniform.contains(operand); }))
      uniform.insert(op.getResult(0));
  return uniform;
}

/// The uniform conditions that an op on data depends on: that of a select, or
/// uniform operands of a logical op, since `or(u, v)` is as good as
/// `select(u, true, v)`.
static SmallVector<Value> getConditions(Operation &op,
                                        const llvm::DenseSet<Value> &uniform) {
  SmallVector<Value> conditions;
  if (auto select = dyn_cast<SelectOp>(op))
    conditions.push_back(select.getCondition());
  else if (isa<AndOp, OrOp>(op) && !uniform.contains(op.getResult(0)))
    llvm::append_range(conditions, op.getOperands());
  llvm::erase_if(conditions,
                 [&](Value value) { return !uniform.contains(value); });
  return conditions;
}

static LogicalResult dropWhatIsNotChosen(VariantOp variant);
static void assume(Value condition, bool known);

/// How many ops a body does for every element where a condition is known.
static unsigned countPerElement(VariantOp variant, Value condition,
                                bool known) {
  OpBuilder builder(variant);
  IRMapping mapping;
  auto trial = cast<VariantOp>(builder.clone(*variant, mapping));
  assume(mapping.lookup(condition), known);
  unsigned count = 0;
  if (succeeded(dropWhatIsNotChosen(trial)))
    for (Operation &op : trial.getBody().front())
      count += op.getNumResults() == 1 && isPerElement(trial, op.getResult(0));
  trial.erase();
  return count;
}

/// Whether what is chosen once per row or lane tells how much is done per
/// element: one side has fewer dims, and with it what is computed from it.
static bool changesWorkPerElement(VariantOp variant, SelectOp select) {
  auto hasFewerDims = [&](Value side) {
    return cast<ValueType>(side.getType()).getDims().size() <
           cast<ValueType>(select.getType()).getDims().size();
  };
  Value condition = select.getCondition();
  return (hasFewerDims(select.getTrueValue()) ||
          hasFewerDims(select.getFalseValue())) &&
         countPerElement(variant, condition, true) !=
             countPerElement(variant, condition, false);
}

/// The first condition that splits a body, null if there is none: it chooses
/// between two computations on data which are not a step apart. Choices of rows
/// and lanes come last, since the sides of others may not need them for every
/// element.
static Value findSplit(VariantOp variant) {
  Block &body = variant.getBody().front();
  llvm::DenseSet<Value> uniform = getUniformValues(body);
  SmallVector<SelectOp> ofRowsOrLanes;
  for (Operation &op : body) {
    if (op.getNumResults() != 1 || uniform.contains(op.getResult(0)))
      continue;
    if (auto select = dyn_cast<SelectOp>(op)) {
      // What is done once per row or lane is chosen there.
      if (!isPerElement(variant, select) && !readsOptional(variant, select)) {
        if (uniform.contains(select.getCondition()))
          ofRowsOrLanes.push_back(select);
        continue;
      }
      if (getGuardedStep(select))
        continue;
    }
    if (SmallVector<Value> conditions = getConditions(op, uniform);
        !conditions.empty())
      return conditions.front();
  }
  for (SelectOp select : ofRowsOrLanes)
    if (changesWorkPerElement(variant, select))
      return select.getCondition();
  return {};
}

/// What a choice or a logical op is where its condition or an operand is known;
/// null if that says nothing.
static Value findKnown(Operation &op) {
  if (auto select = dyn_cast<SelectOp>(op)) {
    if (auto known = getBoolConstant(select.getCondition()))
      return *known ? select.getTrueValue() : select.getFalseValue();
  } else if (isa<AndOp, OrOp>(op)) {
    for (unsigned i : {0, 1})
      if (auto known = getBoolConstant(op.getOperand(i)))
        return op.getOperand(*known == isa<AndOp>(op) ? 1 - i : i);
  }
  return {};
}

/// The constant that an op on constants gives, or the operand that its result
/// is; null if neither.
static Value fold(Operation &op) {
  SmallVector<OpFoldResult> results;
  if (op.getNumResults() != 1 || isa<ConstantOp>(op) ||
      failed(op.fold(results)) || results.empty())
    return {};
  if (auto value = dyn_cast<Value>(results.front()))
    return value;
  OpBuilder builder(&op);
  return ConstantOp::create(builder, op.getLoc(),
                            cast<TypedAttr>(cast<Attribute>(results.front())));
}

static bool replaceWhere(Block &body, function_ref<Value(Operation &)> find) {
  bool changed = false;
  for (Operation &op : llvm::make_early_inc_range(body))
    if (Value known = find(op)) {
      op.getResult(0).replaceAllUsesWith(known);
      op.erase();
      changed = true;
    }
  eraseDeadOps(body);
  return changed;
}

/// Makes a condition known in a body.
static void assume(Value condition, bool known) {
  OpBuilder builder(condition.getContext());
  builder.setInsertionPointAfterValue(condition);
  Value constant = UniformBuilder(builder, condition.getLoc()).boolean(known);
  condition.replaceAllUsesWith(constant);
}

/// Makes the conditions known that are decided wherever the variant runs, so
/// that a variant never chooses between what runs and what cannot. Returns how
/// many there were.
static unsigned assumeWhatIsDecided(VariantOp variant) {
  llvm::SetVector<Value> conditions;
  Block &body = variant.getBody().front();
  llvm::DenseSet<Value> uniform = getUniformValues(body);
  for (Operation &op : body)
    for (Value condition : getConditions(op, uniform))
      if (!getBoolConstant(condition))
        conditions.insert(condition);
  Conditions calls;
  unsigned count = 0;
  SmallVector<std::pair<Value, bool>> decided;
  for (Value condition : conditions)
    if (std::optional<bool> known =
            calls.decide(variant.getHolds().getCondition(), condition))
      decided.push_back({condition, *known});
  for (auto [condition, known] : decided) {
    LDBG() << variant.getSymName() << ": decided as " << known << ": "
           << condition;
    assume(condition, known);
    ++count;
  }
  return count;
}

/// Drops what the variant does not choose, and folds what that makes known.
static LogicalResult dropWhatIsNotChosen(VariantOp variant) {
  Block &body = variant.getBody().front();
  bool changed = true;
  while (changed) {
    changed = replaceWhere(body, findKnown);
    if (failed(retypeBody(body)))
      return failure();
    changed |= replaceWhere(body, fold);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// More than any schedule could take as tiling keys: conditions that should be
/// values of the host.
static constexpr size_t kMaxSplits = 1024;

/// Splits until no uniform condition is left; variants in reading order, the
/// side where a condition holds first. Counts the conditions that others
/// decided.
static LogicalResult splitByConditions(VariantOp variant,
                                       SmallVectorImpl<VariantOp> &finished,
                                       unsigned &decided) {
  if (failed(dropWhatIsNotChosen(variant)))
    return failure();
  if (unsigned count = assumeWhatIsDecided(variant)) {
    decided += count;
    if (failed(dropWhatIsNotChosen(variant)))
      return failure();
  }
  Value condition = findSplit(variant);
  if (!condition) {
    finished.push_back(variant);
    if (finished.size() > kMaxSplits)
      return emitError(variant.getLoc())
             << "splits into more than " << kMaxSplits
             << " variants; conditions on attributes, shapes and presence "
                "should choose coefficients instead of computations";
    return success();
  }
  LDBG() << variant.getSymName() << ": splits by " << condition;
  OpBuilder builder(variant);
  builder.setInsertionPointAfter(variant);
  IRMapping mapping;
  auto other = cast<VariantOp>(builder.clone(*variant, mapping));
  Value sameCondition = mapping.lookup(condition);
  describeSides(condition, variant, other);
  require(variant, condition, true);
  require(other, sameCondition, false);
  assume(condition, true);
  assume(sameCondition, false);
  if (failed(splitByConditions(variant, finished, decided)))
    return failure();
  return splitByConditions(other, finished, decided);
}

//===----------------------------------------------------------------------===//
// One-element factors
//===----------------------------------------------------------------------===//

/// Whether the result of an operation is proportional to the value, element by
/// element; 0 times it is that, too.
static bool isProportionalTo(Operation *op, Value value) {
  if (auto div = dyn_cast<DivOp>(op))
    return div.getLhs() == value && div.getRhs() != value;
  if (auto select = dyn_cast<SelectOp>(op)) {
    auto isZero = [](Value value) {
      return getRealConstant(value) == std::optional<double>(0);
    };
    return getGuardedStep(select) || isZero(select.getTrueValue()) ||
           isZero(select.getFalseValue());
  }
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isOntoPart(reduce);
  return isa<MulOp, NegOp>(op);
}

/// Whether a value only scales results, so that a scalar in its place saves a
/// multiplication by a tensor and a load.
static bool isFactorOfResults(Value value) {
  // Each user once: a square has its operand twice, and squares nest.
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (next.use_empty())
      return false;
    for (Operation *user : next.getUsers()) {
      if (isa<YieldOp>(user) || !seen.insert(user).second)
        continue;
      if (!isProportionalTo(user, next))
        return false;
      open.push_back(user->getResult(0));
    }
  }
  return true;
}

static Value createHasOneElement(OpBuilder &builder, Location loc,
                                 StringAttr param) {
  Value count = NumelOp::create(builder, loc, param);
  Value one = ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  auto name = builder.getStringAttr("single" + titleOf(param));
  return CompareOp::create(builder, NameLoc::get(name, loc), Predicate::eq,
                           count, one);
}

/// A copy of the variant in which the input has no dims; null if a result would
/// lose dims by that, because nothing else has them.
static FailureOr<VariantOp> createOneElementTwin(VariantOp variant,
                                                 unsigned input) {
  OpBuilder builder(variant);
  builder.setInsertionPointAfter(variant);
  auto twin = cast<VariantOp>(builder.clone(*variant));
  BlockArgument argument = twin.getBody().getArgument(input);
  argument.setType(ValueType::get(
      twin.getContext(), cast<ValueType>(argument.getType()).getKind()));
  if (failed(retypeBody(twin.getBody().front())))
    return failure();
  if (llvm::equal(twin.getYield().getValues().getTypes(),
                  variant.getYield().getValues().getTypes()))
    return twin;
  twin.erase();
  return VariantOp();
}

/// The variants that get a twin for one element of the input, if there is room
/// for so many: those that read it, and of these the ones with the fewest
/// inputs. None if it is more than a factor somewhere.
static SmallVector<VariantOp> chooseForTwins(ArrayRef<VariantOp> variants,
                                             unsigned input, size_t room) {
  auto countInputs = [](VariantOp variant) {
    return llvm::count_if(
        variant.getBody().getArguments(),
        [](BlockArgument argument) { return !argument.use_empty(); });
  };
  SmallVector<VariantOp> readers;
  for (VariantOp variant : variants) {
    BlockArgument argument = variant.getBody().getArgument(input);
    if (argument.use_empty())
      continue;
    if (!isPerElement(variant, argument) || !isFactorOfResults(argument))
      return {};
    readers.push_back(variant);
  }
  llvm::stable_sort(readers, [&](VariantOp a, VariantOp b) {
    return countInputs(a) < countInputs(b);
  });
  readers.truncate(std::min(readers.size(), room));
  return readers;
}

/// Narrows a variant to calls where the input has one element, or has not.
/// False if there are none.
static bool requireOneElement(VariantOp variant, StringAttr name, bool single) {
  // Built in the body, where `require` copies it from.
  Block &body = variant.getBody().front();
  OpBuilder inBody = OpBuilder::atBlockBegin(&body);
  Value condition = createHasOneElement(inBody, variant.getLoc(), name);
  bool possible = Conditions().canHold(
      {{variant.getHolds().getCondition(), true}, {condition, single}});
  if (possible)
    require(variant, condition, single);
  eraseDeadOps(body);
  return possible;
}

/// Adds to each of the `chosen` variants a twin for one element of the input,
/// or puts the twin in its place where the input never has more.
static LogicalResult addOneElementVariants(SmallVectorImpl<VariantOp> &variants,
                                           ArrayRef<VariantOp> chosen,
                                           unsigned input, StringAttr name) {
  SmallVector<VariantOp> all;
  for (VariantOp variant : variants) {
    all.push_back(variant);
    if (!llvm::is_contained(chosen, variant))
      continue;
    FailureOr<VariantOp> twin = createOneElementTwin(variant, input);
    if (failed(twin))
      return failure();
    if (!*twin)
      continue;
    if (!requireOneElement(*twin, name, true)) {
      twin->erase();
      continue;
    }
    if (!requireOneElement(variant, name, false)) {
      all.pop_back();
      variant.erase();
    }
    SmallVector<Attribute> names(twin->getOneElement().begin(),
                                 twin->getOneElement().end());
    names.push_back(name);
    twin->setOneElementAttr(ArrayAttr::get(twin->getContext(), names));
    describe(*twin, "Single" + titleOf(name),
             (name.getValue() + " has one element").str());
    all.push_back(*twin);
  }
  variants.assign(all.begin(), all.end());
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// What sets the variants of a sum onto a part apart. The one without a sum is
/// the ordinary one.
static void describeSums(VariantOp whole, VariantOp split) {
  auto part = cast<StringAttr>(split.getSplit()[0]);
  StringAttr param = split.getOperator().findDim(part).getRefs()[1];
  describe(whole, "", (param.getValue() + " is not broadcast").str());
  describe(split, "Onto" + titleOf(param),
           ("summed onto " + param.getValue()).str());
}

/// How many variants may be added. One that sums onto a part has few kernels
/// and counts half; where there are such, twins come in pairs.
static size_t countRoom(ArrayRef<VariantOp> variants, size_t limit) {
  size_t sums = llvm::count_if(
      variants, [](VariantOp variant) { return !variant.getSplit().empty(); });
  size_t halves = 2 * variants.size() - sums;
  size_t left = std::max(2 * limit, halves) - halves;
  return sums ? left * 2 / 3 : left / 2;
}

namespace {
struct SpecializePass
    : public lossgrad::impl::LossgradSpecializeBase<SpecializePass> {
  using LossgradSpecializeBase::LossgradSpecializeBase;

  LogicalResult specialize(OperatorOp op) {
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    SmallVector<VariantOp> variants;
    VariantOp whole = createVariant(builder, op);
    FailureOr<VariantOp> split = splitByPart(whole);
    if (failed(split))
      return failure();
    SmallVector<VariantOp, 2> roots{whole};
    if (*split) {
      describeSums(whole, *split);
      roots.push_back(*split);
    }
    unsigned decided = 0;
    for (VariantOp root : roots)
      if (failed(splitByConditions(root, variants, decided)))
        return failure();
    numDecided += decided;

    for (auto [i, param] : llvm::enumerate(op.getInputs())) {
      SmallVector<VariantOp> chosen =
          chooseForTwins(variants, i, countRoom(variants, maxVariants));
      if (failed(addOneElementVariants(variants, chosen, i, param.getName())))
        return failure();
    }
    numVariants += variants.size();
    llvm::StringSet<> taken;
    for (auto [i, variant] : llvm::enumerate(variants)) {
      variant.setSymName((op.getSymName() + "_" + Twine(i)).str());
      describe(variant, "", "");
      std::string title = variant.getTitle()->str(), unique = title;
      for (unsigned n = 2; !taken.insert(unique).second; ++n)
        unique = title + std::to_string(n);
      variant.setTitle(unique);
    }
    return success();
  }

  void runOnOperation() override {
    for (OperatorOp op : llvm::to_vector(getOperation().getOps<OperatorOp>()))
      if (failed(specialize(op)))
        return signalPassFailure();
  }
};
} // namespace
