// The macros around a kernel: kernel types, tiling keys and tiling data,
// assertions and printing. The GET_TILING_DATA family, which the vendor's build
// generates per operator, copies from the tiling pointer; a test that defines
// its own keeps it.
#pragma once

#include "ascendc/system.h"

#include <cstring>

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX,
};

// Markers for the vendor's build; no code.
#define KERNEL_TASK_TYPE_DEFAULT(value)
#define KERNEL_TASK_TYPE(key, value)
#define ENABLE_DETERMINISTIC()
#define ENABLE_PRINTF()
#define ENABLE_PRINTF_DUMP_SIZE()
#define ENABLE_ASSERT()
#define ENABLE_ASSERT_DUMP_SIZE()
// Tested by value: checks of out-of-bounds access that the vendor compiles in.
#ifndef ASCENDC_OOM
#define ASCENDC_OOM 0
#endif

// A hint to the instruction cache, in units of 2 KiB.
#define PRELOAD(len) static_cast<void>(len)

#define TILING_KEY_VAR g_tilingKey
#define TILING_KEY_IS(k) (TILING_KEY_VAR == (k))
#define TILING_KEY_LIST(k1, k2)                                                \
  (TILING_KEY_VAR == (k1) || TILING_KEY_VAR == (k2))

// Names the struct that GET_TILING_DATA declares in this scope.
#ifndef REGISTER_TILING_DEFAULT
#define REGISTER_TILING_DEFAULT(tiling_struct)                                 \
  [[maybe_unused]] typedef tiling_struct RegisterTilingDefaultComesFirst
#endif
// The struct must be default-constructible in the kernel, as on the device.
#ifndef REGISTER_TILING_FOR_TILINGKEY
#define REGISTER_TILING_FOR_TILINGKEY(expression, tiling_struct)               \
  do {                                                                         \
    [[maybe_unused]] tiling_struct __verify_tiling_struct;                     \
  } while (0)
#endif
#ifndef REGISTER_NONE_TILING
#define REGISTER_NONE_TILING
#endif

#ifndef GET_TILING_DATA_WITH_STRUCT
#define GET_TILING_DATA_WITH_STRUCT(tiling_struct, tiling_data, tiling_arg)    \
  tiling_struct tiling_data;                                                   \
  std::memcpy(static_cast<void *>(&tiling_data), (tiling_arg),                 \
              sizeof(tiling_struct))
#endif
#ifndef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA_MEMBER(tiling_struct, member, var, tiling_arg)         \
  decltype(tiling_struct::member) var;                                         \
  std::memcpy(static_cast<void *>(&var),                                       \
              reinterpret_cast<const uint8_t *>(tiling_arg) +                  \
                  __builtin_offsetof(tiling_struct, member),                   \
              sizeof(var))
#endif
#ifndef GET_TILING_DATA_PTR_WITH_STRUCT
#define GET_TILING_DATA_PTR_WITH_STRUCT(tiling_struct, tiling_ptr, tiling_arg) \
  const tiling_struct *tiling_ptr =                                            \
      reinterpret_cast<const tiling_struct *>(tiling_arg)
#endif

// GET_TILING_DATA names no struct: it is the one of REGISTER_TILING_DEFAULT.
// Without that, the incomplete type says in the error what is missing.
struct RegisterTilingDefaultComesFirst;
#ifndef GET_TILING_DATA
#define GET_TILING_DATA(tiling_data, tiling_arg)                               \
  GET_TILING_DATA_WITH_STRUCT(RegisterTilingDefaultComesFirst, tiling_data,    \
                              tiling_arg)
#endif

#define COPY_TILING_WITH_STRUCT(tiling_struct, src, dst)                       \
  std::memcpy(static_cast<void *>(dst), (src), sizeof(tiling_struct))
#define COPY_TILING_WITH_ARRAY(arr_type, count, src, dst)                      \
  std::memcpy(static_cast<void *>(dst), (src), sizeof(arr_type) * (count))

// The kernel's own condition, with its line.
#ifndef ASSERT
#define ASSERT(cond)                                                           \
  do {                                                                         \
    if (!(cond))                                                               \
      lossgrad::sim::assertionFailed(#cond, "", AscendC::Site::here());        \
  } while (0)
#endif
#ifndef ASSERT_MSG
#define ASSERT_MSG(cond, ...)                                                  \
  do {                                                                         \
    if (!(cond)) {                                                             \
      lossgrad::sim::printFromKernel(__VA_ARGS__);                             \
      lossgrad::sim::assertionFailed(#cond, "", AscendC::Site::here());        \
    }                                                                          \
  } while (0)
#endif
// ascendc_assert(condition) or ascendc_assert(condition, format, ...).
#ifndef ascendc_assert
#define ascendc_assert(cond, ...)                                              \
  do {                                                                         \
    if (!(cond)) {                                                             \
      __VA_OPT__(lossgrad::sim::printFromKernel(__VA_ARGS__);)                 \
      lossgrad::sim::assertionFailed(#cond, "", AscendC::Site::here());        \
    }                                                                          \
  } while (0)
#endif
#define ASCENDC_ASSERT(cond, behavior)                                         \
  do {                                                                         \
    if (!(cond)) {                                                             \
      behavior;                                                                \
      lossgrad::sim::assertionFailed(#cond, "", AscendC::Site::here());        \
    }                                                                          \
  } while (0)
enum class LogLevel {
  KERNEL_DEBUG = 0,
  KERNEL_INFO,
  KERNEL_WARN,
  KERNEL_ERROR
};
#define KERNEL_LOG(level, ...) lossgrad::sim::printFromKernel(__VA_ARGS__)

namespace AscendC {
template <typename... Args> void PRINTF(const char *format, Args... args) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  lossgrad::sim::printFromKernel(format, args...);
#pragma GCC diagnostic pop
}
template <typename... Args> void printf(const char *format, Args... args) {
  PRINTF(format, args...);
}

// Prints a header and up to dumpSize elements.
namespace detail {
template <typename T>
void DumpElements(const T *data, uint32_t desc, uint32_t dumpSize) {
  PRINTF("DumpTensor desc=%u block=%lld:", desc,
         static_cast<long long>(GetBlockIdx()));
  for (uint32_t i = 0; i < dumpSize; ++i)
    PRINTF(" %g", static_cast<double>(data[i]));
  PRINTF("\n");
}
} // namespace detail
template <typename T>
void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc,
                uint32_t dumpSize) {
  detail::DumpElements(tensor.GetPhyAddr(), desc, dumpSize);
}
template <typename T>
void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc,
                uint32_t dumpSize) {
  detail::DumpElements(tensor.GetPhyAddr(), desc, dumpSize);
}
} // namespace AscendC
