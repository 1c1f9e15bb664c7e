// Calls of the product tables that do not depend on a type, what differs
// between products besides types (scratch memory, orders of addition, flags),
// and the check that no call of the tables is left out (vector_products.h).
#include "vector_products.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

void checkUntyped(Api api, const char *call,
                  const std::function<void()> &kernel) {
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    runAs(family.has(api), call, soc, spelling(api), kernel);
  });
}

PRODUCT_TEST(Untyped, Api::SetFlag, Api::WaitFlag, Api::PipeBarrier,
             Api::GetBlockIdx, Api::GetBlockNum, Api::SetVectorMask,
             Api::SetDeqScale, Api::SetAtomicNone, Api::InitOutput,
             Api::SetL2CacheHint, Api::CrossCoreSetFlag, Api::DataSyncBarrier,
             Api::SetMaskCount, Api::SetMaskNorm, Api::ResetMask,
             Api::DataCacheCleanAndInvalid, Api::SetPadValue) {
  const auto flags = [] {
    SetFlag<HardEvent::MTE2_V>(3);
    WaitFlag<HardEvent::MTE2_V>(3);
  };
  checkUntyped(Api::SetFlag, "SetFlag", flags);
  checkUntyped(Api::WaitFlag, "WaitFlag", flags);
  checkUntyped(Api::PipeBarrier, "PipeBarrier", [] { PipeBarrier<PIPE_V>(); });
  const auto blocks = [] {
    EXPECT_EQ(GetBlockIdx(), 0);
    EXPECT_EQ(GetBlockNum(), 1);
  };
  checkUntyped(Api::GetBlockIdx, "GetBlockIdx", blocks);
  checkUntyped(Api::GetBlockNum, "GetBlockNum", blocks);
  checkUntyped(Api::SetVectorMask, "SetVectorMask",
               [] { SetVectorMask<float>(0, 7); });
  checkUntyped(Api::SetDeqScale, "SetDeqScale",
               [] { SetDeqScale(half(1.0f)); });
  checkUntyped(Api::SetAtomicNone, "SetAtomicNone", [] { SetAtomicNone(); });
  std::vector<float> memory(64, 1.0f);
  checkUntyped(Api::InitOutput, "InitOutput", [&] {
    InitOutput(global(memory), 64u, 3.0f);
    EXPECT_EQ(memory[63], 3.0f);
  });
  checkUntyped(Api::SetL2CacheHint, "SetL2CacheHint", [&] {
    global(memory).SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  });
  checkUntyped(Api::CrossCoreSetFlag, "CrossCoreSetFlag", [] {
    CrossCoreSetFlag<0, PIPE_MTE3>(10);
    CrossCoreWaitFlag(10);
  });
  checkUntyped(Api::DataSyncBarrier, "DataSyncBarrier",
               [] { DataSyncBarrier<MemDsbT::ALL>(); });
  checkUntyped(Api::SetMaskCount, "SetMaskCount", [] { SetMaskCount(); });
  checkUntyped(Api::SetMaskNorm, "SetMaskNorm", [] { SetMaskNorm(); });
  checkUntyped(Api::ResetMask, "ResetMask", [] { ResetMask(); });
  checkUntyped(Api::DataCacheCleanAndInvalid, "DataCacheCleanAndInvalid", [&] {
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(
        global(memory));
  });
  checkUntyped(Api::SetPadValue, "SetPadValue", [] { SetPadValue(1.0f); });
}

PRODUCT_TEST(Meeting, Api::SyncAll, Api::SyncAllSoftware) {
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    const uint32_t blocks = std::min(soc.kernelCores(), 8u);
    std::vector<int32_t> counts(blocks);
    runAs(
        family.has(Api::SyncAll), "SyncAll", soc, "SyncAll",
        [&] {
          counts[static_cast<size_t>(GetBlockIdx())] = 1;
          SyncAll();
          for (int32_t count : counts)
            EXPECT_EQ(count, 1);
        },
        blocks);
    // A zeroed workspace of 32 bytes per block works everywhere, and again.
    std::vector<int32_t> workspace(blocks * 8, 0);
    std::fill(counts.begin(), counts.end(), 0);
    ASSERT_TRUE(family.has(Api::SyncAllSoftware));
    runAs(
        true, "SyncAll", soc, "SyncAll with a workspace",
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, blocks * 32);
          auto local = buffer.Get<int32_t>();
          for (int32_t round = 1; round <= 3; ++round) {
            counts[static_cast<size_t>(GetBlockIdx())] = round;
            SyncAll(global(workspace), local);
            for (int32_t count : counts)
              EXPECT_EQ(count, round);
            SyncAll(global(workspace), local);
          }
        },
        blocks);
  });
}

