//===- ReadConditions.cpp - When a value is read --------------------------===//
//
// See UniformValues.h.
//
//===----------------------------------------------------------------------===//

#include "passes/UniformValues.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

/// What holds on every way from the value to a result, in the order of the
/// ways; `known` keeps what was found.
static const SmallVector<ReadLiteral> &
collect(Value value, llvm::DenseMap<Value, SmallVector<ReadLiteral>> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<SmallVector<ReadLiteral>> common;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    SmallVector<ReadLiteral> here;
    if (user->getNumResults() == 1)
      here = collect(user->getResult(0), known);
    auto select = dyn_cast<SelectOp>(user);
    if (select && use.getOperandNumber() > 0 &&
        isUniform(select.getCondition()))
      here.push_back({select.getCondition(), use.getOperandNumber() == 1});
    if (!common) {
      common = std::move(here);
      continue;
    }
    llvm::erase_if(*common, [&](const ReadLiteral &literal) {
      return !llvm::is_contained(here, literal);
    });
  }
  return known[value] = common.value_or(SmallVector<ReadLiteral>());
}

SmallVector<ReadLiteral> lossgrad::getReadLiterals(Value value) {
  llvm::DenseMap<Value, SmallVector<ReadLiteral>> known;
  return collect(value, known);
}

Value lossgrad::getReadCondition(Value value) {
  for (const ReadLiteral &literal : getReadLiterals(value))
    if (literal.holds &&
        !isa_and_nonnull<ConstantOp>(literal.condition.getDefiningOp()))
      return literal.condition;
  return {};
}
