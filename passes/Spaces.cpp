//===- Spaces.cpp - Which spaces carry a body -----------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/Spaces.h"
#include "passes/BodyChecks.h"
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

bool lossgrad::isPerLaunch(ReduceOp reduce) {
  return cast<ValueType>(reduce.getType()).getDims().empty();
}

static InFlightDiagnostic refuse(Operation *op) {
  return op->emitError("no schedule carries this yet: ");
}

static bool isInt(Value value) {
  return cast<ValueType>(value.getType()).getKind() == Kind::Int;
}

/// Ints are compared, moved by a uniform number and looked up with.
static LogicalResult checkInts(Operation &op) {
  bool isResult = isInt(op.getResult(0));
  bool isKnown = isa<WidenOp, CompareOp, GatherOp, OneHotOp>(op);
  if (auto sub = dyn_cast<SubOp>(op))
    isKnown = isUniform(sub.getRhs());
  if (isa<WidenOp>(op) || isKnown ||
      (!isResult && llvm::none_of(op.getOperands(), isInt)))
    return success();
  return refuse(&op) << op.getName().stripDialect() << " of ints";
}

/// What is looked up is an input, along a dim of one axis.
static LogicalResult checkLookUp(Operation &op, StringAttr over,
                                 VariantOp variant) {
  for (auto dim : variant.getOperator().getDims().getAsRange<DimAttr>())
    if (dim.getName() == over && dim.getKind() != DimKind::Axis)
      return refuse(&op) << "an index along '" << over.getValue()
                         << "', which is not one axis";
  auto gather = dyn_cast<GatherOp>(op);
  if (gather && !gather.getTable().getDefiningOp<WidenOp>())
    return refuse(&op) << "a look-up in what is no input";
  return success();
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
  bool known = op.hasTrait<Elementwise>() ||
               isa<WidenOp, NarrowOp, ReduceOp, GatherOp, OneHotOp>(op);
  if (!known)
    return refuse(&op) << op.getName().stripDialect()
                       << " is neither elementwise nor a reduction";
  if (isa<PowOp>(op))
    return refuse(&op) << "a power to an exponent that is data, of what may be "
                          "negative; (pow (abs $x), $y) and (pow (max $x, 0), "
                          "$y) are carried";
  if (failed(checkInts(op)))
    return failure();
  if (auto gather = dyn_cast<GatherOp>(op))
    return checkLookUp(op, gather.getOverAttr(), variant);
  if (auto onehot = dyn_cast<OneHotOp>(op))
    return checkLookUp(op, onehot.getOverAttr(), variant);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    if (isPerLaunch(reduce) && reduce.getReduceKind() != ReduceKind::sum)
      return refuse(&op) << stringifyReduceKind(reduce.getReduceKind())
                         << " of all rows or lanes";
  return success();
}

/// The reduction that leaves dims, if any, of what this one is computed from.
static ReduceOp findReductionBefore(ReduceOp reduce) {
  llvm::SetVector<Value> values;
  values.insert(reduce.getOperand());
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op)
      continue;
    if (auto inner = dyn_cast<ReduceOp>(op); inner && !isPerLaunch(inner))
      return inner;
    values.insert_range(op->getOperands());
  }
  return {};
}

/// Every reduction goes over all reduced dims and leaves others. Sums of all
/// rows or lanes are there before any other.
static LogicalResult checkReduction(ReduceOp reduce, const BodyShape &shape) {
  auto type = cast<ValueType>(reduce.getOperand().getType());
  if (isPerLaunch(reduce)) {
    bool isKept =
        type.getDims().size() == shape.kept.size() && !shape.hasReduced(type);
    bool isReduced =
        type.getDims().size() == shape.reduced.size() && !shape.hasKept(type);
    // Without rows and lanes to tell apart there is nothing else to be done.
    if (shape.reduced.empty() || (!isKept && !isReduced))
      return refuse(reduce) << "a reduction of all dims";
    if (ReduceOp inner = findReductionBefore(reduce)) {
      InFlightDiagnostic error =
          refuse(reduce) << "a sum of all rows or lanes of what another "
                            "reduction gives";
      error.attachNote(inner.getLoc()) << "which is this one";
      return error;
    }
    return success();
  }
  for (StringAttr dim : shape.reduced)
    if (!type.hasDim(dim) ||
        !llvm::is_contained(reduce.getOver().getAsRange<StringAttr>(), dim))
      return refuse(reduce) << "a reduction that leaves '" << dim.getValue()
                            << "', over which another one goes";
  return success();
}

