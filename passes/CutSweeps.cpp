//===- CutSweeps.cpp - From a body to sweeps ------------------------------===//
//
// The one rule: a reduction whose dims lie within a tile stays inside its
// sweep; one whose dims are walked over in several tiles ends it. So ops have
// levels, the number of such reductions before them, and each level has up to
// two sweeps: one per unit for what has no reduced dims, then one over the
// tiles for what has. What a later sweep needs again it reads and computes
// again; only values without reduced dims are handed on.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/Spaces.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class SweepCutter {
public:
  SweepCutter(lossgrad::KernelOp kernel, VariantOp variant,
              const Schedule &schedule, const BodyShape &shape)
      : variant(variant), schedule(schedule), shape(shape),
        body(variant.getBody().front()),
        builder(OpBuilder::atBlockEnd(&kernel.getBody().front())) {}

  void run();

  IRMapping outside; // uniform values, results of earlier sweeps

private:
  using Values = llvm::SetVector<Value>;

  bool walks() const { return schedule.space.walks(); }
  bool isVector(Value value) const {
    return !isOfHost(value) &&
           !shape.hasReduced(cast<ValueType>(value.getType()));
  }
  /// A value that one sweep per unit computes where reduced dims are walked.
  bool isPerUnit(Value value) const { return walks() && isVector(value); }
  bool isSweepResult(Operation *op) const {
    return walks() && isa<ReduceOp>(op);
  }
  void assignLevels();
  /// The operands of `roots` that a sweep must have, with all that they are
  /// computed from inside of it.
  void collect(ArrayRef<Value> roots, bool perUnit, Values &inside) const;
  void buildSweep(ArrayRef<ReduceOp> reductions, ArrayRef<Value> kept,
                  ArrayRef<unsigned> stores, bool perUnit);
  bool isReadTwice(BlockArgument input);
  void retypeVector(WidenOp widen, BlockArgument input);

  VariantOp variant;
  const Schedule &schedule;
  const BodyShape &shape;
  Block &body;
  OpBuilder builder;
  llvm::DenseMap<Value, unsigned> levels;
  unsigned lastLevel = 0;
};

} // namespace

void SweepCutter::assignLevels() {
  for (Operation &op : body.without_terminator()) {
    unsigned level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    level += isSweepResult(&op);
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
    if (isFromOutside || !inside.insert(value))
      continue;
    if (op)
      llvm::append_range(open, op->getOperands());
  }
}

/// Whether tiles of an input are needed in more than one sweep.
bool SweepCutter::isReadTwice(BlockArgument input) {
  if (!shape.hasReduced(cast<ValueType>(input.getType())))
    return false;
  unsigned sweeps = 0;
  for (unsigned level = 0; level <= lastLevel; ++level) {
    SmallVector<Value> roots;
    for (ReduceOp reduce : body.getOps<ReduceOp>())
      if (levels.lookup(reduce) == level + 1)
        roots.push_back(reduce.getOperand());
    for (Value value : variant.getYield().getValues())
      if (levels.lookup(value) == level)
        roots.push_back(value);
    Values inside;
    collect(roots, /*perUnit=*/false, inside);
    sweeps += inside.contains(input);
  }
  return sweeps > 1;
}

/// Tensors of a row or of a lane are small: whatever type they have is told at
/// run time, and only whole tiles have the type of the kernel.
void SweepCutter::retypeVector(WidenOp widen, BlockArgument input) {
  bool isTile = shape.hasReduced(cast<ValueType>(input.getType())) &&
                shape.hasKept(cast<ValueType>(input.getType()));
  if (shape.reduced.empty() || schedule.anyLayout || isTile)
    return;
  ParamAttr param = variant.getOperator().getInputs()[input.getArgNumber()];
  llvm::SetVector<DType> dtypes;
  for (auto family : variant.getFamiliesAttr().getAsRange<StringAttr>())
    dtypes.insert_range(param.getDTypesOn(family));
  widen.setElementAttr(ElementAttr::get(
      widen.getContext(), dtypes.size() > 1 ? Binding::RunTime : Binding::Fixed,
      dtypes.getArrayRef()));
}

