//===- ProjectFiles.cpp - What a project has besides sources --------------===//
//
// See the header. The text is in Templates.h.
//
//===----------------------------------------------------------------------===//

#include "codegen/Project/ProjectFiles.h"

#include "codegen/Project/Templates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

std::vector<EmittedFile>
lossgrad::project::emitProjectFiles(const Project &project) {
  std::string units = llvm::join(unitsOf(project), ";");
  return {{"CMakeLists.txt", llvm::formatv(templates::cmakeLists, units)}};
}
