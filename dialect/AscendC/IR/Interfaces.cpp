//===- Interfaces.cpp - rules for all API calls ---------------------------===//
//
// Verification of a call against the product tables, and what calls of the same
// shape share: strides, overlap, argument order. Not a list of calls.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

#include "dialect/AscendC/IR/AscendCInterfaces.cpp.inc"

CallArguments &CallArguments::mixed(OpFoldResult number, StringRef cppType) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return integer(*constant);
  return converted(cast<Value>(number), cppType);
}

//===----------------------------------------------------------------------===//
// Product tables
//===----------------------------------------------------------------------===//

static std::optional<targets::Api> findApi(StringRef row) {
  for (size_t i = 0; i < targets::numApis; ++i)
    if (row == targets::spelling(static_cast<targets::Api>(i)))
      return static_cast<targets::Api>(i);
  return std::nullopt;
}

/// The types of a row as text, for messages.
static std::string listTypes(const targets::Family &family, targets::Api api,
                             bool countForm) {
  SmallVector<std::string> names;
  for (size_t i = 0; i < targets::numDtypes; ++i) {
    auto dtype = static_cast<targets::Dtype>(i);
    if (countForm ? family.takesCount(api, dtype) : family.takes(api, dtype))
      names.push_back(targets::spelling(dtype));
  }
  return llvm::join(names, ", ");
}

/// The first element type of the call that a row does not list; null: none.
static std::optional<targets::Dtype> findUnlisted(ApiCallInterface call,
                                                  const targets::Family &family,
                                                  targets::Api api) {
  bool countForm = static_cast<bool>(call.getCoveredCount());
  SmallVector<Type> types;
  call.getCheckedTypes(types);
  for (Type type : types)
    for (Type candidate : candidateTypes(type)) {
      targets::Dtype dtype = *toDtype(candidate);
      if (!(countForm ? family.takesCount(api, dtype)
                      : family.takes(api, dtype)))
        return dtype;
    }
  return std::nullopt;
}

bool ascendc::isListed(Operation *op) {
  auto call = cast<ApiCallInterface>(op);
  StringRef row = call.getSupportRow();
  if (row.empty())
    return true;
  std::optional<targets::Api> api = findApi(row);
  return api &&
         llvm::all_of(familiesAround(op), [&](const targets::Family *family) {
           return family->has(*api) && !findUnlisted(call, *family, *api);
         });
}

static LogicalResult verifyRow(ApiCallInterface call,
                               const targets::Family &family) {
  StringRef row = call.getSupportRow();
  if (row.empty())
    return success();
  std::optional<targets::Api> api = findApi(row);
  if (!api || !family.has(*api))
    return call->emitOpError()
           << call.getCallee() << " does not exist on " << family.title
           << (row == call.getCallee() ? "" : " in this form");
  if (std::optional<targets::Dtype> dtype = findUnlisted(call, family, *api))
    return call->emitOpError()
           << call.getCallee() << " on " << family.title << " does not take "
           << targets::spelling(*dtype) << "; it takes "
           << listTypes(family, *api,
                        static_cast<bool>(call.getCoveredCount()));
  return success();
}

LogicalResult ascendc::detail::verifyHas(Operation *op,
                                         const targets::Family &family,
                                         ArrayRef<StringRef> rows) {
  for (StringRef row : rows) {
    std::optional<targets::Api> api = findApi(row);
    if (!api || !family.has(*api))
      return op->emitOpError() << "is made of " << row
                               << ", which does not exist on " << family.title;
  }
  return success();
}

LogicalResult ascendc::detail::verifyApiCall(Operation *op) {
  auto call = cast<ApiCallInterface>(op);
  for (const targets::Family *family : familiesAround(op)) {
    if (failed(verifyRow(call, *family)) ||
        failed(call.verifyOnFamily(*family)))
      return failure();
  }
  return success();
}

void ascendc::detail::destinationElementType(Operation *op,
                                             SmallVectorImpl<Type> &types) {
  for (Type type : op->getOperandTypes()) {
    if (auto local = dyn_cast<LocalTensorType>(type))
      return types.push_back(local.getElementType());
  }
}

