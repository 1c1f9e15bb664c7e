//===- Executor.h - what phase 1 leaves for phase 2 -------------*- C++ -*-===//
//
// A planned call: operands, tiling result, kernel. Executors are known by
// handles that are never followed or reused, so that one that has run or was
// destroyed is recognised. Planning and running are in opbase/.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_ACLNN_EXECUTOR_H
#define LOSSGRAD_RUNTIME_ACLNN_EXECUTOR_H

#include "Objects.h"
#include "acl/Runtime.h"
#include "lossgrad/opapi.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lossgrad::aclnn {

/// A tensor of the call: its description as of phase 1, and the object that
/// phase 2 reads the address from unless a new one was set.
struct Operand {
  const aclTensor *object = nullptr;
  aclTensor view;
  void *newAddress = nullptr;
};

/// A declared input or output.
struct Slot {
  const opapi::Param *param = nullptr;
  bool isOutput = false;
  std::vector<Operand> tensors; // none: absent; several: a list

  // A value given on the host (scalar, array) instead of a tensor.
  bool onHost = false;
  std::vector<unsigned char> hostBytes;
  std::vector<int64_t> hostDims;

  bool needsCopy() const; // strided, to be made dense before the kernel
};

struct Executor {
  /// Held by whoever runs the executor or changes what it will run with.
  std::mutex mutex;
  bool spent = false; // has run and was not repeatable

  const opapi::Operator *op = nullptr;
  std::vector<Slot> slots; // inputs, then outputs
  bool repeatable = false;
  bool nothingToDo = false; // all outputs are empty

  uint64_t userWorkspace = 0;  // what tiling asked for
  uint64_t totalWorkspace = 0; // with room for dense copies
  uint32_t blockDim = 0;
  uint64_t tilingKey = 0;
  std::vector<unsigned char> tiling;
  void *kernel = nullptr;
  std::string kernelName;

  size_t inputCount() const { return op->inputCount; }
};

acl::HandleTable<Executor> &executors();

inline aclOpExecutor *asHandle(void *handle) {
  return static_cast<aclOpExecutor *>(handle);
}

} // namespace lossgrad::aclnn

#endif // LOSSGRAD_RUNTIME_ACLNN_EXECUTOR_H
