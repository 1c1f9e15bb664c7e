//===- StressTest.cpp - many threads, devices and streams -----------------===//
//
// Everything at once, for ThreadSanitizer to look at. Small on purpose: it runs
// in a second natively.
//
//===----------------------------------------------------------------------===//
#include "AclFixture.h"

#include "aclnn/acl_meta.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int Threads = 8, Rounds = 30, Bytes = 4096;

/// One thread: its own streams on one device, chained by an event.
void worker(int number, std::atomic<int> &wrong) {
  const int32_t device = number % 4;
  auto check = [&](bool right) { wrong += !right; };
  check(aclrtSetDevice(device) == 0);
  aclrtStream first = nullptr, second = nullptr;
  aclrtEvent event = nullptr;
  void *pinned = nullptr;
  check(aclrtCreateStream(&first) == 0 && aclrtCreateStream(&second) == 0);
  check(aclrtCreateEvent(&event) == 0);
  check(aclrtMallocHost(&pinned, Bytes) == 0);
  for (int round = 0; round < Rounds; ++round) {
    void *a = nullptr, *b = nullptr;
    check(aclrtMalloc(&a, Bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    check(aclrtMalloc(&b, Bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    const int64_t dims[] = {Bytes};
    aclTensor *tensor = aclCreateTensor(dims, 1, ACL_INT8, nullptr, 0,
                                        ACL_FORMAT_ND, dims, 1, a);
    check(aclrtMemsetAsync(a, Bytes, number, Bytes, first) == 0);
    check(aclrtRecordEvent(event, first) == 0);
    check(aclrtStreamWaitEvent(second, event) == 0);
    check(aclrtMemcpyAsync(b, Bytes, a, Bytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                           second) == 0);
    check(aclrtMemcpyAsync(pinned, Bytes, b, Bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           second) == 0);
    check(aclrtSynchronizeStream(second) == 0);
    check(static_cast<char *>(pinned)[Bytes - 1] == char(number));
    check(aclrtFree(nullptr) == 100000 && aclGetRecentErrMsg() != nullptr);
    check(aclDestroyTensor(tensor) == 0);
    check(aclrtFree(a) == 0 && aclrtFree(b) == 0);
  }
  check(aclrtSynchronizeDevice() == 0);
  check(aclrtFreeHost(pinned) == 0 && aclrtDestroyEvent(event) == 0);
  check(aclrtDestroyStream(first) == 0 && aclrtDestroyStream(second) == 0);
  check(aclrtResetDevice(device) == 0);
}

TEST(Stress, ThreadsDevicesAndStreams) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < Threads; ++i)
    threads.emplace_back(worker, i, std::ref(wrong));
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Stress, ManyThreadsOneStream) {
  ASSERT_EQ(aclrtSetDevice(0), 0);
  aclrtStream stream = nullptr;
  void *memory = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  ASSERT_EQ(aclrtMalloc(&memory, Threads, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < Threads; ++i)
    threads.emplace_back([&, i] {
      wrong += aclrtSetDevice(0) != 0;
      for (int round = 0; round < Rounds; ++round)
        wrong += aclrtMemsetAsync(static_cast<char *>(memory) + i, 1, round, 1,
                                  stream) != 0;
      wrong += aclrtSynchronizeStream(stream) != 0;
      wrong += aclrtResetDevice(0) != 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  std::vector<char> back(Threads);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  ASSERT_EQ(aclrtMemcpy(back.data(), Threads, memory, Threads,
                        ACL_MEMCPY_DEVICE_TO_HOST),
            0);
  EXPECT_EQ(back, std::vector<char>(Threads, Rounds - 1));
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
}

/// The last memory of a device goes to one thread, whoever asks at the same
/// time.
TEST(Stress, MemoryIsNotGivenTwice) {
  ASSERT_EQ(aclrtSetDevice(2), 0);
  size_t free = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), 0);
  constexpr int Blocks = 3; // per thread, where all of them fit
  const size_t block = free / (Threads * Blocks) + 1;
  std::atomic<int> waiting{Threads}, given{0};
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::vector<void *> all;
  for (int i = 0; i < Threads; ++i)
    threads.emplace_back([&] {
      aclrtSetDevice(2);
      for (--waiting; waiting > 0;)
        std::this_thread::yield();
      for (int round = 0; round < 2 * Blocks; ++round) {
        void *memory = nullptr;
        if (aclrtMalloc(&memory, block, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
          continue;
        ++given;
        std::lock_guard<std::mutex> lock(mutex);
        all.push_back(memory);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(given, Threads * Blocks - 1); // the last lacks a byte
  for (void *memory : all)
    EXPECT_EQ(aclrtFree(memory), 0);
  while (aclrtResetDevice(2) == 0)
    ;
}

/// A device reset under the feet of others must not hang or crash.
TEST(Stress, SetAndResetRace) {
  std::vector<std::thread> threads;
  for (int i = 0; i < Threads; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < Rounds; ++round) {
        aclrtSetDevice(3);
        void *memory = nullptr;
        if (aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
          aclrtFree(memory);
        aclrtResetDevice(3);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(aclrtResetDevice(3), 507007);
}

} // namespace
