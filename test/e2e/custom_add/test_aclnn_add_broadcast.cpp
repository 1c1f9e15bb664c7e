// A program as an application writes it: only acl, the operator's header and
// its library. Exits with 0 when every element is right.
#include "acl/acl.h"
#include "aclnn_add_broadcast.h"

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK_RET(cond, return_expr)                                           \
  do {                                                                         \
    if (!(cond)) {                                                             \
      return_expr;                                                             \
    }                                                                          \
  } while (0)

#define LOG_PRINT(message, ...)                                                \
  do {                                                                         \
    printf(message, ##__VA_ARGS__);                                            \
  } while (0)

int64_t GetShapeSize(const std::vector<int64_t> &shape) {
  int64_t size = 1;
  for (auto dim : shape)
    size *= dim;
  return size;
}

template <typename T>
int CreateAclTensor(const std::vector<T> &hostData,
                    const std::vector<int64_t> &shape, void **deviceAddr,
                    aclDataType dataType, aclTensor **tensor) {
  auto size = GetShapeSize(shape) * sizeof(T);
  auto ret = aclrtMalloc(deviceAddr, size, ACL_MEM_MALLOC_HUGE_FIRST);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc failed. %d\n", ret);
            return ret);
  ret = aclrtMemcpy(*deviceAddr, size, hostData.data(), size,
                    ACL_MEMCPY_HOST_TO_DEVICE);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMemcpy failed. %d\n", ret);
            return ret);
  std::vector<int64_t> strides(shape.size(), 1);
  for (int64_t i = shape.size() - 2; i >= 0; i--)
    strides[i] = shape[i + 1] * strides[i + 1];
  *tensor = aclCreateTensor(shape.data(), shape.size(), dataType,
                            strides.data(), 0, aclFormat::ACL_FORMAT_ND,
                            shape.data(), shape.size(), *deviceAddr);
  return 0;
}

int main() {
  int32_t deviceId = 0;
  aclrtStream stream;
  auto ret = aclInit(nullptr);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclInit failed. %d\n", ret);
            return ret);
  ret = aclrtSetDevice(deviceId);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtSetDevice failed. %d\n", ret);
            return ret);
  ret = aclrtCreateStream(&stream);
  CHECK_RET(ret == ACL_SUCCESS,
            LOG_PRINT("aclrtCreateStream failed. %d\n", ret);
            return ret);

  std::vector<int64_t> selfShape = {4, 3, 513}, otherShape = {3, 1};
  std::vector<float> self(GetShapeSize(selfShape)), other = {10, 20, 30},
                                                    out(self.size(), 0);
  for (size_t i = 0; i < self.size(); ++i)
    self[i] = 0.25f * i;
  void *selfAddr = nullptr, *otherAddr = nullptr, *outAddr = nullptr;
  aclTensor *selfTensor = nullptr, *otherTensor = nullptr, *outTensor = nullptr;
  ret = CreateAclTensor(self, selfShape, &selfAddr, aclDataType::ACL_FLOAT,
                        &selfTensor);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  ret = CreateAclTensor(other, otherShape, &otherAddr, aclDataType::ACL_FLOAT,
                        &otherTensor);
  CHECK_RET(ret == ACL_SUCCESS, return ret);
  ret = CreateAclTensor(out, selfShape, &outAddr, aclDataType::ACL_FLOAT,
                        &outTensor);
  CHECK_RET(ret == ACL_SUCCESS, return ret);

  uint64_t workspaceSize = 0;
  aclOpExecutor *executor;
  ret = aclnnAddBroadcastGetWorkspaceSize(selfTensor, otherTensor, 2.0f,
                                          outTensor, &workspaceSize, &executor);
  CHECK_RET(ret == ACL_SUCCESS,
            LOG_PRINT("aclnnAddBroadcastGetWorkspaceSize failed. %d\n%s\n", ret,
                      aclGetRecentErrMsg());
            return ret);
  void *workspaceAddr = nullptr;
  if (workspaceSize > 0) {
    ret = aclrtMalloc(&workspaceAddr, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_RET(ret == ACL_SUCCESS, return ret);
  }
  ret = aclnnAddBroadcast(workspaceAddr, workspaceSize, executor, stream);
  CHECK_RET(ret == ACL_SUCCESS,
            LOG_PRINT("aclnnAddBroadcast failed. %d\n", ret);
            return ret);
  ret = aclrtSynchronizeStream(stream);
  CHECK_RET(ret == ACL_SUCCESS,
            LOG_PRINT("aclrtSynchronizeStream failed. %d\n%s\n", ret,
                      aclGetRecentErrMsg());
            return ret);
  ret = aclrtMemcpy(out.data(), out.size() * sizeof(float), outAddr,
                    out.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
  CHECK_RET(ret == ACL_SUCCESS, return ret);

  int wrong = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const float expected = self[i] + 2.0f * other[i / 513 % 3];
    if (out[i] != expected && wrong++ < 5)
      LOG_PRINT("out[%zu] is %f, not %f\n", i, out[i], expected);
  }
  LOG_PRINT("%zu elements, %d wrong\n", out.size(), wrong);

  aclDestroyTensor(selfTensor);
  aclDestroyTensor(otherTensor);
  aclDestroyTensor(outTensor);
  aclrtFree(selfAddr);
  aclrtFree(otherAddr);
  aclrtFree(outAddr);
  if (workspaceSize > 0)
    aclrtFree(workspaceAddr);
  aclrtDestroyStream(stream);
  aclrtResetDevice(deviceId);
  aclFinalize();
  return wrong != 0;
}
