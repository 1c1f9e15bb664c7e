// Reductions, conversions and high-level calls of the product tables
// (vector_products.h).
#include "vector_products.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

//===- Reductions ---------------------------------------------------------===//

// Sums of these are exact in half in any order.
template <typename T> std::vector<T> summands(size_t count, uint32_t seed) {
  auto list = values<int8_t>(count, seed);
  std::vector<T> result;
  for (int8_t value : list)
    result.push_back(static_cast<T>(static_cast<float>(value % 8)));
  return result;
}

template <typename T>
double sumOf(const std::vector<T> &x, size_t first, size_t count) {
  double sum = 0;
  for (size_t i = first; i < first + count; ++i)
    sum += static_cast<double>(static_cast<float>(x[i]));
  return sum;
}
template <typename T>
size_t bestOf(const std::vector<T> &x, size_t first, size_t count, bool max) {
  size_t best = first;
  for (size_t i = first + 1; i < first + count; ++i) {
    const auto a = static_cast<float>(x[best]), b = static_cast<float>(x[i]);
    if (max ? b > a : b < a)
      best = i;
  }
  return best;
}

// kernel(dst, src, work) over two repeats; `results` elements are read.
template <typename T, typename Kernel, typename Expected>
void checkReduction(Api api, const char *call, Form form, uint32_t results,
                    const std::vector<T> &source, Kernel kernel,
                    Expected expected) {
  std::vector<T> result;
  onEveryFamily<T>(
      api, call, {form},
      [&](Form, const Family &) {
        auto dst = tensorAt<T>(kDst, 1024), src = tensorAt<T>(kSrc0, 1024),
             work = tensorAt<T>(kSrc1, 1024);
        put(src, source);
        kernel(dst, src, work);
        result = get(dst, results);
      },
      [&](Form, const Family &, const std::string &what) {
        for (uint32_t i = 0; i < results; ++i)
          ASSERT_EQ(static_cast<double>(static_cast<float>(result[i])),
                    expected(i))
              << what << ", " << call << ", result " << i;
      });
}

PRODUCT_TEST(BlockReduce, Api::BlockReduce, Api::PairReduce,
             Api::RepeatReduce) {
  for (Api api : {Api::BlockReduce, Api::PairReduce, Api::RepeatReduce})
    expectNoOthers(api, Floats());
  eachType(Floats(), [&](auto type) {
    using T = typename decltype(type)::type;
    const auto x = summands<T>(2 * lanesOf<T>(), 3);
    const auto lanes = static_cast<int32_t>(lanesOf<T>());
    const uint32_t perBlock = 32 / sizeof(T);
    checkReduction<T>(
        Api::BlockReduce, "BlockReduceSum", Form::Mask, 16, x,
        [&](auto dst, auto src, auto) {
          BlockReduceSum(dst, src, 2, lanes, 1, 1, 8);
        },
        [&](uint32_t i) { return sumOf(x, i * perBlock, perBlock); });
    checkReduction<T>(
        Api::BlockReduce, "BlockReduceMax", Form::Mask, 16, x,
        [&](auto dst, auto src, auto) {
          BlockReduceMax(dst, src, 2, lanes, 1, 1, 8);
        },
        [&](uint32_t i) {
          return static_cast<float>(x[bestOf(x, i * perBlock, perBlock, true)]);
        });
    checkReduction<T>(
        Api::BlockReduce, "BlockReduceMin", Form::Mask, 16, x,
        [&](auto dst, auto src, auto) {
          BlockReduceMin(dst, src, 2, lanes, 1, 1, 8);
        },
        [&](uint32_t i) {
          return static_cast<float>(
              x[bestOf(x, i * perBlock, perBlock, false)]);
        });
    checkReduction<T>(
        Api::PairReduce, "PairReduceSum", Form::Mask, lanesOf<T>(), x,
        [&](auto dst, auto src, auto) {
          PairReduceSum(dst, src, 2, lanes, 1, 1, 8);
        },
        [&](uint32_t i) { return sumOf(x, 2 * i, 2); });
    checkReduction<T>(
        Api::RepeatReduce, "RepeatReduceSum", Form::Mask, 2, x,
        [&](auto dst, auto src, auto) {
          RepeatReduceSum(dst, src, 2, lanes, 1, 1, 1, 8);
        },
        [&](uint32_t i) { return sumOf(x, i * lanesOf<T>(), lanesOf<T>()); });
  });
}

