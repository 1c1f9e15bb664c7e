//===- Version.cpp - Which generator wrote a file -------------------------===//

#include "codegen/Cpp/Version.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#ifndef LOSSGRAD_VERSION
#error "the build defines LOSSGRAD_VERSION"
#endif

std::string lossgrad::fillVersion(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, "@VERSION@");
  return llvm::join(parts, LOSSGRAD_VERSION);
}
