//===- RecordParser.cpp - TableGen's parser, made safe to call ------------===//
//
// TableGen was written for build time: on some errors it ends the process, and
// text made to hurt (endless includes, lists that double, deep nesting) can
// exhaust memory or the stack. So every file is first parsed in a child process
// with limits. Only what the child survived is parsed here, in the same way;
// what it reported, or how it died, becomes diagnostics with locations.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"
#include "codegen/Import/RecordSource.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Parser.h"
#include "llvm/TableGen/Record.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using llvm::SMDiagnostic;
using llvm::SourceMgr;
using llvm::StringRef;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOSSGRAD_ADDRESS_SANITIZER 1
#endif
#endif

/// Limits of the child. Our own records need a hundredth of them.
static constexpr rlim_t kCpuSeconds = 10;
[[maybe_unused]] static constexpr rlim_t kAddressSpace = rlim_t(2) << 30;

//===----------------------------------------------------------------------===//
// In the child: diagnostics become lines of text
//===----------------------------------------------------------------------===//

namespace {
/// A diagnostic is a line that starts with kMark and has kFields fields with
/// kMark between them. Other lines are messages that TableGen prints without a
/// location.
constexpr char kMark = '\x01';

struct ChildDiagnostics {
  const llvm::RecordKeeper &records;
  /// File and line of the error before.
  std::pair<std::string, int> lastError = {};
};
} // namespace

static std::string toLine(StringRef kind, const SMDiagnostic &at,
                          const llvm::Twine &message) {
  std::string line;
  llvm::raw_string_ostream os(line);
  os << kMark << kind << kMark << at.getFilename() << kMark << at.getLineNo()
     << kMark << at.getColumnNo() + 1 << kMark;
  std::string text = message.str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  os << text << '\n';
  return line;
}

static void writeAll(StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(written);
  }
}

/// What TableGen says about names it does not know.
static StringRef getUnknownName(StringRef message) {
  for (StringRef start : {"Variable not defined: '", "Couldn't find class '",
                          "Expected a class name, got '"})
    if (message.consume_front(start))
      return message.take_until([](char c) { return c == '\''; });
  return {};
}

/// How an operator that others call `name` is written here, or "".
static StringRef getElsewhere(const llvm::RecordKeeper &records,
                              StringRef name) {
  for (const llvm::Record *entry :
       records.getAllDerivedDefinitionsIfDefined("Elsewhere"))
    if (llvm::is_contained(entry->getValueAsListOfStrings("names"), name))
      return entry->getValueAsString("here");
  return "";
}

/// How what TableGen did not understand is written in a formula; `line` is
/// where it stands, `column` its place there.
static std::string getHint(const llvm::RecordKeeper &records, StringRef message,
                           StringRef line, size_t column, StringRef unknown) {
  constexpr const char *kDecimal = "; a decimal constant is a string: \"0.5\"";
  StringRef rest = line.drop_front(std::min(column, line.size()));
  bool isOperator = line.take_front(column).rtrim().ends_with("(");
  // 0.5, -.5, 1e-3
  if (message.contains("expected field identifier after '.'") ||
      rest.starts_with("-.") ||
      (!unknown.empty() && llvm::isDigit(unknown.front())))
    return kDecimal;
  if (message.contains("expected ')' in dag init"))
    return "; arguments of a formula are separated by commas";
  if (message.contains("of type 'dag' is incompatible with value"))
    return "; a formula stands in parentheses, with its operator: (abs $x), "
           "(value 1)";
  if (!isOperator)
    return "";
  bool isName = !unknown.empty();
  if (!isName && !message.contains("in dag init"))
    return "";
  StringRef here =
      getElsewhere(records, isName ? unknown : rest.take_until([](char c) {
        return c == ' ' || c == '$' || c == '(' || c == ')' || c == '"';
      }));
  if (here.empty())
    return "";
  return ((isName ? "; here it is "
                  : "; the operator of a formula is a name: ") +
          here)
      .str();
}

static void reportInChild(const SMDiagnostic &diagnostic, void *data) {
  StringRef kind = diagnostic.getKind() == SourceMgr::DK_Error     ? "error"
                   : diagnostic.getKind() == SourceMgr::DK_Warning ? "warning"
                                                                   : "note";
  std::string message = diagnostic.getMessage().str();
  StringRef unknown = getUnknownName(diagnostic.getMessage());
  StringRef line = diagnostic.getLineContents();
  size_t column = std::max(diagnostic.getColumnNo(), 0);
  const auto &records = static_cast<ChildDiagnostics *>(data)->records;
  std::string hint =
      getHint(records, diagnostic.getMessage(), line, column, unknown);
  if (!unknown.empty() && hint.empty()) {
    SmallVector<StringRef> names;
    for (const auto &def : records.getDefs())
      if (!def.second->isAnonymous())
        names.push_back(def.first);
    for (const auto &type : records.getClasses())
      names.push_back(type.first);
    StringRef nearest = lossgrad::findNearest(unknown, names);
    if (!nearest.empty())
      message += ("; did you mean '" + nearest + "'?").str();
    else if (line.take_front(column).rtrim().ends_with("("))
      message += "; `lossgrad-tblgen --list-formula-operators` lists what may "
                 "stand in a formula";
  }
  message += hint;
  // What follows the first slip on a line is a consequence of it.
  auto &at = static_cast<ChildDiagnostics *>(data)->lastError;
  if (kind == "error") {
    std::pair<std::string, int> here(diagnostic.getFilename().str(),
                                     diagnostic.getLineNo());
    if (here == at && StringRef(message).starts_with("expected ';' after"))
      return;
    at = here;
  }
  writeAll(toLine(kind, diagnostic, message));
}