using WholeTypes = Types<half, float, int16_t, int32_t>;

template <typename T> double indexIn(T stored) {
  return static_cast<double>(bitsOf(stored));
}

template <typename T> void checkWhole(bool max) {
  // By value and index; the first of equals.
  const auto x = summands<T>(2 * lanesOf<T>(), 4);
  const char *call = max ? "WholeReduceMax" : "WholeReduceMin";
  const struct {
    Api api;
    ReduceOrder order;
    int value, index; // places in the pair, -1: none
  } orders[] = {
      {Api::WholeReduceMaxMin, ReduceOrder::ORDER_VALUE_INDEX, 0, 1},
      {Api::WholeReduceIndexFirst, ReduceOrder::ORDER_INDEX_VALUE, 1, 0},
      {Api::WholeReduceValueOnly, ReduceOrder::ORDER_ONLY_VALUE, 0, -1},
      {Api::WholeReduceIndexOnly, ReduceOrder::ORDER_ONLY_INDEX, -1, 0}};
  for (const auto &each : orders) {
    std::vector<T> pairs;
    std::vector<uint32_t> words;
    onEveryFamily<T>(
        each.api, call, {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 64), src = tensorAt<T>(kSrc0, 512);
          put(src, x);
          const auto lanes = static_cast<int32_t>(maskOf<T>());
          if (max)
            WholeReduceMax(dst, src, lanes, 2, 1, 1, 8, each.order);
          else
            WholeReduceMin(dst, src, lanes, 2, 1, 1, 8, each.order);
          pairs = get(dst, 4);
          words = get(dst.template ReinterpretCast<uint32_t>(), 2);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t r = 0; r < 2; ++r) {
            const size_t first = r * lanesOf<T>();
            const size_t best = bestOf(x, first, maskOf<T>(), max);
            const uint32_t step = each.value >= 0 && each.index >= 0 ? 2 : 1;
            if (each.value < 0) {
              ASSERT_EQ(words[r], best - first) << what << ", " << call;
              continue;
            }
            const auto at = [&](int place) {
              return pairs[r * step + static_cast<uint32_t>(place)];
            };
            ASSERT_EQ(bitsOf(at(each.value)), bitsOf(x[best]))
                << what << ", " << call;
            if (each.index >= 0) {
              ASSERT_EQ(indexIn(at(each.index)), best - first)
                  << what << ", " << call;
            }
          }
        });
  }
}

PRODUCT_TEST(WholeReduce, Api::WholeReduceMaxMin, Api::WholeReduceIndexFirst,
             Api::WholeReduceValueOnly, Api::WholeReduceIndexOnly,
             Api::WholeReduceSum) {
  for (Api api : {Api::WholeReduceMaxMin, Api::WholeReduceIndexFirst,
                  Api::WholeReduceValueOnly, Api::WholeReduceIndexOnly,
                  Api::WholeReduceSum})
    expectNoOthers(api, WholeTypes());
  eachType(WholeTypes(), [&](auto type) {
    using T = typename decltype(type)::type;
    checkWhole<T>(true);
    checkWhole<T>(false);
    const auto x = summands<T>(2 * lanesOf<T>(), 5);
    using Sum = std::conditional_t<std::is_same_v<T, int16_t>, int32_t, T>;
    std::vector<Sum> result;
    onEveryFamily<T>(
        Api::WholeReduceSum, "WholeReduceSum", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<Sum>(kDst, 64);
          auto src = tensorAt<T>(kSrc0, 512);
          put(src, x);
          const auto lanes = static_cast<int32_t>(maskOf<T>());
          if constexpr (std::is_same_v<T, Sum>)
            WholeReduceSum(dst, src, lanes, 2, 1, 1, 8);
          else
            ReduceRepeat<ReduceType::SUM, Sum, T>(dst, src, lanes, 2, 1, 1, 8);
          result = get(dst, 2);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t r = 0; r < 2; ++r)
            ASSERT_EQ(static_cast<double>(static_cast<float>(result[r])),
                      sumOf(x, r * lanesOf<T>(), maskOf<T>()))
                << what;
        });
  });
}

