//===- Schedules.h - What schedules and kernels agree on --------*- C++ -*-===//
//
// Names and numbers that the schedule pass, the tiling function that it builds
// and the conversion to AscendC share. docs/schedule.md explains them.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_SCHEDULES_H
#define LOSSGRAD_PASSES_SCHEDULES_H

#include "dialect/AscendC/IR/ProductLimits.h"
#include "passes/Spaces.h"

namespace lossgrad {

/// At most so many tiling keys per operator and family.
inline constexpr unsigned kMaxKeys = 32;

/// Elements in which work is dealt to cores and tiles: a line of global memory
/// of a 16-bit type, so that every tile starts on one.
inline int64_t getGranule() {
  return ascendc::ProductLimits::ofAll().getGranule();
}

/// Rows of a tile: repeats of one instruction, and a multiple of the 8 rows
/// that Brcb takes at a time.
inline int64_t getMaxRows() {
  return ascendc::ProductLimits::ofAll().getMaxRows();
}

/// Rows that one step of a sum over everything takes: no instruction there has
/// a row per repeat.
inline constexpr int64_t kLaunchRows = 1024;

/// Rows whose elements of a table are looked up at a time: each takes a block,
/// and room to widen it.
inline constexpr int64_t kTableRows = 64;

/// Floats by which ints are taken where nothing casts those of 64 bits: 128 at
/// a time, five vectors of them, and six numbers with a block each.
inline constexpr int64_t kIntWork = 5 * 128 + 6 * 8;

/// Classes of a table that stays in UB whole. The tiling function has the same
/// number (MAX_TABLE).
inline constexpr int64_t kMaxTable = 2048;

/// Rows whose sums all cores exchange where rows are split over cores.
inline constexpr int64_t kMaxSplitRows = 32;
/// The most cores that any product has.
inline int64_t getMaxCores() { return ascendc::ProductLimits::ofAll().cores; }

/// The same where what is kept lies along the lanes.
inline constexpr int64_t kMaxSplitLanes = 128;
/// Floats that a core exchanges per reduction.
inline int64_t getSplitPitch(SpaceAttr space) {
  return *space.areLanesReduced() ? kMaxSplitRows : kMaxSplitLanes;
}

/// Ints of the block by which a core meets the others where no hardware does:
/// the slot of the software form of SyncAll.
inline constexpr int64_t kSlotInts = 8;
/// Words of the workspace that a core has per reduction which is exchanged:
/// `shared` floats, and a slot.
inline int64_t getExchangePitch(int64_t shared, bool hasSlots) {
  return shared + (hasSlots ? kSlotInts : 0);
}

/// Axes that the tiling data describes: seven outer ones, rows, lanes.
inline constexpr int64_t kAxes = 9;
inline constexpr int64_t kRowAxis = 7;
inline constexpr int64_t kLaneAxis = 8;

/// How an operand lies in a tile of rows and lanes; the emitted helper header
/// has the same numbers.
enum class LoadForm : int32_t {
  Dense = 0,       // rows of adjacent elements, one copy
  RowByRow = 1,    // the same, one copy per row
  RepeatRows = 2,  // one row for all
  RepeatLanes = 3, // one element per row, adjacent
  Single = 4,      // one element for the tile
  Strided = 5,     // elements with a gap, gathered
  StridedRows = 6, // one element per row with a gap, gathered
  Absent = 7,      // an input that the call leaves out: zeros
  Packed = 8,      // one run, in which rows follow each other or lie in turn
};

/// Element types in the tiling data.
enum class DtypeCode : int32_t {
  Float32 = 0,
  Float16 = 1,
  BFloat16 = 2,
  Int64 = 3,
  Int32 = 4,
  UInt8 = 5
};
DtypeCode getDtypeCode(DType dtype);

/// Members of the tiling struct.
namespace member {
inline constexpr llvm::StringLiteral kElements = "elements";
inline constexpr llvm::StringLiteral kCoreLength = "coreLength";
inline constexpr llvm::StringLiteral kExtraCores = "extraCores";
inline constexpr llvm::StringLiteral kRowBlocks = "rowBlocks";
inline constexpr llvm::StringLiteral kLaneBlocks = "laneBlocks";
inline constexpr llvm::StringLiteral kExtents = "extents";
inline constexpr llvm::StringLiteral kStrides = "strides";
inline constexpr llvm::StringLiteral kTileLength = "tileLength";
inline constexpr llvm::StringLiteral kRowTile = "rowTile";
inline constexpr llvm::StringLiteral kTileRows = "tileRows";
inline constexpr llvm::StringLiteral kLaneTile = "laneTile";
inline constexpr llvm::StringLiteral kFirstAxis = "firstAxis";
inline constexpr llvm::StringLiteral kBypassL2 = "bypassL2";
inline constexpr llvm::StringLiteral kForms = "forms";
inline constexpr llvm::StringLiteral kSteps = "steps";
inline constexpr llvm::StringLiteral kStepAxis = "stepAxis";
inline constexpr llvm::StringLiteral kWalksRows = "walksRows";
inline constexpr llvm::StringLiteral kWalksLanes = "walksLanes";
inline constexpr llvm::StringLiteral kRowLength = "rowLength";
inline constexpr llvm::StringLiteral kReducedAxis = "reducedAxis";
inline constexpr llvm::StringLiteral kLaunchRows = "launchRows";
inline constexpr llvm::StringLiteral kLaunchSplit = "launchSplit";
inline constexpr llvm::StringLiteral kAll[] = {
    kElements,    kCoreLength, kExtraCores, kRowBlocks,   kLaneBlocks,
    kExtents,     kStrides,    kTileLength, kRowTile,     kLaneTile,
    kFirstAxis,   kBypassL2,   kForms,      kSteps,       kStepAxis,
    kWalksRows,   kWalksLanes, kRowLength,  kReducedAxis, kLaunchRows,
    kLaunchSplit, kTileRows};
} // namespace member

/// `selfDtype`, the member with the dtype code of a tensor.
std::string dtypeMember(llvm::StringRef tensor);

/// The tensors whose axes are collapsed together: inputs in C order, then
/// outputs. Positions in this list index strides and forms.
llvm::SmallVector<ParamAttr> getPackTensors(OperatorOp op);

/// Symbols that belong to an operator.
std::string tilingStructName(OperatorOp op);
std::string tilingFunctionName(OperatorOp op);
std::string programName(unsigned arch);
/// A kernel of an operator that has several architectures says its own in its
/// symbol (`FlatF32_2201`); the class that it becomes need not.
std::string kernelSymbol(llvm::StringRef title, unsigned arch, bool isAlone);
std::string kernelClassName(lossgrad::KernelOp kernel);

/// A base variant with its kernels, as the tiling function needs them.
struct ScheduledVariant {
  VariantOp variant; // any of its typed forms
  BodyShape shape;
  llvm::SmallVector<lossgrad::KernelOp> kernels; // in the order of trying them
  llvm::SmallVector<std::pair<std::string, mlir::Value>>
      uniforms; // member, value in `variant`
};

/// The variants of one architecture.
struct ScheduledArch {
  unsigned arch = 0;
  llvm::SmallVector<ScheduledVariant, 2> variants;
};

/// Builds the tiling struct and the tiling function of an operator, which
/// branches on the architecture where there are several.
mlir::func::FuncOp buildTiling(OperatorOp op,
                               llvm::ArrayRef<ScheduledArch> archs,
                               mlir::OpBuilder &builder);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_SCHEDULES_H
