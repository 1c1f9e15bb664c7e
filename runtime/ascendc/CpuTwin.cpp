// See lossgrad/sim/CpuTwin.h. A failed block does not end the program at once,
// so that a test program runs its other tests; the exit status is forced at
// the end.
#include "lossgrad/sim/CpuTwin.h"
#include "lossgrad/Targets.h"
#include "lossgrad/sim/System.h"
#include "sim/Mode.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace lossgrad::sim {

static std::atomic<unsigned> failedLaunches{0};
static std::atomic<KernelMode> kernelMode{KernelMode::MIX_MODE};

static void failAtExit() {
  const unsigned failed = failedLaunches;
  if (!failed)
    return;
  std::fprintf(stderr,
               "lossgrad: %u kernel run%s failed, see the messages above\n",
               failed, failed == 1 ? "" : "s");
  // Check mode counts what it found, failed runs among it.
  const int status = finishMode();
  std::fflush(nullptr);
  _exit(status ? status : 1);
}

static void recordFailure() {
  static const int registered = std::atexit(failAtExit);
  (void)registered;
  ++failedLaunches;
}

void *twinAllocate(size_t bytes) {
  void *memory = allocateGlobal(bytes);
  if (!memory) {
    std::fprintf(stderr, "error: GmAlloc: no memory for %zu bytes\n", bytes);
    recordFailure();
  }
  return memory;
}

void twinFree(void *pointer) {
  if (!pointer || freeGlobal(pointer))
    return;
  std::fprintf(stderr, "error: GmFree: %p does not come from GmAlloc\n",
               pointer);
  recordFailure();
}

void twinSetKernelMode(KernelMode mode) { kernelMode = mode; }

void twinSetTilingKey(int64_t key) {
  if (key <= 0)
    std::fprintf(stderr,
                 "warning: ICPU_SET_TILING_KEY: the key is %lld, keys are "
                 "usually positive\n",
                 static_cast<long long>(key));
  setNextTilingKey(static_cast<uint64_t>(key));
}

// The environment wins; else the default product if the source was compiled
// for its architecture, else the first product of that architecture.
static std::string productFor(uint32_t architecture) {
  const std::string chosen = defaultSoc();
  if (std::getenv("LOSSGRAD_SOC"))
    return chosen;
  const targets::Soc *soc = targets::findSoc(chosen);
  if (soc && soc->family->npuArch == architecture)
    return chosen;
  for (const targets::Soc *each = targets::socsBegin();
       each != targets::socsEnd(); ++each)
    if (each->family->npuArch == architecture)
      return each->name;
  return chosen;
}

void twinLaunch(const char *kernelName, uint32_t blocks, uint32_t architecture,
                void (*call)(const void *), const void *context,
                const void *const *arguments, size_t argumentCount) {
  LaunchConfig config;
  config.arguments.assign(arguments, arguments + argumentCount);
  config.kernelName = kernelName;
  config.blockCount = blocks;
  config.tilingKey = tilingKey();
  config.soc = productFor(architecture);
  config.mode = kernelMode;
  const LaunchResult result = launch(config, [&] { call(context); });
  std::fflush(stdout);
  if (!result.reported) {
    std::fputs(result.warnings.c_str(), stderr);
    std::fputs(result.errors.c_str(), stderr);
  }
  if (!result.ok)
    recordFailure();
}

} // namespace lossgrad::sim
