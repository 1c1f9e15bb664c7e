//===- Differences.h - Gradients against differences ------------*- C++ -*-===//
//
// Whether an operator gives the gradient of its forward, by central differences
// in float64. An objective is an operator that the importer makes of a
// BackwardOf record: from the inputs of forward and backward it computes the
// forward's outputs, their upstream gradients, and what the backward is handed.
// Neither rules nor identities have a part in it.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_DIFFERENCES_H
#define LOSSGRAD_PASSES_DERIVE_DIFFERENCES_H

#include "dialect/LossGrad/Interpreter/Call.h"

namespace lossgrad {

/// What the forward of a gradient is called, beside it.
inline constexpr llvm::StringLiteral kObjectiveSuffix = "_objective";
/// Its outputs: those of the forward with the upstream gradient of each; what
/// the backward is handed; and values that differences hold on to, which are
/// inputs as well.
inline constexpr llvm::StringLiteral kOutputPrefix = "output_",
                                     kUpstreamPrefix = "upstream_",
                                     kNowPrefix = "now_",
                                     kFrozenPrefix = "frozen_";

/// Gives the tensors that the backward is handed what the forward says on the
/// other inputs. Inputs of the forward that the call lacks are drawn from
/// `seed`. The call is then one of the objective, too.
llvm::Error computeSaved(OperatorOp objective, Call &call,
                         llvm::StringRef seed);

struct GradientCheck {
  /// An element of a gradient that differences contradict.
  struct Wrong {
    std::string output;
    size_t index = 0; // in the input's shape
    Extents shape;
    double gradient = 0, difference = 0;
  };
  unsigned compared = 0;
  /// At a kink, not finite, or too steep for differences to say anything.
  unsigned leftOut = 0;
  std::optional<Wrong> wrong; // the first
};

/// Compares up to `perOutput` elements of each gradient of a call, with what
/// the backward is handed computed as above.
llvm::Expected<GradientCheck> compareWithDifferences(OperatorOp backward,
                                                     OperatorOp objective,
                                                     const Call &call,
                                                     unsigned perOutput,
                                                     llvm::StringRef seed);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_DIFFERENCES_H
