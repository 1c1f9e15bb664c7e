// Tiling data of the high-level APIs as a kernel sees it. Structs that a kernel
// passes through are here with their fields; the high-level calls themselves
// are a separate matter. Matrix multiplication has only its struct.
#pragma once

#include <cstdint>
#include <cstring>

#pragma pack(push, 8)
// Split of an [m, k] matrix into row blocks for SoftMax and its kin.
struct SoftMaxTiling {
  uint32_t srcM = 0, srcK = 0, srcSize = 0;
  uint32_t outMaxM = 0, outMaxK = 0, outMaxSize = 0;
  uint32_t splitM = 0, splitK = 0, splitSize = 0;
  uint32_t reduceM = 0, reduceK = 0, reduceSize = 0;
  uint32_t rangeM = 0, tailM = 0, tailSplitSize = 0, tailReduceSize = 0;
};
struct LogSoftMaxTiling : SoftMaxTiling {};

struct TCubeTiling {
  int32_t usedCoreNum = 0;
  int32_t M = 0, N = 0, Ka = 0, Kb = 0;
  int32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
  int32_t baseM = 0, baseN = 0, baseK = 0;
  int32_t depthA1 = 0, depthB1 = 0;
  int32_t stepM = 0, stepN = 0;
  int32_t isBias = 0, transLength = 0, iterateOrder = 0;
  int32_t shareMode = 0, shareL1Size = 0, shareL0CSize = 0, shareUbSize = 0;
  int32_t batchM = 0, batchN = 0, singleBatchM = 0, singleBatchN = 0;
  int32_t stepKa = 0, stepKb = 0;
  int32_t depthAL1CacheUB = 0, depthBL1CacheUB = 0;
  int32_t dbL0A = 0, dbL0B = 0, dbL0C = 0;
  int32_t ALayoutInfoB = 0, ALayoutInfoS = 0, ALayoutInfoN = 0,
          ALayoutInfoG = 0, ALayoutInfoD = 0;
  int32_t BLayoutInfoB = 0, BLayoutInfoS = 0, BLayoutInfoN = 0,
          BLayoutInfoG = 0, BLayoutInfoD = 0;
  int32_t CLayoutInfoB = 0, CLayoutInfoS1 = 0, CLayoutInfoN = 0,
          CLayoutInfoG = 0, CLayoutInfoS2 = 0;
  int32_t BatchNum = 0;
  int32_t reserved[4] = {};
};
#pragma pack(pop)
