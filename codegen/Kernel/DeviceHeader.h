//===- DeviceHeader.h - A device header for one architecture ----*- C++ -*-===//
//
// The device headers are one text each with the places marked at which
// architectures differ. Composition takes, for a family, what its product
// tables allow; nothing of the marks is left in the emitted file.
//
// Marks stand on lines of their own:
//
//   //@if Copy             the family has the call
//   //@if Copy float       it takes the type
//   //@if cast int64_t int32_t    there is such a cast
//   //@if ordered          the hardware orders dependent vector calls
//   //@if not ...          the opposite
//   //@else
//   //@end
//
// and inside of a line `@ROUND(float, half)@` is the rounding mode that casts
// to nearest, `@EXACT(half, float)@` the one of a cast that loses nothing. The
// numbers of ProductLimits.h are filled in, too.
// Barriers of the vector pipe on lines of their own are left out where the
// hardware orders dependent vector calls.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_DEVICEHEADER_H
#define LOSSGRAD_CODEGEN_KERNEL_DEVICEHEADER_H

#include "lossgrad/Targets.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace lossgrad {

/// The text for a family. Marks that are not well formed are mistakes of the
/// text, which tests compose for every family: they end the program.
std::string composeHeader(llvm::StringRef text, const targets::Family &family);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_DEVICEHEADER_H
