// Turns a fault inside a block (guard page, null pointer, division by zero)
// into the end of that block. Faults outside of blocks go where they would
// have gone without us.
#pragma once

#include <csetjmp>
#include <string>

namespace lossgrad::sim {

// Where a faulting block continues, and what happened.
struct FaultPoint {
  sigjmp_buf env;
  bool armed = false;
  int signal = 0;
  void *addr = nullptr;
};

// Installs the handlers (once) and an alternate stack for this thread.
void prepareThreadForFaults();
// The fault point of the running fibre; null outside of blocks.
void setFaultPoint(FaultPoint *point);

} // namespace lossgrad::sim
