// Comparisons and selections of the product tables (vector_products.h).
#include "vector_products.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr CMPMODE kModes[] = {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ,
                              CMPMODE::LE, CMPMODE::GE, CMPMODE::NE};

template <typename T> bool compared(CMPMODE mode, T a, T b) {
  const auto in = [](T value) {
    if constexpr (std::is_integral_v<T>)
      return value;
    else
      return static_cast<float>(value);
  };
  const auto x = in(a), y = in(b);
  switch (mode) {
  case CMPMODE::LT:
    return x < y;
  case CMPMODE::GT:
    return x > y;
  case CMPMODE::EQ:
    return x == y;
  case CMPMODE::LE:
    return x <= y;
  case CMPMODE::GE:
    return x >= y;
  default:
    return x != y;
  }
}

// Few different values, so that some are equal.
template <typename T> std::vector<T> few(size_t count, uint32_t seed) {
  const std::vector<T> from = values<T>(5, 77);
  std::mt19937 random(seed);
  std::vector<T> list(count);
  for (T &value : list)
    value = from[random() % from.size()];
  return list;
}

// Does int32 only compare for equality?
bool equalityOnly(const Family &family) {
  return family.takes(Api::CompareEqual, Dtype::Int32) &&
         !family.takes(Api::Compare, Dtype::Int32);
}

// Two whole repeats; by mask without the last three lanes, which only some
// products heed.
template <typename T>
void checkCompare(CMPMODE mode, bool scalar, bool equalOnly) {
  const uint32_t count = 2 * lanesOf<T>();
  const auto a = few<T>(count, 5), b = few<T>(count, 6);
  std::vector<uint8_t> bits;
  const Api api = scalar ? Api::CompareScalar : Api::Compare;
  const char *name = scalar ? "CompareScalar" : "Compare";
  const auto kernel = [&](Form form, const Family &) {
    auto x = tensorAt<T>(kSrc0, count), y = tensorAt<T>(kSrc1, count);
    auto out = tensorAt<uint8_t>(kDst, 64);
    put(x, a);
    put(y, b);
    put(out, std::vector<uint8_t>(64, 0xaa));
    if (scalar && form == Form::Count)
      CompareScalar(out, x, b[0], mode, count);
    else if (scalar)
      CompareScalar(out, x, b[0], mode, maskOf<T>(), 2, {1, 1, 8, 8});
    else if (form == Form::Count)
      Compare(out, x, y, mode, count);
    else
      Compare(out, x, y, mode, maskOf<T>(), 2, {1, 1, 1, 8, 8, 8});
    bits = get(out, 64);
  };
  const auto after = [&](Form form, const Family &family,
                         const std::string &what) {
    for (uint32_t i = 0; i < 64 * 8; ++i) {
      bool expected = i % 2; // 0xaa
      if (i < count)
        expected = compared(mode, a[i], scalar ? b[0] : b[i]);
      if (i < count && form == Form::Mask && family.compareHonoursMask &&
          !takesPart<T>(i, form))
        expected = false;
      ASSERT_EQ(bits[i / 8] >> (i % 8) & 1, expected)
          << what << ", mode " << static_cast<int>(mode) << ", bit " << i;
    }
  };
  if (!equalOnly)
    return onEveryFamily<T>(api, name, {Form::Count, Form::Mask}, kernel,
                            after);
  // int32 on the products that only compare it for equality.
  for (Form form : {Form::Count, Form::Mask})
    eachFamily([&](const Family &family, const targets::Soc &soc) {
      if (!equalityOnly(family))
        return;
      Options options;
      options.soc = soc.name;
      const auto result = run(options, [&] { kernel(form, family); });
      if (mode == CMPMODE::EQ) {
        EXPECT_OK(result);
        return after(form, family, std::string("int32_t on ") + family.title);
      }
      EXPECT_NE(errorOf(result).find("int32_t compares only with EQ on "),
                std::string::npos)
          << family.title;
    });
}

