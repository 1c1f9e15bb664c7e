// A kernel of the cube unit: refused by the compiler, with the calls' names and
// nothing else: what stands around the calls is known.
#include "lib/matmul_intf.h"
#include "tikicpulib.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void cube(GM_ADDR x) {
  LocalTensor<half> a, b;
  LocalTensor<float> c;
  GlobalTensor<float> out;
  out.SetGlobalBuffer(reinterpret_cast<float *>(x));
  LoadData2DParams load(0, 4, 1, 0, 0, false, 0);
  load.repeatTimes = 2;
  LoadData(a, b, load);
  LoadData3DParamsV2<half> image;
  image.channelSize = 16;
  LoadData(a, b, image);
  InitConstValue(a, InitConstValueParams<half>(1, 1, 0, 0));
  MmadParams product;
  product.m = product.n = product.k = 16;
  Mmad(c, a, b, product);
  FixpipeParamsV220 store;
  store.quantPre = QuantMode_t::F322F16;
  Fixpipe<float, float, CFG_ROW_MAJOR>(out, c, store);
  Fixpipe(out, c, store);
  using Type = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>;
  TPipe pipe;
  matmul::Matmul<Type, Type, Type> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
  mm.SetTensorA(a);
  mm.template IterateAll<false>(out);
  mm.End();
}

int main() {}
