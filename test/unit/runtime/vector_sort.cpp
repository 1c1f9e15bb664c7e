// Sorting, sums over rows, running sums, selection by elements, Xor, image
// transposes and LocalMemAllocator, with values worked out here.
#include "vector_support.h"

#include <algorithm>
#include <numeric>

using namespace AscendC;
using namespace lossgrad::test;

namespace {

template <typename T> struct Pair {
  T value;
  uint32_t index;
};

// What a list of pairs in UB holds.
template <typename T>
std::vector<Pair<T>> pairsAt(const LocalTensor<T> &tensor, uint32_t count) {
  std::vector<Pair<T>> pairs(count);
  const auto *bytes = reinterpret_cast<const uint8_t *>(tensor.GetPhyAddr());
  for (uint32_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<void *>(&pairs[i].value), bytes + i * 8, sizeof(T));
    std::memcpy(&pairs[i].index, bytes + i * 8 + 4, 4);
  }
  return pairs;
}

template <typename T>
void expectOrder(const std::vector<Pair<T>> &actual,
                 const std::vector<T> &values, uint32_t first, uint32_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), first);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const auto x = static_cast<float>(values[a]);
    const auto y = static_cast<float>(values[b]);
    return x > y || (x == y && a < b);
  });
  for (uint32_t i = 0; i < count; ++i) {
    ASSERT_EQ(actual[i].index, order[i]) << "place " << i;
    ASSERT_EQ(bitsOf(actual[i].value), bitsOf(values[order[i]]));
  }
}

// Few different values, so that equal ones meet.
template <typename T> std::vector<T> tied(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(static_cast<float>(static_cast<int>(random() % 41) - 20) / 4);
  return values;
}

template <typename T> void checkFullSort(uint32_t repeats) {
  const uint32_t count = repeats * 32;
  const std::vector<T> values = tied<T>(count, count);
  EXPECT_OK(run([&] {
    auto src = tensorAt<T>(0, count);
    auto index = tensorAt<uint32_t>(8192, count);
    auto dst = tensorAt<T>(16384, GetSortLen<T>(count));
    auto tmp = tensorAt<T>(65536, GetSortLen<T>(count));
    put(src, values);
    CreateVecIndex(index.template ReinterpretCast<int32_t>(), 0, count);
    LocalTensor<T> concat;
    Concat(concat, src, tmp, static_cast<int32_t>(count / 16));
    Sort<T, false>(dst, concat, index, tmp, static_cast<int32_t>(repeats));
    for (uint32_t group = 0; group < repeats; ++group)
      expectOrder(pairsAt(dst[GetSortOffset<T>(group * 32)], 32), values,
                  group * 32, 32);
    Sort<T, true>(dst, concat, index, tmp, static_cast<int32_t>(repeats));
    expectOrder(pairsAt(dst, count), values, 0, count);
    auto sorted = tensorAt<T>(0, count);
    Extract(sorted, index, dst, static_cast<int32_t>(repeats));
    for (uint32_t i = 1; i < count; ++i)
      ASSERT_GE(static_cast<float>(sorted.GetValue(i - 1)),
                static_cast<float>(sorted.GetValue(i)));
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(bitsOf(sorted.GetValue(i)), bitsOf(values[index.GetValue(i)]));
  }));
}

} // namespace

TEST(Sort, GroupsAndWholeTensors) {
  for (uint32_t repeats : {1u, 2u, 5u, 16u}) {
    checkFullSort<float>(repeats);
    checkFullSort<half>(repeats);
  }
}

