//===- lossgrad-run.cpp - Run operator cases and judge them ---------------===//
//
// The order of the program's steps: cases from files, from the
// command line or from chance; the library they run in, built first where an
// operator lies outside of it; the runs; the report. All work is done in the
// library beside this file.
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"
#include "CaseForm.h"
#include "CaseMaker.h"
#include "CaseRunner.h"
#include "Compare.h"
#include "Options.h"
#include "OutOfTree.h"
#include "Report.h"
#include "Workers.h"
#include "codegen/Import/Import.h"
#include "codegen/Import/RecordText.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "lossgrad/Targets.h"
#include "tools/ToolMain.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <malloc.h>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

class Tool {
public:
  int run();

private:
  Error choosePlaces();
  Error prepareRecords();
  Error collectCases();
  Error addMadeCases();
  Expected<std::vector<OperatorOp>> findNamed();
  Error addWordCases(OperatorOp op, const CaseWords &words, const Twine &id);
  Error addRandomCases(OperatorOp op);
  Error applyDeviationTables();
  Error chooseCases();
  Error checkCases();
  Error checkOutputs();
  Error prepareEnvironment();
  Error loadRules();
  int list();
  int printAll();
  int runAll();

  RunnerOptions options;
  std::unique_ptr<Records> records;
  std::vector<std::string> ownRecords, paths;
  std::vector<Case> cases;
  std::vector<size_t> chosen;
  const targets::Soc *soc = nullptr;
};

} // namespace

static std::string besideTool(ArrayRef<StringRef> candidates) {
  static int anchor;
  std::string program = sys::fs::getMainExecutable(nullptr, &anchor);
  StringRef folder = sys::path::parent_path(program);
  std::string first;
  for (StringRef candidate : candidates) {
    SmallString<128> path(folder);
    sys::path::append(path, "..", candidate);
    sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (sys::fs::exists(path))
      return path.str().str();
    if (first.empty())
      first = path.str().str();
  }
  return first;
}

static bool isRecord(StringRef path) {
  return path.ends_with(".td") || path.ends_with(".mlir");
}

/// Sorts arguments into records and cases, and finds product and library.
Error Tool::choosePlaces() {
  for (ArrayRef<std::string> list :
       {ArrayRef<std::string>(files), ArrayRef<std::string>(caseFiles)})
    for (const std::string &path : list)
      (isRecord(path) ? ownRecords : paths).push_back(path);
  Expected<const targets::Soc *> product = findProduct(socName);
  if (!product)
    return product.takeError();
  soc = *product;
  options.selection = {soc->family, kernelCases};
  options.seed = seed;
  options.maxElements = maxElements;
  options.jobs = jobs;
  options.keepElements = !jsonFile.empty() ? 4096 : show ? 64 : 0;
  if (mode != "fast" && mode != "check" && mode != "profile")
    return createStringError("--mode must be fast, check or profile, not '" +
                             mode + "'");
  if (checkLevel != "strict" && checkLevel != "auto-sync")
    return createStringError("--check-level must be strict or auto-sync, "
                             "not '" +
                             checkLevel + "'");
  return Error::success();
}

Error Tool::prepareRecords() {
  std::vector<std::string> all = ownRecords;
  all.insert(all.end(), recordPaths.begin(), recordPaths.end());
  if (recordPaths.empty())
    all.push_back(getRecordDir());
  records = std::make_unique<Records>(all, includeDirs);
  return records->load();
}

Error Tool::addRandomCases(OperatorOp op) {
  ParameterRanges ranges =
      options.rules.lookup(("aclnn" + op.getSymName()).str()).ranges;
  for (const auto &range : ranges)
    if (!op.findParam(range.first()))
      return createStringError("--rules: " + op.getSymName() +
                               " has no parameter '" + range.first() + "'");
  std::vector<json::Object> made = makeRandomCases(
      op, soc->family->key, randomCount > 0 ? randomCount : 48, seed, ranges);
  if (made.empty()) {
    std::string products;
    for (auto product : op.getProducts().getAsRange<mlir::StringAttr>())
      products += (products.empty() ? "" : ", ") + product.str();
    return createStringError("no random case of " + op.getSymName() + " for " +
                             socName + ": its contract accepts none on " +
                             soc->family->key + "; its products are " +
                             products);
  }
  for (json::Object &object : made) {
    Expected<Case> test = parseCase(std::move(object), "random case");
    if (!test)
      return test.takeError();
    cases.push_back(std::move(*test));
  }
  return Error::success();
}

