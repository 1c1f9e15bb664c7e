//===- Declarations.h - Dims and parameters of a record ---------*- C++ -*-===//
//
// What a record declares before its formulas: products, dims and parameters as
// attributes of the dialect, with the place of each name. Formulas and checks
// are imported elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_DECLARATIONS_H
#define LOSSGRAD_CODEGEN_IMPORT_DECLARATIONS_H

#include "codegen/Import/RecordSource.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lossgrad {

/// The names of a record, each for one thing only.
struct Declarations {
  llvm::SmallVector<mlir::StringAttr> products;
  llvm::SmallVector<DimAttr> dims;
  llvm::SmallVector<ParamAttr> params;
  /// Intermediate results in the order of the record.
  llvm::SmallVector<llvm::StringRef> lets;
  /// Inputs that the record says no formula reads.
  llvm::StringSet<> unread;
  /// Where each of the names above is declared.
  llvm::StringMap<mlir::Location> places;

  ParamAttr findParam(llvm::StringRef name) const;
  DimAttr findDim(llvm::StringRef name) const;
  bool isLet(llvm::StringRef name) const;
  mlir::Location getPlace(llvm::StringRef name, mlir::Location otherwise) const;
};

/// Reads the declarations of a LossBackward record. Reports everything that is
/// wrong with them, not only the first.
mlir::FailureOr<Declarations> importDeclarations(const llvm::Record &record,
                                                 const RecordSource &source);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_DECLARATIONS_H