void BodyShape::add(const BodyShape &other) {
  bool isLarger = kept.empty() || reduced.size() < other.reduced.size();
  BodyShape both = isLarger ? other : *this;
  both.hasRowSums = hasRowSums || other.hasRowSums;
  both.hasLaunch = hasLaunch || other.hasLaunch;
  both.hasLookUps = hasLookUps || other.hasLookUps;
  both.hasOneHot = hasOneHot || other.hasOneHot;
  both.needsLanes = needsLanes || other.needsLanes;
  *this = both;
}

/// Whether a count of elements says how they lie: along one axis, or alone.
static bool isOneAxis(OperatorOp op, ShapeAttr shape) {
  ArrayRef<StringAttr> dims = shape.getDims();
  return dims.empty() || (dims.size() == 1 &&
                          op.findDim(dims.front()).getKind() == DimKind::Axis);
}

/// Results of a body with reductions have all dims of it, or all that it keeps.
static LogicalResult checkResults(VariantOp variant, const BodyShape &shape) {
  YieldOp yield = variant.getYield();
  for (auto [param, value] :
       llvm::zip_equal(variant.getOperator().getOutputs(), yield.getValues())) {
    StringRef name = param.getName().getValue();
    if (!value.getDefiningOp<NarrowOp>())
      return yield.emitError() << "result '" << name
                               << "' is not rounded to an element type; run "
                                  "lossgrad-legalize-dtypes first";
    if (shape.reduced.empty())
      continue;
    auto type = cast<ValueType>(value.getType());
    SmallVector<StringAttr> dims = variant.getDimsOf(param);
    bool hasReduced = llvm::any_of(
        dims, [&](StringAttr dim) { return shape.isReduced(dim); });
    bool isWhole = llvm::all_of(shape.kept, [&](StringAttr dim) {
      return llvm::is_contained(dims, dim);
    });
    if (!isWhole || (shape.hasReduced(type) && !hasReduced))
      return refuse(yield) << "result '" << name
                           << "' lacks dims of what it is computed from";
  }
  return success();
}

/// Whether a value has a place only where a tile has rows and lanes.
static bool isOfLanes(Value value, const BodyShape &shape) {
  auto type = cast<ValueType>(value.getType());
  return !isUniform(value) &&
         (isInt(value) || (shape.hasReduced(type) && !shape.hasKept(type)));
}

/// Where nothing is reduced and ints lack some dims, those are the lanes: ints
/// lie along rows or along lanes, never element by element.
static void noteLanesOfInts(VariantOp variant,
                            const llvm::SetVector<StringAttr> &used,
                            llvm::SetVector<StringAttr> &lanes) {
  for (BlockArgument argument : variant.getBody().getArguments()) {
    auto type = cast<ValueType>(argument.getType());
    if (type.getKind() != Kind::Int || argument.use_empty() ||
        type.getDims().empty())
      continue;
    for (StringAttr dim : used)
      if (!type.hasDim(dim))
        lanes.insert(dim);
    return;
  }
}

