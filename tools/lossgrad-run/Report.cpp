//===- Report.cpp - Results of cases, for people and programs -------------===//

#include "Report.h"
#include "Judge.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad::run;

static constexpr StringLiteral outcomeNames[] = {"passed", "failed", "skipped"};

StringRef lossgrad::run::getOutcomeName(Outcome outcome) {
  return outcomeNames[static_cast<int>(outcome)];
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no NaN and no infinities.
static json::Value toJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

static double toDouble(const json::Value *value) {
  if (!value)
    return 0;
  if (auto number = value->getAsNumber())
    return *number;
  StringRef text = value->getAsString().value_or("");
  double infinite = std::numeric_limits<double>::infinity();
  return text == "inf" ? infinite : text == "-inf" ? -infinite : NAN;
}

static json::Value toJson(const WrongElement &element) {
  return json::Object{{"output", element.output},
                      {"index", json::Array(element.index)},
                      {"got", toJson(element.got)},
                      {"expected", toJson(element.expected)},
                      {"error", toJson(element.error)}};
}

static std::optional<WrongElement> readElement(const json::Object *json) {
  if (!json)
    return std::nullopt;
  WrongElement element;
  element.output = json->getString("output").value_or("").str();
  if (const json::Array *index = json->getArray("index"))
    for (const json::Value &axis : *index)
      element.index.push_back(axis.getAsInteger().value_or(0));
  element.got = toDouble(json->get("got"));
  element.expected = toDouble(json->get("expected"));
  element.error = toDouble(json->get("error"));
  return element;
}

static json::Value toJson(const ComputedTensor &tensor) {
  json::Array values;
  for (double value : tensor.values)
    values.push_back(toJson(value));
  json::Object json{{"name", tensor.name},
                    {"dtype", tensor.dtype},
                    {"shape", json::Array(tensor.shape)}};
  if (!tensor.values.empty())
    json["values"] = std::move(values);
  return json;
}

static ComputedTensor toTensor(const json::Value &value) {
  ComputedTensor tensor;
  const json::Object *json = value.getAsObject();
  if (!json)
    return tensor;
  tensor.name = json->getString("name").value_or("").str();
  tensor.dtype = json->getString("dtype").value_or("").str();
  if (const json::Array *shape = json->getArray("shape"))
    for (const json::Value &extent : *shape)
      tensor.shape.push_back(extent.getAsInteger().value_or(0));
  if (const json::Array *values = json->getArray("values"))
    for (const json::Value &each : *values)
      tensor.values.push_back(toDouble(&each));
  return tensor;
}

json::Value lossgrad::run::toJson(const CaseResult &result) {
  json::Object json{{"id", result.id},
                    {"op", result.op},
                    {"outcome", outcomeNames[static_cast<int>(result.outcome)]},
                    {"expected_status", result.expectedStatus},
                    {"seconds", result.seconds}};
  if (!result.reasons.empty())
    json["reasons"] = json::Array(result.reasons);
  if (result.status) {
    json["status"] = *result.status;
    json["mean_error"] = ::toJson(result.meanError);
    json["max_error"] = ::toJson(result.maxError);
  }
  if (!result.deviation.empty())
    json["deviation"] = result.deviation;
  if (!result.log.empty())
    json["log"] = json::fixUTF8(result.log);
  if (result.wrong)
    json["first_wrong"] = ::toJson(*result.wrong);
  if (result.lessExact)
    json["worst_relative"] = ::toJson(*result.lessExact);
  if (!result.allowance.empty())
    json["allowance"] = result.allowance;
  if (result.differentiated || result.notDifferentiable) {
    json["agree_with_differences"] = result.differentiated;
    json["not_differentiable"] = result.notDifferentiable;
  }
  if (!result.outputs.empty()) {
    json::Array outputs;
    for (const ComputedTensor &tensor : result.outputs)
      outputs.push_back(::toJson(tensor));
    json["outputs"] = std::move(outputs);
  }
  return json;
}

static std::optional<Outcome> findOutcome(StringRef name) {
  for (auto [i, known] : enumerate(outcomeNames))
    if (name == known)
      return static_cast<Outcome>(i);
  return std::nullopt;
}

Expected<CaseResult> lossgrad::run::resultFromJson(const json::Value &value) {
  const json::Object *json = value.getAsObject();
  auto id = json ? json->getString("id") : std::nullopt;
  auto outcome = json ? findOutcome(json->getString("outcome").value_or(""))
                      : std::nullopt;
  if (!id || !outcome)
    return createStringError("a result needs \"id\" and \"outcome\"");
  CaseResult result;
  result.id = id->str();
  result.op = json->getString("op").value_or("").str();
  result.outcome = *outcome;
  result.expectedStatus = json->getInteger("expected_status").value_or(0);
  result.status = json->getInteger("status");
  result.deviation = json->getString("deviation").value_or("").str();
  result.log = json->getString("log").value_or("").str();
  result.seconds = json->getNumber("seconds").value_or(0);
  result.meanError = toDouble(json->get("mean_error"));
  result.maxError = toDouble(json->get("max_error"));
  if (const json::Array *reasons = json->getArray("reasons"))
    for (const json::Value &reason : *reasons)
      result.reasons.push_back(reason.getAsString().value_or("").str());
  result.wrong = readElement(json->getObject("first_wrong"));
  result.lessExact = readElement(json->getObject("worst_relative"));
  result.allowance = json->getString("allowance").value_or("").str();
  result.differentiated =
      json->getInteger("agree_with_differences").value_or(0);
  result.notDifferentiable = json->getInteger("not_differentiable").value_or(0);
  if (const json::Array *outputs = json->getArray("outputs"))
    for (const json::Value &output : *outputs)
      result.outputs.push_back(toTensor(output));
  return result;
}

Counts lossgrad::run::count(ArrayRef<CaseResult> results) {
  Counts counts;
  for (const CaseResult &result : results)
    ++(result.outcome == Outcome::Passed   ? counts.passed
       : result.outcome == Outcome::Failed ? counts.failed
                                           : counts.skipped);
  return counts;
}

static void print(raw_ostream &os, const RunInfo &info,
                  ArrayRef<CaseResult> results) {
  Counts counts = count(results);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("tool", "lossgrad-run");
    json.attribute("library", info.library);
    json.attribute("soc", info.soc);
    json.attribute("mode", info.mode);
    json.attribute("seed", info.seed);
    json.attribute("passed", counts.passed);
    json.attribute("failed", counts.failed);
    json.attribute("skipped", counts.skipped);
    json.attributeArray("cases", [&] {
      for (const CaseResult &result : results)
        json.value(toJson(result));
    });
  });
  os << '\n';
}

