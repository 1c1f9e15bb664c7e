// The usual first kernel: tiles in two buffers, one core per share. Copies
// only, with the addition on the scalar unit, so that this program needs
// nothing but the core of the API.
#include "tikicpulib.h"

#include <cstdio>

using namespace AscendC;

struct AddTiling {
  uint32_t perCore;
  uint32_t tile;
};

// Queues order copies and vector calls; the scalar unit needs its own flags.
template <HardEvent event> __aicore__ inline void PassFlag() {
  const auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

class KernelAdd {
public:
  __aicore__ inline KernelAdd(TPipe *pipe) : pipe(pipe) {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z,
                              const AddTiling &tiling) {
    perCore = tiling.perCore;
    tile = tiling.tile;
    const uint64_t start = GetBlockIdx() * perCore;
    xGm.SetGlobalBuffer((__gm__ float *)x + start, perCore);
    yGm.SetGlobalBuffer((__gm__ float *)y + start, perCore);
    zGm.SetGlobalBuffer((__gm__ float *)z + start, perCore);
    pipe->InitBuffer(inQueue, 2, 2 * tile * sizeof(float));
    pipe->InitBuffer(outQueue, 2, tile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = 0; i < perCore / tile; ++i) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

private:
  __aicore__ inline void CopyIn(uint32_t i) {
    LocalTensor<float> in = inQueue.AllocTensor<float>();
    DataCopy(in, xGm[i * tile], tile);
    DataCopy(in[tile], yGm[i * tile], tile);
    inQueue.EnQue(in);
  }
  __aicore__ inline void Compute() {
    LocalTensor<float> in = inQueue.DeQue<float>();
    LocalTensor<float> out = outQueue.AllocTensor<float>();
    PassFlag<HardEvent::MTE2_S>(); // the inputs are there
    PassFlag<HardEvent::MTE3_S>(); // the last use of `out` is over
    for (uint32_t k = 0; k < tile; ++k)
      out.SetValue(k, in.GetValue(k) + in.GetValue(tile + k));
    PassFlag<HardEvent::S_MTE3>();
    outQueue.EnQue(out);
    inQueue.FreeTensor(in);
  }
  __aicore__ inline void CopyOut(uint32_t i) {
    LocalTensor<float> out = outQueue.DeQue<float>();
    DataCopy(zGm[i * tile], out, tile);
    outQueue.FreeTensor(out);
  }

  TPipe *pipe;
  TQue<QuePosition::VECIN, 1> inQueue;
  TQue<QuePosition::VECOUT, 1> outQueue;
  GlobalTensor<float> xGm, yGm, zGm;
  uint32_t perCore = 0, tile = 0;
};

extern "C" __global__ __aicore__ void
add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(AddTiling);
  GET_TILING_DATA(data, tiling);
  if (g_coreType == AIC)
    return;
  if (TILING_KEY_IS(1)) {
    TPipe pipe;
    KernelAdd op(&pipe);
    op.Init(x, y, z, data);
    op.Process();
  }
}

int main() {
  constexpr uint32_t kBlocks = 8, kPerCore = 2048;
  constexpr size_t kCount = kBlocks * kPerCore;
  auto x = (float *)GmAlloc(kCount * sizeof(float));
  auto y = (float *)GmAlloc(kCount * sizeof(float));
  auto z = (float *)GmAlloc(kCount * sizeof(float));
  auto tiling = (AddTiling *)GmAlloc(sizeof(AddTiling));
  *tiling = {kPerCore, 256};
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = float(i);
    y[i] = float(2 * i);
  }
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_SET_TILING_KEY(1);
  ICPU_RUN_KF(add_custom, kBlocks, (uint8_t *)x, (uint8_t *)y, (uint8_t *)z,
              nullptr, (uint8_t *)tiling);
  int wrong = 0;
  for (size_t i = 0; i < kCount; ++i)
    wrong += z[i] != float(3 * i);
  GmFree(x);
  GmFree(y);
  GmFree(z);
  GmFree(tiling);
  std::printf("%d wrong of %zu\n", wrong, kCount);
  return wrong != 0;
}
