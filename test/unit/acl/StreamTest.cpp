//===- StreamTest.cpp - streams, events and callbacks ---------------------===//
//
// Order, deferral, hand-over between streams, and every error. Run a second
// time with LOSSGRAD_MODE=check, where work waits for a synchronising call.
//
//===----------------------------------------------------------------------===//
#include "AclFixture.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace {

bool checkMode() {
  const char *mode = std::getenv("LOSSGRAD_MODE");
  return mode && std::string(mode) == "check";
}

class Streams : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream), 0);
    ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    ASSERT_EQ(aclrtMemset(memory, 64, 1, 64), 0);
  }
  void TearDown() override {
    if (stream) {
      EXPECT_EQ(aclrtDestroyStream(stream), 0);
    }
    EXPECT_EQ(aclrtFree(memory), 0);
    OnDevice::TearDown();
  }
  char firstByte() {
    char byte = 0;
    EXPECT_EQ(aclrtMemcpy(&byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return byte;
  }
  aclrtStream stream = nullptr;
  void *memory = nullptr;
};

TEST_F(Streams, WorkIsInOrder) {
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(aclrtMemsetAsync(memory, 64, i, 64, stream), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(firstByte(), 99);
}

TEST_F(Streams, CheckModeHoldsWorkUntilSynchronised) {
  if (!checkMode())
    GTEST_SKIP() << "needs LOSSGRAD_MODE=check";
  ASSERT_EQ(aclrtMemsetAsync(memory, 64, 7, 64, stream), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(firstByte(), 1); // a missing synchronise shows
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(firstByte(), 7);
}

TEST_F(Streams, QueryMakesProgress) {
  ASSERT_EQ(aclrtMemsetAsync(memory, 64, 3, 64, stream), 0);
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  while (status != ACL_STREAM_STATUS_COMPLETE) {
    ASSERT_EQ(aclrtStreamQuery(stream, &status), 0);
    std::this_thread::yield();
  }
  EXPECT_EQ(firstByte(), 3);
  EXPECT_FAILS(aclrtStreamQuery(stream, nullptr), 100000, "status");
  EXPECT_FAILS(aclrtStreamQuery(&status, &status), 107017, "not a stream");
}

TEST_F(Streams, DestroyFinishesTheQueue) {
  ASSERT_EQ(aclrtMemsetAsync(memory, 64, 5, 64, stream), 0);
  ASSERT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(firstByte(), 5);
  EXPECT_FAILS(aclrtDestroyStream(stream), 107017, "a destroyed stream");
  EXPECT_FAILS(aclrtSynchronizeStream(stream), 107017, "a destroyed stream");
  EXPECT_FAILS(aclrtMemsetAsync(memory, 64, 5, 64, stream), 107017,
               "a destroyed stream");
  stream = nullptr;
}

TEST_F(Streams, DestroyErrors) {
  int local = 0;
  EXPECT_FAILS(aclrtDestroyStream(nullptr), 100000, "stream must not be null");
  EXPECT_FAILS(aclrtDestroyStreamForce(nullptr), 100000, "stream");
  EXPECT_FAILS(aclrtDestroyStream(&local), 107017, "not a stream");
  aclrtStream forced = nullptr;
  ASSERT_EQ(aclrtCreateStream(&forced), 0);
  EXPECT_EQ(aclrtDestroyStreamForce(forced), 0);
}

TEST_F(Streams, CreateErrors) {
  aclrtStream other = nullptr;
  EXPECT_FAILS(aclrtCreateStream(nullptr), 100000, "stream");
  EXPECT_FAILS(aclrtCreateStreamWithConfig(&other, 8, 0), 107000,
               "priority 8 is not in [0, 7]");
  EXPECT_FAILS(aclrtCreateStreamWithConfig(&other, 0, 0x40), 107000,
               "flag 0x40");
  EXPECT_EQ(aclrtCreateStreamWithConfig(
                &other, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
            0);
  EXPECT_EQ(aclrtDestroyStream(other), 0);
}

TEST_F(Streams, LimitOfTheProduct) {
  std::vector<aclrtStream> all;
  aclrtStream next = nullptr;
  while (aclrtCreateStream(&next) == 0)
    all.push_back(next);
  EXPECT_EQ(all.size() + 1, 1984u); // with the fixture's own
  EXPECT_NE(recentError().find("already has 1984 streams"), std::string::npos);
  for (aclrtStream each : all)
    ASSERT_EQ(aclrtDestroyStream(each), 0);
}

TEST_F(Streams, LimitHoldsForThreadsThatRaceForTheLast) {
  constexpr size_t threads = 8;
  std::vector<aclrtStream> made[threads];
  std::vector<std::thread> creators;
  for (std::vector<aclrtStream> &mine : made)
    creators.emplace_back([&mine] {
      ASSERT_EQ(aclrtSetDevice(0), 0);
      aclrtStream next = nullptr;
      while (aclrtCreateStream(&next) == 0)
        mine.push_back(next);
    });
  size_t count = 1; // the fixture's own
  for (size_t i = 0; i < threads; ++i) {
    creators[i].join();
    count += made[i].size();
  }
  EXPECT_EQ(count, 1984u);
  for (const std::vector<aclrtStream> &mine : made)
    for (aclrtStream each : mine)
      ASSERT_EQ(aclrtDestroyStream(each), 0);
  for (size_t i = 0; i < threads; ++i)
    ASSERT_EQ(aclrtResetDevice(0), 0);
}

TEST_F(Streams, IdsAndFailureMode) {
  int32_t id = -1, other = -1;
  EXPECT_EQ(aclrtStreamGetId(stream, &id), 0);
  EXPECT_EQ(aclrtStreamGetId(nullptr, &other), 0);
  EXPECT_NE(id, other);
  EXPECT_FAILS(aclrtStreamGetId(stream, nullptr), 100000, "streamId");
  EXPECT_FAILS(aclrtStreamGetId(&id, &other), 107017, "not a stream");
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), 0);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE), 0);
  EXPECT_FAILS(aclrtSetStreamFailureMode(stream, 5), 107000, "mode 5");
  EXPECT_FAILS(aclrtSetStreamFailureMode(&id, 0), 107017, "not a stream");
}

