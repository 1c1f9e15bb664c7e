// A kernel template chosen by a tiling key of template parameters; all cores
// add their share into the same output.
#include "ascendc/host_api/tiling/template_argument.h"
#include "tikicpulib.h"

#include <cstdio>

using namespace AscendC;

ASCENDC_TPL_ARGS_DECL(HistogramCustom,
                      ASCENDC_TPL_UINT_DECL(width, 4, ASCENDC_TPL_UI_LIST, 8,
                                            16),
                      ASCENDC_TPL_BOOL_DECL(twice, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(
    ASCENDC_TPL_UINT_SEL(width, ASCENDC_TPL_UI_LIST, 8, 16),
    ASCENDC_TPL_BOOL_SEL(twice, 0, 1)));

template <uint32_t width, bool twice>
__global__ __aicore__ void share_custom(GM_ADDR out) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, width * sizeof(float));
  auto tile = buffer.Get<float>();
  for (uint32_t i = 0; i < width; ++i)
    tile.SetValue(i, float(i));
  GlobalTensor<float> outGm;
  outGm.SetGlobalBuffer((__gm__ float *)out, width);
  const auto id =
      static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
  SetFlag<HardEvent::S_MTE3>(id);
  WaitFlag<HardEvent::S_MTE3>(id);
  SetAtomicAdd<float>();
  DataCopy(outGm, tile, width);
  if constexpr (twice)
    DataCopy(outGm, tile, width);
  SetAtomicNone();
}

int main() {
  SetKernelMode(KernelMode::AIV_MODE);
  auto out = (float *)GmAlloc(16 * 4);
  ICPU_SET_TILING_KEY(GET_TPL_TILING_KEY(16, 1));
  auto run = share_custom<16, true>;
  ICPU_RUN_KF(run, 20, out);
  auto small = [](GM_ADDR a) { share_custom<8, false>(a); };
  ICPU_RUN_KF(small, 20, out);
  int wrong = GET_TPL_TILING_KEY(16, 1) != (1u | 1u << 4);
  for (int i = 0; i < 16; ++i)
    wrong += out[i] != 40.0f * i + (i < 8 ? 20.0f * i : 0.0f);
  std::printf("%d wrong\n", wrong);
  return wrong;
}
