//===- ProjectFiles.cpp - What a project has besides sources --------------===//
//
// See the header. The text is in Templates.h and BuildTemplates.h.
//
//===----------------------------------------------------------------------===//

#include "codegen/Project/ProjectFiles.h"

#include "codegen/Cpp/Version.h"
#include "codegen/Project/BuildTemplates.h"
#include "codegen/Project/SelfCheckTemplate.h"
#include "codegen/Project/Templates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace lossgrad;
using namespace lossgrad::project;

/// Compute units of all operators, in their order of first mention.
static std::vector<std::string> unitsOf(const Project &project) {
  std::vector<std::string> units;
  for (const Operator &op : project.operators)
    for (const std::string &unit : op.units)
      if (!llvm::is_contained(units, unit))
        units.push_back(unit);
  return units;
}

/// With `value` wherever `mark` stood.
static std::string replace(llvm::StringRef text, llvm::StringRef mark,
                           llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, mark);
  return llvm::join(parts, value);
}

static EmittedFile emitReadme(const Project &project) {
  std::string rows;
  for (const Operator &op : project.operators)
    rows += llvm::formatv("| {0} | [`{1}`](docs/{1}.md) | {2} |\n", op.record,
                          op.api, llvm::join(op.units, ", "));
  return {"README.md",
          fillVersion(llvm::formatv(templates::readme, rows,
                                    project.operators.front().header)
                          .str())};
}

/// File names only: the same records give the same page wherever they lie.
static std::string shortPlace(llvm::StringRef place) {
  return llvm::sys::path::filename(place).str();
}

/// Products that no operator has kernels for although it lists them, with the
/// functions concerned.
static std::string emitProductsWithout(const Project &project) {
  std::string rows;
  for (const WithoutKernels &product : project.withoutKernels) {
    auto functions = llvm::map_range(product.operators, [](auto &record) {
      return "`aclnn" + record + "`";
    });
    rows += llvm::formatv("| {0} ({1}) | {2} | {3} |\n", product.title,
                          product.unit, llvm::join(functions, ", "),
                          product.reason);
  }
  return rows.empty() ? ""
                      : llvm::formatv(templates::withoutKernels, rows).str();
}

static EmittedFile emitExports(const Project &project) {
  std::string symbols;
  for (const Operator &op : project.operators)
    symbols += llvm::formatv("    {0};\n    {0}GetWorkspaceSize;\n", op.api);
  return {"op_api/exports.map", llvm::formatv(templates::exportsMap, symbols)};
}

static EmittedFile emitIndex(const Project &project) {
  std::string rows, rest;
  for (const Operator &op : project.operators)
    rows += llvm::formatv("| [`{0}`]({0}.md) | {1} | {2} |\n", op.api,
                          op.summary, llvm::join(op.units, ", "));
  for (const Skipped &skipped : project.skipped)
    rest += llvm::formatv("| {0} | {1} | {2} | {3} |\n", skipped.record,
                          skipped.summary, shortPlace(skipped.place),
                          replace(skipped.reason, "|", "\\|"));
  if (!rest.empty())
    rest = llvm::formatv(templates::skipped, rest);
  return {"docs/README.md", llvm::formatv(templates::index, rows,
                                          emitProductsWithout(project), rest)};
}

static EmittedFile emitSelfCheck(const Project &project) {
  std::string includes, checks;
  for (const Operator &op : project.operators) {
    includes += llvm::formatv("#include \"{0}.h\"\n", op.header);
    checks += llvm::formatv("    good &= Check(\"{0}\",\n"
                            "        decltype(&{0}GetWorkspaceSize)(nullptr),\n"
                            "        decltype(&{0})(nullptr));\n",
                            op.api);
  }
  return {"examples/selfcheck.cpp",
          llvm::formatv(templates::selfCheck, includes, checks)};
}

std::vector<EmittedFile>
lossgrad::project::emitProjectFiles(const Project &project) {
  return {
      {"CMakeLists.txt", replace(fillVersion(templates::cmakeLists), "@UNITS@",
                                 llvm::join(unitsOf(project), ";"))},
      {"cmake/sdk.cmake", templates::sdkBuild},
      {"cmake/cann8.cmake", templates::cann8Build},
      {"cmake/cann8_host.cmake", templates::cann8HostBuild},
      {"cmake/cann9.cmake", templates::cann9Build},
      emitExports(project),
      emitReadme(project),
      emitIndex(project),
      emitSelfCheck(project)};
}
