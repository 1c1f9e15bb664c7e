// The worked example of SmoothL1LossBackward's documentation: acl, the
// operator's public header, both phases, printed values. Built with one plain
// g++ line against the SDK; `run_document_example` compares what it prints.
#include "DocumentExample.h"

#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

int main() {
  aclrtStream stream;
  const std::vector<int64_t> shape = {4, 2};
  DeviceTensor gradOut, self, target, gradInput;
  if (begin(stream) || create(std::vector<float>(8, 1), shape, gradOut) ||
      create<float>({0, 1, 2, 3, 4, 5, 6, 7}, shape, self) ||
      create(std::vector<float>(8, 1), shape, target) ||
      create(std::vector<float>(8, 9), shape, gradInput))
    return 1;

  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  CHECK(aclnnSmoothL1LossBackwardGetWorkspaceSize(
      gradOut.tensor, self.tensor, target.tensor, 0, 1.0f, gradInput.tensor,
      &workspaceSize, &executor));
  return launchAndPrint(aclnnSmoothL1LossBackward, workspaceSize, executor,
                        stream, gradInput, 8) ||
         end(stream, {&gradOut, &self, &target, &gradInput});
}
