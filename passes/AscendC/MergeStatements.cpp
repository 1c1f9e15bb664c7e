//===- MergeStatements.cpp - statements of one class template -------------===//
//
// The part of KernelMerger that writes a scope: statements that all kernels
// have once, on values that stand for those of each, the rest in cases.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/HeldValues.h"
#include "passes/AscendC/KernelMerger.h"
#include "passes/AscendC/ValueNames.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What stands for these values together; a value of one kernel may correspond
/// to different ones of another.
Value KernelMerger::lookUp(const ValueTuple &values) {
  Value shared = known[0].lookup(values.front());
  for (unsigned i = 1; i < values.size(); ++i)
    if (known[i].lookup(values[i]) != shared)
      return {};
  return shared;
}

/// A pure expression of kernel members, the same for all.
Value KernelMerger::cloneShared(const ValueTuple &values) {
  if (Value shared = lookUp(values))
    return shared;
  Operation *op = values.front().getDefiningOp();
  if (!op)
    return {};
  OperationState state(op->getLoc(), op->getName());
  state.addTypes(op->getResultTypes());
  state.addAttributes(op->getAttrs());
  if (auto size = dyn_cast<SizeOfOp>(op)) {
    SmallVector<Type> held;
    for (Value each : values)
      held.push_back(each.getDefiningOp<SizeOfOp>().getElement());
    state.attributes.set("element", TypeAttr::get(types.unifyElements(held)));
  }
  for (unsigned k = 0; k < op->getNumOperands(); ++k) {
    ValueTuple operands;
    for (Value each : values)
      operands.push_back(each.getDefiningOp()->getOperand(k));
    Value operand = cloneShared(operands);
    if (!operand)
      return {};
    state.addOperands(operand);
  }
  Value shared = memberBuilder().create(state)->getResult(0);
  setKnown(values, shared);
  return shared;
}

Value KernelMerger::mapCommon(const ValueTuple &values) {
  if (Value shared = lookUp(values))
    return shared;
  for (const Variable &variable : variables)
    if (variable.places == values)
      return variable.merged;
  Operation *op = values.front().getDefiningOp();
  if (!op || isTensor(values.front()))
    return {};
  if (isMember(op, 0))
    return cloneShared(values);
  // Numbers of the scope are written where they are used.
  if (!isFloating(op) || op->getNumOperands() != 0)
    return {};
  return builder.clone(*op)->getResult(0);
}

/// A number or position that can be asked for again where it is needed.
static bool isNumber(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         !isTensor(op->getResult(0));
}

/// A clone works on tensors that may be called otherwise.
static void copyHeldValues(Operation *from, Operation *to) {
  for (auto [operand, cloned] :
       llvm::zip_equal(from->getOpOperands(), to->getOpOperands()))
    if (isTensor(operand.get()) &&
        (!isa<ViewOp>(from) || saysHeldValue(operand)))
      setHeldValue(cloned, getHeldValue(operand));
  for (auto [region, cloned] :
       llvm::zip_equal(from->getRegions(), to->getRegions()))
    for (auto [block, other] : llvm::zip_equal(region, cloned))
      for (auto [op, clone] : llvm::zip_equal(block, other))
        copyHeldValues(&op, &clone);
}

Value KernelMerger::asInstance(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return InstanceOp::create(builder, merged.getLoc(), type, value);
}

