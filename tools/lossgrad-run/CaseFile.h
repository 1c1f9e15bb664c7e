//===- CaseFile.h - Operator cases from files -------------------*- C++ -*-===//
//
// Reads cases, one JSON object per line (or one object or list per file), and
// decides which of them can run here. What a case computes and whether the
// result is right is not decided here. The format is in docs/run.md.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_CASEFILE_H
#define LOSSGRAD_TOOLS_RUN_CASEFILE_H

#include "dialect/LossGrad/Contract/Deviations.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace lossgrad::targets {
struct Family;
struct Soc;
} // namespace lossgrad::targets

namespace lossgrad::run {

struct Case {
  llvm::json::Object json;
  /// `file.jsonl:12`, or where else it comes from.
  std::string where;
  /// Defaults to `where`.
  std::string id;
  /// The aclnn function; empty where the case leaves it to whoever reads it.
  std::string op;
  /// Only the first phase is called, and only its status compared.
  bool validateOnly = false;
  /// Written for a bare kernel, possibly beyond the documented interface.
  bool kernelLevel = false;
  /// The compute units it is meant for; empty: not said.
  std::vector<std::string> units;
  /// Remarks, without their separators.
  std::vector<std::string> notes;
  int64_t expectedStatus = 0;
  /// Why another status than the case's own is expected; empty: it is not.
  std::string deviation;
};

/// Reads a case from its object. `where` names the place in messages.
llvm::Expected<Case> parseCase(llvm::json::Object object, std::string where);

/// Reads a file, `-` for the standard input.
llvm::Expected<std::vector<Case>> readCases(llvm::StringRef path);

/// Replaces expected statuses, those of the library, too. A row of the table
/// whose status is the case's own is stale, which is an error.
llvm::Error applyDeviations(std::vector<Case> &cases,
                            const llvm::StringMap<Deviation> &table);

/// The chip of a name: of its own (Ascend910B1), or the first of a product
/// family (A2) or compute unit (ascend910b).
llvm::Expected<const targets::Soc *> findProduct(llvm::StringRef name);

enum class KernelCases { Documented, Accepted, None };

/// What runs: by product, and how far beyond the documented interface.
struct Selection {
  const targets::Family *family = nullptr;
  KernelCases kernelCases = KernelCases::Documented;
};

/// Why a case does not run here, in words that many cases share; nothing if
/// it does. `all` are the cases it stands among: "other" means the products
/// that its siblings do not name.
std::optional<std::string> whySkipped(const Case &test,
                                      const Selection &selection,
                                      const std::vector<Case> &all);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_CASEFILE_H
