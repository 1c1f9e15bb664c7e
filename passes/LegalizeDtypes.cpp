//===- LegalizeDtypes.cpp - lossgrad-legalize-dtypes ----------------------===//
//
// Element types of variants. Everything is computed in float32, which holds
// every float16 and bfloat16; so inputs are widened exactly and results rounded
// once. Ints are told apart at run time, and so are tensors that have one value
// per row or lane: only whole tiles have the type of a kernel. How a kernel
// widens (Cast, a branch per tile) is not decided here.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Families.h"
#include "passes/OptimizePatterns.h"
#include "passes/Passes.h"
#include "passes/RetypeBody.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/SetVector.h"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADLEGALIZEDTYPES
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

namespace {

using DTypeSet = llvm::SmallSetVector<DType, 4>;

/// How the tensors of a variant are typed.
struct TypingClass {
  StringRef suffix;
  Binding binding;
  SmallVector<DType> dtypes;
};

struct LegalizePass
    : public lossgrad::impl::LossgradLegalizeDtypesBase<LegalizePass> {
  using LossgradLegalizeDtypesBase::LossgradLegalizeDtypesBase;

  FailureOr<DTypeSet> getDtypes(VariantOp variant, ParamAttr param,
                                ArrayRef<const targets::Family *> families);
  LogicalResult typeBorders(VariantOp variant, const TypingClass &typing,
                            ArrayRef<const targets::Family *> families);
  FailureOr<SmallVector<TypingClass>>
  getClasses(VariantOp variant, ArrayRef<const targets::Family *> families);
  LogicalResult legalize(VariantOp variant);
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which classes there are
//===----------------------------------------------------------------------===//

static bool isFloat(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float16 ||
         dtype == DType::BFloat16;
}
static bool isInt(DType dtype) {
  return dtype == DType::Int64 || dtype == DType::Int32 ||
         dtype == DType::UInt8;
}

/// Whether a tensor is moved tile by tile, and not one value per row or lane.
/// Without reductions or indices there are no rows and lanes to tell apart.
static bool isTile(VariantOp variant, ParamAttr param) {
  Block &body = variant.getBody().front();
  if (llvm::none_of(body, [](Operation &op) {
        return isa<ReduceOp, GatherOp, OneHotOp>(op);
      }))
    return true;
  ArrayRef<StringAttr> dims = param.getShape().getDims();
  return llvm::any_of(variant.getOperator().getOutputs(), [&](ParamAttr out) {
    return llvm::all_of(out.getShape().getDims(), [&](StringAttr dim) {
      return llvm::is_contained(dims, dim);
    });
  });
}

/// The types that the contract lets through on any of the families.
FailureOr<DTypeSet>
LegalizePass::getDtypes(VariantOp variant, ParamAttr param,
                        ArrayRef<const targets::Family *> families) {
  DTypeSet set;
  for (const targets::Family *family : families)
    for (DType dtype : param.getDTypesOn(family->key)) {
      bool isKnown =
          param.getKind() == Kind::Int ? isInt(dtype) : isFloat(dtype);
      if (!isKnown)
        return emitError(variant.getLoc())
               << "'" << param.getName().getValue() << "' takes "
               << stringifyDType(dtype)
               << ", which no schedule carries yet; expected "
               << (param.getKind() == Kind::Int
                       ? "int64, int32 or uint8"
                       : "float32, float16 or bfloat16");
      set.insert(dtype);
    }
  return set;
}

FailureOr<SmallVector<TypingClass>>
LegalizePass::getClasses(VariantOp variant,
                         ArrayRef<const targets::Family *> families) {
  OperatorOp op = variant.getOperator();
  SmallVector<ParamAttr> tensors = op.getOutputs();
  for (auto [param, argument] :
       llvm::zip(op.getInputs(), variant.getBody().getArguments()))
    if (!argument.use_empty() && param.getKind() == Kind::Real &&
        isTile(variant, param))
      tensors.push_back(param);

  DTypeSet any, common;
  for (auto [i, param] : llvm::enumerate(tensors)) {
    FailureOr<DTypeSet> set = getDtypes(variant, param, families);
    if (failed(set))
      return failure();
    any.insert_range(*set);
    if (i == 0)
      common = *set;
    else
      common.remove_if([&](DType dtype) { return !set->contains(dtype); });
  }
  SmallVector<TypingClass> classes;
  if (common.contains(DType::Float32))
    classes.push_back({"f32", Binding::Fixed, {DType::Float32}});
  SmallVector<DType> narrow;
  for (DType dtype : {DType::Float16, DType::BFloat16})
    if (common.contains(dtype))
      narrow.push_back(dtype);
  if (!narrow.empty())
    classes.push_back({"16", Binding::Template, narrow});
  if (any.size() > 1) {
    SmallVector<DType> all;
    for (DType dtype : {DType::Float32, DType::Float16, DType::BFloat16})
      if (any.contains(dtype))
        all.push_back(dtype);
    classes.push_back({"mixed", Binding::RunTime, all});
  }
  return classes;
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

LogicalResult
LegalizePass::typeBorders(VariantOp variant, const TypingClass &typing,
                          ArrayRef<const targets::Family *> families) {
  MLIRContext *context = variant.getContext();
  auto element = ElementAttr::get(context, typing.binding, typing.dtypes);
  Block &body = variant.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [param, argument] : llvm::zip_equal(
           variant.getOperator().getInputs(), body.getArguments())) {
    if (argument.use_empty())
      continue;
    ElementAttr held = element;
    if (param.getKind() == Kind::Int) {
      FailureOr<DTypeSet> dtypes = getDtypes(variant, param, families);
      if (failed(dtypes))
        return failure();
      held = ElementAttr::get(context, Binding::RunTime, dtypes->getArrayRef());
    }
    Location loc = NameLoc::get(builder.getStringAttr(getValueName(argument)),
                                variant.getLoc());
    auto widen =
        WidenOp::create(builder, loc, argument.getType(), argument, held);
    argument.replaceAllUsesExcept(widen.getResult(), widen);
  }
  YieldOp yield = variant.getYield();
  builder.setInsertionPoint(yield);
  for (auto [name, value] :
       llvm::zip(yield.getOutputs().getAsRange<StringAttr>(),
                 yield.getValuesMutable())) {
    Location loc = NameLoc::get(name, yield.getLoc());
    value.assign(NarrowOp::create(builder, loc, value.get().getType(),
                                  value.get(), element));
  }
  return success();
}

/// Kernels take the nearest element where an index leaves its dim; what the
/// look-up gives there is chosen afterwards, unless nobody wants it there.
static LogicalResult guardLookUps(VariantOp variant) {
  Block &body = variant.getBody().front();
  for (GatherOp gather : llvm::to_vector(body.getOps<GatherOp>())) {
    OpBuilder builder(gather);
    Location loc = withoutName(gather.getLoc());
    Value inside =
        buildIsInside(builder, loc, gather.getIndex(), gather.getOverAttr());
    builder.setInsertionPointAfter(gather);
    auto guarded = SelectOp::create(builder, gather.getLoc(), inside, gather,
                                    gather.getOtherwise());
    gather.getResult().replaceAllUsesExcept(guarded, guarded);
  }
  RewritePatternSet patterns(variant.getContext());
  populateImpliedPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  return applyPatternsGreedily(variant.getBody(), std::move(patterns), config);
}

/// The largest or smallest value is NaN where there is a NaN, which products
/// need not keep: NaN is left out of the reduction and counted.
static void keepNaNs(VariantOp variant) {
  Block &body = variant.getBody().front();
  for (ReduceOp reduce : llvm::to_vector(body.getOps<ReduceOp>())) {
    if (reduce.getReduceKind() == ReduceKind::sum || isUniform(reduce) ||
        cast<ValueType>(reduce.getType()).getKind() != Kind::Real)
      continue;
    OpBuilder builder(reduce);
    Location loc = withoutName(reduce.getLoc());
    auto real = [&](double value) -> Value {
      return ConstantOp::create(builder, loc, builder.getF64FloatAttr(value));
    };
    double least = std::numeric_limits<double>::infinity();
    if (reduce.getReduceKind() == ReduceKind::max)
      least = -least;
    Value x = reduce.getOperand();
    Value isNumber = CompareOp::create(builder, loc, Predicate::eq, x, x);
    Value numbers = SelectOp::create(builder, loc, isNumber, x, real(least));
    Value strange = SelectOp::create(builder, loc, isNumber, real(0), real(1));
    Value count = ReduceOp::create(builder, loc, ReduceKind::sum, strange,
                                   reduce.getOver());
    reduce.getOperandMutable().assign(numbers);
    builder.setInsertionPointAfter(reduce);
    Value hasNaN =
        CompareOp::create(builder, loc, Predicate::gt, count, real(0));
    auto kept = SelectOp::create(builder, reduce.getLoc(), hasNaN,
                                 real(std::numeric_limits<double>::quiet_NaN()),
                                 reduce);
    reduce.getResult().replaceAllUsesExcept(kept, kept);
  }
}

LogicalResult LegalizePass::legalize(VariantOp variant) {
  OperatorOp op = variant.getOperator();
  if (!op)
    return variant.emitError() << "operator " << variant.getOperator_Attr()
                               << " is not in this module";
  FailureOr<SmallVector<FamilyGroup>> groups =
      selectFamilies(op, llvm::to_vector_of<StringRef>(soc));
  if (failed(groups))
    return failure();
  if (failed(guardLookUps(variant)))
    return variant.emitError("look-ups could not be guarded");
  keepNaNs(variant);
  OpBuilder builder(variant);
  for (FamilyGroup &group : *groups) {
    FailureOr<SmallVector<TypingClass>> classes =
        getClasses(variant, group.families);
    if (failed(classes))
      return failure();
    for (const TypingClass &typing : *classes) {
      auto typed = cast<VariantOp>(builder.clone(*variant));
      std::string name = (variant.getSymName() + "_" + typing.suffix).str();
      if (groups->size() > 1)
        name += "_" + std::to_string(group.arch);
      typed.setSymName(name);
      typed.setBaseAttr(variant.getSymNameAttr());
      typed.setFamiliesAttr(group.getNames(builder));
      if (failed(typeBorders(typed, typing, group.families)))
        return failure();
    }
  }
  variant.erase();
  return success();
}

void LegalizePass::runOnOperation() {
  for (VariantOp variant : llvm::to_vector(getOperation().getOps<VariantOp>()))
    if (failed(legalize(variant)))
      return signalPassFailure();
}