/// A value of one kernel, inside its case.
Value KernelMerger::mapOwn(unsigned part, Value value, Map &local,
                           StringAttr held) {
  // Of several variables in the same place the one that is for what it holds,
  // or is called like it, or was needed last.
  const Variable *best = nullptr;
  auto rank = [&](const Variable &variable) {
    if (held && llvm::is_contained(variable.held, held))
      return 2;
    return variable.name == getNameAttr(value) ? 1 : 0;
  };
  for (const Variable &variable : variables)
    if (variable.merged && variable.places[part] == value &&
        (!best || rank(variable) >= rank(*best)))
      best = &variable;
  if (Value shared = best ? best->merged : Value()) {
    Value &instance = local[shared];
    if (!instance)
      instance = asInstance(shared, value.getType());
    return instance;
  }
  if (Value mapped = local.lookup(value))
    return mapped;
  if (Value shared = known[part].lookup(value))
    return local[value] = asInstance(shared, value.getType());
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  bool ofMembers = isMember(op, part);
  if (!ofMembers && !isFloating(op) && !isNumber(op))
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value mapped = mapOwn(part, operand, local);
    if (!mapped)
      return {};
    mapping.map(operand, mapped);
  }
  Operation *clone = builder.clone(*op, mapping);
  copyHeldValues(op, clone);
  // A number of the members is written where it is used.
  if (ofMembers)
    dropName(clone);
  if (auto view = dyn_cast<ViewOp>(clone))
    view.removeSlotAttr();
  return local[value] = clone->getResult(0);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void KernelMerger::emitViews(const ValueTuple &blocks) {
  for (const CommonView &each : views) {
    if (each.blocks != blocks)
      continue;
    SmallVector<Type> own;
    for (Value view : each.views)
      own.push_back(view.getType());
    Value offset = offsetOf(each.views);
    auto view =
        ViewOp::create(builder, each.views.front().getLoc(), types.unify(own),
                       mapCommon(blocks), offset, IntegerAttr());
    setName(view, getNameAttr(each.views.front()));
    setKnown(each.views, view);
  }
}

LogicalResult KernelMerger::emitRegions(const OpTuple &ops,
                                        Operation *mergedOp) {
  for (unsigned r = 0; r < mergedOp->getNumRegions(); ++r) {
    Region &region = mergedOp->getRegion(r);
    SmallVector<Block *> blocks;
    for (Operation *op : ops)
      if (!op->getRegion(r).empty())
        blocks.push_back(&op->getRegion(r).front());
    if (blocks.empty())
      continue;
    Block &into = region.emplaceBlock();
    for (BlockArgument argument : blocks.front()->getArguments())
      into.addArgument(argument.getType(), argument.getLoc());
    for (auto [i, block] : llvm::enumerate(blocks))
      for (auto [own, argument] :
           llvm::zip_equal(block->getArguments(), into.getArguments()))
        known[i][own] = argument;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&into);
    if (failed(mergeBlocks(blocks)))
      return failure();
    Operation *end = blocks.front()->getTerminator();
    IRMapping mapping;
    for (unsigned k = 0; k < end->getNumOperands(); ++k) {
      ValueTuple values;
      for (Block *block : blocks)
        values.push_back(block->getTerminator()->getOperand(k));
      Value value = mapCommon(values);
      if (!value)
        return failure();
      mapping.map(end->getOperand(k), value);
    }
    builder.clone(*end, mapping);
  }
  return success();
}

/// What one of the operands that are compared holds.
StringAttr KernelMerger::heldBy(Operation *op, size_t k) {
  size_t number = 0;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() != getDtypeOperand(op) && number++ == k)
      return getHeldValue(operand);
  return {};
}

/// What an operand of a common statement holds: a value with a meaning, where
/// one kernel knows it, and of several as the one says that differs most from
/// the first, which computes on what it has loaded.
StringAttr KernelMerger::commonValue(const OpTuple &ops, size_t k) {
  StringAttr found;
  for (Operation *op : llvm::reverse(ops)) {
    StringAttr value = heldBy(op, k);
    if (meanings.contains(value))
      return value;
    found = found ? found : value;
  }
  return found;
}

/// What the result of a common statement is called. A block of a queue that is
/// one tensor for some types only has no tensor's name.
StringAttr KernelMerger::commonName(const OpTuple &ops) {
  for (Operation *op : ops) {
    auto name = op->getAttrOfType<StringAttr>(kNameAttr);
    if (!isa<DeQueOp, AllocTensorOp>(op) || !meanings.isParameter(name))
      return name;
  }
  return ops.front()->getAttrOfType<StringAttr>(kNameAttr);
}

