// The machinery of tikicpulib.h: a kernel call of any type becomes a function
// pointer and a context for the library.
#pragma once

#include "lossgrad/sim/Export.h"
#include "lossgrad/sim/Launch.h"

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lossgrad::sim {

LOSSGRAD_API void *twinAllocate(size_t bytes);
LOSSGRAD_API void twinFree(void *pointer);
LOSSGRAD_API void twinSetKernelMode(KernelMode mode);
LOSSGRAD_API void twinSetTilingKey(int64_t key);
// Runs call(context) on every core, prints what went wrong, and remembers it
// for the end of the program. `architecture` is the __NPU_ARCH__ that the
// source was compiled for.
LOSSGRAD_API void twinLaunch(const char *kernelName, uint32_t blocks,
                             uint32_t architecture, void (*call)(const void *),
                             const void *context, const void *const *arguments,
                             size_t argumentCount);

// What the vendor's build tells a source about its product.
#ifdef __NPU_ARCH__
inline constexpr uint32_t kProductOfThisSource = __NPU_ARCH__;
#elif __CCE_AICORE__ == 200
inline constexpr uint32_t kProductOfThisSource = 2002;
#elif __CCE_AICORE__ == 100
inline constexpr uint32_t kProductOfThisSource = 1001;
#else
inline constexpr uint32_t kProductOfThisSource = 2201;
#endif

// Tests pass void *, uint8_t * or nullptr where the kernel wants GM_ADDR.
template <typename T> auto twinArgument(T argument) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uint8_t *>(
        const_cast<std::remove_cv_t<std::remove_pointer_t<T>> *>(argument));
  else
    return argument;
}

template <typename T> const void *twinAddress(T argument) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<const void *>(argument);
  else
    return nullptr;
}

constexpr size_t kMaxTwinArguments = 32;

template <typename Kernel, typename... Arguments>
void twinRun(const char *name, uint32_t blocks, uint32_t architecture,
             Kernel &&kernel, Arguments... arguments) {
  static_assert(sizeof...(Arguments) <= kMaxTwinArguments,
                "ICPU_RUN_KF takes at most 32 kernel arguments");
  auto call = [&] {
    if constexpr (std::is_invocable_v<Kernel, Arguments...>)
      kernel(arguments...);
    else
      kernel(twinArgument(arguments)...);
  };
  using Call = decltype(call);
  // For reports, which name an argument by its number.
  const void *const addresses[sizeof...(Arguments) + 1] = {
      twinAddress(arguments)...};
  twinLaunch(
      name, blocks, architecture,
      [](const void *context) { (*static_cast<const Call *>(context))(); },
      &call, addresses, sizeof...(Arguments));
}

} // namespace lossgrad::sim