Error lossgrad::run::checkWritable(StringRef path) {
  auto bad = [&](std::error_code code) {
    return createStringError("cannot write '" + path + "': " + code.message());
  };
  if (path == "-" ||
      (sys::fs::exists(path) && !sys::fs::is_regular_file(path) &&
       !sys::fs::is_directory(path)))
    return Error::success(); // a device or a pipe
  if (sys::fs::is_directory(path))
    return bad(std::make_error_code(std::errc::is_a_directory));
  // A file beside it is what writing it begins with.
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".temp-stream-%%%%%%");
  if (!file)
    return bad(errorToErrorCode(file.takeError()));
  return file->discard();
}

Error lossgrad::run::writeReport(StringRef path, const RunInfo &info,
                                 ArrayRef<CaseResult> results) {
  // All or nothing: the file appears when it is complete.
  Error error = writeToOutput(path, [&](raw_ostream &os) {
    print(os, info, results);
    return Error::success();
  });
  if (error)
    return createStringError("cannot write '" + path +
                             "': " + toString(std::move(error)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string toText(ArrayRef<int64_t> index) {
  std::string text = "[";
  for (auto [i, axis] : enumerate(index))
    text += (i ? ", " : "") + std::to_string(axis);
  return text + "]";
}

static void printFailure(raw_ostream &os, const CaseResult &result) {
  os << "FAILED " << result.id << '\n';
  for (const std::string &reason : result.reasons)
    os << "    " << reason << '\n';
  if (const auto &wrong = result.wrong) {
    os << "    " << wrong->output << toText(wrong->index) << ": got "
       << format("%.9g", wrong->got) << ", expected "
       << format("%.9g", wrong->expected) << ", error "
       << format("%.3g", wrong->error) << '\n'
       << "    over the output: mean error " << format("%.3g", result.meanError)
       << ", largest " << format("%.3g", result.maxError) << '\n';
  }
  if (!result.deviation.empty())
    os << "    deviation: " << result.deviation << '\n';
  SmallVector<StringRef> lines;
  StringRef(result.log).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : ArrayRef(lines).take_back(5))
    os << "    log: " << line << '\n';
}

/// One line per operator: the worst of its float32 results.
static void printExactness(raw_ostream &os, ArrayRef<CaseResult> results) {
  MapVector<StringRef, const CaseResult *> worst;
  for (const CaseResult &result : results) {
    if (!result.lessExact)
      continue;
    const CaseResult *&known = worst[result.op];
    if (!known || known->lessExact->error < result.lessExact->error)
      known = &result;
  }
  for (const auto &[op, result] : worst) {
    const WrongElement &element = *result->lessExact;
    bool lost = element.error > kHalfTheDigits;
    os << (lost ? "warning: " : "") << op
       << ": worst relative error of float32 " << format("%.2g", element.error);
    if (lost)
      os << ", more than half of the digits are lost: " << result->id << ", "
         << element.output << toText(element.index) << ": got "
         << format("%.9g", element.got) << ", expected "
         << format("%.9g", element.expected);
    os << '\n';
  }
}

/// One line per operator whose forward is known.
static void printDifferences(raw_ostream &os, ArrayRef<CaseResult> results) {
  struct Elements {
    unsigned agree = 0, leftOut = 0;
  };
  MapVector<StringRef, Elements> all;
  for (const CaseResult &result : results)
    if (result.differentiated || result.notDifferentiable) {
      Elements &elements = all[result.op];
      elements.agree += result.differentiated;
      elements.leftOut += result.notDifferentiable;
    }
  for (const auto &[op, elements] : all)
    os << formatv("{0}: {1} elements of the gradient agree with central "
                  "differences of the forward; {2} are at kinks, infinite or "
                  "too steep to say\n",
                  op, elements.agree, elements.leftOut);
}

void lossgrad::run::printOutputs(raw_ostream &os, ArrayRef<CaseResult> results,
                                 size_t limit) {
  for (const CaseResult &result : results)
    for (const ComputedTensor &tensor : result.outputs) {
      os << result.id << ": " << tensor.name << ' ' << tensor.dtype << ' '
         << toText(tensor.shape) << ':';
      for (double value : ArrayRef(tensor.values).take_front(limit))
        os << ' ' << format("%.9g", value);
      os << (tensor.values.size() > limit || tensor.values.empty() ? " ..."
                                                                   : "")
         << '\n';
    }
}

void lossgrad::run::printReport(raw_ostream &os, ArrayRef<CaseResult> results,
                                unsigned maxFailures) {
  unsigned shown = 0, left = 0;
  MapVector<StringRef, unsigned> skipped, deviations, allowances;
  for (const CaseResult &result : results) {
    if (result.outcome == Outcome::Skipped)
      ++skipped[result.reasons.empty() ? StringRef("") : result.reasons[0]];
    else if (!result.deviation.empty())
      ++deviations[result.deviation];
    if (result.outcome != Outcome::Skipped && !result.allowance.empty())
      ++allowances[result.allowance];
    if (result.outcome != Outcome::Failed)
      continue;
    if (shown < maxFailures) {
      printFailure(os, result);
      ++shown;
    } else {
      ++left;
    }
  }
  if (left)
    os << "... and " << left << " more failures (--max-failures)\n";
  for (const auto &[reason, times] : deviations)
    os << formatv("{0,5} by deviation: {1}\n", times, reason);
  for (const auto &[allowance, times] : allowances)
    os << formatv("{0,5} judged with an allowance of their own: {1}\n", times,
                  allowance);
  printExactness(os, results);
  printDifferences(os, results);
  for (const auto &[reason, times] : skipped)
    os << formatv("{0,5} skipped: {1}\n", times, reason);
  Counts counts = count(results);
  os << formatv("{0} passed, {1} failed, {2} skipped\n", counts.passed,
                counts.failed, counts.skipped);
}
