//===- BodyPatterns.h - Patterns that lower a body --------------*- C++ -*-===//
//
// The ops of a sweep as vector calls: a set of conversion patterns per subject.
// An op may have several patterns, one per combination of layouts; those for
// special combinations have the larger benefit.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_BODY_BODYPATTERNS_H
#define LOSSGRAD_PASSES_BODY_BODYPATTERNS_H

#include "passes/Body/BodyBuilder.h"
#include "llvm/ADT/STLExtras.h"

namespace lossgrad {

/// Lets a builder build what the pattern at hand builds, before an op.
class BuildsBefore {
public:
  BuildsBefore(mlir::OpBuilder &builder, mlir::Operation *op,
               mlir::ConversionPatternRewriter &rewriter)
      : builder(builder), guard(builder), before(builder.getListener()) {
    builder.setInsertionPoint(op);
    builder.setListener(rewriter.getListener());
  }
  ~BuildsBefore() { builder.setListener(before); }

private:
  mlir::OpBuilder &builder;
  mlir::OpBuilder::InsertionGuard guard;
  mlir::OpBuilder::Listener *before;
};

/// A pattern for an op with one result, of whose operands one or more lie in
/// UB. Ops on numbers alone are for the scalar unit (Scalars.cpp).
template <typename OpTy>
class BodyPattern : public mlir::OpConversionPattern<OpTy> {
public:
  BodyPattern(const LayoutConverter &layouts, BodyBuilder &body,
              mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<OpTy>(layouts, body.builder.getContext(),
                                        benefit),
        layouts(layouts), body(body) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const final {
    llvm::SmallVector<Held> operands;
    for (auto [operand, converted] :
         llvm::zip_equal(op->getOperands(), adaptor.getOperands()))
      operands.push_back(layouts.hold(operand, converted));
    if (llvm::none_of(operands, [](const Held &x) { return x.isTensor(); }))
      return mlir::failure();
    BuildsBefore here(body.builder, op, rewriter);
    mlir::Value lowered = lower(op, operands);
    if (!lowered)
      return mlir::failure();
    rewriter.replaceOp(op, lowered);
    return mlir::success();
  }

protected:
  /// Builds the calls and gives the tensor of the result; null, before anything
  /// is built, where the pattern is not for these layouts.
  virtual mlir::Value lower(OpTy op, llvm::ArrayRef<Held> x) const = 0;

  Layout layoutOf(mlir::Value value) const { return layouts.getLayout(value); }

  const LayoutConverter &layouts;
  BodyBuilder &body;
};

/// Choices of whether one more call is made on a tensor (GuardedSteps.h): the
/// call is made in place, under a branch, where the choice stands.
struct Steps {
  llvm::DenseMap<mlir::Operation *, SelectOp> choices; // by step
  llvm::DenseSet<mlir::Operation *> done;              // choices
  /// Finds them in a sweep, and brings each step to its choice.
  void collect(SweepOp sweep, const LayoutConverter &layouts);
};

/// What stands for the values of the terminator.
struct BodyResults {
  llvm::SmallVector<Held> stored, reduced, kept;
};

/// Special combinations of layouts come before ordinary ones.
inline constexpr unsigned kOrdinary = 1, kOtherLayouts = 2, kSingleRows = 3,
                          kOtherKind = 4;

void populateElementwisePatterns(mlir::RewritePatternSet &patterns,
                                 const LayoutConverter &layouts,
                                 BodyBuilder &body);
void populateScalarPatterns(mlir::RewritePatternSet &patterns,
                            const LayoutConverter &layouts, BodyBuilder &body);
void populateBetweenLayoutsPatterns(mlir::RewritePatternSet &patterns,
                                    const LayoutConverter &layouts,
                                    BodyBuilder &body);
void populateConditionPatterns(mlir::RewritePatternSet &patterns,
                               const LayoutConverter &layouts,
                               BodyBuilder &body);
void populateReductionPatterns(mlir::RewritePatternSet &patterns,
                               const LayoutConverter &layouts,
                               BodyBuilder &body);
void populateIndexPatterns(mlir::RewritePatternSet &patterns,
                           const LayoutConverter &layouts, BodyBuilder &body);
void populatePointPatterns(mlir::RewritePatternSet &patterns,
                           const LayoutConverter &layouts, BodyBuilder &body);
void populatePlanePatterns(mlir::RewritePatternSet &patterns,
                           const LayoutConverter &layouts, BodyBuilder &body);
void populateStepPatterns(mlir::RewritePatternSet &patterns,
                          const LayoutConverter &layouts, BodyBuilder &body,
                          const Steps &steps);

/// Lowers a copy of a sweep that stands in its stage: the calls of its body
/// take its place. What it reads is bound; `outside` says what stands for the
/// values around it.
mlir::FailureOr<BodyResults>
convertBody(SweepOp sweep, llvm::ArrayRef<std::pair<mlir::Value, Held>> outside,
            LayoutConverter &layouts, BodyBuilder &body);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_BODY_BODYPATTERNS_H
