//===- LegalizeDtypes.cpp - lossgrad-legalize-dtypes ----------------------===//
//
// Element types of variants. Everything is computed in float32, which holds
// every float16 and bfloat16; so inputs are widened exactly and results rounded
// once. How a kernel widens (Cast, a branch per tile) is not decided here.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "passes/Families.h"
#include "passes/Passes.h"
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

/// The types that the contract lets through on any of the families.
FailureOr<DTypeSet>
LegalizePass::getDtypes(VariantOp variant, ParamAttr param,
                        ArrayRef<const targets::Family *> families) {
  DTypeSet set;
  for (const targets::Family *family : families)
    for (DType dtype : param.getDTypesOn(family->key)) {
      if (!isFloat(dtype))
        return emitError(variant.getLoc())
               << "'" << param.getName().getValue() << "' takes "
               << stringifyDType(dtype)
               << ", which no schedule carries yet; expected float32, float16 "
                  "or bfloat16";
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
    if (!argument.use_empty())
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

static void typeBorders(VariantOp variant, const TypingClass &typing) {
  MLIRContext *context = variant.getContext();
  auto element = ElementAttr::get(context, typing.binding, typing.dtypes);
  Block &body = variant.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    if (argument.use_empty())
      continue;
    Location loc = NameLoc::get(builder.getStringAttr(getValueName(argument)),
                                variant.getLoc());
    auto widen =
        WidenOp::create(builder, loc, argument.getType(), argument, element);
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
      typed->setAttr("lossgrad.base", variant.getSymNameAttr());
      typed.setFamiliesAttr(group.getNames(builder));
      typeBorders(typed, typing);
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
