//===- BodyOps.cpp - Types and verifiers of the ops of a body -------------===//
//
// Result types follow from operands: dims are united, kinds must fit. What can
// be said about an op without its operator is verified here; names of dims and
// parameters are verified by the operator, which knows them.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Syntax.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

using Types = SmallVectorImpl<Type>;
using MaybeLoc = std::optional<Location>;

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// Dims of the operands in order of appearance, without those that the op
/// removes and with those that it adds at the end; in declared order where the
/// operator is known already. Syntax.cpp counts on this order.
static SmallVector<StringAttr>
resultDims(ValueRange operands, function_ref<bool(StringAttr)> removed = {},
           StringAttr added = {}) {
  SmallVector<StringAttr> dims = unionOfDims(operands.getTypes());
  if (removed)
    llvm::erase_if(dims, removed);
  if (added && !llvm::is_contained(dims, added))
    dims.push_back(added);
  for (Value operand : operands)
    if (Region *region = operand.getParentRegion())
      if (auto op = dyn_cast_or_null<OperatorOp>(region->getParentOp())) {
        op.sortDims(dims);
        break;
      }
  return dims;
}

/// Generic text may give an op any operands: refuse what is not a value before
/// anyone casts.
static LogicalResult checkOperands(MaybeLoc loc, ValueRange operands,
                                   unsigned count) {
  if (operands.size() != count)
    return emitOptionalError(loc, "expected ", count, " operands, found ",
                             operands.size());
  for (Value operand : operands)
    if (!isa<ValueType>(operand.getType()))
      return emitOptionalError(loc, "operand has type ", operand.getType(),
                               "; expected !lossgrad.value");
  return success();
}

static Kind kindOf(Value value) {
  return cast<ValueType>(value.getType()).getKind();
}

static LogicalResult checkSameKind(MaybeLoc loc, Value lhs, Value rhs) {
  if (kindOf(lhs) == kindOf(rhs))
    return success();
  return emitOptionalError(
      loc, "operands have different kinds, ", stringifyKind(kindOf(lhs)),
      " and ", stringifyKind(kindOf(rhs)), "; cast one of them first");
}

/// The result of an elementwise op that keeps the kind of its operands.
static LogicalResult inferElementwise(MLIRContext *context, MaybeLoc loc,
                                      ValueRange operands, unsigned count,
                                      Types &types) {
  if (failed(checkOperands(loc, operands, count)))
    return failure();
  for (Value operand : operands.drop_front())
    if (failed(checkSameKind(loc, operands.front(), operand)))
      return failure();
  types.push_back(
      ValueType::get(context, resultDims(operands), kindOf(operands.front())));
  return success();
}

#define INFER_ELEMENTWISE(OP, COUNT)                                           \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, MaybeLoc loc,       \
                                     Adaptor adaptor, Types &types) {          \
    return inferElementwise(context, loc, adaptor.getOperands(), COUNT,        \
                            types);                                            \
  }
