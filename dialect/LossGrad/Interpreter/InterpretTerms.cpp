//===- InterpretTerms.cpp - The largest terms of results ------------------===//
//
// What each element of a result is a sum of, followed through a body beside its
// values. See Terms.h.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Interpreter/BodyInterpreter.h"
#include "dialect/LossGrad/Interpreter/Odometer.h"
#include "dialect/LossGrad/Interpreter/Terms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Error.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;
using mlir::Operation;
using mlir::StringAttr;
using mlir::Value;

Expected<RuntimeValue>
BodyInterpreter::elementwiseTerms(Operation *inner,
                                  const RuntimeValue &result) {
  TermFunction function = getTermFunction(inner, options.termsOfExponents);
  if (!function)
    return magnitudesOf(result);
  RuntimeValue largest = magnitudesOf(result);
  ArrayRef<StringAttr> over = typeOf(inner->getResult(0)).getDims();
  SmallVector<Extents, 3> strides;
  SmallVector<const Element *, 3> sources, sourceTerms;
  for (Value operand : inner->getOperands()) {
    strides.push_back(stridesOver(operand, over));
    sources.push_back(get(operand).elements.data());
    sourceTerms.push_back(getTerms(operand).elements.data());
  }
  Odometer at(result.extents, strides);
  Element operands[3], operandTerms[3];
  for (Element &element : largest.elements) {
    for (auto [i, offset] : enumerate(at.getOffsets())) {
      operands[i] = sources[i][offset];
      operandTerms[i] = sourceTerms[i][offset];
    }
    element.real = function(operands, operandTerms);
    at.step();
  }
  return largest;
}

/// What float32 rounds in a reduction: the largest element, or in a sum the
/// partial sums, which are about as large as the root of the sum of squares
/// where signs mix.
static Expected<RuntimeValue> reduceTerms(
    ReduceKind kind, const RuntimeValue &terms,
    function_ref<Expected<RuntimeValue>(const RuntimeValue &, ReduceKind)>
        reduce) {
  if (kind != ReduceKind::sum)
    return reduce(terms, ReduceKind::max);
  RuntimeValue squares = terms;
  for (Element &element : squares.elements)
    element.real *= element.real;
  Expected<RuntimeValue> sums = reduce(squares, ReduceKind::sum);
  if (!sums)
    return sums.takeError();
  for (Element &element : sums->elements)
    element.real = std::sqrt(element.real);
  return sums;
}

/// The end of a forward: what it reduces, as a sum or a mean of it.
RuntimeValue BodyInterpreter::reducedTerms(ReducedOp inner) {
  RuntimeValue largest = getTerms(inner.getValue());
  if (get(inner.getNone()).elements[0].integer)
    return largest;
  double squares = 0;
  for (const Element &element : largest.elements)
    squares += element.real * element.real;
  double root = std::sqrt(squares);
  if (get(inner.getMean()).elements[0].integer)
    root /= std::fabs(get(inner.getCount()).elements[0].real);
  for (Element &element : largest.elements)
    element.real = root;
  return largest;
}

Error BodyInterpreter::trackTerms(Operation *inner,
                                  const RuntimeValue &result) {
  Expected<RuntimeValue> largest =
      TypeSwitch<Operation *, Expected<RuntimeValue>>(inner)
          .Case([&](ReduceOp o) {
            return reduceTerms(
                o.getReduceKind(), getTerms(o.getOperand()),
                [&](const RuntimeValue &source, ReduceKind kind) {
                  return reduce(o, source, kind);
                });
          })
          .Case([&](ReduceOntoOp o) {
            return reduceTerms(
                o.getReduceKind(), getTerms(o.getOperand()),
                [&](const RuntimeValue &source, ReduceKind kind) {
                  return reduceOnto(o, source, kind);
                });
          })
          .Case([&](GatherOp o) {
            return gather(o, getTerms(o.getTable()),
                          getTerms(o.getOtherwise()));
          })
          .Case([&](ReducedOp o) { return reducedTerms(o); })
          .Default([&](Operation *o) { return elementwiseTerms(o, result); });
  if (!largest)
    return largest.takeError();
  if (isa<ReduceOp, ReduceOntoOp, ReducedOp>(inner))
    raiseToMagnitudes(*largest, result);
  terms[inner->getResult(0)] = std::move(*largest);
  return Error::success();
}
