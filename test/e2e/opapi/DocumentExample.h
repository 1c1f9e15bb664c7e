// What the documentation's examples have in common: a device, tensors on it,
// and the second phase with a look at the result, as an application writes it.
#ifndef LOSSGRAD_TEST_E2E_OPAPI_DOCUMENTEXAMPLE_H
#define LOSSGRAD_TEST_E2E_OPAPI_DOCUMENTEXAMPLE_H

#include <cstdio>
#include <initializer_list>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#define CHECK(call)                                                            \
  do {                                                                         \
    auto status = (call);                                                      \
    if (status != 0) {                                                         \
      const char *text = aclGetRecentErrMsg();                                 \
      std::printf("%s failed: %d %s\n", #call, static_cast<int>(status),       \
                  text ? text : "");                                           \
      return 1;                                                                \
    }                                                                          \
  } while (0)

struct DeviceTensor {
  void *memory = nullptr;
  aclTensor *tensor = nullptr;
};

inline int begin(aclrtStream &stream) {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  return 0;
}

inline aclDataType dataTypeOf(float) { return aclDataType::ACL_FLOAT; }
inline aclDataType dataTypeOf(int64_t) { return aclDataType::ACL_INT64; }

/// A dense tensor with these values; one without axes has one.
template <typename T>
int create(const std::vector<T> &values, const std::vector<int64_t> &shape,
           DeviceTensor &result) {
  const size_t bytes = values.size() * sizeof(T);
  CHECK(aclrtMalloc(&result.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(result.memory, bytes, values.data(), bytes,
                    ACL_MEMCPY_HOST_TO_DEVICE));
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = shape[i] * strides[i];
  result.tensor = aclCreateTensor(shape.data(), shape.size(), dataTypeOf(T()),
                                  strides.data(), 0, aclFormat::ACL_FORMAT_ND,
                                  shape.data(), shape.size(), result.memory);
  return result.tensor ? 0 : 1;
}

using Launch = aclnnStatus (*)(void *workspace, uint64_t workspaceSize,
                               aclOpExecutor *executor, aclrtStream stream);

/// The second phase; then one element per line.
inline int launchAndPrint(Launch launch, uint64_t workspaceSize,
                          aclOpExecutor *executor, aclrtStream stream,
                          const DeviceTensor &result, size_t count) {
  void *workspace = nullptr;
  if (workspaceSize > 0)
    CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(launch(workspace, workspaceSize, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  std::vector<float> values(count);
  const size_t bytes = count * sizeof(float);
  CHECK(aclrtMemcpy(values.data(), bytes, result.memory, bytes,
                    ACL_MEMCPY_DEVICE_TO_HOST));
  for (float value : values)
    std::printf("%g\n", value);
  if (workspace)
    CHECK(aclrtFree(workspace));
  return 0;
}

inline int end(aclrtStream stream,
               std::initializer_list<const DeviceTensor *> tensors) {
  for (const DeviceTensor *tensor : tensors) {
    CHECK(aclDestroyTensor(tensor->tensor));
    CHECK(aclrtFree(tensor->memory));
  }
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}

#endif // LOSSGRAD_TEST_E2E_OPAPI_DOCUMENTEXAMPLE_H
