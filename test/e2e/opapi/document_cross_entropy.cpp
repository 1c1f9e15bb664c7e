// The worked example of CrossEntropyLossGrad's documentation, with the types
// and sizes that it means: every tensor holds what its declaration says.
// `run_document_example` compares what it prints.
#include "DocumentExample.h"

#include "aclnnop/aclnn_cross_entropy_loss_grad.h"

int main() {
  aclrtStream stream;
  DeviceTensor gradLoss, logProb, target, weight, out;
  if (begin(stream) || create<float>({0.1f}, {}, gradLoss) ||
      create(std::vector<float>(6, -0.2f), {2, 3}, logProb) ||
      create<int64_t>({0, 0}, {2}, target) ||
      create<float>({1, 1, 1}, {3}, weight) ||
      create(std::vector<float>(6, 9), {2, 3}, out))
    return 1;

  char reduction[] = "mean";
  const int64_t ignoreIndex = -100;
  const double labelSmoothing = 0, lseSquareScaleForZloss = 0;
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  CHECK(aclnnCrossEntropyLossGradGetWorkspaceSize(
      gradLoss.tensor, logProb.tensor, target.tensor, weight.tensor, nullptr,
      nullptr, reduction, ignoreIndex, labelSmoothing, lseSquareScaleForZloss,
      out.tensor, &workspaceSize, &executor));
  return launchAndPrint(aclnnCrossEntropyLossGrad, workspaceSize, executor,
                        stream, out, 6) ||
         end(stream, {&gradLoss, &logProb, &target, &weight, &out});
}