// As many queues in flight as there are event ids: 4 on the oldest product.
TEST(Products, EventIds) {
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    Options options;
    options.soc = soc.name;
    const auto inFlight = [&](uint32_t blocks) {
      return run(options, [&] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> queue;
        pipe.InitBuffer(queue, static_cast<uint8_t>(blocks), 32);
        std::vector<LocalTensor<float>> taken;
        for (uint32_t i = 0; i < blocks; ++i) {
          auto t = queue.AllocTensor<float>();
          queue.EnQue(t);
          taken.push_back(queue.DeQue<float>());
        }
        for (auto &t : taken)
          queue.FreeTensor(t);
      });
    };
    EXPECT_OK(inFlight(family.eventIds));
    EXPECT_NE(errorOf(inFlight(family.eventIds + 1))
                  .find("event ids of V_MTE2 are in use"),
              std::string::npos)
        << family.title;
    EXPECT_FALSE(run(options, [&] {
                   SetFlag<HardEvent::V_S>(
                       static_cast<int32_t>(family.eventIds));
                 }).ok);
  });
}

// The last bytes of UB are there and the next ones are not.
TEST(Products, SizeOfUb) {
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    Options options;
    options.soc = soc.name;
    EXPECT_OK(run(options, [&] {
      Duplicate(tensorAt<float>(soc.ubBytes - 256, 64), 1.0f, 64);
    }));
    EXPECT_NE(errorOf(run(options,
                          [&] {
                            Duplicate(tensorAt<float>(soc.ubBytes - 256, 64),
                                      1.0f, 65);
                          }))
                  .find("UB has " + std::to_string(soc.ubBytes)),
              std::string::npos)
        << family.title;
  });
}

//===- Scratch at the top of UB -------------------------------------------===//

// Runs `kernel` with a buffer over all of UB that holds data up to its end, or
// up to where the scratch begins.
lossgrad::sim::LaunchResult withData(const targets::Soc &soc, bool everywhere,
                                     const std::function<void()> &kernel) {
  Options options;
  options.soc = soc.name;
  return run(options, [&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, soc.ubBytes);
    const uint32_t end =
        everywhere ? soc.ubBytes
                   : std::min(soc.family->ubScratchOffset, soc.ubBytes);
    auto all = buffer.Get<float>();
    Duplicate(all, 1.0f, static_cast<int32_t>(end / 4));
    kernel();
  });
}

void checkScratch(Api api, const char *call,
                  const std::function<void()> &kernel) {
  eachFamily([&](const Family &family, const targets::Soc &soc) {
    if (!family.has(api))
      return;
    EXPECT_OK(withData(soc, false, kernel));
    const auto result = withData(soc, true, kernel);
    if (!family.usesScratch(api)) {
      EXPECT_OK(result);
      return;
    }
    const std::string message = errorOf(result);
    EXPECT_EQ(message.find(std::string(call) + " at "), 0u) << message;
    EXPECT_NE(message.find("overwrites scratch at UB ["), std::string::npos)
        << family.title << ": " << message;
    EXPECT_NE(message.find("keep data below " +
                           std::to_string(family.ubScratchOffset)),
              std::string::npos)
        << message;
  });
}

