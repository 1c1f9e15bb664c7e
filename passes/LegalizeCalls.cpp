//===- LegalizeCalls.cpp - Calls that a product lacks ---------------------===//
//
// See the header. A call is replaced where the tables do not list it for some
// product of its program; one that nothing replaces stays, and the verifier
// names it.
//
//===----------------------------------------------------------------------===//

#include "passes/LegalizeCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Families.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// Bits of room per element of a mask whose repeats have a block each: 256 bits
/// for 64 floats.
constexpr int64_t kMaskRoom = 4;

/// The buffer that a tensor lies in.
ascendc::BufferOp bufferOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<ascendc::ViewOp>())
    tensor = view.getSource();
  return tensor.getDefiningOp<ascendc::BufferOp>();
}

/// A label that no buffer of the kernel has.
std::string uniqueLabel(ascendc::KernelOp kernel, StringRef label) {
  llvm::StringSet<> taken;
  for (auto buffer : kernel.getBlock().getOps<ascendc::BufferOp>())
    taken.insert(buffer.getLabel());
  std::string unique = label.str();
  for (unsigned next = 2; taken.contains(unique); ++next)
    unique = (label + Twine(next)).str();
  return unique;
}

/// A new buffer for as many elements as that of another tensor has.
Value bufferLike(PatternRewriter &rewriter, Value tensor, Type element,
                 StringRef label) {
  ascendc::BufferOp model = bufferOf(tensor);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(model);
  auto kernel = model->getParentOfType<ascendc::KernelOp>();
  std::string unique = uniqueLabel(kernel, label);
  StringAttr value;
  if (unique != label)
    value = rewriter.getStringAttr(label);
  return ascendc::BufferOp::create(
      rewriter, model.getLoc(),
      ascendc::LocalTensorType::get(rewriter.getContext(), element), unique,
      model.getShape(), model.getStaticShape(), ascendc::Lifetime::Tile, value);
}

Type elementOf(Value tensor) {
  return cast<ascendc::LocalTensorType>(tensor.getType()).getElementType();
}

/// The elements that matter to a comparison, whose count is in whole repeats:
/// other calls on its operands need room for no more.
Value exactCount(Value count) {
  auto whole = count.getDefiningOp<ascendc::WholeRepeatsOp>();
  return whole ? whole.getCount() : count;
}

/// A tensor like another with the scalar in every element.
Value filledLike(PatternRewriter &rewriter, Operation *op, Value tensor,
                 Value scalar, Value count, StringRef label) {
  Value filled = bufferLike(rewriter, tensor, elementOf(tensor), label);
  ascendc::DuplicateOp::create(rewriter, op->getLoc(), filled, scalar, count);
  return filled;
}

/// dst = src op scalar as dst = src op tensor.
template <typename ScalarOp, typename TensorOp>
struct ScalarOperand : public OpRewritePattern<ScalarOp> {
  using OpRewritePattern<ScalarOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ScalarOp op,
                                PatternRewriter &rewriter) const override {
    if (ascendc::isListed(op) || !op.getCount())
      return failure();
    Value filled = filledLike(rewriter, op, op.getSrc(), op.getScalar(),
                              op.getCount(), "operand");
    rewriter.replaceOpWithNewOp<TensorOp>(op, op.getDst(), op.getSrc(), filled,
                                          op.getCount(), Value(), Value(),
                                          ValueRange(), DenseI64ArrayAttr());
    return success();
  }
};

struct CompareWithScalar : public OpRewritePattern<ascendc::CompareScalarOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ascendc::CompareScalarOp op,
                                PatternRewriter &rewriter) const override {
    if (ascendc::isListed(op))
      return failure();
    Value filled = filledLike(rewriter, op, op.getSrc0(), op.getScalar(),
                              op.getCount(), "operand");
    rewriter.replaceOpWithNewOp<ascendc::CompareOp>(
        op, op.getDst(), op.getSrc0(), filled, op.getMode(), op.getCount());
    return success();
  }
};

struct SelectWithScalar : public OpRewritePattern<ascendc::SelectScalarOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ascendc::SelectScalarOp op,
                                PatternRewriter &rewriter) const override {
    if (ascendc::isListed(op))
      return failure();
    Value filled = filledLike(rewriter, op, op.getSrc0(), op.getScalar(),
                              op.getCount(), "operand");
    rewriter.replaceOpWithNewOp<ascendc::SelectOp>(
        op, op.getDst(), op.getMask(), op.getSrc0(), filled, op.getCount());
    return success();
  }
};

