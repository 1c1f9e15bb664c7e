// Random sequences of instructions with operands that overlap at random, run
// with deferral (several strip lengths) and without: all of UB, all of global
// memory and the messages must be the same. Values are bits as they come, so
// that a byte of a mask, a half and a float may be the same byte.
#include "vector_support.h"

#include <random>

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kUb = 184 * 1024; // below the scratch of Select
constexpr uint32_t kGlobal = 184 * 1024;

// A sanitizer makes a sequence 30 times slower.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr uint32_t kSeeds = 30;
#else
constexpr uint32_t kSeeds = 300;
#endif

class Sequence {
public:
  Sequence(uint32_t seed, uint8_t *memory, bool mostlyCopies)
      : random(seed), memory(memory), mostlyCopies(mostlyCopies) {}

  void issue() {
    if (mostlyCopies && pick(3) == 0)
      return copy();
    switch (pick(30)) {
    case 0:
      return binary<float>();
    case 1:
      return binary<half>();
    case 2:
      return binary<int32_t>();
    case 3:
      return withScalar<float>(0.5f);
    case 4:
      return withScalar<half>(half(2.0f));
    case 5:
      return MulAddDst(local<float>(), local<float>(), local<float>(), count);
    case 6:
      return Abs(local<float>(), local<float>(), count);
    case 7:
    case 8:
      return conversion();
    case 9:
      return Compare(local<uint8_t>(), local<float>(), local<float>(),
                     CMPMODE::LT, count / 64 * 64);
    case 10:
      return CompareScalar(local<uint8_t>(), local<half>(), half(0.0f),
                           CMPMODE::GE, count / 128 * 128);
    case 11:
      return Select(local<float>(), local<uint8_t>(), local<float>(),
                    local<float>(), SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    case 12:
      return Select(local<half>(), local<uint8_t>(), local<half>(), half(1.0f),
                    SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    case 13:
      return pick(2) ? Duplicate(local<float>(), 1.5f, count)
                     : Duplicate(local<half>(), half(-3.0f), count);
    case 14:
      return DataCopy(local<float>(), local<float>(), count / 8 * 8);
    case 15:
      return DataCopy(local<float>(), far<float>(), count / 8 * 8);
    case 16:
      return DataCopy(far<half>(), local<half>(), count / 16 * 16);
    case 17:
      return pad();
    case 18:
      return rest();
    case 19:
      return Add(local<float>(), local<float>(), local<float>(), 40,
                 static_cast<uint8_t>(pick(20)), {1, 1, 1, 8, 8, 9});
    case 20:
    case 21:
    case 22:
    case 23:
      return rowArithmetic();
    case 24:
    case 25:
      return rowReduction();
    case 26:
      return rowCopies();
    case 27:
      return rowVector();
    default:
      return steps();
    }
  }
  void prepare() {
    // Often the same tile as before, as in a kernel.
    if (pick(4) == 0)
      count = 64 + pick(47) * 100;
    else if (pick(3) == 0)
      count = 256 * (8 + pick(11));
  }
  uint64_t seen = 0; // by scalar reads

private:
  void copy() {
    switch (pick(4)) {
    case 0:
    case 1:
      return DataCopy(local<float>(), far<float>(), count / 8 * 8);
    case 2:
      return DataCopy(far<float>(), local<float>(), count / 8 * 8);
    default:
      return pad();
    }
  }

  uint32_t pick(uint32_t below) { return random() % below; }

  // From a few starts, sometimes a few blocks on.
  uint32_t address(uint32_t bytes, uint32_t limit) {
    uint32_t at = pick(6) * (limit / 8);
    if (pick(3) == 0)
      at += pick(64) * 32;
    return at + bytes <= limit ? at : 0;
  }
  template <typename T> LocalTensor<T> local() {
    const auto bytes = static_cast<uint32_t>(count * sizeof(T));
    return tensorAt<T>(address(bytes, kUb), count);
  }
  template <typename T> GlobalTensor<T> far() {
    GlobalTensor<T> tensor;
    const auto bytes = static_cast<uint32_t>(count * sizeof(T));
    tensor.SetGlobalBuffer(reinterpret_cast<T *>(
        memory + address(bytes, kGlobal) + pick(2) * sizeof(T)));
    return tensor;
  }

  template <typename T> void binary() {
    const auto dst = local<T>(), a = local<T>(), b = local<T>();
    switch (pick(4)) {
    case 0:
      return Add(dst, a, b, count);
    case 1:
      return Sub(dst, a, b, count);
    case 2:
      return Max(dst, a, b, count);
    default:
      return Mul(dst, a, b, count);
    }
  }
  template <typename T> void withScalar(T scalar) {
    const auto dst = local<T>(), a = local<T>();
    switch (pick(3)) {
    case 0:
      return Adds(dst, a, scalar, count);
    case 1:
      return Maxs(dst, a, scalar, count);
    default:
      return Muls(dst, a, scalar, count);
    }
  }
  // Overlaps of different widths are an error but for two forms; those, and
  // places that lie apart.
  void conversion() {
    const uint32_t low = pick(2) * kUb / 8, high = (4 + pick(3)) * kUb / 8;
    const uint32_t n = std::min(count, kUb / 8 / 4);
    const auto wide = tensorAt<float>(low, n);
    switch (pick(4)) {
    case 0:
      return Cast(wide, tensorAt<half>(high, n), RoundMode::CAST_NONE, n);
    case 1:
      return Cast(tensorAt<half>(high, n), wide, RoundMode::CAST_RINT, n);
    case 2:
      return Cast(wide.ReinterpretCast<half>(), wide, RoundMode::CAST_RINT, n);
    default: { // from the upper half
      const uint32_t even = n / 16 * 16;
      return Cast(wide, tensorAt<half>(low + even * 2, even),
                  RoundMode::CAST_NONE, even);
    }
    }
  }
  void pad() {
    const auto bytes = static_cast<uint32_t>(count * sizeof(float));
    if (pick(2))
      return DataCopyPad(local<float>(), far<float>(),
                         DataCopyExtParams{1, bytes, 0, 0, 0},
                         DataCopyPadExtParams<float>{false, 0, 0, 0});
    DataCopyPad(far<float>(), local<float>(),
                DataCopyExtParams{1, bytes, 0, 0, 0});
  }
  // Calls that look at memory by themselves.
  void rest() {
    const uint32_t index = pick(count);
    switch (pick(6)) {
    case 0:
      seen = seen * 31 + local<uint32_t>().GetValue(index);
      return;
    case 1:
      return local<uint32_t>().SetValue(index, pick(1000));
    case 2:
      seen = seen * 31 + far<uint16_t>().GetValue(index);
      return;
    case 3:
      return far<uint16_t>().SetValue(index, static_cast<uint16_t>(pick(1000)));
    case 4:
      SetAtomicAdd<int32_t>();
      DataCopy(far<int32_t>(), local<int32_t>(), count / 8 * 8);
      return SetAtomicNone();
    default:
      return Brcb(local<float>(), local<float>(), 4, {1, 8});
    }
  }

  //===- a tile as rows ---------------------------------------------------===//

  // Rows of the tile at one of a few starts, `rowPitch` floats apart; often the
  // chunk to the right of the one before.
  uint32_t rowAddress() {
    const uint32_t tile = pick(5) * (kUb / 8);
    if (pick(3))
      lane = (lane + 64) % rowPitch;
    else if (pick(2))
      lane = 0;
    return tile + lane * 4;
  }
  template <typename T = float> LocalTensor<T> rowTensor() {
    return tensorAt<T>(rowAddress(), 64);
  }
  // One block per row, or one element, behind the tiles.
  LocalTensor<float> rowBlocks() { return tensorAt<float>(kUb * 7 / 8, 2048); }
  LocalTensor<float> rowSums() {
    return tensorAt<float>(kUb * 15 / 16 + pick(2) * 1024, 256);
  }
  uint8_t stride() const { return static_cast<uint8_t>(rowPitch / 8); }
  uint64_t someLanes() { return pick(4) ? 64 : 1 + pick(64); }

  void rowArithmetic() {
    const auto repeat = static_cast<uint8_t>(rows);
    const uint8_t s = stride();
    const auto dst = rowTensor();
    const uint64_t lanes = someLanes();
    switch (pick(8)) {
    case 0: // lanes of a row with the row's block
      return Mul(dst, pick(2) ? dst : rowTensor(), rowBlocks(), lanes, repeat,
                 {1, 1, 0, s, s, 1});
    case 1:
      return Sub(dst, rowBlocks(), rowTensor(), lanes, repeat,
                 {1, 0, 1, s, 1, s});
    case 2: // folding into a dense tile of 64 lanes
      return Add(folded(), folded(), rowTensor(), lanes, repeat,
                 {1, 1, 1, 8, 8, s});
    case 3: // all rows with one
      return Max(dst, rowTensor(), rowBlocks(), lanes, repeat,
                 {1, 1, 1, s, s, 0});
    case 4: // all rows into one
      return Add(rowBlocks(), rowBlocks(), rowTensor(), lanes, repeat,
                 {1, 1, 1, 0, 0, s});
    case 5:
      return Muls(dst, rowTensor(), 0.5f, lanes, repeat, {1, 1, s, s});
    case 6: { // a bitmap
      uint64_t bits[2] = {0x00ff00ff0f0f3355ull, 0};
      return Add(dst, rowTensor(), rowTensor(), bits, repeat,
                 {1, 1, 1, s, s, s});
    }
    default:
      return Duplicate(dst, 0.25f, lanes, repeat, 1, s);
    }
  }
  LocalTensor<float> folded() { return tensorAt<float>(kUb * 5 / 8, 64); }

  void rowReduction() {
    const auto lanes = static_cast<int32_t>(someLanes());
    const bool dense = pick(2);
    const LocalTensor<float> from = dense ? folded() : rowTensor();
    const int32_t s = dense ? 8 : stride();
    switch (pick(6)) {
    case 0:
    case 1:
      return WholeReduceSum(rowSums(), from, lanes, rows, 1, 1, s);
    case 2:
      return WholeReduceMax(rowSums(), from, lanes, rows, 1, 1, s,
                            ReduceOrder::ORDER_ONLY_VALUE);
    case 3:
      return BlockReduceSum(rowBlocks(), from, rows, 64, 1, 1, s);
    case 4:
      return PairReduceSum(tensorAt<float>(kUb * 3 / 4, 64), from, rows, 64, 1,
                           1, s);
    default:
      return Brcb(rowBlocks(), rowSums(), static_cast<uint8_t>((rows + 7) / 8),
                  {1, 8});
    }
  }
  void rowCopies() {
    const auto repeat = static_cast<uint8_t>(rows);
    const uint32_t bytes = (rowPitch - pick(9)) * 4;
    const auto gap = (rowPitch * 4 - (bytes + 31) / 32 * 32) / 32;
    const auto tile = tensorAt<float>(pick(5) * (kUb / 8), 64);
    switch (pick(4)) {
    case 0:
      return Copy(folded(), rowTensor(), someLanes(), repeat,
                  {1, 1, 8, stride()});
    case 1:
      return DataCopyPad(tile, far<float>(),
                         DataCopyExtParams{repeat, bytes, 0, gap, 0},
                         DataCopyPadExtParams<float>{false, 0, 0, 0});
    case 2:
      return DataCopyPad(far<float>(), tile,
                         DataCopyExtParams{repeat, bytes, gap, 0, 0});
    default: // the whole tile
      return Exp(tile, tile, static_cast<int32_t>(rows * rowPitch));
    }
  }
  // A value per row, and a new tile now and then.
  void rowVector() {
    switch (pick(4)) {
    case 0:
      rows = static_cast<uint16_t>(8 + pick(13));
      rowPitch = 64 * (1 + pick(4)) + 8 * pick(3);
      return;
    case 1:
      return Muls(rowSums(), rowSums(), 0.5f, rows);
    case 2:
      return Add(rowSums(), rowSums(), rowSums(), rows);
    default:
      seen = seen * 31 + rowSums().ReinterpretCast<uint32_t>().GetValue(0);
    }
  }

  void steps() {
    switch (pick(4)) {
    case 0:
      return PipeBarrier<PIPE_V>();
    case 1:
      return PipeBarrier<PIPE_ALL>();
    case 2:
      return WholeReduceMax(local<float>(), local<float>(), 64, 4, 1, 1, 8);
    default:
      return SetMaskNorm();
    }
  }

  std::mt19937 random;
  uint8_t *memory;
  bool mostlyCopies;
  uint32_t count = 4096;
  uint16_t rows = 16;
  uint32_t rowPitch = 256, lane = 0;
};

struct Outcome {
  std::vector<uint8_t> ub, memory;
  uint64_t seen = 0;
  std::string errors, warnings;
};

// `large`: part of a tensor that no cache holds, or null for a small one.
Outcome execute(uint32_t seed, const char *strip, uint8_t *large) {
  Switch length("LOSSGRAD_STRIP", strip);
  Outcome outcome;
  outcome.memory.resize(kGlobal + 64);
  std::vector<uint8_t> start(kUb);
  std::mt19937 random(seed * 77 + 1);
  // Floats of a modest size; as halves and integers they are anything.
  for (auto *bytes : {&outcome.memory, &start})
    for (size_t i = 0; i + 4 <= bytes->size(); i += 4) {
      const float value = static_cast<float>(int(random() % 4001) - 2000) / 16;
      std::memcpy(bytes->data() + i, &value, 4);
    }
  uint8_t *const memory = large ? large : outcome.memory.data();
  if (large)
    std::copy(outcome.memory.begin(), outcome.memory.end(), large);
  const auto result = run([&] {
    DataCopy(tensorAt<uint8_t>(0, kUb), global(start), kUb);
    Sequence sequence(seed, memory, large != nullptr);
    for (int i = 0; i < 60; ++i) {
      sequence.prepare();
      sequence.issue();
    }
    outcome.seen = sequence.seen;
    outcome.ub = get(tensorAt<uint8_t>(0, kUb), kUb);
  });
  std::copy_n(memory, outcome.memory.size(), outcome.memory.begin());
  outcome.errors = result.errors;
  outcome.warnings = result.warnings;
  return outcome;
}

size_t firstDifference(const std::vector<uint8_t> &a,
                       const std::vector<uint8_t> &b) {
  if (a.size() != b.size())
    return 0;
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

void expectSameMemory(uint8_t *large) {
  size_t finished = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome once = execute(seed, "0", large);
    finished += once.errors.empty();
    for (const char *strip : {"128", "256"}) {
      const Outcome deferred = execute(seed, strip, large);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", strips of " + strip);
      ASSERT_EQ(deferred.errors, once.errors);
      ASSERT_EQ(deferred.warnings, once.warnings);
      ASSERT_EQ(deferred.seen, once.seen);
      ASSERT_EQ(firstDifference(deferred.ub, once.ub), once.ub.size());
      ASSERT_EQ(firstDifference(deferred.memory, once.memory),
                once.memory.size());
    }
  }
  // Sequences that end in an error must stay the exception.
  EXPECT_GE(finished * 20, kSeeds * 19);
}

} // namespace

TEST(StripsRandom, SameMemoryAsOneAfterTheOther) { expectSameMemory(nullptr); }

// Tiles of a large tensor do not pass through UB until somebody looks.
TEST(StripsRandom, SameMemoryWithALargeTensor) {
  constexpr size_t kLarge = size_t{20} << 20;
  auto *large = static_cast<uint8_t *>(lossgrad::sim::allocateGlobal(kLarge));
  ASSERT_TRUE(large);
  expectSameMemory(large);
  lossgrad::sim::freeGlobal(large);
}
