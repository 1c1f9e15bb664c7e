// What the tests of the vector calls share: tensors at fixed UB addresses,
// sample values with the awkward ones among them, comparison by bits, and an
// independent walk over the lanes of an instruction (mask, repeats, strides)
// as the documents describe it.
#pragma once

#include "core_support.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace lossgrad::test {

constexpr uint32_t kTails[] = {1,  7,  8,   31,  32,  33,  63,
                               64, 65, 127, 128, 129, 513, 1021};

template <typename T>
AscendC::LocalTensor<T> tensorAt(uint32_t byteAddress, uint32_t count) {
  return AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, byteAddress,
                                 count);
}

template <typename T>
void put(const AscendC::LocalTensor<T> &tensor, const std::vector<T> &values) {
  std::memcpy(static_cast<void *>(tensor.GetPhyAddr()), values.data(),
              values.size() * sizeof(T));
}

template <typename T>
std::vector<T> get(const AscendC::LocalTensor<T> &tensor, size_t count) {
  std::vector<T> values(count);
  std::memcpy(static_cast<void *>(values.data()), tensor.GetPhyAddr(),
              count * sizeof(T));
  return values;
}

template <typename T> uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T> bool isNaN(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(static_cast<float>(value));
}

// Equal bits, or both NaN.
template <typename T>
void expectSame(const std::vector<T> &actual, const std::vector<T> &expected,
                const std::string &what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (isNaN(actual[i]) && isNaN(expected[i]))
      continue;
    ASSERT_EQ(bitsOf(actual[i]), bitsOf(expected[i]))
        << what << ", element " << i << ": " << static_cast<double>(actual[i])
        << " instead of " << static_cast<double>(expected[i]);
  }
}

// Values of all magnitudes, zeros, infinities, NaN, subnormals, limits.
template <typename T> std::vector<T> samples(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      values[i] = static_cast<T>(random());
    } else {
      const int exponent = static_cast<int>(random() % 24) - 12;
      const double mantissa = static_cast<int32_t>(random()) * 0x1p-31;
      values[i] = static_cast<T>(std::ldexp(mantissa, exponent));
    }
  }
  if constexpr (!std::is_integral_v<T>) {
    const float inf = std::numeric_limits<float>::infinity();
    const T special[] = {T(0.0f),  T(-0.0f),         T(inf),
                         T(-inf),  T(std::nanf("")), T(1.0f),
                         T(-1.0f), T(65504.0f),      T(6e-8f)};
    for (size_t i = 0; i < std::size(special); ++i)
      if (count > 40)
        values[(i * 5 + seed) % count] = special[i];
  }
  return values;
}

// Which lanes of which repeat take part, and where they lie.
struct Walk {
  uint64_t low = ~0ull, high = ~0ull;
  uint32_t repeat = 1;

  static Walk lanes(uint32_t count, uint32_t repeat) {
    Walk walk;
    walk.low = count >= 64 ? ~0ull : (1ull << count) - 1;
    walk.high = count >= 128 ? ~0ull
                : count > 64 ? (1ull << (count - 64)) - 1
                             : 0;
    walk.repeat = repeat;
    return walk;
  }
  // fn(repeat, lane) for every active one.
  template <typename Fn> void each(uint32_t perRepeat, Fn fn) const {
    for (uint32_t r = 0; r < repeat; ++r)
      for (uint32_t lane = 0; lane < perRepeat; ++lane)
        if ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1)
          fn(r, lane);
  }
};

// Element index of a lane, with strides in blocks.
template <typename T>
size_t laneIndex(uint32_t repeat, uint32_t lane, uint32_t blockStride,
                 uint32_t repeatStride) {
  const uint32_t perBlock = 32 / sizeof(T);
  return (size_t{repeat} * repeatStride +
          size_t{lane / perBlock} * blockStride) *
             perBlock +
         lane % perBlock;
}

// Sets a switch for the launches within a scope.
class Switch {
public:
  Switch(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Switch() { unsetenv(name); }

private:
  const char *name;
};

} // namespace lossgrad::test
