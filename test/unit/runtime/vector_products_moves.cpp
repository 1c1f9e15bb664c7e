// Fills, gathers, transposes and copies of the product tables
// (vector_products.h).
#include "vector_products.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

//===- Fill ---------------------------------------------------------------===//

PRODUCT_TEST(Duplicate, Api::Duplicate) {
  expectNoOthers(Api::Duplicate, All());
  eachType(All(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t size = 3 * lanesOf<T>();
    const auto old = values<T>(size, 1);
    const T value = values<T>(1, 2)[0];
    std::vector<T> result;
    onEveryFamily<T>(
        Api::Duplicate, "Duplicate", {Form::Count, Form::Mask},
        [&](Form form, const Family &) {
          auto dst = tensorAt<T>(kDst, size);
          put(dst, old);
          if (form == Form::Count)
            Duplicate(dst, value, static_cast<int32_t>(countOf<T>()));
          else
            Duplicate(dst, value, maskOf<T>(), 2, 1, 8);
          result = get(dst, size);
        },
        [&](Form form, const Family &, const std::string &what) {
          std::vector<T> expected = old;
          for (uint32_t i = 0; i < size; ++i)
            if (takesPart<T>(i, form))
              expected[i] = value;
          expectValues(result, expected, what);
        });
  });
}

PRODUCT_TEST(Brcb, Api::Brcb) {
  expectNoOthers(Api::Brcb, WordsAndReals());
  eachType(WordsAndReals(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t perBlock = 32 / sizeof(T);
    const auto source = values<T>(16, 1);
    std::vector<T> result;
    onEveryFamily<T>(
        Api::Brcb, "Brcb", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 16 * perBlock),
               src = tensorAt<T>(kSrc0, 16);
          put(src, source);
          Brcb(dst, src, 2, {1, 8});
          result = get(dst, 16 * perBlock);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t i = 0; i < 16 * perBlock; ++i)
            ASSERT_EQ(bitsOf(result[i]), bitsOf(source[i / perBlock]))
                << what << ", element " << i;
        });
  });
}

using IndexTypes = Types<half, float, int16_t, int32_t>;

PRODUCT_TEST(Sequences, Api::CreateVecIndex, Api::ArithProgression) {
  expectNoOthers(Api::CreateVecIndex, IndexTypes());
  expectNoOthers(Api::ArithProgression, IndexTypes());
  eachType(IndexTypes(), [&](auto type) {
    using T = typename decltype(type)::type;
    std::vector<T> result;
    const auto check = [&](int first, int step) {
      return [&, first, step](Form, const Family &, const std::string &what) {
        for (uint32_t i = 0; i < countOf<T>(); ++i)
          ASSERT_EQ(static_cast<float>(result[i]),
                    static_cast<float>(first + step * static_cast<int>(i)))
              << what << ", element " << i;
      };
    };
    onEveryFamily<T>(
        Api::CreateVecIndex, "CreateVecIndex", {Form::Count},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 512);
          CreateVecIndex(dst, T(3), countOf<T>());
          result = get(dst, countOf<T>());
        },
        check(3, 1));
    onEveryFamily<T>(
        Api::ArithProgression, "ArithProgression", {Form::Count},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 512);
          ArithProgression(dst, T(5), T(2), static_cast<int32_t>(countOf<T>()));
          result = get(dst, countOf<T>());
        },
        check(5, 2));
  });
}

//===- Gather, Scatter ----------------------------------------------------===//

