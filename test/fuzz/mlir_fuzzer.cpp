//===- mlir_fuzzer.cpp - No text makes our dialects crash -----------------===//
//
// libFuzzer target for the text of both dialects, with the host arithmetic that
// stands beside them: whatever the bytes, reading gives a verified module or an
// error with a message. What was read is printed and read
// again, and folded; neither may crash or fail. AscendC programs are also made
// ready for emission and printed as C++, or refused with a message. Crashes
// inside of MLIR's own
// parser are not ours, but everything an op, attribute or type of ours sees is.
// Seed it with the tests of the dialects (make_seeds.py, TokenMutator.h):
//   mlir_fuzzer -max_total_time=60 -max_len=16384 corpus seeds
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/KernelEmitter.h"
#include "dialect/Dialects.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "test/fuzz/TokenMutator.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

static std::string print(mlir::ModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  flags.printGenericOpForm(generic);
  module->print(os, flags);
  return text;
}

/// The last passes and the printer of kernels.
static mlir::LogicalResult emit(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(lossgrad::createAscendCPlanBuffers());
  passes.addPass(lossgrad::createAscendCInsertSync());
  passes.addPass(lossgrad::createAscendCPrepareForEmission());
  passes.addPass(lossgrad::createAscendCFixNames());
  if (mlir::failed(passes.run(module)))
    return mlir::failure();
  return lossgrad::emitKernels(module);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  lossgrad::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  bool reported = false;
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        message += diagnostic.str() + "\n";
        return mlir::success();
      });
  // A text per case, as in the tests of errors.
  llvm::StringRef rest(reinterpret_cast<const char *>(data), size);
  while (!rest.empty()) {
    llvm::StringRef part;
    std::tie(part, rest) = rest.split("// -----\n");
    // MLIR reads files with a terminator behind them, and looks at it when it
    // reports an error at the end.
    std::string text = part.str();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    // A failure without a message leaves the user helpless.
    if (!module) {
      if (!reported)
        std::abort();
      continue;
    }
    for (bool generic : {false, true}) {
      std::string printed = print(*module, generic);
      message.clear();
      if (!mlir::parseSourceString<mlir::ModuleOp>(printed, &context)) {
        llvm::errs() << "not read again: " << message << printed;
        std::abort();
      }
    }
    mlir::PassManager passes(&context);
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    if (mlir::failed(passes.run(*module)))
      std::abort();
    reported = false;
    if (!module->getOps<lossgrad::ascendc::ProgramOp>().empty() &&
        mlir::failed(emit(*module)) && !reported)
      std::abort();
  }
  return 0;
}
