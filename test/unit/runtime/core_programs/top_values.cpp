// The largest values of every row with their positions: 32 at a time sorted by
// Sort32, merged four runs by four by MrgSort, taken apart by GatherMask.
// Tensors come from a LocalMemAllocator, without a pipe. Rows are no multiple
// of 32.
#include "tikicpulib.h"

#include "kernel_operator.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace AscendC;

namespace {
constexpr uint32_t kRows = 13, kColumns = 487, kKept = 24;
constexpr uint32_t kPadded = 512, kRuns = kPadded / 32;
} // namespace

extern "C" __global__ __aicore__ void top_values(GM_ADDR x, GM_ADDR values,
                                                 GM_ADDR places) {
  InitSocState();
  LocalMemAllocator<Hardware::UB> memory;
  LocalTensor<float> row = memory.Alloc<TPosition::VECIN, float, kPadded>();
  LocalTensor<uint32_t> index =
      memory.Alloc<TPosition::VECCALC, uint32_t, kPadded>();
  LocalTensor<float> a = memory.Alloc<TPosition::VECCALC, float>(kPadded * 2);
  LocalTensor<float> b = memory.Alloc<TPosition::VECCALC, float>(kPadded * 2);
  LocalTensor<float> best = memory.Alloc<TPosition::VECOUT, float, 64>();
  LocalTensor<uint32_t> where = memory.Alloc<TPosition::VECOUT, uint32_t, 64>();

  GlobalTensor<float> xGm, valuesGm;
  GlobalTensor<uint32_t> placesGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, kRows * kColumns);
  valuesGm.SetGlobalBuffer((__gm__ float *)values, kRows * kKept);
  placesGm.SetGlobalBuffer((__gm__ uint32_t *)places, kRows * kKept);

  CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, kPadded);
  for (uint32_t r = GetBlockIdx(); r < kRows; r += GetBlockNum()) {
    Duplicate(row, -3.0e38f, kPadded);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    const uint8_t pad = (8 - kColumns % 8) % 8;
    DataCopyPad(row, xGm[r * kColumns],
                {1, kColumns * (uint32_t)sizeof(float), 0, 0, 0},
                {true, 0, pad, -3.0e38f});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Sort32(a, row, index, kRuns);
    PipeBarrier<PIPE_V>();
    uint16_t run = 32;
    LocalTensor<float> from = a, to = b;
    for (uint32_t runs = kRuns; runs > 1; runs /= 4) {
      const uint16_t lengths[4] = {run, run, run, run};
      const MrgSort4Info info(lengths, false, 15, (uint16_t)(runs / 4));
      const uint32_t step = run * 2;
      MrgSort(to, {from[0], from[step], from[2 * step], from[3 * step]}, info);
      PipeBarrier<PIPE_V>();
      std::swap(from, to);
      run *= 4;
    }
    uint64_t kept = 0;
    GatherMask(best, from, 1, true, kKept * 2, {1, 1, 0, 0}, kept);
    GatherMask(where, from.ReinterpretCast<uint32_t>(), 2, true, kKept * 2,
               {1, 1, 0, 0}, kept);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(valuesGm[r * kKept], best, kKept);
    DataCopy(placesGm[r * kKept], where, kKept);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
  }
}

int main() {
  auto *x = static_cast<float *>(GmAlloc(kRows * kColumns * sizeof(float)));
  auto *values = static_cast<float *>(GmAlloc(kRows * kKept * sizeof(float)));
  auto *places =
      static_cast<uint32_t *>(GmAlloc(kRows * kKept * sizeof(uint32_t)));
  for (uint32_t i = 0; i < kRows * kColumns; ++i)
    x[i] = static_cast<float>((i * 7919u) % 10007u) - 5000.0f;
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(top_values, 5, (uint8_t *)x, (uint8_t *)values,
              (uint8_t *)places);
  int wrong = 0;
  for (uint32_t r = 0; r < kRows; ++r) {
    std::vector<uint32_t> order(kColumns);
    std::iota(order.begin(), order.end(), 0u);
    const float *row = x + r * kColumns;
    std::sort(order.begin(), order.end(),
              [row](uint32_t i, uint32_t j) { return row[i] > row[j]; });
    for (uint32_t k = 0; k < kKept; ++k)
      wrong += values[r * kKept + k] != row[order[k]] ||
               places[r * kKept + k] != order[k];
  }
  std::printf("top_values: %d wrong\n", wrong);
  return wrong != 0;
}
