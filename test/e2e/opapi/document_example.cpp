// The worked example of the operator's documentation as an application writes
// it: acl, the operator's public header, both phases, printed values. Built
// with one plain g++ line against the SDK; `run` compares what it prints.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

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

namespace {
struct DeviceTensor {
  void *memory = nullptr;
  aclTensor *tensor = nullptr;
};

int create(const std::vector<float> &values, const std::vector<int64_t> &shape,
           DeviceTensor &result) {
  const size_t bytes = values.size() * sizeof(float);
  CHECK(aclrtMalloc(&result.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(result.memory, bytes, values.data(), bytes,
                    ACL_MEMCPY_HOST_TO_DEVICE));
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i-- > 0;)
    strides[i] = shape[i + 1] * strides[i + 1];
  result.tensor = aclCreateTensor(
      shape.data(), shape.size(), aclDataType::ACL_FLOAT, strides.data(), 0,
      aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), result.memory);
  return result.tensor ? 0 : 1;
}
} // namespace

int main() {
  aclrtStream stream;
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));

  const std::vector<int64_t> shape = {4, 2};
  std::vector<float> result(8, 9);
  DeviceTensor gradOut, self, target, gradInput;
  if (create(std::vector<float>(8, 1), shape, gradOut) ||
      create({0, 1, 2, 3, 4, 5, 6, 7}, shape, self) ||
      create(std::vector<float>(8, 1), shape, target) ||
      create(result, shape, gradInput))
    return 1;

  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  CHECK(aclnnSmoothL1LossBackwardGetWorkspaceSize(
      gradOut.tensor, self.tensor, target.tensor, 0, 1.0f, gradInput.tensor,
      &workspaceSize, &executor));
  void *workspace = nullptr;
  if (workspaceSize > 0)
    CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclnnSmoothL1LossBackward(workspace, workspaceSize, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(result.data(), 32, gradInput.memory, 32,
                    ACL_MEMCPY_DEVICE_TO_HOST));
  for (float value : result)
    std::printf("%g\n", value);

  for (DeviceTensor *tensor : {&gradOut, &self, &target, &gradInput}) {
    CHECK(aclDestroyTensor(tensor->tensor));
    CHECK(aclrtFree(tensor->memory));
  }
  if (workspace)
    CHECK(aclrtFree(workspace));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
