//===- Compare.h - Two results or two profiles ------------------*- C++ -*-===//
//
// What changed between two runs: of cases, from the JSON files of this tool; of
// profiles, which the stand-in's own program compares.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_COMPARE_H
#define LOSSGRAD_TOOLS_RUN_COMPARE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lossgrad::run {

/// Prints what changed between two reports: newly failing cases, repaired
/// ones, those only one of them has, and errors that grew. Returns the number
/// of cases that passed before and do not now.
llvm::Expected<unsigned> compareReports(llvm::raw_ostream &os,
                                        llvm::StringRef before,
                                        llvm::StringRef after);

/// Two files of either kind. False if something broke between them; an error
/// if they cannot be compared. `reportTool` is the program for profiles.
llvm::Expected<bool> compareFiles(llvm::raw_ostream &os, llvm::StringRef before,
                                  llvm::StringRef after,
                                  llvm::StringRef reportTool);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_COMPARE_H