TEST(Sort, MergesListsOfDifferentLengths) {
  EXPECT_OK(run([] {
    auto src = tensorAt<float>(0, 96);
    auto index = tensorAt<uint32_t>(1024, 96);
    auto lists = tensorAt<float>(2048, 192);
    auto dst = tensorAt<float>(8192, 192);
    const std::vector<float> values = tied<float>(96, 3);
    put(src, values);
    CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, 96);
    Sort32(lists, src, index, 3);
    const uint16_t lengths[4] = {32, 7, 20, 0};
    MrgSort(dst,
            MrgSortSrcList<float>(lists, lists[64], lists[128],
                                  LocalTensor<float>()),
            MrgSort4Info(lengths, false, 7, 1));
    const auto merged = pairsAt(dst, 59);
    for (size_t i = 1; i < merged.size(); ++i)
      ASSERT_GE(merged[i - 1].value, merged[i].value);
    // Until the list of 7 has been used up.
    uint32_t taken[4] = {};
    MrgSort<float, true>(dst,
                         MrgSortSrcList<float>(lists, lists[64], lists[128],
                                               LocalTensor<float>()),
                         lengths, taken, 7, 1);
    EXPECT_EQ(taken[1], 7u);
    const uint32_t total = taken[0] + taken[1] + taken[2];
    const auto some = pairsAt(dst, total);
    for (uint32_t i = 0; i < total; ++i)
      ASSERT_EQ(some[i].index, merged[i].index);
    uint16_t a, b, c, d;
    GetMrgSortResult(a, b, c, d);
    EXPECT_EQ(a, taken[0]);
    EXPECT_EQ(b, 7);
    EXPECT_EQ(c, taken[2]);
    EXPECT_EQ(d, 0);
  }));
}

TEST(Sort, RepeatsTakeFourListsEach) {
  EXPECT_OK(run([] {
    auto src = tensorAt<float>(0, 256);
    auto index = tensorAt<uint32_t>(1024, 256);
    auto lists = tensorAt<float>(2048, 512);
    auto dst = tensorAt<float>(8192, 512);
    const std::vector<float> values = tied<float>(256, 5);
    put(src, values);
    CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, 256);
    Sort32(lists, src, index, 8);
    const uint16_t lengths[4] = {32, 32, 32, 32};
    MrgSort(dst,
            MrgSortSrcList<float>(lists, lists[64], lists[128], lists[192]),
            MrgSort4Info(lengths, false, 15, 2));
    expectOrder(pairsAt(dst, 128), values, 0, 128);
    expectOrder(pairsAt(dst[256], 128), values, 128, 128);
  }));
}

TEST(Sort, Refusals) {
  const auto merge = [](uint16_t valid, uint16_t repeat, uint16_t length) {
    return errorOf(run([=] {
      auto lists = tensorAt<float>(0, 512);
      const uint16_t lengths[4] = {length, 32, 32, 32};
      MrgSort(tensorAt<float>(8192, 512),
              MrgSortSrcList<float>(lists, lists[64], lists[128], lists[192]),
              MrgSort4Info(lengths, false, valid, repeat));
    }));
  };
  EXPECT_EQ(merge(5, 1, 32), "MrgSort at vector_sort.cpp:N: validBit is 5, it "
                             "must be 3, 7 or 15");
  EXPECT_EQ(merge(15, 2, 16),
            "MrgSort at vector_sort.cpp:N: repeatTimes is 2, which takes four "
            "lists of the same length, one behind the other, all valid and "
            "without suspension");
  EXPECT_EQ(merge(15, 1, 4096), "MrgSort at vector_sort.cpp:N: "
                                "elementLengths[0] is 4096, at most 4095 are "
                                "possible");
  EXPECT_EQ(errorOf(run([] {
              auto lists = tensorAt<float>(0, 128);
              const uint16_t lengths[4] = {32, 32, 0, 0};
              MrgSort(lists,
                      MrgSortSrcList<float>(lists, lists[64],
                                            LocalTensor<float>(),
                                            LocalTensor<float>()),
                      MrgSort4Info(lengths, false, 3, 1));
            })),
            "MrgSort at vector_sort.cpp:N: dst overlaps a source, which is not "
            "allowed");
  Options old;
  old.soc = "Ascend310P3";
  EXPECT_EQ(errorOf(run(old,
                        [] {
                          Sort32(tensorAt<float>(0, 64),
                                 tensorAt<float>(1024, 32),
                                 tensorAt<uint32_t>(2048, 32), 1);
                        }))
                .substr(0, 47),
            "Sort32 at vector_sort.cpp:N: not available on A");
}

