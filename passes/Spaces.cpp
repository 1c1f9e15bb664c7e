//===- Spaces.cpp - Which spaces carry a body -----------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/Spaces.h"
#include "passes/UniformToArith.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// The shape of a body
//===----------------------------------------------------------------------===//

bool lossgrad::isOfHost(Value value) {
  return isUniform(value) && !value.getDefiningOp<NarrowOp>();
}

static InFlightDiagnostic refuse(Operation *op) {
  return op->emitError("no schedule carries this yet: ");
}

/// The ops that some space carries.
static LogicalResult checkOp(Operation &op, VariantOp variant) {
  if (isa<NumelOp, RankOp, ExtentOp>(op)) {
    auto name = op.getAttrOfType<StringAttr>("name");
    if (!findSizeSource(variant.getOperator(), name))
      return refuse(&op) << "the size of '" << name.getValue()
                         << "', which no tensor of the call shows";
  }
  if (isUniform(op.getResult(0)))
    return success();
  bool known =
      op.hasTrait<Elementwise>() || isa<WidenOp, NarrowOp, ReduceOp>(op);
  if (!known)
    return refuse(&op) << op.getName().stripDialect()
                       << " is neither elementwise nor a reduction";
  if (cast<ValueType>(op.getResult(0).getType()).getKind() == Kind::Int)
    return refuse(&op) << "an int value";
  if (auto reduce = dyn_cast<ReduceOp>(op))
    if (reduce.getReduceKind() != ReduceKind::sum)
      return refuse(&op) << stringifyReduceKind(reduce.getReduceKind())
                         << " as a reduction, which must keep NaN";
  return success();
}

/// Every reduction goes over all reduced dims and leaves others.
static LogicalResult checkReduction(ReduceOp reduce, const BodyShape &shape) {
  auto type = cast<ValueType>(reduce.getOperand().getType());
  for (StringAttr dim : shape.reduced)
    if (!type.hasDim(dim) ||
        !llvm::is_contained(reduce.getOver().getAsRange<StringAttr>(), dim))
      return refuse(reduce) << "a reduction that leaves '" << dim.getValue()
                            << "', over which another one goes";
  if (!shape.hasKept(type))
    return refuse(reduce) << "a reduction of all dims";
  return success();
}

FailureOr<BodyShape> lossgrad::getBodyShape(VariantOp variant) {
  llvm::SetVector<StringAttr> used, reduced;
  auto note = [&](Type type) {
    for (StringAttr dim : cast<ValueType>(type).getDims())
      used.insert(dim);
  };
  for (BlockArgument argument : variant.getBody().getArguments())
    if (!argument.use_empty())
      note(argument.getType());
  for (auto [param, argument] : llvm::zip_equal(
           variant.getOperator().getInputs(), variant.getBody().getArguments()))
    if (param.getShape().getFlat() && !argument.use_empty() &&
        !cast<ValueType>(argument.getType()).getDims().empty())
      return refuse(variant)
             << "'" << param.getName().getValue()
             << "', of which only the count of elements is known, not their "
                "axes";
  Block &body = variant.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (failed(checkOp(op, variant)))
      return failure();
    note(op.getResult(0).getType());
    if (auto reduce = dyn_cast<ReduceOp>(op))
      for (auto dim : reduce.getOver().getAsRange<StringAttr>())
        reduced.insert(dim);
  }
  BodyShape shape;
  for (auto dim : variant.getOperator().getDims().getAsRange<DimAttr>()) {
    if (reduced.contains(dim.getName()))
      shape.reduced.push_back(dim.getName());
    else if (used.contains(dim.getName()))
      shape.kept.push_back(dim.getName());
  }
  for (ReduceOp reduce : body.getOps<ReduceOp>())
    if (failed(checkReduction(reduce, shape)))
      return failure();
  if (shape.kept.empty())
    return refuse(variant) << "a result without dims";
  YieldOp yield = variant.getYield();
  for (auto [name, value] : llvm::zip_equal(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues())) {
    auto type = cast<ValueType>(value.getType());
    if (!value.getDefiningOp<NarrowOp>())
      return yield.emitError() << "result '" << name.getValue()
                               << "' is not rounded to an element type; run "
                                  "lossgrad-legalize-dtypes first";
    if (!shape.reduced.empty() &&
        (!shape.hasReduced(type) || !shape.hasKept(type)))
      return refuse(yield) << "result '" << name.getValue()
                           << "' lacks dims of what it is computed from";
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

SmallVector<Schedule> lossgrad::proposeSchedules(MLIRContext *context,
                                                 const BodyShape &shape) {
  constexpr AxisRole core = AxisRole::Core, outer = AxisRole::Outer,
                     row = AxisRole::Row, lane = AxisRole::Lane;
  auto kept = [&](AxisRole roles) {
    return SpaceAxisAttr::get(context, shape.kept, roles, /*isReduced=*/false);
  };
  if (shape.reduced.empty())
    return {{"Flat", "dense tensors of one shape",
             SpaceAttr::get(context, kept(core | lane))},
            {"Broadcast", "broadcast or strided tensors",
             SpaceAttr::get(context, kept(core | outer | row | lane)),
             /*anyLayout=*/true}};
  auto space = [&](AxisRole keptRoles, AxisRole reducedRoles) {
    return SpaceAttr::get(
        context, {kept(keptRoles),
                  SpaceAxisAttr::get(context, shape.reduced, reducedRoles,
                                     /*isReduced=*/true)});
  };
  return {
      {"RowsSplit", "few long rows, split over the cores",
       space(row, core | outer | lane)},
      {"Rows", "rows that fit a tile", space(core | outer | row, lane)},
      {"RowsResident", "rows that fit UB", space(core | outer, outer | lane),
       /*anyLayout=*/false, /*resident=*/true},
      {"RowsTwice", "rows that do not fit UB",
       space(core | outer, outer | lane)},
      {"Columns", "columns that fit a tile", space(core | outer | lane, row)},
      {"ColumnsTwice", "columns that do not fit a tile",
       space(core | outer | lane, outer | row)},
      {"AnyRows", "rows of any strides",
       space(core | outer | row, outer | lane), /*anyLayout=*/true},
      {"AnyColumns", "columns of any strides",
       space(core | outer | lane, outer | row), /*anyLayout=*/true}};
}