FailureOr<BodyShape> lossgrad::getBodyShape(VariantOp variant) {
  BodyShape shape;
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
        !isOneAxis(variant.getOperator(), param.getShape()))
      return refuse(variant)
             << "'" << param.getName().getValue()
             << "', of which only the count of elements is known, not their "
                "axes";
  Block &body = variant.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (failed(checkOp(op, variant)))
      return failure();
    note(op.getResult(0).getType());
    if (auto gather = dyn_cast<GatherOp>(op); gather && !isUniform(gather)) {
      reduced.insert(gather.getOverAttr());
      shape.hasLookUps = true;
    }
    if (auto onehot = dyn_cast<OneHotOp>(op); onehot && !isUniform(onehot)) {
      reduced.insert(onehot.getOverAttr());
      shape.hasOneHot = true;
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (isPerLaunch(reduce)) {
        shape.hasLaunch = true;
        continue;
      }
      shape.hasRowSums = true;
      for (auto dim : reduce.getOver().getAsRange<StringAttr>())
        reduced.insert(dim);
    }
  }
  if (reduced.empty())
    noteLanesOfInts(variant, used, reduced);
  // A result may be the same along a dim that nothing that is read has.
  for (ParamAttr output : variant.getOperator().getOutputs())
    for (StringAttr dim : variant.getDimsOf(output))
      used.insert(dim);
  for (auto dim : variant.getOperator().getDims().getAsRange<DimAttr>()) {
    if (reduced.contains(dim.getName()))
      shape.reduced.push_back(dim.getName());
    else if (used.contains(dim.getName()))
      shape.kept.push_back(dim.getName());
  }
  for (BlockArgument argument : body.getArguments())
    shape.needsLanes |= !argument.use_empty() && isOfLanes(argument, shape);
  for (Operation &op : body.without_terminator())
    shape.needsLanes |= isOfLanes(op.getResult(0), shape);
  bool hasIndices = llvm::any_of(
      body, [](Operation &op) { return isa<GatherOp, OneHotOp>(op); });
  if (hasIndices && shape.reduced.size() > 1)
    return refuse(variant)
           << "an index beside a reduction over another dim than that of the "
              "index";
  for (ReduceOp reduce : body.getOps<ReduceOp>())
    if (failed(checkReduction(reduce, shape)))
      return failure();
  if (shape.kept.empty())
    return refuse(variant) << "a result without dims";
  shape.ontoPart = !variant.getSplit().empty();
  if (shape.ontoPart && shape.reduced.empty())
    return refuse(variant) << "a sum onto '"
                           << cast<StringAttr>(variant.getSplit()[0]).getValue()
                           << "' of what does not vary along the other axes";
  if (failed(checkResults(variant, shape)))
    return failure();
  return shape;
}

/// Ints lie along the rows or along the lanes.
static LogicalResult checkIntInputs(VariantOp variant, const BodyShape &shape) {
  Block &body = variant.getBody().front();
  for (auto [param, argument] : llvm::zip_equal(
           variant.getOperator().getInputs(), body.getArguments())) {
    if (!isInt(argument) || argument.use_empty())
      continue;
    auto type = cast<ValueType>(argument.getType());
    if (shape.reduced.empty() || type.getDims().empty() ||
        (shape.hasReduced(type) && shape.hasKept(type)))
      return emitError(argument.getLoc())
             << "no schedule carries this yet: '" << param.getName().getValue()
             << "', whose ints lie neither along rows nor along lanes alone";
  }
  return success();
}

