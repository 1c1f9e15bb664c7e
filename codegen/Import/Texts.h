//===- Texts.h - Names and texts that emitters can print --------*- C++ -*-===//
//
// Names of a record become identifiers of C++, its texts comments, literals and
// pages. What could not be printed as such is refused at the record, so that no
// emitter has to mangle or escape, and no text ends up as code.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_TEXTS_H
#define LOSSGRAD_CODEGEN_IMPORT_TEXTS_H

#include "mlir/IR/Diagnostics.h"

namespace lossgrad {

/// Why `name` cannot be an identifier of the emitted code; empty if it can.
std::string whyNoName(llvm::StringRef name);

/// Why `name` cannot name a parameter beside the others, as the end of a
/// sentence; empty if it can.
std::string whyNoNameBeside(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> others);

/// The same for an input or attribute of an operator with these outputs.
std::string whyNoInputName(llvm::StringRef name,
                           llvm::ArrayRef<llvm::StringRef> outputs);

/// Prose: valid UTF-8 without control characters and without what would end a
/// comment.
mlir::LogicalResult checkProse(llvm::StringRef text, llvm::StringRef what,
                               mlir::Location loc);

/// A word that is printed between quotes: printable ASCII without quotes and
/// backslashes.
mlir::LogicalResult checkWord(llvm::StringRef text, llvm::StringRef what,
                              mlir::Location loc);

/// The name of a file without its ending: letters, digits and underscores.
mlir::LogicalResult checkFileName(llvm::StringRef text, llvm::StringRef what,
                                  mlir::Location loc);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_TEXTS_H
