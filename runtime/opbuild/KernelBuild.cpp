//===- KernelBuild.cpp - compiling kernels that are out of date -----------===//
//
// A small parallel build: one object and one shared library per job, up to date
// when neither the command nor any file it read has changed.
//
//===----------------------------------------------------------------------===//
#include "KernelPlan.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace lossgrad::opbuild {
namespace {

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string joined(const std::vector<std::string> &command) {
  std::string text;
  for (const std::string &word : command)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Runs a command with its output in a file; the exit status.
int run(const std::vector<std::string> &command, const fs::path &log) {
  const pid_t child = fork();
  if (child < 0)
    return 127;
  if (child == 0) {
    FILE *out = std::freopen(log.c_str(), "w", stdout);
    if (!out || dup2(fileno(out), 2) < 0)
      _exit(127);
    std::vector<char *> words;
    for (const std::string &word : command)
      words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    std::perror(words[0]);
    std::fflush(nullptr);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127; // nobody knows how it ended
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Whether `output` is newer than everything that its dependency file names.
bool newerThanInputs(const fs::path &output, const fs::path &depFile) {
  std::error_code error;
  const auto made = fs::last_write_time(output, error);
  if (error)
    return false;
  std::istringstream words(readFile(depFile));
  std::string word;
  bool any = false;
  while (words >> word) {
    if (word == "\\" || word.back() == ':')
      continue;
    any = true;
    const auto time = fs::last_write_time(word, error);
    if (error || time > made)
      return false;
  }
  return any;
}

struct Builder {
  const BuildOptions &options;
  std::mutex printing;

  bool build(const KernelJob &job);
  std::vector<std::string> compileCommand(const KernelJob &job,
                                          const fs::path &stem) const;
};

std::vector<std::string> Builder::compileCommand(const KernelJob &job,
                                                 const fs::path &stem) const {
  std::vector<std::string> command = options.compiler;
  // Kernels are sequences of calls into the library, where the work is done:
  // with -O2 they take half as long again to compile and run no faster.
  for (const char *flag :
       {"-std=c++17", "-O1", "-fPIC", "-ffp-contract=off", "-Wno-attributes"})
    command.push_back(flag);
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  for (const std::string &directory : options.includes)
    command.push_back("-I" + directory);
  command.push_back("-I" + options.kernelDir);
  for (const std::string &define : job.defines)
    command.push_back("-D" + define);
  command.insert(command.end(), {"-include", "lossgrad/kernel_prelude.h"});
  if (!job.prelude.empty())
    command.insert(command.end(),
                   {"-include", options.preludeDir + "/" + job.prelude});
  command.insert(command.end(), {"-MMD", "-MF", stem.string() + ".d"});
  command.insert(command.end(),
                 {"-c", options.kernelDir + "/" + job.file + ".cpp", "-o",
                  stem.string() + ".o"});
  return command;
}

bool Builder::build(const KernelJob &job) {
  const fs::path folder = fs::path(options.outDir) / job.architecture;
  const fs::path work = fs::path(options.preludeDir) / "obj" / job.architecture;
  fs::create_directories(folder);
  fs::create_directories(work);
  const fs::path stem = work / job.name;
  const fs::path library = folder / (job.name + ".so");
  const std::vector<std::string> compile = compileCommand(job, stem);
  // The launcher (ccache) is of no use to the linker.
  // Linked beside its place: what is found there is always complete.
  const fs::path linked = folder / (job.name + ".so.new");
  std::vector<std::string> link = {options.compiler.back(), "-shared",
                                   stem.string() + ".o", "-o", linked.string()};
  link.insert(link.end(), options.linkFlags.begin(), options.linkFlags.end());
  const std::string commands = joined(compile) + "\n" + joined(link) + "\n";
  const std::string commandFile = stem.string() + ".cmd";
  if (readFile(commandFile) == commands &&
      newerThanInputs(library, stem.string() + ".d"))
    return true;

  const std::string log = stem.string() + ".log";
  bool done = run(compile, log) == 0 && run(link, log) == 0;
  std::error_code error;
  if (done) {
    fs::rename(linked, library, error);
    done = !error;
  } else {
    fs::remove(linked, error);
  }
  std::lock_guard<std::mutex> lock(printing);
  if (done) {
    std::ofstream(commandFile) << commands;
    if (options.verbose)
      std::printf("%s\n", library.c_str());
    return true;
  }
  std::fprintf(stderr,
               "error: kernel %s of %s does not build for %s with %s\n%s\n%s",
               job.file.c_str(), job.op.c_str(), job.architecture.c_str(),
               job.what.c_str(), commands.c_str(), readFile(log).c_str());
  return false;
}

/// Kernels of operators that are no longer there would be found and shipped.
void removeStale(const std::vector<KernelJob> &jobs, const fs::path &outDir) {
  std::set<fs::path> planned;
  for (const KernelJob &job : jobs)
    planned.insert(outDir / job.architecture / (job.name + ".so"));
  std::error_code error;
  std::vector<fs::path> stale;
  for (fs::recursive_directory_iterator it(outDir, error), end;
       !error && it != end; it.increment(error))
    if (it->path().extension() == ".so" && it.depth() == 1 &&
        !planned.count(it->path()))
      stale.push_back(it->path());
  for (const fs::path &library : stale)
    fs::remove(library, error);
}

} // namespace

int buildKernels(const std::vector<KernelJob> &jobs,
                 const BuildOptions &options) {
  Builder builder{options, {}};
  std::atomic<size_t> next{0};
  std::atomic<int> failed{0};
  auto work = [&] {
    for (size_t i; (i = next++) < jobs.size();)
      if (!builder.build(jobs[i]))
        ++failed;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.parallel && i < jobs.size(); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (!failed)
    removeStale(jobs, options.outDir);
  return failed;
}

} // namespace lossgrad::opbuild
