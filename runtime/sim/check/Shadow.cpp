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
}

void Shadow::setUndefined(uint64_t address, uint64_t bytes, bool undefined) {
  if (covers(address, bytes))
    std::memset(&bits[address - base], undefined ? 0xff : 0, bytes);
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

Shadow::Lane Shadow::gather(const std::vector<Region> &regions,
                            unsigned operand) const {
  Lane lane;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    if (covers(address, bytes))
      lane.bits.insert(lane.bits.end(), &bits[address - base],
                       &bits[address - base] + bytes);
    else
      lane.bits.insert(lane.bits.end(), bytes, 0);
  });
  lane.any = anySet(lane.bits.data(), lane.bits.size());
  return lane;
}

std::vector<uint8_t> Shadow::values(const std::vector<Region> &regions,
                                    unsigned operand) {
  std::vector<uint8_t> data;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    auto from = reinterpret_cast<const uint8_t *>(address);
    data.insert(data.end(), from, from + bytes);
  });
  return data;
}

void Shadow::scatter(const std::vector<Region> &regions, unsigned operand,
                     const std::vector<uint8_t> &undefined) {
  size_t cursor = 0;
  forEachRunOf(regions, operand, [&](uint64_t address, uint64_t bytes) {
    if (covers(address, bytes) && cursor + bytes <= undefined.size())
      std::memcpy(&bits[address - base], &undefined[cursor], bytes);
    cursor += bytes;
  });
}

void Shadow::fill(const std::vector<Region> &regions, bool undefined) {
  for (const Region &region : regions)
    forEachRun(region, [&](uint64_t address, uint64_t bytes) {
      setUndefined(address, bytes, undefined);
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

static bool bitAt(const std::vector<uint8_t> &bits, uint64_t i) {
  return i / 8 < bits.size() && (bits[i / 8] >> (i % 8) & 1);
}

// Is element i of `count` undefined? An operand with fewer bytes than elements
// is a bit mask.
static bool elementUndefined(const std::vector<uint8_t> &bits, uint64_t count,
                             uint64_t i) {
  if (bits.size() < count)
    return bitAt(bits, i);
  const uint64_t size = bits.size() / count;
  return anySet(&bits[i * size], size);
}

void Shadow::writeElements(const Footprint &footprint,
                           const std::vector<uint8_t> &undefined) {
  const uint64_t count = undefined.size();
  for (unsigned w = 0; w < operandCount(footprint.writes); ++w) {
    uint64_t bytes = 0;
    for (const Region &region : footprint.writes)
      bytes += region.operand == w ? bytesOf(region) : 0;
    std::vector<uint8_t> result(bytes);
    for (uint64_t i = 0; i < count; ++i) {
      if (!undefined[i])
        continue;
      if (bytes < count) {
        if (i / 8 < bytes)
          result[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
      } else {
        const uint64_t size = bytes / count;
        std::memset(&result[i * size], 0xff, size);
      }
    }
    scatter(footprint.writes, w, result);
  }
}

void Shadow::applyGroups(const Footprint &footprint,
                         const std::vector<Lane> &reads) {
  const uint64_t perGroup = std::max(footprint.groupElements, 1u);
  const uint64_t groups = (footprint.elements + perGroup - 1) / perGroup;
  std::vector<uint8_t> undefined(groups);
  for (const Lane &lane : reads)
    for (uint64_t i = 0; lane.any && i < footprint.elements; ++i)
      if (elementUndefined(lane.bits, footprint.elements, i))
        undefined[i / perGroup] = 1;
  writeElements(footprint, undefined);
}

// The mask's own value is known before the instruction runs, so only the
// source that a lane takes counts.
std::optional<Shadow::Decision>
Shadow::applySelect(const Footprint &footprint,
                    const std::vector<Lane> &reads) {
  const uint64_t count = footprint.elements;
  const bool hasMask = !reads.empty() && reads[0].bits.size() < count;
  const std::vector<uint8_t> mask =
      hasMask ? values(footprint.reads, 0) : std::vector<uint8_t>{};
  std::optional<Decision> decision;
  std::vector<uint8_t> undefined(count);
  auto source = [&](size_t read, uint64_t i) {
    return read < reads.size() && reads[read].any &&
           reads[read].bits.size() >= count &&
           elementUndefined(reads[read].bits, count, i);
  };
  for (uint64_t i = 0; i < count; ++i) {
    if (!hasMask) {
      // The mask is a register: only what is undefined either way counts.
      undefined[i] = source(0, i) && (reads.size() < 2 || source(1, i)) &&
                     reads.size() > 1;
      continue;
    }
    if (bitAt(reads[0].bits, i)) {
      if (!decision)
        decision = Decision{"selection", addressOf(footprint.reads, 0, i / 8)};
      undefined[i] = source(1, i) || source(2, i);
    } else {
      undefined[i] = source(bitAt(mask, i) ? 1 : 2, i);
    }
  }
  writeElements(footprint, undefined);
  return decision;
}

std::optional<Shadow::Decision> Shadow::apply(const Footprint &footprint) {
  std::vector<Lane> reads;
  bool any = false;
  for (unsigned r = 0; r < operandCount(footprint.reads); ++r) {
    reads.push_back(gather(footprint.reads, r));
    any |= reads.back().any;
  }
  if (!any) {
    fill(footprint.writes, false);
    return std::nullopt;
  }
  switch (footprint.flow) {
  case Flow::Whole:
    fill(footprint.writes, true);
    return std::nullopt;
  case Flow::Bits: {
    Lane result = reads[0];
    for (const Lane &lane : reads)
      for (size_t i = 0; i < std::min(result.bits.size(), lane.bits.size());
           ++i)
        result.bits[i] |= lane.bits[i];
    for (unsigned w = 0; w < operandCount(footprint.writes); ++w)
      scatter(footprint.writes, w, result.bits);
    return std::nullopt;
  }
  case Flow::Groups:
    applyGroups(footprint, reads);
    return std::nullopt;
  case Flow::Select:
    return applySelect(footprint, reads);
  case Flow::Lanes:
  case Flow::Index:
    break;
  }
  std::optional<Decision> decision;
  std::vector<uint8_t> undefined(footprint.elements);
  for (size_t r = 0; r < reads.size(); ++r) {
    if (!reads[r].any)
      continue;
    for (uint64_t i = 0; i < footprint.elements; ++i) {
      if (!elementUndefined(reads[r].bits, footprint.elements, i))
        continue;
      if (footprint.flow != Flow::Index || r != 0) {
        undefined[i] = 1;
        continue;
      }
      // Reported here and now, so what the index leads to is not followed up.
      const uint64_t size = reads[0].bits.size() / footprint.elements;
      if (!decision)
        decision = Decision{"index", addressOf(footprint.reads, 0, i * size)};
    }
  }
  writeElements(footprint, undefined);
  return decision;
}

} // namespace lossgrad::sim::check
