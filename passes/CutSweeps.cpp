//===- CutSweeps.cpp - From a body to sweeps ------------------------------===//
//
// The one rule: a reduction whose dims lie within a tile stays inside its
// sweep; one whose dims are walked over in several tiles ends it. So ops have
// levels, the number of such reductions before them, and each level has up to
// two sweeps: one per unit for what has no reduced dims, then one over the
// tiles for what has. What a later sweep needs again it reads and computes
// again; only values without reduced dims are handed on.
//
// Before all levels come the sums over everything, which leave no dims. Values
// without dims that are computed from them are scalars, which every sweep
// computes for itself.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/BodyNames.h"
#include "passes/Spaces.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class SweepCutter {
public:
  SweepCutter(lossgrad::KernelOp kernel, VariantOp variant,
              ArrayRef<Value> results, const Schedule &schedule,
              const BodyShape &shape)
      : variant(variant), results(results), schedule(schedule), shape(shape),
        body(variant.getBody().front()),
        builder(OpBuilder::atBlockEnd(&kernel.getBody().front())) {}

  void run();

  IRMapping outside; // uniform values, results of earlier sweeps

private:
  using Values = llvm::SetVector<Value>;

  bool walks() const { return schedule.space.walks(); }
  /// Whether what rows have once is computed for groups of them, and what lanes
  /// have once wherever they change.
  bool hasGroups() const { return takesGroups(schedule.space); }
  /// A value per row or lane. What one-element inputs give has no dims: it is
  /// computed wherever it is needed.
  bool isVector(Value value) const {
    auto type = cast<ValueType>(value.getType());
    return !isOfHost(value) && !type.getDims().empty() &&
           !shape.hasReduced(type) && !spread.contains(value);
  }
  /// A value that one sweep per unit computes where reduced dims are walked.
  bool isPerUnit(Value value) const {
    return (walks() || hasGroups()) && isVector(value);
  }
  /// A value per lane that stays while tiles of other rows pass.
  bool isPerLane(Value value) const {
    auto type = cast<ValueType>(value.getType());
    return hasGroups() && !isOfHost(value) && shape.hasReduced(type) &&
           !shape.hasKept(type) && !spread.contains(value);
  }
  bool isSweepResult(Operation *op) const {
    auto reduce = dyn_cast<ReduceOp>(op);
    return reduce && (walks() || isPerLaunch(reduce));
  }
  /// Whether elements of a table are looked up in global memory; where lanes
  /// are whole, they are taken from those.
  bool looksUp(Operation *op) const { return walks() && isa<GatherOp>(op); }
  /// Whether an input is only looked up in.
  bool isForTables(Operation *op) const {
    return isa<WidenOp>(op) &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return looksUp(user) && user->getOperand(0) == op->getResult(0);
           });
  }
  void collectSpread();
  void collectNeeded();
  /// The reductions that the results need.
  SmallVector<ReduceOp> getReductions() const {
    return llvm::filter_to_vector(body.getOps<ReduceOp>(), [&](ReduceOp op) {
      return needed.contains(op.getResult());
    });
  }
  void assignLevels();
  /// The operands of `roots` that a sweep must have, with all that they are
  /// computed from inside of it.
  void collect(ArrayRef<Value> roots, bool perUnit, Values &inside) const;
  void buildSweep(ArrayRef<ReduceOp> reductions, ArrayRef<Value> kept,
                  ArrayRef<unsigned> stores, bool perUnit, Value guard = {});
  void buildLaunchSweeps();
  void buildLaneSweep();
  void delayStores();
  /// How the next sweep takes a row that several read.
  Access takeRow(BlockArgument input);
  /// The levels whose sweeps over tiles read an input.
  SmallVector<unsigned> findReads(BlockArgument input);
  bool isReadTwice(BlockArgument input) { return findReads(input).size() > 1; }
  ParamAttr getParam(WidenOp widen) {
    auto input = cast<BlockArgument>(widen.getOperand());
    return variant.getOperator().getInputs()[input.getArgNumber()];
  }
  template <typename BorderOp>
  void retypeVector(BorderOp border, ParamAttr param);
  /// Lets the type of a tensor be told at run time, if it may have several.
  template <typename BorderOp> void tellType(BorderOp border, ParamAttr param);

  VariantOp variant;
  ArrayRef<Value> results; // what is stored, by output
  const Schedule &schedule;
  const BodyShape &shape;
  Block &body;
  OpBuilder builder;
  llvm::DenseSet<Value> spread; // results that whole tiles are filled with
  llvm::DenseSet<Value> needed; // for the results
  llvm::DenseSet<Value> kept;   // inputs that an earlier sweep has widened
  llvm::DenseMap<Value, unsigned> levels;
  SmallVector<unsigned> storeLevels; // of the results, in their order
  unsigned lastLevel = 0;
};

} // namespace