PRODUCT_TEST(ReduceAll, Api::ReduceSum, Api::ReduceMax, Api::ReduceMin) {
  for (Api api : {Api::ReduceSum, Api::ReduceMax, Api::ReduceMin})
    expectNoOthers(api, Floats());
  eachType(Floats(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t count = countOf<T>();
    const auto x = summands<T>(count, 6);
    for (Form form : {Form::Count, Form::Mask}) {
      const auto n = static_cast<int32_t>(count);
      const auto lanes = static_cast<int32_t>(lanesOf<T>());
      const size_t all = form == Form::Count ? count : 2 * lanesOf<T>();
      checkReduction<T>(
          Api::ReduceSum, "ReduceSum", form, 1, x,
          [&](auto dst, auto src, auto work) {
            if (form == Form::Count)
              ReduceSum(dst, src, work, n);
            else
              ReduceSum(dst, src, work, lanes, 2, 8);
          },
          [&](uint32_t) { return sumOf(x, 0, all); });
      for (bool max : {true, false})
        checkReduction<T>(
            max ? Api::ReduceMax : Api::ReduceMin,
            max ? "ReduceMax" : "ReduceMin", form, 1, x,
            [&](auto dst, auto src, auto work) {
              if (max && form == Form::Count)
                ReduceMax(dst, src, work, n, true);
              else if (max)
                ReduceMax(dst, src, work, lanes, 2, 8, true);
              else if (form == Form::Count)
                ReduceMin(dst, src, work, n, true);
              else
                ReduceMin(dst, src, work, lanes, 2, 8, true);
              EXPECT_EQ(indexIn(dst.GetValue(1)), bestOf(x, 0, all, max));
            },
            [&](uint32_t) {
              return static_cast<float>(x[bestOf(x, 0, all, max)]);
            });
    }
  });
}

//===- Cast ---------------------------------------------------------------===//

// Small whole numbers, which every mode converts alike.
template <typename S, typename D> void checkCast() {
  constexpr uint32_t kCount = 100;
  std::vector<S> source;
  for (uint32_t i = 0; i < kCount; ++i)
    source.push_back(static_cast<S>(static_cast<float>(i % 100)));
  for (int mode = 0; mode < 7; ++mode)
    eachFamily([&](const Family &family, const targets::Soc &soc) {
      Options options;
      options.soc = soc.name;
      std::vector<D> result;
      const auto launched = run(options, [&] {
        auto dst = tensorAt<D>(kDst, 128);
        auto src = tensorAt<S>(kSrc0, 128);
        put(src, source);
        SetDeqScale(half(1.0f));
        Cast(dst, src, static_cast<RoundMode>(mode), kCount);
        result = get(dst, kCount);
      });
      const Dtype from = dtypeOf<S>(), to = dtypeOf<D>();
      const auto round = static_cast<targets::Round>(mode);
      const std::string what = std::string(spelling(from)) + " to " +
                               spelling(to) + ", " + spelling(round) + " on " +
                               family.title;
      if (family.casts(from, to, round)) {
        ASSERT_TRUE(launched.ok) << what << ": " << launched.errors;
        EXPECT_EQ(launched.warnings, "") << what;
        for (uint32_t i = 0; i < kCount; ++i)
          ASSERT_EQ(static_cast<float>(result[i]), static_cast<float>(i))
              << what;
        return;
      }
      const std::string pair =
          std::string(spelling(from)) + " to " + spelling(to);
      const std::string product =
          std::string(" on ") + family.title + " (" + soc.name + ")";
      const bool any = family.castModes[static_cast<size_t>(from)]
                                       [static_cast<size_t>(to)] != 0;
      EXPECT_NE(launched.errors.find(
                    any ? pair + " has no " + spelling(round) + product
                        : pair + " is not available" + product),
                std::string::npos)
          << what << ": " << launched.errors;
    });
}

template <typename S, typename... Ds> void checkCastsOf(Types<Ds...>) {
  (checkCast<S, Ds>(), ...);
  std::set<Dtype> known{dtypeOf<Ds>()..., Dtype::Int4};
  for (size_t d = 0; d < targets::numDtypes; ++d)
    if (!known.count(static_cast<Dtype>(d)))
      eachFamily([&](const Family &family, const targets::Soc &) {
        EXPECT_EQ(family.castModes[static_cast<size_t>(dtypeOf<S>())][d], 0)
            << "a cast to " << spelling(static_cast<Dtype>(d)) << " on "
            << family.title << " is in the tables, not in the test";
      });
}

