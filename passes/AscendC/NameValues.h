//===- NameValues.h - what tensors are called in a stage --------*- C++ -*-===//
//
// The tensors of a stage with the values that they hold one after the other,
// and the names that follow.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_NAMEVALUES_H
#define LOSSGRAD_PASSES_ASCENDC_NAMEVALUES_H

#include "passes/AscendC/HeldValues.h"
#include "passes/AscendC/StageLiveness.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace lossgrad::ascendc {

struct TensorUse {
  mlir::OpOperand *operand;
  bool reads, writes;
};

/// The uses of a tensor for one value, in the order of the text.
struct Run {
  mlir::StringAttr value; ///< as planning knew it
  mlir::StringAttr name;  ///< in the text
  llvm::SmallVector<TensorUse> uses;
};

/// A tensor, and what it holds.
struct Place {
  mlir::Value tensor;
  llvm::SmallVector<Run> runs;
};

/// The names of what lies in each buffer.
using BufferContents =
    llvm::MapVector<mlir::Value, llvm::SetVector<mlir::StringAttr>>;

/// Names the tensors of init or of a stage.
class ScopeNames {
public:
  ScopeNames(mlir::Operation *scope, const KnownNames &known)
      : scope(scope), known(known) {}
  void run(BufferContents &contents);

private:
  void collect();
  void joinCases(ByTypeOp byType);
  void addUses(mlir::Operation *op);
  void chooseNames();
  void distinguish();
  std::string chooseOther(const Place &place, size_t run);
  void noteBuffers(BufferContents &contents);
  void nameOperands(mlir::StringAttr name, Run &first, Run &second);
  mlir::StringAttr findPurpose(const Run &run);
  void applyTo(Place &place);
  void addAlias(llvm::ArrayRef<TensorUse> uses, mlir::StringAttr name);

  mlir::Operation *scope;
  const KnownNames &known;
  llvm::SmallVector<Place> places;
  llvm::MapVector<mlir::Value, unsigned> placeOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<const Run *, 1>>
      computedBy;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> aliases;
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_NAMEVALUES_H