static void limitResource(decltype(RLIMIT_CPU) resource, rlim_t limit) {
  rlimit value{limit, limit};
  setrlimit(resource, &value);
}

[[noreturn]] static void parseInChild(SourceMgr &sources, int output) {
  dup2(output, STDERR_FILENO);
  // Whoever embeds us may handle signals; the child dies the plain way.
  for (int sig : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGXCPU})
    signal(sig, SIG_DFL);
  limitResource(RLIMIT_CORE, 0);
  limitResource(RLIMIT_CPU, kCpuSeconds);
#ifndef LOSSGRAD_ADDRESS_SANITIZER
  limitResource(RLIMIT_AS, kAddressSpace);
#endif
  llvm::RecordKeeper records;
  ChildDiagnostics diagnostics{records};
  sources.setDiagHandler(reportInChild, &diagnostics);
  _exit(llvm::TableGenParseFile(sources, records) ? 1 : 0);
}

//===----------------------------------------------------------------------===//
// In the parent: lines of text become diagnostics
//===----------------------------------------------------------------------===//

static std::string readAll(int input) {
  // A child that prints without end is stopped by its CPU limit; what we keep
  // of it is bounded here.
  constexpr size_t kKeep = 1 << 20;
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t count = read(input, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    if (text.size() < kKeep)
      text.append(buffer, count);
  }
}

/// Emits what the child reported; returns whether an error was among it.
static bool emitReports(StringRef text, MLIRContext *context) {
  bool anyError = false;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    SmallVector<StringRef> fields;
    if (!line.consume_front(StringRef(&kMark, 1))) {
      line.consume_front("error: ");
      emitError(UnknownLoc::get(context)) << line;
      anyError = true;
      continue;
    }
    line.split(fields, kMark, 4);
    unsigned row = 0, column = 0;
    if (fields.size() != 5 || fields[2].getAsInteger(10, row) ||
        fields[3].getAsInteger(10, column))
      continue;
    auto loc = FileLineColLoc::get(context, fields[1], row, column);
    if (fields[0] == "error")
      emitError(loc) << fields[4];
    else if (fields[0] == "warning")
      emitWarning(loc) << fields[4];
    else
      emitRemark(loc) << fields[4];
    anyError |= fields[0] == "error";
  }
  return anyError;
}

/// Whether the text parses, found out where it can do no harm.
static LogicalResult probe(SourceMgr &sources, Location loc) {
  int ends[2];
  if (pipe(ends) != 0)
    return emitError(loc) << "cannot start a parser process: "
                          << std::strerror(errno);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    parseInChild(sources, ends[1]);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return emitError(loc) << "cannot start a parser process: "
                          << std::strerror(errno);
  }
  std::string reports = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  bool anyError = emitReports(reports, loc.getContext());
  // TableGen reports some mistakes and still calls the file good.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return failure(anyError);
  if (WIFSIGNALED(status))
    return emitError(loc) << "TableGen cannot cope with this file ("
                          << strsignal(WTERMSIG(status))
                          << "): it nests or expands too far";
  if (!anyError)
    emitError(loc) << "TableGen rejected this file without a reason";
  return failure();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

std::string lossgrad::getRecordDir() {
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> dir(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(dir, "..", "share", "lossgrad", "ops_td");
  llvm::sys::path::remove_dots(dir, /*remove_dot_dot=*/true);
  return dir.str().str();
}

LogicalResult lossgrad::parseRecords(SourceMgr &sources,
                                     const ImportOptions &options,
                                     MLIRContext *context,
                                     llvm::RecordKeeper &records) {
  StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  Location start = FileLineColLoc::get(context, file, 1, 1);
  std::vector<std::string> dirs = options.includeDirs;
  StringRef ownDir = llvm::sys::path::parent_path(file);
  dirs.push_back(ownDir.empty() ? "." : ownDir.str());
  dirs.push_back(getRecordDir());
  // The base classes and the target records are included by bare name.
  for (size_t i = 0, e = dirs.size(); i != e; ++i)
    for (StringRef part : {"/base", "/targets"})
      dirs.push_back(dirs[i] + part.str());
  sources.setIncludeDirs(dirs);

  if (failed(probe(sources, start)))
    return failure();
  // The child has reported all warnings already. How the caller wants to see
  // what is found later is the caller's.
  auto handler = sources.getDiagHandler();
  void *handlerContext = sources.getDiagContext();
  sources.setDiagHandler([](const SMDiagnostic &, void *) {}, nullptr);
  bool failedToParse = llvm::TableGenParseFile(sources, records);
  sources.setDiagHandler(handler, handlerContext);
  if (failedToParse)
    return emitError(start) << "the file changed while it was read";
  return success();
}
