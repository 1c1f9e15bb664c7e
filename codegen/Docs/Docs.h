//===- Docs.h - Pages and example programs of operators ---------*- C++ -*-===//
//
// Prints what a user of an operator reads: the page with everything that a call
// needs, and a complete program. IR in, text out.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_DOCS_DOCS_H
#define LOSSGRAD_CODEGEN_DOCS_DOCS_H

#include "codegen/Docs/ExampleCall.h"
#include "codegen/Host/HostModel.h"
#include "llvm/Support/raw_ostream.h"

namespace lossgrad::docs {

/// `examples/test_<header>.cpp`: a program of its own that makes the example
/// call, prints every result beside the value that is right, and exits with 0
/// where they agree.
std::string emitExampleProgram(host::HostModel &model,
                               const ExampleCall &example);

/// `docs/<api>.md`. `model` is of the operator as the record says it;
/// `kernelUnits` are the compute units that there are kernels for.
std::string emitOperatorPage(host::HostModel &model, const ExampleCall &example,
                             llvm::ArrayRef<std::string> kernelUnits);

} // namespace lossgrad::docs

#endif // LOSSGRAD_CODEGEN_DOCS_DOCS_H
