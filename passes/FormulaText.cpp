//===- FormulaText.cpp - A body as lines of mathematics -------------------===//
//
// See the header. Ops without a symbol of their own are written as functions.
//
//===----------------------------------------------------------------------===//

#include "passes/FormulaText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lossgrad;

static std::string text(Value value, bool inner);

static std::string infix(Operation *op) {
  if (isa<AddOp>(op))
    return " + ";
  if (isa<SubOp>(op))
    return " - ";
  if (isa<MulOp>(op))
    return " * ";
  if (isa<DivOp>(op))
    return " / ";
  if (isa<AndOp>(op))
    return " and ";
  if (isa<OrOp>(op))
    return " or ";
  if (auto compare = dyn_cast<CompareOp>(op))
    switch (compare.getPredicate()) {
    case Predicate::eq:
      return " == ";
    case Predicate::ne:
      return " != ";
    case Predicate::lt:
      return " < ";
    case Predicate::le:
      return " <= ";
    case Predicate::gt:
      return " > ";
    case Predicate::ge:
      return " >= ";
    }
  return "";
}

static std::string literal(ConstantOp constant) {
  std::string result;
  llvm::raw_string_ostream os(result);
  if (auto real = dyn_cast<FloatAttr>(constant.getValue())) {
    os << llvm::format("%g", real.getValueAsDouble());
    return result;
  }
  constant.getValue().print(os, /*elideType=*/true);
  return result;
}

static std::string define(Operation *op, bool inner) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return literal(constant);
  if (auto attribute = dyn_cast<AttributeOp>(op))
    return attribute.getName().str();
  if (auto cast = dyn_cast<CastOp>(op))
    return text(cast.getOperand(), inner);
  if (auto neg = dyn_cast<NegOp>(op))
    return "-" + text(neg.getOperand(), true);
  if (auto select = dyn_cast<SelectOp>(op)) {
    std::string result = "if " + text(select.getCondition(), false) + " then " +
                         text(select.getTrueValue(), true) + " else " +
                         text(select.getFalseValue(), true);
    return inner ? "(" + result + ")" : result;
  }
  if (std::string symbol = infix(op); !symbol.empty()) {
    std::string result =
        text(op->getOperand(0), true) + symbol + text(op->getOperand(1), true);
    return inner ? "(" + result + ")" : result;
  }
  SmallVector<std::string> arguments;
  if (auto name = op->getAttrOfType<StringAttr>("name"))
    arguments.push_back(name.getValue().str());
  for (Value operand : op->getOperands())
    arguments.push_back(text(operand, false));
  return (op->getName().stripDialect() + "(" + llvm::join(arguments, ", ") +
          ")")
      .str();
}

/// A use of a value: its name, or what it is.
static std::string text(Value value, bool inner) {
  if (!isa<OpResult>(value) ||
      (!getValueName(value).empty() && !value.getDefiningOp<ConstantOp>()))
    return getValueName(value).str();
  return define(value.getDefiningOp(), inner);
}

SmallVector<std::string> lossgrad::getFormula(OperatorOp op) {
  SmallVector<std::string> lines;
  if (auto kept = op->getAttrOfType<ArrayAttr>(kFormulaAttr)) {
    for (auto line : kept.getAsValueRange<StringAttr>())
      lines.push_back(line.str());
    return lines;
  }
  for (Operation &each : op.getBody().front().without_terminator()) {
    StringRef name = getValueName(each.getResult(0));
    if (!name.empty() && !isa<ConstantOp, AttributeOp>(each))
      lines.push_back(name.str() + " = " + define(&each, false));
  }
  YieldOp yield = op.getYield();
  for (auto [name, value] : llvm::zip(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues()))
    if (getValueName(value) != name.getValue())
      lines.push_back(name.getValue().str() + " = " + text(value, false));
  return lines;
}