PRODUCT_TEST(Gathers, Api::Gather, Api::Scatter, Api::Gatherb) {
  for (Api api : {Api::Gather, Api::Scatter, Api::Gatherb})
    expectNoOthers(api, WordsAndReals());
  eachType(WordsAndReals(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t count = countOf<T>(), size = 4 * lanesOf<T>();
    const auto source = values<T>(size, 1);
    std::vector<uint32_t> at(size);
    for (uint32_t i = 0; i < size; ++i)
      at[i] = (i * 7 + 3) % size; // a permutation
    std::vector<uint32_t> bytes(size);
    for (uint32_t i = 0; i < size; ++i)
      bytes[i] = at[i] * sizeof(T);
    std::vector<T> result;
    const auto place = [&](auto call) {
      return [&, call](Form, const Family &) {
        auto dst = tensorAt<T>(kDst, size), src = tensorAt<T>(kSrc0, size);
        auto offsets = tensorAt<uint32_t>(kSrc1, size);
        put(dst, std::vector<T>(size));
        put(src, source);
        put(offsets, bytes);
        call(dst, src, offsets);
        result = get(dst, size);
      };
    };
    onEveryFamily<T>(Api::Gather, "Gather", {Form::Count},
                     place([&](auto dst, auto src, auto offsets) {
                       Gather(dst, src, offsets, 0u, count);
                     }),
                     [&](Form, const Family &, const std::string &what) {
                       for (uint32_t i = 0; i < count; ++i)
                         ASSERT_EQ(bitsOf(result[i]), bitsOf(source[at[i]]))
                             << what << ", element " << i;
                     });
    onEveryFamily<T>(Api::Scatter, "Scatter", {Form::Count},
                     place([&](auto dst, auto src, auto offsets) {
                       Scatter(dst, src, offsets, 0u, count);
                     }),
                     [&](Form, const Family &, const std::string &what) {
                       for (uint32_t i = 0; i < count; ++i)
                         ASSERT_EQ(bitsOf(result[at[i]]), bitsOf(source[i]))
                             << what << ", element " << i;
                     });
    onEveryFamily<T>(
        Api::Gatherb, "Gatherb", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, size), src = tensorAt<T>(kSrc0, size);
          auto offsets = tensorAt<uint32_t>(kSrc1, 8);
          put(src, source);
          put(offsets,
              std::vector<uint32_t>{224, 192, 160, 128, 96, 64, 32, 0});
          Gatherb(dst, src, offsets, 1, {1, 8});
          result = get(dst, lanesOf<T>());
        },
        [&](Form, const Family &, const std::string &what) {
          const uint32_t perBlock = 32 / sizeof(T);
          for (uint32_t i = 0; i < lanesOf<T>(); ++i)
            ASSERT_EQ(
                bitsOf(result[i]),
                bitsOf(source[(7 - i / perBlock) * perBlock + i % perBlock]))
                << what << ", element " << i;
        });
  });
}

PRODUCT_TEST(GatherMask, Api::GatherMask) {
  expectNoOthers(Api::GatherMask, WordsAndReals());
  eachType(WordsAndReals(), [&](auto type) {
    using T = typename decltype(type)::type;
    const auto source = values<T>(2 * lanesOf<T>(), 1);
    std::vector<T> result;
    uint64_t kept = 0;
    onEveryFamily<T>(
        Api::GatherMask, "GatherMask", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 2 * lanesOf<T>()),
               src = tensorAt<T>(kSrc0, 2 * lanesOf<T>());
          put(src, source);
          GatherMask(dst, src, uint8_t{2}, false, 0, {1, 2, 8, 0}, kept);
          result = get(dst, lanesOf<T>());
        },
        [&](Form, const Family &, const std::string &what) {
          ASSERT_EQ(kept, lanesOf<T>()) << what;
          for (uint32_t i = 0; i < lanesOf<T>(); ++i)
            ASSERT_EQ(bitsOf(result[i]), bitsOf(source[2 * i + 1]))
                << what << ", element " << i;
        });
  });
  // Pattern 7 keeps all, where it exists.
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    if (!family.has(Api::GatherMask))
      return;
    Options options;
    options.soc = soc.name;
    uint64_t kept = 0;
    const auto result = run(options, [&] {
      GatherMask(tensorAt<float>(kDst, 64), tensorAt<float>(kSrc0, 64),
                 uint8_t{7}, false, 0, {1, 1, 8, 0}, kept);
    });
    if (family.gatherMaskAll) {
      EXPECT_OK(result);
      EXPECT_EQ(kept, 64u);
    } else {
      EXPECT_NE(errorOf(result).find(std::string("pattern is 7, built-in "
                                                 "patterns of ") +
                                     family.title + " are 1 to 6"),
                std::string::npos);
    }
  });
}

//===- Layout -------------------------------------------------------------===//

