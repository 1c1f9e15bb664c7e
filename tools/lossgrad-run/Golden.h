//===- Golden.h - What a case should give -----------------------*- C++ -*-===//
//
// Makes the contents of a case's tensors and the float64 reference from its
// record. Which allowances an operator has is data (rules.json), as is when a
// draw proves nothing and is made again.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_GOLDEN_H
#define LOSSGRAD_TOOLS_RUN_GOLDEN_H

#include "CaseFile.h"
#include "CaseMaker.h"
#include "Judge.h"
#include "TensorData.h"
#include "dialect/LossGrad/Interpreter/Interpreter.h"

namespace lossgrad::run {

/// How results of one operator are judged beyond the general rules.
struct OperatorRules {
  /// Float32 units in the last place of the largest term that are no error.
  double largestTermUlps = 0;
  /// Draw again where the reference is zero or NaN throughout.
  bool redrawAllZero = false;
  /// What random cases draw parameters from, by name: both ends.
  ParameterRanges ranges;
};

/// Reads `[{"op", "largest_term_ulps", "redraw_all_zero", "ranges", "reason"},
/// ...]`.
llvm::Expected<llvm::StringMap<OperatorRules>> readRules(llvm::StringRef path);

/// A call with its contents and what it should give.
struct GoldenCall {
  Call call;
  /// By parameter name; null tensors have none.
  llvm::StringMap<Storage> storage;
  /// In the order of the operator's outputs.
  std::vector<OutputTensor> outputs;
  double termUlps = 0;
  /// Elements are not judged where the formula leaves float32.
  bool float32Range = false;
  /// What the case asks for besides the rules.
  std::optional<Tolerance> tolerance;
  /// What the case allows itself beyond the rules of its operator, in words.
  std::string allowance;
};

/// Views of all tensors of a case, without contents.
llvm::Expected<llvm::StringMap<View>> parseViews(const Case &test);

/// The contents of the inputs and the reference. `seed` is added to the id
/// that data are drawn from; empty: the data that the format prescribes. With
/// an objective (passes/Derive/Differences.h), tensors that hold results of the
/// forward are computed, unless the case gives their values.
llvm::Expected<GoldenCall> makeGolden(OperatorOp op, const Case &test,
                                      llvm::StringRef seed,
                                      const OperatorRules &rules,
                                      OperatorOp objective = {});

/// The outputs with every step of the formula in float32.
llvm::Expected<std::vector<OutputTensor>>
computeInFloat32(OperatorOp op, const GoldenCall &golden);

/// Whether what the record divides a mean by is the `expect.divisor` of the
/// case: the ratio between its sum and its mean. True where that cannot be
/// told: no divisor, no attribute with both choices, only zeros, or too many
/// elements.
llvm::Expected<bool> agreesWithDivisor(OperatorOp op, const Case &test,
                                       const GoldenCall &golden);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_GOLDEN_H
