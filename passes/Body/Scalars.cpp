//===- Scalars.cpp - Arithmetic on numbers --------------------------------===//
//
// Values without dims that depend on one-element inputs, and in kernels of one
// row per tile what the row has once: per tile, on the scalar unit.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

namespace {

template <typename OpTy, typename ScalarOp>
struct ScalarPattern : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValueRange operands = adaptor.getOperands();
    if (llvm::any_of(operands.getTypes(),
                     llvm::IsaPred<ascendc::LocalTensorType>))
      return failure();
    rewriter.replaceOp(op, ScalarOp::create(rewriter, op.getLoc(), operands));
    return success();
  }
};

/// Constants stand at the head of the stage, so that every use sees them.
struct ConstantPattern : OpConversionPattern<ConstantOp> {
  ConstantPattern(const LayoutConverter &layouts, BodyBuilder &body)
      : OpConversionPattern(layouts, body.builder.getContext()), body(body) {}

  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BuildsBefore here(body.builder, op, rewriter);
    body.builder.setInsertionPointToStart(
        &op->getParentOfType<ascendc::StageOp>().getBody().front());
    KernelBuilder &kernel = body.kernel;
    if (auto integer = dyn_cast<IntegerAttr>(op.getValue());
        integer && integer.getType().isSignlessInteger(64)) {
      rewriter.replaceOp(
          op, ascendc::ToNumberOp::create(body.builder, kernel.loc,
                                          kernel.i64(integer.getInt())));
      return success();
    }
    std::optional<double> value = getRealConstant(op);
    if (!value)
      return op.emitError("a constant of this kind has no place in a kernel");
    rewriter.replaceOp(op, kernel.f32(*value));
    return success();
  }

  BodyBuilder &body;
};

} // namespace

void lossgrad::populateScalarPatterns(RewritePatternSet &patterns,
                                      const LayoutConverter &layouts,
                                      BodyBuilder &body) {
  patterns.add<ConstantPattern>(layouts, body);
  patterns.add<
      ScalarPattern<AddOp, arith::AddFOp>, ScalarPattern<SubOp, arith::SubFOp>,
      ScalarPattern<MulOp, arith::MulFOp>, ScalarPattern<DivOp, arith::DivFOp>,
      ScalarPattern<NegOp, arith::NegFOp>,
      ScalarPattern<SelectOp, arith::SelectOp>>(layouts, patterns.getContext());
}
