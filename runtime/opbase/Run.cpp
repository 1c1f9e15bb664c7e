//===- Run.cpp - phase 2 of a generated operator call ---------------------===//
//
// Reads the addresses, puts one task on the stream and returns. The task checks
// that every operand still lies in live device memory, makes strided inputs
// dense where the operator asks for it, and runs the kernel.
//
//===----------------------------------------------------------------------===//
#include "aclnn/Executor.h"
#include "lossgrad/sim/GlobalMemory.h"
#include "lossgrad/sim/Launch.h"

#include <cstring>
#include <deque>

namespace lossgrad::aclnn {
namespace {

using acl::AllocationRef;
using acl::AllocationTable;
using acl::fail;
using acl::TaskResult;

constexpr uint64_t WorkspaceAlignment = 512;

/// A tensor with its address, as the task needs it.
struct Placed {
  const char *name;
  char *address; // first element of the view
  aclTensor view;
};

/// Copies a strided view to dense memory, element by element.
void makeDense(const Placed &from, char *to) {
  const aclTensor &view = from.view;
  const size_t size = aclDataTypeSize(view.dtype);
  const size_t rank = view.viewDims.size();
  std::vector<int64_t> index(rank, 0);
  const int64_t total = view.elements();
  for (int64_t i = 0; i < total; ++i, to += size) {
    int64_t element = 0;
    for (size_t d = 0; d < rank; ++d)
      element += index[d] * view.strides[d];
    std::memcpy(to, from.address + element * int64_t(size), size);
    for (size_t d = rank; d-- > 0 && ++index[d] == view.viewDims[d];)
      index[d] = 0;
  }
}

/// The memory of a list argument as AscendC's ListTensorDesc reads it: the
/// offset of the addresses, then rank and dims of each tensor, then addresses.
std::vector<uint64_t> describeList(const std::vector<Placed> &tensors) {
  std::vector<uint64_t> words(1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::vector<int64_t> &dims = tensors[i].view.viewDims;
    words.push_back(uint64_t(i) << 32 | dims.size());
    words.insert(words.end(), dims.begin(), dims.end());
  }
  words[0] = words.size() * sizeof(uint64_t);
  for (const Placed &tensor : tensors)
    words.push_back(reinterpret_cast<uint64_t>(tensor.address));
  return words;
}

/// Memory of the task itself that the kernel reads like device memory.
class GlobalBytes {
public:
  GlobalBytes(const void *begin, size_t bytes) : begin(begin) {
    sim::globalAllocated(begin, bytes, /*defined=*/true);
  }
  GlobalBytes(const GlobalBytes &) = delete;
  ~GlobalBytes() { sim::globalFreed(begin); }

private:
  const void *begin;
};

/// Everything that a task needs; it owns copies, since the executor and the
/// descriptors may be gone when it runs.
struct Launch {
  std::string api;
  sim::LaunchConfig config;
  void *kernel = nullptr;
  aclError faultCode = ACL_ERROR_RT_AICORE_EXCEPTION;

  struct Parameter {
    std::vector<Placed> tensors;
    bool list = false;
    bool dense = false; // to be copied into the workspace first
    std::vector<unsigned char> hostBytes;
    bool onHost = false;
  };
  std::vector<Parameter> parameters;
  char *workspace = nullptr;
  uint64_t workspaceBytes = 0, userWorkspace = 0;
  std::vector<uint64_t> tiling;                 // 8-byte aligned
  std::vector<sim::PendingDeviceWrite> pending; // outputs, until it has run