void checkCompares(bool scalar) {
  expectNoOthers(scalar ? Api::CompareScalar : Api::Compare, All());
  eachType(All(), [&](auto type) {
    using T = typename decltype(type)::type;
    for (CMPMODE mode : kModes)
      if (!std::is_same_v<T, int32_t>)
        checkCompare<T>(mode, scalar, false);
  });
  for (CMPMODE mode : kModes)
    checkCompare<int32_t>(mode, scalar, true);
  // Where int32 is no special case, and where it does not exist.
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    EXPECT_TRUE(family.takes(Api::CompareEqual, Dtype::Int32) ||
                !family.takes(Api::Compare, Dtype::Int32));
    if (equalityOnly(family))
      return;
    const Api api = scalar ? Api::CompareScalar : Api::Compare;
    for (CMPMODE mode : kModes)
      runAs(family.takes(api, Dtype::Int32),
            scalar ? "CompareScalar" : "Compare", soc, "int32_t", [&] {
              auto x = tensorAt<int32_t>(kSrc0, 64);
              auto out = tensorAt<uint8_t>(kDst, 32);
              put(x, few<int32_t>(64, 8));
              if (scalar)
                CompareScalar(out, x, 3, mode, 64);
              else
                Compare(out, x, x, mode, 64);
              for (uint32_t i = 0; i < 64; ++i)
                EXPECT_EQ(
                    out.GetValue(i / 8) >> (i % 8) & 1,
                    compared(mode, x.GetValue(i), scalar ? 3 : x.GetValue(i)));
            });
  });
}

PRODUCT_TEST(Compare, Api::Compare, Api::CompareEqual) { checkCompares(false); }
PRODUCT_TEST(CompareScalar, Api::CompareScalar) { checkCompares(true); }

// Into CMPMASK: one repeat.
PRODUCT_TEST(CompareRegister, Api::CompareRegister) {
  expectNoOthers(Api::CompareRegister, Floats());
  eachType(Floats(), [&](auto type) {
    using T = typename decltype(type)::type;
    const auto a = few<T>(lanesOf<T>(), 5), b = few<T>(lanesOf<T>(), 6);
    std::vector<uint8_t> bits;
    onEveryFamily<T>(
        Api::CompareRegister, "Compare", {Form::Mask},
        [&](Form, const Family &) {
          auto x = tensorAt<T>(kSrc0, lanesOf<T>()),
               y = tensorAt<T>(kSrc1, lanesOf<T>());
          auto out = tensorAt<uint8_t>(kDst, 32);
          put(x, a);
          put(y, b);
          Compare(x, y, CMPMODE::LE, uint64_t{lanesOf<T>()},
                  {1, 1, 1, 8, 8, 8});
          GetCmpMask(out);
          bits = get(out, lanesOf<T>() / 8);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t i = 0; i < lanesOf<T>(); ++i)
            ASSERT_EQ(bits[i / 8] >> (i % 8) & 1,
                      compared(CMPMODE::LE, a[i], b[i]))
                << what << ", bit " << i;
        });
  });
}