/// Ints are equal where their difference is 0; no other int is 0 in float,
/// whether differences wrap or saturate.
struct CompareInts : public OpRewritePattern<ascendc::CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ascendc::CompareOp op,
                                PatternRewriter &rewriter) const override {
    if (ascendc::isListed(op) || !elementOf(op.getSrc0()).isInteger(32) ||
        (op.getMode() != ascendc::CompareMode::EQ &&
         op.getMode() != ascendc::CompareMode::NE))
      return failure();
    Type f32 = rewriter.getF32Type();
    Value difference =
        bufferLike(rewriter, op.getSrc0(), elementOf(op.getSrc0()), "apart");
    Value asFloats = bufferLike(rewriter, op.getSrc0(), f32, "distance");
    auto shape = [&](auto create) {
      create(exactCount(op.getCount()), Value(), Value(), ValueRange(),
             DenseI64ArrayAttr());
    };
    shape([&](auto... rest) {
      ascendc::SubOp::create(rewriter, op.getLoc(), difference, op.getSrc0(),
                             op.getSrc1(), rest...);
    });
    shape([&](auto... rest) {
      ascendc::CastOp::create(rewriter, op.getLoc(), asFloats, difference,
                              ascendc::RoundMode::NONE, rest...);
    });
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getF32FloatAttr(0));
    Value zeros =
        filledLike(rewriter, op, asFloats, zero, op.getCount(), "zeros");
    rewriter.replaceOpWithNewOp<ascendc::CompareOp>(
        op, op.getDst(), asFloats, zeros, op.getMode(), op.getCount());
    return success();
  }
};

struct CompareByRepeats : public OpRewritePattern<ascendc::CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ascendc::CompareOp op,
                                PatternRewriter &rewriter) const override {
    if (!elementOf(op.getSrc0()).isF32())
      return failure();
    rewriter.replaceOpWithNewOp<ascendc::CompareRepeatsOp>(
        op, op.getDst(), op.getSrc0(), op.getSrc1(), op.getMode(),
        op.getCount());
    return success();
  }
};

struct SelectByRepeats : public OpRewritePattern<ascendc::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ascendc::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!elementOf(op.getDst()).isF32())
      return failure();
    rewriter.replaceOpWithNewOp<ascendc::SelectRepeatsOp>(
        op, op.getDst(), op.getMask(), op.getSrc0(), op.getSrc1(),
        op.getCount());
    return success();
  }
};

bool isMask(Value tensor) {
  ascendc::BufferOp buffer = bufferOf(tensor);
  return buffer && elementOf(buffer).isInteger(1);
}

/// And, Or and Not of masks: over their blocks.
template <typename OpTy> struct LogicByRepeats : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isMask(op.getDst()) || !op.getCount())
      return failure();
    Value room = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getI32IntegerAttr(kMaskRoom));
    Value count =
        arith::MulIOp::create(rewriter, op.getLoc(), op.getCount(), room);
    rewriter.modifyOpInPlace(op, [&] { op.getCountMutable().assign(count); });
    return success();
  }
};

struct MaskBuffer : public OpRewritePattern<ascendc::BufferOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ascendc::BufferOp op,
                                PatternRewriter &rewriter) const override {
    if (!elementOf(op).isInteger(1))
      return failure();
    SmallVector<int64_t> shape(op.getStaticShape());
    shape.push_back(kMaskRoom);
    rewriter.modifyOpInPlace(op, [&] { op.setStaticShape(shape); });
    return success();
  }
};

} // namespace

void lossgrad::populateTensorFormPatterns(RewritePatternSet &patterns) {
  patterns.add<ScalarOperand<ascendc::MaxsOp, ascendc::MaxOp>,
               ScalarOperand<ascendc::MinsOp, ascendc::MinOp>,
               ScalarOperand<ascendc::AddsOp, ascendc::AddOp>,
               ScalarOperand<ascendc::MulsOp, ascendc::MulOp>,
               CompareWithScalar, SelectWithScalar, CompareInts>(
      patterns.getContext());
}

void lossgrad::populateRepeatMaskPatterns(RewritePatternSet &patterns) {
  patterns.add<CompareByRepeats, SelectByRepeats,
               LogicByRepeats<ascendc::AndOp>, LogicByRepeats<ascendc::OrOp>,
               LogicByRepeats<ascendc::NotOp>, MaskBuffer>(
      patterns.getContext());
}

void lossgrad::legalizeCalls(ascendc::ProgramOp program) {
  // What a pattern makes is not visited again: one set after the other.
  RewritePatternSet tensorForms(program.getContext());
  populateTensorFormPatterns(tensorForms);
  walkAndApplyPatterns(program, std::move(tensorForms));
  if (allHave(program.getFamilyTables(), targets::Api::SelectTensor))
    return;
  RewritePatternSet repeatMasks(program.getContext());
  populateRepeatMaskPatterns(repeatMasks);
  walkAndApplyPatterns(program, std::move(repeatMasks));
}
