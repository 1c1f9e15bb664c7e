//===- KernelPlan.h - which kernels to compile, and how ---------*- C++ -*-===//
//
// One kernel source is compiled once per distinct binary row and architecture,
// with the macros that the row means. The plan is a file between two runs of
// the tool: generation writes it, the build step reads it.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_OPBUILD_KERNELPLAN_H
#define LOSSGRAD_RUNTIME_OPBUILD_KERNELPLAN_H

#include "OpModel.h"

namespace lossgrad::opbuild {

/// One compilation.
struct KernelJob {
  std::string op;           // operator type
  std::string file;         // source without extension
  std::string name;         // binary without extension
  std::string architecture; // dav_c220
  std::string prelude;      // header to include first; may be empty
  std::vector<std::string> defines;
  std::string what; // the row in words, for messages
};

/// The jobs of all operators, each distinct one once.
std::vector<KernelJob> planKernels(const std::vector<Op> &ops);

/// The kernel-side struct of a tiling class made by BEGIN_TILING_DATA_DEF, with
/// GET_TILING_DATA for it; empty when the operator has none.
std::string tilingPrelude(const Op &op, std::vector<std::string> &errors);

std::string planText(const std::vector<KernelJob> &jobs);
bool readPlan(const std::string &path, std::vector<KernelJob> &jobs,
              std::string &error);

struct BuildOptions {
  std::string kernelDir;             // where the sources are
  std::string outDir;                // <outDir>/<architecture>/<name>.so
  std::string preludeDir;            // where generation put its headers
  std::vector<std::string> includes; // SDK headers first
  std::vector<std::string> compiler; // launcher and compiler
  std::vector<std::string> flags, linkFlags;
  unsigned parallel = 1;
  bool verbose = false;
};

/// Compiles what is out of date; the number of failed jobs. Where none failed,
/// binaries that no job makes are removed.
int buildKernels(const std::vector<KernelJob> &jobs,
                 const BuildOptions &options);

} // namespace lossgrad::opbuild

#endif // LOSSGRAD_RUNTIME_OPBUILD_KERNELPLAN_H
