// Images from [C, HW] to [HW, C] in half: 16 x 16 blocks by TransDataTo5HD with
// several repeats per call, the last block of pixels by a tail, through a
// TQueBind of two blocks on the way in and a TQue on the way out.
#include "tikicpulib.h"

#include "kernel_operator.h"

#include <cstdio>

using namespace AscendC;

namespace {
constexpr uint32_t kChannels = 16, kPixels = 1000, kTile = 256;
}

class Planes {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) {
    xGm.SetGlobalBuffer((__gm__ half *)x, kChannels * kPixels);
    yGm.SetGlobalBuffer((__gm__ half *)y, kChannels * kPixels);
    pipe.InitBuffer(inQueue, 2, kChannels * kTile * sizeof(half));
    pipe.InitBuffer(outQueue, 2, kChannels * kTile * sizeof(half));
  }
  __aicore__ inline void Process() {
    const uint32_t tiles = (kPixels + kTile - 1) / kTile;
    for (uint32_t t = GetBlockIdx(); t < tiles; t += GetBlockNum()) {
      const uint32_t begin = t * kTile;
      const uint32_t count = kPixels - begin < kTile ? kPixels - begin : kTile;
      CopyIn(begin, count);
      Turn(count);
      CopyOut(begin, count);
    }
  }

private:
  __aicore__ inline void CopyIn(uint32_t begin, uint32_t count) {
    LocalTensor<half> in = inQueue.AllocTensor<half>();
    const uint32_t bytes = count * sizeof(half);
    const uint32_t up = (bytes + 31) / 32 * 32;
    DataCopyExtParams copy{(uint16_t)kChannels, bytes,
                           (uint32_t)((kPixels - count) * sizeof(half)),
                           (kTile * 2 - up) / 32, 0};
    DataCopyPadExtParams<half> pad{true, 0, (uint8_t)((up - bytes) / 2),
                                   (half)0};
    DataCopyPad(in, xGm[begin], copy, pad);
    inQueue.EnQue<TPosition::GM, TPosition::VECIN, half>(in);
  }
  __aicore__ inline void Turn(uint32_t count) {
    LocalTensor<half> in =
        inQueue.DeQue<TPosition::GM, TPosition::VECIN, half>();
    LocalTensor<half> out = outQueue.AllocTensor<half>();
    LocalTensor<half> from[16], to[16];
    for (uint32_t c = 0; c < 16; ++c) {
      from[c] = in[c * kTile];
      to[c] = out[c * 16];
    }
    TransDataTo5HDParams params;
    params.repeatTimes = (count + 15) / 16;
    params.dstRepStride = params.repeatTimes == 1 ? 0 : 16;
    params.srcRepStride = params.repeatTimes == 1 ? 0 : 1;
    TransDataTo5HD<half>(to, from, params);
    outQueue.EnQue(out);
    inQueue.FreeTensor(in);
  }
  __aicore__ inline void CopyOut(uint32_t begin, uint32_t count) {
    LocalTensor<half> out = outQueue.DeQue<half>();
    DataCopy(yGm[begin * kChannels], out, count * kChannels);
    outQueue.FreeTensor(out);
  }
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> inQueue;
  TQue<TPosition::VECOUT, 2> outQueue;
  GlobalTensor<half> xGm, yGm;
};

extern "C" __global__ __aicore__ void planes(GM_ADDR x, GM_ADDR y) {
  Planes op;
  op.Init(x, y);
  op.Process();
}

int main() {
  auto *x = static_cast<half *>(GmAlloc(kChannels * kPixels * sizeof(half)));
  auto *y = static_cast<half *>(GmAlloc(kChannels * kPixels * sizeof(half)));
  for (uint32_t i = 0; i < kChannels * kPixels; ++i)
    x[i] = half(static_cast<float>(i % 2048));
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(planes, 3, (uint8_t *)x, (uint8_t *)y);
  int wrong = 0;
  for (uint32_t c = 0; c < kChannels; ++c)
    for (uint32_t p = 0; p < kPixels; ++p)
      wrong += (float)y[p * kChannels + c] != (float)x[c * kPixels + p];
  std::printf("planes: %d wrong\n", wrong);
  return wrong != 0;
}
