//===- Judge.cpp - Whether a result is right ------------------------------===//

#include "Judge.h"
#include "TensorData.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

double run::getMeanLimit(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return 0x1p-10;
  case DType::BFloat16:
    return 0x1p-7;
  default:
    return 0x1p-13;
  }
}

/// The smallest normal number of a floating dtype.
static double getSmallest(DType dtype) {
  return dtype == DType::Float16   ? 0x1p-14
         : dtype == DType::Float64 ? std::numeric_limits<double>::min()
                                   : std::numeric_limits<float>::min();
}

double run::getLargest(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return 65504;
  case DType::BFloat16:
    return 0x1.fep127;
  case DType::Float32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

/// The number of a value among all values of its dtype, counted from zero, so
/// that neighbours differ by one, also across zero.
static int64_t getOrdinal(DType dtype, double value) {
  Element element;
  element.real = value;
  uint8_t bytes[8] = {};
  encode(dtype, element, bytes);
  unsigned bits = 8 * getElementBytes(dtype);
  uint64_t pattern;
  std::memcpy(&pattern, bytes, sizeof pattern);
  uint64_t sign = uint64_t(1) << (bits - 1);
  auto magnitude = static_cast<int64_t>(pattern & (sign - 1));
  return pattern & sign ? -magnitude : magnitude;
}

bool run::isSameOrNeighbour(DType dtype, double lhs, double rhs) {
  if (std::isnan(lhs) || std::isnan(rhs))
    return false;
  int64_t distance = getOrdinal(dtype, lhs) - getOrdinal(dtype, rhs);
  return distance >= -1 && distance <= 1;
}

double run::getFloatUlp(double magnitude) {
  if (!(magnitude > 0))
    return 0x1p-149;
  return std::ldexp(1.0, std::max(std::ilogb(magnitude), -126) - 23);
}

/// Below this size of the reference an error counts as if it were of this size.
static constexpr double kFloor = 1e-7;

namespace {

/// One pass over the elements of a floating output.
class RealJudge {
public:
  RealJudge(DType dtype, const Reference &reference)
      : dtype(dtype), reference(reference), limit(getMeanLimit(dtype)),
        largest(getLargest(dtype)) {}

  Verdict run(ArrayRef<Element> actual);

private:
  void judgeElement(size_t i, double golden, double actual);
  bool isNearOverflow(double golden) const {
    return std::fabs(std::fabs(golden) - largest) <= largest / 100;
  }
  bool isWithinTerms(size_t i, double golden, double actual) const;
  bool leavesFloat32(size_t i, double rounded) const;
  void measure(size_t i, double golden, double actual);
  void judgeTolerance();
  void fail(size_t i, double golden, double actual, double error,
            StringRef reason);

  DType dtype;
  const Reference &reference;
  double limit, largest;
  Verdict verdict;
  double sum = 0;
  size_t compared = 0, worst = 0;
  /// Elements beyond the case's own tolerance, and the first of them.
  size_t beyond = 0, firstBeyond = 0;
  double goldenBeyond = 0, actualBeyond = 0;
};

} // namespace

void RealJudge::fail(size_t i, double golden, double actual, double error,
                     StringRef reason) {
  if (!verdict.right)
    return; // the first wrong element is the one to show
  verdict.right = false;
  verdict.reason = reason.str();
  verdict.index = i;
  verdict.got = actual;
  verdict.expected = golden;
  verdict.error = error;
}

bool RealJudge::isWithinTerms(size_t i, double golden, double actual) const {
  if (reference.termUlps <= 0 || reference.largestTerms.empty())
    return false;
  double term = reference.largestTerms[i];
  return std::isfinite(term) &&
         std::fabs(actual - golden) <= reference.termUlps * getFloatUlp(term);
}

/// A factor of zero that is a small number in float64, times infinity, say.
bool RealJudge::leavesFloat32(size_t i, double rounded) const {
  if (reference.inFloat32.empty())
    return false;
  double literal = roundTo(dtype, reference.inFloat32[i].real);
  if (std::isnan(literal) || std::isnan(rounded))
    return std::isnan(literal) != std::isnan(rounded);
  return (std::isinf(literal) || std::isinf(rounded)) && literal != rounded;
}

/// What no allowance touches: the worst relative error, and the case's own
/// tolerance.
void RealJudge::measure(size_t i, double golden, double actual) {
  double distance = std::fabs(actual - golden), size = std::fabs(golden);
  if (size >= getSmallest(dtype) && distance / size > verdict.worstRelative) {
    verdict.worstRelative = distance / size;
    verdict.worstIndex = i;
  }
  if (!reference.tolerance ||
      distance <= reference.tolerance->absolute +
                      reference.tolerance->relative * (size + kFloor) ||
      actual == roundTo(dtype, golden))
    return;
  if (beyond++)
    return;
  firstBeyond = i;
  goldenBeyond = golden;
  actualBeyond = actual;
}

void RealJudge::judgeTolerance() {
  if (!reference.tolerance || beyond <= reference.tolerance->beyond * compared)
    return;
  fail(firstBeyond, goldenBeyond, actualBeyond,
       std::fabs(actualBeyond - goldenBeyond),
       std::to_string(beyond) + " of " + std::to_string(compared) +
           " elements beyond the tolerance of the case");
}

void RealJudge::judgeElement(size_t i, double golden, double actual) {
  const double infinite = std::numeric_limits<double>::infinity();
  if (reference.saturates && dtype == DType::Float16)
    golden = std::isnan(golden) ? 0 : std::clamp(golden, -largest, largest);
  double rounded = roundTo(dtype, golden);
  if (leavesFloat32(i, rounded))
    return;
  if (std::isnan(rounded) || std::isnan(actual)) {
    if (std::isnan(rounded) != std::isnan(actual))
      fail(i, golden, actual, infinite,
           std::isnan(actual) ? "NaN where a number is right"
                              : "a number where NaN is right");
    return;
  }
  if (std::isinf(rounded) || std::isinf(actual)) {
    if (rounded == actual)
      return;
    // Near the edge of the range a finite and an infinite result are both
    // right, but a finite one has to be near the edge as well.
    bool sameSign = std::signbit(rounded) == std::signbit(actual);
    if (!sameSign || !isNearOverflow(golden)) {
      fail(i, golden, actual, infinite,
           std::isinf(actual) ? "infinite where another value is right"
                              : "finite where an infinity is right");
      return;
    }
    if (std::isinf(actual) || isNearOverflow(actual))
      return;
  }
  ++compared;
  measure(i, golden, actual);
  if (isSameOrNeighbour(dtype, actual, rounded) ||
      isWithinTerms(i, golden, actual))
    return;
  double error = std::fabs(actual - golden) / (std::fabs(golden) + kFloor);
  sum += error;
  if (error > verdict.maxError) {
    verdict.maxError = error;
    worst = i;
  }
  if (error >= 10 * limit)
    fail(i, golden, actual, error, "error above the limit for one element");
}

Verdict RealJudge::run(ArrayRef<Element> actual) {
  for (size_t i = 0; i < actual.size(); ++i)
    judgeElement(i, reference.elements[i].real, actual[i].real);
  if (compared)
    verdict.meanError = sum / compared;
  if (verdict.meanError >= limit)
    fail(worst, reference.elements[worst].real, actual[worst].real,
         verdict.maxError, "mean error above the limit");
  judgeTolerance();
  return verdict;
}

static Verdict judgeInts(ArrayRef<Element> reference,
                         ArrayRef<Element> actual) {
  Verdict verdict;
  for (size_t i = 0; i < actual.size() && verdict.right; ++i)
    if (reference[i].integer != actual[i].integer) {
      verdict.right = false;
      verdict.reason = "another integer";
      verdict.index = i;
      verdict.got = static_cast<double>(actual[i].integer);
      verdict.expected = static_cast<double>(reference[i].integer);
      verdict.error = std::fabs(verdict.got - verdict.expected);
    }
  return verdict;
}

Verdict run::judge(DType dtype, const Reference &reference,
                   ArrayRef<Element> actual) {
  if (actual.size() != reference.elements.size()) {
    Verdict verdict;
    verdict.right = false;
    verdict.reason = "another number of elements";
    verdict.got = static_cast<double>(actual.size());
    verdict.expected = static_cast<double>(reference.elements.size());
    return verdict;
  }
  if (!isRealDType(dtype))
    return judgeInts(reference.elements, actual);
  return RealJudge(dtype, reference).run(actual);
}
