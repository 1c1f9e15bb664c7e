//===- AlignKernels.cpp - what several kernels have in common -------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/AlignKernels.h"
#include "dialect/AscendC/IR/NameAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type TypeRelation::unifyElements(ArrayRef<Type> types) const {
  if (llvm::all_equal(types))
    return types.front();
  return llvm::equal(types, elements) ? Type(param) : Type();
}

/// The element type of a tensor; null for other types.
static Type elementOf(Type type) {
  if (auto local = dyn_cast<LocalTensorType>(type))
    return local.getElementType();
  auto global = dyn_cast<GlobalTensorType>(type);
  return global ? global.getElementType() : Type();
}

Type TypeRelation::unify(ArrayRef<Type> types) const {
  if (llvm::all_equal(types))
    return types.front();
  SmallVector<Type> held;
  bool areLocal = isa<LocalTensorType>(types.front());
  for (Type type : types) {
    held.push_back(elementOf(type));
    if (!held.back() || isa<LocalTensorType>(type) != areLocal)
      return {};
  }
  Type element = unifyElements(held);
  if (!element)
    return {};
  MLIRContext *context = element.getContext();
  return areLocal ? Type(LocalTensorType::get(context, element))
                  : Type(GlobalTensorType::get(context, element));
}

bool TypeRelation::correspond(Type a, unsigned i, Type b, unsigned j) const {
  if (a == b)
    return true;
  Type held = elementOf(a), other = elementOf(b);
  return held && other && isa<LocalTensorType>(a) == isa<LocalTensorType>(b) &&
         held == elements[i] && other == elements[j];
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool ascendc::isTensor(Value value) {
  return isa<LocalTensorType>(value.getType());
}

bool ascendc::isFloating(Operation *op) {
  return isa<ViewOp, TBufGetOp, arith::ConstantOp, TilingFieldOp, SizeOfOp>(op);
}

Value ascendc::getDtypeOperand(Operation *op) {
  if (auto load = dyn_cast<LoadDenseOp>(op))
    return load.getDtype();
  if (auto store = dyn_cast<StoreDenseOp>(op))
    return store.getDtype();
  return {};
}

SmallVector<Value> ascendc::getComparedOperands(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  if (Value dtype = getDtypeOperand(op))
    llvm::erase(operands, dtype);
  return operands;
}

/// The name of a member; empty for other ops.
static StringRef labelOf(Operation *op) {
  auto label = op->getAttrOfType<StringAttr>("label");
  return label ? label.getValue() : StringRef();
}

/// Attributes that say what a call does, not what is said about it.
static bool haveSameAttributes(Operation *a, Operation *b) {
  auto relevant = [](Operation *op) {
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute each : op->getAttrs())
      if (each.getName() != kCommentAttr && each.getName() != kNameAttr &&
          each.getName() != kArgumentNamesAttr && each.getName() != kHeldAttr &&
          each.getName() != "slot" &&
          !(getDtypeOperand(op) && each.getName() == "operandSegmentSizes"))
        attributes.push_back(each);
    return attributes;
  };
  return relevant(a) == relevant(b);
}

static bool isSameArgument(BlockArgument a, BlockArgument b) {
  return a.getArgNumber() == b.getArgNumber() &&
         a.getOwner()->getParentOp()->getName() ==
             b.getOwner()->getParentOp()->getName();
}