LogicalResult KernelMerger::emitCommon(const OpTuple &ops) {
  ++common;
  // The kernel that is told the element types has the most operands.
  unsigned longest = 0;
  for (unsigned i = 1; i < ops.size(); ++i)
    if (ops[i]->getNumOperands() > ops[longest]->getNumOperands())
      longest = i;
  Operation *model = ops[longest];
  OperationState state(ops.front()->getLoc(), model->getName());
  SmallVector<SmallVector<Value>> operands;
  for (Operation *op : ops)
    operands.push_back(getComparedOperands(op));
  for (size_t k = 0; k < operands.front().size(); ++k) {
    ValueTuple values;
    for (auto &list : operands)
      values.push_back(list[k]);
    Value value = mapCommon(values);
    if (!value)
      return failure();
    state.addOperands(value);
  }
  Map local;
  if (Value dtype = getDtypeOperand(model)) {
    Value value = mapOwn(longest, dtype, local);
    if (!value)
      return failure();
    state.addOperands(value);
  }
  for (unsigned k = 0; k < model->getNumResults(); ++k) {
    SmallVector<Type> own;
    for (Operation *op : ops)
      own.push_back(op->getResult(k).getType());
    state.addTypes(types.unify(own));
  }
  state.addAttributes(model->getAttrs());
  for (Operation *op : ops)
    if (Attribute comment = op->getAttr(kCommentAttr))
      state.attributes.set(kCommentAttr, comment);
  for (unsigned r = 0; r < model->getNumRegions(); ++r)
    state.addRegion();
  state.attributes.erase(kHeldAttr);
  Operation *statement = builder.create(state);
  for (size_t k = 0; k < operands.front().size(); ++k)
    if (isTensor(statement->getOperand(k)))
      setHeldValue(statement->getOpOperand(k), commonValue(ops, k));
  setName(statement, commonName(ops));
  for (unsigned k = 0; k < model->getNumResults(); ++k) {
    ValueTuple results;
    for (Operation *op : ops)
      results.push_back(op->getResult(k));
    setKnown(results, statement->getResult(k));
    emitViews(results);
  }
  return emitRegions(ops, statement);
}

/// Whether the tensor can be named by now: the block that it is a part of was
/// taken.
bool KernelMerger::isPlaced(Value place, unsigned part) {
  while (!known[part].contains(place)) {
    Operation *op = place.getDefiningOp();
    if (isa_and_nonnull<TBufGetOp>(op))
      return true;
    auto view = dyn_cast_or_null<ViewOp>(op);
    if (!view)
      return false;
    if (Value offset = view.getOffset();
        offset && !known[part].contains(offset) &&
        !isFloating(offset.getDefiningOp()) &&
        !isMember(offset.getDefiningOp(), part))
      return false;
    place = view.getSource();
  }
  return true;
}

bool KernelMerger::isReady(const Variable &variable) {
  for (auto [part, place] : llvm::enumerate(variable.places))
    if (!isPlaced(place, part))
      return false;
  return !variable.merged;
}

bool KernelMerger::needsVariable(const OpTuple &ops) {
  bool needs = false;
  for (size_t i = 0; i < ops.size(); ++i)
    ops[i]->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        for (const Variable &variable : variables)
          needs |= !variable.merged && variable.places[i] == operand;
    });
  return needs;
}

LogicalResult KernelMerger::cloneOwn(unsigned part, Operation *op, Map &local) {
  IRMapping mapping;
  bool isMapped = true;
  // Queues take tensors of any type.
  bool takesAny = isa<EnQueOp, FreeTensorOp>(op);
  op->walk([&](Operation *nested) {
    for (OpOperand &use : nested->getOpOperands()) {
      Value operand = use.get();
      if (op->isAncestor(operand.getParentBlock()->getParentOp()))
        continue;
      Value shared = takesAny ? known[part].lookup(operand) : Value();
      StringAttr held = isTensor(operand) ? getHeldValue(use) : StringAttr();
      Value mapped = shared ? shared : mapOwn(part, operand, local, held);
      isMapped &= static_cast<bool>(mapped);
      if (mapped)
        mapping.map(operand, mapped);
    }
  });
  if (!isMapped)
    return failure();
  Operation *clone = builder.clone(*op, mapping);
  copyHeldValues(op, clone);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), clone->getResults()))
    local[from] = to;
  return success();
}

