// The calls of the cube unit, which the stand-in does not have. A kernel that
// uses one is told which, when it is compiled; one that only includes their
// headers is not.
#pragma once

#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {
template <typename...> inline constexpr bool kHasCubeUnit = false;
}

#define LOSSGRAD_CUBE_MESSAGE(NAME)                                            \
  NAME " is a call of the cube unit, which the stand-in does not have: only "  \
       "vector kernels can be run"
#define LOSSGRAD_CUBE_CALL(NAME)                                               \
  template <typename... Args> void NAME(Args &&...) {                          \
    static_assert(detail::kHasCubeUnit<Args...>,                               \
                  LOSSGRAD_CUBE_MESSAGE(#NAME));                               \
  }
LOSSGRAD_CUBE_CALL(Mmad)
LOSSGRAD_CUBE_CALL(MmadWithSparse)
LOSSGRAD_CUBE_CALL(Gemm)
LOSSGRAD_CUBE_CALL(Conv2D)
LOSSGRAD_CUBE_CALL(LoadData)
LOSSGRAD_CUBE_CALL(LoadDataWithTranspose)
LOSSGRAD_CUBE_CALL(LoadDataWithSparse)
LOSSGRAD_CUBE_CALL(LoadImageToLocal)
#undef LOSSGRAD_CUBE_CALL
// Configurations are template arguments here, which the vendor's calls spell.
template <typename T, typename U, auto &config, typename... Args>
void Fixpipe(Args &&...) {
  static_assert(detail::kHasCubeUnit<T>, LOSSGRAD_CUBE_MESSAGE("Fixpipe"));
}
template <typename... Types, typename... Args> void Fixpipe(Args &&...) {
  static_assert(detail::kHasCubeUnit<Args...>,
                LOSSGRAD_CUBE_MESSAGE("Fixpipe"));
}

} // namespace AscendC
