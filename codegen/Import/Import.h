//===- Import.h - From operator records to level-1 IR -----------*- C++ -*-===//
//
// The border between TableGen records (ops_td/) and the lossgrad dialect, as a
// library: read at run time, so that an operator is added without a rebuild.
// The importer translates and checks names, kinds and arities; what an operator
// means, and whether it is sound as a whole, the dialect decides.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_IMPORT_H
#define LOSSGRAD_CODEGEN_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace llvm {
class RecordKeeper;
class SourceMgr;
} // namespace llvm

namespace lossgrad {

struct ImportOptions {
  /// Where `include` looks besides the folder of the main file and the folder
  /// of the base classes.
  std::vector<std::string> includeDirs;
  /// Also import forwards (Loss), as operators with the attribute
  /// `lossgrad.forward`.
  bool forwards = false;
  /// Also make an objective of every BackwardOf, by which its gradients can be
  /// judged (passes/Derive/Differences.h).
  bool objectives = false;
  /// Derive the body of every BackwardOf, also where it is written by hand.
  bool ignoreResults = false;
  /// Run the derivation passes; without, bodies of derived operators hold the
  /// forward and what is wanted of it.
  bool derive = true;
};

/// Reads the main buffer of `sources` and returns a module with one
/// lossgrad.operator per LossBackward record, sorted by record name; bodies of
/// derived operators are derived. Where a file has forwards only, each gets the
/// operator that GradientOf makes of it. On failure returns null after
/// diagnostics with locations in the records. Neither broken nor hostile text
/// ends the process. TableGen keeps global state: one thread at a time.
mlir::OwningOpRef<mlir::ModuleOp> importRecords(llvm::SourceMgr &sources,
                                                const ImportOptions &options,
                                                mlir::MLIRContext *context);

/// Longer lines are not shown whole by diagnostics.
inline constexpr size_t kMaxShownColumns = 240;

/// From now on diagnostics at `sources` show of a long line what stands around
/// the column.
void cutLongLines(llvm::SourceMgr &sources);

/// Only parses, under the same guarantees; for listings.
mlir::LogicalResult parseRecords(llvm::SourceMgr &sources,
                                 const ImportOptions &options,
                                 mlir::MLIRContext *context,
                                 llvm::RecordKeeper &records);

/// The folder of Base.td: share/lossgrad/ops_td beside the folder of the
/// running program, in a build tree as well as installed.
std::string getRecordDir();

/// Registers `--td-to-mlir` with mlir-translate's registry.
void registerTdToMlirTranslation();

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_IMPORT_H
