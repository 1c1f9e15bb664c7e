//===- CallJson.h - Calls and results as JSON -------------------*- C++ -*-===//
//
// Reads a call from the JSON of an operator case: tensors with explicit values,
// or with a range or normal distribution to draw from; attributes. Draws depend
// only on the case's id and the tensor's name. Judging results is not done
// here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_CALLJSON_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_CALLJSON_H

#include "dialect/LossGrad/Interpreter/Interpreter.h"
#include "llvm/Support/JSON.h"

namespace lossgrad {

/// Reads a call. With `withContents` false, tensors have a description only,
/// which is all that a contract looks at.
llvm::Expected<Call> parseCall(const llvm::json::Object &json,
                               bool withContents = true);

/// Writes elements as a JSON array: the shortest decimals that read back
/// exactly, and the strings "inf", "-inf" and "nan".
void writeElements(llvm::json::OStream &json, llvm::ArrayRef<Element> elements,
                   Kind kind);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_CALLJSON_H
