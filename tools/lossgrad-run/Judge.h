//===- Judge.h - Whether a result is right ----------------------*- C++ -*-===//
//
// Compares an output with the float64 reference by the rules of docs/run.md:
// NaN and infinities exactly, everything else by the mean and the largest
// relative error for the output's dtype, with three allowances. It knows
// numbers only: no operators, no files, no devices.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_JUDGE_H
#define LOSSGRAD_TOOLS_RUN_JUDGE_H

#include "dialect/LossGrad/Interpreter/Call.h"

namespace lossgrad::run {

/// The bound T on the mean error; the largest error stays below 10 T.
double getMeanLimit(DType dtype);

/// The largest finite number of a floating dtype.
double getLargest(DType dtype);

/// Whether two values of a floating dtype are equal or next to each other.
bool isSameOrNeighbour(DType dtype, double lhs, double rhs);

/// The float32 unit in the last place of a magnitude.
double getFloatUlp(double magnitude);

/// What a case asks for beyond the rules: at most the share `beyond` of the
/// elements may be off by more than `absolute + relative (|ref| + 1e-7)`.
struct Tolerance {
  double relative = 0, absolute = 0, beyond = 0;
};

struct Reference {
  /// Exact, in float64 or int64; not rounded to the dtype.
  llvm::ArrayRef<Element> elements;
  /// Per element, the largest term it is a sum of; empty: no allowance.
  llvm::ArrayRef<double> largestTerms = {};
  /// How many float32 units in the last place of the largest term are no
  /// error.
  double termUlps = 0;
  /// Besides the rules, never instead of them.
  std::optional<Tolerance> tolerance = std::nullopt;
  /// The product rounds what a half cannot hold to its largest number, and NaN
  /// to 0.
  bool saturates = false;
  /// Per element, what the formula gives with every step in float32; empty: no
  /// allowance. Where that is NaN or infinite and the reference is not, or the
  /// other way round, the element is not judged.
  llvm::ArrayRef<Element> inFloat32 = {};
};

struct Verdict {
  bool right = true;
  /// What rule is broken, in a few words.
  std::string reason;
  /// The first wrong element; with only the mean too large, the worst one.
  size_t index = 0;
  double got = 0, expected = 0, error = 0;
  /// Over all elements that are compared by error.
  double meanError = 0, maxError = 0;
  /// The largest |out - ref| / |ref| whatever the allowances, over finite
  /// elements whose reference is a normal number of the dtype, and where it is.
  double worstRelative = 0;
  size_t worstIndex = 0;
};

/// The error that leaves a float32 half of its 24 bits.
inline constexpr double kHalfTheDigits = 0x1p-12;

/// Judges reals and ints (which must be equal). `actual` holds values of the
/// dtype.
Verdict judge(DType dtype, const Reference &reference,
              llvm::ArrayRef<Element> actual);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_JUDGE_H
