// One value per row by index: byte offsets from int32 labels, Gather in UB, and
// labels out of range replaced by Compare and Select. Checked element by
// element.
#include "tikicpulib.h"

#include "kernel_operator.h"

#include <cstdio>

using namespace AscendC;

namespace {
constexpr uint32_t kClasses = 96, kLabels = 512;
}

extern "C" __global__ __aicore__ void
gather_classes(GM_ADDR table, GM_ADDR labels, GM_ADDR result) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 16384);
  const uint32_t share = kLabels / GetBlockNum();
  const uint32_t begin = GetBlockIdx() * share;
  GlobalTensor<float> tableGm, resultGm;
  GlobalTensor<int32_t> labelsGm;
  tableGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(table), kClasses);
  labelsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(labels), kLabels);
  resultGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(result), kLabels);

  LocalTensor<float> values = buffer.GetWithOffset<float>(kClasses, 0);
  LocalTensor<int32_t> index = buffer.GetWithOffset<int32_t>(share, 1024);
  LocalTensor<float> asFloat = buffer.GetWithOffset<float>(share, 4096);
  LocalTensor<uint8_t> inRange = buffer.GetWithOffset<uint8_t>(256, 8192);
  LocalTensor<float> picked = buffer.GetWithOffset<float>(share, 12288);

  DataCopy(values, tableGm, kClasses);
  DataCopy(index, labelsGm[begin], share);
  const int32_t loaded = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V);
  SetFlag<HardEvent::MTE2_V>(loaded);
  WaitFlag<HardEvent::MTE2_V>(loaded);

  Cast(asFloat, index, RoundMode::CAST_NONE, share);
  PipeBarrier<PIPE_V>();
  CompareScalar(inRange, asFloat, static_cast<float>(kClasses), CMPMODE::LT,
                share);
  Maxs(index, index, 0, share);
  PipeBarrier<PIPE_V>();
  Mins(index, index, static_cast<int32_t>(kClasses - 1), share);
  PipeBarrier<PIPE_V>();
  Muls(index, index, static_cast<int32_t>(sizeof(float)), share);
  PipeBarrier<PIPE_V>();
  Gather(picked, values, index.ReinterpretCast<uint32_t>(), 0, share);
  PipeBarrier<PIPE_V>();
  Select(picked, inRange, picked, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE,
         share);

  const int32_t computed = GetTPipePtr()->FetchEventID(HardEvent::V_MTE3);
  SetFlag<HardEvent::V_MTE3>(computed);
  WaitFlag<HardEvent::V_MTE3>(computed);
  DataCopy(resultGm[begin], picked, share);
}

int main() {
  auto *table = static_cast<float *>(GmAlloc(kClasses * sizeof(float)));
  auto *labels = static_cast<int32_t *>(GmAlloc(kLabels * sizeof(int32_t)));
  auto *result = static_cast<float *>(GmAlloc(kLabels * sizeof(float)));
  for (uint32_t i = 0; i < kClasses; ++i)
    table[i] = 0.5f * i + 1;
  for (uint32_t i = 0; i < kLabels; ++i)
    labels[i] = i * 31 % 100; // some beyond the last class
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(gather_classes, 4, reinterpret_cast<uint8_t *>(table),
              reinterpret_cast<uint8_t *>(labels),
              reinterpret_cast<uint8_t *>(result));
  int wrong = 0;
  for (uint32_t i = 0; i < kLabels; ++i) {
    const uint32_t label = labels[i];
    wrong += result[i] != (label < kClasses ? table[label] : -1.0f);
  }
  std::printf("gather_classes: %d of %u wrong\n", wrong, kLabels);
  GmFree(table);
  GmFree(labels);
  GmFree(result);
  return wrong != 0;
}