/// What rows or lanes have once may be a result for each element of a tile.
void SweepCutter::collectSpread() {
  for (auto [param, value] :
       llvm::zip_equal(variant.getOperator().getOutputs(), results)) {
    auto tensor = ValueType::get(value.getContext(), variant.getDimsOf(param),
                                 Kind::Real);
    auto type = cast<ValueType>(value.getType());
    if (shape.hasReduced(tensor) && shape.hasKept(tensor) &&
        !(shape.hasReduced(type) && shape.hasKept(type)))
      spread.insert(value);
  }
}

void SweepCutter::collectNeeded() {
  SmallVector<Value> open(results);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (needed.insert(value).second && value.getDefiningOp())
      llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
}

void SweepCutter::assignLevels() {
  for (Operation &op : body.without_terminator()) {
    if (!needed.contains(op.getResult(0)))
      continue;
    unsigned level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    auto reduce = dyn_cast<ReduceOp>(op);
    level += isSweepResult(&op) && !isPerLaunch(reduce);
    levels[op.getResult(0)] = level;
    lastLevel = std::max(lastLevel, level);
  }
}

void SweepCutter::collect(ArrayRef<Value> roots, bool perUnit,
                          Values &inside) const {
  SmallVector<Value> open(roots);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    bool isFromOutside = isOfHost(value) && !value.getDefiningOp<ConstantOp>();
    isFromOutside |= op && isSweepResult(op);
    // Vectors come from sweeps per unit, which compute those of their level.
    isFromOutside |= isPerUnit(value) && (!perUnit || outside.contains(value));
    isFromOutside |= isPerLane(value) && outside.contains(value);
    if (isFromOutside || !inside.insert(value))
      continue;
    if (!op)
      continue;
    if (looksUp(op)) {
      // The table is there as it lies in memory.
      auto gather = cast<GatherOp>(op);
      open.append({gather.getIndex(), gather.getOtherwise()});
      continue;
    }
    llvm::append_range(open, op->getOperands());
  }
}

/// The inputs in which a sweep with these values looks elements up.
static llvm::SetVector<BlockArgument>
getTables(const llvm::SetVector<Value> &inside,
          llvm::function_ref<bool(Operation *)> looksUp) {
  llvm::SetVector<BlockArgument> tables;
  for (Value value : inside)
    if (Operation *op = value.getDefiningOp(); op && looksUp(op))
      tables.insert(cast<BlockArgument>(
          cast<GatherOp>(op).getTable().getDefiningOp<WidenOp>().getOperand()));
  return tables;
}

SmallVector<unsigned> SweepCutter::findReads(BlockArgument input) {
  SmallVector<unsigned> reads;
  if (!shape.hasReduced(cast<ValueType>(input.getType())))
    return reads;
  for (unsigned level = 0; level <= lastLevel; ++level) {
    SmallVector<Value> roots;
    for (ReduceOp reduce : getReductions())
      if (!isPerLaunch(reduce) && levels.lookup(reduce) == level + 1)
        roots.push_back(reduce.getOperand());
    for (auto [value, stored] : llvm::zip_equal(results, storeLevels))
      if (stored == level)
        roots.push_back(value);
    Values inside;
    collect(roots, /*perUnit=*/false, inside);
    if (inside.contains(input))
      reads.push_back(level);
  }
  return reads;
}

Access SweepCutter::takeRow(BlockArgument input) {
  switch (schedule.residency) {
  case Residency::None:
    return Access::Stream;
  case Residency::Loaded:
    return Access::Resident;
  case Residency::Widened:
    return kept.insert(input).second ? Access::Keep : Access::Kept;
  }
  llvm_unreachable("unknown residency");
}

/// A result that may lie over an input is stored by the last sweep that reads
/// the input.
void SweepCutter::delayStores() {
  OperatorOp op = variant.getOperator();
  for (Value value : results)
    storeLevels.push_back(levels.lookup(value));
  for (auto [output, stored] : llvm::zip_equal(op.getOutputs(), storeLevels)) {
    if (!output.getInPlaceOf())
      continue;
    for (auto [param, input] :
         llvm::zip_equal(op.getInputs(), body.getArguments()))
      if (param.getName() == output.getInPlaceOf())
        for (unsigned level : findReads(input))
          stored = std::max(stored, level);
  }
}

/// Tensors of a row or of a lane are small: whatever type they have is told at
/// run time, and only whole tiles have the type of the kernel.
template <typename BorderOp>
void SweepCutter::retypeVector(BorderOp border, ParamAttr param) {
  auto type = cast<ValueType>(border.getType());
  bool isTile = shape.hasReduced(type) && shape.hasKept(type);
  if (shape.reduced.empty() || schedule.anyLayout || isTile)
    return;
  tellType(border, param);
}

