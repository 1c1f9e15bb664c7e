//===- VariantChoice.cpp - Values by variant ------------------------------===//
//
// See TilingParts.h.
//
//===----------------------------------------------------------------------===//

#include "passes/TilingParts.h"

using namespace mlir;
using namespace lossgrad;

VariantChoice::VariantChoice(ArrayRef<ScheduledVariant> variants,
                             UniformToArith &uniforms, OpBuilder &builder,
                             Location loc)
    : variants(variants), uniforms(uniforms), builder(builder), loc(loc) {
  for (const ScheduledVariant &each : variants) {
    VariantOp variant = each.variant;
    addLiterals(variant.getHolds().getCondition(), true,
                literals.emplace_back());
  }
}

void VariantChoice::addLiterals(Value condition, bool answer,
                                SmallVectorImpl<Literal> &to) {
  if (auto both = condition.getDefiningOp<AndOp>();
      both && answer && getValueName(condition).empty()) {
    addLiterals(both.getLhs(), answer, to);
    addLiterals(both.getRhs(), answer, to);
  } else if (auto inverse = condition.getDefiningOp<NotOp>()) {
    addLiterals(inverse.getOperand(), !answer, to);
  } else if (!condition.getDefiningOp<ConstantOp>()) {
    to.push_back({uniforms.convert(condition), answer});
  }
}

std::optional<bool> VariantChoice::answerOf(size_t variant,
                                            Value question) const {
  for (const Literal &literal : literals[variant])
    if (literal.question == question)
      return literal.answer;
  return std::nullopt;
}

Value VariantChoice::choose(ArrayRef<size_t> which,
                            SmallVectorImpl<Value> &asked,
                            ArrayRef<Value> values) {
  Value question;
  for (const Literal &literal : literals[which.front()])
    if (!question && !llvm::is_contained(asked, literal.question))
      question = literal.question;
  if (!question)
    return values[which.front()];
  SmallVector<size_t> yes, no;
  for (size_t variant : which) {
    std::optional<bool> answer = answerOf(variant, question);
    if (answer.value_or(true))
      yes.push_back(variant);
    if (!answer.value_or(false))
      no.push_back(variant);
  }
  asked.push_back(question);
  Value a = yes.empty() ? Value() : choose(yes, asked, values);
  Value b = no.empty() ? Value() : choose(no, asked, values);
  asked.pop_back();
  if (!a || !b || a == b)
    return a ? a : b;
  Value &choice = choices[{question, a, b}];
  if (!choice)
    choice = arith::SelectOp::create(builder, loc, question, a, b);
  return choice;
}

Value VariantChoice::choose(ValueOf value, StringRef name) {
  SmallVector<Value> values;
  SmallVector<size_t> all;
  for (const ScheduledVariant &each : variants) {
    all.push_back(values.size());
    values.push_back(value(each));
  }
  SmallVector<Value> asked;
  Value chosen = choose(all, asked, values);
  if (!name.empty() && !llvm::is_contained(values, chosen))
    chosen.setLoc(NameLoc::get(builder.getStringAttr(name), loc));
  return chosen;
}
