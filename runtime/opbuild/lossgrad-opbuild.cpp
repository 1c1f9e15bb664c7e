//===- lossgrad-opbuild.cpp - from operator descriptions to aclnn ---------===//
//
// The stand-in for op_build and for the kernel build that it implies. Two
// steps, so that a build system can run them at the right time:
//   generate   loads a library of op_host sources and writes aclnn files and
//              the kernel plan,
//   kernels    compiles what the plan lists.
//
//===----------------------------------------------------------------------===//
#include "AclnnWriter.h"
#include "KernelPlan.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace fs = std::filesystem;
using namespace lossgrad::opbuild;

namespace {

const char *const help =
    R"(lossgrad-opbuild: aclnn functions and kernels from operator descriptions

usage:
  lossgrad-opbuild generate LIBRARY OUTDIR [options]
      Loads LIBRARY (op_host sources compiled without OP_PROTO_LIB and
      OP_TILING_LIB) and writes into OUTDIR:
        aclnn_<op>.h, aclnn_<op>.cpp   one pair per operator
        lossgrad_generated.cpp         includes every generated .cpp
        <op>_tiling.h                  kernel side of a tiling class
        kernels.json                   the kernel plan
    --compute-unit=A;B   only these compute units (default: all configured)
    --prefix=NAME        function and file prefix (default: aclnn). Functions
                         with another prefix are not exported.
    --function-prefix=NAME  function prefix alone
    --no-aclnn           write empty aclnn files

  lossgrad-opbuild kernels PLAN KERNELDIR OUTDIR [options]
      Compiles each kernel of PLAN (kernels.json) to
      OUTDIR/<architecture>/<kernel>.so, if it is out of date.
    --include=DIR        include folder (repeatable)
    --compiler=COMMAND   C++ compiler (default: c++)
    --launcher=COMMAND   put before the compiler, e.g. ccache
    --flag=FLAG          compiler flag (repeatable)
    --link-flag=FLAG     linker flag (repeatable)
    --jobs=N             compile N at a time (default: all processors)
    --verbose            name each binary that is made

The environment variables of op_build are honoured by `generate`:
OPS_PROJECT_NAME (--prefix), OPS_DIRECT_ACCESS_PREFIX (--function-prefix) and
OPS_ACLNN_GEN=0 (--no-aclnn).
)";

int usageError(const std::string &text) {
  std::fprintf(stderr, "error: %s; see lossgrad-opbuild --help\n",
               text.c_str());
  return 2;
}

/// Positional arguments and --name=value options.
struct CommandLine {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> options;

  CommandLine(int argc, char **argv) {
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.compare(0, 2, "--") != 0) {
        words.push_back(word);
        continue;
      }
      const size_t equals = word.find('=');
      options.emplace_back(
          word.substr(0, equals),
          equals == std::string::npos ? "" : word.substr(equals + 1));
    }
  }
  std::string unknown(const std::set<std::string> &known) const {
    for (auto &option : options)
      if (!known.count(option.first))
        return option.first;
    return "";
  }
  std::vector<std::string> all(const char *name) const {
    std::vector<std::string> values;
    for (auto &option : options)
      if (option.first == name)
        values.push_back(option.second);
    return values;
  }
  std::string last(const char *name, const std::string &otherwise) const {
    const auto values = all(name);
    return values.empty() ? otherwise : values.back();
  }
};

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  std::string part;
  while (std::getline(stream, part, separator))
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

