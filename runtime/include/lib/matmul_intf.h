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

public:
  // So that the message above is the only one.
#define LOSSGRAD_MATMUL_CALL(NAME)                                             \
  template <auto... Options, typename... Args> bool NAME(Args &&...) {         \
    return false;                                                              \
  }
  LOSSGRAD_MATMUL_CALL(Init)
  LOSSGRAD_MATMUL_CALL(SetOrgShape)
  LOSSGRAD_MATMUL_CALL(SetSingleShape)
  LOSSGRAD_MATMUL_CALL(SetTail)
  LOSSGRAD_MATMUL_CALL(SetTensorA)
  LOSSGRAD_MATMUL_CALL(SetTensorB)
  LOSSGRAD_MATMUL_CALL(SetBias)
  LOSSGRAD_MATMUL_CALL(ClearBias)
  LOSSGRAD_MATMUL_CALL(DisableBias)
  LOSSGRAD_MATMUL_CALL(SetQuantScalar)
  LOSSGRAD_MATMUL_CALL(SetQuantVector)
  LOSSGRAD_MATMUL_CALL(SetWorkspace)
  LOSSGRAD_MATMUL_CALL(SetLocalWorkspace)
  LOSSGRAD_MATMUL_CALL(SetHF32)
  LOSSGRAD_MATMUL_CALL(SetSubBlockIdx)
  LOSSGRAD_MATMUL_CALL(SetUserDefInfo)
  LOSSGRAD_MATMUL_CALL(Iterate)
  LOSSGRAD_MATMUL_CALL(IterateAll)
  LOSSGRAD_MATMUL_CALL(IterateBatch)
  LOSSGRAD_MATMUL_CALL(WaitIterateAll)
  LOSSGRAD_MATMUL_CALL(GetTensorC)
  LOSSGRAD_MATMUL_CALL(GetBatchTensorC)
  LOSSGRAD_MATMUL_CALL(End)
#undef LOSSGRAD_MATMUL_CALL
};
template <typename... Types> using MatmulImpl = Matmul<Types...>;

} // namespace matmul

namespace AscendC {
using matmul::Matmul;
using matmul::MatmulImpl;
using matmul::MatmulType;
} // namespace AscendC

#ifndef REGIST_MATMUL_OBJ
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)
#endif
