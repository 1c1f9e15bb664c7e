//===- KernelMerger.cpp - one class template of several kernels -----------===//
//
// See the header. Members are matched by their labels, stages by their names,
// statements by alignment. Operands that lie in different places are variables
// of the template, which each case sets.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/KernelMerger.h"
#include "passes/AscendC/ValueNames.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

static TypeParamType makeParam(ArrayRef<KernelOp> kernels) {
  SmallVector<Type> candidates;
  for (KernelOp kernel : kernels)
    llvm::append_range(
        candidates,
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
    : types(elementsOf(kernels), makeParam(kernels)), meanings(kernels.front()),
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

void KernelMerger::setKnown(const ValueTuple &values, Value value) {
  for (auto [map, own] : llvm::zip_equal(known, values))
    map[own] = value;
}

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
      blockNames.push_back(commonName(statement.common));
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
              getNameAttr(other) == getNameAttr(view) &&
              candidate.views.size() == i) {
            candidate.views.push_back(other);
            own.push_back(other.getType());
          }
      if (candidate.views.size() == blocks.size() && types.unify(own))
        views.push_back(candidate);
    }
}

/// After the value that it is computed for, if the statement says so, else like
/// one of its places.
StringAttr KernelMerger::nameOf(const ValueTuple &places,
                                const OpTuple &statement, bool isResult) {
  auto isTaken = [&](StringAttr name) {
    return !name || llvm::is_contained(blockNames, name) ||
           llvm::any_of(
               variables,
               [&](const Variable &other) { return other.name == name; }) ||
           llvm::any_of(views, [&](const CommonView &view) {
             return getNameAttr(view.views.front()) == name;
           });
  };
  if (isResult)
    for (Operation *op : statement) {
      StringAttr name = heldBy(op, 0);
      if (!meanings.contains(name))
        continue;
      if (!isTaken(name))
        return name;
      // The tensor of a result has its name already.
      StringAttr inFloat = builder.getStringAttr(name.getValue() + "F32");
      if (!isTaken(inFloat))
        return inFloat;
    }
  for (Value place : llvm::reverse(places))
    if (StringAttr name = getNameAttr(place); !isTaken(name))
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
                     llvm::any_of(views, [&](const CommonView &view) {
                       return view.views == places;
                     });
      if (isKnown)
        continue;
      auto *variable = llvm::find_if(variables, [&](const Variable &each) {
        return each.places == places;
      });
      if (variable == variables.end()) {
        variables.push_back({places, nameOf(places, ops, k == 0), Value()});
        variable = &variables.back();
      }
      for (Operation *op : ops)
        variable->held.push_back(heldBy(op, k));
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
