//===- import_fuzzer.cpp - No text makes the importer crash ---------------===//
//
// libFuzzer target for the importer of records: whatever the bytes, importing
// returns a verified module or reports errors. TableGen's own parser may end or
// crash the process it runs in; the importer runs it in a child first
// (RecordParser.cpp), so such inputs count as handled here just as for users,
// and what the child survives is parsed and imported in this process.
//
// Seed it with the records themselves (see TokenMutator.h):
//   import_fuzzer -max_total_time=60 -max_len=16384 corpus ops_td
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "test/fuzz/TokenMutator.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>

#ifndef LOSSGRAD_OPS_TD
#error "define LOSSGRAD_OPS_TD as the folder of Base.td"
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<lossgrad::LossGradDialect>();
  bool reported = false;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return mlir::success();
      });
  llvm::SourceMgr sources;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.td"), llvm::SMLoc());
  lossgrad::ImportOptions options;
  options.includeDirs.push_back(LOSSGRAD_OPS_TD);
  auto module = lossgrad::importRecords(sources, options, &context);
  // A failure without a message leaves the user helpless.
  if (!module && !reported)
    std::abort();
  if (module && mlir::failed(mlir::verify(*module)))
    std::abort();
  return 0;
}
