//===- CaseRunner.h - Running and judging one case --------------*- C++ -*-===//
//
// From a case to its result: contents and reference, the call through the
// public API, the comparison. One process, one case at a time; which cases run
// and how results are shown is decided elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_CASERUNNER_H
#define LOSSGRAD_TOOLS_RUN_CASERUNNER_H

#include "AclnnCall.h"
#include "CaseFile.h"
#include "Golden.h"
#include "Records.h"
#include "Report.h"
#include "lossgrad/Targets.h"

namespace lossgrad::run {

struct RunnerOptions {
  std::string library;
  std::string seed;
  Selection selection;
  llvm::StringMap<OperatorRules> rules;
  /// Larger tensors make a case one for hardware.
  int64_t maxElements = int64_t(1) << 26;
  /// Computed tensors of at most so many elements are kept with the result.
  size_t keepElements = 0;
  /// How many cases share the memory.
  unsigned jobs = 1;
};

/// Why a case of these tensors cannot be run here; nothing if it can.
std::optional<std::string> whyTooLarge(const llvm::StringMap<View> &views,
                                       int64_t maxElements,
                                       uint64_t freeMemory);

class CaseRunner {
public:
  CaseRunner(Records &records, const RunnerOptions &options)
      : records(records), options(options) {}

  /// Never fails: what cannot be run is a failed case.
  CaseResult run(const Case &test);

private:
  void runValidate(OperatorOp op, const Case &test, CaseResult &result);
  void runNumeric(OperatorOp op, const Case &test, CaseResult &result);
  void judgeOutputs(OperatorOp op, const Case &test, GoldenCall &golden,
                    CaseResult &result);
  /// Whether halves are cut to their range on the product that runs.
  bool saturates() const {
    return !options.selection.family->overflowToInfinity;
  }
  void judgeExpectation(const OutputTensor &output, GoldenCall &golden,
                        CaseResult &result);
  void keepOutput(const OutputTensor &output, llvm::ArrayRef<Element> actual,
                  CaseResult &result);
  void compareWithForward(OperatorOp op, const Case &test,
                          const GoldenCall &golden, CaseResult &result);
  void checkStatus(const CallOutcome &outcome, CaseResult &result);
  llvm::Error openRuntime();
  bool mayRun(OperatorOp op, const Case &test, CaseResult &result);

  Records &records;
  const RunnerOptions &options;
  std::unique_ptr<AclRuntime> runtime;
};

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_CASERUNNER_H