//===- rows ---------------------------------------------------------------===//

TEST(Rows, SumAddsInTrees) {
  for (uint32_t n : {1u, 7u, 64u, 65u, 500u}) {
    const uint32_t inner = (n + 7) / 8 * 8;
    std::vector<float> values = samples<float>(3 * inner, n);
    for (float &value : values)
      if (!std::isfinite(value))
        value = 3;
    EXPECT_OK(run([&] {
      auto src = tensorAt<float>(0, 3 * inner);
      auto dst = tensorAt<float>(65536, 8);
      put(src, values);
      SumParams params;
      params.outter = 3;
      params.inner = inner;
      params.n = n;
      Sum(dst, src, params);
      for (uint32_t row = 0; row < 3; ++row) {
        // 64 at a time, neighbours first, until one is left.
        std::vector<float> level(values.begin() + row * inner,
                                 values.begin() + row * inner + n);
        do {
          std::vector<float> next;
          for (size_t at = 0; at < level.size(); at += 64) {
            std::vector<float> tree(64, 0.0f);
            for (size_t i = at; i < std::min(level.size(), at + 64); ++i)
              tree[i - at] = level[i];
            for (size_t size = 32; size; size /= 2)
              for (size_t i = 0; i < size; ++i)
                tree[i] = tree[2 * i] + tree[2 * i + 1];
            next.push_back(tree[0]);
          }
          level = next;
        } while (level.size() > 1);
        EXPECT_EQ(dst.GetValue(row), level[0]) << n;
      }
    }));
  }
}

static constexpr CumSumConfig kAcross = {false, false, true};

TEST(Rows, CumSumAlongAndAcross) {
  EXPECT_OK(run([] {
    auto src = tensorAt<half>(0, 48);
    auto dst = tensorAt<half>(1024, 48);
    auto last = tensorAt<half>(2048, 16);
    std::vector<half> values = tied<half>(48, 9);
    put(src, values);
    CumSum(dst, last, src, CumSumInfo{3, 16});
    for (uint32_t row = 0; row < 3; ++row) {
      float sum = 0;
      for (uint32_t i = 0; i < 16; ++i) {
        sum += static_cast<float>(values[row * 16 + i]);
        EXPECT_EQ(bitsOf(dst.GetValue(row * 16 + i)), bitsOf(half(sum)));
      }
    }
    EXPECT_EQ(bitsOf(last.GetValue(15)), bitsOf(dst.GetValue(47)));
    CumSum<half, kAcross>(dst, last, src, CumSumInfo{3, 16});
    for (uint32_t i = 0; i < 16; ++i)
      EXPECT_EQ(static_cast<float>(last.GetValue(i)),
                static_cast<float>(values[i]) +
                    static_cast<float>(values[16 + i]) +
                    static_cast<float>(values[32 + i]));
  }));
  EXPECT_EQ(errorOf(run([] {
              auto src = tensorAt<float>(0, 48);
              auto dst = tensorAt<float>(1024, 48);
              CumSum(dst, dst, src, CumSumInfo{3, 15});
            })),
            "CumSum at vector_sort.cpp:N: a row has 15 elements, it must be a "
            "multiple of 32 bytes");
}

TEST(Rows, SelectsByElements) {
  EXPECT_OK(run([] {
    auto src = tensorAt<float>(0, 32);
    auto dst = tensorAt<float>(1024, 32);
    auto mask = tensorAt<uint8_t>(2048, 64);
    auto tmp = tensorAt<uint8_t>(4096, 1024);
    std::vector<uint8_t> bits(64, 0);
    for (uint32_t i = 0; i < 64; i += 3)
      bits[i] = static_cast<uint8_t>(i + 1);
    put(mask, bits);
    put(src, samples<float>(32, 1));
    SelectWithBytesMaskShapeInfo info;
    info.firstAxis = 2;
    info.srcLastAxis = 16;
    info.maskLastAxis = 32;
    Select(dst, src, 5.0f, mask, tmp, info);
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(bitsOf(dst.GetValue(i)),
                bitsOf(bits[i / 16 * 32 + i % 16] ? 5.0f : src.GetValue(i)));
    SelectWithBytesMask(dst, 5.0f, src, mask, tmp, info);
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(bitsOf(dst.GetValue(i)),
                bitsOf(bits[i / 16 * 32 + i % 16] ? src.GetValue(i) : 5.0f));
  }));
}