// A count that is no multiple of 256 bytes: the memory-based products leave
// the last bits alone and are warned of, the others compare all and clear the
// rest of the register.
PRODUCT_TEST(CompareTail, Api::Compare) {
  auto check = [](auto type, uint32_t count) {
    using T = typename decltype(type)::type;
    const auto a = few<T>(1024, 5), b = few<T>(1024, 6);
    eachFamily([&](const Family &family, const targets::Soc &soc) {
      if (!family.takesCount(Api::Compare, dtypeOf<T>()))
        return;
      std::vector<uint8_t> bits;
      Options options;
      options.soc = soc.name;
      const auto result = run(options, [&] {
        auto x = tensorAt<T>(kSrc0, 1024), y = tensorAt<T>(kSrc1, 1024);
        auto out = tensorAt<uint8_t>(kDst, 256);
        put(x, a);
        put(y, b);
        put(out, std::vector<uint8_t>(256, 0xaa));
        Compare(out, x, y, CMPMODE::LT, count);
        bits = get(out, 256);
      });
      ASSERT_TRUE(result.ok) << result.errors;
      const bool tail = family.compareCountsTail;
      const uint32_t lanes = tail ? std::max(64u, lanesOf<T>()) : lanesOf<T>();
      const uint32_t written =
          tail ? (count + lanes - 1) / lanes * lanes : count / lanes * lanes;
      for (uint32_t i = 0; i < 256 * 8; ++i)
        ASSERT_EQ(bits[i / 8] >> (i % 8) & 1,
                  i >= written ? i % 2
                  : i < count  ? compared(CMPMODE::LT, a[i], b[i])
                               : 0)
            << family.title << ", count " << count << ", bit " << i;
      EXPECT_EQ(result.warnings.empty(), tail || count % lanes == 0)
          << family.title << result.warnings;
    });
  };
  for (uint32_t count : {1u, 63u, 64u, 65u, 100u, 129u, 300u}) {
    check(Type<float>(), count);
    check(Type<half>(), count);
    check(Type<int8_t>(), count);
    check(Type<int64_t>(), count);
  }
}

template <typename T> void checkSelect(SELMODE mode) {
  const uint32_t size = 3 * lanesOf<T>();
  const auto old = values<T>(size, 1), a = values<T>(size, 2),
             b = values<T>(size, 3);
  const auto bits = values<uint8_t>(size / 8 + 32, 4);
  std::vector<T> result;
  const bool scalar = mode == SELMODE::VSEL_TENSOR_SCALAR_MODE;
  onEveryFamily<T>(
      mode == SELMODE::VSEL_CMPMASK_SPR ? Api::Select
      : scalar                          ? Api::SelectScalar
                                        : Api::SelectTensor,
      "Select", {Form::Count, Form::Mask},
      [&](Form form, const Family &) {
        auto dst = tensorAt<T>(kDst, size), x = tensorAt<T>(kSrc0, size),
             y = tensorAt<T>(kSrc1, size);
        auto mask = tensorAt<uint8_t>(kOther, size / 8 + 32);
        put(dst, old);
        put(x, a);
        put(y, b);
        put(mask, bits);
        const BinaryRepeatParams strides{1, 1, 1, 8, 8, 8};
        if (scalar && form == Form::Count)
          Select(dst, mask, x, b[0], mode, countOf<T>());
        else if (scalar)
          Select(dst, mask, x, b[0], mode, maskOf<T>(), 2, strides);
        else if (form == Form::Count)
          Select(dst, mask, x, y, mode, countOf<T>());
        else
          Select(dst, mask, x, y, mode, maskOf<T>(), 2, strides);
        result = get(dst, size);
      },
      [&](Form form, const Family &, const std::string &what) {
        std::vector<T> expected = old;
        for (uint32_t i = 0; i < size; ++i) {
          if (!takesPart<T>(i, form))
            continue;
          const uint32_t bit =
              mode == SELMODE::VSEL_CMPMASK_SPR ? i % lanesOf<T>() : i;
          expected[i] = bits[bit / 8] >> (bit % 8) & 1 ? a[i]
                        : scalar                       ? b[0]
                                                       : b[i];
        }
        expectValues(result, expected, what);
      });
}

PRODUCT_TEST(Select, Api::Select, Api::SelectScalar, Api::SelectTensor) {
  for (Api api : {Api::Select, Api::SelectScalar, Api::SelectTensor})
    expectNoOthers(api, All());
  eachType(All(), [&](auto type) {
    using T = typename decltype(type)::type;
    // The register of mode 0 has 128 bits.
    if (sizeof(T) != 1)
      checkSelect<T>(SELMODE::VSEL_CMPMASK_SPR);
    checkSelect<T>(SELMODE::VSEL_TENSOR_SCALAR_MODE);
    checkSelect<T>(SELMODE::VSEL_TENSOR_TENSOR_MODE);
  });
}

} // namespace
