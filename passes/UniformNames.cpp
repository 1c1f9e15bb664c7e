//===- UniformNames.cpp - Names of what the host hands to kernels ---------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/UniformNames.h"
#include "passes/FormulaText.h"
#include "passes/Schedules.h"
#include "passes/VariantNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;

unsigned ValueNumbers::get(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  auto result = dyn_cast<OpResult>(value);
  Key key;
  if (result) {
    Operation *op = result.getOwner();
    key.first = {op->getName().getAsOpaquePointer(),
                 op->getAttrDictionary().getAsOpaquePointer(),
                 value.getType().getAsOpaquePointer()};
    key.second = {result.getResultNumber()};
    for (Value operand : op->getOperands())
      key.second.push_back(get(operand));
  } else {
    key.first = {value.getAsOpaquePointer()};
  }
  unsigned number =
      numbers.try_emplace(std::move(key), numbers.size()).first->second;
  return known[value] = number;
}

/// What a value that the record does not name is called after.
static std::string callAfter(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast<CastOp>(op))
    if (isa<ExtentOp, NumelOp>(cast.getOperand().getDefiningOp()))
      return callAfter(cast.getOperand());
  if (auto extent = dyn_cast<ExtentOp>(op))
    return "extent" + titleOf(extent.getName());
  if (auto numel = dyn_cast<NumelOp>(op))
    return "numel" + titleOf(numel.getName());
  Kind kind = cast<ValueType>(value.getType()).getKind();
  if (kind != Kind::Bool)
    return kind == Kind::Int ? "number" : "coefficient";
  std::string name = nameCondition(value);
  if (name.empty())
    return "condition";
  name[0] = llvm::toLower(name[0]);
  return name;
}

UniformNames::UniformNames(OperatorOp op) : formula(getFormulaNames(op)) {
  // Of the parameters, kernels know only the tensors.
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (param.isTensor())
      taken.insert(param.getName().getValue());
  // Records cannot have these names, but what is made of a name may be one: the
  // first part of a factor `axis` is `firstAxis`.
  for (StringRef own : member::kAll)
    taken.insert(own);
}

SmallVector<std::string> UniformNames::get(ArrayRef<Value> values) {
  SmallVector<std::string> result;
  llvm::StringMap<unsigned> places;
  for (Value value : values) {
    StringRef given = getValueName(value);
    if (auto cast = value.getDefiningOp<CastOp>(); cast && given.empty())
      given = getValueName(cast.getOperand());
    std::string base = given.empty() ? callAfter(value) : given.str();
    bool isOfFormula = formula.contains(base);
    unsigned place = isOfFormula ? places[base]++ : numbers.get(value);
    std::string &name = names[{base, isOfFormula, place}];
    if (name.empty()) {
      name = base;
      for (unsigned i = 1; !taken.insert(name).second; ++i)
        name = base + std::to_string(i);
    }
    result.push_back(name);
  }
  return result;
}
