// The worked example of NLLLoss2dBackward's documentation.
// `run_document_example` compares what it prints.
#include "DocumentExample.h"

#include "aclnnop/aclnn_nll_loss2d_backward.h"

int main() {
  aclrtStream stream;
  std::vector<float> logProb;
  for (int i = 0; i < 15; ++i)
    logProb.push_back(4.1f + 0.1f * static_cast<float>(i));
  DeviceTensor gradOutput, self, target, weight, totalWeight, out;
  if (begin(stream) ||
      create<float>({2.7f, 2.6f, 2.5f}, {3, 1, 1}, gradOutput) ||
      create(logProb, {3, 5, 1, 1}, self) ||
      create<int64_t>({2, 3, 1}, {3, 1, 1}, target) ||
      create(std::vector<float>(5, 1), {5}, weight) ||
      create<float>({1}, {1}, totalWeight) ||
      create(std::vector<float>(15, 9), {3, 5, 1, 1}, out))
    return 1;

  const int64_t reduction = 0, ignoreIndex = -100;
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  CHECK(aclnnNLLLoss2dBackwardGetWorkspaceSize(
      gradOutput.tensor, self.tensor, target.tensor, weight.tensor, reduction,
      ignoreIndex, totalWeight.tensor, out.tensor, &workspaceSize, &executor));
  return launchAndPrint(aclnnNLLLoss2dBackward, workspaceSize, executor, stream,
                        out, 15) ||
         end(stream,
             {&gradOutput, &self, &target, &weight, &totalWeight, &out});
}
