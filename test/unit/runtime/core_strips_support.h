// Tiles for tests of deferred execution.
#pragma once

#include "vector_support.h"

namespace lossgrad::test {

constexpr uint32_t kCount = 4096; // many strips
constexpr uint32_t kBytes = kCount * sizeof(float);

// The n-th of several buffers in UB.
inline AscendC::LocalTensor<float> buffer(uint32_t n, uint32_t count = kCount) {
  return tensorAt<float>(n * kBytes, count);
}

inline std::vector<float> ramp(size_t count = kCount) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i);
  return values;
}

} // namespace lossgrad::test
