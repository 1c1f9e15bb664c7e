//===- NameAttributes.h - where names of emitted text stand -----*- C++ -*-===//
//
// The attributes that ascendc-fix-names writes and printers read: what the
// result of an op or the variable of a loop is called, and the arguments of an
// op's region. Light, for printers that know no dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_IR_NAMEATTRIBUTES_H
#define LOSSGRAD_DIALECT_ASCENDC_IR_NAMEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::ascendc {

inline constexpr llvm::StringLiteral kNameAttr = "ascendc.name";
inline constexpr llvm::StringLiteral kArgumentNamesAttr =
    "ascendc.argument_names";

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_DIALECT_ASCENDC_IR_NAMEATTRIBUTES_H
