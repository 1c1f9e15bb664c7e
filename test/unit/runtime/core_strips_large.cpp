// Deferred execution on tensors that no cache of the host holds: short tiles
// wait, too, tiles do not pass through UB, and stores go past the caches.
#include "core_strips_support.h"
#include "lossgrad/sim/Statistics.h"

#include <cstdlib>
#include <string>

using namespace AscendC;
using namespace lossgrad::test;
using lossgrad::sim::allocateGlobal;
using lossgrad::sim::freeGlobal;
using lossgrad::sim::storesPastCaches;
using lossgrad::sim::streamFences;

// Short tiles wait where they come from a tensor that no cache holds.
TEST(Strips, ShortTilesOfLargeTensorsWait) {
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (mode && mode != std::string("fast"))
    GTEST_SKIP() << "nothing is deferred in mode " << mode;
  constexpr size_t large = 16u << 20; // bytes
  constexpr uint32_t half = kCount / 2;
  auto *memory = static_cast<float *>(allocateGlobal(large));
  std::vector<float> in = ramp(), out(kCount);
  memory[7] = 7.0f;
  GlobalTensor<float> from;
  from.SetGlobalBuffer(memory, large / sizeof(float));
  const auto seenAtOnce = [&](const GlobalTensor<float> &tensor,
                              uint32_t count) {
    out.assign(kCount, 0);
    volatile float *seen = out.data();
    float before = -1;
    EXPECT_OK(run([&] {
      DataCopy(buffer(0), tensor, count);
      Adds(buffer(1), buffer(0), 0.0f, count);
      DataCopy(global(out), buffer(1), count);
      before = seen[7];
    }));
    EXPECT_EQ(seen[7], 7.0f);
    return before;
  };
  EXPECT_EQ(seenAtOnce(from, half), 0.0f);
  EXPECT_EQ(seenAtOnce(from, half - 128), 7.0f);
  EXPECT_EQ(seenAtOnce(global(in), kCount), 0.0f);
  EXPECT_EQ(seenAtOnce(global(in), half), 7.0f);
  freeGlobal(memory);
}

// What is loaded from such a tensor is read there, as long as nobody can tell.
TEST(Strips, TilesOfLargeTensorsStayThere) {
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (mode && mode != std::string("fast"))
    GTEST_SKIP() << "nothing is deferred in mode " << mode;
  constexpr size_t large = 16u << 20; // bytes
  auto *memory = static_cast<float *>(allocateGlobal(large));
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(memory, large / sizeof(float));
  std::vector<float> small(kCount);
  // The tile's element when `change` has made it 2 in the tensor.
  const auto seen = [&](auto change) {
    memory[7] = 1;
    float value = -1;
    EXPECT_OK(run([&] {
      Duplicate(buffer(1), 2.0f, kCount);
      DataCopy(buffer(0), tensor, kCount);
      change();
      value = buffer(0).GetValue(7);
    }));
    EXPECT_EQ(memory[7], 2);
    return value;
  };
  volatile float *raw = memory;
  EXPECT_EQ(seen([&] { raw[7] = 2; }), 2) << "the tile has been copied";
  // Ways in which a kernel may change it.
  EXPECT_EQ(seen([&] { tensor.SetValue(7, 2.0f); }), 1);
  EXPECT_EQ(seen([&] { DataCopy(tensor, buffer(1), kCount); }), 1);
  EXPECT_EQ(seen([&] { DataCopy(tensor, buffer(1), 16); }), 1);
  EXPECT_EQ(seen([&] {
              SetAtomicAdd<float>();
              Duplicate(buffer(1), 1.0f, kCount);
              DataCopy(tensor, buffer(1), 16);
              SetAtomicNone();
            }),
            1);
  // And in which another core may have been told to.
  const auto changed = [&] {
    PipeBarrier<PIPE_V>();
    raw[7] = 2;
  };
  EXPECT_EQ(seen([&] { SyncAll(), changed(); }), 1);
  EXPECT_EQ(seen([&] { DataCopy(global(small), buffer(1), 8), changed(); }), 1);
  freeGlobal(memory);
}

