//===- AclnnCall.h - Calling an aclnn function by its record ----*- C++ -*-===//
//
// Calls the two phases of a public aclnn function whose C signature is known
// only at run time: from the parameters of the operator's record, through
// libffi. Places tensors in device memory with guarded surroundings, and
// brings results back. Whether they are right is judged elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_ACLNNCALL_H
#define LOSSGRAD_TOOLS_RUN_ACLNNCALL_H

#include "AclRuntime.h"
#include "TensorData.h"

namespace lossgrad::run {

/// What a caller hands over. Tensors are by parameter name; a parameter that
/// is missing here is a null pointer.
struct CallArguments {
  // The operator's queries are not const in MLIR.
  mutable OperatorOp op;
  const Call *call = nullptr;
  llvm::StringMap<View> views;
};

/// What came back.
struct CallOutcome {
  int32_t status = 0;
  /// Of the phase or copy that failed.
  std::string errorText;
  /// What should not have happened, beside the status: bytes around a view
  /// that were changed, inputs that were changed, memory found damaged.
  std::vector<std::string> damages;
};

/// Only the first phase. Tensors have descriptions and no contents.
llvm::Expected<CallOutcome> callFirstPhase(const AclRuntime &runtime,
                                           const CallArguments &arguments);

/// Both phases and a synchronise. Uploads every storage, and downloads those of
/// outputs into it.
llvm::Expected<CallOutcome> callBothPhases(const AclRuntime &runtime,
                                           const CallArguments &arguments,
                                           llvm::StringMap<Storage> &storage);

/// Whether a tensor may have this format: ND, NCHW and so on.
bool isKnownFormat(llvm::StringRef name);

/// Whether the library has both phases of a function.
bool hasFunction(const AclRuntime &runtime, llvm::StringRef function);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_ACLNNCALL_H
