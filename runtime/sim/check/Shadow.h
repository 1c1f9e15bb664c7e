// Which bits of UB have a value. One shadow byte per byte, where a set bit
// means undefined; instructions carry undefined bits from what they read to
// what they write. Where undefined data decides something (an index, a
// selection), that is returned to the caller, who reports it.
#pragma once

#include "sim/Observer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lossgrad::sim::check {

class Shadow {
public:
  // Covers [begin, begin + bytes); all undefined.
  void reset(const uint8_t *begin, size_t bytes);
  bool covers(uint64_t address, uint64_t bytes = 1) const {
    return address - base < bits.size() &&
           bytes <= bits.size() - (address - base);
  }

  void setUndefined(uint64_t address, uint64_t bytes, bool undefined);
  // First undefined byte of a run, as an offset into it.
  std::optional<uint64_t> firstUndefined(uint64_t address,
                                         uint64_t bytes) const;

  struct Decision {
    const char *what; // "selection" or "index"
    uint64_t address; // of an undefined byte that decides
  };
  // The effect of an instruction whose operands all lie in UB.
  std::optional<Decision> apply(const Footprint &footprint);

private:
  // An operand's shadow in the order of its elements.
  struct Lane {
    std::vector<uint8_t> bits;
    bool any = false;
  };
  Lane gather(const std::vector<Region> &regions, unsigned operand) const;
  static std::vector<uint8_t> values(const std::vector<Region> &regions,
                                     unsigned operand);
  void scatter(const std::vector<Region> &regions, unsigned operand,
               const std::vector<uint8_t> &undefined);
  void fill(const std::vector<Region> &regions, bool undefined);
  void writeElements(const Footprint &footprint,
                     const std::vector<uint8_t> &undefined);
  void applyGroups(const Footprint &footprint, const std::vector<Lane> &reads);
  std::optional<Decision> applySelect(const Footprint &footprint,
                                      const std::vector<Lane> &reads);
  uint64_t addressOf(const std::vector<Region> &regions, unsigned operand,
                     uint64_t offset) const;

  uint64_t base = 0;
  std::vector<uint8_t> bits;
};

} // namespace lossgrad::sim::check
