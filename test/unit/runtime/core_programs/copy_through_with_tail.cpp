// Copy-through with one bound queue and a tail of any length, in a kernel
// template that a lambda runs; tails as vendors write them with DataCopyPad.
#include "tikicpulib.h"

#include <cstdio>
#include <vector>

using namespace AscendC;

template <typename T>
__global__ __aicore__ void copy_custom(GM_ADDR in, GM_ADDR out,
                                       uint32_t count) {
  constexpr uint32_t kTile = 1024 / sizeof(T);
  TPipe pipe;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, kTile * sizeof(T));
  GlobalTensor<T> inGm, outGm;
  inGm.SetGlobalBuffer((__gm__ T *)in, count);
  outGm.SetGlobalBuffer((__gm__ T *)out, count);
  for (uint32_t done = 0; done < count; done += kTile) {
    const uint32_t now = count - done < kTile ? count - done : kTile;
    DataCopyExtParams bytes{1, static_cast<uint32_t>(now * sizeof(T)), 0, 0, 0};
    LocalTensor<T> tile = queue.template AllocTensor<T>();
    DataCopyPad(tile, inGm[done], bytes,
                DataCopyPadExtParams<T>{false, 0, 0, 0});
    queue.EnQue(tile);
    tile = queue.template DeQue<T>();
    DataCopyPad(outGm[done], tile, bytes);
    queue.FreeTensor(tile);
  }
}

template <typename T> int check(uint32_t count) {
  auto in = (T *)GmAlloc(count * sizeof(T));
  auto out = (T *)GmAlloc((count + 64) * sizeof(T));
  for (uint32_t i = 0; i < count; ++i)
    in[i] = T(i % 100 + 1);
  auto kernel = [count](GM_ADDR a, GM_ADDR b) { copy_custom<T>(a, b, count); };
  ICPU_RUN_KF(kernel, 1, in, out);
  int wrong = 0;
  for (uint32_t i = 0; i < count + 64; ++i)
    wrong += float(out[i]) != (i < count ? float(i % 100 + 1) : 0.0f);
  GmFree(in);
  GmFree(out);
  return wrong;
}

int main() {
  SetKernelMode(KernelMode::AIV_MODE);
  int wrong = 0;
  for (uint32_t count : {1u, 7u, 8u, 31u, 32u, 33u, 513u, 1021u, 4097u})
    wrong += check<float>(count) + check<half>(count) + check<int8_t>(count) +
             check<int64_t>(count);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
