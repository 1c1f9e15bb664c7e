//===- FormulaText.cpp - A body as lines of mathematics -------------------===//
//
// See the header. Ops without a symbol of their own are written as functions.
//
//===----------------------------------------------------------------------===//

#include "passes/FormulaText.h"
#include "dialect/LossGrad/IR/Decimal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cfloat>
#include <climits>

using namespace mlir;
using namespace lossgrad;

namespace {

/// How tightly an expression binds; larger binds tighter.
enum Tightness {
  Choice,
  Disjunction,
  Conjunction,
  Comparison,
  Sum,
  Product,
  Sign,
  Atom
};

struct Infix {
  StringRef symbol;
  Tightness tightness;
};

/// A shared value without a name is written out wherever it is used, up to this
/// many characters: squares of squares would fill the disk otherwise.
constexpr size_t kLongestRepeated = 100;

class FormulaPrinter {
public:
  /// `shown` are the names that stand for their values; null: all names.
  explicit FormulaPrinter(const llvm::StringSet<> *shown,
                          llvm::DenseMap<Value, std::string> given =
                              llvm::DenseMap<Value, std::string>())
      : shown(shown), given(std::move(given)) {}

  std::string use(Value value, Tightness around);
  std::string define(Operation *op, Tightness around);

  /// Whether a use shows a name, and not what the value is.
  bool isNamed(Value value) const;
  bool isTooLong(Value value) {
    return !value.hasOneUse() && lengthOf(value) > kLongestRepeated;
  }
  /// Calls a value without a name something.
  void name(Value value, std::string text) {
    given[value] = std::move(text);
    lengths.erase(value);
  }

private:
  std::string select(SelectOp select, Tightness around);
  /// About as long as the text of a use.
  size_t lengthOf(Value value);

  const llvm::StringSet<> *shown;
  llvm::DenseMap<Value, std::string> given;
  llvm::DenseMap<Value, size_t> lengths;
};

} // namespace

static Infix getInfix(Operation *op) {
  if (isa<AddOp>(op))
    return {" + ", Sum};
  if (isa<SubOp>(op))
    return {" - ", Sum};
  if (isa<MulOp>(op))
    return {" * ", Product};
  if (isa<DivOp>(op))
    return {" / ", Product};
  if (isa<AndOp>(op))
    return {" and ", Conjunction};
  if (isa<OrOp>(op))
    return {" or ", Disjunction};
  if (auto compare = dyn_cast<CompareOp>(op))
    switch (compare.getPredicate()) {
    case Predicate::eq:
      return {" == ", Comparison};
    case Predicate::ne:
      return {" != ", Comparison};
    case Predicate::lt:
      return {" < ", Comparison};
    case Predicate::le:
      return {" <= ", Comparison};
    case Predicate::gt:
      return {" > ", Comparison};
    case Predicate::ge:
      return {" >= ", Comparison};
    }
  return {"", Atom};
}

/// The shortest text of a real; far powers of two as such.
static std::string realText(APFloat value) {
  double number = value.convertToDouble();
  if (number == FLT_MAX)
    return "FLT_MAX";
  int exponent = value.getExactLog2Abs();
  if (exponent != INT_MIN && std::abs(exponent) >= 24)
    return llvm::formatv("{0}2^{1}", value.isNegative() ? "-" : "", exponent);
  SmallString<32> text;
  value.toString(text, digitsToReadBack(value), /*FormatMaxPadding=*/6);
  StringRef shown = text;
  // 1.0E-12 is 1e-12.
  std::string result = shown.lower();
  if (size_t at = result.find(".0e"); at != std::string::npos)
    result.erase(at, 2);
  return result;
}

static std::string literal(ConstantOp constant) {
  if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
    return realText(real.getValue());
  std::string result;
  llvm::raw_string_ostream os(result);
  constant.getValue().print(os, /*elideType=*/true);
  return result;
}

std::string FormulaPrinter::select(SelectOp select, Tightness around) {
  // Only the last side may be a choice without brackets.
  std::string text = "if " + use(select.getCondition(), Disjunction) +
                     " then " + use(select.getTrueValue(), Disjunction) +
                     " else " + use(select.getFalseValue(), Choice);
  return around > Choice ? "(" + text + ")" : text;
}

