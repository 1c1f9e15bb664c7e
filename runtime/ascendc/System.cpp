// Identity and cross-core synchronisation; see lossgrad/sim/System.h. Every
// wait goes through the launch, which knows when waiting is pointless.
#include "lossgrad/sim/System.h"
#include "sim/Core.h"
#include "sim/Launch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <time.h>

namespace lossgrad::sim {

using targets::Api;

int64_t blockIndex() { return Core::current().blockIdx; }
int64_t blockNumber() { return Core::current().launch->config.blockCount; }
int64_t subBlockIndex() { return Core::current().subBlock; }
int64_t subBlockNumber() {
  const Core &core = Core::current();
  return core.type == CoreType::Vector ? core.launch->vectorCoresPerBlock() : 1;
}
int64_t vectorCoresPerCube() {
  return Core::current().launch->vectorCoresPerBlock();
}

int32_t coreTypeCode() {
  const Core *core = Core::currentOrNull();
  if (!core || core->type == CoreType::Mixed)
    return 0;
  return core->type == CoreType::Cube ? 1 : 2;
}

static thread_local uint64_t nextTilingKey = 0;

uint64_t tilingKey() {
  const Core *core = Core::currentOrNull();
  return core ? core->launch->config.tilingKey : nextTilingKey;
}

void setNextTilingKey(uint64_t key) { nextTilingKey = key; }

uint32_t architectureNumber() { return Core::current().family->npuArch; }

int64_t cycleCounter() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const Core &core = Core::current();
  const int64_t nanoseconds = now.tv_sec * 1000000000ll + now.tv_nsec;
  return static_cast<int64_t>(double(nanoseconds) * core.soc->clockMHz / 1e3);
}

// Kernels of one program share it, as they share the argument it comes from.
static uint8_t *workspacePointer = nullptr;
static std::mutex workspaceMutex;

void setSystemWorkspace(uint8_t *workspace) {
  std::lock_guard<std::mutex> lock(workspaceMutex);
  workspacePointer = workspace;
}
uint8_t *systemWorkspace() {
  std::lock_guard<std::mutex> lock(workspaceMutex);
  return workspacePointer;
}

//===- Meeting ------------------------------------------------------------===//

static void requirePhysicalCores(Core &core) {
  const uint32_t cores = core.type == CoreType::Cube ? core.soc->cubeCores
                                                     : core.soc->kernelCores();
  const uint32_t wanted = core.launch->coresOfKind(core.type);
  if (wanted > cores)
    core.warn("%u cores synchronise, %s has %u: the device would hang", wanted,
              core.soc->name, cores);
}

// Ids that the library needs: 11 to 14 for SyncAll, the last for matrix calls.
constexpr uint16_t kFirstLibraryFlag = 11, kLastSyncFlag = 14;
// Counters of a launch: who has used those of SyncAll.
static const char kSyncs[] = "SyncAll", kOwnSyncFlags[] = "flags of SyncAll";

[[noreturn]] static void failSharedFlags(Core &core) {
  core.fail("the kernel sets flags %u to %u itself and calls SyncAll, which "
            "uses them, too",
            kFirstLibraryFlag, kLastSyncFlag);
}

void syncAll(bool vectorOnly, Site site) {
  Core &core = Core::enter("SyncAll", site);
  core.require(Api::SyncAll);
  requirePhysicalCores(core);
  bool ownFlags = false;
  core.launch->update([&] {
    ++core.launch->counter(kSyncs);
    ownFlags = core.launch->counter(kOwnSyncFlags) > 0;
  });
  if (ownFlags)
    failSharedFlags(core);
  if (core.observer)
    core.observer->syncAllBegins(core, site, false);
  const bool all = !vectorOnly || core.type == CoreType::Mixed;
  const std::string place = all ? "SyncAll"
                            : core.type == CoreType::Cube
                                ? "SyncAll of cube cores"
                                : "SyncAll of vector cores";
  core.launch->meet(core, place,
                    all ? core.launch->coreCount()
                        : core.launch->coresOfKind(core.type),
                    "SyncAll");
  if (core.observer)
    core.observer->syncAllEnds(core, site);
}

constexpr uint32_t kSlotBytes = 32;

