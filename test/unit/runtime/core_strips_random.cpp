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
  Sequence(uint32_t seed, std::vector<uint8_t> &memory)
      : random(seed), memory(memory) {}

  void issue() {
    switch (pick(21)) {
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
    case 19: // lanes with strides: never one span
      return Add(local<float>(), local<float>(), local<float>(), 40,
                 static_cast<uint8_t>(pick(20)), {1, 1, 1, 8, 8, 9});
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
        memory.data() + address(bytes, kGlobal) + pick(2) * sizeof(T)));
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
  std::vector<uint8_t> &memory;
  uint32_t count = 4096;
};

struct Outcome {
  std::vector<uint8_t> ub, memory;
  uint64_t seen = 0;
  std::string errors, warnings;
};

Outcome execute(uint32_t seed, const char *strip) {
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
  const auto result = run([&] {
    DataCopy(tensorAt<uint8_t>(0, kUb), global(start), kUb);
    Sequence sequence(seed, outcome.memory);
    for (int i = 0; i < 60; ++i) {
      sequence.prepare();
      sequence.issue();
    }
    outcome.seen = sequence.seen;
    outcome.ub = get(tensorAt<uint8_t>(0, kUb), kUb);
  });
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

} // namespace

TEST(StripsRandom, SameMemoryAsOneAfterTheOther) {
  size_t finished = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome once = execute(seed, "0");
    finished += once.errors.empty();
    for (const char *strip : {"128", "256"}) {
      const Outcome deferred = execute(seed, strip);
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
