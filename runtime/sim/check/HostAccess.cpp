// What check mode says of a host program that uses device memory too early.
#include "lossgrad/sim/GlobalMemory.h"
#include "lossgrad/sim/Modes.h"
#include "sim/GlobalRegistry.h"
#include "sim/check/Session.h"

namespace lossgrad::sim {

void hostAccesses(const void *begin, size_t bytes, const char *call) {
  if (runMode() != RunMode::Check)
    return;
  const auto from = reinterpret_cast<uint64_t>(begin);
  const auto pending = findPending(from, from + bytes);
  if (!pending)
    return;
  Finding finding;
  finding.kernel = pending->what;
  finding.begin = pending->begin;
  finding.end = pending->end;
  finding.rule = "pending-device-write";
  finding.call = call;
  finding.tensor = "output of " + finding.kernel;
  finding.what = "the host uses device memory that a queued task has yet to "
                 "write";
  finding.advice = "aclrtSynchronizeStream before the access";
  check::recordOnHost(std::move(finding));
}

} // namespace lossgrad::sim
