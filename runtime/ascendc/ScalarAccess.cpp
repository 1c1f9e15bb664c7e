// Scalar access by kernels: a bounds check in UB, and the observer.
#include "lossgrad/sim/ScalarAccess.h"
#include "Strips.h"

#include <algorithm>

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

static void access(const void *addr, uint32_t bytes, const char *call,
                   Site site, bool write, bool local) {
  Core &core = Core::enterDeferring(call, site);
  // A read of what nothing on the list writes need not wait for it.
  if (core.deferred && (write || stripsOf(core).writes(addr, bytes)))
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
