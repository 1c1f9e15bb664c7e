// Launches: identity of cores, failures of every kind and what they leave
// behind. Cores that wait for each other are in core_meetings.cpp.
#include "core_support.h"
#include "vector_support.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace AscendC;
using namespace lossgrad::test;
using lossgrad::sim::LaunchConfig;
using lossgrad::sim::LaunchResult;

namespace {

TEST(Launch, EveryBlockRunsOnceAndKnowsItself) {
  std::vector<std::atomic<int>> seen(300);
  EXPECT_OK(run(blocks(300), [&] {
    EXPECT_EQ(GetBlockNum(), 300);
    EXPECT_EQ(GetSubBlockIdx(), 0);
    EXPECT_EQ(g_coreType, AIV);
    EXPECT_EQ(block_idx, GetBlockIdx());
    ++seen[GetBlockIdx()];
  }));
  for (auto &count : seen)
    EXPECT_EQ(count, 1);
}

// A setting that is no number is an error, not 0.
TEST(Launch, SettingsAreChecked) {
  for (const char *value : {"0", "-1", "four", "4x", ""}) {
    Switch bad("LOSSGRAD_THREADS", value);
    EXPECT_EQ(run([] {}).errors,
              std::string("error: kernel 'k': LOSSGRAD_THREADS is '") + value +
                  "', it must be a number from 1 to 4096\n");
  }
  Switch bad("LOSSGRAD_OPEN_MAX_MIN_KEEPS_NAN", "yes");
  EXPECT_EQ(run([] {}).errors,
            "error: kernel 'k': LOSSGRAD_OPEN_MAX_MIN_KEEPS_NAN is 'yes', it "
            "must be a number up to 65535\n");
}

TEST(Launch, MixModeIsOneCubeAndTwoVectorCores) {
  std::mutex mutex;
  std::multiset<std::pair<int, int64_t>> seen;
  EXPECT_OK(run(blocks(3, KernelMode::MIX_MODE), [&] {
    EXPECT_EQ(GetBlockNum(), 3);
    EXPECT_EQ(GetTaskRation(), 2);
    std::lock_guard<std::mutex> lock(mutex);
    if ASCEND_IS_AIC {
      seen.insert({1, GetBlockIdx()});
    } else {
      EXPECT_EQ(GetBlockIdx() % 2, GetSubBlockIdx());
      seen.insert({2, GetBlockIdx()});
    }
  }));
  EXPECT_EQ(seen, (std::multiset<std::pair<int, int64_t>>{{1, 0},
                                                          {1, 1},
                                                          {1, 2},
                                                          {2, 0},
                                                          {2, 1},
                                                          {2, 2},
                                                          {2, 3},
                                                          {2, 4},
                                                          {2, 5}}));
}

TEST(Launch, CoupledProductsHaveOneKindOfCore) {
  Options options = blocks(4, KernelMode::MIX_MODE);
  options.soc = "Ascend310P3";
  std::atomic<int> cores{0};
  EXPECT_OK(run(options, [&] {
    bool vector = false;
    if ASCEND_IS_AIV {
      vector = true;
    }
    EXPECT_TRUE(vector);
    ++cores;
  }));
  EXPECT_EQ(cores, 4);
}

TEST(Launch, TilingKeyIsTheLaunchs) {
  Options options = blocks(4);
  options.tilingKey = 10030;
  EXPECT_OK(run(options, [] {
    EXPECT_FALSE(TILING_KEY_IS(1));
    EXPECT_TRUE(TILING_KEY_IS(10030));
  }));
}

void kernelOfThree(uint8_t *a, uint8_t *b, uint8_t *c) {
  c[GetBlockIdx()] = a[0] + b[0];
}

TEST(Launch, CallsAFunctionWithItsArguments) {
  uint8_t a = 3, b = 4, c[2] = {};
  void *arguments[] = {&a, &b, c};
  LaunchConfig config;
  config.blockCount = 2;
  EXPECT_OK(lossgrad::sim::launchKernel(
      config, reinterpret_cast<void *>(kernelOfThree), arguments, 3));
  EXPECT_EQ(c[0], 7);
  EXPECT_EQ(c[1], 7);
  EXPECT_EQ(lossgrad::sim::launchKernel(config, nullptr, arguments, 3).errors,
            "error: kernel 'kernel': the kernel function is null\n");
}

TEST(Launch, SeveralHostThreadsMayLaunch) {
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j)
        EXPECT_OK(run(blocks(5), [&] {
          ++ran;
          SyncAll();
        }));
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(ran, 4 * 20 * 5);
}

//===- Failures -----------------------------------------------------------===//