/// The operators that --op names; without it the only one that is loaded.
Expected<std::vector<OperatorOp>> Tool::findNamed() {
  std::vector<OperatorOp> named;
  if (opNames.empty()) {
    named = records->getLoaded();
    if (named.size() != 1)
      return createStringError("--op says which operator the case is for");
    return named;
  }
  for (const std::string &name : opNames) {
    std::string function =
        StringRef(name).starts_with("aclnn") ? name : "aclnn" + name;
    Expected<OperatorOp> found = records->find(function);
    if (!found)
      return found.takeError();
    if (!*found)
      return createStringError("no record of " + function + "; there are " +
                               join(records->getKnown(), ", "));
    if (!is_contained(named, *found))
      named.push_back(*found);
  }
  return named;
}

/// One case from the words of the command line, or as many as --random says
/// with these words and other data each.
Error Tool::addWordCases(OperatorOp op, const CaseWords &words,
                         const Twine &id) {
  for (unsigned i = 0, e = std::max<unsigned>(randomCount, 1); i < e; ++i) {
    Expected<json::Object> object = makeCase(op, soc->family->key, words);
    if (!object)
      return object.takeError();
    (*object)["id"] = randomCount > 0 ? (id + "/" + Twine(i)).str() : id.str();
    Expected<Case> test = parseCase(std::move(*object), "command line");
    if (!test)
      return test.takeError();
    cases.push_back(std::move(*test));
  }
  return Error::success();
}

/// Random cases of the operators whose records are given.
Error Tool::addMadeCases() {
  if (randomCount.getNumOccurrences() > 0 && randomCount == 0)
    return createStringError("--random 0: must be at least 1");
  CaseWords words{shapes,  dtypes,   ranges, values,    strides,
                  offsets, storages, overs,  nullNames, attributes};
  bool hasWords = !words.empty();
  // Beside cases that are given, --op says which operator they are for.
  bool asksForMore = hasWords || randomCount > 0 || cases.empty();
  if ((!opNames.empty() && asksForMore) || hasWords) {
    Expected<std::vector<OperatorOp>> named = findNamed();
    if (!named)
      return named.takeError();
    for (OperatorOp op : *named) {
      std::string id = named->size() == 1
                           ? "command line"
                           : ("command line/" + op.getSymName()).str();
      if (Error error = randomCount > 0 && !hasWords
                            ? addRandomCases(op)
                            : addWordCases(op, words, id))
        return error;
    }
    return Error::success();
  }
  bool wanted = randomCount > 0 || cases.empty();
  if (ownRecords.empty() || !wanted)
    return Error::success();
  for (OperatorOp op : records->getLoaded())
    if (Error error = addRandomCases(op))
      return error;
  return Error::success();
}

Error Tool::collectCases() {
  for (const std::string &path : paths) {
    Expected<std::vector<Case>> read = readCases(path);
    if (!read)
      return read.takeError();
    std::move(read->begin(), read->end(), std::back_inserter(cases));
  }
  for (const std::string &text : caseTexts) {
    Expected<json::Value> value = parseJson(text);
    if (!value)
      return createStringError("--case: " + toString(value.takeError()));
    json::Object *object = value->getAsObject();
    if (!object)
      return createStringError("--case: a case must be a JSON object");
    Expected<Case> test = parseCase(std::move(*object), "command line");
    if (!test)
      return test.takeError();
    cases.push_back(std::move(*test));
  }
  for (Case &test : cases) {
    if (!test.op.empty())
      continue;
    Expected<std::vector<OperatorOp>> named = findNamed();
    if (!named && !opNames.empty())
      return named.takeError();
    if (!named || named->size() != 1) {
      consumeError(named.takeError());
      return createStringError(test.where + ": a case needs \"op\", the aclnn "
                                            "function to call");
    }
    test.op = ("aclnn" + named->front().getSymName()).str();
  }
  if (Error error = addMadeCases())
    return error;
  if (cases.empty())
    return createStringError("nothing to run: give --cases, --op or a record "
                             "(--help)");
  StringSet<> seen;
  for (const Case &test : cases)
    if (!seen.insert(test.id).second)
      return createStringError(test.where + ": the id '" + test.id +
                               "' is taken");
  return Error::success();
}

