//===- ExampleCall.h - A small call that an operator accepts ----*- C++ -*-===//
//
// Shapes, values and attributes for documents and example programs, with the
// results of the float64 interpreter. Any operator gets one: small extents for
// its dims, declared defaults, and the contract has the last word.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_DOCS_EXAMPLECALL_H
#define LOSSGRAD_CODEGEN_DOCS_EXAMPLECALL_H

#include "dialect/LossGrad/Interpreter/Interpreter.h"

namespace lossgrad::docs {

struct ExampleCall {
  /// Outputs are described, but have no elements.
  Call call;
  std::vector<OutputTensor> results;
};

/// A call on `product` (A2). Optional tensors are null. Fails with a diagnostic
/// at the operator where no call of this form passes the contract.
mlir::FailureOr<ExampleCall> makeExampleCall(OperatorOp op,
                                             llvm::StringRef product);

} // namespace lossgrad::docs

#endif // LOSSGRAD_CODEGEN_DOCS_EXAMPLECALL_H
