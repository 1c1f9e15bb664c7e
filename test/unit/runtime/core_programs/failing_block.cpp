// A block that fails makes the program fail although main returns 0, and the
// message is complete.
// EXPECT-FAILURE: FreeTensor at failing_block.cpp:18: the block (VECIN buffer 0) is already free
#include "tikicpulib.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void broken_custom(GM_ADDR in) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> queue;
  pipe.InitBuffer(queue, 1, 32);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)in);
  auto tile = queue.AllocTensor<float>();
  DataCopy(tile, gm, 8);
  queue.FreeTensor(tile);
  if (GetBlockIdx() == 1)
    queue.FreeTensor(tile);
}

int main() {
  SetKernelMode(KernelMode::AIV_MODE);
  auto in = GmAlloc(32);
  ICPU_RUN_KF(broken_custom, 3, in);
  GmFree(in);
  return 0;
}