//===- the rest -----------------------------------------------------------===//

TEST(Calls, Xor) {
  EXPECT_OK(run([] {
    auto a = tensorAt<uint16_t>(0, 40), b = tensorAt<uint16_t>(1024, 40),
         d = tensorAt<uint16_t>(2048, 40);
    put(a, samples<uint16_t>(40, 1));
    put(b, samples<uint16_t>(40, 2));
    Xor(d, a, b, 40);
    for (uint32_t i = 0; i < 40; ++i)
      EXPECT_EQ(d.GetValue(i), a.GetValue(i) ^ b.GetValue(i));
  }));
}

TEST(Calls, TransposesImages) {
  EXPECT_OK(run([] {
    auto src = tensorAt<half>(0, 2 * 3 * 16), dst = tensorAt<half>(1024, 96),
         back = tensorAt<half>(2048, 96);
    auto tmp = tensorAt<uint8_t>(8192, 4096);
    put(src, samples<half>(96, 4));
    Transpose(
        dst, src, tmp,
        TransposeParamsExt(2, 3, 4, 4, TransposeType::TRANSPOSE_NCHW2NHWC));
    for (uint32_t n = 0; n < 2; ++n)
      for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t p = 0; p < 16; ++p)
          EXPECT_EQ(bitsOf(dst.GetValue(n * 48 + p * 3 + c)),
                    bitsOf(src.GetValue(n * 48 + c * 16 + p)));
    Transpose(
        back, dst, tmp,
        TransposeParamsExt(2, 3, 4, 4, TransposeType::TRANSPOSE_NHWC2NCHW));
    expectSame(get(back, 96), get(src, 96), "there and back");
  }));
}

TEST(Calls, LocalMemAllocatorTakesOneBehindTheOther) {
  EXPECT_OK(run([] {
    LocalMemAllocator<> allocator;
    EXPECT_EQ(allocator.GetCurAddr(), 0u);
    auto a = allocator.Alloc<TPosition::VECIN, float, 64>();
    auto b = allocator.Alloc<half>(32);
    EXPECT_EQ(allocator.GetCurAddr(), 320u);
    EXPECT_EQ(b.GetPhyAddr(), reinterpret_cast<half *>(a.GetPhyAddr() + 64));
    EXPECT_EQ(b.GetSize(), 32u);
  }));
  EXPECT_EQ(errorOf(run([] {
              LocalMemAllocator<Hardware::UB> allocator;
              allocator.Alloc<float>(100000);
            })),
            "LocalTensor at vector_sort.cpp:N: bytes [0, 400000) were asked "
            "for, the memory has 196608");
}

TEST(Calls, AssertionsEndTheBlock) {
  EXPECT_EQ(errorOf(run([] {
              const int flag = 10;
              ascendc_assert(flag == 10, "never printed %d\n", flag);
              ascendc_assert(flag != 10);
            })).find("flag != 10") != std::string::npos,
            true);
}

TEST(Calls, ConstantsOfThePlatform) {
  EXPECT_EQ(Ceil(65u, 64u), 2u);
  static_assert(ASCENDC_OOM == 0);
  // Compiled for another product than the one that states it.
  static_assert(GetUBSizeInBytes() == 0);
}

TEST(Calls, CompareTakesAnyTypeForItsBits) {
  EXPECT_OK(run([] {
    auto a = tensorAt<float>(0, 64);
    auto bits = tensorAt<uint16_t>(1024, 16);
    put(a, std::vector<float>(64, 1.0f));
    CompareScalar(bits, a, 0.5f, CMPMODE::GT, 64);
    EXPECT_EQ(bits.GetValue(0), 0xffff);
  }));
}