template <typename BorderOp>
void SweepCutter::tellType(BorderOp border, ParamAttr param) {
  if (param.getKind() == Kind::Int)
    return;
  llvm::SetVector<DType> dtypes;
  for (auto family : variant.getFamiliesAttr().getAsRange<StringAttr>())
    dtypes.insert_range(param.getDTypesOn(family));
  border.setElementAttr(
      ElementAttr::get(border.getContext(),
                       dtypes.size() > 1 ? Binding::RunTime : Binding::Fixed,
                       dtypes.getArrayRef()));
}

void SweepCutter::buildSweep(ArrayRef<ReduceOp> reductions,
                             ArrayRef<Value> kept, ArrayRef<unsigned> stores,
                             bool perUnit, Value guard) {
  YieldOp yield = variant.getYield();
  SmallVector<Value> roots(kept);
  for (ReduceOp reduce : reductions)
    roots.push_back(reduce.getOperand());
  for (unsigned store : stores)
    roots.push_back(results[store]);
  if (roots.empty())
    return;
  Values inside;
  collect(roots, perUnit, inside);

  Location loc = withoutName(variant.getLoc());
  SmallVector<Attribute> names, accesses;
  SmallVector<BlockArgument> inputs;
  auto oneElement = variant.getOneElement().getAsRange<StringAttr>();
  llvm::SetVector<BlockArgument> tables =
      getTables(inside, [&](Operation *op) { return looksUp(op); });
  auto addInput = [&](BlockArgument input, Access access) {
    inputs.push_back(input);
    names.push_back(builder.getStringAttr(getValueName(input)));
    accesses.push_back(AccessAttr::get(builder.getContext(), access));
  };
  for (BlockArgument input : body.getArguments()) {
    if (tables.contains(input))
      addInput(input, Access::Table);
    if (!inside.contains(input))
      continue;
    bool hasOneElement =
        cast<ValueType>(input.getType()).getDims().empty() ||
        llvm::is_contained(oneElement,
                           builder.getStringAttr(getValueName(input)));
    // What lanes have once is short of nothing when it is loaded again, and of
    // any element type, which a resident row is not.
    bool stays =
        isReadTwice(input) && shape.hasKept(cast<ValueType>(input.getType()));
    addInput(input, hasOneElement ? Access::Element
                    : stays       ? takeRow(input)
                                  : Access::Stream);
  }
  SmallVector<Type> types;
  for (ReduceOp reduce : reductions)
    types.push_back(reduce.getType());
  for (Value value : kept)
    types.push_back(value.getType());
  auto sweep = SweepOp::create(builder, loc, types, builder.getArrayAttr(names),
                               builder.getArrayAttr(accesses),
                               guard ? outside.lookup(guard) : Value());
  OpBuilder::InsertionGuard insertionGuard(builder);
  Block &block = sweep.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&block);
  IRMapping mapping = outside;
  IRMapping tableMapping; // a table may be streamed, too
  for (auto [input, access] : llvm::zip_equal(inputs, accesses)) {
    Value argument = block.addArgument(input.getType(), input.getLoc());
    bool isTable = cast<AccessAttr>(access).getValue() == Access::Table;
    (isTable ? tableMapping : mapping).map(input, argument);
  }
  for (Operation &op : body.without_terminator()) {
    if (!inside.contains(op.getResult(0)))
      continue;
    if (looksUp(&op)) {
      auto widen = op.getOperand(0).getDefiningOp<WidenOp>();
      Operation *copy = builder.clone(*widen, tableMapping);
      tellType(cast<WidenOp>(copy), getParam(widen));
      mapping.map(widen.getResult(), copy->getResult(0));
      builder.clone(op, mapping);
      mapping.erase(widen.getResult());
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    if (auto widen = dyn_cast<WidenOp>(copy))
      retypeVector(widen, getParam(cast<WidenOp>(op)));
  }

  SmallVector<Attribute> kinds, outputs;
  SmallVector<Value> reduced, stored, handedOn;
  for (ReduceOp reduce : reductions) {
    reduced.push_back(mapping.lookup(reduce.getOperand()));
    kinds.push_back(reduce.getReduceKindAttr());
  }
  for (unsigned store : stores) {
    stored.push_back(mapping.lookup(results[store]));
    outputs.push_back(yield.getOutputs()[store]);
    if (!spread.contains(results[store]))
      retypeVector(stored.back().getDefiningOp<NarrowOp>(),
                   variant.getOperator().getOutputs()[store]);
  }
  for (Value value : kept)
    handedOn.push_back(mapping.lookup(value));
  EndOp::create(builder, loc, builder.getArrayAttr(outputs), stored,
                builder.getArrayAttr(kinds), reduced, handedOn);
  unsigned next = 0;
  SmallVector<std::string> resultNames;
  for (ReduceOp reduce : reductions) {
    resultNames.push_back(callReduction(reduce));
    outside.map(reduce.getResult(), sweep.getResult(next++));
  }
  for (Value value : kept) {
    resultNames.push_back(callValue(value).str());
    outside.map(value, sweep.getResult(next++));
  }
  if (!resultNames.empty())
    setResultNames(sweep, resultNames);
}

