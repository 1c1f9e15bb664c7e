// Elementwise calls as function pointers. Kernels pass `Add` or `Exp` to a
// helper, or as a template argument, with the vendor's exact type; the wrappers
// in elementwise.h have one parameter more (the site), so each gets a twin of
// that type here. A twin's return type is a template parameter: only a target
// type can deduce it, so an ordinary call never sees the twin. What a report
// can name as the site is then this file.
#pragma once

#include "ascendc/vector/elementwise.h"

namespace AscendC {

#define LOSSGRAD_TWIN(NAME, RESULT, PARAMETERS, CALL)                          \
  template <typename T, bool isSetMask = true, typename RESULT>                \
  RESULT NAME PARAMETERS {                                                     \
    static_assert(std::is_void_v<RESULT>, #NAME " returns void");              \
    CALL;                                                                      \
  }

#define LOSSGRAD_BINARY_TWINS(NAME)                                            \
  LOSSGRAD_TWIN(                                                               \
      NAME, R,                                                                 \
      (const LocalTensor<T> &dst, const LocalTensor<T> &src0,                  \
       const LocalTensor<T> &src1, uint64_t mask[], const uint8_t repeatTime,  \
       const BinaryRepeatParams &params),                                      \
      (NAME<T, isSetMask>(dst, src0, src1, mask, RepeatTime(repeatTime),       \
                          params, Site::here())))                              \
  LOSSGRAD_TWIN(                                                               \
      NAME, R,                                                                 \
      (const LocalTensor<T> &dst, const LocalTensor<T> &src0,                  \
       const LocalTensor<T> &src1, uint64_t mask, const uint8_t repeatTime,    \
       const BinaryRepeatParams &params),                                      \
      (NAME<T, isSetMask>(dst, src0, src1, mask, RepeatTime(repeatTime),       \
                          params, Site::here())))                              \
  LOSSGRAD_TWIN(NAME, R,                                                       \
                (const LocalTensor<T> &dst, const LocalTensor<T> &src0,        \
                 const LocalTensor<T> &src1, const int32_t &count),            \
                (NAME<T>(dst, src0, src1, count, Site::here())))
LOSSGRAD_BINARY_TWINS(Add)
LOSSGRAD_BINARY_TWINS(Sub)
LOSSGRAD_BINARY_TWINS(Mul)
LOSSGRAD_BINARY_TWINS(Div)
LOSSGRAD_BINARY_TWINS(Max)
LOSSGRAD_BINARY_TWINS(Min)
LOSSGRAD_BINARY_TWINS(And)
LOSSGRAD_BINARY_TWINS(Or)
#undef LOSSGRAD_BINARY_TWINS

#define LOSSGRAD_UNARY_TWINS(NAME)                                             \
  LOSSGRAD_TWIN(NAME, R,                                                       \
                (const LocalTensor<T> &dst, const LocalTensor<T> &src,         \
                 uint64_t mask[], const uint8_t repeatTime,                    \
                 const UnaryRepeatParams &params),                             \
                (NAME<T, isSetMask>(dst, src, mask, RepeatTime(repeatTime),    \
                                    params, Site::here())))                    \
  LOSSGRAD_TWIN(NAME, R,                                                       \
                (const LocalTensor<T> &dst, const LocalTensor<T> &src,         \
                 uint64_t mask, const uint8_t repeatTime,                      \
                 const UnaryRepeatParams &params),                             \
                (NAME<T, isSetMask>(dst, src, mask, RepeatTime(repeatTime),    \
                                    params, Site::here())))                    \
  LOSSGRAD_TWIN(NAME, R,                                                       \
                (const LocalTensor<T> &dst, const LocalTensor<T> &src,         \
                 const int32_t &count),                                        \
                (NAME<T>(dst, src, count, Site::here())))
LOSSGRAD_UNARY_TWINS(Exp)
LOSSGRAD_UNARY_TWINS(Ln)
LOSSGRAD_UNARY_TWINS(Abs)
LOSSGRAD_UNARY_TWINS(Sqrt)
LOSSGRAD_UNARY_TWINS(Rsqrt)
LOSSGRAD_UNARY_TWINS(Reciprocal)
LOSSGRAD_UNARY_TWINS(Relu)
LOSSGRAD_UNARY_TWINS(Not)
#undef LOSSGRAD_UNARY_TWINS

#define LOSSGRAD_SCALAR_TWINS(NAME)                                            \
  LOSSGRAD_TWIN(                                                               \
      NAME, R,                                                                 \
      (const LocalTensor<T> &dst, const LocalTensor<T> &src,                   \
       const T &scalarValue, const int32_t &count),                            \
      (NAME<T, isSetMask>(dst, src, scalarValue, count, Site::here())))
LOSSGRAD_SCALAR_TWINS(Adds)
LOSSGRAD_SCALAR_TWINS(Muls)
LOSSGRAD_SCALAR_TWINS(Maxs)
LOSSGRAD_SCALAR_TWINS(Mins)
LOSSGRAD_SCALAR_TWINS(LeakyRelu)
#undef LOSSGRAD_SCALAR_TWINS
#undef LOSSGRAD_TWIN

} // namespace AscendC
