//===- KernelBuilder.h - Building an AscendC kernel -------------*- C++ -*-===//
//
// What the conversions of all schedules share: scalars with names, members of
// the kernel, element types at the border, one-element inputs. The schedules
// derive from it and build the stages and the process loop.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_KERNELBUILDER_H
#define LOSSGRAD_PASSES_KERNELBUILDER_H

#include "passes/Schedules.h"

namespace lossgrad {

/// A tensor of the kernel: its place among the tensors of the operator, its
/// member in global memory, and its tile as it is loaded or stored.
struct KernelTensor {
  unsigned index; // position in getPackTensors
  std::string name;
  ElementAttr element;
  mlir::Value code;     // i32 dtype code, null unless known only at run time
  mlir::Value global;   // !ascendc.global
  mlir::Value tile;     // !ascendc.local, null for one-element inputs
  mlir::Value variable; // !ascendc.var<f32> of a one-element input
};

class KernelBuilder {
public:
  KernelBuilder(lossgrad::KernelOp source, ascendc::ProgramOp program);
  virtual ~KernelBuilder() = default;

  /// Builds the kernel at the end of the program; errors are emitted.
  mlir::LogicalResult build();

protected:
  /// The type of tiles in UB: the element type, or raw bytes.
  virtual mlir::Type tileElement(const KernelTensor &tensor);
  /// Extents of a tile in elements of that type.
  virtual void buildMembers() = 0;
  virtual void buildInit() {}
  virtual mlir::LogicalResult buildStages() = 0;
  virtual void buildProcess() = 0;

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
  /// A loop over the tiles of the core's share of the work.
  void buildShareLoop(mlir::Value share, llvm::StringRef name,
                      llvm::function_ref<void(mlir::Value)> body);
  /// A stage with scalar arguments; the callback gets them.
  void buildStage(ascendc::StageKind kind, llvm::StringRef name,
                  llvm::StringRef doc,
                  llvm::ArrayRef<std::pair<std::string, mlir::Type>> arguments,
                  llvm::function_ref<void(mlir::ValueRange)> body);

  mlir::Type local(mlir::Type element);
  mlir::Type global(mlir::Type element);
  mlir::Type f32Local() { return local(builder.getF32Type()); }
  /// A buffer of `tileLength` times `factor` elements; the label is made
  /// unique.
  mlir::Value buffer(llvm::StringRef label, mlir::Type element,
                     int64_t factor = 1);
  /// A buffer of a fixed number of elements.
  mlir::Value fixedBuffer(llvm::StringRef label, mlir::Type element,
                          int64_t count,
                          ascendc::Lifetime lifetime = ascendc::Lifetime::Tile);
  mlir::Value view(mlir::Value tensor, mlir::Type element,
                   mlir::Value offset = {});

  /// dst = (float)src, exactly; `src` holds elements of the tensor's type.
  void buildWiden(const KernelTensor &tensor, mlir::Value dst, mlir::Value src,
                  mlir::Value count);
  /// dst = src in the element type of the tensor, to nearest even.
  void buildNarrow(const KernelTensor &tensor, mlir::Value dst, mlir::Value src,
                   mlir::Value count);
  /// The body of the sweep on `count` adjacent elements; `tiles` are the
  /// float32 tiles of the sweep's arguments (null: one element). Results are
  /// rounded into the tiles of the outputs.
  mlir::LogicalResult buildBody(llvm::ArrayRef<mlir::Value> tiles,
                                mlir::Value count);
  /// The number of a tensor's element type, as the tiling data has it.
  mlir::Value dtypeCode(const KernelTensor &tensor);
  /// The C++ element type, where it is known before run time.
  mlir::Type elementType(ElementAttr element);

  lossgrad::KernelOp source;
  SweepOp sweep;
  ascendc::ProgramOp program;
  ascendc::KernelOp kernel;
  OperatorOp op;
  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::SmallVector<KernelTensor> inputs, outputs;
  mlir::Value tileLength;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars; // of uniform values

private:
  void buildHeader();
  void buildTensor(llvm::StringRef name, ElementAttr element, bool oneElement,
                   mlir::Value address,
                   llvm::SmallVectorImpl<KernelTensor> &to);
  void buildOneElementReads();
  std::string uniqueLabel(llvm::StringRef label);
  llvm::StringMap<unsigned> labels;

  friend class BodyConverter;
};

/// The kernels of the two elementwise schedules.
std::unique_ptr<KernelBuilder> createFlatKernelBuilder(lossgrad::KernelOp,
                                                       ascendc::ProgramOp);
std::unique_ptr<KernelBuilder> createBroadcastKernelBuilder(lossgrad::KernelOp,
                                                            ascendc::ProgramOp);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_KERNELBUILDER_H
