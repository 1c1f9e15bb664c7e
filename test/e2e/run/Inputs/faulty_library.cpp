// An operator library by hand that shows one fault per value of an attribute,
// so that lossgrad-run can be seen to find each of them. Fault 0 is none. It
// works on the stand-in only, whose device memory the host may touch.
#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#include <cstdlib>
#include <unistd.h>

namespace {

struct Task {
  float *self, *out;
  int64_t count, stride, fault;
};

float *dataOf(const aclTensor *tensor) {
  void *address = nullptr;
  int64_t offset = 0;
  aclGetRawTensorAddr(tensor, &address);
  aclGetViewOffset(tensor, &offset);
  return static_cast<float *>(address) + offset;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) aclnnStatus
aclnnFaultyLossBackwardGetWorkspaceSize(const aclTensor *self, int64_t fault,
                                        aclTensor *out, uint64_t *workspaceSize,
                                        aclOpExecutor **executor) {
  if (fault == 1)
    return 161002;
  int64_t *dims = nullptr, *strides = nullptr;
  uint64_t rank = 0;
  aclGetViewShape(out, &dims, &rank);
  aclGetViewStrides(out, &strides, &rank);
  auto *task = new Task{dataOf(self), dataOf(out), rank ? dims[0] : 1,
                        rank ? strides[0] : 1, fault};
  delete[] dims;
  delete[] strides;
  *workspaceSize = 0;
  *executor = reinterpret_cast<aclOpExecutor *>(task);
  return 0;
}

__attribute__((visibility("default"))) aclnnStatus aclnnFaultyLossBackward(
    void *, uint64_t, aclOpExecutor *executor, aclrtStream) {
  auto *task = reinterpret_cast<Task *>(executor);
  Task t = *task;
  delete task;
  if (t.fault == 12) // reads what it may have overwritten
    for (int64_t i = 0; i < t.count; ++i)
      t.out[i * t.stride] = 0;
  for (int64_t i = 0; i < t.count - (t.fault == 2);
       ++i) // 2: the last is left out
    t.out[i * t.stride] = 2 * t.self[i];
  switch (t.fault) {
  case 3:
    t.out[1 * t.stride] += 1;
    break;
  case 4:
    t.out[t.count * t.stride + 3] = 0;
    break;
  case 5:
    t.out[-2] = 0;
    break;
  case 6:
    t.self[2] += 1;
    break;
  case 7: // with a strided output: between its elements
    t.out[1] = 0;
    break;
  case 8:
    std::abort();
  case 9:
    _exit(3);
  case 10:
    for (;;)
      pause();
  case 11:
    return 561000;
  }
  return 0;
}
}
