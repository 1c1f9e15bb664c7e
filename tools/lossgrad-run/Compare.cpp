//===- Compare.cpp - Two results or two profiles --------------------------===//

#include "Compare.h"
#include "Report.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

static Expected<bool> isReport(StringRef path) {
  Expected<json::Value> value = readJson(path);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  return object && object->getString("tool") == StringRef("lossgrad-run");
}

/// Sorted by id, so that the comparison reads the same in every run.
static Expected<std::map<std::string, CaseResult>> readResults(StringRef path) {
  Expected<json::Value> value = readJson(path);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  const json::Array *cases = object ? object->getArray("cases") : nullptr;
  if (!cases)
    return createStringError(path + ": has no \"cases\"");
  std::map<std::string, CaseResult> results;
  for (const json::Value &entry : *cases) {
    Expected<CaseResult> result = resultFromJson(entry);
    if (!result)
      return createStringError(path + ": " + toString(result.takeError()));
    results[result->id] = std::move(*result);
  }
  return results;
}

Expected<unsigned> lossgrad::run::compareReports(raw_ostream &os,
                                                 StringRef before,
                                                 StringRef after) {
  auto old = readResults(before);
  if (!old)
    return old.takeError();
  auto current = readResults(after);
  if (!current)
    return current.takeError();
  unsigned broken = 0, repaired = 0, same = 0, gone = 0, added = 0;
  for (const auto &[id, was] : *old) {
    auto found = current->find(id);
    if (found == current->end()) {
      ++gone;
      broken += was.outcome == Outcome::Passed;
      os << "gone      " << id << '\n';
      continue;
    }
    const CaseResult &is = found->second;
    bool ran = was.outcome == Outcome::Passed,
         runs = is.outcome == Outcome::Passed;
    if (ran && !runs) {
      ++broken;
      os << "broken    " << id << ": "
         << (is.reasons.empty() ? "" : is.reasons[0]) << '\n';
    } else if (!ran && runs) {
      ++repaired;
      os << "repaired  " << id << '\n';
    } else {
      ++same;
      // Twice the error is more than another order of summation explains.
      if (runs && is.maxError > 2 * was.maxError && is.maxError > 1e-6)
        os << "less exact " << id
           << formatv(": largest error {0:e2}, was {1:e2}\n", is.maxError,
                      was.maxError);
    }
  }
  for (const auto &[id, is] : *current)
    if (!old->count(id)) {
      ++added;
      os << "new       " << id << ": " << getOutcomeName(is.outcome) << '\n';
    }
  os << formatv("{0} broken, {1} repaired, {2} same, {3} new, {4} gone\n",
                broken, repaired, same, added, gone);
  return broken;
}

Expected<bool> lossgrad::run::compareFiles(raw_ostream &os, StringRef before,
                                           StringRef after,
                                           StringRef reportTool) {
  Expected<bool> first = isReport(before), second = isReport(after);
  if (Error error = joinErrors(first.takeError(), second.takeError()))
    return error;
  if (*first != *second)
    return createStringError("'" + (*first ? after : before) +
                             "' holds no results of lossgrad-run, but '" +
                             (*first ? before : after) + "' does");
  if (*first) {
    Expected<unsigned> broken = compareReports(os, before, after);
    if (!broken)
      return broken.takeError();
    return *broken == 0;
  }
  // Profiles are the stand-in's own files.
  std::string problem;
  os.flush();
  int status =
      sys::ExecuteAndWait(reportTool, {reportTool, "--compare", before, after},
                          std::nullopt, {}, 0, 0, &problem);
  if (!problem.empty())
    return createStringError(reportTool + ": " + problem);
  if (status != 0)
    return createStringError(
        "'%s' and '%s' are neither results of lossgrad-run nor profiles",
        before.str().c_str(), after.str().c_str());
  return true;
}
