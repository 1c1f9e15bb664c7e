// The worked example of KlDivBackward's documentation, and the same onto a row:
// then the gradient is summed over the rows. `run_document_example` compares
// what it prints.
#include "DocumentExample.h"

#include "aclnnop/aclnn_kl_div_backward.h"

static int run(aclrtStream stream, const std::vector<int64_t> &shape) {
  const std::vector<float> data = {2, 3, 5, 8};
  const int64_t count = shape.size() == 2 ? 4 : 2;
  DeviceTensor gradOutput, self, target, out;
  if (create(data, {2, 2}, gradOutput) ||
      create(std::vector<float>(data.begin(), data.begin() + count), shape,
             self) ||
      create(data, {2, 2}, target) ||
      create(std::vector<float>(count, 9), shape, out))
    return 1;

  const int64_t reduction = 0;
  const bool logTarget = false;
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  CHECK(aclnnKlDivBackwardGetWorkspaceSize(
      gradOutput.tensor, self.tensor, target.tensor, reduction, logTarget,
      out.tensor, &workspaceSize, &executor));
  if (launchAndPrint(aclnnKlDivBackward, workspaceSize, executor, stream, out,
                     count))
    return 1;
  for (const DeviceTensor *tensor : {&gradOutput, &self, &target, &out}) {
    CHECK(aclDestroyTensor(tensor->tensor));
    CHECK(aclrtFree(tensor->memory));
  }
  return 0;
}

int main() {
  aclrtStream stream;
  return begin(stream) || run(stream, {2, 2}) || run(stream, {2}) ||
         end(stream, {});
}
