//===- VariantNames.cpp - What variants are called -----------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/VariantNames.h"
#include "dialect/LossGrad/IR/Conditions.h"
#include "passes/FormulaText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lossgrad;

static std::string capitalized(StringRef text) {
  return text.empty() ? "" : llvm::toUpper(text[0]) + text.drop_front().str();
}

std::string lossgrad::titleOf(StringRef param) {
  param.consume_back("Optional");
  return capitalized(param);
}

std::string lossgrad::nameCondition(Value condition) {
  if (StringRef name = getValueName(condition); !name.empty())
    return capitalized(name);
  Operation *op = condition.getDefiningOp();
  if (auto present = dyn_cast<PresentOp>(op))
    return "With" + titleOf(present.getName());
  if (auto attribute = dyn_cast<AttributeOp>(op))
    return capitalized(attribute.getName());
  if (auto inverse = dyn_cast<NotOp>(op))
    if (std::string name = nameCondition(inverse.getOperand()); !name.empty())
      return "Not" + name;
  auto compare = dyn_cast<CompareOp>(op);
  if (!compare || !compare.getRhs().getDefiningOp<ConstantOp>())
    return "";
  return capitalized(nameComparison(getValueName(compare.getLhs()),
                                    compare.getPredicate(), compare.getRhs()));
}

std::string lossgrad::nameComparison(StringRef subject, Predicate predicate,
                                     Value right) {
  auto constant = right.getDefiningOp<ConstantOp>();
  if (subject.empty() || (!constant && getValueName(right).empty()))
    return "";
  static constexpr StringLiteral words[] = {"Is",     "IsNot", "Below",
                                            "AtMost", "Above", "AtLeast"};
  static constexpr Predicate order[] = {Predicate::eq, Predicate::ne,
                                        Predicate::lt, Predicate::le,
                                        Predicate::gt, Predicate::ge};
  std::string text = subject.str();
  for (auto [word, each] : llvm::zip_equal(words, order))
    if (predicate == each)
      text += word;
  if (!constant)
    return text + capitalized(getValueName(right));
  std::string number = getDefinition(constant, {});
  StringRef shown = number;
  // A string is a word of its own.
  if (shown.consume_front("\"") && shown.consume_back("\""))
    number = capitalized(shown);
  for (char c : number)
    text += c == '-' ? "Minus" : std::string(1, llvm::isAlnum(c) ? c : '_');
  return text;
}

void lossgrad::describe(VariantOp variant, StringRef name, StringRef when) {
  Builder builder(variant.getContext());
  auto extend = [&](std::optional<StringRef> old, StringRef separator,
                    StringRef with, StringRef et, StringRef text) {
    std::string joined = old.value_or("").str();
    if (StringRef(joined).starts_with(with) && text.consume_front(with))
      joined += et;
    else if (!joined.empty() && !text.empty())
      joined += separator;
    return builder.getStringAttr(joined + text);
  };
  variant.setTitleAttr(extend(variant.getTitle(), "", "With", "And", name));
  variant.setOccasionAttr(
      extend(variant.getOccasion(), "; ", "with ", " and ", when));
}

void lossgrad::describeSides(Value condition, VariantOp holds,
                             VariantOp fails) {
  if (auto present = condition.getDefiningOp<PresentOp>()) {
    describe(holds, nameCondition(condition),
             ("with " + present.getName()).str());
    return;
  }
  llvm::StringSet<> names = getFormulaNames(holds.getOperator());
  std::string when = getDefinition(condition, names);
  std::string name = nameCondition(condition);
  describe(holds, name.empty() ? "Case" : name, when);
  describe(fails, "", "not (" + when + ")");
}