TEST_F(Streams, Timeouts) {
  EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, 0), 107000,
               "timeout 0 must be -1 or positive");
  EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, -2), 107000,
               "timeout -2");
  EXPECT_FAILS(aclrtSynchronizeDeviceWithTimeout(0), 107000, "timeout 0");
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -1), 0);
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  ASSERT_EQ(aclrtStreamWaitEvent(stream, event), 0); // nobody has recorded it
  EXPECT_FAILS(aclrtSynchronizeStreamWithTimeout(stream, 20), 507046,
               "has not finished in time");
  EXPECT_FAILS(aclrtSynchronizeDeviceWithTimeout(20), 507046,
               "has not finished in time");
  ASSERT_EQ(aclrtRecordEvent(event, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10000), 0);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(10000), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

TEST_F(Streams, EventsOrderTwoStreams) {
  aclrtStream second = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&second), 0);
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(aclrtMemsetAsync(memory, 64, 10, 64, stream), 0);
    ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
    ASSERT_EQ(aclrtStreamWaitEvent(second, event), 0);
    ASSERT_EQ(aclrtMemsetAsync(memory, 64, 20, 64, second), 0);
    // Only the second stream is waited for: it brings the first along.
    ASSERT_EQ(aclrtSynchronizeStream(second), 0);
    ASSERT_EQ(firstByte(), 20);
  }
  aclrtEventWaitStatus wait = ACL_EVENT_WAIT_STATUS_NOT_READY;
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &wait), 0);
  EXPECT_EQ(wait, ACL_EVENT_WAIT_STATUS_COMPLETE);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
  EXPECT_EQ(aclrtDestroyStream(second), 0);
}

TEST_F(Streams, EventStatus) {
  aclrtEvent plain = nullptr, extended = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&plain), 0);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&extended, ACL_EVENT_SYNC), 0);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventStatus(plain, &status), 0);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtQueryEventStatus(extended, &status), 0);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE); // before any record
  ASSERT_EQ(aclrtRecordEvent(plain, stream), 0);
  EXPECT_EQ(aclrtSynchronizeEvent(plain), 0);
  EXPECT_EQ(aclrtQueryEventStatus(plain, &status), 0);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  aclrtEventStatus older = ACL_EVENT_STATUS_RESERVED;
  EXPECT_EQ(aclrtQueryEvent(plain, &older), 0);
  EXPECT_EQ(older, ACL_EVENT_STATUS_COMPLETE);
#pragma GCC diagnostic pop
  EXPECT_FAILS(aclrtQueryEventStatus(plain, nullptr), 100000, "status");
  EXPECT_FAILS(aclrtQueryEventStatus(nullptr, &status), 100000, "event");
  EXPECT_FAILS(aclrtQueryEventWaitStatus(plain, nullptr), 100000, "status");
  EXPECT_FAILS(aclrtQueryEventStatus(stream, &status), 107017, "not an event");
  EXPECT_EQ(aclrtDestroyEvent(extended), 0);
  EXPECT_EQ(aclrtDestroyEvent(plain), 0);
  EXPECT_FAILS(aclrtDestroyEvent(plain), 107017, "a destroyed event");
  EXPECT_FAILS(aclrtRecordEvent(plain, stream), 107017, "a destroyed event");
  EXPECT_FAILS(aclrtStreamWaitEvent(stream, plain), 107017,
               "a destroyed event");
}