std::string FormulaPrinter::define(Operation *op, Tightness around) {
  auto bracketed = [&](std::string text, Tightness tightness) {
    return tightness < around ? "(" + text + ")" : text;
  };
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    std::string text = literal(constant);
    return bracketed(text, text[0] == '-' ? Sign : Atom);
  }
  if (auto attribute = dyn_cast<AttributeOp>(op))
    return attribute.getName().str();
  if (auto cast = dyn_cast<CastOp>(op))
    return use(cast.getOperand(), around);
  if (auto neg = dyn_cast<NegOp>(op))
    return bracketed("-" + use(neg.getOperand(), Atom), Sign);
  if (auto inverse = dyn_cast<NotOp>(op))
    return bracketed("not " + use(inverse.getOperand(), Atom), Comparison);
  if (auto choice = dyn_cast<SelectOp>(op))
    return select(choice, around);
  if (Infix infix = getInfix(op); !infix.symbol.empty()) {
    // Right sides bind tighter, but for what is associative and reads better
    // without brackets.
    auto next = static_cast<Tightness>(infix.tightness + 1);
    bool chains = isa<AndOp, OrOp>(op);
    std::string text =
        use(op->getOperand(0),
            infix.tightness == Comparison ? next : infix.tightness) +
        infix.symbol.str() +
        use(op->getOperand(1), chains ? infix.tightness : next);
    return bracketed(text, infix.tightness);
  }
  SmallVector<std::string> arguments;
  if (auto name = op->getAttrOfType<StringAttr>("name"))
    arguments.push_back(name.getValue().str());
  if (auto products = op->getAttrOfType<ArrayAttr>("products"))
    for (StringRef product : products.getAsValueRange<StringAttr>())
      arguments.push_back(product.str());
  for (Value operand : op->getOperands())
    arguments.push_back(use(operand, Choice));
  return (op->getName().stripDialect() + "(" + llvm::join(arguments, ", ") +
          ")")
      .str();
}

bool FormulaPrinter::isNamed(Value value) const {
  if (!isa<OpResult>(value))
    return true;
  StringRef name = getValueName(value);
  return !name.empty() && !value.getDefiningOp<ConstantOp>() &&
         (!shown || shown->contains(name));
}

size_t FormulaPrinter::lengthOf(Value value) {
  if (isNamed(value) || given.contains(value))
    return 8;
  auto known = lengths.find(value);
  if (known != lengths.end())
    return known->second;
  size_t length = 4;
  for (Value operand : value.getDefiningOp()->getOperands())
    length += std::min(lengthOf(operand), size_t(1) << 20);
  return lengths[value] = length;
}

/// A use of a value: its name, or what it is.
std::string FormulaPrinter::use(Value value, Tightness around) {
  auto name = given.find(value);
  if (name != given.end())
    return name->second;
  if (isNamed(value))
    return getValueName(value).str();
  return isTooLong(value) ? "..." : define(value.getDefiningOp(), around);
}

std::string
lossgrad::getDefinition(Value value, const llvm::StringSet<> &names,
                        const llvm::DenseMap<Value, std::string> &called) {
  return FormulaPrinter(&names, called).define(value.getDefiningOp(), Choice);
}

SmallVector<std::string> lossgrad::getFormula(OperatorOp op) {
  SmallVector<std::string> lines;
  if (ArrayAttr kept = op.getFormulaAttr()) {
    for (auto line : kept.getAsValueRange<StringAttr>())
      lines.push_back(line.str());
    return lines;
  }
  FormulaPrinter printer(nullptr);
  llvm::StringSet<> taken;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    taken.insert(param.getName().getValue());
  for (Operation &each : op.getBody().front().without_terminator())
    taken.insert(getValueName(each.getResult(0)));
  unsigned count = 0;
  for (Operation &each : op.getBody().front().without_terminator()) {
    Value result = each.getResult(0);
    std::string name = getValueName(result).str();
    if (name.empty() && printer.isTooLong(result)) {
      do {
        name = "t" + std::to_string(++count);
      } while (!taken.insert(name).second);
      lines.push_back(name + " = " + printer.define(&each, Choice));
      printer.name(result, name);
    } else if (!name.empty() && !isa<ConstantOp, AttributeOp>(each)) {
      lines.push_back(name + " = " + printer.define(&each, Choice));
    }
  }
  YieldOp yield = op.getYield();
  for (auto [name, value] : llvm::zip_equal(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues()))
    if (getValueName(value) != name.getValue())
      lines.push_back(name.getValue().str() + " = " +
                      printer.use(value, Choice));
  return lines;
}

llvm::StringSet<> lossgrad::getFormulaNames(OperatorOp op) {
  llvm::StringSet<> names;
  for (StringRef line : getFormula(op))
    names.insert(line.split(" = ").first);
  return names;
}
