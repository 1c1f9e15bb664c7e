//===- Prepare.cpp - phase 1 of a generated operator call -----------------===//
//
// Null checks, the match against the declared rows, contiguity, tiling, kernel
// lookup. Only descriptors are touched, never tensor contents. The order of the
// checks decides which status a caller sees.
//
//===----------------------------------------------------------------------===//
#include "Package.h"
#include "aclnn/Executor.h"
#include "lossgrad/op_test.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::aclnn {
namespace {

using acl::fail;
using opapi::Argument;
using opapi::Operator;
using opapi::Param;

constexpr uint64_t WorkspaceAlignment = 512;

/// One phase 1: holds what its steps share.
class Planner {
public:
  Planner(const Operator &op, const Argument *arguments, size_t count)
      : op(op), arguments(arguments), count(count),
        executor(std::make_shared<Executor>()) {
    executor->op = &op;
  }

  aclnnStatus plan() {
    if (aclnnStatus status = takeOperands())
      return status;
    if (aclnnStatus status = findUnit())
      return status;
    if (aclnnStatus status = matchRow())
      return status;
    if (allOutputsEmpty()) {
      executor->nothingToDo = true;
      return OK;
    }
    if (aclnnStatus status = tile())
      return status;
    if (aclnnStatus status = findKernel())
      return status;
    sumWorkspace();
    return OK;
  }

  std::shared_ptr<Executor> result() { return executor; }

private:
  const char *call() const { return op.api; }

  aclnnStatus takeOperands();
  aclnnStatus takeSlot(const Param &param, const Argument &argument,
                       bool isOutput);
  aclnnStatus takeTensor(Slot &slot, const aclTensor *tensor);
  aclnnStatus failScalar(const Param &param, const aclScalar &scalar) const;
  template <typename T>
  void takeHostValues(Slot &slot, const T *values, size_t number);
  aclnnStatus findUnit();
  aclnnStatus matchRow();
  bool rowFits(const opapi::Row &row) const;
  bool allOutputsEmpty() const;
  aclnnStatus addAttributes(AttrValues &values);
  aclnnStatus tile();
  aclnnStatus findKernel();
  void sumWorkspace();
  std::string describeOperands() const;

