// The exported functions behind the vector calls: one per kind of instruction,
// told which operation and element types. The public headers beside this one
// only pack arguments; the library checks, announces and executes.
#pragma once

#include "ascendc/tensor.h"
#include "ascendc/vector/params.h"
#include "lossgrad/sim/Instruction.h"

namespace lossgrad::vector {

using sim::BinaryInstr;
using sim::DType;
using sim::FillInstr;
using sim::Operand;
using sim::Scalar;
using sim::ScalarInstr;
using sim::Selection;
using sim::Site;
using sim::UnaryInstr;

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  And,
  Or,
  AddRelu,
  SubRelu,
  MulAddDst,       // dst = src0 * src1 + dst
  FusedMulAdd,     // dst = src0 * dst + src1
  FusedMulAddRelu, // dst = max(src0 * dst + src1, 0)
};

enum class UnaryOp : uint8_t {
  Exp,
  Ln,
  Abs,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Relu,
  Not,
};

enum class ScalarOp : uint8_t {
  Adds,
  Muls,
  Maxs,
  Mins,
  LeakyRelu,
  ShiftLeft,
  ShiftRight,
  Axpy, // dst = scalar * src + dst
};

// An operation and the conversion of its result in one instruction.
enum class BinaryCastOp : uint8_t { AddReluCast, SubReluCast, MulCast };

enum class ReduceOp : uint8_t { Sum, Max, Min };

LOSSGRAD_API void binary(BinaryOp op, DType dst, DType src,
                         const BinaryInstr &instr);
LOSSGRAD_API void unary(UnaryOp op, DType type, const UnaryInstr &instr);
LOSSGRAD_API void scalar(ScalarOp op, DType dst, DType src,
                         const ScalarInstr &instr, bool round = false);
LOSSGRAD_API void cast(DType dst, DType src, AscendC::RoundMode mode,
                       const UnaryInstr &instr);
LOSSGRAD_API void binaryCast(BinaryCastOp op, DType dst, DType src,
                             const BinaryInstr &instr);
// half = relu((src0 + src1) * deq scale) of int32.
LOSSGRAD_API void addDeqRelu(const BinaryInstr &instr);

//===- Fill and index -----------------------------------------------------===//
LOSSGRAD_API void duplicate(DType type, const FillInstr &instr);
LOSSGRAD_API void brcb(DType type, void *dst, const void *src, uint32_t repeat,
                       uint32_t blockStride, uint32_t repeatStride, Site site);
// first, first + 1, ... : CreateVecIndex.
LOSSGRAD_API void createIndex(DType type, const FillInstr &instr);
// first, first + diff, ... in the order of the vendor's blocks.
LOSSGRAD_API void arithProgression(DType type, void *dst, Scalar first,
                                   Scalar diff, int64_t count, Site site);

//===- Compare and select -------------------------------------------------===//
// dst gets one bit per lane; `toRegister` writes CMPMASK instead.
LOSSGRAD_API void compare(AscendC::CMPMODE mode, DType type,
                          const BinaryInstr &instr, bool toRegister);
LOSSGRAD_API void compareScalar(AscendC::CMPMODE mode, DType type,
                                const ScalarInstr &instr);
enum class SelectForm : uint8_t {
  Tensor,         // src0 or src1 by the mask tensor
  Scalar,         // src0 or the scalar by the mask tensor
  Register,       // src0 or src1 by what CMPMASK holds
  RegisterScalar, // src0 or the scalar in CMPMASK by the mask tensor
};
struct SelectInstr {
  Site site;
  Selection select;
  Operand dst, src0, src1;
  const void *mask = nullptr;
  Scalar scalar;
};
LOSSGRAD_API void select(AscendC::SELMODE mode, SelectForm form, DType type,
                         const SelectInstr &instr);
LOSSGRAD_API void getCmpMask(void *dst, Site site);
LOSSGRAD_API void setCmpMask(const void *src, Site site);

//===- Gather -------------------------------------------------------------===//
struct GatherInstr {
  Site site;
  Selection select;
  Operand dst; // or the source of Scatter
  const void *table = nullptr;
  const void *offsets = nullptr; // uint32 bytes
  uint32_t base = 0;
};
LOSSGRAD_API void gather(DType type, const GatherInstr &instr);
LOSSGRAD_API void scatter(DType type, const GatherInstr &instr);
LOSSGRAD_API void gatherBlocks(DType type, void *dst, const void *src,
                               const void *offsets, uint32_t repeat,
                               uint32_t blockStride, uint32_t repeatStride,
                               Site site);
struct GatherMaskInstr {
  Site site;
  void *dst = nullptr;
  const void *src = nullptr;
  const void *pattern = nullptr; // null: builtin
  uint32_t builtin = 0;
  bool reduceMode = false;
  uint32_t mask = 0;
  AscendC::GatherMaskParams params;
};
LOSSGRAD_API uint64_t gatherMask(DType type, const GatherMaskInstr &instr);
LOSSGRAD_API int64_t gatherMaskRemainCount(Site site);

//===- Reductions ---------------------------------------------------------===//
enum class ReduceShape : uint8_t { Block, Pair, Whole, Repeat };
struct ReduceInstr {
  Site site;
  Selection select;
  void *dst = nullptr;
  const void *src = nullptr;
  int32_t dstRepStride = 1;
  int32_t srcBlkStride = 1;
  int32_t srcRepStride = 8;
  AscendC::ReduceOrder order = AscendC::ReduceOrder::ORDER_VALUE_INDEX;
};
LOSSGRAD_API void reduce(ReduceShape shape, ReduceOp op, DType type,
                         const ReduceInstr &instr);