PRODUCT_TEST(Transposes, Api::Transpose, Api::TransDataTo5HD) {
  using Halves = Types<half, int16_t, uint16_t>;
  using Listed = Types<half, bfloat16_t, float, int8_t, uint8_t, int16_t,
                       uint16_t, int32_t, uint32_t>;
  expectNoOthers(Api::Transpose, Halves());
  expectNoOthers(Api::TransDataTo5HD, Listed());
  eachType(Halves(), [&](auto type) {
    using T = typename decltype(type)::type;
    const auto source = values<T>(256, 1);
    std::vector<T> result;
    onEveryFamily<T>(
        Api::Transpose, "Transpose", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 256), src = tensorAt<T>(kSrc0, 256);
          put(src, source);
          Transpose(dst, src);
          result = get(dst, 256);
        },
        [&](Form, const Family &, const std::string &what) {
          for (uint32_t i = 0; i < 256; ++i)
            ASSERT_EQ(bitsOf(result[i]), bitsOf(source[i % 16 * 16 + i / 16]))
                << what;
        });
  });
  eachType(Listed(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t perBlock = 32 / sizeof(T);
    const auto source = values<T>(16 * perBlock, 1);
    std::vector<T> result;
    onEveryFamily<T>(
        Api::TransDataTo5HD, "TransDataTo5HD", {Form::Mask},
        [&](Form, const Family &) {
          auto dst = tensorAt<T>(kDst, 16 * perBlock),
               src = tensorAt<T>(kSrc0, 16 * perBlock);
          put(src, source);
          put(dst, std::vector<T>(16 * perBlock));
          LocalTensor<T> to[16], from[16];
          for (uint32_t i = 0; i < 16; ++i) {
            to[i] = dst[i * perBlock];
            from[i] = src[i * perBlock];
          }
          TransDataTo5HD(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
          result = get(dst, 16 * perBlock);
        },
        [&](Form, const Family &, const std::string &what) {
          // Lane k of the 16 blocks, one behind the other; of bytes the low
          // half of each block.
          const uint32_t lanes = std::min(perBlock, 16u);
          for (uint32_t k = 0; k < lanes; ++k)
            for (uint32_t j = 0; j < 16; ++j)
              ASSERT_EQ(
                  bitsOf(
                      result[sizeof(T) == 1 ? k * perBlock + j : k * 16 + j]),
                  bitsOf(source[j * perBlock + k]))
                  << what;
        });
  });
}

//===- Copies -------------------------------------------------------------===//

using Copied =
    Types<half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t,
          uint32_t, int64_t, uint64_t, double, bool>;

template <typename T> std::vector<T> data(size_t count, uint32_t seed) {
  const auto bytes = values<uint8_t>(count * sizeof(T), seed);
  std::vector<T> list(count);
  if constexpr (std::is_same_v<T, bool>)
    for (size_t i = 0; i < count; ++i)
      list[i] = bytes[i] & 1;
  else
    std::memcpy(static_cast<void *>(list.data()), bytes.data(), bytes.size());
  return list;
}

// In and out again; with DataCopyPad all but the last element.
template <typename T> void checkThrough(bool pad) {
  const uint32_t count = 512 / sizeof(T), kept = pad ? count - 1 : count;
  uint8_t in[512], out[512];
  const auto bytes = values<uint8_t>(512, 3);
  std::memcpy(in, bytes.data(), 512);
  onEveryFamily<T>(
      pad ? Api::DataCopyPad : Api::DataCopy, pad ? "DataCopyPad" : "DataCopy",
      {Form::Count},
      [&](Form, const Family &) {
        GlobalTensor<T> from, to;
        from.SetGlobalBuffer(reinterpret_cast<T *>(in), count);
        to.SetGlobalBuffer(reinterpret_cast<T *>(out), count);
        std::memset(out, 0x5c, 512);
        auto x = tensorAt<T>(kSrc0, count);
        if (pad) {
          const auto length = static_cast<uint32_t>(kept * sizeof(T));
          DataCopyPad(x, from, DataCopyExtParams(1, length, 0, 0, 0),
                      DataCopyPadExtParams<T>(false, 0, 0, T()));
          DataCopyPad(to, x, DataCopyExtParams(1, length, 0, 0, 0));
        } else {
          DataCopy(x, from, count);
          DataCopy(to, x, count);
        }
        PipeBarrier<PIPE_ALL>();
      },
      [&](Form, const Family &, const std::string &what) {
        for (size_t i = 0; i < 512; ++i)
          ASSERT_EQ(out[i], i < kept * sizeof(T) ? in[i] : 0x5c)
              << what << ", byte " << i;
      });
}

