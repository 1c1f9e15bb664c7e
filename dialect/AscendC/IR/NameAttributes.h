//===- NameAttributes.h - what ops carry for the emitted text ---*- C++ -*-===//
//
// The attributes of the dialect that ops of any dialect may have. Light, for
// printers that know no dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_IR_NAMEATTRIBUTES_H
#define LOSSGRAD_DIALECT_ASCENDC_IR_NAMEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lossgrad::ascendc {

/// What the result of an op or the variable of a loop is called.
inline constexpr llvm::StringLiteral kNameAttr = "ascendc.name";
/// What the arguments of the op's region are called; empty: no name.
inline constexpr llvm::StringLiteral kArgumentNamesAttr =
    "ascendc.argument_names";
/// What the tensor operands of the op hold, where the tensors are called after
/// another value; empty: as they are called.
inline constexpr llvm::StringLiteral kHeldAttr = "ascendc.held";
/// What is written above or behind the op.
inline constexpr llvm::StringLiteral kCommentAttr = "ascendc.comment";
/// On a loop: its iterations write different bytes.
inline constexpr llvm::StringLiteral kIndependentAttr = "ascendc.independent";

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_DIALECT_ASCENDC_IR_NAMEATTRIBUTES_H