void syncAllSoftware(int32_t *globalWorkspace, void *ubWorkspace,
                     uint64_t ubBytes, int32_t usedCores, Site site) {
  Core &core = Core::enter("SyncAll", site);
  core.require(Api::SyncAllSoftware);
  Launch &launch = *core.launch;
  const uint32_t participants = usedCores ? static_cast<uint32_t>(usedCores)
                                          : launch.coresOfKind(core.type);
  if (core.blockIdx >= participants)
    core.fail("usedCores is %u, but core %u takes part", participants,
              core.blockIdx);
  if (!globalWorkspace)
    core.fail("gmWorkspace is a null pointer");
  if (ubBytes < uint64_t(participants) * kSlotBytes)
    core.fail("ubWorkspace has %llu bytes, %u cores need %u",
              static_cast<unsigned long long>(ubBytes), participants,
              participants * kSlotBytes);
  core.requireLocal(ubWorkspace, uint64_t(participants) * kSlotBytes,
                    "ubWorkspace");
  if (core.observer) {
    core.observer->meetingSlots(core, globalWorkspace,
                                uint64_t(participants) * kSlotBytes);
    core.observer->syncAllBegins(core, site, true);
  }
  // Each core counts its meetings in its own slot of the workspace. Slots that
  // were not zeroed make the counts differ, which hangs on the device or lets a
  // core pass.
  constexpr uint32_t kSlotInts = kSlotBytes / 4;
  int32_t *slot = globalWorkspace + core.blockIdx * kSlotInts;
  int32_t round = 0;
  char place[64];
  std::snprintf(place, sizeof place, "SyncAll with workspace %p",
                static_cast<void *>(globalWorkspace));
  int64_t expected = 0;
  launch.update([&] {
    round = ++*slot;
    Launch::Meeting &meeting = launch.meeting(place);
    // All have shown theirs before any comes again, so that the first of a
    // round is told by the count, whoever waits already.
    if (meeting.shown++ % participants == 0)
      meeting.ticket = round;
    expected = meeting.ticket;
    // Before the first meeting is over nobody has met more than once.
    for (uint32_t i = 0; round == 1 && i < participants; ++i)
      if (const int32_t other = globalWorkspace[i * kSlotInts];
          other < 0 || other > 1)
        expected = int64_t(other) + 1;
  });
  if (expected != round)
    core.fail("gmWorkspace was not zeroed: this core's slot holds %d, another "
              "core's %lld",
              round - 1, static_cast<long long>(expected - 1));
  launch.meet(core, place, participants, "SyncAll");
  // Kernels may zero the slots themselves, every core those of all, and so
  // those of cores that wait already: these write theirs until all have come.
  if (round == 1)
    *slot = round;
  if (core.observer)
    core.observer->syncAllEnds(core, site);
}

//===- Flags between cores ------------------------------------------------===//

constexpr uint16_t kMaxCrossFlag = 15;
constexpr int64_t kMaxCrossCount = 15;

static std::string crossKey(const char *kind, uint32_t core, CoreType type,
                            uint16_t flag) {
  return std::string(kind) + (type == CoreType::Cube ? " cube " : " vector ") +
         std::to_string(core) + " flag " + std::to_string(flag);
}

// Ids 11 to 15 exist, but a kernel shares them with the library.
static void requireFlag(Core &core, uint16_t flag) {
  if (flag > kMaxCrossFlag)
    core.fail("flag id is %u, it must be in [0, %u]", flag, kMaxCrossFlag);
  if (flag < kFirstLibraryFlag)
    return;
  if (flag <= kLastSyncFlag) {
    bool synchronised = false;
    core.launch->update([&] {
      ++core.launch->counter(kOwnSyncFlags);
      synchronised = core.launch->counter(kSyncs) > 0;
    });
    if (synchronised)
      failSharedFlags(core);
  }
  core.warn("flag id is %u: a kernel's own are 0 to %u, the library uses the "
            "others",
            flag, kFirstLibraryFlag - 1);
}