TEST(LaunchErrors, BadRequests) {
  Options options;
  options.soc = "Ascend910B9";
  EXPECT_NE(
      run(options, [] {})
          .errors.find(
              "error: kernel 'k': unknown product 'Ascend910B9' (known: "),
      std::string::npos);
  EXPECT_EQ(run(blocks(0), [] {}).errors,
            "error: kernel 'k': block count is 0, it must be in [1, 65535]\n");
  EXPECT_OK(run([] {
    EXPECT_EQ(run([] {}).errors,
              "error: kernel 'k': a kernel cannot launch a kernel\n");
  }));
}

TEST(LaunchErrors, AssertionOfTheKernel) {
  EXPECT_EQ(
      errorOf(run([] { ASSERT(GetBlockIdx() > 0 && "no work"); })),
      "ASSERT at core_launch.cpp:N: assertion failed: GetBlockIdx() > 0 && "
      "\"no work\"");
}

TEST(LaunchErrors, ExceptionOfTheKernel) {
  EXPECT_EQ(errorOf(run([] {
              std::vector<int>().at(1) = 0;
            })).find("kernel entry: the kernel threw: "),
            0u);
}

TEST(LaunchErrors, NullPointerInTheKernel) {
  const auto error = errorOf(run([] {
    PipeBarrier<PIPE_V>();
    volatile int *nowhere = nullptr;
    *nowhere = 1;
  }));
  EXPECT_EQ(error, "PipeBarrier at core_launch.cpp:N: memory fault at address "
                   "(nil) (Segmentation fault); this is the last call before "
                   "it");
}

TEST(LaunchErrors, OverrunOfUBThroughAPointer) {
  EXPECT_EQ(
      errorOf(run([] {
        LocalTensor<float> all(TPosition::VECCALC, 0, 49152);
        volatile float *raw = all.GetPhyAddr();
        raw[49152] = 1;
      })),
      "LocalTensor at core_launch.cpp:N: memory fault at UB offset 196608, "
      "UB has 196608 bytes; this is the last call before it");
}

TEST(LaunchErrors, DivisionByZero) {
  volatile int zero = 0;
  EXPECT_EQ(errorOf(run([&] {
              volatile int value = 100 / zero;
              (void)value;
            })),
            "kernel entry: integer division by zero or overflow; this is the "
            "last call before it");
}

TEST(LaunchErrors, OverrunOfGlobalMemory) {
  auto memory =
      static_cast<float *>(lossgrad::sim::allocateGlobal(512 * sizeof(float)));
  const auto error = errorOf(run([&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 4096);
    GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(memory, 512);
    DataCopy(buffer.Get<float>(), tensor, 1024);
  }));
  EXPECT_EQ(
      error.find("DataCopy at core_launch.cpp:N: memory fault at address "), 0u)
      << error;
  EXPECT_TRUE(lossgrad::sim::freeGlobal(memory));
  EXPECT_FALSE(lossgrad::sim::freeGlobal(memory));
}

TEST(LaunchErrors, OtherBlocksGoOn) {
  std::atomic<int> finished{0};
  const LaunchResult result = run(blocks(16), [&] {
    if (GetBlockIdx() % 2)
      WaitFlag<HardEvent::V_S>(0);
    ++finished;
  });
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(finished, 8);
  // The next launch starts clean.
  EXPECT_OK(run(blocks(16), [] {
    SetFlag<HardEvent::V_S>(0);
    WaitFlag<HardEvent::V_S>(0);
  }));
}

TEST(GlobalMemory, IsZeroedAndMayBeEmpty) {
  auto memory = static_cast<uint8_t *>(lossgrad::sim::allocateGlobal(5000));
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(memory[i], 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 512, 0u);
  EXPECT_TRUE(lossgrad::sim::freeGlobal(memory));
  void *empty = lossgrad::sim::allocateGlobal(0);
  EXPECT_NE(empty, nullptr);
  EXPECT_TRUE(lossgrad::sim::freeGlobal(empty));
  int local;
  EXPECT_FALSE(lossgrad::sim::freeGlobal(&local));
}

TEST(Launch, ATensorLeftInItsQueueIsNamed) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 1> spare, queue;
              pipe.InitBuffer(spare, 1, 64);
              pipe.InitBuffer(queue, 1, 128);
              auto tensor = queue.AllocTensor<float>();
              queue.EnQue(tensor);
            })),
            "EnQue at core_launch.cpp:N: the tensor (VECIN buffer 1, UB [64, "
            "192)) is never dequeued; on the device its flag MTE2_V id 0 would "
            "leak into the next kernel");
}

} // namespace
