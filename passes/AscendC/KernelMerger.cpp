//===- KernelMerger.cpp - one class template of several kernels -----------===//
//
// See the header. Members are matched by their labels, stages by their names,
// statements by alignment. Operands that lie in different places are variables
// of the template, which each case sets.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/KernelMerger.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

static TypeParamType makeParam(ArrayRef<KernelOp> kernels) {
  SmallVector<Type> candidates;
  for (KernelOp kernel : kernels)
    llvm::append_range(candidates,
                       candidateTypes(KernelOp(kernel).getElementAttr().getValue()));
  return TypeParamType::get(candidates.front().getContext(), "T", candidates);
}

static SmallVector<Type> elementsOf(ArrayRef<KernelOp> kernels) {
  SmallVector<Type> elements;
  for (KernelOp kernel : kernels)
    elements.push_back(kernel.getElementAttr().getValue());
  return elements;
}

KernelMerger::KernelMerger(ArrayRef<KernelOp> kernels, StringAttr name)
    : types(elementsOf(kernels), makeParam(kernels)),
      builder(name.getContext()) {
  for (KernelOp kernel : kernels) {
    parts.push_back(kernel.clone());
    elements.push_back(kernel.getElementAttr().getValue());
  }
  KernelOp first = kernels.front();
  merged = KernelOp::create(
      builder, first.getLoc(), name, first.getTilingAttr(),
      builder.getArrayAttr(TypeAttr::get(types.getParam())),
      first.getScheduleAttr(), StringAttr(), TypeAttr::get(types.getParam()));
  merged.getBody().emplaceBlock();
  known.resize(parts.size());
  lengths.resize(parts.size());
}

KernelOp KernelMerger::run() {
  bool isDone = succeeded(mergeMembers()) && succeeded(mergeScopes());
  // Too different: the cases would be longer than what they share.
  if (!isDone || own > common) {
    merged.erase();
    return {};
  }
  initMembers();
  return merged;
}

static StringAttr nameIn(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName() : StringAttr();
}

