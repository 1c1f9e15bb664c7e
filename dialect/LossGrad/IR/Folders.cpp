//===- Folders.cpp - Folding and canonicalisation -------------------------===//
//
// Rewrites that never change a result: NaN, infinities and signed zeros
// included. Rewrites that change rounding belong to lossgrad-optimize.
//
// A fold may only return a value of exactly the result's type: `mul %x, %one`
// over more dims than %x has is a broadcast, not %x.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Predicates.h"
#include "dialect/LossGrad/IR/Semantics.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Evaluates an elementwise op on constants.
static Attribute foldConstants(Operation *op, ArrayRef<Attribute> operands) {
  ElementFunction function = getElementFunction(op);
  if (!function)
    return {};
  SmallVector<Element, 3> elements;
  for (Attribute operand : operands) {
    std::optional<Element> element;
    if (operand)
      element = toElement(operand);
    if (!element)
      return {};
    elements.push_back(*element);
  }
  auto type = cast<ValueType>(op->getResult(0).getType());
  if (!type.getDims().empty())
    return {};
  return toLiteral(op->getContext(), function(elements.data()), type.getKind());
}

/// The value, if it can stand for the only result of the op.
static OpFoldResult replaceBy(Operation *op, Value value) {
  if (value.getType() != op->getResult(0).getType())
    return {};
  return value;
}

static bool isReal(Attribute literal, double value) {
  auto real = dyn_cast_or_null<FloatAttr>(literal);
  if (!real)
    return false;
  double actual = real.getValueAsDouble();
  return actual == value && std::signbit(actual) == std::signbit(value);
}

static bool isInt(Attribute literal, int64_t value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(literal);
  return integer && !isa<BoolAttr>(literal) && integer.getInt() == value;
}

static bool isBool(Attribute literal, bool value) {
  auto flag = dyn_cast_or_null<BoolAttr>(literal);
  return flag && flag.getValue() == value;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

#define FOLD_CONSTANTS_ONLY(OP)                                                \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                 \
    return foldConstants(*this, adaptor.getOperands());                        \
  }
FOLD_CONSTANTS_ONLY(ClampOp)
FOLD_CONSTANTS_ONLY(SignOp)
FOLD_CONSTANTS_ONLY(ExpOp)
FOLD_CONSTANTS_ONLY(LogOp)
FOLD_CONSTANTS_ONLY(SqrtOp)
FOLD_CONSTANTS_ONLY(SinOp)
FOLD_CONSTANTS_ONLY(CosOp)
FOLD_CONSTANTS_ONLY(Float32AtLeastOp)
FOLD_CONSTANTS_ONLY(Float32AtMostOp)
FOLD_CONSTANTS_ONLY(Float32ExactlyOp)
#undef FOLD_CONSTANTS_ONLY

/// x + -0.0 is x; x + 0.0 is not, for x = -0.0.
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (Attribute folded = foldConstants(*this, adaptor.getOperands()))
    return folded;
  if (isReal(adaptor.getRhs(), -0.0) || isInt(adaptor.getRhs(), 0))
    return replaceBy(*this, getLhs());
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (Attribute folded = foldConstants(*this, adaptor.getOperands()))
    return folded;
  if (isReal(adaptor.getRhs(), 0.0) || isInt(adaptor.getRhs(), 0))
    return replaceBy(*this, getLhs());
  return {};
}

/// Not x * 0: NaN and infinities stay.
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (Attribute folded = foldConstants(*this, adaptor.getOperands()))
    return folded;
  if (isReal(adaptor.getRhs(), 1.0) || isInt(adaptor.getRhs(), 1))
    return replaceBy(*this, getLhs());
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (Attribute folded = foldConstants(*this, adaptor.getOperands()))
    return folded;
  return isReal(adaptor.getRhs(), 1.0) ? replaceBy(*this, getLhs())
                                       : OpFoldResult();
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (Attribute folded = foldConstants(*this, adaptor.getOperands()))
    return folded;
  return isReal(adaptor.getRhs(), 1.0) ? replaceBy(*this, getLhs())
                                       : OpFoldResult();
}

#define FOLD_IDEMPOTENT(OP)                                                    \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                 \
    if (Attribute folded = foldConstants(*this, adaptor.getOperands()))        \
      return folded;                                                           \
    return getLhs() == getRhs() ? replaceBy(*this, getLhs()) : OpFoldResult(); \
  }
