// The elementwise calls of the product tables (vector_products.h).
#include "vector_products.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

// The reference of a call: `a`, `b` and `old` (what dst held) are elements; x,
// y and z the same as float where they are floating. INTEGER wraps.
#define PRODUCT_CALL(NAME, TYPES, REAL, INTEGER)                               \
  struct NAME##Case {                                                          \
    static constexpr Api api = Api::NAME;                                      \
    static constexpr const char *name = #NAME;                                 \
    using List = TYPES;                                                        \
    template <typename... A> static void call(A &&...arguments) {              \
      NAME(std::forward<A>(arguments)...);                                     \
    }                                                                          \
    template <typename T>                                                      \
    static T ref([[maybe_unused]] T a, [[maybe_unused]] T b,                   \
                 [[maybe_unused]] T old) {                                     \
      if constexpr (std::is_integral_v<T>) {                                   \
        [[maybe_unused]] const auto wa = static_cast<uint64_t>(a),             \
                                    wb = static_cast<uint64_t>(b),             \
                                    wold = static_cast<uint64_t>(old);         \
        return static_cast<T>(INTEGER);                                        \
      } else {                                                                 \
        [[maybe_unused]] const float x = static_cast<float>(a),                \
                                     y = static_cast<float>(b),                \
                                     z = static_cast<float>(old);              \
        return T(static_cast<float>(REAL));                                    \
      }                                                                        \
    }                                                                          \
  };

// A result in the element type, as float again.
template <typename T> float inType(float value) {
  return static_cast<float>(T(value));
}
template <typename T> float relu(T value) {
  return std::max(static_cast<float>(value), 0.0f);
}

using WordsRealsWide = Types<half, bfloat16_t, float, int16_t, uint16_t,
                             int32_t, uint32_t, int64_t, uint64_t>;
using QuotientTypes =
    Types<half, float, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
using ReluTypes = Types<half, float, int16_t>;

PRODUCT_CALL(Add, All, x + y, wa + wb)
PRODUCT_CALL(Sub, All, x - y, wa - wb)
PRODUCT_CALL(Mul, WordsRealsWide, x *y, wa *wb)
PRODUCT_CALL(Max, All, std::max(x, y), std::max(a, b))
PRODUCT_CALL(Min, All, std::min(x, y), std::min(a, b))
PRODUCT_CALL(Div, QuotientTypes, x / y, a / b)
PRODUCT_CALL(And, Integers, x, a &b)
PRODUCT_CALL(Or, Integers, x, a | b)
PRODUCT_CALL(AddRelu, ReluTypes, relu(inType<T>(x + y)),
             std::max<int16_t>(static_cast<int16_t>(wa + wb), 0))
PRODUCT_CALL(SubRelu, ReluTypes, relu(inType<T>(x - y)),
             std::max<int16_t>(static_cast<int16_t>(wa - wb), 0))
PRODUCT_CALL(MulAddDst, Floats, inType<T>(x *y) + z, a)
PRODUCT_CALL(FusedMulAdd, Reals, inType<T>(x *z) + y, a)
PRODUCT_CALL(FusedMulAddRelu, Floats, relu(inType<T>(inType<T>(x *z) + y)), a)
PRODUCT_CALL(MulAddRelu, Floats, relu(inType<T>(inType<T>(x *z) + y)), a)

using AbsTypes = Types<half, float, int8_t, int16_t, int32_t, int64_t>;
using ReciprocalTypes = Types<half, float, int64_t, uint64_t>;
using ReluIntegers = Types<half, float, int32_t, int64_t>;
using NotTypes = Types<half, float, int8_t, uint8_t, int16_t, uint16_t, int32_t,
                       uint32_t, int64_t, uint64_t>;
PRODUCT_CALL(Exp, Floats, std::exp(x), a)
PRODUCT_CALL(Ln, Floats, std::log(x), a)
PRODUCT_CALL(Abs, AbsTypes, std::fabs(x), a < 0 ? 0 - wa : wa)
PRODUCT_CALL(Sqrt, Floats, std::sqrt(x), a)
PRODUCT_CALL(Rsqrt, Floats, 1.0f / std::sqrt(x), a)
PRODUCT_CALL(Reciprocal, ReciprocalTypes, 1.0f / x, T{1} / a)
PRODUCT_CALL(Relu, ReluIntegers, std::max(x, 0.0f), std::max<T>(a, 0))
struct NotCase {
  static constexpr Api api = Api::Not;
  static constexpr const char *name = "Not";
  using List = NotTypes;
  template <typename... A> static void call(A &&...arguments) {
    Not(std::forward<A>(arguments)...);
  }
  template <typename T> static T ref(T a, T, T) {
    const uint64_t bits = ~lossgrad::test::bitsOf(a);
    std::memcpy(static_cast<void *>(&a), &bits, sizeof a);
    return a;
  }
};

using ScalarTypes = Types<half, bfloat16_t, float, int8_t, uint8_t, int16_t,
                          int32_t, int64_t, uint64_t>;
using MulsTypes =
    Types<half, bfloat16_t, float, int16_t, int32_t, int64_t, uint64_t>;
using AxpyTypes = Types<half, bfloat16_t, float, int64_t, uint64_t>;
PRODUCT_CALL(Adds, ScalarTypes, x + y, wa + wb)
PRODUCT_CALL(Muls, MulsTypes, x *y, wa *wb)
PRODUCT_CALL(Maxs, ScalarTypes, std::max(x, y), std::max(a, b))
PRODUCT_CALL(Mins, ScalarTypes, std::min(x, y), std::min(a, b))
PRODUCT_CALL(LeakyRelu, Floats, x >= 0 ? x : x * y, a)
PRODUCT_CALL(Axpy, AxpyTypes, inType<T>(y *x) + z, wb *wa + wold)
// By 3 bits; to the right with the sign.
PRODUCT_CALL(ShiftLeft, Integers, x, wa << 3)
PRODUCT_CALL(ShiftRight, Integers, x, a >> 3)

