// See Shadow.h. The common case, all operands defined, costs a scan of the
// sources and a fill of the destination.
#include "sim/check/Shadow.h"
#include "sim/Runs.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::sim::check {

void Shadow::reset(const uint8_t *begin, size_t bytes) {
  base = reinterpret_cast<uint64_t>(begin);
  bits.assign(bytes, 0xff);
  origins.assign(bytes, 0);
  sources.clear();
}

void Shadow::setUndefined(uint64_t address, uint64_t bytes, bool undefined) {
  if (!bytes || !covers(address, bytes))
    return;
  std::memset(&bits[address - base], undefined ? 0xff : 0, bytes);
  std::fill_n(&origins[address - base], bytes, Origin{0});
}

static bool anySet(const uint8_t *data, size_t size) {
  return size && (data[0] || std::memcmp(data, data + 1, size - 1) != 0);
}

std::optional<uint64_t> Shadow::firstUndefined(uint64_t address,
                                               uint64_t bytes) const {
  if (!bytes || !covers(address, bytes))
    return std::nullopt;
  const uint8_t *run = &bits[address - base];
  if (!anySet(run, bytes))
    return std::nullopt;
  return std::find_if(run, run + bytes, [](uint8_t b) { return b != 0; }) - run;
}

//===- Operands -----------------------------------------------------------===//

Shadow::Lane Shadow::gather(const std::vector<Region> &regions,
                            unsigned operand) const {
  Lane lane;
  lane.operand = operand;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    if (covers(address, bytes))
      lane.bits.insert(lane.bits.end(), &bits[address - base],
                       &bits[address - base] + bytes);
    else
      lane.bits.insert(lane.bits.end(), bytes, 0);
  });
  lane.any = anySet(lane.bits.data(), lane.bits.size());
  if (!lane.any)
    return lane;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    if (covers(address, bytes))
      lane.origins.insert(lane.origins.end(), &origins[address - base],
                          &origins[address - base] + bytes);
    else
      lane.origins.insert(lane.origins.end(), bytes, 0);
  });
  return lane;
}

// Repeats that write one place again and again read it in between: whatever
// was undefined in any of them is in the result.
static bool folds(const std::vector<Region> &regions, unsigned operand) {
  return std::any_of(regions.begin(), regions.end(), [&](const Region &r) {
    return r.operand == operand && r.rows > 1 &&
           r.rowPitch < static_cast<int64_t>(r.rowBytes);
  });
}

void Shadow::scatter(const std::vector<Region> &regions, unsigned operand,
                     const Lane &result) {
  const bool fold = folds(regions, operand);
  if (fold)
    forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
      setUndefined(address, bytes, false);
    });
  size_t cursor = 0;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    if (covers(address, bytes) && cursor + bytes <= result.bits.size())
      for (uint64_t i = 0; i < bytes; ++i) {
        const uint64_t at = address - base + i;
        if (fold && !result.bits[cursor + i])
          continue;
        bits[at] = static_cast<uint8_t>((fold ? bits[at] : 0) |
                                        result.bits[cursor + i]);
        origins[at] = result.origins[cursor + i];
      }
    cursor += bytes;
  });
}

void Shadow::fill(const std::vector<Region> &regions, Origin state) {
  for (const Region &region : regions)
    forEachRun(region, [&](uint64_t address, uint64_t bytes) {
      setUndefined(address, bytes, state != 0);
      if (state && covers(address, bytes))
        std::fill_n(&origins[address - base], bytes, state);
    });
}

uint64_t Shadow::addressOf(const std::vector<Region> &regions, unsigned operand,
                           uint64_t offset) const {
  uint64_t found = 0;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    if (!found && offset < bytes)
      found = address + offset;
    offset -= std::min(offset, bytes);
  });
  return found;
}

static unsigned operandCount(const std::vector<Region> &regions) {
  unsigned count = 0;
  for (const Region &region : regions)
    count = std::max<unsigned>(count, region.operand + 1u);
  return count;
}

//===- Elements -----------------------------------------------------------===//

// The origin that an undefined byte of an operand hands on: its own, or this
// instruction if it is the first to read a byte that nothing has written.
Shadow::Origin Shadow::through(const Step &step, const Lane &lane,
                               uint64_t offset) {
  if (lane.origins[offset])
    return lane.origins[offset];
  if (!sources.count(step.here))
    sources[step.here] = addressOf(step.footprint.reads, lane.operand, offset);
  return step.here;
}

// The state of element i. An operand with fewer bytes than elements is a bit
// mask.
Shadow::Origin Shadow::stateOf(const Step &step, const Lane &lane, uint64_t i) {
  const uint64_t count = step.footprint.elements;
  if (lane.bits.size() < count)
    return i / 8 < lane.bits.size() && (lane.bits[i / 8] >> (i % 8) & 1)
               ? through(step, lane, i / 8)
               : Origin{0};
  const uint64_t size = lane.bits.size() / count;
  for (uint64_t byte = i * size; byte < (i + 1) * size; ++byte)
    if (lane.bits[byte])
      return through(step, lane, byte);
  return 0;
}

Shadow::Origin Shadow::firstState(const Step &step) {
  for (const Lane &lane : step.reads)
    for (uint64_t byte = 0; lane.any && byte < lane.bits.size(); ++byte)
      if (lane.bits[byte])
        return through(step, lane, byte);
  return 0;
}

