//===- RecordText.cpp - A body as fields of a record ----------------------===//
//
// Ops are called in formulas as in the dialect, but for those below; the fields
// that they take as names are those of Formula.td.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/RecordText.h"
#include "dialect/LossGrad/IR/Decimal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

namespace {
class FormulaWriter {
public:
  FormulaWriter(OperatorOp op, llvm::raw_ostream &os);
  void print();

private:
  bool isField(Operation &each) const;
  std::string use(Value value);
  std::string define(Operation *each);
  std::string call(StringRef name, ArrayRef<std::string> arguments);
  std::string chooseName(Operation &each);

  OperatorOp op;
  llvm::raw_ostream &os;
  llvm::StringSet<> taken;
  DenseMap<Value, std::string> fields;
};
} // namespace

FormulaWriter::FormulaWriter(OperatorOp op, llvm::raw_ostream &os)
    : op(op), os(os) {
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    taken.insert(param.getName());
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    taken.insert(dim.getName());
}

/// Shared work and what had a name; sources are short enough to repeat.
bool FormulaWriter::isField(Operation &each) const {
  if (isa<ConstantOp, AttributeOp, NumelOp, RankOp, ExtentOp, PresentOp,
          IotaOp>(each))
    return false;
  if (auto cast = dyn_cast<CastOp>(each))
    if (Operation *source = cast.getOperand().getDefiningOp();
        source && !isField(*source))
      return false;
  Value value = each.getResult(0);
  bool isOutput = llvm::any_of(
      value.getUsers(), [](Operation *user) { return isa<YieldOp>(user); });
  return !value.hasOneUse() || (!isOutput && !getValueName(value).empty());
}

std::string FormulaWriter::chooseName(Operation &each) {
  std::string base = getValueName(each.getResult(0)).str();
  if (base.empty() || taken.contains(base))
    base = "t";
  std::string name = base;
  for (unsigned i = 1; !taken.insert(name).second; ++i)
    name = base + std::to_string(i);
  return name;
}

static std::string number(Attribute value) {
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue() ? "(eq 0, 0)" : "(ne 0, 0)";
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return std::to_string(integer.getInt());
  if (auto text = dyn_cast<StringAttr>(value))
    return ("\"" + text.getValue() + "\"").str();
  APFloat real = cast<FloatAttr>(value).getValue();
  double plain = real.convertToDouble();
  if (std::isnan(plain))
    return "\"nan\"";
  if (std::isinf(plain))
    return plain > 0 ? "\"inf\"" : "\"-inf\"";
  if (plain == std::round(plain) && std::abs(plain) < 1e9)
    return std::to_string(int64_t(plain));
  llvm::SmallString<32> text;
  real.toString(text, digitsToReadBack(real), /*FormatMaxPadding=*/6);
  return ("\"" + text + "\"").str();
}

std::string FormulaWriter::call(StringRef name,
                                ArrayRef<std::string> arguments) {
  return ("(" + name + " " + llvm::join(arguments, ", ") + ")").str();
}

static StringRef nameOf(ReduceKind kind) {
  return kind == ReduceKind::sum   ? "sum"
         : kind == ReduceKind::max ? "reduce_max"
                                   : "reduce_min";
}

std::string FormulaWriter::define(Operation *each) {
  SmallVector<std::string> operands;
  for (Value operand : each->getOperands())
    operands.push_back(use(operand));
  auto named = [](StringRef name) { return ("$" + name).str(); };
  return llvm::TypeSwitch<Operation *, std::string>(each)
      .Case([&](ConstantOp o) { return number(o.getValue()); })
      .Case([&](AttributeOp o) { return named(o.getName()); })
      .Case<NumelOp, RankOp, PresentOp, IotaOp>([&](auto o) {
        return call(each->getName().stripDialect(), named(o.getName()));
      })
      .Case([&](ExtentOp o) {
        SmallVector<std::string> of = {named(o.getName())};
        if (o.getAxis())
          of.push_back(std::to_string(*o.getAxis()));
        return call("extent", of);
      })
      .Case([&](CastOp o) {
        bool real = cast<ValueType>(o.getType()).getKind() == Kind::Real;
        return call(real ? "to_real" : "to_int", operands);
      })
      .Case([&](CompareOp o) {
        return call(stringifyPredicate(o.getPredicate()), operands);
      })
      .Case([&](ReduceOp o) {
        for (auto dim : o.getOver().getAsRange<StringAttr>())
          operands.push_back(named(dim));
        return call(nameOf(o.getReduceKind()), operands);
      })
      .Case([&](ReduceOntoOp o) {
        return call("sum_onto", {operands[0], named(o.getTo())});
      })
      .Case([&](GatherOp o) {
        return call("gather", {operands[0], operands[1], named(o.getOver()),
                               operands[2]});
      })
      .Case([&](OneHotOp o) {
        return call("onehot", {operands[0], named(o.getOver())});
      })
      .Default([&](Operation *o) {
        return call(o->getName().stripDialect(), operands);
      });
}

std::string FormulaWriter::use(Value value) {
  if (isa<BlockArgument>(value))
    return ("$" + getValueName(value)).str();
  auto it = fields.find(value);
  return it != fields.end() ? "$" + it->second : define(value.getDefiningOp());
}

void FormulaWriter::print() {
  for (Operation &each : op.getBody().front().without_terminator()) {
    if (!isField(each))
      continue;
    std::string formula = define(&each);
    std::string name = chooseName(each);
    fields[each.getResult(0)] = name;
    os << "  dag " << name << " = " << formula << ";\n";
  }
  os << "  let results = (outs ";
  YieldOp yield = op.getYield();
  llvm::interleaveComma(
      llvm::zip_equal(yield.getOutputs().getAsRange<StringAttr>(),
                      yield.getValues()),
      os, [&](auto entry) {
        auto [name, value] = entry;
        std::string formula = use(value);
        // A formula stands where a name, or a number, is not one.
        os << (formula[0] == '(' ? formula : "(value " + formula + ")") << ":$"
           << name.getValue();
      });
  os << ");\n";
}

void lossgrad::printFormulas(OperatorOp op, llvm::raw_ostream &os) {
  FormulaWriter(op, os).print();
}
