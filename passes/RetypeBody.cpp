//===- RetypeBody.cpp - Dims again from the operands ----------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/RetypeBody.h"
#include "passes/SplitParts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

static ValueType typeOf(Value value) {
  return cast<ValueType>(value.getType());
}

/// Steps on the way to a result do not take its name.
static Location unnamed(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getChildLoc() : loc;
}

/// Over a dim that the value lacks, max and min are the value itself, and sum
/// is the value times the number of positions.
static Value reduceConstantDims(OpBuilder &builder, ReduceOp op) {
  Location loc = unnamed(op.getLoc());
  Value value = op.getOperand();
  SmallVector<Attribute> kept;
  Value count;
  for (auto dim : op.getOver().getAsRange<StringAttr>()) {
    if (typeOf(value).hasDim(dim)) {
      kept.push_back(dim);
      continue;
    }
    Value extent =
        isOntoPart(op)
            ? buildCountPerPart(builder, loc, op->getParentOfType<VariantOp>(),
                                dim)
            : NumelOp::create(builder, loc, dim).getResult();
    count =
        count ? MulOp::create(builder, loc, count, extent).getResult() : extent;
  }
  if (!kept.empty())
    value = ReduceOp::create(builder, loc, op.getReduceKind(), value,
                             builder.getArrayAttr(kept));
  if (op.getReduceKind() != ReduceKind::sum)
    return value;
  if (typeOf(value).getKind() == Kind::Real &&
      typeOf(count).getKind() == Kind::Int)
    count =
        CastOp::create(builder, loc, typeOf(count).withKind(Kind::Real), count);
  return MulOp::create(builder, op.getLoc(), value, count);
}

Value lossgrad::buildIsInside(OpBuilder &builder, Location loc, Value index,
                              StringAttr dim) {
  Value zero = ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  Value extent = ExtentOp::create(builder, loc, dim, /*axis=*/IntegerAttr());
  Value atLeast = CompareOp::create(builder, loc, Predicate::ge, index, zero);
  Value below = CompareOp::create(builder, loc, Predicate::lt, index, extent);
  return AndOp::create(builder, loc, atLeast, below);
}

/// A table that is the same along the dim still gives `otherwise` to an index
/// outside of it.
static Value gatherConstantDim(OpBuilder &builder, GatherOp op) {
  Value inside = buildIsInside(builder, unnamed(op.getLoc()), op.getIndex(),
                               op.getOverAttr());
  return SelectOp::create(builder, op.getLoc(), inside, op.getTable(),
                          op.getOtherwise());
}

/// What replaces an op whose operand lost the dim that it works along; null if
/// the op can stay.
static FailureOr<Value> withoutLostDims(Operation &op) {
  OpBuilder builder(&op);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto isThere = [&](StringAttr dim) {
      return typeOf(reduce.getOperand()).hasDim(dim);
    };
    if (llvm::all_of(reduce.getOver().getAsRange<StringAttr>(), isThere))
      return Value();
    return reduceConstantDims(builder, reduce);
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    if (typeOf(gather.getTable()).hasDim(gather.getOverAttr()))
      return Value();
    return gatherConstantDim(builder, gather);
  }
  return Value();
}

static LogicalResult retype(Operation &op) {
  if (auto cast = dyn_cast<CastOp>(op)) {
    Value result = cast.getResult();
    result.setType(
        typeOf(cast.getOperand()).withKind(typeOf(result).getKind()));
    return success();
  }
  auto infer = dyn_cast<InferTypeOpInterface>(op);
  if (!infer)
    return success();
  SmallVector<Type> types;
  if (failed(infer.inferReturnTypes(op.getContext(), op.getLoc(),
                                    op.getOperands(), op.getAttrDictionary(),
                                    op.getPropertiesStorage(), op.getRegions(),
                                    types)))
    return failure();
  // Operands that lost dims may name the others against the declared order.
  OperatorOp owner = op.getParentOfType<VariantOp>().getOperator();
  for (auto [result, type] : llvm::zip_equal(op.getResults(), types)) {
    auto value = cast<ValueType>(type);
    SmallVector<StringAttr> dims(value.getDims());
    owner.sortDims(dims);
    result.setType(ValueType::get(op.getContext(), dims, value.getKind()));
  }
  return success();
}

LogicalResult lossgrad::retypeBody(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body)) {
    FailureOr<Value> replacement = withoutLostDims(op);
    if (failed(replacement))
      return failure();
    if (*replacement) {
      op.getResult(0).replaceAllUsesWith(*replacement);
      op.erase();
    } else if (failed(retype(op))) {
      return failure();
    }
  }
  return success();
}
