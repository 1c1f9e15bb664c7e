// Counts the bytes of UB that a kernel takes: every pipe of the kernel is one
// that adds up its buffers. Include it instead of run_kernel.h. On the vendor's
// headers, where every core is a process, nothing is counted.
#pragma once

#ifdef REAL_HEADERS
#include "run_kernel.h"
inline int64_t takeUbBytes() { return 0; }
#else
#include "kernel_operator.h"
#include "tikicpulib.h"

#include <atomic>

inline std::atomic<int64_t> mostUbBytes{0};

/// The most that one core took since the last call.
inline int64_t takeUbBytes() { return mostUbBytes.exchange(0); }

namespace AscendC {
class CountingPipe : public TPipe {
public:
  template <typename Queue>
  bool InitBuffer(Queue &queue, uint8_t blocks, uint32_t bytes) {
    count(blocks * int64_t(bytes));
    return TPipe::InitBuffer(queue, blocks, bytes);
  }
  template <typename Buffer> bool InitBuffer(Buffer &buffer, uint32_t bytes) {
    count(bytes);
    return TPipe::InitBuffer(buffer, bytes);
  }

private:
  void count(int64_t bytes) {
    sum += bytes;
    int64_t most = mostUbBytes.load();
    while (most < sum && !mostUbBytes.compare_exchange_weak(most, sum)) {
    }
  }
  int64_t sum = 0;
};
} // namespace AscendC

#define TPipe CountingPipe
#include "run_kernel.h"
#undef TPipe
#endif
