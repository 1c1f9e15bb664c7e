//===- KernelBuilder.h - Building an AscendC kernel -------------*- C++ -*-===//
//
// From a kernel of sweeps to an AscendC kernel, in three parts: the frame
// (KernelBuilder.cpp: scalars with names, control flow, memory, element types
// at the border; KernelMembers.cpp: tensors and other members), the stages and
// loops of the sweeps (SweepLowering.h), and the ops of a body, which
// conversion patterns lower (Body/BodyPatterns.h).
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_KERNELBUILDER_H
#define LOSSGRAD_PASSES_KERNELBUILDER_H

#include "passes/Schedules.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace lossgrad {

/// Lanes of short rows, of which a tile takes many; longer ones are taken one
/// by one. The tiling function has the same number (MAX_SHORT_ROW).
inline constexpr int64_t kMaxShortRow = 512;

/// Short rows of a group: no instruction on what they have once has a row per
/// repeat. The tiling function has the same number (MAX_GROUP).
inline constexpr int64_t kGroupRows = 512;

/// Elements of a table that is copied into UB as a whole where all rows look up
/// in it, and floats beside them to look up with. The device header has the
/// same numbers.
inline constexpr int64_t kTableLanes = 1024;
inline constexpr int64_t kTableWide = kTableLanes + 256;
static_assert(kTableLanes * 4 >= kTableRows * 32 &&
              kTableWide >= kTableRows * 17);

/// Where a value lies in a tile: nowhere (one for all), one element per row,
/// one per lane, or everywhere. It follows from the dims of the value and the
/// space.
enum class Layout { Scalar, Rows, Lanes, Tile };

/// A tensor of the kernel: its place among the tensors of the operator, its
/// member in global memory, and its tile as it is loaded or stored.
struct KernelTensor {
  unsigned index; // position in getPackTensors
  std::string name;
  ElementAttr element;
  Layout layout = Layout::Tile;
  bool isResident = false;
  bool isKept = false; // its row stays in UB in float32
  bool isInt = false;
  bool isTable = false; // elements are looked up, not tiles loaded
  mlir::Value code;     // i32 dtype code, null unless known only at run time
  mlir::Value global;   // !ascendc.global
  mlir::Value tile;     // !ascendc.local, null for one-element inputs
  mlir::Value variable; // !ascendc.var<f32> of a one-element input
  mlir::Value strides;  // !ascendc.tile_layout, null where all lie alike
  mlir::Value table;    // the whole of it as floats, where that stays in UB
  mlir::Value row;      // the row of the unit as floats, where that stays in UB
};

/// A value that one sweep hands to later ones.
struct HandedValue {
  mlir::Value buffer;
  Layout layout;
  mlir::Value variable; // the same as a scalar, in kernels of one row per tile
  bool isIndicator = false; // of a condition: 1 or 0 instead of bits
  mlir::Value lowest = {};  // bits of the least indicator, where it guards rows
};

/// The tile that a stage works on.
struct TileContext {
  mlir::Value at;    // !ascendc.tile_position, null where tensors are flat
  mlir::Value count; // elements of the tile in UB
  /// In kernels of single rows: rows before those of the tile in the vectors of
  /// the group. Null where the tile is the group.
  mlir::Value first;
  /// In kernels of planes: the class of the first row. Null where there are no
  /// rows yet.
  mlir::Value firstClass;
};

/// Builds the AscendC kernel of one lossgrad.kernel.
class KernelBuilder {
public:
  KernelBuilder(lossgrad::KernelOp source, ascendc::ProgramOp program);

  /// Builds the kernel at the end of the program; errors are emitted.
  mlir::LogicalResult build();

  bool isFlat() { return source.getSpace().isFlat(); }
  bool reduces() { return static_cast<bool>(source.getSpace().getReduced()); }
  /// Whether a tile has one row, so that a value per row is a scalar.
  bool hasOneRow() { return reduces() && !source.getSpace().areRowsReduced(); }
  Layout layoutOf(ValueType type);
  /// The type of a tensor's tile in UB: the element type, or raw bytes.
  mlir::Type tileElement(const KernelTensor &tensor);
  KernelTensor &inputNamed(llvm::StringRef name, bool isTable = false);
  /// Whether some sweep sums over everything.
  bool hasLaunch();
  /// Whether cores meet by what they write to the workspace: no hardware of
  /// some product does.
  bool meetsInMemory();
  /// Whether every product casts ints of 64 bits to such of 32.
  bool castsLongInts();
  KernelTensor &outputNamed(llvm::StringRef name);
  /// The table that lies in a tensor in global memory; null if there is none.
  const KernelTensor *findTable(mlir::Value global) const;

  // Scalars. A name makes a variable of it in the emitted text.
  mlir::Location named(llvm::StringRef name);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value f32(double value);
  mlir::Value mul(mlir::Value a, mlir::Value b, llvm::StringRef name = "");
  mlir::Value div(mlir::Value a, mlir::Value b, llvm::StringRef name = "");
  mlir::Value ceilDiv(mlir::Value a, mlir::Value b);
  /// The least multiple of m that is not below x.
  mlir::Value roundUp(mlir::Value x, int64_t m, llvm::StringRef name = "");
  mlir::Value equals(mlir::Value x, int64_t value);
  mlir::Value field(llvm::StringRef member, mlir::Type type,
                    std::optional<int64_t> index = std::nullopt,
                    llvm::StringRef name = "");

