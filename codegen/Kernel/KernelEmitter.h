//===- KernelEmitter.h - AscendC sources of a module ------------*- C++ -*-===//
//
// Prints the kernel files of a prepared module: one file per architecture, the
// file that includes them under guards, and the header of the tiling struct.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_KERNELEMITTER_H
#define LOSSGRAD_CODEGEN_KERNEL_KERNELEMITTER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace lossgrad {

/// A file of the emitted project, relative to its root.
struct EmittedFile {
  std::string path;
  std::string text;
};

/// The kernel sources of a module after ascendc-prepare-for-emission.
mlir::FailureOr<std::vector<EmittedFile>> emitKernels(mlir::ModuleOp module);

/// All files in one stream, each after a line `//--- path`.
void printFiles(llvm::ArrayRef<EmittedFile> files, llvm::raw_ostream &os);

/// Registers --mlir-to-ascendc.
void registerMlirToAscendCTranslation();

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_KERNELEMITTER_H
