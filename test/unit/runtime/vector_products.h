// Every call of the product tables, on every family, with every element type
// that its wrapper compiles for: what the tables allow runs and gives the
// values of a reference that is written here by hand; what they forbid is
// refused, naming call, family and chip. PRODUCT_TEST also notes which calls a
// test is about, so that one test can say which calls none is about.
#pragma once

#include "vector_support.h"

#include "lossgrad/Targets.h"

#include <set>
#include <type_traits>

namespace lossgrad::test {

namespace targets = lossgrad::targets;
using targets::Api;
using targets::Dtype;
using targets::Family;

inline std::set<Api> &coveredCalls() {
  static std::set<Api> calls;
  return calls;
}
struct Covers {
  Covers(std::initializer_list<Api> calls) { coveredCalls().insert(calls); }
};
#define PRODUCT_TEST(NAME, ...)                                                \
  static const Covers covers##NAME{__VA_ARGS__};                               \
  TEST(Products, NAME)

template <typename... Ts> struct Types {};
using Floats = Types<half, float>;
using Reals = Types<half, bfloat16_t, float>;
using Integers = Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                       int64_t, uint64_t>;
using WordsAndReals =
    Types<half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t>;
using All = Types<half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t,
                  int32_t, uint32_t, int64_t, uint64_t>;
template <typename T> struct Type { using type = T; };
// fn(Type<T>()) for each.
template <typename... Ts, typename Fn> void eachType(Types<Ts...>, Fn fn) {
  (fn(Type<Ts>()), ...);
}

template <typename T> constexpr Dtype dtypeOf() {
  if constexpr (std::is_same_v<T, half>)
    return Dtype::Float16;
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return Dtype::Bfloat16;
  else if constexpr (std::is_same_v<T, float>)
    return Dtype::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return Dtype::Double;
  else if constexpr (std::is_same_v<T, bool>)
    return Dtype::Bool;
  else if constexpr (std::is_same_v<T, int8_t>)
    return Dtype::Int8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return Dtype::UInt8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return Dtype::Int16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return Dtype::UInt16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return Dtype::Int32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return Dtype::UInt32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return Dtype::Int64;
  else
    return Dtype::UInt64;
}

// The first chip of each family.
template <typename Fn> void eachFamily(Fn fn) {
  for (const Family *family = targets::familiesBegin();
       family != targets::familiesEnd(); ++family)
    for (const targets::Soc *soc = targets::socsBegin();
         soc != targets::socsEnd(); ++soc)
      if (soc->family == family) {
        fn(*family, *soc);
        break;
      }
}

enum class Form { Count, Mask };

inline bool allows(const Family &family, Api api, Dtype type, Form form) {
  return form == Form::Count ? family.takesCount(api, type)
                             : family.takes(api, type);
}

// A kernel that the tables allow ends without a word; one that they forbid is
// refused with the name of the call, of the family and of the chip. Returns
// whether it ran.
inline bool runAs(bool allowed, const char *call, const targets::Soc &soc,
                  const std::string &what, const std::function<void()> &kernel,
                  uint32_t blocks = 1) {
  Options options;
  options.soc = soc.name;
  options.blocks = blocks;
  const sim::LaunchResult result = run(options, kernel);
  const std::string where =
      what + " on " + soc.family->title + " (" + soc.name + ")";
  if (allowed) {
    EXPECT_TRUE(result.ok) << where << ": " << result.errors;
    EXPECT_EQ(result.warnings, "") << where;
    return result.ok;
  }
  EXPECT_FALSE(result.ok) << where << " is not refused";
  const std::string name = std::string(": ") + call + " at ";
  const std::string product =
      std::string(" on ") + soc.family->title + " (" + soc.name + ")";
  EXPECT_NE(result.errors.find(name), std::string::npos)
      << where << ": " << result.errors;
  EXPECT_NE(result.errors.find("not available"), std::string::npos)
      << where << ": " << result.errors;
  EXPECT_NE(result.errors.find(product), std::string::npos)
      << where << ": " << result.errors;
  return false;
}

// No family takes a type that the wrapper does not compile for.
template <typename... Ts> void expectNoOthers(Api api, Types<Ts...>) {
  std::set<Dtype> known{dtypeOf<Ts>()...};
  for (size_t d = 0; d < targets::numDtypes; ++d)
    if (!known.count(static_cast<Dtype>(d)))
      eachFamily([&](const Family &family, const targets::Soc &) {
        EXPECT_FALSE(family.takesCount(api, static_cast<Dtype>(d)))
            << spelling(api) << " of " << spelling(static_cast<Dtype>(d))
            << " on " << family.title << " is in the tables, not in the test";
      });
}

inline std::string nameOf(Api api, Dtype type, Form form) {
  return std::string(spelling(api)) + " of " + spelling(type) +
         (form == Form::Count ? " by count" : " by mask");
}

// kernel(form, family) on every family, in the forms that the call has; after
// it ran, after(form, family, what).
template <typename T, typename Kernel, typename After>
void onEveryFamily(Api api, const char *call, std::initializer_list<Form> forms,
                   Kernel kernel, After after) {
  for (Form form : forms)
    eachFamily([&](const Family &family, const targets::Soc &soc) {
      const std::string what = nameOf(api, dtypeOf<T>(), form);
      if (runAs(allows(family, api, dtypeOf<T>(), form), call, soc, what,
                [&] { kernel(form, family); }))
        after(form, family, what + " on " + family.title);
    });
}

//===- values -------------------------------------------------------------===//

// Integers of all sizes, and floating values whose sums, products and quotients
// are within the range of half and above its subnormals; never 0.
template <typename T> std::vector<T> values(size_t count, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> list(count);
  for (T &value : list) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random() >> (random() % 48));
      if (value == 0 || value == static_cast<T>(-1))
        value = 3;
    } else {
      const auto steps = static_cast<int>(random() % 126) - 63;
      value = T(static_cast<float>(steps ? steps : 64) / 8.0f);
    }
  }
  return list;
}

template <typename T> std::vector<T> absolutes(std::vector<T> list) {
  for (T &value : list)
    value = T(std::fabs(static_cast<float>(value)));
  return list;
}

// Bits, or for what is only approximately specified a relative distance.
template <typename T>
void expectValues(const std::vector<T> &actual, const std::vector<T> &expected,
                  const std::string &what, bool exact = true) {
  if (exact)
    return expectSame(actual, expected, what);
  ASSERT_EQ(actual.size(), expected.size()) << what;
  const double allowed = sizeof(T) == 2 ? 0x1p-9 : 0x1p-21;
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto a = static_cast<double>(static_cast<float>(actual[i]));
    const auto e = static_cast<double>(static_cast<float>(expected[i]));
    ASSERT_LE(std::fabs(a - e), allowed * std::fabs(e) + 1e-30)
        << what << ", element " << i;
  }
}

template <typename T> constexpr uint32_t lanesOf() { return 256 / sizeof(T); }

// Both forms work on these elements: all of a count with a tail, or all but
// three lanes of each of two repeats.
template <typename T> constexpr uint32_t countOf() {
  return 2 * lanesOf<T>() + 5;
}
template <typename T> constexpr uint64_t maskOf() { return lanesOf<T>() - 3; }
template <typename T> bool takesPart(size_t i, Form form) {
  return form == Form::Count
             ? i < countOf<T>()
             : i < 2 * lanesOf<T>() && i % lanesOf<T>() < maskOf<T>();
}

constexpr uint32_t kDst = 0, kSrc0 = 16384, kSrc1 = 32768, kOther = 49152;

} // namespace lossgrad::test
