// How undefined data travels through calls that move, choose and fold: exactly
// as far as the device would carry it, so that garbage in lanes that nobody
// uses is no finding, and garbage that arrives is one.
#include "check_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

using Buffer = TBuf<TPosition::VECCALC>;

template <HardEvent event> void passFlag() {
  const auto id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
  SetFlag<event>(id);
  WaitFlag<event>(id);
}

// Four buffers of 4 KiB, none of them written.
struct Room {
  TPipe pipe;
  Buffer buffers[4];
  Room() {
    for (Buffer &buffer : buffers)
      pipe.InitBuffer(buffer, 4096);
  }
  template <typename T> LocalTensor<T> get(int i) {
    return buffers[i].Get<T>();
  }
  template <typename T>
  void store(const Global<T> &y, const LocalTensor<T> &from, uint32_t count) {
    passFlag<HardEvent::V_MTE3>();
    HERE DataCopyPad(
        y.tensor(), from,
        DataCopyExtParams{1, uint32_t(count * sizeof(T)), 0, 0, 0});
  }
};

// A comparison of whole repeats leaves garbage bits behind the last element; a
// selection of as many lanes spoils only lanes that are not stored.
TEST(CheckTravel, BitsOfLanesThatNobodyStores) {
  Global<float> y(64);
  auto kernel = [&](uint32_t stored) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    auto mask = room.get<uint8_t>(2);
    Duplicate(x, 3.0f, 40);
    CompareScalar(mask, x, 1.0f, CMPMODE::GT, 64);
    PipeBarrier<PIPE_V>();
    Select(result, mask, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    room.store(y, result, stored);
  };
  EXPECT_SILENT(check([&] { kernel(40); }));
  const auto findings = check([&] { kernel(41); });
  ASSERT_EQ(findings.size(), 1u) << all(findings);
  EXPECT_EQ(findings[0].call, "Select") << all(findings);
  EXPECT_EQ(findings[0].begin, 5u) << all(findings); // bit 40 of the mask
  EXPECT_NE(findings[0].what.find("decide a selection whose lanes are stored"),
            std::string::npos)
      << all(findings);
}

// The same with a mask of fewer lanes than a repeat has.
TEST(CheckTravel, ASelectionUnderAMask) {
  Global<float> y(64);
  auto kernel = [&](int32_t written) {
    Room room;
    auto a = room.get<float>(0), b = room.get<float>(1);
    auto result = room.get<float>(3);
    auto mask = room.get<uint8_t>(2);
    Duplicate(room.get<int16_t>(2), int16_t(0x0f0f), 16);
    Duplicate(result, 0.0f, 128);
    Duplicate(a, 1.0f, 128);
    Duplicate(b, 2.0f, written);
    PipeBarrier<PIPE_V>();
    // Lanes 4 to 7 of each byte come from b: the last taken is lane 64 + 23.
    Select(result, mask, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 24, 2,
           {1, 1, 1, 8, 8, 8});
    room.store(y, result[64], 24);
  };
  EXPECT_SILENT(check([&] { kernel(88); }));
  const auto findings = check([&] { kernel(87); });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, (64 + 23) * 4u) << all(findings);
}

// A report says where unwritten bytes were read first.
TEST(CheckTravel, TheWayFromTheFirstRead) {
  Global<float> y(64);
  uint32_t first = 0;
  const auto findings = check([&] {
    Room room;
    auto h = room.get<half>(0);
    auto f = room.get<float>(1);
    Duplicate(h, half(1.0f), 32);
    first = __LINE__ + 1;
    Cast(f, h, RoundMode::CAST_NONE, 64);
    Exp(f, f, 64);
    room.store(y, f, 64);
  });
  expectOne(findings, "undefined-data",
            "Cast at travel_test.cpp:" + std::to_string(first) +
                " is the first to read them, in VECCALC buffer 0 (4096 bytes) "
                "at byte 64");
}

