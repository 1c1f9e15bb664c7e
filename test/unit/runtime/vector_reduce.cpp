// Reductions: the order of additions, bit for bit, masks, indices and ties, the
// result layouts, and the whole-tensor forms of each product.
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kSrc = 0, kDst = 65536, kWork = 98304;

// Neighbours first, written as a recursion over halves of the index range.
template <typename T> T tree(const std::vector<T> &x, size_t first, size_t n) {
  if (n == 1)
    return x[first];
  return T(tree(x, first, n / 2) + tree(x, first + n / 2, n / 2));
}

template <typename T> std::vector<T> numbers(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> x(count);
  for (T &v : x)
    v = T(std::ldexp(static_cast<float>(static_cast<int32_t>(random())),
                     -static_cast<int>(random() % 8) - 26));
  return x;
}

template <typename T>
std::vector<T> reduced(const std::vector<T> &x, size_t results,
                       const std::function<void(LocalTensor<T>, LocalTensor<T>,
                                                LocalTensor<T>)> &call,
                       const Options &options = {}) {
  std::vector<T> out(results, T(-77.0f));
  EXPECT_OK(run(options, [&] {
    auto src = tensorAt<T>(kSrc, static_cast<uint32_t>(x.size()));
    auto dst = tensorAt<T>(kDst, 4096), work = tensorAt<T>(kWork, 8192);
    put(src, x);
    put(dst, out);
    call(dst, src, work);
    out = get(dst, results);
  }));
  return out;
}

template <typename T> void checkWholeSum() {
  const uint32_t lanes = 256 / sizeof(T);
  const auto x = numbers<T>(lanes * 20, 1);
  for (uint32_t mask : {lanes, 1u, 33u, lanes - 1}) {
    const auto sums = reduced<T>(x, 12, [&](auto dst, auto src, auto) {
      WholeReduceSum(dst, src, static_cast<int32_t>(mask), 5, 2, 1, 9);
    });
    for (uint32_t r = 0; r < 5; ++r) {
      std::vector<T> row(lanes, T(0.0f));
      for (uint32_t lane = 0; lane < mask; ++lane)
        row[lane] = x[laneIndex<T>(r, lane, 1, 9)];
      EXPECT_EQ(bitsOf(sums[2 * r]), bitsOf(tree(row, 0, lanes))) << mask;
      EXPECT_EQ(float(sums[2 * r + 1]), -77.0f);
    }
  }
}

TEST(VectorReduce, WholeSumIsATreeOverNeighbours) {
  checkWholeSum<float>();
  checkWholeSum<half>();
}

TEST(VectorReduce, OrderDiffersFromSequential) {
  // 1e8 + 1 - 1e8: a tree over neighbours loses the 1, adding the first and
  // third element first would keep it.
  std::vector<float> x(64, 0.0f);
  x[0] = 1e8f;
  x[1] = 1.0f;
  x[2] = -1e8f;
  const auto sum = reduced<float>(x, 1, [](auto dst, auto src, auto) {
    WholeReduceSum(dst, src, 64, 1, 1, 1, 8);
  });
  EXPECT_EQ(sum[0], 0.0f);
}

template <typename T> void checkBlockAndPair() {
  const uint32_t lanes = 256 / sizeof(T), perBlock = 32 / sizeof(T);
  const auto x = numbers<T>(lanes * 8, 2);
  const auto blocks = reduced<T>(x, 24, [&](auto dst, auto src, auto) {
    BlockReduceSum(dst, src, 3, static_cast<int32_t>(lanes), 1, 1, 8);
  });
  for (uint32_t i = 0; i < 24; ++i)
    EXPECT_EQ(bitsOf(blocks[i]), bitsOf(tree(x, i * perBlock, perBlock)));
  const auto maxima = reduced<T>(x, 8, [&](auto dst, auto src, auto) {
    BlockReduceMax(dst, src, 1, static_cast<int32_t>(perBlock + 2), 1, 1, 8);
  });
  for (uint32_t b = 0; b < 8; ++b) {
    // A fully masked block keeps what was there.
    T expected = b < 2 ? x[b * perBlock] : T(-77.0f);
    for (uint32_t i = 0; b < 2 && i < (b == 0 ? perBlock : 2); ++i)
      expected = std::max(expected, x[b * perBlock + i]);
    EXPECT_EQ(bitsOf(maxima[b]), bitsOf(expected));
  }
  const auto pairs = reduced<T>(x, lanes, [&](auto dst, auto src, auto) {
    PairReduceSum(dst, src, 2, static_cast<int32_t>(lanes), 1, 1, 8);
  });
  for (uint32_t i = 0; i < lanes; ++i)
    EXPECT_EQ(bitsOf(pairs[i]), bitsOf(T(x[2 * i] + x[2 * i + 1])));
  const auto repeats = reduced<T>(x, 3, [&](auto dst, auto src, auto) {
    RepeatReduceSum(dst, src, 3, static_cast<int32_t>(lanes), 1, 1, 1, 8);
  });
  for (uint32_t r = 0; r < 3; ++r)
    EXPECT_EQ(bitsOf(repeats[r]), bitsOf(tree(x, r * lanes, lanes)));
}