void SweepCutter::buildSweep(ArrayRef<ReduceOp> reductions,
                             ArrayRef<Value> kept, ArrayRef<unsigned> stores,
                             bool perUnit) {
  YieldOp yield = variant.getYield();
  SmallVector<Value> roots(kept);
  for (ReduceOp reduce : reductions)
    roots.push_back(reduce.getOperand());
  for (unsigned store : stores)
    roots.push_back(yield.getValues()[store]);
  if (roots.empty())
    return;
  Values inside;
  collect(roots, perUnit, inside);

  Location loc = withoutName(variant.getLoc());
  SmallVector<Attribute> names, accesses;
  SmallVector<BlockArgument> inputs;
  auto oneElement = variant.getOneElement().getAsRange<StringAttr>();
  for (BlockArgument input : body.getArguments()) {
    if (!inside.contains(input))
      continue;
    StringAttr name = builder.getStringAttr(getValueName(input));
    bool resident = schedule.resident && isReadTwice(input);
    Access access = llvm::is_contained(oneElement, name) ? Access::Element
                    : resident                           ? Access::Resident
                                                         : Access::Stream;
    inputs.push_back(input);
    names.push_back(name);
    accesses.push_back(AccessAttr::get(builder.getContext(), access));
  }
  SmallVector<Type> types;
  for (ReduceOp reduce : reductions)
    types.push_back(reduce.getType());
  for (Value value : kept)
    types.push_back(value.getType());
  auto sweep = SweepOp::create(builder, loc, types, builder.getArrayAttr(names),
                               builder.getArrayAttr(accesses));
  OpBuilder::InsertionGuard guard(builder);
  Block &block = sweep.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&block);
  IRMapping mapping = outside;
  for (BlockArgument input : inputs)
    mapping.map(input, block.addArgument(input.getType(), input.getLoc()));
  for (Operation &op : body.without_terminator()) {
    if (!inside.contains(op.getResult(0)))
      continue;
    Operation *copy = builder.clone(op, mapping);
    if (auto widen = dyn_cast<WidenOp>(copy))
      retypeVector(widen, cast<BlockArgument>(op.getOperand(0)));
  }

  SmallVector<Attribute> kinds, outputs;
  SmallVector<Value> reduced, stored, handedOn;
  for (ReduceOp reduce : reductions) {
    reduced.push_back(mapping.lookup(reduce.getOperand()));
    kinds.push_back(reduce.getReduceKindAttr());
  }
  for (unsigned store : stores) {
    stored.push_back(mapping.lookup(yield.getValues()[store]));
    outputs.push_back(yield.getOutputs()[store]);
  }
  for (Value value : kept)
    handedOn.push_back(mapping.lookup(value));
  EndOp::create(builder, loc, builder.getArrayAttr(outputs), stored,
                builder.getArrayAttr(kinds), reduced, handedOn);
  unsigned next = 0;
  for (ReduceOp reduce : reductions) {
    sweep.getResult(next).setLoc(reduce.getLoc());
    outside.map(reduce.getResult(), sweep.getResult(next++));
  }
  for (Value value : kept)
    outside.map(value, sweep.getResult(next++));
}

void SweepCutter::run() {
  assignLevels();
  YieldOp yield = variant.getYield();
  for (unsigned level = 0; level <= lastLevel; ++level) {
    // Vectors of this level that a sweep over tiles, or a later level, needs.
    SmallVector<Value> kept;
    for (Operation &op : body.without_terminator()) {
      Value value = op.getResult(0);
      if (!isPerUnit(value) || isSweepResult(&op) ||
          levels.lookup(value) != level)
        continue;
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            Value result = user->getNumResults() ? user->getResult(0) : value;
            return !isPerUnit(result) || levels.lookup(result) != level;
          }))
        kept.push_back(value);
    }
    buildSweep({}, kept, {}, /*perUnit=*/true);
    SmallVector<ReduceOp> reductions;
    for (ReduceOp reduce : body.getOps<ReduceOp>())
      if (isSweepResult(reduce) && levels.lookup(reduce) == level + 1)
        reductions.push_back(reduce);
    SmallVector<unsigned> stores;
    for (auto [i, value] : llvm::enumerate(yield.getValues()))
      if (levels.lookup(value) == level)
        stores.push_back(i);
    buildSweep(reductions, {}, stores, /*perUnit=*/false);
  }
}

void lossgrad::buildSweeps(lossgrad::KernelOp kernel, VariantOp variant,
                           const Schedule &schedule, const BodyShape &shape,
                           ArrayRef<Value> uniforms) {
  SweepCutter cutter(kernel, variant, schedule, shape);
  for (auto [uniform, argument] :
       llvm::zip_equal(uniforms, kernel.getBody().getArguments()))
    cutter.outside.map(uniform, argument);
  cutter.run();
}
