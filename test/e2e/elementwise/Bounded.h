// Numbers with a running error bound: the exact value in float64 beside the
// most that a float32 computation of it may be off. Formulas of the tests are
// written in these, so the tolerance of a result follows from its formula and
// from the roundings on the way instead of being tuned. Not an interval type:
// the value is the exact one, only the error grows. An infinite error says that
// any result is right.
#pragma once

#include <algorithm>
#include <cmath>

/// Half a unit in the last place of a normal float32, relative; and of a
/// subnormal one, absolute.
constexpr double kUnit = 0x1p-24;
constexpr double kTiny = 0x1p-150;

struct Bounded {
  double value = 0;
  double error = 0;

  Bounded(double exact) : value(exact) {}
  Bounded(double exact, double off) : value(exact), error(off) {}
};

/// One rounding to float32 of something that was already `error` off, and that
/// may be a few units off itself where a call is not correctly rounded.
inline Bounded rounded(double value, double error, double units = 1) {
  if (!std::isfinite(value)) // compared as such
    return Bounded(value, std::isinf(error) ? error : 0);
  const double most = std::fabs(value) + error;
  return Bounded(value, error + units * std::max(kUnit * most, kTiny));
}

/// A coefficient that the host computes in float64 and hands over as float32.
inline Bounded coefficient(double value) { return rounded(value, 0); }

inline Bounded operator+(Bounded a, Bounded b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline Bounded operator-(Bounded a, Bounded b) {
  return rounded(a.value - b.value, a.error + b.error);
}
inline Bounded operator-(Bounded a) { return Bounded(-a.value, a.error); }
inline bool mayBeZero(Bounded a) {
  return a.error > 0 && std::fabs(a.value) <= a.error;
}
/// What may be zero times infinity may be NaN or either infinity: no bound.
inline Bounded operator*(Bounded a, Bounded b) {
  if ((mayBeZero(a) && std::isinf(b.value)) ||
      (mayBeZero(b) && std::isinf(a.value)) || std::isinf(a.error + b.error))
    return Bounded(NAN, INFINITY);
  if (!std::isfinite(a.value) || !std::isfinite(b.value))
    return a.value * b.value;
  return rounded(a.value * b.value, std::fabs(a.value) * b.error +
                                        std::fabs(b.value) * a.error +
                                        a.error * b.error);
}

/// Functions without a bend: the ends of the interval tell the error.
template <typename Function>
Bounded monotone(Bounded a, Function function, double units) {
  const double value = function(a.value);
  const double low = function(a.value - a.error);
  const double high = function(a.value + a.error);
  const double error =
      std::max(std::fabs(value - low), std::fabs(high - value));
  return rounded(value, error, units);
}

/// No rounding. Beyond a bound only the error of the bound itself is left.
inline Bounded clamp(Bounded a, Bounded low, Bounded high) {
  const double value = std::min(std::max(a.value, low.value), high.value);
  const double least =
      std::min(std::max(a.value - a.error, low.value - low.error),
               high.value - high.error);
  const double most =
      std::min(std::max(a.value + a.error, low.value + low.error),
               high.value + high.error);
  return Bounded(value, std::max(value - least, most - value));
}
