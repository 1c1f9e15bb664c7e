// High-level elementwise calls: Tanh, Sigmoid, Sign, Log, Exp with a Taylor
// level, Ceil, Floor, Round, Trunc, Erf, Clamp, Power, and BroadCast. Each
// exists with and without a temporary buffer.
#pragma once

#include "ascendc/adv/abi.h"
#include "ascendc/vector/elementwise.h"

namespace AscendC {

#define LOSSGRAD_MATH(NAME)                                                    \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const LocalTensor<uint8_t> &, const uint32_t calCount,                   \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float);                                      \
    lossgrad_vec::mathCall(lossgrad_vec::MathOp::NAME,                         \
                           lossgrad_vec::typeOf<T>,                            \
                           lossgrad_vec::at(dst).addr,                         \
                           lossgrad_vec::at(src).addr, calCount, site);        \
  }                                                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const uint32_t calCount, Site site = Site::here()) {                     \
    NAME<T, isReuseSource>(dst, src, LocalTensor<uint8_t>(), calCount, site);  \
  }                                                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const LocalTensor<uint8_t> &tmp, Site site = Site::here()) {             \
    NAME<T, isReuseSource>(dst, src, tmp, src.GetSize(), site);                \
  }                                                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void NAME(const LocalTensor<T> &dst,                       \
                              const LocalTensor<T> &src,                       \
                              Site site = Site::here()) {                      \
    NAME<T, isReuseSource>(dst, src, LocalTensor<uint8_t>(), src.GetSize(),    \
                           site);                                              \
  }
LOSSGRAD_MATH(Tanh)
LOSSGRAD_MATH(Sigmoid)
LOSSGRAD_MATH(Sign)
LOSSGRAD_MATH(Log)
LOSSGRAD_MATH(Log2)
LOSSGRAD_MATH(Log10)
LOSSGRAD_MATH(Ceil)
LOSSGRAD_MATH(Floor)
LOSSGRAD_MATH(Round)
LOSSGRAD_MATH(Trunc)
LOSSGRAD_MATH(Erf)
#undef LOSSGRAD_MATH

// The level of the Taylor expansion matters for the device's accuracy only.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const uint32_t calCount, Site site = Site::here()) {
  LOSSGRAD_TAKES(Exp, T, half, float);
  lossgrad_vec::mathCall(lossgrad_vec::MathOp::Exp, lossgrad_vec::typeOf<T>,
                         lossgrad_vec::at(dst).addr, lossgrad_vec::at(src).addr,
                         calCount, site);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LocalTensor<uint8_t> &,
                           const uint32_t calCount, Site site = Site::here()) {
  Exp<T, taylorExpandLevel, isReuseSource>(dst, src, calCount, site);
}

#define LOSSGRAD_CLAMP(NAME, UPPER)                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const LocalTensor<uint8_t> &, const T scalar, const uint32_t calCount,   \
      Site site = Site::here()) {                                              \
    LOSSGRAD_TAKES(NAME, T, half, float);                                      \
    lossgrad_vec::clampCall(                                                   \
        UPPER, lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,            \
        lossgrad_vec::at(src).addr, lossgrad_vec::Scalar::of<T>(scalar),       \
        calCount, site);                                                       \
  }                                                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, const T scalar,    \
      const uint32_t calCount, Site site = Site::here()) {                     \
    NAME<T, isReuseSource>(dst, src, LocalTensor<uint8_t>(), scalar, calCount, \
                           site);                                              \
  }
LOSSGRAD_CLAMP(ClampMax, true)
LOSSGRAD_CLAMP(ClampMin, false)
#undef LOSSGRAD_CLAMP

