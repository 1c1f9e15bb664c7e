// A deterministic sum over all cores: partial sums to the workspace, SyncAll,
// one core adds them in order. Runs as AIV and as MIX, where vector cores come
// in pairs and the cube core leaves at once.
#include "tikicpulib.h"

#include <cstdio>

using namespace AscendC;

extern "C" __global__ __aicore__ void
sum_custom(GM_ADDR in, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  if ASCEND_IS_AIC {
    return;
  }
  const uint32_t perCore = *(uint32_t *)tiling;
  const uint32_t cores = GetBlockNum() * GetTaskRation();
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 1024);
  auto tile = buffer.Get<float>();
  GlobalTensor<float> inGm, outGm, partial;
  inGm.SetGlobalBuffer((__gm__ float *)in + GetBlockIdx() * perCore, perCore);
  outGm.SetGlobalBuffer((__gm__ float *)out, 1);
  partial.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace),
                          cores * 8);
  float sum = 0;
  for (uint32_t done = 0; done < perCore; done += 256) {
    DataCopy(tile, inGm[done], 256);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    for (uint32_t i = 0; i < 256; ++i)
      sum += tile.GetValue(i);
  }
  tile.SetValue(0, sum);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(partial[GetBlockIdx() * 8], tile, 8);
  SyncAll();
  if (GetBlockIdx() != 0)
    return;
  DataCopy(tile, partial, cores * 8);
  SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
  float total = 0;
  for (uint32_t i = 0; i < cores; ++i)
    total += tile.GetValue(i * 8);
  outGm.SetValue(0, total);
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE,
                           DcciDst::CACHELINE_OUT>(outGm);
}

int main() {
  constexpr uint32_t kCores = 24;
  auto tiling = (uint32_t *)GmAlloc(4);
  *tiling = 1024;
  auto in = (float *)GmAlloc(kCores * 1024 * 4);
  auto out = (float *)GmAlloc(4);
  auto workspace = (uint8_t *)GmAlloc(16 << 20);
  double expected = 0;
  for (uint32_t i = 0; i < kCores * 1024; ++i)
    expected += in[i] = float(int(i % 17) - 8);
  int wrong = 0;
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(sum_custom, kCores, in, out, workspace, tiling);
  wrong += out[0] != expected;
  out[0] = 0;
  SetKernelMode(KernelMode::MIX_MODE);
  ICPU_RUN_KF(sum_custom, kCores / 2, in, out, workspace, tiling);
  wrong += out[0] != expected;
  std::printf("%g, expected %g\n", out[0], expected);
  return wrong;
}
