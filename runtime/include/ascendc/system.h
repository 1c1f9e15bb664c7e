// Who am I and who else is there: block indices, core type, cross-core
// synchronisation, workspace.
#pragma once

#include "ascendc/pipe.h"
#include "lossgrad/sim/System.h"

namespace lossgrad::sim {
// Per-core values under the names of the device's globals: each read asks the
// core that runs, so that blocks on different fibres do not share them.
struct CoreTypeGlobal {
  operator int32_t() const { return coreTypeCode(); }
};
struct BlockIdxGlobal {
  operator int64_t() const { return blockIndex(); }
};
struct BlockNumGlobal {
  operator int64_t() const { return blockNumber(); }
};
struct TilingKeyGlobal {
  operator uint64_t() const { return tilingKey(); }
};
} // namespace lossgrad::sim

inline constexpr lossgrad::sim::CoreTypeGlobal g_coreType{};
inline constexpr lossgrad::sim::BlockIdxGlobal block_idx{};
inline constexpr lossgrad::sim::BlockNumGlobal block_num{};
inline constexpr lossgrad::sim::TilingKeyGlobal g_tilingKey{};

namespace AscendC {

using ::g_coreType;

constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

inline int64_t GetBlockIdx() { return lossgrad::sim::blockIndex(); }
inline int64_t GetBlockNum() { return lossgrad::sim::blockNumber(); }
inline int64_t GetSubBlockIdx() { return lossgrad::sim::subBlockIndex(); }
inline int64_t GetSubBlockNum() { return lossgrad::sim::subBlockNumber(); }
inline int64_t GetTaskRation() { return lossgrad::sim::vectorCoresPerCube(); }
inline int64_t GetTaskRatio() { return lossgrad::sim::vectorCoresPerCube(); }
inline int64_t GetSystemCycle() { return lossgrad::sim::cycleCounter(); }
inline int64_t GetProgramCounter() { return 0; }
inline void GetArchVersion(uint32_t &coreVersion) {
  coreVersion = lossgrad::sim::architectureNumber();
}
constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
// What a kernel may use of UB. A constant of the product that it is compiled
// for, which only one family states (the tests hold it against the tables).
constexpr uint32_t GetUBSizeInBytes() {
  return __NPU_ARCH__ == 3510 ? 248 * 1024 : 0;
}
[[noreturn]] inline void Trap(Site site = Site::here()) {
  lossgrad::sim::trap(site);
}

// The workspace argument already is the user's part.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
inline void SetSysWorkspace(GM_ADDR workspace) {
  lossgrad::sim::setSystemWorkspace(workspace);
}
inline void SetSysWorkspaceForce(GM_ADDR workspace) {
  lossgrad::sim::setSystemWorkspace(workspace);
}
inline GM_ADDR GetSysWorkSpacePtr() { return lossgrad::sim::systemWorkspace(); }

//===- Between cores ------------------------------------------------------===//

template <bool isAIVOnly = true> void SyncAll(Site site = Site::here()) {
  lossgrad::sim::syncAll(isAIVOnly, site);
}
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t> &gmWorkspace,
             const LocalTensor<int32_t> &ubWorkspace,
             const int32_t usedCores = 0, Site site = Site::here()) {
  lossgrad::sim::syncAllSoftware(
      const_cast<int32_t *>(gmWorkspace.GetPhyAddr()),
      ubWorkspace.OperandAddr(), ubWorkspace.GetLength(), usedCores, site);
}
template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, Site site = Site::here()) {
  lossgrad::sim::crossCoreSetFlag(modeId, pipe, flagId, site);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, Site site = Site::here()) {
  lossgrad::sim::crossCoreWaitFlag(flagId, site);
}
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t> &gmWorkspace,
           const LocalTensor<int32_t> &, int32_t blockIdx, int32_t eventID,
           Site site = Site::here()) {
  lossgrad::sim::interBlockSet(gmWorkspace.GetPhyAddr(), blockIdx, eventID,
                               site);
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t> &gmWorkspace,
            const LocalTensor<int32_t> &, int32_t blockIdx, int32_t eventID,
            Site site = Site::here()) {
  lossgrad::sim::interBlockWait(gmWorkspace.GetPhyAddr(), blockIdx, eventID,
                                site);
}
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &,
                                          LocalTensor<int32_t> &) {}
inline void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace,
                         LocalTensor<int32_t> &, Site site = Site::here()) {
  lossgrad::sim::waitForTurn(gmWorkspace.GetPhyAddr(), site);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace,
                            LocalTensor<int32_t> &, Site site = Site::here()) {
  lossgrad::sim::passTurn(gmWorkspace.GetPhyAddr(), site);
}

template <MemDsbT arg> void DataSyncBarrier(Site site = Site::here()) {
  lossgrad::sim::dataSyncBarrier(site);
}

//===- Modes --------------------------------------------------------------===//

// Cube arithmetic; vector code is not affected.
inline void SetHF32Mode(bool) {}
inline void SetHF32TransMode(bool) {}
inline void SetMMLayoutTransform(bool) {}
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }
inline void InitSocState() {}

// Kernels that the vendor's graph engine runs as one: alone, a kernel has
// nothing to wait for and nobody to tell.
template <bool force = false> void WaitPreTaskEnd() {}
template <pipe_t aivPipe = PIPE_MTE3, pipe_t aicPipe = PIPE_MTE3,
          bool force = false>
void SetNextTaskStart() {}

} // namespace AscendC

using AscendC::GetTPipePtr;

// Without parentheses in the source: `if ASCEND_IS_AIV { ... }`. Coupled
// products run both kinds of code.
#define ASCEND_IS_AIV (g_coreType != AscendC::AIC)
#define ASCEND_IS_AIC (g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV (!(ASCEND_IS_AIV))
#define ASCEND_IS_NOT_AIC (!(ASCEND_IS_AIC))

inline int64_t get_block_idx() { return AscendC::GetBlockIdx(); }
inline int64_t get_block_num() { return AscendC::GetBlockNum(); }
inline int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
inline int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }
