//===- OutOfTree.cpp - From a user's record to a library ------------------===//

#include "OutOfTree.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <thread>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

namespace {

/// Shows a command and runs it; its output goes to a log, which is shown where
/// the command fails.
class Steps {
public:
  void announce(const Twine &what) {
    outs() << "== " << ++number << ". " << what << '\n';
    outs().flush();
  }
  Error run(ArrayRef<std::string> command, StringRef log);

private:
  unsigned number = 0;
  bool showsProgress = sys::Process::StandardErrIsDisplayed();
};

} // namespace

static std::string inFolder(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

/// As one would type it.
static std::string spell(ArrayRef<std::string> command) {
  std::string text = sys::path::filename(command.front()).str();
  for (StringRef word : command.drop_front())
    text += (StringRef(word).find_first_of(" '\"$") == StringRef::npos
                 ? " " + word
                 : " '" + word + "'")
                .str();
  return text;
}

/// The last line that is complete, or what has come of the first.
static std::string lastLine(StringRef path) {
  auto text = MemoryBuffer::getFile(path);
  if (!text)
    return "";
  StringRef all = (*text)->getBuffer().rtrim();
  return all.substr(all.rfind('\n') + 1).take_front(80).str();
}

/// Runs a command whose output goes to a file, and shows how far it is: a build
/// takes a minute in which a terminal would look dead.
static int runWatched(ArrayRef<StringRef> words,
                      ArrayRef<std::optional<StringRef>> streams, StringRef log,
                      std::string &problem) {
  bool failed = false;
  sys::ProcessInfo process = sys::ExecuteNoWait(
      words.front(), words, std::nullopt, streams, 0, &problem, &failed);
  if (failed)
    return -1;
  const auto begin = std::chrono::steady_clock::now();
  sys::ProcessInfo ended;
  while ((ended = sys::Wait(process, /*SecondsToWait=*/0, &problem,
                            /*ProcStat=*/nullptr, /*Polling=*/true))
             .Pid == 0) {
    // The time as well: a busy machine compiles one file for half a minute.
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - begin);
    errs() << "\r   " << format("%3d s  ", static_cast<int>(passed.count()))
           << left_justify(lastLine(log), 80);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  errs() << '\r' << left_justify("", 93) << '\r';
  return ended.ReturnCode;
}

Error Steps::run(ArrayRef<std::string> command, StringRef log) {
  outs() << "   $ " << spell(command) << '\n';
  outs().flush();
  SmallVector<StringRef> words(command.begin(), command.end());
  std::optional<StringRef> streams[3] = {std::nullopt, std::nullopt,
                                         std::nullopt};
  if (!log.empty()) {
    streams[1] = streams[2] = log; // the same file: both in order
    // What an earlier command wrote would stay behind a shorter text.
    sys::fs::remove(log);
  }
  std::string problem;
  int status = showsProgress && !log.empty()
                   ? runWatched(words, streams, log, problem)
                   : sys::ExecuteAndWait(command.front(), words, std::nullopt,
                                         streams, 0, 0, &problem);
  if (status == 0)
    return Error::success();
  if (!log.empty())
    if (auto text = MemoryBuffer::getFile(log))
      errs() << (*text)->getBuffer();
  return createStringError(
      "'" + sys::path::filename(command.front()) + "' failed" +
      (problem.empty() ? Twine(" with exit status ") + Twine(status)
                       : ": " + Twine(problem)) +
      (log.empty() ? "" : "; its output is in '" + log + "'"));
}

static Expected<std::string> findTool(StringRef name) {
  ErrorOr<std::string> path = sys::findProgramByName(name);
  if (!path)
    return createStringError("building a project needs '" + name +
                             "', which is not on the PATH");
  return *path;
}

static std::string chooseDirectory(const ProjectOptions &options,
                                   ArrayRef<OperatorOp> operators) {
  if (!options.directory.empty())
    return options.directory;
  OperatorOp first = operators.front();
  return (first.getSymName() + "_project").str();
}

Expected<std::string> run::buildProject(const ProjectOptions &options,
                                        ArrayRef<OperatorOp> operators) {
  if (operators.empty())
    return createStringError("'" + options.records.front() +
                             "' holds no operator");
  std::string project = chooseDirectory(options, operators);
  std::string build = inFolder(project, "build_out");
  Steps steps;
  if (options.printDerived) {
    steps.announce("Derive the gradient from the forward");
    options.printDerived(outs());
  }

  steps.announce("Project in " + project);
  std::vector<std::string> generate{
      inFolder(options.toolDirectory, "lossgrad-project")};
  generate.insert(generate.end(), options.records.begin(),
                  options.records.end());
  for (const std::string &dir : options.includeDirs)
    generate.push_back("-I" + dir);
  generate.insert(generate.end(), {"-o", project, "--require-all"});
  if (Error error = steps.run(generate, ""))
    return error;

  steps.announce("Build against the SDK, in " + build);
  Expected<std::string> cmake = findTool("cmake");
  if (!cmake)
    return cmake.takeError();
  if (std::error_code code = sys::fs::create_directories(build))
    return createStringError(build + ": " + code.message());
  std::vector<std::string> configure{
      *cmake,
      "-S",
      project,
      "-B",
      build,
      "-DLossgradSDK_DIR=" + inFolder(options.sdk, "lib/cmake/LossgradSDK"),
      "-DCMAKE_BUILD_TYPE=Release"};
  // Kernels take most of the time, and only those of one product run. Where no
  // operator is for it, its contract says so, whatever is built.
  if (options.family && any_of(operators, [&](OperatorOp op) {
        return op.hasProduct(options.family->key);
      }))
    configure.push_back(std::string("-DASCEND_COMPUTE_UNIT=") +
                        options.family->computeUnit);
  if (sys::findProgramByName("ninja"))
    configure.insert(configure.end(), {"-G", "Ninja"});
  std::string log = inFolder(build, "lossgrad-run.log");
  if (Error error = steps.run(configure, log))
    return error;
  if (Error error = steps.run({*cmake, "--build", build}, log))
    return error;

  SmallString<128> library(inFolder(build, "libcust_opapi.so"));
  sys::fs::make_absolute(library);
  if (!sys::fs::exists(library))
    return createStringError("the build did not make '" + library + "'; see '" +
                             log + "'");
  steps.announce("Run " + Twine(sys::path::filename(library)) +
                 " on the stand-in");
  return library.str().str();
}