TEST(Products, Cast) {
  checkCastsOf<float>(
      Types<half, bfloat16_t, float, int16_t, int32_t, int64_t>());
  checkCastsOf<half>(
      Types<float, bfloat16_t, int8_t, uint8_t, int16_t, int32_t>());
  checkCastsOf<bfloat16_t>(Types<float, half, int32_t>());
  checkCastsOf<int32_t>(Types<float, half, int16_t, int64_t>());
  checkCastsOf<int64_t>(Types<float, int32_t>());
  checkCastsOf<int16_t>(Types<float, half>());
  checkCastsOf<int8_t>(Types<half>());
  checkCastsOf<uint8_t>(Types<half>());
}

// The scale of int32 to half: set by TPipe on one product, by nobody on the
// others.
TEST(Products, DeqScale) {
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    Options options;
    options.soc = soc.name;
    float first = 0;
    const auto result = run(options, [&] {
      TPipe pipe;
      auto src = tensorAt<int32_t>(kSrc0, 64);
      put(src, std::vector<int32_t>(64, 12));
      auto dst = tensorAt<half>(kDst, 64);
      Cast(dst, src, RoundMode::CAST_NONE, 64);
      first = static_cast<float>(dst.GetValue(0));
    });
    if (family.deqScalePreset) {
      EXPECT_OK(result);
      EXPECT_EQ(first, 12.0f);
    } else {
      EXPECT_NE(errorOf(result).find("SetDeqScale, which has not been called"),
                std::string::npos)
          << family.title;
    }
  });
}

//===- With a conversion at the end ---------------------------------------===//

template <typename D, typename S, typename Call>
void checkConverted(Api api, Call call, float (*expected)(float, float)) {
  const auto a = summands<S>(128, 1), b = summands<S>(128, 2);
  std::vector<D> result;
  onEveryFamily<S>(
      api, spelling(api), {Form::Count, Form::Mask},
      [&](Form form, const Family &) {
        auto dst = tensorAt<D>(kDst, 256);
        auto x = tensorAt<S>(kSrc0, 128), y = tensorAt<S>(kSrc1, 128);
        put(x, a);
        put(y, b);
        put(dst, std::vector<D>(256));
        SetDeqScale(half(2.0f));
        call(dst, x, y, form);
        result = get(dst, 128);
      },
      [&](Form form, const Family &, const std::string &what) {
        const size_t count =
            form == Form::Count ? 77 : 256 / std::max(sizeof(D), sizeof(S)) - 3;
        for (size_t i = 0; i < 128; ++i)
          ASSERT_EQ(static_cast<float>(result[i]),
                    i < count ? expected(static_cast<float>(a[i]),
                                         static_cast<float>(b[i]))
                              : 0.0f)
              << what << ", element " << i;
      });
}

#define CONVERTING(NAME, D, S, COUNT)                                          \
  [](auto dst, auto x, auto y, Form form) {                                    \
    if (form == Form::Count)                                                   \
      return NAME(dst, x, y, static_cast<COUNT>(77));                          \
    const auto lanes = 256 / std::max(sizeof(D), sizeof(S));                   \
    const auto stride = [&](size_t bytes) {                                    \
      return static_cast<uint8_t>(lanes * bytes / 32);                         \
    };                                                                         \
    NAME(dst, x, y, uint64_t{lanes - 3}, 1,                                    \
         {1, 1, 1, stride(sizeof(D)), stride(sizeof(S)), stride(sizeof(S))});  \
  }

PRODUCT_TEST(Converting, Api::AddReluCast, Api::SubReluCast, Api::MulCast,
             Api::AddDeqRelu) {
  using Sources = Types<half, float, int16_t>;
  expectNoOthers(Api::AddReluCast, Sources());
  expectNoOthers(Api::SubReluCast, Sources());
  expectNoOthers(Api::MulCast, Types<half>());
  expectNoOthers(Api::AddDeqRelu, Types<int32_t>());
  const auto added = [](float a, float b) { return std::max(a + b, 0.0f); };
  const auto less = [](float a, float b) { return std::max(a - b, 0.0f); };
  const auto product = [](float a, float b) { return a * b; };
  checkConverted<half, float>(
      Api::AddReluCast, CONVERTING(AddReluCast, half, float, uint32_t), added);
  checkConverted<int8_t, half>(
      Api::AddReluCast, CONVERTING(AddReluCast, int8_t, half, uint32_t), added);
  checkConverted<int8_t, int16_t>(
      Api::AddReluCast, CONVERTING(AddReluCast, int8_t, int16_t, uint32_t),
      added);
  checkConverted<half, float>(
      Api::SubReluCast, CONVERTING(SubReluCast, half, float, uint32_t), less);
  checkConverted<int8_t, half>(
      Api::SubReluCast, CONVERTING(SubReluCast, int8_t, half, uint32_t), less);
  checkConverted<int8_t, int16_t>(
      Api::SubReluCast, CONVERTING(SubReluCast, int8_t, int16_t, uint32_t),
      less);
  checkConverted<int8_t, half>(
      Api::MulCast, CONVERTING(MulCast, int8_t, half, uint32_t), product);
  checkConverted<half, int32_t>(
      Api::AddDeqRelu, CONVERTING(AddDeqRelu, half, int32_t, int32_t),
      [](float a, float b) { return std::max(2.0f * (a + b), 0.0f); });
}