LogicalResult lossgrad::checkAgainst(VariantOp variant,
                                     const BodyShape &shape) {
  auto refuseDim = [&](Operation &op, StringAttr dim) {
    return refuse(&op) << "something along '" << dim.getValue()
                       << "' in some calls and along '"
                       << shape.reduced.front().getValue() << "' in others";
  };
  for (Operation &op : variant.getBody().front().without_terminator()) {
    if (isUniform(op.getResult(0)))
      continue;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (!isPerLaunch(reduce))
        for (auto dim : reduce.getOver().getAsRange<StringAttr>())
          if (!shape.isReduced(dim))
            return refuseDim(op, dim);
      if (failed(checkReduction(reduce, shape)))
        return failure();
    }
    if (auto gather = dyn_cast<GatherOp>(op);
        gather && !shape.isReduced(gather.getOverAttr()))
      return refuseDim(op, gather.getOverAttr());
    if (auto onehot = dyn_cast<OneHotOp>(op);
        onehot && !shape.isReduced(onehot.getOverAttr()))
      return refuseDim(op, onehot.getOverAttr());
  }
  for (ParamAttr output : variant.getOperator().getOutputs())
    for (StringAttr dim : variant.getDimsOf(output))
      if (!shape.isReduced(dim) && !llvm::is_contained(shape.kept, dim))
        return refuse(variant.getYield())
               << "result '" << output.getName().getValue() << "' along '"
               << dim.getValue() << "', which nothing that is read has";
  if (failed(checkResults(variant, shape)))
    return failure();
  return checkIntInputs(variant, shape);
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
  if (shape.ontoPart)
    return {{"AnyRowsSplit", "few long sums along the lanes, split over cores",
             space(row, core | outer | lane), /*anyLayout=*/true},
            {"AnyColumnsSplit",
             "few long sums along the rows, split over cores",
             space(lane, core | outer | row), /*anyLayout=*/true},
            {"AnyRows", "sums along the lanes",
             space(core | outer | row, outer | lane), /*anyLayout=*/true},
            {"AnyColumns", "sums along the rows",
             space(core | outer | lane, outer | row), /*anyLayout=*/true}};
  // Rows that are split over cores exchange what they sum; sums over everything
  // and tables are walked over by rows.
  bool byRows = shape.hasLookUps || shape.hasLaunch;
  SmallVector<Schedule> schedules;
  if (shape.hasRowSums && !byRows)
    schedules.push_back({"RowsSplit", "few long rows, split over the cores",
                         space(row, core | outer | lane), /*anyLayout=*/false,
                         Residency::None, /*spare=*/5});
  if (shape.hasRowSums && !byRows && !shape.needsLanes)
    schedules.push_back({"Packed", "short rows that lie in one run",
                         space(core | row | lane, lane), /*anyLayout=*/false,
                         Residency::None, /*spare=*/3});
  // Without sums along a row its tiles have nothing to do with each other.
  if (!shape.hasRowSums && shape.hasPoints)
    schedules.push_back({"SingleRows", "long rows, one by one",
                         space(core | outer | row, core | outer | lane)});
  // Nor have short rows, of which a tile takes many: what they have once is
  // computed for groups of rows that are larger than a tile.
  bool hasGroups = !shape.hasRowSums && shape.hasPoints && !shape.looksUpTiles;
  schedules.push_back(
      {"Rows", "rows that fit a tile",
       space(core | outer | row, hasGroups ? core | lane : lane)});
  if (shape.hasRowSums) {
    schedules.push_back({"RowsWidened", "rows that fit UB in float32",
                         space(core | outer, outer | lane), /*anyLayout=*/false,
                         Residency::Widened, /*spare=*/1});
    schedules.push_back({"RowsResident", "rows that fit UB",
                         space(core | outer, outer | lane), /*anyLayout=*/false,
                         Residency::Loaded, /*spare=*/4});
    schedules.push_back({"RowsTwice", "rows that do not fit UB",
                         space(core | outer, outer | lane)});
  }
  // What lanes have once stays while the classes pass; what is looked up in
  // stays whole.
  if (shape.hasOneHot && shape.hasPoints && !shape.hasRowSums &&
      !shape.hasLaunch && !shape.looksUpTiles)
    schedules.push_back({"Planes", "long planes of one class each",
                         space(core | outer | lane, core | outer | row),
                         /*anyLayout=*/false, Residency::None, /*spare=*/7});
  if (!byRows) {
    if (shape.hasRowSums)
      schedules.push_back({"ColumnsSplit",
                           "few long columns, split over the cores",
                           space(lane, core | outer | row), /*anyLayout=*/false,
                           Residency::None, /*spare=*/2});
    schedules.push_back({"Columns", "columns that fit a tile",
                         space(core | outer | lane, row)});
    schedules.push_back({"ColumnsTwice", "columns that do not fit a tile",
                         space(core | outer | lane, outer | row),
                         /*anyLayout=*/false, Residency::None, /*spare=*/6});
  }
  schedules.push_back({"AnyRows", "rows of any strides",
                       space(core | outer | row, outer | lane),
                       /*anyLayout=*/true});
  if (!byRows)
    schedules.push_back({"AnyColumns", "columns of any strides",
                         space(core | outer | lane, outer | row),
                         /*anyLayout=*/true});
  return schedules;
}