// What a list stores is in global memory only, until somebody looks or until
// something else is stored there.
TEST(Strips, ResultsInLargeTensorsStayThere) {
  constexpr size_t large = 16u << 20; // bytes
  auto *memory = static_cast<float *>(allocateGlobal(large));
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(memory, large / sizeof(float));
  std::vector<float> first, second;
  EXPECT_OK(run([&] {
    DataCopy(buffer(0), tensor, kCount);
    Adds(buffer(1), buffer(0), 1.0f, kCount);
    DataCopy(tensor, buffer(1), kCount);
    Adds(buffer(2), buffer(1), 1.0f, kCount); // of what was stored
    first = get(buffer(2), kCount);
    Adds(buffer(1), buffer(0), 5.0f, kCount);
    DataCopy(tensor[kCount], buffer(1), kCount);
    DataCopy(tensor[kCount], buffer(2), kCount / 2); // over the half of it
    second = get(buffer(1), kCount);
  }));
  expectSame(first, std::vector<float>(kCount, 2.0f), "of the first tile");
  expectSame(second, std::vector<float>(kCount, 5.0f), "the second tile");
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(memory[kCount], 2);
  EXPECT_EQ(memory[2 * kCount - 1], 5);
  freeGlobal(memory);
}

// Stores past the host's caches are seen by other cores after a fence only. The
// store below does not go with what waits, so that the list is executed while
// the store is put on a new one: the fence must follow that one.
TEST(Strips, StreamedStoresAreFenced) {
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (mode && mode != std::string("fast"))
    GTEST_SKIP() << "nothing is deferred in mode " << mode;
  if (!storesPastCaches())
    GTEST_SKIP() << "this host is not one that stores past its caches";
  constexpr size_t large = 16u << 20; // bytes
  auto *memory = static_cast<float *>(allocateGlobal(large));
  GlobalTensor<float> out;
  out.SetGlobalBuffer(memory, large / sizeof(float));
  std::vector<float> in = ramp(), small(kCount);
  const auto fencesOf = [&](auto kernel) {
    const uint64_t before = streamFences();
    EXPECT_OK(run(kernel));
    return streamFences() - before;
  };
  EXPECT_EQ(fencesOf([&] {
              DataCopy(buffer(0), global(in), kCount);
              DataCopy(global(small), buffer(0), kCount);
            }),
            0u);
  EXPECT_EQ(fencesOf([&] {
              DataCopy(buffer(0), global(in), kCount);
              DataCopy(out, buffer(0), kCount);
            }),
            1u);
  // What is stored is not strip for strip what was loaded: two lists.
  std::vector<float> longer = ramp(2 * kCount);
  EXPECT_EQ(fencesOf([&] {
              DataCopy(buffer(0, 2 * kCount), global(longer), 2 * kCount);
              Adds(buffer(2, 2 * kCount), buffer(0, 2 * kCount), 1.0f,
                   2 * kCount);
              PipeBarrier<PIPE_V>();
              DataCopy(out, buffer(0, 2 * kCount)[8], 2 * kCount - 8);
            }),
            1u);
  EXPECT_EQ(memory[0], 8.0f);
  EXPECT_EQ(memory[2 * kCount - 9], float(2 * kCount - 1));
  // The next tile does not wait for the fence, which the end of the block
  // brings, too; whoever may tell other cores does.
  const auto tile = [&](const GlobalTensor<float> &to) {
    DataCopy(buffer(0), global(in), kCount);
    DataCopy(to, buffer(0), kCount);
  };
  EXPECT_EQ(fencesOf([&] {
              for (int i = 0; i < 3; ++i)
                tile(out[i * kCount]);
            }),
            1u);
  EXPECT_EQ(fencesOf([&] {
              tile(out);
              tile(global(small)); // others may look at that
              tile(out);
            }),
            2u);
  EXPECT_EQ(fencesOf([&] {
              tile(out);
              PipeBarrier<PIPE_ALL>();
              tile(out);
            }),
            2u);
  freeGlobal(memory);
}

// What is asked for ahead reaches beyond a tensor's end, and rows may begin on
// no line of the host.
TEST(Strips, LargeTensors) {
  constexpr size_t kElements = (size_t{20} << 20) / sizeof(float);
  auto *memory = static_cast<float *>(
      lossgrad::sim::allocateGlobal(kElements * sizeof(float)));
  ASSERT_TRUE(memory);
  std::vector<float> in = ramp();
  for (const size_t start : {size_t{0}, size_t{3}, kElements - 2 * kCount}) {
    EXPECT_OK(run([&] {
      GlobalTensor<float> large;
      large.SetGlobalBuffer(memory + start);
      DataCopy(buffer(0), global(in), kCount);
      Adds(buffer(0), buffer(0), float(start % 7), kCount);
      DataCopy(large, buffer(0), kCount);
      DataCopy(large[kCount], buffer(0), kCount - 8);
    }));
    for (size_t i = 0; i < 2 * kCount - 8; ++i)
      ASSERT_EQ(memory[start + i], float(i % kCount) + float(start % 7)) << i;
  }
  lossgrad::sim::freeGlobal(memory);
}
