// A kernel of the cube unit: refused by the compiler, with the calls' names.
#include "lib/matmul_intf.h"
#include "tikicpulib.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void cube(GM_ADDR x) {
  LocalTensor<half> a, b;
  LocalTensor<float> c;
  GlobalTensor<float> out;
  out.SetGlobalBuffer(reinterpret_cast<float *>(x));
  LoadData(a, b, 1);
  Mmad(c, a, b, 1);
  Fixpipe<float, float>(out, c, 1);
  matmul::Matmul<matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>> mm;
}

int main() {}
