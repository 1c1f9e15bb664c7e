// Identity of a core, cross-core synchronisation, and the few scalars that a
// kernel sees as globals.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/Export.h"

namespace lossgrad::sim {

LOSSGRAD_API int64_t blockIndex();
LOSSGRAD_API int64_t blockNumber();
LOSSGRAD_API int64_t subBlockIndex();
LOSSGRAD_API int64_t subBlockNumber();
LOSSGRAD_API int64_t vectorCoresPerCube();
// AscendC::AIC, AIV or MIX; MIX on coupled products.
LOSSGRAD_API int32_t coreTypeCode();
// The launch's key inside a kernel, the next launch's outside.
LOSSGRAD_API uint64_t tilingKey();
LOSSGRAD_API void setNextTilingKey(uint64_t key);
LOSSGRAD_API uint32_t architectureNumber();
LOSSGRAD_API int64_t cycleCounter();

LOSSGRAD_API void setSystemWorkspace(uint8_t *workspace);
LOSSGRAD_API uint8_t *systemWorkspace();

LOSSGRAD_API void syncAll(bool vectorOnly, Site site);
LOSSGRAD_API void syncAllSoftware(int32_t *globalWorkspace, void *ubWorkspace,
                                  uint64_t ubBytes, int32_t usedCores,
                                  Site site);
LOSSGRAD_API void crossCoreSetFlag(uint8_t mode, pipe_t pipe, uint16_t flag,
                                   Site site);
LOSSGRAD_API void crossCoreWaitFlag(uint16_t flag, Site site);
LOSSGRAD_API void interBlockSet(const void *globalWorkspace, int32_t block,
                                int32_t event, Site site);
LOSSGRAD_API void interBlockWait(const void *globalWorkspace, int32_t block,
                                 int32_t event, Site site);
// Cores take turns in the order of their index.
LOSSGRAD_API void waitForTurn(const void *globalWorkspace, Site site);
LOSSGRAD_API void passTurn(const void *globalWorkspace, Site site);
LOSSGRAD_API void dataSyncBarrier(Site site);

LOSSGRAD_API void printFromKernel(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
[[noreturn]] LOSSGRAD_API void assertionFailed(const char *condition,
                                               const char *message, Site site);
[[noreturn]] LOSSGRAD_API void trap(Site site);

} // namespace lossgrad::sim
