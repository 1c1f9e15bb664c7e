//===- SplitParts.cpp - Sums onto a part of a broadcast pack --------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/SplitParts.h"
#include "passes/RetypeBody.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;

/// The part of the variant that the axes of `pack` are told apart by, if any.
static DimAttr findSplitPart(VariantOp variant, StringAttr pack) {
  for (auto name : variant.getSplit().getAsRange<StringAttr>()) {
    DimAttr part = variant.getOperator().findDim(name);
    if (part.getRefs()[0] == pack)
      return part;
  }
  return {};
}

bool lossgrad::isOntoPart(ReduceOp reduce) {
  auto variant = reduce->getParentOfType<VariantOp>();
  return reduce.getReduceKind() == ReduceKind::sum && variant &&
         llvm::any_of(reduce.getOver().getAsRange<StringAttr>(),
                      [&](StringAttr dim) -> bool {
                        return static_cast<bool>(findSplitPart(variant, dim));
                      });
}

Value lossgrad::buildCountPerPart(OpBuilder &builder, Location loc,
                                  VariantOp variant, StringAttr pack) {
  DimAttr part = findSplitPart(variant, pack);
  auto count = [&](StringAttr name) -> Value {
    Value numel = NumelOp::create(builder, loc, name);
    auto type = cast<ValueType>(numel.getType());
    return CastOp::create(builder, loc, type.withKind(Kind::Real), numel);
  };
  return DivOp::create(builder, loc, count(pack), count(part.getRefs()[1]));
}

/// The part that a body sums onto; null if there is none.
static FailureOr<DimAttr> findPart(VariantOp variant) {
  DimAttr part;
  for (auto onto : variant.getBody().getOps<ReduceOntoOp>()) {
    DimAttr each = variant.getOperator().findDim(onto.getTo());
    if (onto.getReduceKind() != ReduceKind::sum)
      return onto.emitError() << "no schedule carries this yet: "
                              << stringifyReduceKind(onto.getReduceKind())
                              << " as a reduction, which must keep NaN";
    if (part && part != each)
      return onto.emitError()
             << "no schedule carries this yet: sums onto '"
             << part.getName().getValue() << "' and onto '"
             << each.getName().getValue() << "' in one operator";
    part = each;
  }
  for (auto reduce : variant.getBody().getOps<ReduceOp>())
    if (part && llvm::is_contained(reduce.getOver(), part.getRefs()[0]))
      return reduce.emitError()
             << "no schedule carries this yet: a reduction over '"
             << part.getRefs()[0].getValue() << "' beside a sum onto '"
             << part.getName().getValue() << "', a part of it";
  return part;
}

/// Narrows a variant to calls where the part is the whole pack, or is not.
static void require(VariantOp variant, DimAttr part, bool isWhole) {
  HoldsOp holds = variant.getHolds();
  OpBuilder builder(holds);
  Location loc = holds.getLoc();
  StringAttr param = part.getRefs()[1];
  std::string title = param.str();
  title[0] = llvm::toUpper(title[0]);
  auto name = builder.getStringAttr("whole" + title);
  // As many elements; both are empty only where nothing is launched.
  Value own = NumelOp::create(builder, loc, param);
  Value all = NumelOp::create(builder, loc, part.getRefs()[0]);
  Value condition = CompareOp::create(builder, NameLoc::get(name, loc),
                                      Predicate::eq, own, all);
  UniformBuilder build(builder, loc);
  if (!isWhole)
    condition = build.lnot(condition);
  holds.getConditionMutable().assign(
      build.land(holds.getCondition(), condition));
}

/// There is nothing to sum: the part is the pack.
static LogicalResult makeWhole(VariantOp variant, DimAttr part) {
  Builder builder(variant.getContext());
  variant.setWholeAttr(builder.getArrayAttr(part.getName()));
  Block &body = variant.getBody().front();
  for (auto onto : llvm::make_early_inc_range(body.getOps<ReduceOntoOp>())) {
    onto.getResult().replaceAllUsesWith(onto.getOperand());
    onto.erase();
  }
  return retypeBody(body);
}

/// The axes of the part and the others are two dims.
static LogicalResult makeSplit(VariantOp variant, DimAttr part) {
  OpBuilder builder(variant.getContext());
  variant.setSplitAttr(builder.getArrayAttr(part.getName()));
  Block &body = variant.getBody().front();
  for (auto [param, argument] :
       llvm::zip_equal(variant.getOperator().getInputs(), body.getArguments()))
    argument.setType(
        ValueType::get(variant.getContext(), variant.getDimsOf(param),
                       cast<ValueType>(argument.getType()).getKind()));
  for (Operation &op : llvm::make_early_inc_range(body)) {
    builder.setInsertionPoint(&op);
    if (auto onto = dyn_cast<ReduceOntoOp>(op)) {
      auto sum = ReduceOp::create(builder, onto.getLoc(), ReduceKind::sum,
                                  onto.getOperand(),
                                  builder.getArrayAttr(onto.getFromAttr()));
      onto.getResult().replaceAllUsesWith(sum.getResult());
      onto.erase();
    }
  }
  return retypeBody(body);
}

FailureOr<VariantOp> lossgrad::splitByPart(VariantOp variant) {
  FailureOr<DimAttr> part = findPart(variant);
  if (failed(part))
    return failure();
  if (!*part)
    return VariantOp();
  OpBuilder builder(variant);
  builder.setInsertionPointAfter(variant);
  auto split = cast<VariantOp>(builder.clone(*variant));
  require(variant, *part, true);
  require(split, *part, false);
  if (failed(makeWhole(variant, *part)) || failed(makeSplit(split, *part)))
    return failure();
  return split;
}
