//===- Project.h - A custom-operator project from records -------*- C++ -*-===//
//
// Runs the compiler on record files and collects every file of the project that
// comes out: a library, so that tools call it in process. It puts emitters
// together and decides nothing about operators; writing to disk is Writer.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_PROJECT_PROJECT_H
#define LOSSGRAD_CODEGEN_PROJECT_PROJECT_H

#include "codegen/Kernel/KernelEmitter.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace lossgrad::project {

struct Options {
  /// Product families (A2), compute units (ascend910b) or chips (Ascend910B1)
  /// to generate for; empty: all that an operator has a schedule for.
  std::vector<std::string> socs;
  /// Where `include` in records looks first.
  std::vector<std::string> includeDirs;
  /// An operator that cannot be generated is an error.
  bool requireAll = false;
};

/// An operator of the project.
struct Operator {
  std::string record; // SmoothL1LossBackward
  std::string api;    // aclnnSmoothL1LossBackward
  std::string type;   // LossgradSmoothL1LossBackward
  std::string file;   // lossgrad_smooth_l1_loss_backward
  std::string header; // aclnn_smooth_l1_loss_backward, without .h
  std::string summary;
  /// Compute units that it has kernels for: ascend910b.
  std::vector<std::string> units;
  /// The product that the example of its page is for: A2.
  std::string exampleProduct;
};

/// A record that the compiler reads but cannot make kernels of yet.
struct Skipped {
  std::string record;
  std::string summary;
  /// `file:line:column`, and what stands in the way.
  std::string place;
  std::string reason;
};

/// A product that records list and for which there is no schedule yet.
struct WithoutKernels {
  std::string product; // A950
  std::string title;   // Ascend 950
  std::string unit;    // ascend950
  std::string reason;
  /// Of the operators that list it and that have kernels elsewhere.
  std::vector<std::string> operators;
};

struct Project {
  std::vector<Operator> operators;
  std::vector<Skipped> skipped;
  /// Where no products were asked for by name.
  std::vector<WithoutKernels> withoutKernels;
  /// Sorted by path; the same records give the same bytes.
  std::vector<EmittedFile> files;
};

/// Reads the records of all files and generates their project. Fails after a
/// diagnostic for a file that cannot be read, a wrong record, the same operator
/// twice, or no operator that can be generated. TableGen keeps global state:
/// one thread at a time.
mlir::FailureOr<Project> generate(llvm::ArrayRef<std::string> recordFiles,
                                  const Options &options,
                                  mlir::MLIRContext *context);

} // namespace lossgrad::project

#endif // LOSSGRAD_CODEGEN_PROJECT_PROJECT_H