INFER_ELEMENTWISE(AddOp, 2)
INFER_ELEMENTWISE(SubOp, 2)
INFER_ELEMENTWISE(MulOp, 2)
INFER_ELEMENTWISE(DivOp, 2)
INFER_ELEMENTWISE(MinOp, 2)
INFER_ELEMENTWISE(MaxOp, 2)
INFER_ELEMENTWISE(PowOp, 2)
INFER_ELEMENTWISE(ClampOp, 3)
INFER_ELEMENTWISE(NegOp, 1)
INFER_ELEMENTWISE(AbsOp, 1)
INFER_ELEMENTWISE(SignOp, 1)
INFER_ELEMENTWISE(ExpOp, 1)
INFER_ELEMENTWISE(LogOp, 1)
INFER_ELEMENTWISE(SqrtOp, 1)
INFER_ELEMENTWISE(SinOp, 1)
INFER_ELEMENTWISE(CosOp, 1)
INFER_ELEMENTWISE(Float32AtLeastOp, 1)
INFER_ELEMENTWISE(Float32AtMostOp, 1)
INFER_ELEMENTWISE(Float32ExactlyOp, 1)
INFER_ELEMENTWISE(AndOp, 2)
INFER_ELEMENTWISE(OrOp, 2)
INFER_ELEMENTWISE(NotOp, 1)
#undef INFER_ELEMENTWISE

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                          Adaptor adaptor, Types &types) {
  ValueRange operands = adaptor.getOperands();
  if (failed(checkOperands(loc, operands, 2)) ||
      failed(checkSameKind(loc, operands[0], operands[1])))
    return failure();
  Kind kind = kindOf(operands[0]);
  PredicateAttr predicate = adaptor.getPredicateAttr();
  bool ordered = predicate && predicate.getValue() != Predicate::eq &&
                 predicate.getValue() != Predicate::ne;
  if (ordered && kind != Kind::Real && kind != Kind::Int)
    return emitOptionalError(loc, "values of kind ", stringifyKind(kind),
                             " are compared with eq or ne, not with ",
                             stringifyPredicate(predicate.getValue()));
  types.push_back(ValueType::get(context, resultDims(operands), Kind::Bool));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                         Adaptor adaptor, Types &types) {
  ValueRange operands = adaptor.getOperands();
  if (failed(checkOperands(loc, operands, 3)) ||
      failed(checkSameKind(loc, operands[1], operands[2])))
    return failure();
  Kind kind = kindOf(operands[1]);
  SmallVector<StringAttr> dims = resultDims(operands);
  bool mayHaveDims = isDataKind(kind);
  if (!mayHaveDims && !dims.empty())
    return emitOptionalError(loc, "a ", stringifyKind(kind),
                             " is selected by a condition without dims");
  types.push_back(ValueType::get(context, dims, kind));
  return success();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                           Adaptor adaptor, Types &types) {
  std::optional<Kind> kind;
  if (adaptor.getValueAttr())
    kind = getKindOfLiteral(adaptor.getValueAttr());
  if (!kind)
    return emitOptionalError(loc, "a constant is an f64, an i64, a bool, a "
                                  "string or a dtype");
  types.push_back(ValueType::get(context, *kind));
  return success();
}

LogicalResult AttributeOp::inferReturnTypes(MLIRContext *, MaybeLoc,
                                            Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getType());
  return success();
}

#define INFER_SCALAR(OP, KIND)                                                 \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, MaybeLoc, Adaptor,  \
                                     Types &types) {                           \
    types.push_back(ValueType::get(context, Kind::KIND));                      \
    return success();                                                          \
  }
INFER_SCALAR(PresentOp, Bool)
INFER_SCALAR(NumelOp, Int)
INFER_SCALAR(RankOp, Int)
INFER_SCALAR(ExtentOp, Int)
INFER_SCALAR(DTypeOfOp, DType)
INFER_SCALAR(DTypeInOp, Bool)
INFER_SCALAR(DTypeDeclaredOp, Bool)
INFER_SCALAR(DTypePromoteOp, DType)
INFER_SCALAR(DTypeCastableOp, Bool)
INFER_SCALAR(ShapeOfOp, Shape)
INFER_SCALAR(ShapeBroadcastOp, Shape)
INFER_SCALAR(DefinedOp, Bool)
INFER_SCALAR(FormatOp, String)
INFER_SCALAR(ContiguousOp, Bool)
INFER_SCALAR(SameOrApartOp, Bool)
INFER_SCALAR(ProductInOp, Bool)
#undef INFER_SCALAR

LogicalResult IotaOp::inferReturnTypes(MLIRContext *context, MaybeLoc,
                                       Adaptor adaptor, Types &types) {
  types.push_back(ValueType::get(context, adaptor.getNameAttr(), Kind::Int));
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                         Adaptor adaptor, Types &types) {
  if (failed(checkOperands(loc, adaptor.getOperands(), 1)))
    return failure();
  auto over = adaptor.getOver();
  types.push_back(ValueType::get(
      context,
      resultDims(adaptor.getOperands(),
                 [&](StringAttr dim) { return llvm::is_contained(over, dim); }),
      kindOf(adaptor.getOperand())));
  return success();
}

