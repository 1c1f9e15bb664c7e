// Operators on whole tensors: dst = a + b issues the call over dst.GetSize()
// elements (comparisons: over the size of the left operand). They are sugar;
// tails need the count forms. An operator cannot have a defaulted argument, so
// their reports name the call but no line.
#pragma once

#include "ascendc/vector/compare_select.h"
#include "ascendc/vector/elementwise.h"

namespace AscendC {

#define LOSSGRAD_OPERATOR(SYMBOL, NAME)                                        \
  template <typename T> struct NAME##Expression {                              \
    using IsTensorExpression = void;                                           \
    LocalTensor<T> src0, src1;                                                 \
    Site site;                                                                 \
    void AssignTo(const LocalTensor<T> &dst) const {                           \
      NAME(dst, src0, src1, static_cast<int32_t>(dst.GetSize()), site);        \
    }                                                                          \
  };                                                                           \
  template <typename T>                                                        \
  NAME##Expression<T> operator SYMBOL(const LocalTensor<T> &src0,              \
                                      const LocalTensor<T> &src1) {            \
    return {src0, src1, Site{}};                                               \
  }
LOSSGRAD_OPERATOR(+, Add)
LOSSGRAD_OPERATOR(-, Sub)
LOSSGRAD_OPERATOR(*, Mul)
LOSSGRAD_OPERATOR(/, Div)
LOSSGRAD_OPERATOR(&, And)
LOSSGRAD_OPERATOR(|, Or)
#undef LOSSGRAD_OPERATOR

template <typename T> struct CompareExpression {
  using IsTensorExpression = void;
  LocalTensor<T> src0, src1;
  CMPMODE mode;
  Site site;
  template <typename U> void AssignTo(const LocalTensor<U> &dst) const {
    Compare(dst, src0, src1, mode, src0.GetSize(), site);
  }
};
#define LOSSGRAD_COMPARISON(SYMBOL, MODE)                                      \
  template <typename T>                                                        \
  CompareExpression<T> operator SYMBOL(const LocalTensor<T> &src0,             \
                                       const LocalTensor<T> &src1) {           \
    return {src0, src1, CMPMODE::MODE, Site{}};                                \
  }
LOSSGRAD_COMPARISON(<, LT)
LOSSGRAD_COMPARISON(>, GT)
LOSSGRAD_COMPARISON(==, EQ)
LOSSGRAD_COMPARISON(<=, LE)
LOSSGRAD_COMPARISON(>=, GE)
LOSSGRAD_COMPARISON(!=, NE)
#undef LOSSGRAD_COMPARISON

} // namespace AscendC
