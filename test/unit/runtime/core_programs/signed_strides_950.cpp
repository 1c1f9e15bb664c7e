// Strides of DataCopyPad on Ascend 950: 64 bits wide and signed, so that one
// block of global memory can be loaded again and again.
// PRODUCT: on Ascend950
#define __NPU_ARCH__ 3510
#include "tikicpulib.h"

#include <cstdio>
#include <type_traits>

using namespace AscendC;

static_assert(std::is_same_v<decltype(DataCopyExtParams::srcStride), int64_t>);
static_assert(std::is_same_v<decltype(DataCopyExtParams::dstStride), int64_t>);

constexpr uint32_t kRows = 5, kBytes = 40; // a row is 10 floats, padded to 16

extern "C" __global__ __aicore__ void repeat_row(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, kRows * 64);
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float *)x, 10);
  to.SetGlobalBuffer((__gm__ float *)y, kRows * 10);
  LocalTensor<float> rows = queue.AllocTensor<float>();
  DataCopyPad(rows, from,
              DataCopyExtParams(kRows, kBytes, -int64_t(kBytes), 0, 0),
              DataCopyPadExtParams<float>(false, 0, 0, 0));
  queue.EnQue(rows);
  rows = queue.DeQue<float>();
  DataCopyPad(to, rows, DataCopyExtParams(kRows, kBytes, 0, 0, 0));
  queue.FreeTensor(rows);
}

int main() {
  const DataCopyExtParams far(2, 32, int64_t{1} << 36, int64_t{1} << 35, 0);
  if (far.srcStride != int64_t{1} << 36 || far.dstStride != int64_t{1} << 35)
    return 1;
  auto *x = static_cast<uint8_t *>(AscendC::GmAlloc(kBytes));
  auto *y = static_cast<uint8_t *>(AscendC::GmAlloc(kRows * kBytes));
  for (int i = 0; i < 10; ++i)
    reinterpret_cast<float *>(x)[i] = static_cast<float>(i + 1);
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(repeat_row, 1, x, y);
  int wrong = 0;
  for (uint32_t i = 0; i < kRows * 10; ++i)
    wrong += reinterpret_cast<float *>(y)[i] != static_cast<float>(i % 10 + 1);
  if (wrong)
    std::printf("%d wrong\n", wrong);
  AscendC::GmFree(x);
  AscendC::GmFree(y);
  return wrong;
}
