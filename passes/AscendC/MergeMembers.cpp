//===- MergeMembers.cpp - members of one class template -------------------===//
//
// The part of KernelMerger about members: those with the same label are one;
// lengths of buffers and places in blocks that differ are set by the type.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/KernelMerger.h"
#include "passes/AscendC/ValueNames.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

bool KernelMerger::isScope(Operation &op) {
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
  if (Attribute names = first->getAttr(kArgumentNamesAttr))
    merged->setAttr(kArgumentNamesAttr, names);
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
  Type type = everywhere                     ? types.unify(resultTypes)
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
      state.attributes.erase(kCommentAttr);
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

/// How many buffers at the end all kernels have with the same length.
size_t KernelMerger::countSharedAtEnd() {
  size_t count = 0;
  auto isShared = [&](unsigned i) {
    if (lengths[i].size() <= count)
      return false;
    Operation *first = lengths[0].end()[-1 - count],
              *own = lengths[i].end()[-1 - count];
    return known[i].lookup(own->getResult(0)) ==
               known[0].lookup(first->getResult(0)) &&
           own->getAttr(kCommentAttr) == first->getAttr(kCommentAttr) &&
           isSameValue(first->getOperand(0), 0, own->getOperand(0), i, types);
  };
  while (llvm::all_of(llvm::seq<unsigned>(0, parts.size()), isShared))
    ++count;
  return count;
}

/// Lengths of buffers and places in blocks that differ, by the type.
void KernelMerger::initMembers() {
  Cases cases;
  Location loc = merged.getLoc();
  size_t shared = countSharedAtEnd();
  auto initBuffer = [&](Operation *member, Value to, Value bytes) {
    auto init = InitBufferOp::create(builder, loc, to, bytes);
    if (Attribute comment = member->getAttr(kCommentAttr))
      init->setAttr(kCommentAttr, comment);
  };
  for (unsigned i = 0; i < parts.size(); ++i) {
    auto region = std::make_unique<Region>();
    builder.setInsertionPointToStart(&region->emplaceBlock());
    Map local;
    for (Operation *member : ArrayRef(lengths[i]).drop_back(shared))
      initBuffer(member, known[i][member->getResult(0)],
                 mapOwn(i, member->getOperand(0), local));
    for (auto &[values, variable] : offsets)
      if (values[i])
        AssignOp::create(builder, loc, variable, mapOwn(i, values[i], local));
    if (region->front().empty())
      continue;
    GiveOp::create(builder, loc);
    cases.push_back(
        {SmallVector<Type>(candidateTypes(elements[i])), std::move(region)});
  }
  builder = memberBuilder();
  if (!cases.empty())
    createByType(cases, {}, {});
  for (size_t k = shared; k > 0; --k) {
    ValueTuple bytes;
    for (auto &own : lengths)
      bytes.push_back(own.end()[-k]->getOperand(0));
    Operation *member = lengths[0].end()[-k];
    Value common = cloneShared(bytes);
    builder = memberBuilder();
    initBuffer(member, known[0][member->getResult(0)], common);
  }
}

/// Cases with fewer types first, so that the rest reads `else`.
ByTypeOp KernelMerger::createByType(Cases &cases, ArrayRef<Type> results,
                                    ArrayRef<Attribute> names) {
  llvm::stable_sort(
      cases, [](auto &a, auto &b) { return a.first.size() < b.first.size(); });
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
    StringAttr name = getNameAttr(tuple.front());
    std::string label = (name ? name.str() : "part") + "Offset";
    OpBuilder members = memberBuilder();
    variable = VariableOp::create(
        members, merged.getLoc(),
        VariableType::get(builder.getContext(), builder.getI32Type()), label);
    offsets.push_back({values, variable});
  }
  return ReadOp::create(builder, merged.getLoc(), builder.getI32Type(),
                        variable);
}