Error Tool::applyDeviationTables() {
  SmallVector<std::string> tables;
  if (!deviationFile.empty())
    tables.push_back(deviationFile);
  else
    for (const std::string &path : paths) {
      SmallString<128> table(sys::path::parent_path(path));
      sys::path::append(table, "deviations.json");
      if (sys::fs::exists(table) && !is_contained(tables, table.str()))
        tables.push_back(table.str().str());
    }
  for (const std::string &path : tables) {
    Expected<StringMap<Deviation>> table = readDeviations(path);
    if (!table)
      return table.takeError();
    if (Error error = applyDeviations(cases, *table))
      return error;
  }
  return Error::success();
}

Error Tool::chooseCases() {
  Regex regex(filter.empty() ? "." : filter.getValue());
  std::string problem;
  if (!regex.isValid(problem))
    return createStringError("--filter '" + filter + "': " + problem);
  for (auto [i, test] : enumerate(cases))
    if (regex.match(test.id))
      chosen.push_back(i);
  if (chosen.empty())
    return createStringError("no case matches --filter '" + filter + "'");
  return Error::success();
}

/// Mistakes in cases are found before the first of them runs.
Error Tool::checkCases() {
  for (size_t i : chosen) {
    const Case &test = cases[i];
    Expected<OperatorOp> op = records->find(test.op);
    if (!op)
      return op.takeError();
    if (!*op || whySkipped(test, options.selection, cases))
      continue;
    if (Error error = checkFits(*op, test))
      return createStringError(test.where + ": " + toString(std::move(error)));
  }
  return Error::success();
}

/// What is written at the end must be writable at the beginning.
Error Tool::checkOutputs() {
  if (!jsonFile.empty())
    if (Error error = checkWritable(jsonFile))
      return createStringError("--json: " + toString(std::move(error)));
  if (mode != "profile")
    return Error::success();
  const char *setting = std::getenv("LOSSGRAD_PROFILE_DIR");
  StringRef folder = setting ? setting : "lossgrad_profile";
  if (folder.empty())
    return Error::success(); // no files
  bool isNew = !sys::fs::exists(folder);
  if (std::error_code code = sys::fs::create_directories(folder))
    return createStringError(
        "cannot make the folder '" + folder +
        "' for profiles (LOSSGRAD_PROFILE_DIR): " + code.message());
  Error error = checkWritable((folder + "/profile.json").str());
  // A run that is interrupted leaves nothing; the profile makes it again.
  if (isNew)
    sys::fs::remove(folder);
  return error;
}

Error Tool::loadRules() {
  std::string path = rulesFile;
  if (path.empty())
    path = besideTool({"share/lossgrad/rules.json"});
  Expected<StringMap<OperatorRules>> rules = readRules(path);
  if (!rules)
    return rules.takeError();
  options.rules = std::move(*rules);
  return Error::success();
}

/// The runtime reads its settings when it is loaded, which is later.
Error Tool::prepareEnvironment() {
  setenv("LOSSGRAD_SOC", soc->name, 1);
  setenv("LOSSGRAD_MODE", mode.c_str(), 1);
  setenv("LOSSGRAD_CHECK", checkLevel.c_str(), 1);
  options.library = library;
  if (library.empty() && ownRecords.empty())
    options.library = besideTool({"sdk/lib/libopapi.so", "lib/libopapi.so"});
  if (!library.empty() || ownRecords.empty()) {
    if (!sys::fs::exists(options.library))
      return createStringError("no operator library '" + options.library +
                               "' (--library)");
    // dlopen searches elsewhere for a bare name.
    SmallString<128> absolute(options.library);
    sys::fs::make_absolute(absolute);
    options.library = absolute.str().str();
    return Error::success();
  }
  ProjectOptions project;
  project.records = ownRecords;
  project.includeDirs = includeDirs;
  project.directory = projectDir;
  project.family = soc->family;
  project.toolDirectory = besideTool({"bin"});
  project.sdk = besideTool({"sdk", "."});
  std::vector<OperatorOp> derived = records->getDerived();
  if (!derived.empty())
    project.printDerived = [derived](raw_ostream &os) {
      for (OperatorOp op : derived) {
        os << "   // " << op.getSymName() << '\n';
        printFormulas(op, os);
      }
    };
  Expected<std::string> built = buildProject(project, records->getLoaded());
  if (!built)
    return built.takeError();
  options.library = *built;
  return Error::success();
}

