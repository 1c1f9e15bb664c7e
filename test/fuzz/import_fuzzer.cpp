//===- import_fuzzer.cpp - No text makes the importer crash ---------------===//
//
// libFuzzer target for the importer of records: whatever the bytes, importing
// returns a verified module or reports errors. TableGen's own parser may end or
// crash the process it runs in; the importer runs it in a child first
// (RecordParser.cpp), so such inputs count as handled here just as for users,
// and what the child survives is parsed and imported in this process.
//
// Bytes changed at random rarely get past TableGen, so most mutations work on
// whole tokens: names, numbers and brackets change places, and the importer
// sees records that are almost right. Seed it with the records themselves:
//   import_fuzzer -max_total_time=60 -max_len=16384 corpus ops_td
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>
#include <cstring>
#include <random>

#ifndef LOSSGRAD_OPS_TD
#error "define LOSSGRAD_OPS_TD as the folder of Base.td"
#endif

/// Words, strings, and single characters for everything else.
static std::vector<llvm::StringRef> tokenize(llvm::StringRef text) {
  std::vector<llvm::StringRef> tokens;
  while (!text.empty()) {
    size_t length = text.find_if_not(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    if (text.front() == '"') {
      size_t end = text.find('"', 1);
      length = end == llvm::StringRef::npos ? text.size() : end + 1;
    }
    length = std::min(std::max<size_t>(length, 1), text.size());
    tokens.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return tokens;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<llvm::StringRef> tokens =
      tokenize({reinterpret_cast<const char *>(data), size});
  if (tokens.size() < 2 || random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  for (unsigned i = 0, count = 1 + random() % 3; i != count; ++i) {
    size_t to = random() % tokens.size(), from = random() % tokens.size();
    switch (random() % 4) {
    case 0:
      tokens[to] = tokens[from];
      break;
    case 1:
      std::swap(tokens[to], tokens[from]);
      break;
    case 2:
      tokens[to] = "";
      break;
    default:
      tokens.insert(tokens.begin() + to, tokens[from]);
    }
  }
  std::string text;
  for (llvm::StringRef token : tokens)
    text += token;
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}

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
