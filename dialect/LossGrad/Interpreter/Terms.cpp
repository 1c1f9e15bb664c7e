//===- Terms.cpp - How large the terms of a sum are -----------------------===//

#include "dialect/LossGrad/Interpreter/Terms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;

static double larger(const Element *, const Element *terms) {
  return std::fmax(terms[0].real, terms[1].real);
}
static double product(const Element *, const Element *terms) {
  return terms[0].real * terms[1].real;
}
static double quotient(const Element *operands, const Element *terms) {
  return terms[0].real / std::fabs(operands[1].real);
}
static double same(const Element *, const Element *terms) {
  return terms[0].real;
}
static double chosen(const Element *operands, const Element *terms) {
  return operands[0].integer ? terms[1].real : terms[2].real;
}

/// What an exponent is off by is a share of the result.
static double exponential(const Element *operands, const Element *terms) {
  return std::exp(operands[0].real) * std::fmax(terms[0].real, 1);
}

TermFunction lossgrad::getTermFunction(mlir::Operation *op, bool ofExponents) {
  auto type = dyn_cast<ValueType>(op->getResult(0).getType());
  if (!type || type.getKind() != Kind::Real)
    return nullptr;
  return TypeSwitch<mlir::Operation *, TermFunction>(op)
      .Case<AddOp, SubOp>([](auto) { return larger; })
      .Case([](MulOp) { return product; })
      .Case([](DivOp) { return quotient; })
      .Case<NegOp, AbsOp>([](auto) { return same; })
      .Case([](SelectOp) { return chosen; })
      .Case([&](ExpOp) { return ofExponents ? exponential : nullptr; })
      .Default(TermFunction(nullptr));
}

static double magnitudeOf(Element element, Kind kind) {
  return kind == Kind::Real ? std::fabs(element.real)
                            : std::fabs(static_cast<double>(element.integer));
}

RuntimeValue lossgrad::magnitudesOf(const RuntimeValue &value) {
  RuntimeValue result;
  result.kind = Kind::Real;
  result.extents = value.extents;
  result.elements.resize(value.elements.size());
  for (auto [to, from] : zip(result.elements, value.elements))
    to.real = magnitudeOf(from, value.kind);
  return result;
}

void lossgrad::raiseToMagnitudes(RuntimeValue &terms,
                                 const RuntimeValue &value) {
  for (auto [term, element] : zip(terms.elements, value.elements))
    term.real = std::fmax(term.real, magnitudeOf(element, value.kind));
}