// ReduceSum, ReduceMax, ReduceMin over a whole tensor.
struct ReduceAllInstr {
  Site site;
  Selection select; // count, or lanes x repeat (repeat may exceed 255)
  void *dst = nullptr;
  const void *src = nullptr;
  void *work = nullptr;
  uint64_t workBytes = 0;
  int32_t srcRepStride = 8;
  bool withIndex = false;
};
LOSSGRAD_API void reduceAll(ReduceOp op, DType type,
                            const ReduceAllInstr &instr);
LOSSGRAD_API uint64_t accumulatorBits(Site site);
LOSSGRAD_API uint64_t extremeBits(Site site); // value low, index high

//===- Sorting ------------------------------------------------------------===//
LOSSGRAD_API void sort32(const char *call, DType type, void *dst,
                         const void *values, const void *indices,
                         int32_t repeat, Site site);
struct MergeInstr {
  Site site;
  void *dst = nullptr;
  const void *src[4] = {};
  uint16_t lengths[4] = {}; // pairs
  uint16_t valid = 0;       // a bit per list
  bool suspends = false;    // stop when a list has been used up
  uint32_t repeat = 1;
};
LOSSGRAD_API void mergeSorted(DType type, const MergeInstr &instr);
// Pairs taken from each list by the last merge, 16 bits each.
LOSSGRAD_API uint64_t mergedCounts(Site site);
// Joins the sorted groups of 32 pairs at dst.
LOSSGRAD_API void mergeAll(DType type, void *dst, void *tmp, uint64_t tmpBytes,
                           int32_t repeat, Site site);
// Stops the block where sorting is something else.
LOSSGRAD_API void requireSorting(const char *call, int32_t repeat, Site site);

//===- Layout -------------------------------------------------------------===//
LOSSGRAD_API void transpose16(DType type, void *dst, const void *src,
                              Site site);
// [n, c, hw] to [n, hw, c] or back.
struct ImageShape {
  uint32_t n = 0, c = 0, hw = 0;
};
LOSSGRAD_API void transposeImage(DType type, void *dst, const void *src,
                                 bool channelsLast, ImageShape shape,
                                 Site site);
LOSSGRAD_API void transDataTo5HD(DType type, void *const dst[16],
                                 const void *const src[16],
                                 const AscendC::TransDataTo5HDParams &params,
                                 Site site);

//===- State --------------------------------------------------------------===//
LOSSGRAD_API void setMaskMode(bool counter, Site site);
LOSSGRAD_API void setVectorMask(uint64_t high, uint64_t low, Site site);
LOSSGRAD_API void resetMask(Site site);
LOSSGRAD_API void setDeqScale(uint16_t halfBits, Site site);
LOSSGRAD_API void writeCtrl(uint32_t high, uint32_t low, uint64_t value,
                            Site site);
LOSSGRAD_API uint64_t readCtrl(uint32_t high, uint32_t low, Site site);

//===- Packing ------------------------------------------------------------===//
template <typename T, typename... Types>
inline constexpr bool isOneOf = (std::is_same_v<T, Types> || ...);

template <typename T>
inline constexpr DType typeOf = sim::dtypeOf<AscendC::PrimT<T>>;

template <typename T>
Operand at(const AscendC::LocalTensor<T> &tensor, uint32_t blockStride = 1,
           uint32_t repeatStride = 8) {
  return {const_cast<void *>(static_cast<const void *>(tensor.OperandAddr())),
          blockStride, repeatStride};
}

template <typename T, typename U>
BinaryInstr packBinary(const Selection &select,
                       const AscendC::LocalTensor<T> &dst,
                       const AscendC::LocalTensor<U> &src0,
                       const AscendC::LocalTensor<U> &src1,
                       const AscendC::BinaryRepeatParams &p, Site site) {
  return {site, select, at(dst, p.dstBlkStride, p.dstRepStride),
          at(src0, p.src0BlkStride, p.src0RepStride),
          at(src1, p.src1BlkStride, p.src1RepStride)};
}

template <typename T, typename U>
UnaryInstr packUnary(const Selection &select,
                     const AscendC::LocalTensor<T> &dst,
                     const AscendC::LocalTensor<U> &src,
                     const AscendC::UnaryRepeatParams &p, Site site) {
  return {site, select, at(dst, p.dstBlkStride, p.dstRepStride),
          at(src, p.srcBlkStride, p.srcRepStride)};
}

template <typename T, typename U, typename S>
ScalarInstr packScalar(const Selection &select,
                       const AscendC::LocalTensor<T> &dst,
                       const AscendC::LocalTensor<U> &src, const S &value,
                       const AscendC::UnaryRepeatParams &p, Site site) {
  return {site, select, at(dst, p.dstBlkStride, p.dstRepStride),
          at(src, p.srcBlkStride, p.srcRepStride), Scalar::of<S>(value)};
}

// Signed masks and repeats of the reductions: a negative one is reported as the
// huge number that it would be on the device.
inline uint64_t maskOf(int32_t mask) { return static_cast<uint32_t>(mask); }
inline const uint64_t *maskOf(const uint64_t mask[]) { return mask; }
inline uint32_t repeatOf(int32_t repeat) {
  return static_cast<uint32_t>(repeat);
}

} // namespace lossgrad::vector
