// Matrix multiplication is not part of the stand-in. Many vector kernels
// include this header without using it; the ones that use it are told so when
// they are compiled.
#pragma once

#include "kernel_operator.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR };

namespace matmul {

template <AscendC::TPosition POSITION, CubeFormat FORMAT, typename TYPE,
          bool ISTRANS = false>
struct MatmulType {};

template <typename... Types> class Matmul {
  static_assert(AscendC::detail::kHasCubeUnit<Types...>,
                LOSSGRAD_CUBE_MESSAGE("Matmul"));
};
template <typename... Types> using MatmulImpl = Matmul<Types...>;

} // namespace matmul

namespace AscendC {
using matmul::Matmul;
using matmul::MatmulImpl;
using matmul::MatmulType;
} // namespace AscendC