bool ascendc::isSameValue(Value a, unsigned i, Value b, unsigned j,
                          const TypeRelation &types) {
  if (!types.correspond(a.getType(), i, b.getType(), j))
    return false;
  if (isTensor(a))
    return true;
  auto argument = dyn_cast<BlockArgument>(a);
  auto other = dyn_cast<BlockArgument>(b);
  if (argument || other)
    return argument && other && isSameArgument(argument, other);
  Operation *op = a.getDefiningOp(), *same = b.getDefiningOp();
  if (op->getName() != same->getName() ||
      op->getNumOperands() != same->getNumOperands() || op->getNumRegions())
    return false;
  if (StringRef label = labelOf(op); !label.empty())
    return label == labelOf(same);
  if (auto size = dyn_cast<SizeOfOp>(op)) {
    Type held = size.getElement(),
         otherHeld = cast<SizeOfOp>(same).getElement();
    return held == otherHeld || (held == types.getElements()[i] &&
                                 otherHeld == types.getElements()[j]);
  }
  if (!haveSameAttributes(op, same))
    return false;
  return llvm::all_of(
      llvm::zip_equal(op->getOperands(), same->getOperands()), [&](auto pair) {
        return isSameValue(std::get<0>(pair), i, std::get<1>(pair), j, types);
      });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static bool isSameStatement(Operation *a, unsigned i, Operation *b, unsigned j,
                            const TypeRelation &types) {
  SmallVector<Value> operands = getComparedOperands(a),
                     others = getComparedOperands(b);
  if (a->getName() != b->getName() || operands.size() != others.size() ||
      a->getNumResults() != b->getNumResults() ||
      a->getNumRegions() != b->getNumRegions() || !haveSameAttributes(a, b))
    return false;
  for (auto [x, y] : llvm::zip_equal(operands, others))
    if (!isSameValue(x, i, y, j, types))
      return false;
  for (auto [region, other] : llvm::zip_equal(a->getRegions(), b->getRegions()))
    if (region.empty() != other.empty())
      return false;
  return llvm::all_of(llvm::zip_equal(a->getResultTypes(), b->getResultTypes()),
                      [&](auto pair) {
                        return types.correspond(std::get<0>(pair), i,
                                                std::get<1>(pair), j);
                      });
}

/// What is gained by writing a statement once.
static unsigned weightOf(Operation *op) {
  if (isa<PipeBarrierOp, FreeTensorOp>(op))
    return 1;
  return op->getNumRegions() ? 100 : 10;
}

static SmallVector<Operation *> statementsOf(Block *block) {
  SmallVector<Operation *> statements;
  if (block)
    for (Operation &op : *block)
      if (!isFloating(&op) && !op.hasTrait<OpTrait::IsTerminator>())
        statements.push_back(&op);
  return statements;
}

/// For each statement of `a` its partner in `b`, or none: the heaviest common
/// sequence.
static SmallVector<int> matchStatements(ArrayRef<Operation *> a, unsigned i,
                                        ArrayRef<Operation *> b, unsigned j,
                                        const TypeRelation &types) {
  std::vector<std::vector<unsigned>> best(a.size() + 1,
                                          std::vector<unsigned>(b.size() + 1));
  std::vector<std::vector<char>> same(a.size(), std::vector<char>(b.size()));
  for (size_t x = a.size(); x-- > 0;)
    for (size_t y = b.size(); y-- > 0;) {
      same[x][y] = isSameStatement(a[x], i, b[y], j, types);
      best[x][y] = std::max(best[x + 1][y], best[x][y + 1]);
      if (same[x][y])
        best[x][y] = std::max(best[x][y], best[x + 1][y + 1] + weightOf(a[x]));
    }
  SmallVector<int> partners(a.size(), -1);
  for (size_t x = 0, y = 0; x < a.size() && y < b.size();) {
    if (same[x][y] && best[x][y] == best[x + 1][y + 1] + weightOf(a[x])) {
      partners[x++] = y++;
    } else if (best[x][y] == best[x + 1][y]) {
      ++x;
    } else {
      ++y;
    }
  }
  return partners;
}

SmallVector<AlignedStatement> ascendc::alignBlocks(ArrayRef<Block *> blocks,
                                                   const TypeRelation &types) {
  SmallVector<SmallVector<Operation *>> lists;
  for (Block *block : blocks)
    lists.push_back(statementsOf(block));
  // All are compared with the first; what all share is common.
  SmallVector<SmallVector<int>> partners(blocks.size());
  for (unsigned j = 1; j < blocks.size(); ++j)
    partners[j] = matchStatements(lists[0], 0, lists[j], j, types);
  SmallVector<AlignedStatement> aligned;
  SmallVector<size_t> next(blocks.size(), 0);
  auto takeUpTo = [&](ArrayRef<size_t> ends) {
    AlignedStatement &statement = aligned.emplace_back();
    for (auto [k, end] : llvm::enumerate(ends)) {
      auto &own = statement.own.emplace_back();
      for (; next[k] < end; ++next[k])
        own.push_back(lists[k][next[k]]);
    }
    return &statement;
  };
  for (size_t x = 0; x < lists[0].size(); ++x) {
    SmallVector<size_t> ends = {x};
    for (unsigned j = 1; j < blocks.size(); ++j)
      if (partners[j][x] >= 0)
        ends.push_back(partners[j][x]);
    if (ends.size() != blocks.size())
      continue;
    AlignedStatement *statement = takeUpTo(ends);
    for (auto [k, end] : llvm::enumerate(ends)) {
      statement->common.push_back(lists[k][end]);
      ++next[k];
    }
  }
  SmallVector<size_t> ends;
  for (auto &list : lists)
    ends.push_back(list.size());
  takeUpTo(ends);
  return aligned;
}
