//===- Deviations.h - Statuses that differ from a case's --------*- C++ -*-===//
//
// The table of cases for which we decide otherwise than their source, with the
// reasons. Which case a row applies to, and that every row is needed, is for
// the programs that run cases.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_DEVIATIONS_H
#define LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_DEVIATIONS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <string>

namespace lossgrad {

/// A status that we decide otherwise than the case's source, and why.
struct Deviation {
  int64_t status = 0;
  std::string reason;
  /// It is not about the contract, which is as the case expects, but about what
  /// lies below it.
  bool isByLibrary = false;
};

/// Reads `[{"id", "status", "reason"}, ...]`, some with `"by": "library"`.
llvm::Expected<llvm::StringMap<Deviation>> readDeviations(llvm::StringRef path);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_DEVIATIONS_H
