//===- Records.h - The operators that cases name ----------------*- C++ -*-===//
//
// Finds the record of an aclnn function and reads it when it is first asked
// for. The C signature of a call, its reference values and its contract all
// come from there; nothing in this tool knows an operator by name.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_RECORDS_H
#define LOSSGRAD_TOOLS_RUN_RECORDS_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lossgrad::run {

class Records {
public:
  /// Each path is a file of records or IR, which is read now, or a folder with
  /// one file per operator, which is searched by name.
  Records(llvm::ArrayRef<std::string> paths,
          llvm::ArrayRef<std::string> includeDirs);

  /// Reads the files among the paths. Diagnostics have been printed on failure.
  llvm::Error load();

  /// The operator behind an aclnn function; null if no record has it. An error
  /// if its record cannot be read.
  llvm::Expected<OperatorOp> find(llvm::StringRef function);

  /// What the gradients of an operator are gradients of, by which differences
  /// judge it (passes/Derive/Differences.h); null if its file was not among
  /// the paths, or its record is no BackwardOf.
  OperatorOp findObjective(OperatorOp op) const;

  /// The functions there are records of, in order: read so far or by the names
  /// of files.
  std::vector<std::string> getKnown() const;

  /// "; did you mean aclnnX?" where a name much like this one is known, else
  /// nothing.
  std::string suggest(llvm::StringRef function) const;

  /// Those of the files among the paths whose bodies were derived.
  std::vector<OperatorOp> getDerived();

  /// All operators read so far, in the order of their names.
  std::vector<OperatorOp> getLoaded();

private:
  llvm::Error readFile(llvm::StringRef path, bool withObjectives);

  mlir::MLIRContext context;
  std::vector<std::string> files, folders, includeDirs;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  llvm::StringMap<OperatorOp> operators, objectives;
  llvm::StringSet<> derived, tried;
};

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_RECORDS_H
