// A hand-written kernel and its host program, as a user has them: z = x + y in
// half, double-buffered. Tests run it in check and profile mode; the arguments
// are the number of elements, of cores and of elements per tile, and "broken"
// for a version that forgets to wait for its input.
#include "tikicpulib.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace AscendC;

struct AddTiling {
  uint64_t count;
  uint32_t tile;
  uint32_t broken;
};

class KernelAdd {
public:
  __aicore__ inline void Init(TPipe *pipe, GM_ADDR x, GM_ADDR y, GM_ADDR z,
                              const AddTiling &tiling) {
    count = tiling.count;
    tile = tiling.tile;
    broken = tiling.broken != 0;
    xGm.SetGlobalBuffer((__gm__ half *)x, count);
    yGm.SetGlobalBuffer((__gm__ half *)y, count);
    zGm.SetGlobalBuffer((__gm__ half *)z, count);
    pipe->InitBuffer(inX, 2, tile * sizeof(half));
    pipe->InitBuffer(inY, 2, tile * sizeof(half));
    pipe->InitBuffer(out, 2, tile * sizeof(half));
  }
  __aicore__ inline void Process() {
    const uint64_t tiles = count / tile;
    for (uint64_t i = GetBlockIdx(); i < tiles; i += GetBlockNum()) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

private:
  __aicore__ inline void CopyIn(uint64_t i) {
    LocalTensor<half> x = inX.AllocTensor<half>();
    LocalTensor<half> y = inY.AllocTensor<half>();
    DataCopy(x, xGm[i * tile], tile);
    DataCopy(y, yGm[i * tile], tile);
    inX.EnQue(x);
    inY.EnQue(y);
    early = x;
  }
  __aicore__ inline void Compute() {
    LocalTensor<half> z = out.AllocTensor<half>();
    if (broken)
      Abs(z, early, static_cast<int32_t>(tile));
    LocalTensor<half> x = inX.DeQue<half>();
    LocalTensor<half> y = inY.DeQue<half>();
    Add(z, x, y, static_cast<int32_t>(tile));
    out.EnQue(z);
    inX.FreeTensor(x);
    inY.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(uint64_t i) {
    LocalTensor<half> z = out.DeQue<half>();
    DataCopy(zGm[i * tile], z, tile);
    out.FreeTensor(z);
  }

  TQue<QuePosition::VECIN, 1> inX, inY;
  TQue<QuePosition::VECOUT, 1> out;
  GlobalTensor<half> xGm, yGm, zGm;
  LocalTensor<half> early;
  uint64_t count = 0;
  uint32_t tile = 0;
  bool broken = false;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y,
                                                 GM_ADDR z, GM_ADDR tiling) {
  const AddTiling data = *reinterpret_cast<AddTiling *>(tiling);
  TPipe pipe;
  KernelAdd op;
  op.Init(&pipe, x, y, z, data);
  op.Process();
}

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 65536;
  const uint32_t cores = argc > 2 ? std::atoi(argv[2]) : 8;
  const uint32_t tile = argc > 3 ? std::atoi(argv[3]) : 1024;
  const uint32_t broken = argc > 4 && !std::strcmp(argv[4], "broken");
  auto x = (uint8_t *)GmAlloc(count * 2);
  auto y = (uint8_t *)GmAlloc(count * 2);
  auto z = (uint8_t *)GmAlloc(count * 2);
  auto tiling = (AddTiling *)GmAlloc(sizeof(AddTiling));
  *tiling = {count, tile, broken};
  SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(add_custom, cores, x, y, z, (uint8_t *)tiling);
  GmFree(x);
  GmFree(y);
  GmFree(z);
  GmFree(tiling);
  return 0;
}
