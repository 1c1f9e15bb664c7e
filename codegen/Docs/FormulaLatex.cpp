//===- FormulaLatex.cpp - The formulas of an operator for papers ----------===//
//
// See the header. Brackets by binding strength; what has a name of its own in
// mathematics is written so, everything else as a function of its operands.
//
//===----------------------------------------------------------------------===//

#include "codegen/Docs/FormulaLatex.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;

namespace {
/// How tightly the parts of an expression hold together.
enum Strength { Whole, Logic, Relation, Sum, Product, Sign, Atom };

struct Text {
  std::string text;
  Strength strength = Atom;
};
} // namespace

static std::string identifier(StringRef name) {
  std::string text;
  for (char c : name)
    text += c == '_' ? std::string("\\_") : std::string(1, c);
  return name.size() == 1 ? text : "\\mathit{" + text + "}";
}

static std::string function(StringRef name) {
  return identifier(name).find("mathit") == std::string::npos
             ? name.str()
             : ("\\operatorname{" + name + "}").str();
}

static Text define(Operation *op);

/// A value by its name, or what it is made of.
static std::string use(Value value, Strength around) {
  StringRef name = getValueName(value);
  Operation *op = value.getDefiningOp();
  if (!op || (!name.empty() && !isa<ConstantOp>(op)))
    return identifier(name);
  Text text = define(op);
  return text.strength < around ? "\\left(" + text.text + "\\right)"
                                : text.text;
}

static std::string number(Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value)) {
    if (real.getValue().isInfinity())
      return real.getValue().isNegative() ? "-\\infty" : "\\infty";
    llvm::SmallString<32> digits;
    real.getValue().toString(digits, 9, 6);
    StringRef text = digits;
    auto [mantissa, exponent] = text.split('E');
    if (exponent.empty())
      return text.str();
    exponent.consume_front("+");
    mantissa.consume_back(".0");
    return llvm::formatv("{0} \\cdot 10^{{{1}}", mantissa, exponent);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  return text;
}

static StringRef relation(Predicate predicate) {
  switch (predicate) {
  case Predicate::eq:
    return " = ";
  case Predicate::ne:
    return " \\ne ";
  case Predicate::lt:
    return " < ";
  case Predicate::le:
    return " \\le ";
  case Predicate::gt:
    return " > ";
  case Predicate::ge:
    return " \\ge ";
  }
  llvm_unreachable("every predicate has a sign");
}

/// Anything without a sign of its own: `\operatorname{clamp}(a, b, c)`.
static Text call(Operation *op) {
  std::vector<std::string> arguments;
  if (auto name = op->getAttrOfType<StringAttr>("name"))
    arguments.push_back(identifier(name));
  for (Value operand : op->getOperands())
    arguments.push_back(use(operand, Whole));
  return {function(op->getName().stripDialect()) + "\\left(" +
          llvm::join(arguments, ", ") + "\\right)"};
}

static Text define(Operation *op) {
  auto infix = [&](StringRef sign, Strength strength, bool chains) -> Text {
    auto tighter = static_cast<Strength>(strength + 1);
    return {use(op->getOperand(0), strength == Relation ? tighter : strength) +
                sign.str() +
                use(op->getOperand(1), chains ? strength : tighter),
            strength};
  };
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case([&](ConstantOp constant) -> Text {
        std::string text = number(constant.getValue());
        bool plain = text[0] != '-' && text.find(' ') == std::string::npos;
        return {text, plain ? Atom : Sum};
      })
      .Case([&](AttributeOp a) -> Text { return {identifier(a.getName())}; })
      .Case([&](CastOp cast) -> Text {
        Operation *inner = cast.getOperand().getDefiningOp();
        if (!inner || !getValueName(cast.getOperand()).empty())
          return {use(cast.getOperand(), Whole)};
        return define(inner);
      })
      .Case([&](AddOp) { return infix(" + ", Sum, true); })
      .Case([&](SubOp) { return infix(" - ", Sum, false); })
      .Case([&](MulOp) { return infix(" \\cdot ", Product, true); })
      .Case([&](DivOp) -> Text {
        return {"\\frac{" + use(op->getOperand(0), Whole) + "}{" +
                use(op->getOperand(1), Whole) + "}"};
      })
      .Case([&](AndOp) { return infix(" \\land ", Logic, true); })
      .Case([&](OrOp) { return infix(" \\lor ", Logic, true); })
      .Case([&](NotOp no) -> Text {
        return {"\\lnot " + use(no.getOperand(), Atom), Sign};
      })
      .Case([&](NegOp neg) -> Text {
        return {"-" + use(neg.getOperand(), Product), Sum};
      })
      .Case([&](AbsOp abs) -> Text {
        return {"\\left|" + use(abs.getOperand(), Whole) + "\\right|"};
      })
      .Case([&](ExpOp exp) -> Text {
        return {"e^{" + use(exp.getOperand(), Whole) + "}"};
      })
      .Case([&](SqrtOp root) -> Text {
        return {"\\sqrt{" + use(root.getOperand(), Whole) + "}"};
      })
      .Case([&](PowOp pow) -> Text {
        return {use(pow.getLhs(), Atom) + "^{" + use(pow.getRhs(), Whole) +
                "}"};
      })
      .Case([&](CompareOp compare) {
        return infix(relation(compare.getPredicate()), Relation, false);
      })
      .Case([&](SelectOp select) -> Text {
        return {"\\begin{cases}" + use(select.getTrueValue(), Whole) +
                " & \\text{if } " + use(select.getCondition(), Whole) +
                " \\\\ " + use(select.getFalseValue(), Whole) +
                " & \\text{otherwise}\\end{cases}"};
      })
      .Case([&](ReduceOp reduce) -> Text {
        StringRef sign = reduce.getReduceKind() == ReduceKind::sum   ? "\\sum"
                         : reduce.getReduceKind() == ReduceKind::max ? "\\max"
                                                                     : "\\min";
        auto dims = llvm::map_range(
            reduce.getOver().getAsValueRange<StringAttr>(), identifier);
        return {(sign + "_{" + llvm::join(dims, ", ") + "} ").str() +
                    use(reduce.getOperand(), Product),
                Product};
      })
      .Default([&](Operation *other) { return call(other); });
}

std::vector<std::string> docs::getLatex(OperatorOp op) {
  std::vector<std::string> lines;
  for (Operation &each : op.getBody().front().without_terminator()) {
    StringRef name = getValueName(each.getResult(0));
    if (!name.empty() && !isa<ConstantOp, AttributeOp>(each))
      lines.push_back(identifier(name) + " &= " + define(&each).text);
  }
  YieldOp yield = op.getYield();
  for (auto [name, value] : llvm::zip_equal(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues()))
    if (getValueName(value) != name.getValue())
      lines.push_back(identifier(name) + " &= " + use(value, Whole));
  return lines;
}