//===- High level ---------------------------------------------------------===//

template <typename T, typename Call>
void checkMath(Api api, const char *name, Call call, float (*expected)(float)) {
  const auto a = absolutes(values<T>(100, 1));
  std::vector<T> result;
  onEveryFamily<T>(
      api, name, {Form::Count},
      [&](Form, const Family &) {
        auto dst = tensorAt<T>(kDst, 128), src = tensorAt<T>(kSrc0, 128);
        put(src, a);
        call(dst, src);
        result = get(dst, 100);
      },
      [&](Form, const Family &, const std::string &what) {
        std::vector<T> wanted;
        for (T x : a)
          wanted.push_back(T(expected(static_cast<float>(x))));
        expectValues(result, wanted, what, false);
      });
}

PRODUCT_TEST(Functions, Api::Tanh, Api::Sigmoid, Api::Sign, Api::Log,
             Api::AdvExp, Api::Ceil, Api::Floor, Api::Clamp, Api::Power) {
  for (Api api : {Api::Tanh, Api::Sigmoid, Api::Sign, Api::Log, Api::AdvExp,
                  Api::Ceil, Api::Floor, Api::Clamp})
    expectNoOthers(api, Floats());
  expectNoOthers(Api::Power, Types<half, float, int32_t>());
  eachType(Floats(), [&](auto type) {
    using T = typename decltype(type)::type;
    using Local = LocalTensor<T>;
    checkMath<T>(
        Api::Tanh, "Tanh", [](Local d, Local s) { Tanh(d, s, 100u); },
        [](float x) { return std::tanh(x); });
    checkMath<T>(
        Api::Sigmoid, "Sigmoid", [](Local d, Local s) { Sigmoid(d, s, 100u); },
        [](float x) { return 1 / (1 + std::exp(-x)); });
    checkMath<T>(
        Api::Sign, "Sign", [](Local d, Local s) { Sign(d, s, 100u); },
        [](float) { return 1.0f; });
    checkMath<T>(
        Api::Log, "Log", [](Local d, Local s) { Log(d, s, 100u); },
        [](float x) { return std::log(x); });
    checkMath<T>(
        Api::AdvExp, "Exp",
        [](Local d, Local s) { Exp<T, uint8_t{5}>(d, s, uint32_t{100}); },
        [](float x) { return std::exp(x); });
    checkMath<T>(
        Api::Ceil, "Ceil", [](Local d, Local s) { Ceil(d, s, 100u); },
        [](float x) { return std::ceil(x); });
    checkMath<T>(
        Api::Floor, "Floor", [](Local d, Local s) { Floor(d, s, 100u); },
        [](float x) { return std::floor(x); });
    checkMath<T>(
        Api::Clamp, "ClampMax",
        [](Local d, Local s) { ClampMax(d, s, T(3.0f), 100u); },
        [](float x) { return std::min(x, 3.0f); });
    checkMath<T>(
        Api::Power, "Power",
        [](Local d, Local s) { Power(d, s, T(2.0f), 100u); },
        [](float x) { return x * x; });
  });
  onEveryFamily<int32_t>(
      Api::Power, "Power", {Form::Count},
      [&](Form, const Family &) {
        auto x = tensorAt<int32_t>(kSrc0, 64);
        Power(x, x, 2, 64u);
      },
      [](Form, const Family &, const std::string &what) {
        FAIL() << what << " has no reference here";
      });
}

