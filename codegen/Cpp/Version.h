//===- Version.h - Which generator wrote a file -----------------*- C++ -*-===//
//
// The version of lossgrad in what it emits. Every emitted file says it in the
// same words.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_CPP_VERSION_H
#define LOSSGRAD_CODEGEN_CPP_VERSION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace lossgrad {

/// The text with the version where it says `@VERSION@`.
std::string fillVersion(llvm::StringRef text);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_CPP_VERSION_H
