//===- case_fuzzer.cpp - No case makes lossgrad-run crash -----------------===//
//
// libFuzzer target for files of operator cases: whatever the bytes, reading
// gives cases or an error with a message, and a case that its operator takes is
// described, judged by the contract, drawn and computed by the interpreter.
// Everything that lossgrad-run does with a case but calling a library; the
// same readers serve lossgrad-interpret and lossgrad-contract.
//
// Seed it with cases (make_seeds.py, TokenMutator.h):
//   case_fuzzer -max_total_time=60 -max_len=16384 corpus seeds
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"
#include "CaseForm.h"
#include "CaseRunner.h"
#include "Golden.h"
#include "Records.h"
#include "dialect/LossGrad/Contract/Contract.h"
#include "test/fuzz/TokenMutator.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#ifndef LOSSGRAD_OPS_TD
#error "define LOSSGRAD_OPS_TD as the folder of Base.td"
#endif

using namespace lossgrad;

/// A failure without a message leaves the user helpless.
static void expectMessage(llvm::Error error) {
  if (llvm::toString(std::move(error)).empty())
    std::abort();
}

static void tryCase(run::Records &records, run::Case &test) {
  llvm::Expected<OperatorOp> op = records.find(test.op);
  if (!op)
    return expectMessage(op.takeError());
  if (!*op)
    return;
  if (llvm::Error error = run::checkFits(*op, test))
    return expectMessage(std::move(error));
  llvm::Expected<llvm::StringMap<run::View>> views = run::parseViews(test);
  if (!views)
    return expectMessage(views.takeError());
  constexpr int64_t maxElements = 4096, maxBytes = 1 << 24;
  if (run::whyTooLarge(*views, maxElements, maxBytes))
    return;
  llvm::Expected<run::GoldenCall> golden =
      run::makeGolden(*op, test, /*seed=*/"", run::OperatorRules());
  if (!golden)
    return expectMessage(golden.takeError());
  golden->call.product = "A2";
  (void)evaluateContract(*op, golden->call);
}

/// The readers want a path.
class TextFile {
public:
  explicit TextFile(llvm::StringRef text) : file(memfd_create("cases", 0)) {
    if (file < 0 || write(file, text.data(), text.size()) !=
                        static_cast<ssize_t>(text.size()))
      std::abort();
  }
  ~TextFile() { close(file); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  int file;
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Operators are read once, where a case first asks for them.
  static run::Records records({LOSSGRAD_OPS_TD}, {LOSSGRAD_OPS_TD});
  TextFile file({reinterpret_cast<const char *>(data), size});
  llvm::Expected<std::vector<run::Case>> cases = run::readCases(file.path());
  if (!cases) {
    expectMessage(cases.takeError());
    return 0;
  }
  for (run::Case &test : *cases)
    tryCase(records, test);
  return 0;
}