TEST(CheckTravel, AGatherUnderAMask) {
  Global<float> y(64);
  auto kernel = [&](int32_t table) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    auto index = room.get<int32_t>(2);
    Duplicate(x, 1.0f, table);
    CreateVecIndex(index, 0, 128);
    Muls(index, index, 4, 128);
    Duplicate(result, 0.0f, 128);
    PipeBarrier<PIPE_V>();
    // Eight lanes of each of two repeats: elements 0 to 7 and 64 to 71.
    Gather(result, x, index.ReinterpretCast<uint32_t>(), 0u, uint64_t(8), 2, 8);
    room.store(y, result[64], 8);
  };
  EXPECT_SILENT(check([&] { kernel(72); }));
  const auto findings = check([&] { kernel(71); });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, (64 + 7) * 4u) << all(findings);
}

// Blocks arrive with what each of them holds.
TEST(CheckTravel, GatheredBlocks) {
  Global<float> y(64);
  auto kernel = [&](uint32_t stored) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    auto offsets = room.get<uint32_t>(2);
    Duplicate(x, 1.0f, 60); // the last block of eight is half written
    for (uint32_t i = 0; i < 8; ++i)
      offsets.SetValue(i, (7 - i) * 32);
    passFlag<HardEvent::S_V>();
    Gatherb(result, x, offsets, 1, {1, 8});
    room.store(y, result, stored);
  };
  EXPECT_SILENT(check([&] { kernel(4); }));
  const auto findings = check([&] { kernel(16); });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, 16u) << all(findings);
}

// Every second element of rows whose other elements are garbage.
TEST(CheckTravel, GatherMaskKeepsWhatItKeeps) {
  Global<float> y(64);
  auto kernel = [&](uint8_t pattern) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    uint64_t even[2] = {0x5555555555555555ull, 0};
    Duplicate(x, 1.0f, even, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    uint64_t kept = 0;
    GatherMask(result, x, pattern, false, 0, {1, 1, 8, 0}, kept);
    room.store(y, result, 32);
  };
  EXPECT_SILENT(check([&] { kernel(1); }));
  expectOne(check([&] { kernel(2); }), "undefined-data",
            "are stored to a tensor");
}

TEST(CheckTravel, AnUndefinedPatternOfGatherMask) {
  auto kernel = [&](bool write) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    auto pattern = room.get<uint32_t>(2);
    Duplicate(x, 1.0f, 64);
    if (write)
      Duplicate(pattern, 0x3u, 8);
    PipeBarrier<PIPE_V>();
    uint64_t kept = 0;
    HERE GatherMask(result, x, pattern, false, 0, {1, 1, 8, 0}, kept);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "undefined-data",
            "decide what is kept");
}

// Sixteen rows of which only some are there: columns of the others are garbage,
// the rest is not.
TEST(CheckTravel, ATransposeOfSomeRows) {
  Global<half> y(256);
  auto kernel = [&](uint32_t stored) {
    Room room;
    auto x = room.get<half>(0), result = room.get<half>(1);
    Duplicate(x, half(1.0f), 10 * 16);
    PipeBarrier<PIPE_V>();
    Transpose(result, x);
    room.store(y, result, stored); // the first row: one element of each
  };
  EXPECT_SILENT(check([&] { kernel(10); }));
  const auto findings = check([&] { kernel(11); });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, 20u) << all(findings);
}

TEST(CheckTravel, ATransposeByBlocks) {
  Global<float> y(256);
  auto kernel = [&](uint32_t stored) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    Duplicate(x, 1.0f, 5 * 8);
    PipeBarrier<PIPE_V>();
    uint64_t from[16], to[16];
    for (int i = 0; i < 16; ++i) {
      from[i] = reinterpret_cast<uint64_t>(x[i * 8].GetPhyAddr());
      to[i] = reinterpret_cast<uint64_t>(result[i * 8].GetPhyAddr());
    }
    TransDataTo5HD<float>(to, from, {false, false, 1, 0, 0});
    room.store(y, result, stored);
  };
  EXPECT_SILENT(check([&] { kernel(5); }));
  expectOne(check([&] { kernel(6); }), "undefined-data",
            "are stored to a tensor");
}

