//===- MemoryTest.cpp - allocation, copies and fills ----------------------===//
//
// Rounding, bounds, misuse. Nothing here may crash.
//
//===----------------------------------------------------------------------===//
#include "AclFixture.h"
#include "lossgrad/sim/GlobalMemory.h"
#include "lossgrad/sim/Modes.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

class Memory : public OnDevice {
protected:
  void *device(size_t size) {
    void *memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return memory;
  }
  void *host(size_t size) {
    void *memory = nullptr;
    EXPECT_EQ(aclrtMallocHost(&memory, size), 0);
    return memory;
  }
  size_t freeBytes() {
    size_t free = 0, total = 0;
    EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), 0);
    return free;
  }
};

// The kernel is asked for huge pages: the mapping of a large tensor has the
// flag.
TEST_F(Memory, LargeAllocationsAskForHugePages) {
  auto *memory = static_cast<char *>(device(size_t(16) << 20));
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false, asked = false;
  while (std::getline(maps, line)) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      inside = begin <= reinterpret_cast<uintptr_t>(memory) &&
               reinterpret_cast<uintptr_t>(memory) < end;
    else if (inside && line.rfind("VmFlags:", 0) == 0)
      asked = line.find(" hg") != std::string::npos;
  }
  EXPECT_TRUE(asked);
  EXPECT_EQ(aclrtFree(memory), 0);
}

TEST_F(Memory, MallocRoundsAndAligns) {
  const size_t before = freeBytes();
  void *memory = device(33);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
  EXPECT_EQ(before - freeBytes(), 64u + 32u); // 32-byte units, one more unit
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_EQ(freeBytes(), before);
  ASSERT_EQ(aclrtMallocAlign32(&memory, 33, ACL_MEM_MALLOC_NORMAL_ONLY), 0);
  EXPECT_EQ(before - freeBytes(), 64u);
  EXPECT_EQ(aclrtFree(memory), 0);
  ASSERT_EQ(aclrtMallocCached(&memory, 1, ACL_MEM_MALLOC_HUGE_ONLY), 0);
  EXPECT_EQ(aclrtFree(memory), 0);
  ASSERT_EQ(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_HUGE1G_ONLY), 0);
  EXPECT_EQ(before - freeBytes(), 32u);
  EXPECT_EQ(aclrtFree(memory), 0);
}

