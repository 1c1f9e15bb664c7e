// A kernel for products with coupled cores, without byte-granular copies and
// without a hardware barrier: y = (x - mean) limited from below by 0. Every
// core sums its share into a slot of the workspace, all meet by a software
// SyncAll over zeroed memory, every core reads all slots. The last block of a
// tensor is shifted back to end with it; fewer than 32 bytes go through
// scalars. Included by one program per product, which defines __NPU_ARCH__
// first.
#pragma once

#include "tikicpulib.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace AscendC;

struct MeanTiling {
  uint32_t count;
  uint32_t perCore; // elements, whole blocks
  uint32_t tile;    // elements, whole blocks
};

template <typename T> class KernelMean {
public:
  __aicore__ inline void Init(TPipe *pipeIn, GM_ADDR x, GM_ADDR y,
                              GM_ADDR workspace, const MeanTiling &tilingIn) {
    pipe = pipeIn;
    tiling = tilingIn;
    xGm.SetGlobalBuffer((__gm__ T *)x, tiling.count);
    yGm.SetGlobalBuffer((__gm__ T *)y, tiling.count);
    const uint32_t blocks = static_cast<uint32_t>(GetBlockNum());
    syncGm.SetGlobalBuffer((__gm__ int32_t *)workspace, blocks * 8);
    sumGm.SetGlobalBuffer((__gm__ float *)workspace + blocks * 8, blocks * 8);
    pipe->InitBuffer(in, 2, tiling.tile * sizeof(T));
    pipe->InitBuffer(out, 2, tiling.tile * sizeof(T));
    pipe->InitBuffer(wide, tiling.tile * sizeof(float));
    pipe->InitBuffer(zeros, tiling.tile * sizeof(float));
    pipe->InitBuffer(work, tiling.tile * sizeof(float));
    pipe->InitBuffer(slot, 32);
    pipe->InitBuffer(slots, blocks * 32);
    pipe->InitBuffer(syncLocal, blocks * 32);
  }
  __aicore__ inline void Process() {
    const bool scalars = tiling.count < kBlock;
    const uint32_t core = static_cast<uint32_t>(GetBlockIdx());
    // Whole blocks; the last core that has any also has what is left.
    const uint32_t whole = tiling.count / kBlock * kBlock;
    begin = Min(core * tiling.perCore, whole);
    end = Min(begin + tiling.perCore, whole);
    if (end == whole && begin < whole)
      end = tiling.count;
    float sum = 0;
    if (scalars && core == 0)
      for (uint32_t i = 0; i < tiling.count; ++i)
        sum += static_cast<float>(xGm.GetValue(i));
    if (!scalars)
      sum = SumOfShare();
    Meet(sum);
    const float mean = total / static_cast<float>(tiling.count);
    if (scalars && core == 0)
      StoreScalars(mean);
    if (!scalars)
      EachTile([&](uint32_t at, uint32_t n, uint32_t) { Limit(at, n, mean); });
  }

private:
  static constexpr uint32_t kBlock = 32 / sizeof(T);
  static uint32_t Min(uint32_t a, uint32_t b) { return a < b ? a : b; }

  // visit(start, elements, of which the last so many are new).
  template <typename Visit> __aicore__ inline void EachTile(Visit visit) {
    for (uint32_t at = begin; at < end; at += tiling.tile) {
      const uint32_t n = Min(tiling.tile, end - at);
      const uint32_t blocks = n / kBlock * kBlock;
      if (blocks)
        visit(at, blocks, blocks);
      if (n != blocks)
        visit(at + n - kBlock, kBlock, n - blocks);
    }
  }
  __aicore__ inline LocalTensor<float> Load(uint32_t at, uint32_t n) {
    LocalTensor<T> x = in.AllocTensor<T>();
    DataCopy(x, xGm[at], n);
    in.EnQue(x);
    x = in.DeQue<T>();
    LocalTensor<float> f = wide.Get<float>();
    if constexpr (sizeof(T) == 2)
      Cast(f, x, RoundMode::CAST_NONE, n);
    else
      DataCopy(f, x, n);
    PipeBarrier<PIPE_V>();
    in.FreeTensor(x);
    return f;
  }
  template <HardEvent event> __aicore__ inline void Wait() {
    const auto id = GetTPipePtr()->FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
  }
  __aicore__ inline float SumOfShare() {
    float sum = 0;
    EachTile([&](uint32_t at, uint32_t n, uint32_t fresh) {
      LocalTensor<float> f = Load(at, n);
      if (fresh == n) {
        ReduceSum(f, f, work.Get<float>(), static_cast<int32_t>(n));
        Wait<HardEvent::V_S>();
        sum += f.GetValue(0);
      } else {
        Wait<HardEvent::V_S>();
        for (uint32_t i = n - fresh; i < n; ++i)
          sum += f.GetValue(i);
      }
      Wait<HardEvent::S_V>();
    });
    return sum;
  }
  __aicore__ inline void Meet(float sum) {
    LocalTensor<float> own = slot.Get<float>();
    for (uint32_t i = 0; i < 8; ++i)
      own.SetValue(i, sum);
    Wait<HardEvent::S_MTE3>();
    DataCopy(sumGm[GetBlockIdx() * 8], own, 8);
    Wait<HardEvent::MTE3_S>();
    SyncAll(syncGm, syncLocal.Get<int32_t>());
    LocalTensor<float> all = slots.Get<float>();
    const uint32_t blocks = static_cast<uint32_t>(GetBlockNum());
    DataCopy(all, sumGm, blocks * 8);
    Wait<HardEvent::MTE2_S>();
    total = 0;
    for (uint32_t i = 0; i < blocks; ++i)
      total += all.GetValue(i * 8);
  }
  __aicore__ inline void Limit(uint32_t at, uint32_t n, float mean) {
    LocalTensor<float> f = Load(at, n), zero = zeros.Get<float>();
    const auto count = static_cast<int32_t>(n);
    Adds(f, f, -mean, count);
    Duplicate(zero, 0.0f, count); // there is no Maxs on the oldest product
    PipeBarrier<PIPE_V>();
    LocalTensor<T> y = out.AllocTensor<T>();
    if constexpr (sizeof(T) == 2) {
      Max(f, f, zero, count);
      PipeBarrier<PIPE_V>();
      Cast(y, f, RoundMode::CAST_NONE, n);
    } else {
      Max(y, f, zero, count);
    }
    out.EnQue(y);
    y = out.DeQue<T>();
    DataCopy(yGm[at], y, n);
    out.FreeTensor(y);
    PipeBarrier<PIPE_MTE3>(); // the block that is shifted back overlaps
  }
  __aicore__ inline void StoreScalars(float mean) {
    for (uint32_t i = 0; i < tiling.count; ++i) {
      const float v = static_cast<float>(xGm.GetValue(i)) - mean;
      yGm.SetValue(i, static_cast<T>(v > 0 ? v : 0.0f));
    }
#if __NPU_ARCH__ == 2002
    DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE>(yGm);
#endif
  }

  TPipe *pipe;
  MeanTiling tiling;
  GlobalTensor<T> xGm, yGm;
  GlobalTensor<int32_t> syncGm;
  GlobalTensor<float> sumGm;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<TPosition::VECCALC> wide, zeros, work, slot, slots, syncLocal;
  uint32_t begin = 0, end = 0;
  float total = 0;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                           GM_ADDR tilingGm) {
  MeanTiling tiling;
  std::memcpy(&tiling, tilingGm, sizeof tiling);
  TPipe pipe;
  KernelMean<T> op;
  op.Init(&pipe, x, y, workspace, tiling);
  op.Process();
}
extern "C" __global__ __aicore__ void
mean_float(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  Run<float>(x, y, workspace, tiling);
}
extern "C" __global__ __aicore__ void
mean_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  Run<half>(x, y, workspace, tiling);
}