// Rows of a softmax are padded to blocks; the padding may be anything.
TEST(CheckTravel, RowsOfASoftmaxArePadded) {
  Global<float> y(64);
  auto kernel = [&](int32_t valid) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    for (int row = 0; row < 2; ++row)
      Duplicate(x[row * 16], 1.0f, valid);
    PipeBarrier<PIPE_V>();
    SoftMaxTiling tiling{};
    const SoftMaxShapeInfo shape{2, 16, 2, 13};
    SoftMax<float>(result, x, tiling, shape);
    room.store(y, result[16], 13);
  };
  EXPECT_SILENT(check([&] { kernel(13); }));
  expectOne(check([&] { kernel(12); }), "undefined-data",
            "are stored to a tensor");
}

// A reduction under a mask: what each repeat leaves out does not count, what it
// takes does, in every repeat.
TEST(CheckTravel, ReductionsUnderAMask) {
  Global<float> y(8);
  auto kernel = [&](int32_t lanes, int32_t written) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    Duplicate(result, 0.0f, 8);
    for (int repeat = 0; repeat < 4; ++repeat)
      Duplicate(x[repeat * 64], 1.0f, written);
    PipeBarrier<PIPE_V>();
    WholeReduceSum(result, x, lanes, 4, 1, 1, 8);
    room.store(y, result, 4);
  };
  for (int32_t lanes : {8, 40}) {
    EXPECT_SILENT(check([&] { kernel(lanes, lanes); }));
    const auto findings = check([&] { kernel(lanes, lanes - 1); });
    expectOne(findings, "undefined-data", "are stored to a tensor");
  }
}

// A fold: every repeat is combined with the first, so that garbage of any of
// them is in the result.
TEST(CheckTravel, RepeatsThatFoldIntoOnePlace) {
  Global<float> y(64);
  auto kernel = [&](int garbage) {
    Room room;
    auto x = room.get<float>(0);
    for (int repeat = 0; repeat < 4; ++repeat)
      if (repeat != garbage)
        Duplicate(x[repeat * 64], 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Max(x, x[64], x, uint64_t(64), 3, {1, 1, 1, 0, 8, 0});
    room.store(y, x, 64);
  };
  EXPECT_SILENT(check([&] { kernel(-1); }));
  for (int garbage = 0; garbage < 4; ++garbage)
    expectOne(check([&] { kernel(garbage); }), "undefined-data",
              "are stored to a tensor");
}

// Rows that a Copy moves, each by itself: in counter mode a row is as long as
// the count says, whatever the repeat strides are.
TEST(CheckTravel, RowsOfACopyInCounterMode) {
  Global<float> y(256);
  auto kernel = [&](int garbage, uint32_t rows) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    for (int row = 0; row < 2; ++row)
      if (row != garbage)
        Duplicate(x[row * 8], 1.0f, 8);
    PipeBarrier<PIPE_V>();
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(96);
    // One block per row, repeated along 96 elements.
    Copy<float, false>(result, x, MASK_PLACEHOLDER, 2, {1, 0, 12, 1});
    SetMaskNorm();
    ResetMask();
    room.store(y, result, rows * 96);
  };
  EXPECT_SILENT(check([&] { kernel(-1, 2); }));
  EXPECT_SILENT(check([&] { kernel(1, 1); }));
  const auto findings = check([&] { kernel(1, 2); });
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, 96 * 4u) << all(findings);
}

TEST(CheckTravel, ACopyOfALongRow) {
  Global<float> y(256);
  EXPECT_SILENT(check([&] {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    Duplicate(x, 1.0f, 200);
    PipeBarrier<PIPE_V>();
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(200);
    Copy<float, false>(result, x, MASK_PLACEHOLDER, 1, {1, 1, 0, 0});
    SetMaskNorm();
    ResetMask();
    room.store(y, result, 200);
  }));
}