  const Operator &op;
  const Argument *arguments;
  size_t count;
  std::shared_ptr<Executor> executor;
  const opapi::Unit *unit = nullptr;
  const opapi::Row *row = nullptr;
};

template <typename T> const T *objectOf(const Argument &argument) {
  return static_cast<const T *>(argument.object);
}

aclnnStatus failStale(const char *call, const Param &param, const void *object,
                      const char *what) {
  return fail(call, ParamInvalid, "%s: %p is not a live %s", param.name, object,
              what);
}

aclnnStatus Planner::takeTensor(Slot &slot, const aclTensor *tensor) {
  if (!alive(tensor))
    return failStale(call(), *slot.param, tensor, "aclTensor");
  Operand operand;
  operand.object = tensor;
  operand.view = *tensor;
  for (int64_t dim : tensor->viewDims)
    if (dim < 0)
      return fail(call(), ParamInvalid, "%s: shape %s has a negative dim",
                  slot.param->name, dimsText(tensor->viewDims).c_str());
  slot.tensors.push_back(std::move(operand));
  return OK;
}

template <typename T>
void Planner::takeHostValues(Slot &slot, const T *values, size_t number) {
  slot.onHost = true;
  slot.hostDims = {int64_t(number)};
  slot.hostBytes.resize(number * sizeof(T));
  if (number)
    std::memcpy(slot.hostBytes.data(), values, slot.hostBytes.size());
}

/// A scalar as a value of the type that the kernel wants; false when there is
/// no conversion between the two types.
bool appendScalar(std::vector<unsigned char> &bytes, const aclScalar &scalar,
                  int wanted) {
  const auto as = [&](auto example) {
    decltype(example) value;
    std::memcpy(&value, scalar.bytes, sizeof value);
    return double(value);
  };
  double value = 0;
  switch (int(scalar.dtype)) {
  case ACL_FLOAT:
    value = as(float());
    break;
  case ACL_DOUBLE:
    value = as(double());
    break;
  case ACL_INT64:
    value = as(int64_t());
    break;
  case ACL_INT32:
    value = as(int32_t());
    break;
  case ACL_INT16:
    value = as(int16_t());
    break;
  case ACL_INT8:
    value = as(int8_t());
    break;
  case ACL_UINT8:
  case ACL_BOOL:
    value = as(uint8_t());
    break;
  default:
    if (wanted != int(scalar.dtype))
      return false;
  }
  const size_t at = bytes.size();
  const size_t size = aclDataTypeSize(aclDataType(wanted));
  bytes.resize(at + size);
  const auto put = [&](auto converted) {
    std::memcpy(&bytes[at], &converted, sizeof converted);
  };
  if (wanted == int(scalar.dtype))
    std::memcpy(&bytes[at], scalar.bytes, size);
  else if (wanted == ACL_FLOAT)
    put(float(value));
  else if (wanted == ACL_FLOAT16)
    put(aclFloatToFloat16(float(value)));
  else if (wanted == ACL_DOUBLE)
    put(value);
  else if (wanted == ACL_INT64)
    put(int64_t(value));
  else if (wanted == ACL_INT32)
    put(int32_t(value));
  else if (wanted == ACL_BOOL)
    put(value != 0);
  else
    return false;
  return true;
}

aclnnStatus Planner::failScalar(const Param &param,
                                const aclScalar &scalar) const {
  return fail(call(), ParamInvalid, "%s: a scalar of type %s cannot become %s",
              param.name, dtypeName(scalar.dtype), dtypeName(param.hostType));
}

aclnnStatus Planner::takeSlot(const Param &param, const Argument &argument,
                              bool isOutput) {
  Slot slot;
  slot.param = &param;
  slot.isOutput = isOutput;
  if (!argument.object) {
    if (param.option != opapi::Option::Optional)
      return fail(call(), ParamNullptr, "%s %s is null",
                  isOutput ? "output" : "required input", param.name);
    executor->slots.push_back(std::move(slot));
    return OK;
  }
  switch (argument.kind) {
  case Argument::Tensor:
    if (aclnnStatus status = takeTensor(slot, objectOf<aclTensor>(argument)))
      return status;
    break;
  case Argument::TensorList: {
    auto *list = objectOf<aclTensorList>(argument);
    if (!alive(list))
      return failStale(call(), param, list, "aclTensorList");
    for (const aclTensor *tensor : list->values)
      if (aclnnStatus status = takeTensor(slot, tensor))
        return status;
    break;
  }
  case Argument::Scalar: {
    auto *scalar = objectOf<aclScalar>(argument);
    if (!alive(scalar))
      return failStale(call(), param, scalar, "aclScalar");
    slot.onHost = true;
    slot.hostDims = {1};
    if (!appendScalar(slot.hostBytes, *scalar, param.hostType))
      return failScalar(param, *scalar);
    break;
  }
  case Argument::ScalarList: {
    auto *list = objectOf<aclScalarList>(argument);
    if (!alive(list))
      return failStale(call(), param, list, "aclScalarList");
    slot.onHost = true;
    slot.hostDims = {int64_t(list->values.size())};
    for (const aclScalar *scalar : list->values) {
      if (!alive(scalar))
        return failStale(call(), param, scalar, "aclScalar");
      if (!appendScalar(slot.hostBytes, *scalar, param.hostType))
        return failScalar(param, *scalar);
    }
    break;
  }
  case Argument::IntArray: {
    auto *array = objectOf<aclIntArray>(argument);
    if (!alive(array))
      return failStale(call(), param, array, "aclIntArray");
    takeHostValues(slot, array->values.data(), array->values.size());
    break;
  }
  case Argument::FloatArray: {
    auto *array = objectOf<aclFloatArray>(argument);
    if (!alive(array))
      return failStale(call(), param, array, "aclFloatArray");
    takeHostValues(slot, array->values.data(), array->values.size());
    break;
  }
  case Argument::BoolArray: {
    auto *array = objectOf<aclBoolArray>(argument);
    if (!alive(array))
      return failStale(call(), param, array, "aclBoolArray");
    takeHostValues(slot, array->values.data(), array->values.size());
    break;
  }
  default:
    return fail(call(), Inner, "%s is not a tensor argument", param.name);
  }
  executor->slots.push_back(std::move(slot));
  return OK;
}

aclnnStatus Planner::takeOperands() {
  if (count != op.inputCount + op.attrCount + op.outputCount)
    return fail(call(), Inner, "%zu arguments instead of %zu", count,
                op.inputCount + op.attrCount + op.outputCount);
  for (size_t i = 0; i < op.inputCount; ++i)
    if (aclnnStatus status = takeSlot(op.inputs[i], arguments[i], false))
      return status;
  const Argument *outputs = arguments + op.inputCount + op.attrCount;
  for (size_t i = 0; i < op.outputCount; ++i)
    if (aclnnStatus status = takeSlot(op.outputs[i], outputs[i], true))
      return status;
  return OK;
}

aclnnStatus Planner::findUnit() {
  const acl::Settings &settings = acl::settings();
  if (!settings.soc)
    return fail(call(), InnerFindKernel,
                "LOSSGRAD_SOC='%s' is no known product",
                settings.socName.c_str());
  const char *wanted = settings.soc->family->computeUnit;
  for (size_t i = 0; i < op.unitCount; ++i)
    if (!std::strcmp(op.units[i].name, wanted)) {
      unit = &op.units[i];
      return OK;
    }
  return fail(call(), InnerFindKernel,
              "%s has no configuration for %s (compute unit %s)", op.type,
              settings.soc->name, wanted);
}

/// Layout names of plain tensors all mean ND unless the operator is strict.
int relaxed(int format) {
  switch (format) {
  case 47: // NCL
  case 0:  // NCHW
  case 1:  // NHWC
  case 30: // NCDHW
  case 31: // DHWCN
    return ACL_FORMAT_ND;
  default:
    return format;
  }
}

bool Planner::rowFits(const opapi::Row &candidate) const {
  for (size_t i = 0; i < executor->slots.size(); ++i) {
    const Slot &slot = executor->slots[i];
    for (const Operand &tensor : slot.tensors) {
      if (int(tensor.view.dtype) != candidate.dtypes[i])
        return false;
      const int given = tensor.view.format, declared = candidate.formats[i];
      if (op.strictFormats ? given != declared
                           : relaxed(given) != relaxed(declared))
        return false;
    }
    // A value on the host is converted: only its type in the row counts.
    if (slot.onHost && slot.param->hostType >= 0 &&
        candidate.dtypes[i] != slot.param->hostType)
      return false;
  }
  return true;
}

std::string Planner::describeOperands() const {
  std::string text;
  for (const Slot &slot : executor->slots)
    for (const Operand &tensor : slot.tensors)
      text += acl::format("%s%s %s (format %d)", text.empty() ? "" : ", ",
                          slot.param->name, dtypeName(tensor.view.dtype),
                          int(tensor.view.format));
  return text;
}

aclnnStatus Planner::matchRow() {
  for (size_t i = 0; i < unit->rowCount && !row; ++i)
    if (rowFits(unit->rows[i]))
      row = &unit->rows[i];
  if (row)
    return OK;
  return fail(call(), ParamInvalid,
              "none of the %zu combinations that %s declares for %s fits: %s",
              unit->rowCount, op.type, unit->name, describeOperands().c_str());
}

bool Planner::allOutputsEmpty() const {
  bool any = false;
  for (const Slot &slot : executor->slots)
    for (const Operand &tensor : slot.tensors)
      if (slot.isOutput) {
        any = true;
        if (!tensor.view.empty())
          return false;
      }
  return any;
}

aclnnStatus Planner::addAttributes(AttrValues &values) {
  for (size_t i = 0; i < op.attrCount; ++i) {
    const opapi::Attr &attr = op.attrs[i];
    const Argument &argument = arguments[op.inputCount + i];
    const bool isObject = attr.kind >= opapi::AttrKind::String;
    if (isObject && !argument.object && attr.required)
      return fail(call(), ParamNullptr, "required attribute %s is null",
                  attr.name);
    switch (attr.kind) {
    case opapi::AttrKind::Bool:
      values.add(argument.integer != 0);
      break;
    case opapi::AttrKind::Int:
      values.add(argument.integer);
      break;
    case opapi::AttrKind::Float:
      values.add(float(argument.real)); // double in C, float in the context
      break;
    case opapi::AttrKind::String:
      values.add(argument.object ? objectOf<char>(argument) : attr.text);
      break;
    case opapi::AttrKind::ListInt: {
      auto *array = objectOf<aclIntArray>(argument);
      if (array && !alive(array))
        return fail(call(), ParamInvalid, "%s: %p is not a live aclIntArray",
                    attr.name, argument.object);
      values.add(array
                     ? array->values
                     : std::vector<int64_t>(attr.ints, attr.ints + attr.count));
      break;
    }
    case opapi::AttrKind::ListFloat: {
      auto *array = objectOf<aclFloatArray>(argument);
      if (array && !alive(array))
        return fail(call(), ParamInvalid, "%s: %p is not a live aclFloatArray",
                    attr.name, argument.object);
      values.add(
          array ? array->values
                : std::vector<float>(attr.floats, attr.floats + attr.count));
      break;
    }
    case opapi::AttrKind::ListBool: {
      auto *array = objectOf<aclBoolArray>(argument);
      if (array && !alive(array))
        return fail(call(), ParamInvalid, "%s: %p is not a live aclBoolArray",
                    attr.name, argument.object);
      values.add(
          array ? std::vector<bool>(array->values.begin(), array->values.end())
                : std::vector<bool>(attr.ints, attr.ints + attr.count));
      break;
    }
    }
  }
  return OK;
}

aclnnStatus Planner::tile() {
  Package &package = Package::of(op);
  if (const std::string &error = package.loadHost(); !error.empty())
    return fail(call(), InnerTiling, "host functions cannot be loaded: %s",
                error.c_str());
  OpCall context(op.type);
  context.scope(&package);
  auto ge = [](int dtype) {
    return dtype < 0 ? ge::DT_UNDEFINED : ge::DataType(dtype);
  };
  for (size_t i = 0; i < executor->slots.size(); ++i) {
    Slot &slot = executor->slots[i];
    const bool list = slot.param->option == opapi::Option::Dynamic;
    if (slot.isOutput) {
      for (Operand &tensor : slot.tensors)
        context.output(tensor.view.viewDims, ge(tensor.view.dtype),
                       ge::Format(tensor.view.format));
      if (slot.tensors.empty())
        context.absentOutput();
      continue;
    }
    if (slot.onHost) {
      context.input(slot.hostDims, ge(row->dtypes[i]), ge::FORMAT_ND,
                    slot.hostBytes.data());
      continue;
    }
    if (list)
      context.beginDynamic();
    for (Operand &tensor : slot.tensors)
      context.input(tensor.view.viewDims, ge(tensor.view.dtype),
                    ge::Format(tensor.view.format));
    if (list)
      context.endDynamic();
    else if (slot.tensors.empty())
      context.absentInput();
  }
  if (aclnnStatus status = addAttributes(context.attrs()))
    return status;
  context.deterministic(
      acl::Runtime::get().systemOptions[ACL_OPT_DETERMINISTIC] != 0);
  if (context.tile() != ge::GRAPH_SUCCESS)
    return fail(call(), InnerTiling, "%s", context.error());

  const OpNode &node = context.node();
  if (node.blockDim == 0)
    return fail(call(), InnerTiling,
                "the tiling function of %s set no block count", op.type);
  executor->blockDim = node.blockDim;
  executor->tilingKey = node.tilingKey;
  const auto *bytes = static_cast<const unsigned char *>(context.tilingData());
  executor->tiling.assign(bytes, bytes + context.tilingDataSize());
  for (size_t i = 0; i < node.workspaceCount; ++i)
    executor->userWorkspace += node.workspaces[i];
  return OK;
}

aclnnStatus Planner::findKernel() {
  std::string error;
  const auto *family = acl::settings().soc->family;
  executor->kernelName = unit->function;
  executor->kernel = Package::of(op).kernel(family->implementation, row->kernel,
                                            unit->function, error);
  if (executor->kernel)
    return OK;
  return fail(call(), InnerFindKernel, "no kernel of %s for %s: %s", op.type,
              acl::settings().soc->name, error.c_str());
}

void Planner::sumWorkspace() {
  auto rounded = [](uint64_t bytes) {
    return (bytes + WorkspaceAlignment - 1) / WorkspaceAlignment *
           WorkspaceAlignment;
  };
  executor->totalWorkspace = rounded(executor->userWorkspace);
  for (const Slot &slot : executor->slots)
    if (slot.needsCopy())
      for (const Operand &tensor : slot.tensors)
        executor->totalWorkspace +=
            rounded(uint64_t(tensor.view.elements()) *
                        aclDataTypeSize(tensor.view.dtype) +
                    32);
}

} // namespace
} // namespace lossgrad::aclnn

aclnnStatus lossgrad::opapi::prepare(const Operator &op,
                                     const Argument *arguments, size_t count,
                                     uint64_t *workspaceSize,
                                     aclOpExecutor **executor) {
  using namespace lossgrad::aclnn;
  if (!workspaceSize || !executor)
    return acl::fail(op.api, ParamNullptr, "%s is null",
                     workspaceSize ? "executor" : "workspaceSize");
  Planner planner(op, arguments, count);
  if (aclnnStatus status = planner.plan())
    return status;
  *workspaceSize = planner.result()->totalWorkspace;
  *executor = asHandle(executors().insert(planner.result()));
  return OK;
}
