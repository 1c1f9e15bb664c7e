//===- Elementwise.cpp - Arithmetic on tensors of one layout --------------===//
//
// Real arithmetic, element by element: all operands are brought to the layout
// of the result, and numbers are taken by the scalar forms of the calls.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// Add and Mul, which take their operands in any order.
template <typename OpTy, typename TensorOp, typename ScalarOp>
struct Commutative : BodyPattern<OpTy> {
  Commutative(const LayoutConverter &layouts, BodyBuilder &body,
              StringRef label)
      : BodyPattern<OpTy>(layouts, body, kOrdinary), label(label) {}

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    Layout layout = this->layoutOf(op);
    Value a = this->body.operand(x[0], layout);
    Value b = this->body.operand(x[1], layout);
    // With a number for all elements a product is a scaled value.
    bool scales = std::is_same_v<OpTy, MulOp> &&
                  (!isa<ascendc::LocalTensorType>(a.getType()) ||
                   !isa<ascendc::LocalTensorType>(b.getType()));
    Value dst = this->body.fresh(op, scales ? "scaled" : label, layout);
    this->body.template commutative<TensorOp, ScalarOp>(dst, a, b, layout);
    return dst;
  }

  StringRef label;
};

template <typename OpTy, typename CallOp> struct Unary : BodyPattern<OpTy> {
  Unary(const LayoutConverter &layouts, BodyBuilder &body, StringRef label)
      : BodyPattern<OpTy>(layouts, body, kOrdinary), label(label) {}

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    Layout layout = this->layoutOf(op);
    Value src = this->body.operand(x[0], layout);
    Value dst = this->body.fresh(op, label, layout);
    this->body.template unary<CallOp>(dst, src, layout);
    return dst;
  }

  StringRef label;
};

struct Subtract : BodyPattern<SubOp> {
  using BodyPattern::BodyPattern;

  Value lower(SubOp op, ArrayRef<Held> x) const override {
    Layout layout = layoutOf(op);
    OpBuilder &builder = body.builder;
    Value a = body.operand(x[0], layout), b = body.operand(x[1], layout);
    Value dst = body.fresh(op, "difference", layout);
    if (x[0].isTensor() && x[1].isTensor()) {
      body.binary<ascendc::SubOp>(dst, a, b, layout);
    } else if (x[0].isTensor()) {
      Value minus = arith::NegFOp::create(builder, body.kernel.loc, b);
      body.binary<ascendc::AddsOp>(dst, a, minus, layout);
    } else { // s - t = s + (-t), exactly
      Value minus = body.temporary("minus", layout);
      body.binary<ascendc::MulsOp>(minus, b, body.kernel.f32(-1), layout);
      body.binary<ascendc::AddsOp>(dst, minus, a, layout);
    }
    return dst;
  }
};

struct Divide : BodyPattern<DivOp> {
  using BodyPattern::BodyPattern;

  Value lower(DivOp op, ArrayRef<Held> x) const override {
    Layout layout = layoutOf(op);
    Value dst = body.fresh(op, "quotient", layout);
    Value dividend = body.asTensor(x[0], "dividend", layout);
    Value divisor = body.asTensor(x[1], "divisor", layout);
    body.binary<ascendc::DivOp>(dst, dividend, divisor, layout);
    return dst;
  }
};

struct Negate : BodyPattern<NegOp> {
  using BodyPattern::BodyPattern;

  Value lower(NegOp op, ArrayRef<Held> x) const override {
    Layout layout = layoutOf(op);
    Value dst = body.fresh(op, "negated", layout);
    body.binary<ascendc::MulsOp>(dst, x[0].value, body.kernel.f32(-1), layout);
    return dst;
  }
};

/// Max and Min: NaN stays NaN, whatever the product's calls do.
template <typename OpTy, typename TensorOp, typename ScalarOp>
struct Extremum : BodyPattern<OpTy> {
  using BodyPattern<OpTy>::BodyPattern;

  Value lower(OpTy op, ArrayRef<Held> x) const override {
    BodyBuilder &body = this->body;
    Layout layout = this->layoutOf(op);
    Value a = body.operand(x[0], layout), b = body.operand(x[1], layout);
    bool isMax = std::is_same_v<OpTy, MaxOp>;
    Value dst = body.beforeNaN(op, isMax ? "larger" : "smaller", layout);
    body.template commutative<TensorOp, ScalarOp>(dst, a, b, layout);
    for (Value operand : {a, b})
      if (isa<ascendc::LocalTensorType>(operand.getType()))
        dst = body.keepNaN(op, dst, operand, layout);
    return dst;
  }
};

struct Clamp : BodyPattern<ClampOp> {
  using BodyPattern::BodyPattern;

  Value lower(ClampOp op, ArrayRef<Held> x) const override {
    Layout layout = layoutOf(op);
    Value value = body.asTensor(x[0], "value", layout);
    Value low = body.operand(x[1], layout), high = body.operand(x[2], layout);
    Value raised = body.temporary("raised", layout);
    body.commutative<ascendc::MaxOp, ascendc::MaxsOp>(raised, value, low,
                                                      layout);
    Value dst = body.beforeNaN(op, "clamped", layout);
    body.commutative<ascendc::MinOp, ascendc::MinsOp>(dst, raised, high,
                                                      layout);
    dst = body.keepNaN(op, dst, value, layout);
    for (Value bound : {low, high})
      if (isa<ascendc::LocalTensorType>(bound.getType()))
        dst = body.keepNaN(op, dst, bound, layout);
    return dst;
  }
};

} // namespace

void lossgrad::populateElementwisePatterns(RewritePatternSet &patterns,
                                           const LayoutConverter &layouts,
                                           BodyBuilder &body) {
  patterns.add<Commutative<AddOp, ascendc::AddOp, ascendc::AddsOp>>(
      layouts, body, "sum");
  patterns.add<Commutative<MulOp, ascendc::MulOp, ascendc::MulsOp>>(
      layouts, body, "product");
  patterns.add<Unary<AbsOp, ascendc::AbsOp>>(layouts, body, "size");
  patterns.add<Unary<ExpOp, ascendc::ExpOp>>(layouts, body, "exponential");
  patterns.add<Unary<LogOp, ascendc::LnOp>>(layouts, body, "logarithm");
  patterns.add<Unary<SqrtOp, ascendc::SqrtOp>>(layouts, body, "root");
  patterns.add<Subtract, Divide, Negate,
               Extremum<MaxOp, ascendc::MaxOp, ascendc::MaxsOp>,
               Extremum<MinOp, ascendc::MinOp, ascendc::MinsOp>, Clamp>(
      layouts, body, kOrdinary);
}