template <typename T> int check(uint32_t count, uint32_t blocks) {
  const uint32_t bytes = count * sizeof(T), perBlock = 32 / sizeof(T);
  auto *x = static_cast<uint8_t *>(AscendC::GmAlloc(bytes));
  auto *y = static_cast<uint8_t *>(AscendC::GmAlloc(bytes));
  auto *workspace = static_cast<uint8_t *>(AscendC::GmAlloc(blocks * 64));
  auto *tiling = static_cast<uint8_t *>(AscendC::GmAlloc(sizeof(MeanTiling)));
  const uint32_t units = count / perBlock;
  MeanTiling values{count, (units + blocks - 1) / blocks * perBlock, 256};
  std::memcpy(tiling, &values, sizeof values);
  double mean = 0;
  for (uint32_t i = 0; i < count; ++i) {
    reinterpret_cast<T *>(x)[i] = static_cast<T>(static_cast<float>(i % 17));
    mean += (i % 17) / static_cast<double>(count);
  }
  if (sizeof(T) == 4)
    ICPU_RUN_KF(mean_float, blocks, x, y, workspace, tiling);
  else
    ICPU_RUN_KF(mean_half, blocks, x, y, workspace, tiling);
  int wrong = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const double expected = i % 17 > mean ? i % 17 - mean : 0;
    const double actual = static_cast<float>(reinterpret_cast<T *>(y)[i]);
    wrong += std::fabs(actual - expected) > (sizeof(T) == 2 ? 1e-2 : 1e-4);
  }
  if (wrong)
    std::printf("%u elements of %zu bytes, %u blocks: %d wrong\n", count,
                sizeof(T), blocks, wrong);
  for (uint8_t *memory : {x, y, workspace, tiling})
    AscendC::GmFree(memory);
  return wrong;
}

inline int checkAll() {
  int wrong = 0;
  for (uint32_t count : {1u, 7u, 8u, 15u, 17u, 31u, 33u, 513u, 1021u, 9001u})
    for (uint32_t blocks : {1u, 3u, 8u}) {
      wrong += check<float>(count, blocks);
      wrong += check<half>(count, blocks);
    }
  return wrong != 0;
}
