//===- Json.h - JSON from files of users ------------------------*- C++ -*-===//
//
// LLVM's parser with two rules in front of it: nesting is bounded, because that
// parser recurses and would end the process, and no object may have a key
// twice, because the parser keeps one of the two without a word.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_JSON_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lossgrad {

/// Messages have the form of LLVM's: `[line:column, byte=n]: what`.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// The same for a file, whose path stands before messages.
llvm::Expected<llvm::json::Value> readJson(llvm::StringRef path);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_JSON_H