PRODUCT_TEST(BroadCast, Api::BroadCast) {
  expectNoOthers(Api::BroadCast, All());
  eachType(All(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t from[2] = {32, 1}, to[2] = {32, 32};
    const auto source = values<T>(32, 1);
    std::vector<T> result;
    onEveryFamily<T>(
        Api::BroadCast, "BroadCast", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 1024), src = tensorAt<T>(kSrc0, 32);
          put(src, source);
          BroadCast<T, 2, 1>(dst, src, to, from);
          result = get(dst, 1024);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t i = 0; i < 1024; ++i)
            ASSERT_EQ(bitsOf(result[i]), bitsOf(source[i / 32]))
                << what << ", element " << i;
        });
  });
}

PRODUCT_TEST(Softmax, Api::SoftMax, Api::LogSoftMax, Api::SoftmaxGrad) {
  for (Api api : {Api::SoftMax, Api::LogSoftMax, Api::SoftmaxGrad})
    expectNoOthers(api, Floats());
  eachType(Floats(), [&](auto type) {
    using T = typename decltype(type)::type;
    constexpr uint32_t kRows = 2, kColumns = 64;
    const auto x = values<T>(kRows * kColumns, 1);
    const SoftMaxShapeInfo shape{kRows, kColumns, kRows, kColumns};
    std::vector<T> result;
    auto rowOf = [&](uint32_t row, bool log) {
      double sum = 0;
      for (uint32_t i = 0; i < kColumns; ++i)
        sum += std::exp(static_cast<float>(x[row * kColumns + i]));
      std::vector<float> out;
      for (uint32_t i = 0; i < kColumns; ++i) {
        const double v = static_cast<float>(x[row * kColumns + i]);
        out.push_back(
            static_cast<float>(log ? v - std::log(sum) : std::exp(v) / sum));
      }
      return out;
    };
    auto check = [&](bool log) {
      return [&, log](Form, const Family &, const std::string &what) {
        for (uint32_t i = 0; i < kRows * kColumns; ++i) {
          const float expected = rowOf(i / kColumns, log)[i % kColumns];
          ASSERT_NEAR(static_cast<float>(result[i]), expected,
                      (sizeof(T) == 2 ? 2e-3f : 2e-6f) *
                          std::max(1.0f, std::fabs(expected)))
              << what << ", element " << i;
        }
      };
    };
    auto stage = [&](auto call) {
      return [&, call](Form, const Family &) {
        auto dst = tensorAt<T>(kDst, kRows * kColumns),
             src = tensorAt<T>(kSrc0, kRows * kColumns),
             sum = tensorAt<T>(kSrc1, 64), max = tensorAt<T>(kOther, 64);
        put(src, x);
        call(dst, sum, max, src);
        result = get(dst, kRows * kColumns);
      };
    };
    const auto tmp = [] { return tensorAt<uint8_t>(65536, 1024); };
    onEveryFamily<T>(Api::SoftMax, "SoftMax", {Form::Mask},
                     stage([&](auto dst, auto sum, auto max, auto src) {
                       SoftMax<T>(dst, sum, max, src, tmp(), SoftMaxTiling(),
                                  shape);
                     }),
                     check(false));
    onEveryFamily<T>(Api::LogSoftMax, "LogSoftMax", {Form::Mask},
                     stage([&](auto dst, auto sum, auto max, auto src) {
                       LogSoftMax<T>(dst, sum, max, src, tmp(),
                                     LogSoftMaxTiling(), shape);
                     }),
                     check(true));
    // With a gradient of ones and src = 1/64 each: (1 - 1) / 64.
    onEveryFamily<T>(
        Api::SoftmaxGrad, "SoftmaxGrad", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, kColumns),
               grad = tensorAt<T>(kSrc0, kColumns),
               src = tensorAt<T>(kSrc1, kColumns);
          put(grad, std::vector<T>(kColumns, T(3.0f)));
          put(src, std::vector<T>(kColumns, T(0.5f / kColumns)));
          SoftmaxGrad<T>(dst, grad, src, tmp(), SoftMaxTiling(), false,
                         SoftMaxShapeInfo{1, kColumns, 1, kColumns});
          result = get(dst, kColumns);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t i = 0; i < kColumns; ++i) // (3 - 1.5) * 1 / 128
            ASSERT_EQ(static_cast<float>(result[i]), 1.5f / 128) << what;
        });
  });
}

} // namespace
