//===- Writer.h - A folder of emitted files, all or nothing -----*- C++ -*-===//
//
// Puts the files of a project on disk. The folder appears or changes in one
// step; a folder that was not written by this library is never touched.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_PROJECT_WRITER_H
#define LOSSGRAD_CODEGEN_PROJECT_WRITER_H

#include "codegen/Kernel/KernelEmitter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace lossgrad::project {

/// The file that marks a folder as ours and lists what was written into it.
inline constexpr char markerFile[] = ".lossgrad-project";

struct WriteResult {
  unsigned written = 0;   // new or changed
  unsigned unchanged = 0; // kept, with their time stamps
  unsigned removed = 0;
};

/// Writes `files` to `folder` through a temporary sibling and a rename. Where
/// the folder exists and carries the marker, unchanged files keep their time
/// stamps, files that are no longer emitted go, and files of other origin (a
/// build tree, say) stay. An emitted file that was edited since is an error
/// unless `overwriteEdited`. On error the folder is as it was.
llvm::Expected<WriteResult> writeFolder(llvm::StringRef folder,
                                        llvm::ArrayRef<EmittedFile> files,
                                        bool overwriteEdited = false);

} // namespace lossgrad::project

#endif // LOSSGRAD_CODEGEN_PROJECT_WRITER_H
