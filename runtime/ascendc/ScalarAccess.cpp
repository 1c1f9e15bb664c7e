// Scalar access by kernels: a bounds check in UB, and the observer.
#include "lossgrad/sim/ScalarAccess.h"
#include "Strips.h"
#include "sim/Launch.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::sim {

using AscendC::TPosition;

static void announce(Core &core, const void *addr, uint32_t bytes, bool write) {
  Footprint footprint;
  footprint.call = core.call;
  footprint.site = core.site;
  footprint.pipe = PIPE_S;
  footprint.elements = 1;
  Region region;
  region.addr = addr;
  region.rowBytes = bytes;
  (write ? footprint.writes : footprint.reads).push_back(region);
  core.observer->instruction(core, footprint);
}

// A core that reads one place of global memory over and over, with nothing but
// the cache's lines in between, waits for another one to write it: let that one
// run. Thousands of times, since a table's entry may well be read often.
static void noteSpinning(Core &core, const void *addr, const char *before) {
  constexpr uint32_t kSpins = 4096, kLook = 64;
  Core::Polling &polling = core.polling;
  const bool again = polling.address == addr && !polling.into[0] &&
                     polling.site.line == core.site.line &&
                     polling.site.file == core.site.file &&
                     (std::strcmp(before, core.call) == 0 ||
                      std::strcmp(before, "DataCacheCleanAndInvalid") == 0);
  if (!again) {
    polling = {addr, core.site, 0, {}};
    return;
  }
  if (++polling.times < kSpins)
    return;
  if (polling.times == kSpins)
    core.warn("reads the same global memory %u times in a row: the core waits "
              "for another one by polling, which nothing orders on the device; "
              "use SyncAll or flags between cores",
              kSpins);
  if (polling.times % kLook)
    core.launch->yield(core);
  else if (!core.launch->poll(core))
    core.fail("polls global memory in vain: every other core has ended or "
              "waits, too");
}

static void access(const void *addr, uint32_t bytes, const char *call,
                   Site site, bool write, bool local) {
  const char *const before = Core::current().call;
  Core &core = Core::enterDeferring(call, site);
  if (!local && !write)
    noteSpinning(core, addr, before);
  if (local && !write)
    core.polling.look(addr);
  // A read of what nothing on the list writes need not wait for it.
  if (core.deferred && !write)
    stripsOf(core).show(core, addr, bytes);
  else
    core.settle();
  if (local && LOSSGRAD_UNLIKELY(!core.ub.holds(addr, bytes)) &&
      !core.l1.holds(addr, bytes))
    core.requireLocal(addr, bytes, "the element");
  if (LOSSGRAD_UNLIKELY(core.observer))
    announce(core, addr, bytes, write);
}

void scalarRead(const void *addr, uint32_t bytes, const char *call, Site site) {
  access(addr, bytes, call, site, false, true);
}
void scalarWrite(void *addr, uint32_t bytes, const char *call, Site site) {
  access(addr, bytes, call, site, true, true);
}
void globalRead(const void *addr, uint32_t bytes, const char *call, Site site) {
  access(addr, bytes, call, site, false, false);
}
void globalWrite(void *addr, uint32_t bytes, const char *call, Site site) {
  access(addr, bytes, call, site, true, false);
}

void localAddressTaken() {
  if (Core *core = Core::currentOrNull()) {
    core->settle();
    core->stripLength = 0;
  }
}

void globalAddressTaken() {
  if (Core *core = Core::currentOrNull())
    core->settle();
}

uint8_t *localAddress(TPosition position, uint32_t byteAddress, uint64_t bytes,
                      Site site) {
  Core &core = Core::enterDeferring("LocalTensor", site);
  Arena &arena = core.arenaOf(position);
  uint8_t *addr = arena.begin() + byteAddress;
  if (!arena.holds(addr, bytes))
    core.fail("bytes [%u, %llu) were asked for, the memory has %zu",
              byteAddress, static_cast<unsigned long long>(byteAddress + bytes),
              arena.bytes());
  return addr;
}

void requireCacheHint(Site site) {
  Core::enterDeferring("SetL2CacheHint", site)
      .require(targets::Api::SetL2CacheHint);
}

} // namespace lossgrad::sim