  using Body = llvm::function_ref<void()>;
  void buildIf(mlir::Value condition, Body then, Body otherwise = nullptr);
  void buildFor(mlir::Value low, mlir::Value high, mlir::Value step,
                llvm::StringRef name,
                llvm::function_ref<void(mlir::Value)> body);
  /// A bound of the core's share of the work.
  mlir::Value bound(mlir::Value share, ascendc::ShareBound which);
  /// A stage with scalar arguments; the callback gets them.
  void buildStage(ascendc::StageKind kind, llvm::StringRef name,
                  llvm::StringRef doc,
                  llvm::ArrayRef<std::pair<std::string, mlir::Type>> arguments,
                  llvm::function_ref<void(mlir::ValueRange)> body);

  mlir::Type local(mlir::Type element);
  mlir::Type global(mlir::Type element);
  /// A buffer whose label is made unique; what its value is called stays known.
  mlir::Value makeBuffer(llvm::StringRef label, mlir::Type element,
                         mlir::ValueRange extents,
                         llvm::ArrayRef<int64_t> shape,
                         ascendc::Lifetime lifetime);
  /// A buffer of `tileLength` times `factor` elements.
  mlir::Value buffer(llvm::StringRef label, mlir::Type element,
                     int64_t factor = 1);
  /// A buffer of a fixed number of elements.
  mlir::Value fixedBuffer(llvm::StringRef label, mlir::Type element,
                          int64_t count,
                          ascendc::Lifetime lifetime = ascendc::Lifetime::Tile);
  mlir::Value residentBuffer(llvm::StringRef label, mlir::Type element);
  /// A buffer for one element per row of a tile; packed tiles have many.
  mlir::Value rowBuffer(llvm::StringRef label, mlir::Type element) {
    return source.getSpace().isPacked()
               ? buffer(label, element)
               : fixedBuffer(label, element, rowCapacity);
  }
  /// A tile of float32 that keeps its content from step to step.
  mlir::Value residentTile(llvm::StringRef label);
  /// A buffer for one element per lane of a tile.
  mlir::Value laneBuffer(llvm::StringRef label, mlir::Type element,
                         ascendc::Lifetime lifetime = ascendc::Lifetime::Tile);
  /// The same where several rows pass while the lanes stay: a tile is longer.
  mlir::Value planeBuffer(llvm::StringRef label, mlir::Type element,
                          int64_t factor = 1);
  /// Whether classes pass while the lanes of a tile stay.
  bool hasPlanes() { return takesPlanes(source.getSpace()); }
  /// The number of classes, where they lie along the rows.
  mlir::Value classCount();
  /// Whether a tile has many rows of at most kMaxShortRow lanes.
  bool hasShortRows() {
    return source.getSpace().takesSingleRows() && !source.getSpace().walks();
  }
  /// Rows of a group, or of a tile where there are none.
  int64_t groupCapacity() {
    bool hasGroups = source.getSpace().takesSingleRows() && !hasPlanes();
    return hasGroups ? kGroupRows : getMaxRows();
  }
  mlir::Value view(mlir::Value tensor, mlir::Type element,
                   mlir::Value offset = {});

  /// dst = (float)src, exactly; `src` holds elements of the tensor's type.
  void buildWiden(const KernelTensor &tensor, mlir::Value dst, mlir::Value src,
                  mlir::Value count);
  /// The tiling member with the length of a row or of lanes that stay.
  mlir::Value getRowLength();
  /// dst = src in an element type, to nearest even.
  void buildRound(ElementAttr element, mlir::Value dst, mlir::Value src,
                  mlir::Value count);
  /// dst = src in the element type of the tensor, to nearest even.
  void buildNarrow(const KernelTensor &tensor, mlir::Value dst, mlir::Value src,
                   mlir::Value count);
  /// The number of a tensor's element type, as the tiling data has it.
  mlir::Value dtypeCode(const KernelTensor &tensor);
  /// The C++ element type, where it is known before run time.
  mlir::Type elementType(ElementAttr element);

  lossgrad::KernelOp source;
  ascendc::ProgramOp program;
  ascendc::KernelOp kernel;
  OperatorOp op;
  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::SmallVector<KernelTensor> inputs, outputs;
  mlir::Value tileLength, rowLength, grid, workspace, slots;
  /// Of packed tiles: where the elements of rows are, and the values of rows
  /// for all elements.
  mlir::Value takeOffsets, spreadOffsets;
  int64_t rowCapacity = getMaxRows(); // of vectors per row in the stage at hand
  llvm::DenseMap<mlir::Value, mlir::Value> scalars; // of uniform values
  llvm::MapVector<mlir::Value, HandedValue> handed; // results of sweeps
  std::string uniqueLabel(llvm::StringRef label);
  /// A scalar member that stages set and read.
  mlir::Value variable(llvm::StringRef name, mlir::Type type);

private:
  void buildHeader();
  void buildMembers();
  void buildInit();
  void buildTensor(const struct TensorUse &use, mlir::Value address);
  void buildOneElementReads();
  llvm::StringMap<unsigned> labels;
};

/// The fold of level 3 for a reduction.
ascendc::Fold foldOf(ReduceKind kind);

/// Adds the stages of all sweeps and the process loop to a kernel.
mlir::LogicalResult lowerSweeps(KernelBuilder &kernel);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_KERNELBUILDER_H