int Tool::list() {
  for (size_t i : chosen) {
    const Case &test = cases[i];
    outs() << test.id << "  " << test.op
           << (test.validateOnly ? "  validate" : "  numeric");
    if (auto reason = whySkipped(test, options.selection, cases))
      outs() << "  skipped: " << *reason;
    outs() << '\n';
  }
  outs() << chosen.size() << " cases\n";
  return 0;
}

int Tool::printAll() {
  for (size_t i : chosen)
    outs() << json::Value(json::Object(cases[i].json)) << '\n';
  return 0;
}

int Tool::runAll() {
  std::vector<CaseResult> results(chosen.size());
  std::vector<size_t> numbers, positions;
  for (auto [position, i] : enumerate(chosen)) {
    if (auto reason = whySkipped(cases[i], options.selection, cases)) {
      CaseResult &result = results[position];
      result.id = cases[i].id;
      result.op = cases[i].op;
      result.outcome = Outcome::Skipped;
      result.reasons.push_back(*reason);
      continue;
    }
    numbers.push_back(i);
    positions.push_back(position);
  }
  bool showProgress = progress || sys::Process::StandardErrIsDisplayed();
  unsigned done = 0, failed = 0;
  auto onResult = [&](const CaseResult &result) {
    ++done;
    failed += result.outcome == Outcome::Failed;
    if (showProgress)
      errs() << '\r'
             << formatv("[{0}/{1}] {2} failed  ", done, numbers.size(), failed)
             << left_justify(StringRef(result.id).take_back(60), 60);
  };
  CaseRunner runner(*records, options);
  // A profile is written once, at the end of a process.
  WorkerOptions workers{mode == "profile" ? 0u : unsigned(jobs), timeout};
  std::vector<CaseResult> ran = runCases(
      cases, numbers, workers,
      [&](const Case &test) { return runner.run(test); }, onResult);
  if (showProgress && done)
    errs() << '\r' << left_justify("", 90) << '\r';
  for (auto [position, result] : zip(positions, ran))
    results[position] = std::move(result);
  if (show)
    printOutputs(outs(), results, 64);
  printReport(outs(), results, maxFailures);
  if (int signal = getInterruption()) {
    errs() << "lossgrad-run: interrupted after " << done << " of "
           << numbers.size() << " cases"
           << (jsonFile.empty() ? "" : "; no JSON is written") << '\n';
    return 128 + signal;
  }
  if (!jsonFile.empty())
    if (Error error = writeReport(
            jsonFile, {options.library, soc->name, mode, seed}, results)) {
      errs() << "lossgrad-run: " << toString(std::move(error)) << '\n';
      return 2;
    }
  Counts counts = count(results);
  if (counts.failed == 0 && counts.passed < atLeast)
    errs() << "lossgrad-run: " << counts.passed << " cases passed, at least "
           << atLeast << " had to (--at-least)\n";
  return counts.failed > 0 || counts.passed < atLeast;
}

static int compare() {
  Expected<bool> good = compareFiles(
      outs(), compareFileNames[0], compareFileNames[1],
      besideTool({"sdk/bin/lossgrad-report", "bin/lossgrad-report"}));
  if (good)
    return !*good;
  errs() << "lossgrad-run: " << toString(good.takeError()) << '\n';
  return 2;
}

int Tool::run() {
  auto steps = [&]() -> Error {
    if (Error error = choosePlaces())
      return error;
    if (Error error = loadRules())
      return error;
    if (Error error = prepareRecords())
      return error;
    if (Error error = collectCases())
      return error;
    if (Error error = applyDeviationTables())
      return error;
    if (Error error = chooseCases())
      return error;
    return checkCases();
  };
  auto last = [&]() -> Error {
    if (Error error = checkOutputs())
      return error;
    return prepareEnvironment();
  };
  Error error = steps();
  if (!error && listOnly)
    return list();
  if (!error && printCases)
    return printAll();
  if (!error)
    error = last();
  if (error) {
    errs() << "lossgrad-run: " << toString(std::move(error)) << '\n';
    return 2;
  }
  return runAll();
}

// No InitLLVM: its handlers would come before those by which the runtime
// recognises faults of kernels.
int main(int argc, char **argv) {
  // Cases allocate the same large vectors again and again: keep the pages.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  lossgrad::tools::setVersion("lossgrad-run");
  cl::HideUnrelatedOptions({&category, &oneCase, &where, &output});
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errs()))
    return 2;
  if (!compareFileNames.empty())
    return compare();
  return Tool().run();
}