TEST_F(Streams, EventErrors) {
  aclrtEvent event = nullptr, flagged = nullptr;
  EXPECT_FAILS(aclrtCreateEvent(nullptr), 100000, "event");
  EXPECT_FAILS(aclrtCreateEventWithFlag(&event, 0x100), 107000, "unknown bits");
  EXPECT_FAILS(aclrtCreateEventExWithFlag(&event, 0x100), 107000,
               "unknown bits");
  EXPECT_FAILS(aclrtDestroyEvent(nullptr), 100000, "event");
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  ASSERT_EQ(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC), 0);
  EXPECT_FAILS(aclrtResetEvent(event, stream), 107000, "cannot be reset");
  ASSERT_EQ(aclrtRecordEvent(flagged, stream), 0);
  EXPECT_EQ(aclrtResetEvent(flagged, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventStatus(flagged, &status), 0);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_FAILS(aclrtRecordEvent(event, &status), 107017, "not a stream");
  EXPECT_FAILS(aclrtSynchronizeEvent(nullptr), 100000, "event");
  EXPECT_FAILS(aclrtSynchronizeEventWithTimeout(event, 0), 107000, "timeout 0");
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
  EXPECT_EQ(aclrtDestroyEvent(flagged), 0);
}

TEST_F(Streams, EventTimeout) {
  aclrtEvent gate = nullptr, event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&gate), 0);
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  ASSERT_EQ(aclrtStreamWaitEvent(stream, gate), 0);
  ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
  EXPECT_FAILS(aclrtSynchronizeEventWithTimeout(event, 20), 507047,
               "not complete after 20 ms");
  ASSERT_EQ(aclrtRecordEvent(gate, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 10000), 0);
  EXPECT_EQ(aclrtDestroyEvent(gate), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

TEST_F(Streams, ElapsedTime) {
  aclrtEvent start = nullptr, end = nullptr, untimed = nullptr;
  float ms = -1;
  ASSERT_EQ(aclrtCreateEvent(&start), 0);
  ASSERT_EQ(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE), 0);
  ASSERT_EQ(aclrtCreateEventWithFlag(&untimed, ACL_EVENT_SYNC), 0);
  ASSERT_EQ(aclrtRecordEvent(start, stream), 0);
  EXPECT_FAILS(aclrtEventElapsedTime(&ms, start, end), 507000,
               "the end event was never recorded");
  ASSERT_EQ(aclrtRecordEvent(end, stream), 0);
  ASSERT_EQ(aclrtRecordEvent(untimed, stream), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, start, end), 0);
  EXPECT_GE(ms, 0.0f);
  EXPECT_FAILS(aclrtEventElapsedTime(&ms, start, untimed), 107006,
               "ACL_EVENT_TIME_LINE");
  EXPECT_FAILS(aclrtEventElapsedTime(nullptr, start, end), 100000, "ms");
  EXPECT_FAILS(aclrtEventElapsedTime(&ms, nullptr, end), 100000, "event");
  EXPECT_FAILS(aclrtEventElapsedTime(&ms, start, &ms), 107017, "not an event");
  for (aclrtEvent event : {start, end, untimed})
    EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

void count(void *data) { ++*static_cast<std::atomic<int> *>(data); }

TEST_F(Streams, Callbacks) {
  std::atomic<int> calls{0};
  EXPECT_FAILS(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, stream),
               107015, "aclrtSubscribeReport first");
  EXPECT_FAILS(aclrtProcessReport(10), 107012, "not subscribed");
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> id{0};
  std::atomic<bool> subscribed{false};
  std::thread worker([&] {
    id = uint64_t(pthread_self());
    while (!subscribed)
      std::this_thread::yield();
    while (!stop)
      aclrtProcessReport(20);
  });
  while (!id)
    std::this_thread::yield();
  ASSERT_EQ(aclrtSubscribeReport(id, stream), 0);
  EXPECT_FAILS(aclrtSubscribeReport(id, stream), 107011, "already has");
  subscribed = true;
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, stream),
              0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(calls, 5); // blocking callbacks are part of the stream
  ASSERT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_NO_BLOCK, stream),
            0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  while (calls != 6)
    std::this_thread::yield();
  EXPECT_FAILS(aclrtLaunchCallback(nullptr, &calls, ACL_CALLBACK_BLOCK, stream),
               100000, "fn");
  EXPECT_FAILS(
      aclrtLaunchCallback(count, &calls, aclrtCallbackBlockType(4), stream),
      100000, "blockType 4");
  stop = true;
  worker.join();
  EXPECT_EQ(aclrtUnSubscribeReport(id, stream), 0);
  EXPECT_FAILS(aclrtUnSubscribeReport(id, stream), 107011, "not subscribed");
}

TEST_F(Streams, ProcessReportTimesOut) {
  const auto self = uint64_t(pthread_self());
  ASSERT_EQ(aclrtSubscribeReport(self, stream), 0);
  EXPECT_FAILS(aclrtProcessReport(10), 507012, "within 10 ms");
  EXPECT_FAILS(aclrtProcessReport(0), 107000, "timeout 0");
  EXPECT_EQ(aclrtUnSubscribeReport(self, stream), 0);
}

} // namespace
