//===- ParameterTypes.h - What a parameter of a record holds ----*- C++ -*-===//
//
// Reads the dtypes of a tensor, and the C type, choices and default of an
// attribute. Names, shapes and what parameters are to each other is
// Declarations.h's.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_PARAMETERTYPES_H
#define LOSSGRAD_CODEGEN_IMPORT_PARAMETERTYPES_H

#include "codegen/Import/RecordSource.h"
#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad {

/// The rows of a dtype set that are for these products, each of which must have
/// some, and their common kind. Mistakes are reported at the parameter.
mlir::FailureOr<llvm::SmallVector<DTypeRowAttr>>
readDtypes(const llvm::Record &set, const RecordSource &source,
           llvm::StringRef param, llvm::ArrayRef<mlir::StringAttr> products,
           mlir::Location loc, Kind &kind);

/// The attribute of this name, which stands at `loc`.
mlir::FailureOr<ParamAttr> readAttribute(const llvm::Record &param,
                                         const RecordSource &source,
                                         llvm::StringRef name,
                                         mlir::Location loc);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_PARAMETERTYPES_H
