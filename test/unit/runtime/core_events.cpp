// Flags between pipes and their ids.
#include "core_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

TEST(Events, SetThenWait) {
  EXPECT_OK(run([] {
    for (int i = 0; i < 3; ++i) {
      SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID3); // another pair, the same id
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
    }
    TQueSync<PIPE_V, PIPE_S> sync;
    sync.SetFlag(0);
    WaitFlag<HardEvent::V_S>(0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    PipeBarrier<PIPE_ALL>();
  }));
}

TEST(Events, IdsAreReservedOrOnlyFetched) {
  EXPECT_OK(run([] {
    TPipe pipe;
    EXPECT_EQ(pipe.FetchEventID<HardEvent::V_S>(), 0);
    EXPECT_EQ(pipe.FetchEventID(HardEvent::V_S), 0);
    EXPECT_EQ(pipe.AllocEventID<HardEvent::V_S>(), 0);
    EXPECT_EQ(pipe.AllocEventID<HardEvent::V_S>(), 1);
    EXPECT_EQ(GetTPipePtr()->FetchEventID(HardEvent::V_S), 2);
    pipe.ReleaseEventID<HardEvent::V_S>(0);
    EXPECT_EQ(pipe.FetchEventID<HardEvent::V_S>(), 0);
    EXPECT_EQ(pipe.FetchEventID<HardEvent::S_V>(), 0);
  }));
}

TEST(EventErrors, WaitInVain) {
  EXPECT_EQ(
      errorOf(run([] { WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); })),
      "WaitFlag at core_events.cpp:N: waits in vain for flag MTE2_V id 0: "
      "nothing has set it");
}

TEST(EventErrors, SetTwice) {
  EXPECT_EQ(errorOf(run([] {
              SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
              SetFlag<HardEvent::MTE2_V>(EVENT_ID2);
            })),
            "SetFlag at core_events.cpp:N: flag MTE2_V id 2 is already set (at "
            "core_events.cpp:N) and nothing has waited for it");
}

TEST(EventErrors, LeftSetAtTheEnd) {
  EXPECT_EQ(
      errorOf(run([] { SetFlag<HardEvent::V_MTE3>(EVENT_ID1); })),
      "SetFlag at core_events.cpp:N: flag V_MTE3 id 1 was set but nothing "
      "waited for it; on the device it would leak into the next kernel");
}

TEST(EventErrors, IdOutOfRange) {
  EXPECT_EQ(
      errorOf(run([] { SetFlag<HardEvent::V_MTE3>(8); })),
      "SetFlag at core_events.cpp:N: event id is 8, V_MTE3 has ids 0 to 7");
  Options first;
  first.soc = "Ascend910A";
  EXPECT_EQ(
      errorOf(run(first, [] { SetFlag<HardEvent::V_MTE3>(4); })),
      "SetFlag at core_events.cpp:N: event id is 4, V_MTE3 has ids 0 to 3");
}

TEST(EventErrors, AllIdsReserved) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              for (int i = 0; i < 9; ++i)
                pipe.AllocEventID<HardEvent::V_S>();
            })),
            "AllocEventID at core_events.cpp:N: all 8 event ids of V_S are in "
            "use: too many blocks are in flight at one position, or an id was "
            "not released");
}

} // namespace