TEST_F(Memory, ContentsAreNotZero) {
  void *memory = device(64);
  float value = 0;
  ASSERT_EQ(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_NE(value, value); // NaN
  EXPECT_EQ(aclrtFree(memory), 0);
}

// In check mode a fill or copy by the host that does not wait for a kernel is
// found.
TEST_F(Memory, HostAccessWaitsForTheDevice) {
  using namespace lossgrad::sim;
  CheckOptions options;
  options.print = false;
  useCheckMode(options);
  takeFindings();
  void *memory = device(64);
  int32_t value = 0;
  {
    PendingDeviceWrite pending(memory, 64, "aclnnFoo");
    EXPECT_EQ(aclrtMemset(memory, 64, 0, 64), 0);
    EXPECT_EQ(aclrtMemcpy(&value, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    const std::vector<Finding> findings = takeFindings();
    ASSERT_EQ(findings.size(), 2u);
    for (const Finding &finding : findings)
      EXPECT_EQ(finding.rule, "pending-device-write") << finding.text();
    EXPECT_EQ(findings[0].call, "aclrtMemcpy");
    EXPECT_EQ(findings[1].call, "aclrtMemset");
  }
  EXPECT_EQ(aclrtMemset(memory, 64, 0, 64), 0);
  EXPECT_TRUE(takeFindings().empty());
  useFastMode();
  EXPECT_EQ(aclrtFree(memory), 0);
}

TEST_F(Memory, MallocErrors) {
  void *memory = nullptr;
  EXPECT_FAILS(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), 100000,
               "aclrtMalloc: devPtr must not be null");
  EXPECT_FAILS(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000,
               "aclrtMalloc: size must not be 0");
  EXPECT_FAILS(aclrtMalloc(&memory, 8, aclrtMemMallocPolicy(77)), 100000,
               "policy 0x4d");
  EXPECT_FAILS(aclrtMalloc(&memory, size_t(1) << 50, ACL_MEM_MALLOC_HUGE_FIRST),
               207001, "1125899906842624 more do not fit");
  EXPECT_FAILS(aclrtMalloc(&memory, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST),
               207001, "do not fit");
  EXPECT_FAILS(aclrtMallocHost(nullptr, 8), 100000, "hostPtr");
  EXPECT_FAILS(aclrtMallocHost(&memory, 0), 100000, "size");
  EXPECT_FAILS(aclrtMallocHost(&memory, SIZE_MAX / 2), 207001,
               "cannot provide");
}

TEST_F(Memory, FreeErrors) {
  void *memory = device(100), *pinned = host(100);
  char local[8];
  EXPECT_FAILS(aclrtFree(nullptr), 100000, "aclrtFree: devPtr");
  EXPECT_FAILS(aclrtFreeHost(nullptr), 100000, "aclrtFreeHost: hostPtr");
  EXPECT_FAILS(aclrtFree(local), 107000, "was not allocated by this runtime");
  EXPECT_FAILS(aclrtFree(static_cast<char *>(memory) + 8), 107000,
               "lies inside an allocation");
  EXPECT_FAILS(aclrtFree(pinned), 107000, "use aclrtFreeHost");
  EXPECT_FAILS(aclrtFreeHost(memory), 107000, "use aclrtFree");
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_FAILS(aclrtFree(memory), 107000, "freed twice?");
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
  EXPECT_FAILS(aclrtFreeHost(pinned), 107000, "freed twice?");
}

TEST_F(Memory, WriteBehindTheEndIsSeenAtFree) {
  char *memory = static_cast<char *>(device(32));
  memory[64 + 3] = 1; // behind 32 bytes and their padding of 32
  EXPECT_FAILS(aclrtFree(memory), 507053, "wrote past the end of the 32 bytes");
  EXPECT_EQ(aclrtFree(memory), 107000); // freed all the same
}

TEST_F(Memory, CopiesBothWays) {
  std::vector<int> values = {1, 2, 3, 4}, back(4);
  void *a = device(16), *b = device(16);
  EXPECT_EQ(aclrtMemcpy(a, 16, values.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE),
            0);
  EXPECT_EQ(aclrtMemcpy(b, 16, a, 16, ACL_MEMCPY_DEVICE_TO_DEVICE), 0);
  EXPECT_EQ(aclrtMemcpy(back.data(), 16, b, 16, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_EQ(back, values);
  // The addresses decide, not the kind.
  back.assign(4, 0);
  EXPECT_EQ(aclrtMemcpy(back.data(), 16, b, 16, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  EXPECT_EQ(back, values);
  EXPECT_EQ(
      aclrtMemcpy(back.data(), 16, values.data(), 16, ACL_MEMCPY_HOST_TO_HOST),
      0);
  EXPECT_EQ(aclrtMemcpy(a, 16, a, 16, ACL_MEMCPY_DEFAULT), 0);
  EXPECT_EQ(aclrtFree(a), 0);
  EXPECT_EQ(aclrtFree(b), 0);
}

TEST_F(Memory, CopyErrors) {
  char *memory = static_cast<char *>(device(16));
  char bytes[64] = {};
  const auto toDevice = ACL_MEMCPY_HOST_TO_DEVICE;
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, toDevice), 0); // count 0
  EXPECT_FAILS(aclrtMemcpy(nullptr, 8, bytes, 8, toDevice), 100000, "dst");
  EXPECT_FAILS(aclrtMemcpy(memory, 8, nullptr, 8, toDevice), 100000, "src");
  EXPECT_FAILS(aclrtMemcpy(memory, 16, bytes, 8, aclrtMemcpyKind(6)), 100000,
               "kind 6 is not in [0, 5]");
  EXPECT_FAILS(aclrtMemcpy(memory, 16, bytes, 8, aclrtMemcpyKind(-1)), 100000,
               "kind -1");
  EXPECT_FAILS(aclrtMemcpy(memory, 0, bytes, 8, toDevice), 107000,
               "count 8 does not fit destMax 0");
  EXPECT_FAILS(aclrtMemcpy(memory, 8, bytes, 9, toDevice), 107000,
               "count 9 does not fit destMax 8");
  EXPECT_FAILS(aclrtMemcpy(memory, 64, bytes, 17, toDevice), 107000,
               "17 bytes at dst");
  EXPECT_FAILS(aclrtMemcpy(memory + 8, 64, bytes, 9, toDevice), 107000,
               "exceed its allocation of 16 bytes");
  EXPECT_FAILS(
      aclrtMemcpy(bytes, 64, memory + 12, 5, ACL_MEMCPY_DEVICE_TO_HOST), 107000,
      "src");
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_FAILS(aclrtMemcpy(bytes, 64, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST),
               107000, "in no live allocation");
}

TEST_F(Memory, AsyncCopies) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  char *memory = static_cast<char *>(device(16));
  char *pinned = static_cast<char *>(host(16));
  char bytes[16] = "pageable memory";
  std::memcpy(pinned, "pinned host mem", 16);
  EXPECT_EQ(aclrtMemcpyAsync(memory, 16, pinned, 16, ACL_MEMCPY_HOST_TO_DEVICE,
                             stream),
            0);
  char back[16] = {};
  // Pageable memory: the call waits for the stream and copies.
  EXPECT_EQ(
      aclrtMemcpyAsync(back, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream),
      0);
  EXPECT_STREQ(back, "pinned host mem");
  EXPECT_EQ(aclrtMemcpyAsync(memory, 16, bytes, 16, ACL_MEMCPY_HOST_TO_DEVICE,
                             nullptr),
            0);
  EXPECT_EQ(
      aclrtMemcpyAsync(memory, 0, bytes, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream),
      0);
  EXPECT_EQ(aclrtMemcpyAsync(memory, 16, memory, 16,
                             ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
            0);
  EXPECT_FAILS(aclrtMemcpyAsync(nullptr, 16, bytes, 16,
                                ACL_MEMCPY_HOST_TO_DEVICE, stream),
               100000, "dst");
  EXPECT_FAILS(aclrtMemcpyAsync(memory, 16, bytes, 17,
                                ACL_MEMCPY_HOST_TO_DEVICE, stream),
               107000, "destMax 16");
  EXPECT_FAILS(
      aclrtMemcpyAsync(bytes, 16, pinned, 16, ACL_MEMCPY_HOST_TO_HOST, stream),
      207000, "host to host");
  EXPECT_FAILS(aclrtMemcpyAsync(memory, 16, bytes, 16,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
               107000, "kind 3 is impossible");
  EXPECT_FAILS(aclrtMemcpyAsync(memory, 16, pinned, 16,
                                ACL_MEMCPY_HOST_TO_DEVICE, &bytes),
               107017, "not a stream");
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
}

TEST_F(Memory, StreamOfAnotherDevice) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtSetDevice(1), 0);
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  ASSERT_EQ(aclrtSetDevice(0), 0);
  void *a = device(16), *b = device(16);
  EXPECT_FAILS(
      aclrtMemcpyAsync(a, 16, b, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
      107003, "does not belong to the current context");
  EXPECT_EQ(aclrtFree(a), 0);
  EXPECT_EQ(aclrtFree(b), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(1), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0); // the second SetDevice(0)
}

TEST_F(Memory, FreedBeforeTheCopyRuns) {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  void *a = device(16), *b = device(16);
  // The stream waits for an event that is recorded after the free.
  ASSERT_EQ(aclrtStreamWaitEvent(stream, event), 0);
  ASSERT_EQ(aclrtMemcpyAsync(a, 16, b, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
            0);
  ASSERT_EQ(aclrtFree(b), 0);
  ASSERT_EQ(aclrtRecordEvent(event, nullptr), 0);
  EXPECT_FAILS(aclrtSynchronizeStream(stream), 107000,
               "was freed before the copy ran");
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(aclrtFree(a), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

TEST_F(Memory, Fills) {
  char *memory = static_cast<char *>(device(16));
  char back[16], local[4];
  EXPECT_EQ(aclrtMemset(memory, 16, 0x1234, 16), 0); // bytes: 0x34
  EXPECT_EQ(aclrtMemsetAsync(memory, 16, 0, 4, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 0);
  ASSERT_EQ(aclrtMemcpy(back, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_EQ(back[3], 0);
  EXPECT_EQ(back[4], 0x34);
  EXPECT_EQ(aclrtMemset(memory, 0, 0, 0), 0);
  EXPECT_EQ(aclrtMemsetAsync(memory, 0, 0, 0, nullptr), 0);
  EXPECT_FAILS(aclrtMemset(nullptr, 16, 0, 16), 100000, "devPtr");
  EXPECT_FAILS(aclrtMemsetAsync(nullptr, 16, 0, 16, nullptr), 100000, "devPtr");
  EXPECT_FAILS(aclrtMemset(memory, 99, 0, 17), 107000, "17 bytes at devPtr");
  EXPECT_FAILS(aclrtMemsetAsync(memory, 8, 0, 9, nullptr), 107000,
               "count 9 does not fit maxCount 8");
  EXPECT_FAILS(aclrtMemsetAsync(memory, 99, 0, 17, nullptr), 107000,
               "17 bytes");
  EXPECT_FAILS(aclrtMemset(local, 4, 0, 4), 107000,
               "neither device memory nor from aclrtMallocHost");
  EXPECT_EQ(aclrtFree(memory), 0);
}

TEST_F(Memory, Copies2d) {
  char *memory = static_cast<char *>(device(64));
  char *pinned = static_cast<char *>(host(16));
  char rows[16] = "abcdefghijklmno", back[16] = {};
  ASSERT_EQ(aclrtMemset(memory, 64, '.', 64), 0);
  EXPECT_EQ(aclrtMemcpy2d(memory, 16, rows, 4, 3, 4, ACL_MEMCPY_HOST_TO_DEVICE),
            0);
  EXPECT_EQ(aclrtMemcpy2dAsync(back, 4, memory, 16, 4, 4,
                               ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
            0);
  EXPECT_EQ(std::string(back, 16), "abc.efg.ijk.mno.");
  EXPECT_EQ(aclrtMemcpy2dAsync(pinned, 4, memory, 16, 4, 4,
                               ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
            0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 0);
  EXPECT_EQ(std::string(pinned, 16), "abc.efg.ijk.mno.");
  const auto kind = ACL_MEMCPY_HOST_TO_DEVICE;
  EXPECT_FAILS(aclrtMemcpy2d(nullptr, 4, rows, 4, 4, 4, kind), 100000, "dst");
  EXPECT_FAILS(aclrtMemcpy2d(memory, 4, nullptr, 4, 4, 4, kind), 100000, "src");
  EXPECT_FAILS(aclrtMemcpy2d(memory, 4, rows, 4, 4, 4, ACL_MEMCPY_DEFAULT),
               100000, "kind 4 is not in [1, 3]");
  EXPECT_FAILS(aclrtMemcpy2d(memory, 4, rows, 4, 5, 4, kind), 107000,
               "width 5");
  EXPECT_FAILS(aclrtMemcpy2d(memory, 4, rows, 4, 0, 4, kind), 107000,
               "width 0");
  EXPECT_FAILS(aclrtMemcpy2d(memory, 4, rows, 4, 4, 0, kind), 107000,
               "height 0");
  EXPECT_FAILS(aclrtMemcpy2d(memory, 32, rows, 4, 4, 4, kind), 107000,
               "100 bytes at dst");
  EXPECT_FAILS(aclrtMemcpy2d(memory, SIZE_MAX / 4, rows, 4, 4, 9, kind), 107000,
               "exceeds the address space");
  EXPECT_FAILS(aclrtMemcpy2dAsync(memory, 4, rows, 4, 5, 4, kind, nullptr),
               107000, "aclrtMemcpy2dAsync");
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
}

TEST_F(Memory, CacheCalls) {
  char *memory = static_cast<char *>(device(16));
  char local[4];
  EXPECT_EQ(aclrtMemFlush(memory, 16), 0);
  EXPECT_EQ(aclrtMemInvalidate(memory, 16), 0);
  EXPECT_FAILS(aclrtMemFlush(nullptr, 16), 100000, "devPtr");
  EXPECT_FAILS(aclrtMemInvalidate(memory, 0), 100000, "size");
  EXPECT_FAILS(aclrtMemFlush(memory, 17), 107000, "17 bytes");
  EXPECT_FAILS(aclrtMemFlush(local, 4), 107000, "is not device memory");
  EXPECT_EQ(aclrtFree(memory), 0);
}

TEST_F(Memory, MemInfo) {
  size_t free = 1, total = 1;
  EXPECT_EQ(aclrtGetMemInfo(ACL_DDR_MEM, &free, &total), 0);
  EXPECT_EQ(free + total, 0u); // this product has no DDR
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM_HUGE, &free, &total), 0);
  EXPECT_GT(total, size_t(1) << 30);
  EXPECT_LE(free, total);
  EXPECT_FAILS(aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total), 100000, "free");
  EXPECT_FAILS(aclrtGetMemInfo(ACL_HBM_MEM, &free, nullptr), 100000, "total");
  EXPECT_FAILS(aclrtGetMemInfo(aclrtMemAttr(55), &free, &total), 100000,
               "attribute 55");
}

} // namespace
