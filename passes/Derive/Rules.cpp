//===- Rules.cpp - The rules of a module ----------------------------------===//

#include "passes/Derive/Rules.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

ModuleRules::ModuleRules(ModuleOp module) {
  for (RuleOp rule : module.getOps<RuleOp>())
    rules[rule.getName()] = rule;
}

void ModuleRules::erase() {
  for (auto &entry : rules)
    entry.second.erase();
  rules.clear();
}

/// Dims that the rule names are those of the use.
static void renameDims(Operation *op, ArrayAttr from, ArrayAttr to) {
  if (!from || !to)
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](StringAttr text) -> Attribute {
    auto it = llvm::find(from, text);
    return it == from.end() ? Attribute(text) : to[it - from.begin()];
  });
  replacer.replaceElementsIn(op);
}

static Type inferType(Operation *op) {
  if (isa<CastOp>(op))
    return cast<ValueType>(op->getOperand(0).getType())
        .withKind(cast<ValueType>(op->getResult(0).getType()).getKind());
  SmallVector<Type> types;
  auto infer = cast<InferTypeOpInterface>(op);
  [[maybe_unused]] LogicalResult inferred = infer.inferReturnTypes(
      op->getContext(), op->getLoc(), op->getOperands(),
      op->getAttrDictionary(), op->getPropertiesStorage(), op->getRegions(),
      types);
  assert(succeeded(inferred) && "a rule fits every operand of its kind");
  return types.front();
}

SmallVector<Value> lossgrad::instantiate(OpBuilder &builder, Location loc,
                                         Region &region, ValueRange operands,
                                         ArrayAttr from, ArrayAttr to) {
  IRMapping mapping;
  mapping.map(region.getArguments(), operands);
  for (Operation &each : region.front().without_terminator()) {
    Operation *copy = builder.clone(each, mapping);
    copy->setLoc(loc);
    renameDims(copy, from, to);
    copy->getResult(0).setType(inferType(copy));
  }
  SmallVector<Value> results;
  for (Value value : region.front().back().getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

Value ModuleRules::define(OpBuilder &builder, ApplyOp apply) const {
  RuleOp rule = find(apply.getFunction());
  assert(rule && rule.isFunction() && "lossgrad-differentiate has checked it");
  Location loc = apply.getLoc();
  if (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc(); // the last op has the name
  Value value =
      instantiate(builder, loc, rule.getDefinition(), apply.getOperands(),
                  rule.getOverAttr(), apply.getOverAttr())
          .front();
  // A function that does not compute with all of its operands, such as `pass`,
  // has the dims of all: 0 along those that its value lacks.
  for (StringAttr dim : cast<ValueType>(apply.getType()).getDims()) {
    if (cast<ValueType>(value.getType()).hasDim(dim))
      continue;
    Value along = IotaOp::create(builder, loc, dim);
    auto real = cast<ValueType>(along.getType()).withKind(Kind::Real);
    along = CastOp::create(builder, loc, real, along);
    Value zero = ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
    value = AddOp::create(builder, loc, value,
                          MulOp::create(builder, loc, along, zero));
  }
  return value;
}

void ModuleRules::expandFunctions(Block &block) const {
  for (Operation &each : llvm::make_early_inc_range(block))
    if (auto apply = dyn_cast<ApplyOp>(each)) {
      OpBuilder builder(apply);
      Value value = define(builder, apply);
      if (!isa<BlockArgument>(value) && getValueName(value).empty())
        value.setLoc(apply.getLoc());
      apply.replaceAllUsesWith(value);
      apply.erase();
    }
}
