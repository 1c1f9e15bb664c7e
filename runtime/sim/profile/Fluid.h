// Transfers in flight as a fluid: each has its own greatest rate and the part
// of its bytes that reaches memory; memory and L2 are divided by max-min
// fairness. Time moves from one completion or arrival to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lossgrad::sim::profile {

class Fluid {
public:
  // Greatest total rates in bytes per cycle.
  Fluid(double memoryRate, double l2Rate)
      : memoryRate(memoryRate), l2Rate(l2Rate) {}

  // A transfer of `bytes` that starts at `now` (not before any earlier call).
  // `memoryPart` of each byte loads memory, `l2Part` loads L2.
  uint32_t start(double now, double bytes, double greatestRate,
                 double memoryPart, double l2Part);

  static constexpr double kNever = std::numeric_limits<double>::infinity();
  // When the next transfer ends if nothing else arrives.
  double nextEnd() const { return next; }
  // Moves to nextEnd() and returns the transfer that ended there.
  uint32_t finishNext();

private:
  struct Transfer {
    uint32_t id;
    double left;
    double greatest;
    double memoryPart, l2Part;
    double rate = 0;
  };
  void moveTo(double time);
  void share();
  void limit(double total, double Transfer::*part);

  double memoryRate, l2Rate;
  double now = 0;
  double next = kNever;
  size_t nextIndex = 0;
  uint32_t lastId = 0;
  std::vector<Transfer> active;
};

} // namespace lossgrad::sim::profile
