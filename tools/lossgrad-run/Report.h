//===- Report.h - Results of cases, for people and programs -----*- C++ -*-===//
//
// What a case came to, the table of failures, the counts, and the same as
// JSON; and the comparison of two such files. Running and judging are
// elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_REPORT_H
#define LOSSGRAD_TOOLS_RUN_REPORT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace lossgrad::run {

enum class Outcome { Passed, Failed, Skipped };

/// The first wrong element of an output.
struct WrongElement {
  std::string output;
  std::vector<int64_t> index;
  double got = 0, expected = 0, error = 0;
};

/// A computed tensor.
struct ComputedTensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
  /// Row-major; empty where there are too many to keep.
  std::vector<double> values;
};

struct CaseResult {
  std::string id, op;
  Outcome outcome = Outcome::Passed;
  /// Why it failed or was skipped; one line each.
  std::vector<std::string> reasons;
  std::optional<int64_t> status;
  int64_t expectedStatus = 0;
  std::string deviation;
  std::optional<WrongElement> wrong;
  /// Over all outputs; meaningful after a numeric comparison.
  double meanError = 0, maxError = 0;
  /// The float32 result with the largest relative error, whatever was allowed
  /// for.
  std::optional<WrongElement> lessExact;
  /// What the case allows itself beyond the rules of its operator.
  std::string allowance;
  /// Elements of gradients that agree with differences of the forward, and
  /// those that differences cannot judge.
  unsigned differentiated = 0, notDifferentiable = 0;
  /// What was computed, where somebody wants to see it.
  std::vector<ComputedTensor> outputs;
  double seconds = 0;
  /// What the library wrote to its log; kept only for failures.
  std::string log;

  void fail(std::string reason) {
    outcome = Outcome::Failed;
    reasons.push_back(std::move(reason));
  }
};

llvm::json::Value toJson(const CaseResult &result);
llvm::Expected<CaseResult> resultFromJson(const llvm::json::Value &json);

/// What was run, for the head of the JSON file.
struct RunInfo {
  std::string library, soc, mode, seed;
};

/// passed, failed, skipped
llvm::StringRef getOutcomeName(Outcome outcome);

struct Counts {
  unsigned passed = 0, failed = 0, skipped = 0;
};
Counts count(llvm::ArrayRef<CaseResult> results);

/// Failures with the first wrong element, reasons for skipping with their
/// counts, deviations and allowances that were used, how exact each operator
/// was, and as the last line `N passed, N failed, N skipped`.
void printReport(llvm::raw_ostream &os, llvm::ArrayRef<CaseResult> results,
                 unsigned maxFailures);

/// The computed tensors of all cases, at most `limit` elements of each.
void printOutputs(llvm::raw_ostream &os, llvm::ArrayRef<CaseResult> results,
                  size_t limit);

/// An error if a file cannot be written there, before the work is done.
llvm::Error checkWritable(llvm::StringRef path);

/// Writes all results as JSON. The file appears when it is complete.
llvm::Error writeReport(llvm::StringRef path, const RunInfo &info,
                        llvm::ArrayRef<CaseResult> results);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_REPORT_H