//===----------------------------------------------------------------------===//
// The count shape and the mask + repeat shape
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult>
ascendc::detail::mixedStrides(Operation *op,
                              std::optional<ArrayRef<int64_t>> staticStrides,
                              ValueRange strides) {
  if (!staticStrides)
    return {};
  return getMixedValues(*staticStrides, strides, op->getContext());
}

bool ascendc::detail::mayOverwrite(OpOperand &source,
                                   ArrayRef<OpFoldResult> strides) {
  Operation *op = source.getOwner();
  auto from = dyn_cast<LocalTensorType>(source.get().getType());
  auto to = dyn_cast<LocalTensorType>(op->getOperand(0).getType());
  if (!from || !to || source.getOperandNumber() == 0 ||
      elementBits(from.getElementType()) != elementBits(to.getElementType()))
    return false;
  if (strides.empty())
    return true;
  // Strided: in place only where destination and source walk alike.
  unsigned tensors = strides.size() / 2, index = source.getOperandNumber();
  return index < tensors && strides[0] == strides[index] &&
         strides[tensors] == strides[tensors + index];
}

LogicalResult ascendc::detail::verifyStrides(Operation *op, size_t actual,
                                             size_t expected) {
  if (actual == expected)
    return success();
  return op->emitOpError() << "has " << actual << " strides, expected "
                           << expected;
}

LogicalResult ascendc::detail::verifyShape(Operation *op, Value count,
                                           Value mask, Value repeat,
                                           ArrayRef<OpFoldResult> strides,
                                           unsigned expected) {
  if (static_cast<bool>(count) == static_cast<bool>(mask))
    return op->emitOpError()
           << "needs either a count or mask, repeat and strides";
  if (count)
    return success();
  return verifyStrides(op, strides.size(), expected);
}

/// The integer type of each member of a repeat-parameter struct: block strides
/// of unary calls and everything in Copy are 16 bits wide.
static StringRef strideType(StringRef params, unsigned index) {
  if (params == "CopyRepeatParams" || params == "BrcbRepeatParams" ||
      (params == "UnaryRepeatParams" && index < 2))
    return "uint16_t";
  return "uint8_t";
}

static CallArguments strideFields(StringRef params,
                                  ArrayRef<OpFoldResult> strides) {
  CallArguments fields;
  for (auto [index, stride] : llvm::enumerate(strides))
    fields.mixed(stride, strideType(params, index));
  return fields;
}

void ascendc::detail::shapeArguments(CallArguments &arguments, Value count,
                                     Value mask, Value repeat, StringRef params,
                                     ArrayRef<OpFoldResult> strides) {
  if (count) {
    arguments.value(count);
    return;
  }
  arguments.converted(mask, "uint64_t")
      .converted(repeat, "uint8_t")
      .braces("", {}, strideFields(params, strides));
}

void ascendc::detail::reduceArguments(CallArguments &arguments, Operation *op,
                                      bool maskFirst) {
  arguments.value(op->getOperand(0)).value(op->getOperand(1));
  Value mask = op->getOperand(2), repeat = op->getOperand(3);
  arguments.value(maskFirst ? mask : repeat).value(maskFirst ? repeat : mask);
  auto strides = op->getAttrOfType<DenseI64ArrayAttr>("static_strides");
  for (OpFoldResult stride : getMixedValues(
           strides, op->getOperands().drop_front(4), op->getContext()))
    arguments.mixed(stride, "int32_t");
}

void BrcbOp::getCallArguments(CallArguments &arguments) {
  arguments.value(getDst()).value(getSrc()).converted(getRepeat(), "uint8_t");
  arguments.braces("", {},
                   strideFields("BrcbRepeatParams",
                                getMixedValues(getStaticStrides(), getStrides(),
                                               getContext())));
}

void CopyOp::getCallArguments(CallArguments &arguments) {
  arguments.value(getDst())
      .value(getSrc())
      .converted(getMask(), "uint64_t")
      .converted(getRepeat(), "uint8_t");
  arguments.braces("", {},
                   strideFields("CopyRepeatParams",
                                getMixedValues(getStaticStrides(), getStrides(),
                                               getContext())));
}
