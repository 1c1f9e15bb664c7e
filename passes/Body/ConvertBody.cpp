//===- ConvertBody.cpp - The body of a sweep as vector calls --------------===//
//
// The conversion of one sweep in its stage: its border to tensors, its
// terminator, and the driver with the patterns of all subjects. Patterns look
// at the ops and uses of the body as it was, which dialect conversion leaves in
// place until all are lowered; nothing is tried that is taken back.
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/RegionUtils.h"
#include "passes/Body/BodyPatterns.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// The stage is the tile: the ops of the body stand in it, on what it has.
struct SweepPattern : OpConversionPattern<SweepOp> {
  SweepPattern(const LayoutConverter &layouts, MLIRContext *context)
      : OpConversionPattern(layouts, context), layouts(layouts) {}

  LogicalResult
  matchAndRewrite(SweepOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Block *block = &op.getBody().front();
    TypeConverter::SignatureConversion signature(block->getNumArguments());
    for (BlockArgument argument : block->getArguments())
      signature.remapInput(argument.getArgNumber(),
                           layouts.getBound(argument).value);
    Block *inner = rewriter.applySignatureConversion(block, signature);
    rewriter.inlineBlockBefore(inner, op);
    rewriter.eraseOp(op);
    return success();
  }

  const LayoutConverter &layouts;
};

/// Tensors were widened when they were loaded.
struct WidenPattern : OpConversionPattern<WidenOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WidenOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperand());
    return success();
  }
};

/// A value that is rounded before it is stored, once for all classes. Others
/// are rounded where they are stored.
struct NarrowPattern : OpConversionPattern<NarrowOp> {
  NarrowPattern(const LayoutConverter &layouts, BodyBuilder &body)
      : OpConversionPattern(layouts, body.builder.getContext()),
        layouts(layouts), body(body) {}

  LogicalResult
  matchAndRewrite(NarrowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Held held = layouts.hold(op.getOperand(), adaptor.getOperand());
    Type element = body.kernel.elementType(op.getElement());
    if (isRoundedAtStore(op) || !held.isTensor() || element.isF32()) {
      rewriter.replaceOp(op, held.value);
      return success();
    }
    BuildsBefore here(body.builder, op, rewriter);
    Value dst = body.temporary("rounded", held.layout, element);
    body.kernel.buildRound(op.getElement(), dst, held.value,
                           body.countOf(held.layout));
    rewriter.replaceOp(op, dst);
    return success();
  }

  const LayoutConverter &layouts;
  BodyBuilder &body;
};

/// What is stored, added up and handed on is the business of the stage.
struct EndPattern : OpConversionPattern<EndOp> {
  EndPattern(const LayoutConverter &layouts, MLIRContext *context,
             BodyResults &results)
      : OpConversionPattern(layouts, context), layouts(layouts),
        results(results) {}

  LogicalResult
  matchAndRewrite(EndOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto take = [&](ValueRange values, ValueRange converted,
                    SmallVectorImpl<Held> &held) {
      for (auto [value, now] : llvm::zip_equal(values, converted))
        held.push_back(layouts.hold(value, now));
    };
    take(op.getStored(), adaptor.getStored(), results.stored);
    take(op.getReduced(), adaptor.getReduced(), results.reduced);
    take(op.getKept(), adaptor.getKept(), results.kept);
    rewriter.eraseOp(op);
    return success();
  }

  const LayoutConverter &layouts;
  BodyResults &results;
};

} // namespace

/// Makes arguments of what a sweep takes from around it, and gives it constants
/// of its own.
static LogicalResult isolate(SweepOp sweep, LayoutConverter &layouts,
                             ArrayRef<std::pair<Value, Held>> outside) {
  Region &body = sweep.getBody();
  for (auto [value, held] : outside) {
    Value argument = body.addArgument(value.getType(), value.getLoc());
    layouts.bind(argument, held);
    replaceAllUsesInRegionWith(value, argument, body);
  }
  OpBuilder builder(&body.front(), body.front().begin());
  for (Operation &op : body.front())
    for (Value operand : op.getOperands()) {
      if (operand.getParentRegion() == &body)
        continue;
      if (auto constant = operand.getDefiningOp<ConstantOp>()) {
        Value own = builder.clone(*constant)->getResult(0);
        replaceAllUsesInRegionWith(operand, own, body);
        continue;
      }
      // What no earlier step could place: a located error is better than a
      // wrong kernel.
      StringRef name = getValueName(operand);
      return op.emitError("no schedule carries this yet: operand '")
             << (name.empty() ? StringRef("(unnamed)") : name)
             << "' has no value in this kernel";
    }
  return success();
}

FailureOr<BodyResults>
lossgrad::convertBody(SweepOp sweep, ArrayRef<std::pair<Value, Held>> outside,
                      LayoutConverter &layouts, BodyBuilder &body) {
  Steps steps;
  steps.collect(sweep, layouts);
  if (failed(isolate(sweep, layouts, outside)))
    return failure();

  MLIRContext *context = sweep.getContext();
  BodyResults results;
  RewritePatternSet patterns(context);
  patterns.add<SweepPattern, WidenPattern>(layouts, context);
  patterns.add<NarrowPattern>(layouts, body);
  patterns.add<EndPattern>(layouts, context, results);
  populateScalarPatterns(patterns, layouts, body);
  populateElementwisePatterns(patterns, layouts, body);
  populateBetweenLayoutsPatterns(patterns, layouts, body);
  populateConditionPatterns(patterns, layouts, body);
  populateStepPatterns(patterns, layouts, body, steps);
  populateReductionPatterns(patterns, layouts, body);
  populateIndexPatterns(patterns, layouts, body);
  populatePointPatterns(patterns, layouts, body);
  populatePlanePatterns(patterns, layouts, body);

  ConversionTarget target(*context);
  target.addIllegalDialect<LossGradDialect>();
  target.addLegalDialect<ascendc::AscendCDialect, arith::ArithDialect,
                         scf::SCFDialect>();
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(applyFullConversion(sweep->getParentOp(), target,
                                 std::move(patterns), config)))
    return failure();
  return results;
}