  TaskResult operator()();

private:
  bool hold(const char *name, const char *begin, const char *end,
            std::string &error);
  std::vector<AllocationRef> held;
};

/// Finds the device memory of [begin, end) and keeps it for the task.
bool Launch::hold(const char *name, const char *begin, const char *end,
                  std::string &error) {
  AllocationRef memory = AllocationTable::get().find(begin);
  if (!memory || memory->place != acl::Place::Device) {
    error = acl::format("%s: %s at %p is not live device memory", api.c_str(),
                        name, static_cast<const void *>(begin));
    return false;
  }
  const auto last = reinterpret_cast<uintptr_t>(end);
  if (last > memory->base + memory->padded) {
    error = acl::format(
        "%s: %s needs %zu bytes at %p, beyond its allocation of %zu bytes",
        api.c_str(), name, size_t(end - begin),
        static_cast<const void *>(begin), memory->size);
    return false;
  }
  held.push_back(std::move(memory));
  return true;
}

TaskResult Launch::operator()() {
  std::string error;
  for (const Parameter &parameter : parameters)
    for (const Placed &tensor : parameter.tensors) {
      if (tensor.view.empty())
        continue;
      int64_t lowest, highest;
      tensor.view.extent(lowest, highest);
      const int64_t size = int64_t(aclDataTypeSize(tensor.view.dtype));
      if (!hold(tensor.name, tensor.address + lowest * size,
                tensor.address + (highest + 1) * size, error))
        return {faultCode, error};
    }
  if (workspaceBytes &&
      !hold("workspace", workspace, workspace + workspaceBytes, error))
    return {faultCode, error};

  // Dense copies follow the user's part of the workspace.
  auto aligned = [](uint64_t bytes) {
    return (bytes + WorkspaceAlignment - 1) / WorkspaceAlignment *
           WorkspaceAlignment;
  };
  uint64_t used = aligned(userWorkspace);
  std::vector<void *> arguments;
  std::deque<std::vector<uint64_t>> lists;
  std::deque<GlobalBytes> visible;
  for (Parameter &parameter : parameters) {
    if (parameter.dense)
      for (Placed &tensor : parameter.tensors) {
        const uint64_t bytes = uint64_t(tensor.view.elements()) *
                               aclDataTypeSize(tensor.view.dtype);
        makeDense(tensor, workspace + used);
        sim::globalWrittenByHost(workspace + used, bytes);
        tensor.address = workspace + used;
        used += aligned(bytes + 32);
      }
    if (parameter.onHost) {
      arguments.push_back(parameter.hostBytes.data());
      visible.emplace_back(parameter.hostBytes.data(),
                           parameter.hostBytes.size());
    } else if (parameter.list) {
      lists.push_back(describeList(parameter.tensors));
      arguments.push_back(lists.back().data());
      visible.emplace_back(lists.back().data(), lists.back().size() * 8);
    } else {
      arguments.push_back(
          parameter.tensors.empty() ? nullptr : parameter.tensors[0].address);
    }
  }
  arguments.push_back(workspace);
  arguments.push_back(tiling.data());
  visible.emplace_back(tiling.data(), tiling.size() * sizeof(uint64_t));

  sim::LaunchResult result =
      sim::launchKernel(config, kernel, arguments.data(), arguments.size());
  held.clear();
  pending.clear();
  if (!result.warnings.empty() && !result.reported)
    acl::log(ACL_WARNING, api + ": " + result.warnings);
  if (!result.ok)
    return {faultCode, api + ": " + result.errors};
  return {};
}

/// The address that an operand has now; fails when it has none.
aclnnStatus place(const Executor &executor, const Slot &slot,
                  const Operand &operand, Placed &placed) {
  const char *call = executor.op->api;
  if (!operand.newAddress && !alive(operand.object))
    return fail(call, ParamInvalid, "%s was destroyed between the two phases",
                slot.param->name);
  void *data = operand.newAddress ? operand.newAddress : operand.object->data;
  if (!data && !operand.view.empty())
    return fail(call, ParamNullptr, "%s has no device address",
                slot.param->name);
  if (!slot.isOutput && !operand.view.contiguous() &&
      !slot.param->ignoreContiguous && !slot.param->autoContiguous)
    return fail(call, Inner,
                "input %s with shape %s and strides %s is not contiguous and "
                "the operator declares neither AutoContiguous nor "
                "IgnoreContiguous",
                slot.param->name, dimsText(operand.view.viewDims).c_str(),
                dimsText(operand.view.strides).c_str());
  placed.name = slot.param->name;
  placed.view = operand.view;
  placed.view.data = data;
  placed.address = data ? placed.view.address() : nullptr;
  // Output strides are not honoured on this path unless the kernel asked for
  // them: what is written is dense.
  if (slot.isOutput && !slot.param->ignoreContiguous)
    for (size_t i = placed.view.viewDims.size(), stride = 1; i-- > 0;) {
      placed.view.strides[i] = int64_t(stride);
      stride *= size_t(std::max<int64_t>(placed.view.viewDims[i], 1));
    }
  return OK;
}

aclnnStatus buildLaunch(const Executor &executor, void *workspace,
                        Launch &launch) {
  const targets::Soc *soc = acl::settings().soc;
  launch.api = executor.op->api;
  launch.config.kernelName = executor.kernelName;
  launch.config.blockCount = executor.blockDim;
  launch.config.tilingKey = executor.tilingKey;
  launch.config.soc = soc->name;
  launch.kernel = executor.kernel;
  acl::log(ACL_INFO,
           acl::format("%s: kernel %s with tiling key %llu on %u "
                       "blocks",
                       launch.api.c_str(), executor.kernelName.c_str(),
                       static_cast<unsigned long long>(executor.tilingKey),
                       executor.blockDim));
  launch.faultCode = soc->family->splitCores
                         ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
                         : ACL_ERROR_RT_AICORE_EXCEPTION;
  launch.workspace = static_cast<char *>(workspace);
  launch.workspaceBytes = executor.totalWorkspace;
  launch.userWorkspace = executor.userWorkspace;
  // A kernel copies tiling data in blocks of 32 bytes.
  launch.tiling.resize(executor.tiling.size() / 32 * 4 + 8);
  std::memcpy(launch.tiling.data(), executor.tiling.data(),
              executor.tiling.size());
  for (const Slot &slot : executor.slots) {
    Launch::Parameter parameter;
    parameter.list = slot.param->option == opapi::Option::Dynamic;
    parameter.dense = slot.needsCopy();
    parameter.onHost = slot.onHost;
    parameter.hostBytes = slot.hostBytes;
    parameter.hostBytes.resize(slot.hostBytes.size() + 32);
    for (const Operand &operand : slot.tensors) {
      Placed placed;
      if (aclnnStatus status = place(executor, slot, operand, placed))
        return status;
      if (!placed.view.empty()) {
        int64_t lowest, highest;
        placed.view.extent(lowest, highest);
        const int64_t size = int64_t(aclDataTypeSize(placed.view.dtype));
        const char *begin = placed.address + lowest * size;
        const auto bytes = size_t((highest + 1 - lowest) * size);
        launch.config.tensors.push_back({begin, bytes, placed.name});
        if (slot.isOutput)
          launch.pending.emplace_back(begin, bytes, executor.op->api);
      }
      parameter.tensors.push_back(std::move(placed));
    }
    launch.parameters.push_back(std::move(parameter));
  }
  return OK;
}

} // namespace
} // namespace lossgrad::aclnn