void KernelMerger::setKnown(const ValueTuple &values, Value value) {
  for (auto [map, own] : llvm::zip_equal(known, values))
    map[own] = value;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

static bool isScope(Operation &op) {
  return isa<InitOp, StageOp, ProcessOp>(op);
}

OpBuilder KernelMerger::memberBuilder() {
  for (Operation &op : merged.getBlock())
    if (isScope(op))
      return OpBuilder(&op);
  return OpBuilder::atBlockEnd(&merged.getBlock());
}

static StringAttr labelOf(Operation &op) {
  return op.getAttrOfType<StringAttr>("label");
}

LogicalResult KernelMerger::mergeMembers() {
  Block &block = merged.getBlock();
  KernelOp first = *parts.front();
  for (BlockArgument argument : first.getBlock().getArguments())
    block.addArgument(argument.getType(), argument.getLoc());
  for (auto [i, part] : llvm::enumerate(parts)) {
    Block &own = part->getBlock();
    if (own.getNumArguments() != block.getNumArguments())
      return failure();
    for (auto [argument, to] :
         llvm::zip_equal(own.getArguments(), block.getArguments()))
      known[i][argument] = to;
  }
  for (auto &part : parts)
    for (Operation &op : part->getBlock()) {
      if (isScope(op))
        break;
      if (labelOf(op) && failed(mergeMember(&op)))
        return failure();
    }
  return success();
}

/// The number of buffers that are laid out before this one.
static unsigned placeOf(Operation *member) {
  unsigned place = 0;
  for (Operation *op = member->getPrevNode(); op; op = op->getPrevNode())
    place += isa<QueueOp, TBufOp>(op);
  return place;
}

/// A member and those of the same label in the other kernels.
LogicalResult KernelMerger::mergeMember(Operation *op) {
  OpTuple same;
  SmallVector<unsigned> owners;
  ValueTuple results;
  SmallVector<Type> resultTypes;
  for (auto [i, part] : llvm::enumerate(parts))
    for (Operation &other : part->getBlock())
      if (labelOf(other) == labelOf(*op)) {
        if (known[i].contains(other.getResult(0)))
          return success(); // met in an earlier kernel
        if (other.getName() != op->getName())
          return failure();
        same.push_back(&other);
        owners.push_back(i);
        results.push_back(other.getResult(0));
        resultTypes.push_back(other.getResult(0).getType());
      }
  bool everywhere = same.size() == parts.size();
  Type type = everywhere ? types.unify(resultTypes)
              : llvm::all_equal(resultTypes) ? resultTypes.front()
                                             : Type();
  if (!type)
    return failure();
  OpBuilder members = memberBuilder();
  OperationState state(op->getLoc(), op->getName());
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  if (isa<QueueOp, TBufOp>(op)) {
    ValueTuple bytes;
    for (Operation *each : same)
      bytes.push_back(each->getOperand(0));
    // Where a buffer lies follows from those before it: after the first that
    // differs, each kernel has its own order.
    unsigned place = placeOf(same.front());
    bool isShared = everywhere && buffersAgree;
    for (unsigned i = 1; isShared && i < same.size(); ++i)
      isShared = placeOf(same[i]) == place &&
                 isSameValue(bytes[0], 0, bytes[i], i, types);
    buffersAgree = isShared;
    if (isShared) {
      state.addOperands(cloneShared(bytes));
    } else {
      state.attributes.erase("ascendc.comment");
      for (auto [each, i] : llvm::zip_equal(same, owners))
        lengths[i].push_back(each);
    }
    for (unsigned i : owners) // as they are laid out
      llvm::sort(lengths[i], [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
  } else {
    for (unsigned k = 0; k < op->getNumOperands(); ++k) {
      ValueTuple values;
      for (Operation *each : same)
        values.push_back(each->getOperand(k));
      if (!everywhere)
        return failure();
      bool isSame = true;
      for (unsigned i = 1; i < values.size(); ++i)
        isSame &= isSameValue(values[0], 0, values[i], i, types);
      if (isSame)
        state.addOperands(mapCommon(values));
      else if (isa<TileLayoutOp>(op)) // the number of the element type
        state.addOperands(ElementCodeOp::create(members, op->getLoc(),
                                                members.getI32Type(),
                                                types.getParam())
                              .getResult());
      else
        return failure();
    }
  }
  Value value = memberBuilder().create(state)->getResult(0);
  for (auto [i, result] : llvm::zip_equal(owners, results))
    known[i][result] = value;
  return success();
}

/// Lengths of buffers and places in blocks that differ, by the type.
void KernelMerger::initMembers() {
  Cases cases;
  Location loc = merged.getLoc();
  for (unsigned i = 0; i < parts.size(); ++i) {
    auto region = std::make_unique<Region>();
    builder.setInsertionPointToStart(&region->emplaceBlock());
    Map local;
    for (Operation *member : lengths[i]) {
      Value bytes = mapOwn(i, member->getOperand(0), local);
      auto init = InitBufferOp::create(builder, loc,
                                       known[i][member->getResult(0)], bytes);
      if (Attribute comment = member->getAttr("ascendc.comment"))
        init->setAttr("ascendc.comment", comment);
    }
    for (auto &[values, variable] : offsets)
      if (values[i])
        AssignOp::create(builder, loc, variable, mapOwn(i, values[i], local));
    if (region->front().empty())
      continue;
    GiveOp::create(builder, loc);
    cases.push_back({SmallVector<Type>(candidateTypes(elements[i])),
                     std::move(region)});
  }
  builder = memberBuilder();
  if (!cases.empty())
    createByType(cases, {}, {});
}

/// Cases with fewer types first, so that the rest reads `else`.
ByTypeOp KernelMerger::createByType(Cases &cases, ArrayRef<Type> results,
                                    ArrayRef<Attribute> names) {
  llvm::stable_sort(cases, [](auto &a, auto &b) {
    return a.first.size() < b.first.size();
  });
  SmallVector<Attribute> lists;
  for (auto &[candidates, region] : cases)
    lists.push_back(builder.getTypeArrayAttr(candidates));
  auto byType = ByTypeOp::create(
      builder, merged.getLoc(), results, TypeAttr::get(types.getParam()),
      builder.getArrayAttr(lists), builder.getArrayAttr(names), cases.size());
  for (auto [body, entry] : llvm::zip_equal(byType.getBodies(), cases))
    body.takeBody(*entry.second);
  return byType;
}

/// Where a part of a block begins: nothing, the same for all types, or a member
/// that each type sets.
Value KernelMerger::offsetOf(const ValueTuple &tuple) {
  ValueTuple values;
  for (Value view : tuple)
    values.push_back(view.getDefiningOp<ViewOp>().getOffset());
  if (llvm::none_of(values, [](Value value) { return bool(value); }))
    return {};
  bool isSame = llvm::all_of(values, [](Value value) { return bool(value); });
  for (unsigned i = 1; isSame && i < values.size(); ++i)
    isSame = isSameValue(values[0], 0, values[i], i, types);
  if (isSame)
    return mapCommon(values);
  Value variable;
  for (auto &[offset, member] : offsets)
    if (offset == values)
      variable = member;
  if (!variable) {
    std::string label = nameIn(tuple.front().getLoc()).str() + "Offset";
    OpBuilder members = memberBuilder();
    variable = VariableOp::create(
        members, merged.getLoc(),
        VariableType::get(builder.getContext(), builder.getI32Type()), label);
    offsets.push_back({values, variable});
  }
  return ReadOp::create(builder, merged.getLoc(), builder.getI32Type(),
                        variable);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

LogicalResult KernelMerger::mergeScopes() {
  SmallVector<SmallVector<Operation *>> scopes;
  bool anyInit = false;
  for (auto &part : parts) {
    auto &own = scopes.emplace_back();
    auto inits = part->getBlock().getOps<InitOp>();
    own.push_back(inits.empty() ? nullptr : (*inits.begin()).getOperation());
    anyInit |= !inits.empty();
    for (Operation &op : part->getBlock())
      if (isa<StageOp, ProcessOp>(op))
        own.push_back(&op);
    if (own.size() != scopes.front().size())
      return failure();
  }
  for (size_t k = anyInit ? 0 : 1; k < scopes.front().size(); ++k) {
    SmallVector<Operation *> same;
    for (auto &list : scopes)
      same.push_back(list[k]);
    if (failed(mergeScope(same)))
      return failure();
  }
  return success();
}

LogicalResult KernelMerger::mergeScope(ArrayRef<Operation *> scopes) {
  Operation *first = *llvm::find_if(scopes, [](Operation *op) { return op; });
  SmallVector<Block *> blocks;
  for (Operation *scope : scopes) {
    blocks.push_back(scope ? &scope->getRegion(0).front() : nullptr);
    if (scope && (scope->getName() != first->getName() ||
                  scope->getAttrDictionary() != first->getAttrDictionary()))
      return failure();
  }
  builder.setInsertionPointToEnd(&merged.getBlock());
  Operation *scope = first->cloneWithoutRegions();
  builder.insert(scope);
  Block &into = scope->getRegion(0).emplaceBlock();
  for (BlockArgument argument : first->getRegion(0).getArguments())
    into.addArgument(argument.getType(), argument.getLoc());
  for (auto [i, block] : llvm::enumerate(blocks)) {
    if (!block)
      continue;
    if (block->getArgumentTypes() != into.getArgumentTypes())
      return failure();
    for (auto [own, argument] :
         llvm::zip_equal(block->getArguments(), into.getArguments()))
      known[i][own] = argument;
    takeResultsEarly(*block);
  }
  variables.clear();
  views.clear();
  blockNames.clear();
  findViews(blocks);
  findVariables(blocks);
  builder.setInsertionPointToEnd(&into);
  return mergeBlocks(blocks);
}

/// Kernels take the block of a result before its first use, which is earlier
/// where it is computed in place. Behind the inputs, all do it at once.
void KernelMerger::takeResultsEarly(Block &block) {
  DeQueOp last;
  SmallVector<AllocTensorOp> results;
  for (Operation &op : block) {
    if (auto taken = dyn_cast<DeQueOp>(op))
      last = taken;
    if (auto result = dyn_cast<AllocTensorOp>(op))
      results.push_back(result);
  }
  for (AllocTensorOp result : llvm::reverse(results)) {
    if (last)
      result->moveAfter(last);
    else
      result->moveBefore(&block, block.begin());
  }
}

/// Parts of blocks that all kernels have under the same name.
void KernelMerger::findViews(ArrayRef<Block *> blocks) {
  if (llvm::is_contained(blocks, nullptr))
    return;
  SmallVector<ValueTuple> whole; // blocks of queues
  for (const AlignedStatement &statement : alignBlocks(blocks, types))
    if (!statement.common.empty() &&
        isa<DeQueOp, AllocTensorOp>(statement.common.front())) {
      auto &tuple = whole.emplace_back();
      for (Operation *op : statement.common)
        tuple.push_back(op->getResult(0));
      blockNames.push_back(nameIn(tuple.front().getLoc()));
    }
  for (const ValueTuple &tuple : whole)
    for (ViewOp view : blocks.front()->getOps<ViewOp>()) {
      if (view.getSource() != tuple.front() || !view.getSlot())
        continue;
      CommonView candidate{{view}, tuple};
      SmallVector<Type> own = {view.getType()};
      for (unsigned i = 1; i < blocks.size(); ++i)
        for (ViewOp other : blocks[i]->getOps<ViewOp>())
          if (other.getSource() == tuple[i] && other.getSlot() &&
              nameIn(other.getLoc()) == nameIn(view.getLoc()) &&
              candidate.views.size() == i) {
            candidate.views.push_back(other);
            own.push_back(other.getType());
          }
      if (candidate.views.size() == blocks.size() && types.unify(own))
        views.push_back(candidate);
    }
}

/// The value that a statement computes, if a comment says so.
static StringAttr commentedValue(Operation *op) {
  auto comment = op->getAttrOfType<StringAttr>("ascendc.comment");
  if (!comment)
    return {};
  return StringAttr::get(op->getContext(),
                         comment.getValue().split(" = ").first);
}

/// After the value that it is computed for, if the statement says so, else like
/// one of its places.
StringAttr KernelMerger::nameOf(const ValueTuple &places,
                                const OpTuple &statement, bool isResult) {
  auto isTaken = [&](StringAttr name) {
    return !name || llvm::is_contained(blockNames, name) ||
           llvm::any_of(variables,
                        [&](const Variable &other) {
                          return other.name == name;
                        }) ||
           llvm::any_of(views, [&](const CommonView &view) {
             return nameIn(view.views.front().getLoc()) == name;
           });
  };
  if (isResult)
    for (Operation *op : statement) {
      StringAttr name = commentedValue(op);
      if (!isTaken(name))
        return name;
      // The tensor of a result has its name already.
      StringAttr inFloat =
          name ? builder.getStringAttr(name.getValue() + "F32") : name;
      if (!isTaken(inFloat))
        return inFloat;
    }
  for (Value place : llvm::reverse(places))
    if (StringAttr name = nameIn(place.getLoc()); !isTaken(name))
      return name;
  return builder.getStringAttr("scratch");
}

/// Tensors of common statements that do not lie in corresponding places.
void KernelMerger::findVariables(ArrayRef<Block *> blocks) {
  for (const AlignedStatement &statement : alignBlocks(blocks, types)) {
    const OpTuple &ops = statement.common;
    if (ops.empty())
      continue;
    SmallVector<SmallVector<Value>> operands;
    for (Operation *op : ops)
      operands.push_back(getComparedOperands(op));
    // Sources first: they have names.
    for (size_t k = operands.front().size(); k-- > 0;) {
      if (!isTensor(operands.front()[k]))
        continue;
      ValueTuple places;
      for (auto &list : operands)
        places.push_back(list[k]);
      auto isBlock = [&](Value place) {
        Operation *op = place.getDefiningOp();
        return isa_and_nonnull<DeQueOp, AllocTensorOp>(op);
      };
      bool isKnown = llvm::all_of(places, isBlock) ||
                     llvm::any_of(views,
                                  [&](const CommonView &view) {
                                    return view.views == places;
                                  }) ||
                     llvm::any_of(variables, [&](const Variable &variable) {
                       return variable.places == places;
                     });
      if (!isKnown)
        variables.push_back({places, nameOf(places, ops, k == 0), Value()});
    }
    for (unsigned r = 0; r < ops.front()->getNumRegions(); ++r) {
      if (ops.front()->getRegion(r).empty())
        continue;
      SmallVector<Block *> nested;
      for (Operation *op : ops)
        nested.push_back(&op->getRegion(r).front());
      findVariables(nested);
    }
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A pure expression of kernel members, the same for all.
Value KernelMerger::cloneShared(const ValueTuple &values) {
  Value &value = known[0][values.front()];
  if (value)
    return value;
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
  Value shared = known[0].lookup(values.front());
  bool isKnown = static_cast<bool>(shared);
  for (unsigned i = 1; i < values.size(); ++i)
    isKnown &= known[i].lookup(values[i]) == shared;
  if (isKnown)
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

Value KernelMerger::asInstance(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return InstanceOp::create(builder, merged.getLoc(), type, value);
}

/// A value of one kernel, inside its case.
Value KernelMerger::mapOwn(unsigned part, Value value, Map &local) {
  if (Value mapped = local.lookup(value))
    return mapped;
  // Of two variables in the same place the one that is called like it.
  Value shared;
  for (const Variable &variable : variables)
    if (variable.merged && variable.places[part] == value &&
        (!shared || variable.name == nameIn(value.getLoc())))
      shared = variable.merged;
  if (!shared)
    shared = known[part].lookup(value);
  if (shared)
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
  // A number of the members is written where it is used.
  if (ofMembers)
    if (auto name = dyn_cast<NameLoc>(clone->getLoc()))
      clone->setLoc(name.getChildLoc());
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
    Value view =
        ViewOp::create(builder, each.views.front().getLoc(), types.unify(own),
                       mapCommon(blocks), offset, IntegerAttr());
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
    if (Attribute comment = op->getAttr("ascendc.comment"))
      state.attributes.set("ascendc.comment", comment);
  for (unsigned r = 0; r < model->getNumRegions(); ++r)
    state.addRegion();
  Operation *statement = builder.create(state);
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
    for (Value operand : nested->getOperands()) {
      if (op->isAncestor(operand.getParentBlock()->getParentOp()))
        continue;
      Value shared = takesAny ? known[part].lookup(operand) : Value();
      Value mapped = shared ? shared : mapOwn(part, operand, local);
      isMapped &= static_cast<bool>(mapped);
      if (mapped)
        mapping.map(operand, mapped);
    }
  });
  if (!isMapped)
    return failure();
  Operation *clone = builder.clone(*op, mapping);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), clone->getResults()))
    local[from] = to;
  return success();
}

/// What each kernel does of its own, and the variables that can be set by now.
LogicalResult
KernelMerger::emitCases(ArrayRef<SmallVector<Operation *>> own) {
  SmallVector<Variable *> set;
  SmallVector<Type> resultTypes;
  SmallVector<Attribute> names;
  // Variables are for the whole scope: those of nested blocks are set before.
  bool isNested = !isScope(*builder.getInsertionBlock()->getParentOp());
  for (Variable &variable : variables) {
    if (isNested || !isReady(variable))
      continue;
    SmallVector<Type> places;
    for (Value place : variable.places)
      places.push_back(place.getType());
    set.push_back(&variable);
    resultTypes.push_back(types.unify(places));
    names.push_back(variable.name);
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
          OperationEquivalence::IgnoreLocations);
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
  ByTypeOp byType = createByType(cases, resultTypes, names);
  for (auto [variable, result] : llvm::zip_equal(set, byType.getResults()))
    variable->merged = result;
  return success();
}

LogicalResult KernelMerger::mergeBlocks(ArrayRef<Block *> blocks) {
  for (const AlignedStatement &statement : alignBlocks(blocks, types)) {
    bool anyOwn = llvm::any_of(
        statement.own, [](auto &statements) { return !statements.empty(); });
    bool needs =
        !statement.common.empty() && needsVariable(statement.common);
    if ((anyOwn || needs) && failed(emitCases(statement.own)))
      return failure();
    if (!statement.common.empty() && failed(emitCommon(statement.common)))
      return failure();
  }
  return success();
}
