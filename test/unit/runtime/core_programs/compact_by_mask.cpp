// What is above a threshold, packed, and how many there are: bits of Compare
// are the pattern of GatherMask, the length of the tail is its mask. Counts of
// all cores are added by an atomic store.
#include "tikicpulib.h"

#include "kernel_operator.h"

#include <cstdio>

using namespace AscendC;

namespace {
constexpr uint32_t kTotal = 10007, kCores = 7, kTile = 1024;
constexpr float kLimit = 250.0f;
} // namespace

class Compact {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR counts,
                              GM_ADDR total) {
    share = (kTotal + kCores - 1) / kCores;
    begin = GetBlockIdx() * share;
    count = begin + share < kTotal ? share : kTotal - begin;
    xGm.SetGlobalBuffer((__gm__ float *)x + begin, count);
    yGm.SetGlobalBuffer((__gm__ float *)y + begin, count);
    countsGm.SetGlobalBuffer((__gm__ int32_t *)counts, kCores * 8);
    totalGm.SetGlobalBuffer((__gm__ int32_t *)total, 8);
    pipe.InitBuffer(in, 2, kTile * sizeof(float));
    pipe.InitBuffer(out, 2, kTile * sizeof(float));
    pipe.InitBuffer(bits, kTile / 8);
    pipe.InitBuffer(number, 32);
  }
  __aicore__ inline void Process() {
    uint32_t written = 0;
    for (uint32_t at = 0; at < count; at += kTile) {
      const uint32_t n = count - at < kTile ? count - at : kTile;
      LocalTensor<float> x = in.AllocTensor<float>();
      DataCopyPad(x, xGm[at], {1, n * (uint32_t)sizeof(float), 0, 0, 0},
                  {false, 0, 0, 0});
      in.EnQue(x);
      x = in.DeQue<float>();
      LocalTensor<uint8_t> mask = bits.Get<uint8_t>();
      CompareScalar(mask, x, kLimit, CMPMODE::GT, (n + 63) / 64 * 64);
      PipeBarrier<PIPE_V>();
      LocalTensor<float> y = out.AllocTensor<float>();
      uint64_t kept = 0;
      GatherMask(y, x, mask.ReinterpretCast<uint32_t>(), true, n, {1, 1, 0, 0},
                 kept);
      out.EnQue(y);
      in.FreeTensor(x);
      y = out.DeQue<float>();
      if (kept > 0)
        DataCopyPad(yGm[written], y,
                    {1, (uint32_t)(kept * sizeof(float)), 0, 0, 0});
      out.FreeTensor(y);
      written += kept;
    }
    LocalTensor<int32_t> sum = number.Get<int32_t>();
    Duplicate(sum, 0, 8);
    SetFlag<HardEvent::V_S>(EVENT_ID1);
    WaitFlag<HardEvent::V_S>(EVENT_ID1);
    sum.SetValue(0, (int32_t)written);
    sum.SetValue(1, 1);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID1);
    DataCopy(countsGm[GetBlockIdx() * 8], sum, 8);
    SetAtomicAdd<int32_t>();
    DataCopy(totalGm, sum, 8);
    SetAtomicNone();
  }

private:
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  TBuf<TPosition::VECCALC> bits, number;
  GlobalTensor<float> xGm, yGm;
  GlobalTensor<int32_t> countsGm, totalGm;
  uint32_t share, begin, count;
};

extern "C" __global__ __aicore__ void compact(GM_ADDR x, GM_ADDR y,
                                              GM_ADDR counts, GM_ADDR total) {
  Compact op;
  op.Init(x, y, counts, total);
  op.Process();
}

int main() {
  auto *x = static_cast<float *>(GmAlloc(kTotal * sizeof(float)));
  auto *y = static_cast<float *>(GmAlloc(kTotal * sizeof(float)));
  auto *counts = static_cast<int32_t *>(GmAlloc(kCores * 32));
  auto *total = static_cast<int32_t *>(GmAlloc(32));
  for (uint32_t i = 0; i < kTotal; ++i)
    x[i] = static_cast<float>(i * 37 % 1001);
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(compact, kCores, (uint8_t *)x, (uint8_t *)y, (uint8_t *)counts,
              (uint8_t *)total);
  int wrong = 0, all = 0;
  const uint32_t share = (kTotal + kCores - 1) / kCores;
  for (uint32_t c = 0; c < kCores; ++c) {
    uint32_t n = 0;
    for (uint32_t i = c * share; i < kTotal && i < (c + 1) * share; ++i)
      if (x[i] > kLimit)
        wrong += y[c * share + n++] != x[i];
    wrong += counts[c * 8] != (int)n;
    all += n;
  }
  wrong += total[0] != all || total[1] != (int)kCores;
  std::printf("compact: %d wrong, %d kept\n", wrong, all);
  return wrong != 0;
}
