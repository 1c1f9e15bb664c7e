// Data movement across the border. Copies do not depend on the element type
// but for atomics and padding, so the type travels as a code. All pitches are
// bytes from the start of one block to the start of the next.
#pragma once

#include "lossgrad/sim/Instruction.h"

namespace lossgrad::sim {

struct CopyInstr {
  Site site;
  const char *call = "DataCopy";
  DType type = DType::None;
  uint32_t elementBytes = 1;
  uint32_t blockCount = 1;
  uint64_t blockBytes = 0;
  void *dst = nullptr;
  const void *src = nullptr;
  int64_t dstPitch = 0;
  int64_t srcPitch = 0;
  // Positions of the two ends; GM for global memory.
  AscendC::TPosition dstPosition = AscendC::TPosition::GM;
  AscendC::TPosition srcPosition = AscendC::TPosition::GM;
  // Bytes that SetGlobalBuffer declared from here on; 0: not said.
  uint64_t declaredBytes = 0;
  bool bypassesL2 = false;
};

// DataCopyPad from global memory: what surrounds each block in UB.
struct PadInstr {
  CopyInstr copy; // dstPitch is the extra gap only; blocks start on 32 bytes
  bool isPad = false;
  uint32_t leftBytes = 0, rightBytes = 0;
  Scalar value;
};

// Blocks that start on 32 bytes in on-chip memory. The count forms round down.
LOSSGRAD_API void dataCopy(const CopyInstr &in);
LOSSGRAD_API void dataCopyCount(CopyInstr in);
LOSSGRAD_API void dataCopyPadIn(const PadInstr &in);
LOSSGRAD_API void dataCopyPadOut(const CopyInstr &in);
LOSSGRAD_API void setPadValue(Scalar value, Site site);

// Copy with a mask, inside UB.
struct MaskCopyInstr {
  Site site;
  Selection select;
  DType type = DType::None;
  uint32_t elementBytes = 1;
  Operand dst, src;
};
LOSSGRAD_API void maskCopy(const MaskCopyInstr &in);

// From ND to NZ (fractal) layout, units of elements but for what says blocks.
struct NzInstr {
  CopyInstr ends;
  uint32_t matrices = 0, rows = 0, columns = 0;
  uint64_t srcMatrixStride = 0, srcRowStride = 0;
  uint64_t dstColumnBlockStride = 0; // blocks of 32 bytes
  uint64_t dstRowStride = 0;         // blocks of 32 bytes
  uint64_t dstMatrixStride = 0;
};
LOSSGRAD_API void nd2nz(const NzInstr &in);

enum class AtomicMode : uint8_t { None, Add, Max, Min };
LOSSGRAD_API void setAtomic(AtomicMode mode, DType type, Site site);

// Fills global memory with one value: vector fill, then stores.
LOSSGRAD_API void fillGlobal(void *dst, uint64_t count, DType type,
                             uint32_t elementBytes, Scalar value,
                             const char *call, Site site);

LOSSGRAD_API void dataCacheInvalidate(const void *addr, Site site);

} // namespace lossgrad::sim
