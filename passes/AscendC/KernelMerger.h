//===- KernelMerger.h - one class template of several kernels ---*- C++ -*-===//
//
// Builds the template of kernels that differ in the element type of their
// tensors. What is common follows from AlignKernels.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_KERNELMERGER_H
#define LOSSGRAD_PASSES_ASCENDC_KERNELMERGER_H

#include "passes/AscendC/AlignKernels.h"
#include "passes/AscendC/HeldValues.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace lossgrad::ascendc {

class KernelMerger {
public:
  KernelMerger(llvm::ArrayRef<KernelOp> kernels, mlir::StringAttr name);

  /// The template, in no program yet; null if the kernels have too little in
  /// common. The kernels stay as they are.
  KernelOp run();

private:
  using Map = llvm::DenseMap<mlir::Value, mlir::Value>;

  /// A tensor whose place depends on the type.
  struct Variable {
    ValueTuple places;
    mlir::StringAttr name;
    mlir::Value merged; // null until it is declared
    /// What it holds in the statements that all kernels share.
    llvm::SmallVector<mlir::StringAttr, 2> held = {};
  };
  /// A part of a queue's block that all kernels call the same.
  struct CommonView {
    ValueTuple views, blocks;
  };

  /// Candidates with what is done for them.
  using Cases = llvm::SmallVector<
      std::pair<llvm::SmallVector<mlir::Type>, std::unique_ptr<mlir::Region>>>;

  mlir::LogicalResult mergeMembers();
  mlir::LogicalResult mergeMember(mlir::Operation *op);
  mlir::LogicalResult mergeScopes();
  mlir::LogicalResult mergeScope(llvm::ArrayRef<mlir::Operation *> scopes);
  size_t countSharedAtEnd();
  void initMembers();

  // A scope: init, a stage or process.
  static bool isScope(mlir::Operation &op);
  void takeResultsEarly(mlir::Block &block);
  void findViews(llvm::ArrayRef<mlir::Block *> blocks);
  void findVariables(llvm::ArrayRef<mlir::Block *> blocks);
  mlir::StringAttr nameOf(const ValueTuple &places, const OpTuple &statement,
                          bool isResult);
  mlir::LogicalResult mergeBlocks(llvm::ArrayRef<mlir::Block *> blocks);
  mlir::LogicalResult emitCommon(const OpTuple &ops);
  mlir::LogicalResult emitRegions(const OpTuple &ops, mlir::Operation *merged);
  mlir::LogicalResult
  emitCases(llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> own);
  ByTypeOp createByType(Cases &cases, llvm::ArrayRef<mlir::Type> results,
                        llvm::ArrayRef<mlir::Attribute> names);
  void emitViews(const ValueTuple &blocks);
  bool isReady(const Variable &variable);
  bool declareInBuffer(Variable &variable);
  bool isPlaced(mlir::Value place, unsigned part);
  bool needsVariable(const OpTuple &ops);

  // Values of the template.
  mlir::Value lookUp(const ValueTuple &values);
  mlir::Value mapCommon(const ValueTuple &values);
  mlir::Value cloneShared(const ValueTuple &values);
  mlir::Value mapOwn(unsigned part, mlir::Value value, Map &local,
                     mlir::StringAttr held = {});
  mlir::StringAttr heldBy(mlir::Operation *op, size_t operand);
  mlir::StringAttr commonValue(const OpTuple &ops, size_t operand);
  mlir::StringAttr commonName(const OpTuple &ops);
  mlir::Value asInstance(mlir::Value value, mlir::Type type);
  mlir::LogicalResult cloneOwn(unsigned part, mlir::Operation *op, Map &local);
  mlir::Value offsetOf(const ValueTuple &views);
  void setKnown(const ValueTuple &values, mlir::Value merged);
  bool isMember(mlir::Operation *op, unsigned part) {
    return op->getBlock() == &KernelOp(*parts[part]).getBlock();
  }
  mlir::OpBuilder memberBuilder();

  llvm::SmallVector<mlir::OwningOpRef<KernelOp>, 3> parts; // clones
  llvm::SmallVector<mlir::Type, 3> elements;
  TypeRelation types;
  KnownNames meanings;
  KernelOp merged;
  mlir::OpBuilder builder;
  llvm::SmallVector<Map, 3> known; // what stands for a value everywhere
  // Of members whose length depends on the type, and of parts of blocks.
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>, 3> lengths;
  llvm::SmallVector<std::pair<ValueTuple, mlir::Value>> offsets;
  bool buffersAgree = true; // those that were merged so far
  // Of the scope at hand.
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<CommonView> views;
  llvm::SmallVector<mlir::StringAttr> blockNames; // of queues, taken
  unsigned common = 0, own = 0;
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_KERNELMERGER_H
