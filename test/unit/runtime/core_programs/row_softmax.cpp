// Softmax along rows: one row per step, maximum and sum as scalars between
// vector calls, rows dealt to cores, a row length that is no multiple of 32
// bytes. Checked against float64.
#include "tikicpulib.h"

#include "kernel_operator.h"

#include <cmath>
#include <cstdio>

using namespace AscendC;

namespace {
constexpr uint32_t kRows = 37, kColumns = 301, kPadded = 304;
}

extern "C" __global__ __aicore__ void row_softmax(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> input;
  TQue<QuePosition::VECOUT, 1> output;
  TBuf<QuePosition::VECCALC> scratch;
  pipe.InitBuffer(input, 2, kPadded * sizeof(float));
  pipe.InitBuffer(output, 2, kPadded * sizeof(float));
  pipe.InitBuffer(scratch, 2 * kPadded * sizeof(float));
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x), kRows * kColumns);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y), kRows * kColumns);
  LocalTensor<float> one = scratch.Get<float>();
  LocalTensor<float> work = one[kPadded];
  const DataCopyExtParams row{1, kColumns * sizeof(float), 0, 0, 0};
  for (uint32_t r = GetBlockIdx(); r < kRows; r += GetBlockNum()) {
    LocalTensor<float> in = input.AllocTensor<float>();
    DataCopyPad(in, from[r * kColumns], row,
                DataCopyPadExtParams<float>{false, 0, 0, 0});
    input.EnQue(in);
    in = input.DeQue<float>();
    LocalTensor<float> out = output.AllocTensor<float>();
    ReduceMax(one, in, work, kColumns);
    const float top = one.GetValue(0);
    Adds(out, in, -top, kColumns);
    PipeBarrier<PIPE_V>();
    Exp(out, out, kColumns);
    PipeBarrier<PIPE_V>();
    ReduceSum(one, out, work, kColumns);
    const float total = one.GetValue(0);
    Muls(out, out, 1.0f / total, kColumns);
    output.EnQue(out);
    input.FreeTensor(in);
    out = output.DeQue<float>();
    DataCopyPad(to[r * kColumns], out, row);
    output.FreeTensor(out);
  }
}

int main() {
  constexpr uint32_t count = kRows * kColumns;
  auto *x = static_cast<float *>(GmAlloc(count * sizeof(float)));
  auto *y = static_cast<float *>(GmAlloc(count * sizeof(float)));
  for (uint32_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i * 7919u % 1000u) / 100.0f - 5.0f;
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(row_softmax, 8, reinterpret_cast<uint8_t *>(x),
              reinterpret_cast<uint8_t *>(y));
  int wrong = 0;
  for (uint32_t r = 0; r < kRows; ++r) {
    double total = 0;
    for (uint32_t c = 0; c < kColumns; ++c)
      total += std::exp(static_cast<double>(x[r * kColumns + c]));
    for (uint32_t c = 0; c < kColumns; ++c) {
      const double right =
          std::exp(static_cast<double>(x[r * kColumns + c])) / total;
      wrong += !(std::fabs(y[r * kColumns + c] - right) <= 1e-6 * right);
    }
  }
  std::printf("row_softmax: %d of %u wrong\n", wrong, count);
  GmFree(x);
  GmFree(y);
  return wrong != 0;
}