// base ^ exponent, either of which may be a scalar.
template <typename T, bool isReuseSource = false>
__aicore__ inline void
Power(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
      const LocalTensor<T> &src1, const LocalTensor<uint8_t> &,
      uint32_t calCount, Site site = Site::here()) {
  LOSSGRAD_TAKES(Power, T, half, float, int32_t);
  lossgrad_vec::powerCall(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                          lossgrad_vec::at(src0).addr,
                          lossgrad_vec::at(src1).addr, {}, calCount, site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Power(const LocalTensor<T> &dst,
                             const LocalTensor<T> &src0, const T &src1Scalar,
                             const LocalTensor<uint8_t> &, uint32_t calCount,
                             Site site = Site::here()) {
  LOSSGRAD_TAKES(Power, T, half, float, int32_t);
  lossgrad_vec::powerCall(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                          lossgrad_vec::at(src0).addr, nullptr,
                          lossgrad_vec::Scalar::of<T>(src1Scalar), calCount,
                          site);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Power(const LocalTensor<T> &dst, const T &src0Scalar,
                             const LocalTensor<T> &src1,
                             const LocalTensor<uint8_t> &, uint32_t calCount,
                             Site site = Site::here()) {
  LOSSGRAD_TAKES(Power, T, half, float, int32_t);
  lossgrad_vec::powerCall(lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,
                          nullptr, lossgrad_vec::at(src1).addr,
                          lossgrad_vec::Scalar::of<T>(src0Scalar), calCount,
                          site);
}
#define LOSSGRAD_POWER(A, B, SIZE)                                             \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void Power(const LocalTensor<T> &dst, const A &src0,       \
                               const B &src1, uint32_t calCount,               \
                               Site site = Site::here()) {                     \
    Power<T, isReuseSource>(dst, src0, src1, LocalTensor<uint8_t>(), calCount, \
                            site);                                             \
  }                                                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void Power(const LocalTensor<T> &dst, const A &src0,       \
                               const B &src1, const LocalTensor<uint8_t> &tmp, \
                               Site site = Site::here()) {                     \
    Power<T, isReuseSource>(dst, src0, src1, tmp, SIZE.GetSize(), site);       \
  }                                                                            \
  template <typename T, bool isReuseSource = false>                            \
  __aicore__ inline void Power(const LocalTensor<T> &dst, const A &src0,       \
                               const B &src1, Site site = Site::here()) {      \
    Power<T, isReuseSource>(dst, src0, src1, LocalTensor<uint8_t>(),           \
                            SIZE.GetSize(), site);                             \
  }
LOSSGRAD_POWER(LocalTensor<T>, LocalTensor<T>, src0)
LOSSGRAD_POWER(LocalTensor<T>, T, src0)
LOSSGRAD_POWER(T, LocalTensor<T>, src1)
#undef LOSSGRAD_POWER

//===- BroadCast ----------------------------------------------------------===//

#define LOSSGRAD_BROADCAST(NAME)                                               \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false> \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const uint32_t dstShape[dim], const uint32_t srcShape[dim],              \
      Site site = Site::here()) {                                              \
    static_assert((dim == 1 || dim == 2) && (axis == 0 || axis == 1) &&        \
                      axis < dim,                                              \
                  #NAME ": dim is 1 or 2, axis is within it");                 \
    LOSSGRAD_TAKES(NAME, T, LOSSGRAD_REALS, LOSSGRAD_INTEGERS);                \
    lossgrad_vec::broadcastCall(                                               \
        lossgrad_vec::typeOf<T>, lossgrad_vec::at(dst).addr,                   \
        lossgrad_vec::at(src).addr, dim, axis, dstShape, srcShape, site);      \
  }                                                                            \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false> \
  __aicore__ inline void NAME(                                                 \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const uint32_t dstShape[dim], const uint32_t srcShape[dim],              \
      LocalTensor<uint8_t> &, Site site = Site::here()) {                      \
    NAME<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, site);     \
  }
LOSSGRAD_BROADCAST(BroadCast)
LOSSGRAD_BROADCAST(Broadcast)
#undef LOSSGRAD_BROADCAST

} // namespace AscendC
