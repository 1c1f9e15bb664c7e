// The worked example of LogSoftmaxBackward's documentation: along the first
// axis, with an `output` whose exponentials do not add up to 1, which the
// operator takes as given. `run_document_example` compares what it prints.
#include "DocumentExample.h"

#include "aclnnop/aclnn_logsoftmax_backward.h"

int main() {
  aclrtStream stream;
  const std::vector<int64_t> shape = {4, 2};
  DeviceTensor gradOutput, output, out;
  if (begin(stream) ||
      create<float>({0, 1, 2, 3, 4, 5, 6, 7}, shape, gradOutput) ||
      create<float>({1, 1, 1, 2, 2, 2, 3, 3}, shape, output) ||
      create(std::vector<float>(8, 9), shape, out))
    return 1;

  const int64_t dim = 0;
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
  CHECK(aclnnLogSoftmaxBackwardGetWorkspaceSize(gradOutput.tensor,
                                                output.tensor, dim, out.tensor,
                                                &workspaceSize, &executor));
  return launchAndPrint(aclnnLogSoftmaxBackward, workspaceSize, executor,
                        stream, out, 8) ||
         end(stream, {&gradOutput, &output, &out});
}
