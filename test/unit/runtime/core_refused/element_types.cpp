// Element types that no product has: the message lists those that are.
#include "tikicpulib.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void types(GM_ADDR) {
  LocalTensor<bool> flags;
  LocalTensor<double> wide;
  Duplicate(flags, true, 64);
  Exp(wide, wide, 64);
  Sort32(wide, wide, LocalTensor<uint32_t>(), 1);
}

int main() {}