LogicalResult ReduceOntoOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                             Adaptor adaptor, Types &types) {
  if (failed(checkOperands(loc, adaptor.getOperands(), 1)))
    return failure();
  StringAttr from = adaptor.getFromAttr();
  types.push_back(ValueType::get(
      context,
      resultDims(
          adaptor.getOperands(), [&](StringAttr dim) { return dim == from; },
          adaptor.getToAttr()),
      kindOf(adaptor.getOperand())));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                         Adaptor adaptor, Types &types) {
  ValueRange operands = adaptor.getOperands();
  if (failed(checkOperands(loc, operands, 3)) ||
      failed(checkSameKind(loc, operands[0], operands[2])))
    return failure();
  auto index = cast<ValueType>(operands[1].getType());
  auto otherwise = cast<ValueType>(operands[2].getType());
  StringAttr over = adaptor.getOverAttr();
  auto isConsumed = [&](StringAttr dim) {
    return dim == over && !index.hasDim(dim) && !otherwise.hasDim(dim);
  };
  if (!isDataKind(kindOf(operands[0])))
    return emitOptionalError(loc, "a table is real, int or bool, not ",
                             stringifyKind(kindOf(operands[0])));
  types.push_back(ValueType::get(context, resultDims(operands, isConsumed),
                                 kindOf(operands[0])));
  return success();
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                         Adaptor adaptor, Types &types) {
  ValueRange operands = adaptor.getOperands();
  if (failed(checkOperands(loc, operands, 1)))
    return failure();
  types.push_back(ValueType::get(
      context, resultDims(operands, {}, adaptor.getOverAttr()), Kind::Bool));
  return success();
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  auto from = cast<ValueType>(getOperand().getType());
  auto to = cast<ValueType>(getResult().getType());
  if (!isDataKind(from.getKind()) || !isDataKind(to.getKind()))
    return emitOpError() << "casts between real, int and bool, not from "
                         << stringifyKind(from.getKind()) << " to "
                         << stringifyKind(to.getKind());
  if (from.getDims() != to.getDims())
    return emitOpError() << "keeps the dims of its operand: expected "
                         << toString(from.withKind(to.getKind())) << ", found "
                         << toString(to);
  return success();
}

LogicalResult ConstantOp::verify() {
  // The kind of the literal was verified with the result type.
  return success();
}

LogicalResult AttributeOp::verify() {
  auto type = dyn_cast<ValueType>(getType());
  if (!type || !type.getDims().empty() || type.getKind() == Kind::DType ||
      type.getKind() == Kind::Shape)
    return emitOpError() << "an attribute is real, int, bool or string and has "
                            "no dims, found "
                         << getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  auto type = cast<ValueType>(getOperand().getType());
  llvm::SmallPtrSet<Attribute, 4> seen;
  if (getOver().empty())
    return emitOpError() << "names no dims to reduce over";
  for (auto dim : getOver().getAsRange<StringAttr>()) {
    if (!type.hasDim(dim))
      return emitOpError() << "reduces over '" << dim.getValue()
                           << "', which its operand of type " << toString(type)
                           << " does not have";
    if (!seen.insert(dim).second)
      return emitOpError() << "names the dim '" << dim.getValue() << "' twice";
  }
  return success();
}

LogicalResult ReduceOntoOp::verify() {
  auto type = cast<ValueType>(getOperand().getType());
  if (!type.hasDim(getFromAttr()))
    return emitOpError() << "reduces '" << getFrom()
                         << "', which its operand of type " << toString(type)
                         << " does not have";
  return success();
}

LogicalResult GatherOp::verify() {
  auto table = cast<ValueType>(getTable().getType());
  if (!table.hasDim(getOverAttr()))
    return emitOpError() << "looks up along '" << getOver()
                         << "', which its table of type " << toString(table)
                         << " does not have";
  return success();
}

LogicalResult OneHotOp::verify() {
  auto index = cast<ValueType>(getIndex().getType());
  if (index.hasDim(getOverAttr()))
    return emitOpError() << "spreads its index over '" << getOver()
                         << "', but the index of type " << toString(index)
                         << " has this dim already; compare it with iota "
                         << getOver() << " instead";
  return success();
}