/// Declares a variable that all kernels have in the same buffer. Returns false
/// where their places differ.
bool KernelMerger::declareInBuffer(Variable &variable) {
  ValueTuple buffers;
  SmallVector<Type> held;
  for (Value place : variable.places) {
    auto get = place.getDefiningOp<TBufGetOp>();
    if (!get)
      return false;
    buffers.push_back(get.getBuffer());
    held.push_back(place.getType());
  }
  Value buffer = lookUp(buffers);
  Type type = types.unify(held);
  if (!buffer || !type)
    return false;
  auto get = TBufGetOp::create(builder, variable.places.front().getLoc(), type,
                               buffer);
  setName(get, variable.name);
  variable.merged = get;
  return true;
}

/// What each kernel does of its own, and the variables that can be set by now.
LogicalResult KernelMerger::emitCases(ArrayRef<SmallVector<Operation *>> own) {
  SmallVector<Variable *> set;
  SmallVector<Type> resultTypes;
  SmallVector<Attribute> names;
  // Variables are for the whole scope: those of nested blocks are set before.
  bool isNested = !isScope(*builder.getInsertionBlock()->getParentOp());
  auto typeOf = [&](const Variable &variable) {
    SmallVector<Type> places;
    for (Value place : variable.places)
      places.push_back(place.getType());
    return types.unify(places);
  };
  // In the order of their types, since those of one type are declared together.
  llvm::SmallMapVector<Type, SmallVector<Variable *>, 4> byType;
  for (Variable &variable : variables)
    if (!isNested && isReady(variable) && !declareInBuffer(variable))
      byType[typeOf(variable)].push_back(&variable);
  for (auto &[type, same] : byType)
    for (Variable *variable : same) {
      set.push_back(variable);
      resultTypes.push_back(type);
      names.push_back(variable->name);
    }
  Location loc = merged.getLoc();
  Cases cases;
  for (unsigned i = 0; i < parts.size(); ++i) {
    if (set.empty() && llvm::all_of(own[i], isNumber))
      continue;
    this->own += own[i].size();
    auto region = std::make_unique<Region>();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&region->emplaceBlock());
    Map local;
    SmallVector<Value> given;
    for (auto [variable, type] : llvm::zip_equal(set, resultTypes)) {
      Value place = mapOwn(i, variable->places[i], local);
      if (!place)
        return failure();
      given.push_back(asInstance(place, type));
    }
    for (Operation *op : own[i])
      if (!isNumber(op) && failed(cloneOwn(i, op, local)))
        return failure();
    GiveOp::create(builder, loc, given);
    auto same = llvm::find_if(cases, [&](auto &other) {
      return OperationEquivalence::isRegionEquivalentTo(
          other.second.get(), region.get(),
          OperationEquivalence::IgnoreLocations |
              OperationEquivalence::IgnoreDiscardableAttrs);
    });
    SmallVector<Type> candidates(candidateTypes(elements[i]));
    if (same == cases.end())
      cases.push_back({candidates, std::move(region)});
    else
      llvm::append_range(same->first, candidates);
  }
  if (cases.empty())
    return success();
  // What all do is no case.
  if (cases.front().first.size() == types.getParam().getCandidates().size()) {
    Block &block = cases.front().second->front();
    auto give = cast<GiveOp>(block.getTerminator());
    for (auto [variable, value] : llvm::zip_equal(set, give.getValues()))
      variable->merged = value;
    give.erase();
    builder.getInsertionBlock()->getOperations().splice(
        builder.getInsertionPoint(), block.getOperations());
    return success();
  }
  ByTypeOp choice = createByType(cases, resultTypes, names);
  for (auto [variable, result] : llvm::zip_equal(set, choice.getResults()))
    variable->merged = result;
  return success();
}

LogicalResult KernelMerger::mergeBlocks(ArrayRef<Block *> blocks) {
  for (const AlignedStatement &statement : alignBlocks(blocks, types)) {
    bool anyOwn = llvm::any_of(
        statement.own, [](auto &statements) { return !statements.empty(); });
    bool needs = !statement.common.empty() && needsVariable(statement.common);
    if ((anyOwn || needs) && failed(emitCases(statement.own)))
      return failure();
    if (!statement.common.empty() && failed(emitCommon(statement.common)))
      return failure();
  }
  return success();
}
