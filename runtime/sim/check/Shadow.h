// Which bits of UB have a value. One shadow byte per byte, where a set bit
// means undefined; instructions carry undefined bits from what they read to
// what they write, together with where they came from. Where an undefined
// offset decides an access, that is returned to the caller, who reports it.
#pragma once

#include "sim/Observer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lossgrad::sim::check {

class Shadow {
public:
  // Why bytes are undefined: 0 means that nothing has written them, any other
  // value that an instruction made them so. The caller numbers instructions
  // from 1; kSelected marks those whose mask was undefined.
  using Origin = uint16_t;
  static constexpr Origin kSelected = 0x8000;

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
  Origin originAt(uint64_t address) const {
    return covers(address) ? origins[address - base] : Origin{0};
  }
  // The unwritten byte that an instruction met first.
  uint64_t sourceOf(Origin origin) const { return sources.at(origin); }

  // The effect of instruction number `here`, whose operands all lie in UB. The
  // address of an undefined offset if there is one.
  std::optional<uint64_t> apply(const Footprint &footprint, Origin here);

private:
  // An operand's shadow in the order of its elements.
  struct Lane {
    std::vector<uint8_t> bits;
    std::vector<Origin> origins;
    unsigned operand = 0;
    bool any = false;
  };
  // One instruction on its way through apply(). A state is the origin of an
  // element, 0 if it is defined.
  struct Step {
    const Footprint &footprint;
    Origin here;
    std::vector<Lane> reads;
  };

  Lane gather(const std::vector<Region> &regions, unsigned operand) const;
  void scatter(const std::vector<Region> &regions, unsigned operand,
               const Lane &result);
  void fill(const std::vector<Region> &regions, Origin state);
  void writeElements(const Footprint &footprint,
                     const std::vector<Origin> &states);
  Origin through(const Step &step, const Lane &lane, uint64_t offset);
  Origin stateOf(const Step &step, const Lane &lane, uint64_t i);
  Origin firstState(const Step &step);
  void applyBits(const Step &step);
  void applyGroups(const Step &step);
  void applyLanes(const Step &step);
  std::optional<uint64_t> applyMoves(const Step &step);
  uint64_t addressOf(const std::vector<Region> &regions, unsigned operand,
                     uint64_t offset) const;

  uint64_t base = 0;
  std::vector<uint8_t> bits;
  std::vector<Origin> origins;
  std::map<Origin, uint64_t> sources;
};

} // namespace lossgrad::sim::check
