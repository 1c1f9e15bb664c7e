//===- Naming.h - Names of files that belong to an operator -----*- C++ -*-===//
//
// One rule for passes and emitters, so that kernel, definition and header find
// each other.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_NAMING_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_NAMING_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lossgrad {

/// The op build's rule for file names: `SmoothL1Loss` -> `smooth_l1_loss`,
/// `NLLLoss2dGrad` -> `nll_loss2d_grad`.
std::string toSnakeCase(llvm::StringRef name);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_NAMING_H