// Strided operands: lanes stay with their lanes.
TEST(CheckTravel, StridedBlocksKeepTheirLanes) {
  Global<float> y(256);
  auto kernel = [&](uint32_t garbage) {
    Room room;
    auto x = room.get<float>(0), result = room.get<float>(1);
    for (uint32_t block = 0; block < 128; ++block)
      if (block != garbage)
        Duplicate(x[block * 8], 1.0f, 8);
    PipeBarrier<PIPE_V>();
    // Every second block of the source, two repeats.
    Adds(result, x, 1.0f, uint64_t(64), 2, {1, 2, 8, 16});
    room.store(y, result, 128);
  };
  EXPECT_SILENT(check([&] { kernel(5); }));         // an odd block
  const auto findings = check([&] { kernel(20); }); // block 10 of the result
  expectOne(findings, "undefined-data", "are stored to a tensor");
  EXPECT_EQ(findings[0].begin, 320u) << all(findings);
}

// The register keeps the value of SetPadValue for loads with isPad = false.
TEST(CheckTravel, PaddingByTheRegister) {
  Global<half> x(64), y(64);
  auto kernel = [&](bool set) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 256);
    if (set)
      SetPadValue(half(1.0f));
    DataCopyPad(a.Get<half>(), x.tensor(), DataCopyExtParams{1, 40, 0, 0, 0},
                DataCopyPadExtParams<half>{false, 0, 12, half(0.0f)});
    passFlag<HardEvent::MTE2_MTE3>();
    HERE DataCopy(y.tensor(), a.Get<half>(), 32);
  };
  EXPECT_SILENT(check([&] { kernel(true); }));
  expectOne(check([&] { kernel(false); }), "undefined-data", "stored");
}

// An index that nothing has written travels with its value, whatever sorts
// them; a value that nothing has written leaves the whole order open.
TEST(CheckTravel, PairsOfASort) {
  Global<float> y(64);
  Global<uint32_t> places(64);
  enum { Sorts32, Merges, SortsAll };
  auto kernel = [&](int how, uint32_t stored, uint32_t values) {
    Room room;
    auto x = room.get<float>(0), sorted = room.get<float>(1),
         tmp = room.get<float>(2);
    auto index = room.get<uint32_t>(3);
    CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, 40);
    Duplicate(x, -1.0f, values);
    Duplicate(x, 2.0f, 40);
    PipeBarrier<PIPE_V>();
    if (how == SortsAll) {
      Sort<float, true>(sorted, x, index, tmp, 2);
    } else {
      Sort32(sorted, x, index, 2);
      PipeBarrier<PIPE_V>();
      if (how == Merges) {
        const uint16_t lengths[] = {32, 32, 0, 0};
        MrgSort(tmp, {sorted, sorted[64], sorted, sorted},
                MrgSort4Info(lengths, false, 3, 1));
        sorted = tmp;
      }
    }
    PipeBarrier<PIPE_V>();
    uint64_t kept;
    GatherMask(index, sorted.ReinterpretCast<uint32_t>(), 2, true, 128,
               {1, 1, 0, 0}, kept);
    room.store(places, index, stored);
  };
  for (int how : {Sorts32, Merges, SortsAll}) {
    EXPECT_SILENT(check([&] { kernel(how, 40, 64); }));
    expectOne(check([&] { kernel(how, 41, 64); }), "undefined-data", "stored");
    expectOne(check([&] { kernel(how, 1, 63); }), "undefined-data", "stored");
  }
}

// Left padding that was asked for is defined, the rest of the last block not.
TEST(CheckTravel, PaddingOnBothSides) {
  Global<int32_t> x(64), y(64);
  auto kernel = [&](uint32_t stored, bool pad) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    auto a = queue.AllocTensor<int32_t>();
    // Two rows of three elements with one on the left, each in its block.
    DataCopyPad(a, x.tensor(), DataCopyExtParams{2, 12, 8, 0, 0},
                DataCopyPadExtParams<int32_t>{pad, 1, 4, 7});
    queue.EnQue(a);
    a = queue.DeQue<int32_t>();
    HERE DataCopy(y.tensor(), a, stored);
    queue.FreeTensor(a);
  };
  EXPECT_SILENT(check([&] { kernel(16, true); }));
  expectOne(check([&] { kernel(16, false); }), "undefined-data", "stored");
  expectOne(check([&] { kernel(24, true); }), "undefined-data", "stored");
}

} // namespace