PRODUCT_TEST(Copies, Api::DataCopy, Api::DataCopyPad) {
  expectNoOthers(Api::DataCopy, Copied());
  expectNoOthers(Api::DataCopyPad, Copied());
  eachType(Copied(), [&](auto type) {
    using T = typename decltype(type)::type;
    checkThrough<T>(false);
    checkThrough<T>(true);
  });
}

PRODUCT_TEST(CopyInUb, Api::Copy, Api::CopyCount) {
  expectNoOthers(Api::Copy, All());
  expectNoOthers(Api::CopyCount, All());
  eachType(All(), [&](auto type) {
    using T = typename decltype(type)::type;
    const uint32_t size = 3 * lanesOf<T>();
    const auto old = values<T>(size, 1), source = values<T>(size, 2);
    std::vector<T> result;
    for (Form form : {Form::Count, Form::Mask})
      onEveryFamily<T>(
          form == Form::Count ? Api::CopyCount : Api::Copy, "Copy", {form},
          [&](Form, const Family &) {
            auto dst = tensorAt<T>(kDst, size), src = tensorAt<T>(kSrc0, size);
            put(dst, old);
            put(src, source);
            if (form == Form::Count)
              Copy(dst, src, countOf<T>());
            else
              Copy(dst, src, maskOf<T>(), 2, {1, 1, 8, 8});
            result = get(dst, size);
          },
          [&](Form, const Family &, const std::string &what) {
            std::vector<T> expected = old;
            for (uint32_t i = 0; i < size; ++i)
              if (takesPart<T>(i, form))
                expected[i] = source[i];
            expectValues(result, expected, what);
          });
  });
}

template <typename T> T combined(Api api, T a, T b) {
  if (api != Api::SetAtomicAdd)
    return (api == Api::SetAtomicMax) ==
                   (static_cast<float>(a) > static_cast<float>(b))
               ? a
               : b;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return T(static_cast<float>(a) + static_cast<float>(b));
}

PRODUCT_TEST(Atomics, Api::SetAtomicAdd, Api::SetAtomicMax, Api::SetAtomicMin,
             Api::SetAtomicNone) {
  for (Api api : {Api::SetAtomicAdd, Api::SetAtomicMax, Api::SetAtomicMin}) {
    expectNoOthers(api, All());
    eachType(All(), [&](auto type) {
      using T = typename decltype(type)::type;
      // Exact in float as well.
      auto small = [](uint32_t seed) {
        auto list = values<int8_t>(64, seed);
        std::vector<T> result;
        for (int8_t value : list)
          result.push_back(static_cast<T>(static_cast<float>(value & 31)));
        return result;
      };
      const auto a = small(1), b = small(2);
      std::vector<T> memory;
      onEveryFamily<T>(
          api, spelling(api), {Form::Mask},
          [&](Form, const Family &) {
            memory = a;
            auto gm = global(memory);
            auto x = tensorAt<T>(kSrc0, 64);
            put(x, b);
            if (api == Api::SetAtomicAdd)
              SetAtomicAdd<T>();
            else if (api == Api::SetAtomicMax)
              SetAtomicMax<T>();
            else
              SetAtomicMin<T>();
            DataCopy(gm, x, 32);
            SetAtomicNone();
            PipeBarrier<PIPE_ALL>();
          },
          [&](Form, const Family &, const std::string &what) {
            for (uint32_t i = 0; i < 64; ++i)
              ASSERT_EQ(bitsOf(memory[i]),
                        bitsOf(i < 32 ? combined(api, a[i], b[i]) : a[i]))
                  << what << ", element " << i;
          });
    });
  }
}

} // namespace