void crossCoreSetFlag(uint8_t mode, pipe_t, uint16_t flag, Site site) {
  Core &core = Core::enter("CrossCoreSetFlag", site);
  core.require(Api::CrossCoreSetFlag);
  requireFlag(core, flag);
  if (mode > 2)
    core.fail("mode is %u, it must be 0, 1 or 2", mode);
  Launch &launch = *core.launch;
  const uint32_t perBlock = launch.vectorCoresPerBlock();
  int64_t reached = 0;
  launch.update([&] {
    auto give = [&](uint32_t to, CoreType type) {
      reached =
          std::max(reached, ++launch.counter(crossKey("to", to, type, flag)));
    };
    // Arrivals of a group; the last one opens the flag for its receivers.
    auto last = [&](const std::string &group, uint32_t size) {
      int64_t &arrived = launch.counter(group);
      if (++arrived < size)
        return false;
      arrived = 0;
      return true;
    };
    const bool cube = core.type == CoreType::Cube;
    if (mode == 0) {
      const uint32_t size = launch.coresOfKind(core.type);
      if (last(crossKey("all", 0, core.type, flag), size))
        for (uint32_t i = 0; i < size; ++i)
          give(i, core.type);
    } else if (mode == 1) {
      if (last(crossKey("pair", core.block, core.type, flag), perBlock))
        for (uint32_t i = 0; i < perBlock; ++i)
          give(core.block * perBlock + i, core.type);
    } else if (cube) {
      for (uint32_t i = 0; i < perBlock; ++i)
        give(core.block * perBlock + i, CoreType::Vector);
    } else if (last(crossKey("block", core.block, core.type, flag), perBlock)) {
      give(core.block, CoreType::Cube);
    }
  });
  if (reached > kMaxCrossCount)
    core.fail("flag %u was set %lld times without a wait, at most %lld are "
              "possible",
              flag, static_cast<long long>(reached),
              static_cast<long long>(kMaxCrossCount));
}

void crossCoreWaitFlag(uint16_t flag, Site site) {
  Core &core = Core::enter("CrossCoreWaitFlag", site);
  core.require(Api::CrossCoreSetFlag);
  requireFlag(core, flag);
  Launch &launch = *core.launch;
  const std::string key = crossKey("to", core.blockIdx, core.type, flag);
  launch.waitUntil(core, "a cross-core flag",
                   [&] { return launch.counter(key) > 0; });
  launch.update([&] { --launch.counter(key); });
  if (core.observer)
    core.observer->crossCoreWaited(core, site);
}

static std::string placeKey(const char *kind, const void *workspace,
                            int32_t block, int32_t event) {
  char text[96];
  std::snprintf(text, sizeof text, "%s %p %d %d", kind, workspace, block,
                event);
  return text;
}

void interBlockSet(const void *globalWorkspace, int32_t block, int32_t event,
                   Site site) {
  Core &core = Core::enter("IBSet", site);
  core.launch->update([&] {
    ++core.launch->counter(placeKey("IB", globalWorkspace, block, event));
  });
}

void interBlockWait(const void *globalWorkspace, int32_t block, int32_t event,
                    Site site) {
  Core &core = Core::enter("IBWait", site);
  Launch &launch = *core.launch;
  const std::string key = placeKey("IB", globalWorkspace, block, event);
  launch.waitUntil(core, "IBSet of another block",
                   [&] { return launch.counter(key) > 0; });
  launch.update([&] { --launch.counter(key); });
  if (core.observer)
    core.observer->crossCoreWaited(core, site);
}

void waitForTurn(const void *globalWorkspace, Site site) {
  Core &core = Core::enter("WaitPreBlock", site);
  Launch &launch = *core.launch;
  const std::string key = placeKey("turn", globalWorkspace, 0, 0);
  const int64_t cores = launch.coresOfKind(core.type);
  launch.waitUntil(core, "its turn after the previous block", [&] {
    return launch.counter(key) % cores == core.blockIdx;
  });
  if (core.observer)
    core.observer->crossCoreWaited(core, site);
}

void passTurn(const void *globalWorkspace, Site site) {
  Core &core = Core::enter("NotifyNextBlock", site);
  // The call waits for all that its core has started before it passes the turn.
  if (core.observer)
    core.observer->barrier(core, PIPE_ALL, site);
  core.launch->update(
      [&] { ++core.launch->counter(placeKey("turn", globalWorkspace, 0, 0)); });
}

void dataSyncBarrier(Site site) {
  Core &core = Core::enter("DataSyncBarrier", site);
  core.require(Api::DataSyncBarrier);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (core.observer)
    core.observer->barrier(core, PIPE_S, site);
}

//===- Debugging aids -----------------------------------------------------===//

void printFromKernel(const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fputs(text, stdout); // one call: lines of blocks do not mix
}

void assertionFailed(const char *condition, const char *message, Site site) {
  Core &core = Core::enter("ASSERT", site);
  core.fail("assertion failed: %s%s%s", condition, *message ? ": " : "",
            message);
}

void trap(Site site) { Core::enter("Trap", site).fail("the kernel trapped"); }

} // namespace lossgrad::sim