/// Leaves a file that would not change alone, so that nothing is rebuilt.
bool writeIfChanged(const fs::path &path, const std::string &text) {
  {
    std::ifstream before(path, std::ios::binary);
    if (before &&
        std::string(std::istreambuf_iterator<char>(before), {}) == text)
      return true;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (file.flush())
    return true;
  std::fprintf(stderr, "error: cannot write '%s'\n", path.c_str());
  return false;
}

int generate(const CommandLine &line) {
  if (line.words.size() != 2)
    return usageError("generate needs LIBRARY and OUTDIR");
  const std::string bad = line.unknown(
      {"--compute-unit", "--prefix", "--function-prefix", "--no-aclnn"});
  if (!bad.empty())
    return usageError("unknown option " + bad);
  const std::string library = fs::absolute(line.words[0]).string();
  const fs::path out = line.words[1];
  if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
    std::fprintf(stderr, "error: cannot load '%s': %s\n", line.words[0].c_str(),
                 dlerror());
    return 1;
  }
  auto environment = [](const char *name, const std::string &otherwise) {
    const char *value = std::getenv(name);
    return value && *value ? std::string(value) : otherwise;
  };
  AclnnOptions options;
  options.filePrefix =
      line.last("--prefix", environment("OPS_PROJECT_NAME", "aclnn"));
  options.prefix =
      line.last("--function-prefix",
                environment("OPS_DIRECT_ACCESS_PREFIX", options.filePrefix));
  options.exported = options.prefix == "aclnn";
  const bool withAclnn = line.all("--no-aclnn").empty() &&
                         environment("OPS_ACLNN_GEN", "1") != "0";

  std::vector<std::string> errors;
  const std::vector<Op> ops =
      readOps(split(line.last("--compute-unit", ""), ';'), errors);
  std::vector<KernelJob> jobs = planKernels(ops);
  fs::create_directories(out);
  bool written = true;
  std::string all = "// Generated by lossgrad-opbuild. Do not edit.\n";
  for (const Op &op : ops) {
    const std::string stem = aclnnFileStem(op, options);
    written &= writeIfChanged(out / (stem + ".h"),
                              withAclnn ? aclnnHeader(op, options) : "");
    written &= writeIfChanged(out / (stem + ".cpp"),
                              withAclnn ? aclnnSource(op, options) : "");
    all += "#include \"" + stem + ".cpp\"\n";
    const std::string prelude = tilingPrelude(op, errors);
    if (prelude.empty())
      continue;
    written &= writeIfChanged(out / (op.snake + "_tiling.h"), prelude);
    for (KernelJob &job : jobs)
      if (job.op == op.type)
        job.prelude = op.snake + "_tiling.h";
  }
  for (const std::string &error : errors)
    std::fprintf(stderr, "error: %s\n", error.c_str());
  if (!errors.empty())
    return 1;
  written &= writeIfChanged(out / "lossgrad_generated.cpp", all);
  written &= writeIfChanged(out / "kernels.json", planText(jobs));
  return written ? 0 : 1;
}

int kernels(const CommandLine &line) {
  if (line.words.size() != 3)
    return usageError("kernels needs PLAN, KERNELDIR and OUTDIR");
  const std::string bad =
      line.unknown({"--include", "--compiler", "--launcher", "--flag",
                    "--link-flag", "--jobs", "--verbose"});
  if (!bad.empty())
    return usageError("unknown option " + bad);
  std::vector<KernelJob> jobs;
  std::string error;
  if (!readPlan(line.words[0], jobs, error)) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 1;
  }
  BuildOptions options;
  options.kernelDir = line.words[1];
  options.outDir = line.words[2];
  options.preludeDir = fs::absolute(line.words[0]).parent_path().string();
  options.includes = line.all("--include");
  options.compiler = split(line.last("--launcher", ""), ' ');
  options.compiler.push_back(line.last("--compiler", "c++"));
  options.flags = line.all("--flag");
  options.linkFlags = line.all("--link-flag");
  options.verbose = !line.all("--verbose").empty();
  const std::string parallel = line.last(
      "--jobs",
      std::to_string(std::max(1u, std::thread::hardware_concurrency())));
  if (parallel.empty() || parallel.size() > 4 ||
      parallel.find_first_not_of("0123456789") != std::string::npos ||
      parallel == "0")
    return usageError("--jobs takes a number of processes, not '" + parallel +
                      "'");
  options.parallel = unsigned(std::stoul(parallel));
  for (const KernelJob &job : jobs) {
    const std::string source = options.kernelDir + "/" + job.file + ".cpp";
    if (fs::exists(source))
      continue;
    std::fprintf(stderr,
                 "error: %s: kernel source '%s' does not exist (opFile.value, "
                 "default: the operator in snake case)\n",
                 job.op.c_str(), source.c_str());
    return 1;
  }
  return buildKernels(jobs, options) ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "-h") {
    std::fputs(help, stdout);
    return 0;
  }
  if (command == "generate")
    return generate(CommandLine(argc, argv));
  if (command == "kernels")
    return kernels(CommandLine(argc, argv));
  return usageError(command.empty() ? "a command is missing"
                                    : "unknown command '" + command + "'");
}