/// Sums over everything, those over the same dims and under the same condition
/// in one sweep, unless one is of what another gives.
void SweepCutter::buildLaunchSweeps() {
  llvm::DenseMap<Value, unsigned> before; // sums that a value needs in a row
  llvm::MapVector<std::tuple<unsigned, int, Value>, SmallVector<ReduceOp>>
      groups;
  for (Operation &op : body.without_terminator()) {
    if (!needed.contains(op.getResult(0)))
      continue;
    unsigned &level = before[op.getResult(0)];
    for (Value operand : op.getOperands())
      level = std::max(level, before.lookup(operand));
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || !isPerLaunch(reduce))
      continue;
    auto type = cast<ValueType>(reduce.getOperand().getType());
    int part = shape.hasReduced(type);
    groups[{level++, part, getReadCondition(reduce)}].push_back(reduce);
  }
  auto inOrder = groups.takeVector();
  llvm::stable_sort(inOrder, [](const auto &a, const auto &b) {
    return std::get<0>(a.first) < std::get<0>(b.first);
  });
  for (auto &[key, reductions] : inOrder)
    buildSweep(reductions, {}, {}, /*perUnit=*/true, std::get<2>(key));
}

/// What lanes have once and rows or tiles need, in a sweep that hands it on.
void SweepCutter::buildLaneSweep() {
  SmallVector<Value> kept;
  for (Operation &op : body.without_terminator()) {
    Value value = op.getResult(0);
    if (!needed.contains(value) || !isPerLane(value) || isForTables(&op))
      continue;
    if (llvm::any_of(value.getUsers(), [&](Operation *user) {
          if (!user->getNumResults() || !needed.contains(user->getResult(0)))
            return false;
          return !isa<ReduceOp>(user) && !looksUp(user) &&
                 !isPerLane(user->getResult(0));
        }))
      kept.push_back(value);
  }
  buildSweep({}, kept, {}, /*perUnit=*/false);
}

void SweepCutter::run() {
  collectSpread();
  collectNeeded();
  assignLevels();
  delayStores();
  buildLaunchSweeps();
  buildLaneSweep();
  for (unsigned level = 0; level <= lastLevel; ++level) {
    // Vectors of this level that a sweep over tiles, or a later level, needs.
    SmallVector<Value> kept;
    for (Operation &op : body.without_terminator()) {
      Value value = op.getResult(0);
      if (!needed.contains(value) || !isPerUnit(value) || isSweepResult(&op) ||
          isForTables(&op) || levels.lookup(value) != level)
        continue;
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            Value result = user->getNumResults() ? user->getResult(0) : value;
            auto reduce = dyn_cast<ReduceOp>(user);
            bool isElsewhere = reduce && isPerLaunch(reduce);
            return needed.contains(result) && !isElsewhere &&
                   (!isPerUnit(result) || levels.lookup(result) != level);
          }))
        kept.push_back(value);
    }
    // Results without reduced dims are stored once per unit.
    SmallVector<unsigned> vectors, stores;
    for (auto [i, value] : llvm::enumerate(results))
      if (storeLevels[i] == level)
        (isPerUnit(value) ? vectors : stores).push_back(i);
    // Where every core has the sums, one stores and all others need the rest.
    if (schedule.space.isSplit()) {
      buildSweep({}, kept, {}, /*perUnit=*/true);
      kept.clear();
    }
    buildSweep({}, kept, vectors, /*perUnit=*/true);
    SmallVector<ReduceOp> reductions;
    for (ReduceOp reduce : getReductions())
      if (isSweepResult(reduce) && !isPerLaunch(reduce) &&
          levels.lookup(reduce) == level + 1)
        reductions.push_back(reduce);
    buildSweep(reductions, {}, stores, /*perUnit=*/false);
  }
}

void lossgrad::buildSweeps(lossgrad::KernelOp kernel, VariantOp variant,
                           ArrayRef<Value> results, const Schedule &schedule,
                           const BodyShape &shape, ArrayRef<Value> uniforms) {
  SweepCutter cutter(kernel, variant, results, schedule, shape);
  for (auto [uniform, argument] :
       llvm::zip_equal(uniforms, kernel.getBody().getArguments()))
    cutter.outside.map(uniform, argument);
  cutter.run();
}
