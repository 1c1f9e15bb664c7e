//===- Records.cpp - The operators that cases name ------------------------===//

#include "Records.h"
#include "codegen/Import/Import.h"
#include "mlir/Parser/Parser.h"
#include "passes/Derive/Differences.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <set>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

static constexpr StringLiteral prefix = "aclnn";

// Cases run in forked processes, which threads of a context would not survive.
Records::Records(ArrayRef<std::string> paths, ArrayRef<std::string> includeDirs)
    : context(mlir::MLIRContext::Threading::DISABLED),
      includeDirs(includeDirs.begin(), includeDirs.end()) {
  context.loadDialect<LossGradDialect>();
  for (const std::string &path : paths)
    (sys::fs::is_directory(path) ? folders : files).push_back(path);
}

Error Records::load() {
  for (const std::string &file : files)
    if (Error error = readFile(file, /*withObjectives=*/true))
      return error;
  return Error::success();
}

Error Records::readFile(StringRef path, bool withObjectives) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(path + ": " + buffer.getError().message());
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (path.ends_with(".td")) {
    ImportOptions options;
    options.includeDirs = includeDirs;
    options.objectives = withObjectives;
    module = importRecords(sources, options, &context);
  } else {
    module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  }
  if (!module)
    return createStringError(path + ": the records could not be read");
  for (auto op : module->getOps<OperatorOp>()) {
    if (!op.getGradients()) {
      operators[(prefix + op.getSymName()).str()] = op;
      continue;
    }
    StringRef name = op.getSymName();
    name.consume_back(kObjectiveSuffix);
    objectives[name] = op;
  }
  if (auto names = (*module)->getAttrOfType<mlir::ArrayAttr>(kFromForwardAttr))
    for (auto name : names.getAsRange<mlir::StringAttr>())
      derived.insert(name.getValue());
  modules.push_back(std::move(module));
  return Error::success();
}

Expected<OperatorOp> Records::find(StringRef function) {
  auto known = operators.find(function);
  if (known != operators.end())
    return known->second;
  StringRef name = function;
  if (!name.consume_front(prefix) || !tried.insert(function).second)
    return OperatorOp();
  for (const std::string &folder : folders) {
    SmallString<128> path(folder);
    sys::path::append(path, name + ".td");
    if (!sys::fs::exists(path))
      continue;
    if (Error error = readFile(path, /*withObjectives=*/false))
      return error;
    if (OperatorOp op = operators.lookup(function))
      return op;
  }
  return OperatorOp();
}

OperatorOp Records::findObjective(OperatorOp op) const {
  return objectives.lookup(op.getSymName());
}

std::vector<std::string> Records::getKnown() const {
  std::set<std::string> known;
  for (const auto &entry : operators)
    known.insert(entry.first().str());
  std::error_code code;
  for (const std::string &folder : folders)
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      if (sys::path::extension(it->path()) == ".td")
        known.insert((prefix + sys::path::stem(it->path())).str());
  return {known.begin(), known.end()};
}

std::string Records::suggest(StringRef function) const {
  std::string nearest;
  unsigned fewest = 4; // more edits make another name
  for (const std::string &known : getKnown())
    if (unsigned edits = function.edit_distance(known, true, fewest);
        edits < fewest) {
      fewest = edits;
      nearest = known;
    }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::vector<OperatorOp> Records::getDerived() {
  std::vector<OperatorOp> found = getLoaded();
  erase_if(found,
           [&](OperatorOp op) { return !derived.contains(op.getSymName()); });
  return found;
}

std::vector<OperatorOp> Records::getLoaded() {
  std::vector<OperatorOp> loaded;
  for (auto &entry : operators)
    loaded.push_back(entry.second);
  llvm::sort(loaded, [](OperatorOp lhs, OperatorOp rhs) {
    return lhs.getSymName() < rhs.getSymName();
  });
  return loaded;
}
