//===- Executor.cpp - executors as the application sees them --------------===//
//
// Repeatable executors, their destruction, and new addresses between runs.
//
//===----------------------------------------------------------------------===//
#include "Executor.h"

using namespace lossgrad;
using namespace lossgrad::aclnn;
using acl::fail;

namespace lossgrad::aclnn {

acl::HandleTable<Executor> &executors() {
  static auto *table = [] {
    acl::Runtime::get().addLeakReporter([]() -> std::string {
      const size_t count = executors().size();
      return count ? acl::format("  %zu aclOpExecutor(s) never run or "
                                 "destroyed\n",
                                 count)
                   : "";
    });
    return new acl::HandleTable<Executor>(0x54);
  }();
  return *table;
}

bool Slot::needsCopy() const {
  if (isOutput || !param->autoContiguous)
    return false;
  for (const Operand &tensor : tensors)
    if (!tensor.view.contiguous())
      return true;
  return false;
}

} // namespace lossgrad::aclnn

static aclnnStatus findExecutor(const char *call, aclOpExecutor *handle,
                                std::shared_ptr<Executor> &executor) {
  if (!handle)
    return fail(call, InnerNullptr, "the executor is null");
  executor = executors().find(handle);
  if (executor)
    return OK;
  return fail(call, Inner, "%p is %s", static_cast<void *>(handle),
              executors().wasIssued(handle)
                  ? "an executor that has run or was destroyed"
                  : "not an executor");
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *handle) {
  std::shared_ptr<Executor> executor;
  if (aclnnStatus status =
          findExecutor("aclSetAclOpExecutorRepeatable", handle, executor))
    return status;
  std::lock_guard<std::mutex> lock(executor->mutex);
  for (const Slot &slot : executor->slots)
    if (slot.needsCopy())
      return fail("aclSetAclOpExecutorRepeatable", Inner,
                  "%s: input %s needs a copy task, which cannot be repeated",
                  executor->op->api, slot.param->name);
  executor->repeatable = true;
  return OK;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *handle) {
  const char *call = "aclDestroyAclOpExecutor";
  if (!handle)
    return fail(call, InnerNullptr, "the executor is null");
  if (executors().remove(handle) || executors().wasIssued(handle))
    return OK; // one that has run is gone already, which is fine
  return fail(call, Inner, "%p is not an executor",
              static_cast<void *>(handle));
}

namespace {

enum class Which { Input, Output, Any };

aclnnStatus setAddress(const char *call, Which which, aclOpExecutor *handle,
                       size_t index, size_t relative, const void *object,
                       void *address) {
  std::shared_ptr<Executor> executor;
  if (aclnnStatus status = findExecutor(call, handle, executor))
    return status;
  if (!object || !address)
    return fail(call, InnerNullptr, "the %s is null",
                object ? "address" : "tensor");
  std::lock_guard<std::mutex> lock(executor->mutex);
  const size_t inputs = executor->inputCount();
  const size_t begin = which == Which::Output ? inputs : 0;
  const size_t end = which == Which::Input ? inputs : executor->slots.size();
  if (index >= end - begin)
    return fail(call, ParamInvalid, "%s: index %zu is not below %zu",
                executor->op->api, index, end - begin);
  Slot &slot = executor->slots[begin + index];
  if (slot.tensors.empty())
    return fail(call, ParamInvalid, "%s: %s was null in phase 1",
                executor->op->api, slot.param->name);
  if (relative >= slot.tensors.size())
    return fail(call, ParamInvalid, "%s: %s has %zu tensor(s), no number %zu",
                executor->op->api, slot.param->name, slot.tensors.size(),
                relative);
  slot.tensors[relative].newAddress = address;
  return OK;
}

} // namespace

// The six functions under both of their spellings.
#define LOSSGRAD_SET_ADDRESS(prefix, name, which)                              \
  aclnnStatus prefix##Set##name##TensorAddr(aclOpExecutor *executor,           \
                                            const size_t index,                \
                                            aclTensor *tensor, void *addr) {   \
    return setAddress(#prefix "Set" #name "TensorAddr", which, executor,       \
                      index, 0, tensor, addr);                                 \
  }                                                                            \
  aclnnStatus prefix##SetDynamic##name##TensorAddr(                            \
      aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,     \
      aclTensorList *tensors, void *addr) {                                    \
    return setAddress(#prefix "SetDynamic" #name "TensorAddr", which,          \
                      executor, irIndex, relativeIndex, tensors, addr);        \
  }
LOSSGRAD_SET_ADDRESS(acl, Input, Which::Input)
LOSSGRAD_SET_ADDRESS(acl, Output, Which::Output)
LOSSGRAD_SET_ADDRESS(acl, , Which::Any)
LOSSGRAD_SET_ADDRESS(Acl, Input, Which::Input)
LOSSGRAD_SET_ADDRESS(Acl, Output, Which::Output)
LOSSGRAD_SET_ADDRESS(Acl, , Which::Any)
#undef LOSSGRAD_SET_ADDRESS