aclnnStatus lossgrad::opapi::run(const Operator &op, void *workspace,
                                 uint64_t workspaceSize, aclOpExecutor *handle,
                                 aclrtStream stream) {
  using namespace lossgrad::aclnn;
  if (!handle)
    return fail(op.api, ParamNullptr, "the executor is null");
  std::shared_ptr<Executor> executor = executors().find(handle);
  // Of two threads with the same executor, one runs it.
  std::unique_lock<std::mutex> lock;
  if (executor)
    lock = std::unique_lock<std::mutex>(executor->mutex);
  if (!executor || executor->spent)
    return fail(op.api, Inner, "%p is %s", static_cast<void *>(handle),
                executors().wasIssued(handle)
                    ? "an executor that has already run; make it repeatable "
                      "with aclSetAclOpExecutorRepeatable"
                    : "not an executor");
  if (executor->op != &op)
    return fail(op.api, ParamInvalid, "the executor was made by %s",
                executor->op->api);
  if (executor->totalWorkspace > 0 && !workspace)
    return fail(op.api, ParamNullptr,
                "the workspace is null; phase 1 asked for %zu bytes",
                size_t(executor->totalWorkspace));
  if (workspaceSize < executor->totalWorkspace)
    return fail(op.api, ParamInvalid,
                "a workspace of %zu bytes is smaller than the %zu that phase 1 "
                "asked for",
                size_t(workspaceSize), size_t(executor->totalWorkspace));
  if (!executor->nothingToDo) {
    Launch launch;
    if (aclnnStatus status = buildLaunch(*executor, workspace, launch))
      return status;
    auto task = std::make_shared<Launch>(std::move(launch));
    if (acl::Runtime::get().enqueue(op.api, stream,
                                    [task] { return (*task)(); }))
      return fail(op.api, RuntimeError, "the kernel cannot be launched");
  }
  if (!executor->repeatable) {
    executor->spent = true;
    executors().remove(handle);
  }
  return OK;
}