TEST(Products, Scratch) {
  auto mask = [] { return tensorAt<uint8_t>(kOther, 32); };
  checkScratch(Api::SelectScalar, "Select", [&] {
    auto x = tensorAt<float>(kSrc0, 64);
    Select(x, mask(), x, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  });
  checkScratch(Api::SelectTensor, "Select", [&] {
    auto x = tensorAt<float>(kSrc0, 64);
    Select(x, mask(), x, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  });
  checkScratch(Api::Select, "Select", [&] {
    auto x = tensorAt<float>(kSrc0, 64);
    Select(x, mask(), x, x, SELMODE::VSEL_CMPMASK_SPR, 64);
  });
  checkScratch(Api::Brcb, "Brcb", [] {
    Brcb(tensorAt<float>(kDst, 64), tensorAt<float>(kSrc0, 8), 1, {1, 8});
  });
  checkScratch(Api::Brcb, "Brcb", [] {
    Brcb(tensorAt<half>(kDst, 128), tensorAt<half>(kSrc0, 16), 1, {1, 8});
  });
  checkScratch(Api::AddDeqRelu, "AddDeqRelu", [] {
    SetDeqScale(half(1.0f));
    auto x = tensorAt<int32_t>(kSrc0, 64);
    AddDeqRelu(tensorAt<half>(kDst, 64), x, x, 64);
  });
}

// Nothing but Brcb's dense form goes through scratch.
TEST(Products, ScratchOfStridedBrcb) {
  EXPECT_OK(withData(*targets::findSoc("Ascend310P3"), true, [] {
    Brcb(tensorAt<float>(kDst, 512), tensorAt<float>(kSrc0, 8), 1, {2, 16});
  }));
}

//===- Orders of addition -------------------------------------------------===//

template <typename T> T rounded(float value) { return T(value); }

// The tree of one repeat: neighbours first, every sum in the element type.
template <typename T> T tree(std::vector<T> lanes) {
  while (lanes.size() > 1) {
    for (size_t i = 0; i < lanes.size() / 2; ++i)
      lanes[i] = T(static_cast<float>(lanes[2 * i]) +
                   static_cast<float>(lanes[2 * i + 1]));
    lanes.resize(lanes.size() / 2);
  }
  return lanes[0];
}
template <typename T> T plus(T a, T b) {
  return T(static_cast<float>(a) + static_cast<float>(b));
}

template <typename T> T expectedSum(const Family &family, std::vector<T> x) {
  const size_t lanes = lanesOf<T>(), tail = x.size() % lanes;
  std::vector<std::vector<T>> repeats;
  for (size_t i = 0; i < x.size(); i += lanes)
    repeats.emplace_back(
        x.begin() + static_cast<int64_t>(i),
        x.begin() + static_cast<int64_t>(std::min(i + lanes, x.size())));
  if (family.npuArch == 3510 && repeats.size() > 1 && repeats.size() <= 4) {
    auto add = [&](size_t to, size_t from) {
      for (size_t i = 0; i < repeats[from].size(); ++i)
        repeats[to][i] = plus(repeats[to][i], repeats[from][i]);
    };
    add(0, 1);
    if (repeats.size() == 4)
      add(2, 3);
    if (repeats.size() > 2)
      add(0, 2);
    return tree(repeats[0]);
  }
  std::vector<T> partials;
  for (auto &repeat : repeats) {
    repeat.resize(lanes, T(0.0f));
    partials.push_back(tree(repeat));
  }
  if (family.npuArch == 2201) {
    T sum = T(0.0f);
    for (T partial : partials)
      sum = plus(sum, partial);
    return sum;
  }
  T last = T(0.0f);
  const bool apart = tail && partials.size() > 1 && family.npuArch != 3510;
  if (apart) {
    last = partials.back();
    partials.pop_back();
  }
  partials.resize(lanes, T(0.0f));
  const T body = tree(partials);
  return apart ? plus(body, last) : body;
}

template <typename T> void checkOrder() {
  for (uint32_t count : {40u, 64u, 65u, 128u, 130u, 190u, 200u, 256u, 300u,
                         513u, 1021u, 2000u}) {
    // Enough digits that the order shows.
    std::mt19937 random(count);
    std::vector<T> x;
    for (uint32_t i = 0; i < count; ++i)
      x.push_back(
          T(static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f));
    eachFamily([&](const Family &family, const targets::Soc &soc) {
      if (!family.takes(Api::ReduceSum, dtypeOf<T>()))
        return;
      Options options;
      options.soc = soc.name;
      T result = T(0.0f);
      EXPECT_OK(run(options, [&] {
        auto src = tensorAt<T>(kSrc0, 2048), work = tensorAt<T>(kSrc1, 256);
        auto dst = tensorAt<T>(kDst, 16);
        put(src, x);
        ReduceSum(dst, src, work, static_cast<int32_t>(count));
        result = dst.GetValue(0);
      }));
      EXPECT_EQ(bitsOf(result), bitsOf(expectedSum(family, x)))
          << family.title << ", " << count << " elements of " << sizeof(T)
          << " bytes";
    });
  }
}

TEST(Products, OrderOfReduceSum) {
  checkOrder<float>();
  checkOrder<half>();
}

//===- Flags between cores ------------------------------------------------===//

TEST(Products, FlagsOfTheLibrary) {
  const auto meet = [](uint16_t flag, bool syncs) {
    return run([=] {
      if (syncs)
        SyncAll();
      CrossCoreSetFlag<0, PIPE_MTE3>(flag);
      CrossCoreWaitFlag(flag);
    });
  };
  EXPECT_OK(meet(10, true));
  for (uint16_t flag = 11; flag <= 15; ++flag) {
    const auto alone = meet(flag, false);
    EXPECT_TRUE(alone.ok) << alone.errors;
    EXPECT_NE(alone.warnings.find("flag id is " + std::to_string(flag) +
                                  ": a kernel's own are 0 to 10"),
              std::string::npos)
        << alone.warnings;
    const auto both = meet(flag, true);
    EXPECT_EQ(both.ok, flag == 15) << flag;
    EXPECT_EQ(both.errors.find("CrossCoreSetFlag at") == std::string::npos,
              flag == 15);
  }
  EXPECT_NE(errorOf(run([] {
              CrossCoreSetFlag<0, PIPE_MTE3>(12);
              CrossCoreWaitFlag(12);
              SyncAll();
            })).find("sets flags 11 to 14 itself and calls SyncAll"),
            std::string::npos);
  EXPECT_NE(
      errorOf(meet(16, false)).find("flag id is 16, it must be in [0, 15]"),
      std::string::npos);
}

TEST(Products, EveryCallOfTheTablesIsTested) {
  for (size_t api = 0; api < targets::numApis; ++api)
    EXPECT_TRUE(coveredCalls().count(static_cast<Api>(api)))
        << spelling(static_cast<Api>(api)) << " is in no PRODUCT_TEST";
}

} // namespace