void Shadow::writeElements(const Footprint &footprint,
                           const std::vector<Origin> &states) {
  const uint64_t count = states.size();
  for (unsigned w = 0; w < operandCount(footprint.writes); ++w) {
    uint64_t bytes = 0;
    for (const Region &region : footprint.writes)
      bytes += region.operand == w ? bytesOf(region) : 0;
    Lane result;
    result.bits.resize(bytes);
    result.origins.resize(bytes);
    for (uint64_t i = 0; i < count; ++i) {
      if (!states[i])
        continue;
      if (bytes < count) {
        if (i / 8 >= bytes)
          continue;
        result.bits[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
        result.origins[i / 8] = states[i];
      } else {
        const uint64_t size = bytes / count;
        std::memset(&result.bits[i * size], 0xff, size);
        std::fill_n(&result.origins[i * size], size, states[i]);
      }
    }
    scatter(footprint.writes, w, result);
  }
}

//===- Flows --------------------------------------------------------------===//

void Shadow::applyBits(const Step &step) {
  Lane result;
  for (const Lane &lane : step.reads) {
    result.bits.resize(std::max(result.bits.size(), lane.bits.size()));
    result.origins.resize(result.bits.size());
    for (size_t i = 0; lane.any && i < lane.bits.size(); ++i) {
      if (!lane.bits[i])
        continue;
      result.bits[i] |= lane.bits[i];
      result.origins[i] = through(step, lane, i);
    }
  }
  for (unsigned w = 0; w < operandCount(step.footprint.writes); ++w)
    scatter(step.footprint.writes, w, result);
}

void Shadow::applyGroups(const Step &step) {
  const Footprint &footprint = step.footprint;
  const uint64_t perGroup = std::max(footprint.groupElements, 1u);
  const uint64_t groups = (footprint.elements + perGroup - 1) / perGroup;
  std::vector<Origin> states(groups);
  for (const Lane &lane : step.reads)
    for (uint64_t i = 0; lane.any && i < footprint.elements; ++i)
      if (const Origin state = stateOf(step, lane, i))
        states[i / perGroup] = state;
  writeElements(footprint, states);
}

void Shadow::applyLanes(const Step &step) {
  std::vector<Origin> states(step.footprint.elements);
  for (const Lane &lane : step.reads)
    for (uint64_t i = 0; lane.any && i < step.footprint.elements; ++i)
      if (const Origin state = stateOf(step, lane, i))
        states[i] = state;
  writeElements(step.footprint, states);
}

// All sources are looked at before anything is written: a move may end where
// another one begins.
std::optional<uint64_t> Shadow::applyMoves(const Step &step) {
  const std::vector<Move> moves = step.footprint.moves();
  std::optional<uint64_t> undefinedOffset;
  std::vector<uint8_t> newBits;
  std::vector<Origin> newOrigins;
  const Origin asSelected = step.here | kSelected;
  Origin open = 0; // why it is not known where everything goes
  for (const Region &key : step.footprint.keys)
    forEachRun(key, [&](uint64_t address, uint64_t bytes) {
      const auto undefined = firstUndefined(address, bytes);
      if (open || !undefined)
        return;
      open = originAt(address + *undefined);
      if (!open) {
        sources.try_emplace(step.here, address + *undefined);
        open = step.here;
      }
    });
  for (const Move &move : moves) {
    const auto by = reinterpret_cast<uint64_t>(move.by);
    bool undecided = false;
    for (uint32_t i = 0;
         move.by && covers(by, move.byBytes) && i < move.byBytes; ++i)
      undecided |= bits[by - base + i] & move.byBits;
    const bool selected =
        undecided && step.footprint.decider == Decider::Selection;
    // An undefined offset is reported here and now, so that what it leads to
    // is not followed up.
    if (undecided && !selected && !undefinedOffset)
      undefinedOffset = by;
    if (selected)
      sources.try_emplace(asSelected, by);
    const auto from = reinterpret_cast<uint64_t>(move.from);
    const bool known = move.from && covers(from, move.bytes);
    for (uint32_t i = 0; i < move.bytes; ++i) {
      const uint8_t old = known ? bits[from - base + i] : 0;
      if (open) {
        newBits.push_back(0xff);
        newOrigins.push_back(open);
        continue;
      }
      newBits.push_back(selected ? 0xff : old);
      Origin origin = old ? origins[from - base + i] : Origin{0};
      if (old && !origin) {
        sources.try_emplace(step.here, from + i);
        origin = step.here;
      }
      newOrigins.push_back(selected ? asSelected : origin);
    }
  }
  size_t cursor = 0;
  for (const Move &move : moves) {
    const auto to = reinterpret_cast<uint64_t>(move.to);
    if (covers(to, move.bytes)) {
      std::copy_n(&newBits[cursor], move.bytes, &bits[to - base]);
      std::copy_n(&newOrigins[cursor], move.bytes, &origins[to - base]);
    }
    cursor += move.bytes;
  }
  return undefinedOffset;
}

std::optional<uint64_t> Shadow::apply(const Footprint &footprint, Origin here) {
  Step step{footprint, here, {}};
  bool any = false;
  for (unsigned r = 0; r < operandCount(footprint.reads); ++r) {
    step.reads.push_back(gather(footprint.reads, r));
    any |= step.reads.back().any;
  }
  if (!any) {
    fill(footprint.writes, 0);
    return std::nullopt;
  }
  switch (footprint.flow) {
  case Flow::Whole:
    fill(footprint.writes, firstState(step));
    break;
  case Flow::Bits:
    applyBits(step);
    break;
  case Flow::Groups:
    applyGroups(step);
    break;
  case Flow::Lanes:
    applyLanes(step);
    break;
  case Flow::Moves:
    return applyMoves(step);
  }
  return std::nullopt;
}

} // namespace lossgrad::sim::check