TEST(VectorReduce, BlocksPairsAndRepeats) {
  checkBlockAndPair<float>();
  checkBlockAndPair<half>();
}

TEST(VectorReduce, NewNamesTakeTheMaskFirst) {
  const auto x = numbers<float>(64 * 4, 3);
  const auto sums = reduced<float>(x, 4, [](auto dst, auto src, auto) {
    ReduceRepeat<ReduceType::SUM>(dst, src, 64, 4, 1, 1, 8);
  });
  const auto blocks = reduced<float>(x, 8, [](auto dst, auto src, auto) {
    ReduceDataBlock<ReduceType::SUM>(dst, src, 64, 1, 1, 1, 8);
  });
  const auto pairs = reduced<float>(x, 32, [](auto dst, auto src, auto) {
    ReducePairElem<ReduceType::SUM>(dst, src, 64, 1, 1, 1, 8);
  });
  EXPECT_EQ(sums[3], tree(x, 192, 64));
  EXPECT_EQ(blocks[7], tree(x, 56, 8));
  EXPECT_EQ(pairs[31], x[62] + x[63]);
}

TEST(VectorReduce, ExtremesAndTheirOrders) {
  std::vector<float> x(128, 1.0f);
  x[5] = x[40] = 7.0f;
  x[64 + 63] = -3.0f;
  const auto index = [](float f) { return static_cast<uint32_t>(bitsOf(f)); };
  auto r = reduced<float>(x, 4, [](auto dst, auto src, auto) {
    WholeReduceMax(dst, src, 64, 2, 1, 1, 8);
  });
  EXPECT_EQ(r[0], 7.0f);
  EXPECT_EQ(index(r[1]), 5u); // the first of equals
  EXPECT_EQ(r[2], 1.0f);
  EXPECT_EQ(index(r[3]), 0u);
  r = reduced<float>(x, 4, [](auto dst, auto src, auto) {
    WholeReduceMin(dst, src, 64, 2, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);
  });
  EXPECT_EQ(index(r[2]), 63u);
  EXPECT_EQ(r[3], -3.0f);
  r = reduced<float>(x, 3, [](auto dst, auto src, auto) {
    WholeReduceMax(dst, src, 64, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  });
  EXPECT_EQ(r[0], 7.0f);
  EXPECT_EQ(r[1], 1.0f);
  EXPECT_EQ(r[2], -77.0f);
  uint64_t mask[2] = {1ull << 40 | 1ull << 20, 0};
  r = reduced<float>(x, 2, [&](auto dst, auto src, auto) {
    WholeReduceMax(dst, src, mask, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);
  });
  EXPECT_EQ(index(r[0]), 40u);
  std::vector<half> h(128, half(2.0f));
  h[99] = half(-2.0f);
  const auto rh = reduced<half>(h, 2, [](auto dst, auto src, auto) {
    WholeReduceMin(dst, src, 128, 1, 1, 1, 8);
  });
  EXPECT_EQ(float(rh[0]), -2.0f);
  EXPECT_EQ(rh[1].rawBits(), 99u);
}

TEST(VectorReduce, NaNInExtremesFollowsTheSwitch) {
  std::vector<float> x(64, 1.0f);
  x[0] = std::nanf("");
  x[9] = 4.0f;
  const auto call = [](auto dst, auto src, auto) {
    WholeReduceMax(dst, src, 64, 1, 1, 1, 8);
  };
  auto r = reduced<float>(x, 2, call);
  EXPECT_EQ(r[0], 4.0f);
  EXPECT_EQ(bitsOf(r[1]), 9u);
  Switch keep("LOSSGRAD_OPEN_MAX_MIN_KEEPS_NAN", "1");
  r = reduced<float>(x, 2, call);
  EXPECT_TRUE(std::isnan(r[0]));
  EXPECT_EQ(bitsOf(r[1]), 0u);
}

//===- whole tensors ------------------------------------------------------===//

template <typename T> std::vector<T> partialsOf(const std::vector<T> &x) {
  const size_t lanes = 256 / sizeof(T);
  std::vector<T> partials;
  for (size_t first = 0; first < x.size(); first += lanes) {
    std::vector<T> row(lanes, T(0.0f));
    for (size_t i = first; i < std::min(x.size(), first + lanes); ++i)
      row[i - first] = x[i];
    partials.push_back(tree(row, 0, lanes));
  }
  return partials;
}

template <typename T> void checkSumOnA2() {
  for (uint32_t count : kTails) {
    const auto x = numbers<T>(count, count);
    T accumulated = T(0.0f);
    T left = T(0.0f);
    const auto sum = reduced<T>(x, 2, [&](auto dst, auto src, auto work) {
      ReduceSum(dst, src, work, static_cast<int32_t>(count));
      left = GetAccVal<T>();
    });
    for (T partial : partialsOf(x))
      accumulated = T(accumulated + partial);
    EXPECT_EQ(bitsOf(sum[0]), bitsOf(accumulated)) << count;
    EXPECT_EQ(float(sum[1]), -77.0f);
    EXPECT_EQ(bitsOf(left), bitsOf(accumulated));
  }
}

TEST(VectorReduce, SumOverACountAccumulatesOnA2) {
  checkSumOnA2<float>();
  checkSumOnA2<half>();
}

TEST(VectorReduce, SumOverACountOnOtherProducts) {
  Options p310, p950;
  p310.soc = "Ascend310P3";
  p950.soc = "Ascend950PR_9599";
  for (uint32_t count : {64u, 65u, 129u, 1021u}) {
    const auto x = numbers<float>(count, count);
    const auto call = [&](auto dst, auto src, auto work) {
      ReduceSum(dst, src, work, static_cast<int32_t>(count));
    };
    auto partials = partialsOf(x);
    std::vector<float> all = partials;
    all.resize(64, 0.0f);
    EXPECT_EQ(reduced<float>(x, 1, call, p950)[0], tree(all, 0, 64)) << count;
    if (count % 64) {
      const float tail = partials.back();
      partials.pop_back();
      partials.resize(64, 0.0f);
      const float body = tree(partials, 0, 64);
      EXPECT_EQ(reduced<float>(x, 1, call, p310)[0], body + tail) << count;
    }
  }
}

TEST(VectorReduce, SumOverRepeatsIsATreeOfTrees) {
  const auto x = numbers<float>(64 * 100, 5);
  const auto sum = reduced<float>(x, 1, [](auto dst, auto src, auto work) {
    ReduceSum(dst, src, work, 64, 100, 8);
  });
  std::vector<float> partials = partialsOf(x);
  std::vector<float> second;
  partials.resize(128, 0.0f);
  second.push_back(tree(partials, 0, 64));
  second.push_back(tree(partials, 64, 64));
  EXPECT_EQ(sum[0], second[0] + second[1]);
}

TEST(VectorReduce, ExtremeOfATensorWithIndex) {
  for (uint32_t count : kTails) {
    auto x = numbers<float>(count, count + 7);
    size_t best = 0;
    for (size_t i = 0; i < count; ++i)
      if (x[i] > x[best])
        best = i;
    const auto r = reduced<float>(x, 2, [&](auto dst, auto src, auto work) {
      ReduceMax(dst, src, work, static_cast<int32_t>(count), true);
    });
    EXPECT_EQ(r[0], x[best]);
    EXPECT_EQ(bitsOf(r[1]), best) << count;
  }
  std::vector<half> h(1000, half(3.0f));
  h[700] = half(1.0f);
  const auto r = reduced<half>(h, 2, [](auto dst, auto src, auto work) {
    ReduceMin(dst, src, work, 1000, true);
  });
  EXPECT_EQ(float(r[0]), 1.0f);
  EXPECT_EQ(r[1].rawBits(), 700u);
}

} // namespace
