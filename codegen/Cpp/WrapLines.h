//===- WrapLines.h - No line of emitted C++ too long ------------*- C++ -*-===//
//
// The last step of an emitter: breaks statements and comments that are longer
// than a line. It looks at text only and changes nothing but white space and
// the marks that continue a comment.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_CPP_WRAPLINES_H
#define LOSSGRAD_CODEGEN_CPP_WRAPLINES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace lossgrad::cpp {

/// The width to which the vendor's sources are formatted.
inline constexpr size_t kLineWidth = 120;

/// `text` with every line within the width, where there is a place to break it.
std::string wrapLines(llvm::StringRef text, size_t width = kLineWidth);

} // namespace lossgrad::cpp

#endif // LOSSGRAD_CODEGEN_CPP_WRAPLINES_H
