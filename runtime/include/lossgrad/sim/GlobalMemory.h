// Which pieces of host memory are global memory of the device, and which of
// their bytes the host has written. Whoever hands out device memory (GmAlloc,
// aclrtMalloc) says so here; check mode takes bounds and undefined bytes from
// it. Costs a map entry per allocation and nothing per access.
#pragma once

#include "lossgrad/sim/Export.h"

#include <cstddef>
#include <cstdint>

namespace lossgrad::sim {

// `defined`: the bytes have a value (GmAlloc); else they have none until the
// host or a kernel writes them (aclrtMalloc).
LOSSGRAD_API void globalAllocated(const void *begin, size_t bytes,
                                  bool defined);
LOSSGRAD_API void globalFreed(const void *begin);
// The host has written these bytes (aclrtMemcpy, aclrtMemset).
LOSSGRAD_API void globalWrittenByHost(const void *begin, size_t bytes);

// Bytes that a queued device task will write; alive from the time that the task
// is queued until it has run. `what` must outlive it.
class LOSSGRAD_API PendingDeviceWrite {
public:
  PendingDeviceWrite(const void *begin, size_t bytes, const char *what);
  ~PendingDeviceWrite();
  PendingDeviceWrite(PendingDeviceWrite &&other) noexcept
      : ticket(other.ticket) {
    other.ticket = 0;
  }
  PendingDeviceWrite &operator=(PendingDeviceWrite &&) = delete;

private:
  uint64_t ticket;
};

// The host reads or overwrites device memory without waiting for the device
// (aclrtMemcpy): a finding of check mode if a write to it is pending.
LOSSGRAD_API void hostAccesses(const void *begin, size_t bytes,
                               const char *call);

// Asks for huge pages if the memory is large: streams over large tensors spend
// less on address translation, and faults on first touch become rare.
LOSSGRAD_API void useHugePages(void *pages, size_t bytes);

} // namespace lossgrad::sim
