//===- OutOfTree.h - From a user's record to a library ----------*- C++ -*-===//
//
// Generates the project of a record, configures and builds it against the SDK,
// and says where its operator library is. The steps are the ones that a user
// can take by hand, and are shown; files that are not ours are never touched.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_OUTOFTREE_H
#define LOSSGRAD_TOOLS_RUN_OUTOFTREE_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "lossgrad/Targets.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace lossgrad::run {

struct ProjectOptions {
  std::vector<std::string> records, includeDirs;
  /// Empty: ./<Operator>_project.
  std::string directory;
  /// The family whose kernels are built; the sources are those of all.
  const targets::Family *family = nullptr;
  /// Prints what was derived, for each operator that was.
  std::function<void(llvm::raw_ostream &)> printDerived;
  /// The folder of the lossgrad programs, and the SDK to build against.
  std::string toolDirectory, sdk;
};

/// Returns the path of the library.
llvm::Expected<std::string> buildProject(const ProjectOptions &options,
                                         llvm::ArrayRef<OperatorOp> operators);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_OUTOFTREE_H
