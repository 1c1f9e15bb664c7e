//===- Workers.h - Cases in processes of their own --------------*- C++ -*-===//
//
// Runs cases in forked worker processes, so that an operator that crashes,
// hangs or exits costs one case and not the run, and so that several run at
// once. What a worker's library writes to stderr is kept with a failure and
// dropped otherwise. A process that is asked for zero workers runs the cases
// itself, for debuggers and for profiles.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_WORKERS_H
#define LOSSGRAD_TOOLS_RUN_WORKERS_H

#include "CaseFile.h"
#include "Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lossgrad::run {

struct WorkerOptions {
  /// 0: in this process.
  unsigned jobs = 1;
  /// Seconds that a case may take; 0: any.
  unsigned timeout = 600;
};

/// Runs the cases whose numbers are given and returns their results in that
/// order. `runCase` is called in the workers, `onResult` here, as results
/// arrive. SIGINT and SIGTERM end the workers; cases without a result are then
/// skipped ones.
std::vector<CaseResult>
runCases(const std::vector<Case> &cases, const std::vector<size_t> &numbers,
         const WorkerOptions &options,
         llvm::function_ref<CaseResult(const Case &)> runCase,
         llvm::function_ref<void(const CaseResult &)> onResult);

/// The signal that ended a run of workers early, or 0.
int getInterruption();

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_WORKERS_H