FOLD_IDEMPOTENT(MinOp)
FOLD_IDEMPOTENT(MaxOp)
#undef FOLD_IDEMPOTENT

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return replaceBy(*this, inner.getOperand());
  return foldConstants(*this, adaptor.getOperands());
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<AbsOp>())
    return replaceBy(*this, inner.getResult());
  if (auto inner = getOperand().getDefiningOp<NegOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return foldConstants(*this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

/// `and` and `or` are each other's mirror: true is neutral for one and absorbs
/// in the other.
static OpFoldResult foldLogic(Operation *op, ArrayRef<Attribute> operands,
                              bool neutral) {
  if (Attribute folded = foldConstants(op, operands))
    return folded;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (lhs == rhs || isBool(operands[1], neutral))
    return replaceBy(op, lhs);
  if (isBool(operands[0], neutral))
    return replaceBy(op, rhs);
  if (isBool(operands[0], !neutral))
    return replaceBy(op, lhs);
  if (isBool(operands[1], !neutral))
    return replaceBy(op, rhs);
  return {};
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  return foldLogic(*this, adaptor.getOperands(), true);
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  return foldLogic(*this, adaptor.getOperands(), false);
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return replaceBy(*this, inner.getOperand());
  return foldConstants(*this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (isBool(adaptor.getCondition(), true))
    return replaceBy(*this, getTrueValue());
  if (isBool(adaptor.getCondition(), false))
    return replaceBy(*this, getFalseValue());
  if (getTrueValue() == getFalseValue())
    return replaceBy(*this, getTrueValue());
  if (isBool(adaptor.getTrueValue(), true) &&
      isBool(adaptor.getFalseValue(), false))
    return replaceBy(*this, getCondition());
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  return foldConstants(*this, adaptor.getOperands());
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  if (Attribute folded = foldConstants(*this, adaptor.getOperands()))
    return folded;
  Kind kind = cast<ValueType>(getLhs().getType()).getKind();
  bool isEq = getPredicate() == Predicate::eq;
  Builder builder(getContext());
  // Strings and dtypes that exist. An undefined dtype equals nothing.
  Attribute lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
  if (lhs && rhs && (kind == Kind::String || kind == Kind::DType)) {
    auto dtype = dyn_cast<DTypeAttr>(lhs);
    bool equal = lhs == rhs && (!dtype || dtype.getValue() != DType::Undefined);
    return builder.getBoolAttr(equal == isEq);
  }
  // x == x, but not for reals (NaN) and what may be undefined.
  bool reflexive =
      kind == Kind::Int || kind == Kind::Bool || kind == Kind::String;
  if (getLhs() == getRhs() && reflexive &&
      cast<ValueType>(getType()).getDims().empty()) {
    bool holds = isEq || getPredicate() == Predicate::le ||
                 getPredicate() == Predicate::ge;
    return builder.getBoolAttr(holds);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// compare eq %index, iota d  ->  onehot %index over d
/// compare ne %index, iota d  ->  not (onehot %index over d)
///
/// An index outside of the dim equals no position, so the two agree.
static LogicalResult compareWithIota(CompareOp op, PatternRewriter &rewriter) {
  bool isEq = op.getPredicate() == Predicate::eq;
  if (!isEq && op.getPredicate() != Predicate::ne)
    return failure();
  Value index = op.getLhs();
  auto iota = op.getRhs().getDefiningOp<IotaOp>();
  if (!iota) {
    index = op.getRhs();
    iota = op.getLhs().getDefiningOp<IotaOp>();
  }
  if (!iota || cast<ValueType>(index.getType()).hasDim(iota.getNameAttr()))
    return failure();
  Value hit = OneHotOp::create(rewriter, op.getLoc(), op.getType(), index,
                               iota.getNameAttr());
  if (isEq)
    rewriter.replaceOp(op, hit);
  else
    rewriter.replaceOpWithNewOp<NotOp>(op, op.getType(), hit);
  return success();
}

/// A constant stands on the right.
static LogicalResult constantToTheRight(CompareOp op,
                                        PatternRewriter &rewriter) {
  if (!matchPattern(op.getLhs(), m_Constant()) ||
      matchPattern(op.getRhs(), m_Constant()))
    return failure();
  rewriter.replaceOpWithNewOp<CompareOp>(
      op, op.getType(), mirrored(op.getPredicate()), op.getRhs(), op.getLhs());
  return success();
}

void CompareOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(compareWithIota);
  patterns.add(constantToTheRight);
}

/// select (not c), a, b  ->  select c, b, a
static LogicalResult selectOfNot(SelectOp op, PatternRewriter &rewriter) {
  auto negated = op.getCondition().getDefiningOp<NotOp>();
  if (!negated)
    return failure();
  rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), negated.getOperand(),
                                        op.getFalseValue(), op.getTrueValue());
  return success();
}

void SelectOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(selectOfNot);
}
