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
  FormulaWriter(OperatorOp op, llvm::raw_ostream &os,
                ArrayRef<StringRef> reserved, StringRef indent);
  void print();

private:
  bool isField(Operation &each) const;
  std::string use(Value value);
  std::string define(Operation *each);
  std::string call(StringRef name, ArrayRef<std::string> arguments);
  std::string chooseName(Operation &each);
  std::string compare(CompareOp op, ArrayRef<std::string> operands);
  SmallVector<std::string> getOperands(Operation *each);
  void printField(const Twine &text);

  OperatorOp op;
  llvm::raw_ostream &os;
  StringRef indent;
  llvm::StringSet<> taken;
  DenseMap<Value, std::string> fields;
};
} // namespace

/// Longer lines are broken after a comma.
static constexpr size_t kMaxColumns = 150;

FormulaWriter::FormulaWriter(OperatorOp op, llvm::raw_ostream &os,
                             ArrayRef<StringRef> reserved, StringRef indent)
    : op(op), os(os), indent(indent) {
  for (StringRef name : reserved)
    taken.insert(name);
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
  if (base.empty())
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

/// What goes on in its first operand goes on in the same parentheses; a
/// quotient makes reals of ints by itself.
SmallVector<std::string> FormulaWriter::getOperands(Operation *each) {
  SmallVector<std::string> operands;
  ValueRange rest = each->getOperands();
  if (isa<AddOp, MulOp, MinOp, MaxOp, AndOp, OrOp>(each)) {
    Operation *first = rest.front().getDefiningOp();
    if (first && first->getName() == each->getName() &&
        first->getResult(0).getType() == rest.front().getType() &&
        !fields.contains(rest.front())) {
      operands = getOperands(first);
      rest = rest.drop_front();
    }
  }
  for (Value operand : rest) {
    auto cast = operand.getDefiningOp<CastOp>();
    bool isInt = cast && !fields.contains(operand) &&
                 mlir::cast<ValueType>(cast.getOperand().getType()).getKind() ==
                     Kind::Int;
    operands.push_back(
        use(isInt && isa<DivOp, PowOp>(each) ? cast.getOperand() : operand));
  }
  return operands;
}

/// An attribute that has choices is compared with these.
std::string FormulaWriter::compare(CompareOp each,
                                   ArrayRef<std::string> operands) {
  auto attribute = each.getLhs().getDefiningOp<AttributeOp>();
  auto constant = each.getRhs().getDefiningOp<ConstantOp>();
  ParamAttr param = attribute ? op.findParam(attribute.getName()) : ParamAttr();
  auto number =
      constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  bool isEqual = each.getPredicate() == Predicate::eq;
  if (!param || !number || param.getChoices().empty() ||
      (!isEqual && each.getPredicate() != Predicate::ne) ||
      number.getInt() < 0 ||
      number.getInt() >= int64_t(param.getChoices().size()))
    return call(stringifyPredicate(each.getPredicate()), operands);
  StringAttr choice = param.getChoices()[number.getInt()];
  std::string is =
      call("is", {operands[0], ("\"" + choice.getValue() + "\"").str()});
  return isEqual ? is : call("not", {is});
}

std::string FormulaWriter::define(Operation *each) {
  SmallVector<std::string> operands = getOperands(each);
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
      .Case([&](CompareOp o) { return compare(o, operands); })
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

void FormulaWriter::printField(const Twine &text) {
  std::string line = (indent + text).str();
  StringRef rest = line;
  while (rest.size() > kMaxColumns) {
    size_t comma = rest.take_front(kMaxColumns).rfind(", ");
    if (comma == StringRef::npos || comma <= indent.size() + 4)
      break;
    os << rest.take_front(comma + 1) << '\n' << indent << "    ";
    rest = rest.drop_front(comma + 2);
  }
  os << rest << '\n';
}

void FormulaWriter::print() {
  for (Operation &each : op.getBody().front().without_terminator()) {
    if (!isField(each))
      continue;
    std::string formula = define(&each);
    std::string name = chooseName(each);
    fields[each.getResult(0)] = name;
    printField("dag " + name + " = " + formula + ";");
  }
  std::string results;
  YieldOp yield = op.getYield();
  for (auto [name, value] : llvm::zip_equal(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues())) {
    std::string formula = use(value);
    // A formula stands where a name, or a number, is not one.
    if (formula[0] != '(')
      formula = "(value " + formula + ")";
    results +=
        (results.empty() ? "" : ", ") + formula + ":$" + name.getValue().str();
  }
  printField("let results = (outs " + results + ");");
}

void lossgrad::printFormulas(OperatorOp op, llvm::raw_ostream &os,
                             ArrayRef<StringRef> reserved, StringRef indent) {
  FormulaWriter(op, os, reserved, indent).print();
}
