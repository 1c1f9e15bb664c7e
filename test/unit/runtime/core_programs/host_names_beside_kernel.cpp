// A test program that also describes tensors for the host: the twin's header
// must leave the host's enumerators alone, in either order of inclusion, and
// the parts of the kernel header that programs include by name must exist.
// Kernels may bring their own limit, as with the toolkit.
#define K_MAX_SHAPE_DIM 0
#include "kernel_fp16.h"
#include "kernel_log.h"
#include "tikicpulib.h"

#include "graph/c_types.h"
#include "graph/types.h"
#include "securec.h"

static_assert(ge::DT_FLOAT == 0 && ge::DT_FLOAT16 == 1 && ge::DT_BF16 == 27,
              "the host's enumerators have their numbers");
static_assert(sizeof(half) == 2);

constexpr int kHostBool = ge::DT_BOOL;

// From here on a kernel's `#if ORIG_DTYPE_X == DT_FLOAT16` needs macros.
#include "adv_api/math/power.h"
#include "adv_api/math/sign.h"
#include "adv_api/pad/broadcast.h"
#include "basic_api/kernel_vec_intf.h"
#include "cpu_debug_launch.h"
#include "kernel_operator.h"
#include "kernel_operator_intf.h"
#include "kernel_operator_list_tensor_intf.h"
#include "kernel_tensor.h"
#include "kernel_utils.h"
#include "utils/debug/asc_assert.h"
#include "utils/debug/asc_printf.h"

#define ORIG_DTYPE_X 1
#if ORIG_DTYPE_X != DT_FLOAT16 || ORIG_DTYPE_X == DT_FLOAT || DT_BF16 != 27
#error "element types cannot be told apart by the preprocessor"
#endif

static_assert(std::is_same_v<AscendC::int4b_t, int4b_t>);
static_assert(
    std::is_same_v<AscendC::Conditional<sizeof(half) == 2, half, float>::type,
                   half>);
static_assert(AscendC::K_MAX_DIM == 8);

// 12 for the host, 11 for kernels.
static_assert(kHostBool == 12 && DT_BOOL == 11);

extern "C" __global__ __aicore__ void copy_bytes(GM_ADDR x, GM_ADDR y) {
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1>
      queue;
  pipe.InitBuffer(queue, 1, 32);
  AscendC::GlobalTensor<uint8_t> from, to;
  from.SetGlobalBuffer(x, 32);
  to.SetGlobalBuffer(y, 32);
  auto bytes = queue.AllocTensor<uint8_t>();
  AscendC::DataCopy(bytes, from, 32);
  queue.EnQue(bytes);
  bytes = queue.DeQue<uint8_t>();
  AscendC::DataCopy(to, bytes, 32);
  queue.FreeTensor(bytes);
}

int main() {
  auto *x = static_cast<uint8_t *>(AscendC::GmAlloc(32));
  auto *y = static_cast<uint8_t *>(AscendC::GmAlloc(32));
  if (memset_s(x, 32, 7, 32) != EOK || memcpy_s(x, 4, y, 8) != ERANGE ||
      memcpy_s(nullptr, 4, y, 4) != EINVAL)
    return 1;
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(copy_bytes, 1, x, y);
  const bool equal = memcmp(x, y, 32) == 0;
  AscendC::GmFree(x);
  AscendC::GmFree(y);
  return equal ? 0 : 1;
}