template <typename Case> constexpr bool isExact() {
  return Case::api != Api::Exp && Case::api != Api::Ln &&
         Case::api != Api::Rsqrt && Case::api != Api::Reciprocal;
}

template <typename T> struct Sample {
  std::vector<T> old, a, b, result;
  explicit Sample(bool positive, bool scalar, T second)
      : old(values<T>(3 * lanesOf<T>(), 1)), a(values<T>(3 * lanesOf<T>(), 2)),
        b(values<T>(3 * lanesOf<T>(), 3)) {
    if (positive)
      a = absolutes(a);
    if (scalar)
      b.assign(b.size(), second);
  }
  void place(const LocalTensor<T> &dst, const LocalTensor<T> &x,
             const LocalTensor<T> &y) const {
    put(dst, old);
    put(x, a);
    put(y, b);
  }
};

enum class Operands { Two, One, Scalar };

template <typename Case, typename T> void issue(Form form, Sample<T> &s) {
  const uint32_t size = 3 * lanesOf<T>();
  auto dst = tensorAt<T>(kDst, size), x = tensorAt<T>(kSrc0, size),
       y = tensorAt<T>(kSrc1, size);
  s.place(dst, x, y);
  const auto count = static_cast<int32_t>(countOf<T>());
  const BinaryRepeatParams two{1, 1, 1, 8, 8, 8};
  const UnaryRepeatParams one{1, 1, 8, 8};
  if constexpr (Case::kOperands == Operands::Two) {
    if (form == Form::Count)
      Case::call(dst, x, y, count);
    else
      Case::call(dst, x, y, maskOf<T>(), 2, two);
  } else if constexpr (Case::kOperands == Operands::One) {
    if (form == Form::Count)
      Case::call(dst, x, count);
    else
      Case::call(dst, x, maskOf<T>(), 2, one);
  } else {
    if (form == Form::Count)
      Case::call(dst, x, s.b[0], count);
    else
      Case::call(dst, x, s.b[0], maskOf<T>(), 2, one);
  }
  s.result = get(dst, size);
}

template <typename Base, Operands operands> struct With : Base {
  static constexpr Operands kOperands = operands;
};

template <typename Base, Operands operands> void checkCall() {
  using Case = With<Base, operands>;
  constexpr bool positive =
      Base::api == Api::Ln || Base::api == Api::Sqrt || Base::api == Api::Rsqrt;
  constexpr bool shift =
      Base::api == Api::ShiftLeft || Base::api == Api::ShiftRight;
  expectNoOthers(Base::api, typename Base::List());
  eachType(typename Base::List(), [&](auto type) {
    using T = typename decltype(type)::type;
    Sample<T> sample(positive, operands == Operands::Scalar,
                     shift ? T(3) : values<T>(5, 9)[4]);
    onEveryFamily<T>(
        Base::api,
        Base::api == Api::MulAddRelu ? "FusedMulAddRelu" : Base::name,
        {Form::Count, Form::Mask},
        [&](Form form, const Family &) { issue<Case, T>(form, sample); },
        [&](Form form, const Family &, const std::string &what) {
          std::vector<T> expected = sample.old;
          for (size_t i = 0; i < expected.size(); ++i)
            if (takesPart<T>(i, form))
              expected[i] = Base::ref(sample.a[i], sample.b[i], sample.old[i]);
          expectValues(sample.result, expected, what, isExact<Base>());
        });
  });
}

#define PRODUCT_CHECK(NAME, OPERANDS)                                          \
  PRODUCT_TEST(NAME, Api::NAME) { checkCall<NAME##Case, OPERANDS>(); }
PRODUCT_CHECK(Add, Operands::Two)
PRODUCT_CHECK(Sub, Operands::Two)
PRODUCT_CHECK(Mul, Operands::Two)
PRODUCT_CHECK(Max, Operands::Two)
PRODUCT_CHECK(Min, Operands::Two)
PRODUCT_CHECK(Div, Operands::Two)
PRODUCT_CHECK(And, Operands::Two)
PRODUCT_CHECK(Or, Operands::Two)
PRODUCT_CHECK(AddRelu, Operands::Two)
PRODUCT_CHECK(SubRelu, Operands::Two)
PRODUCT_CHECK(MulAddDst, Operands::Two)
PRODUCT_CHECK(FusedMulAdd, Operands::Two)
PRODUCT_CHECK(FusedMulAddRelu, Operands::Two)
PRODUCT_CHECK(MulAddRelu, Operands::Two)
PRODUCT_CHECK(Exp, Operands::One)
PRODUCT_CHECK(Ln, Operands::One)
PRODUCT_CHECK(Abs, Operands::One)
PRODUCT_CHECK(Sqrt, Operands::One)
PRODUCT_CHECK(Rsqrt, Operands::One)
PRODUCT_CHECK(Reciprocal, Operands::One)
PRODUCT_CHECK(Relu, Operands::One)
PRODUCT_CHECK(Not, Operands::One)
PRODUCT_CHECK(Adds, Operands::Scalar)
PRODUCT_CHECK(Muls, Operands::Scalar)
PRODUCT_CHECK(Maxs, Operands::Scalar)
PRODUCT_CHECK(Mins, Operands::Scalar)
PRODUCT_CHECK(LeakyRelu, Operands::Scalar)
PRODUCT_CHECK(Axpy, Operands::Scalar)
PRODUCT_CHECK(ShiftLeft, Operands::Scalar)
PRODUCT_CHECK(ShiftRight, Operands::Scalar)

} // namespace
