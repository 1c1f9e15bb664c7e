// See Cost.h.
#include "sim/profile/Cost.h"

#include <algorithm>
#include <array>

namespace lossgrad::sim::profile {

namespace {

constexpr uint32_t kBlock = 32;
constexpr uint32_t kMaxGroups = 16;

// Blocks of repeat `repeat` of all operands, each address once.
std::vector<uint32_t> blocksOf(const std::vector<OperandBlocks> &operands,
                               uint32_t repeat) {
  std::vector<uint32_t> blocks;
  for (const OperandBlocks &operand : operands) {
    const size_t first = size_t(repeat) * operand.perRepeat;
    const size_t last =
        std::min(first + operand.perRepeat, operand.addresses.size());
    for (size_t i = first; i < last; ++i)
      blocks.push_back(operand.addresses[i] / kBlock);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

// Most blocks that fall into one group: a group serves one row per cycle.
unsigned fullestGroup(const std::vector<uint32_t> &blocks, uint32_t groups) {
  std::array<unsigned, kMaxGroups> count{};
  unsigned most = 0;
  for (uint32_t block : blocks)
    most = std::max(most, ++count[block % groups]);
  return most;
}

// Source and destination in one bank (64 KiB on A2) whose groups overlap in
// part: the write of one repeat meets the read of the next. Equal starts do
// not, since the write lags by one repeat.
bool partlySharesBank(const OperandBlocks &read, const OperandBlocks &write,
                      uint32_t bankBytes) {
  if (read.addresses.empty() || write.addresses.empty())
    return false;
  const uint32_t from = read.addresses[0], to = write.addresses[0];
  if (from / bankBytes != to / bankBytes)
    return false;
  const uint32_t distance = (to / kBlock - from / kBlock) % kMaxGroups;
  return distance != 0 && distance != 8;
}

} // namespace

BankCost bankCost(const targets::Family &family,
                  const targets::CostModel &model,
                  const std::vector<OperandBlocks> &reads,
                  const std::vector<OperandBlocks> &writes) {
  BankCost cost;
  uint32_t repeats = 0;
  for (const auto *operands : {&reads, &writes})
    for (const OperandBlocks &operand : *operands)
      repeats = std::max<uint32_t>(
          repeats, static_cast<uint32_t>(
                       (operand.addresses.size() + operand.perRepeat - 1) /
                       std::max(operand.perRepeat, 1u)));
  repeats = std::min(repeats, kSampledRepeats);
  if (!repeats)
    return cost;
  // Both documented geometries tell 16 places apart by address bits 5 to 8.
  const uint32_t groups = kMaxGroups;
  double readSum = 0, writeSum = 0;
  for (uint32_t r = 0; r < repeats; ++r) {
    readSum += std::max(1u, fullestGroup(blocksOf(reads, r), groups));
    writeSum += std::max(1u, fullestGroup(blocksOf(writes, r), groups));
  }
  cost.read = readSum / repeats;
  cost.write = writeSum / repeats;
  if (family.ubBankGroups == kMaxGroups)
    for (const OperandBlocks &read : reads)
      for (const OperandBlocks &write : writes)
        if (partlySharesBank(read, write,
                             static_cast<uint32_t>(model.ubBankBytes)))
          cost.mixed = model.readWriteConflict;
  return cost;
}

VectorTime vectorTime(const targets::CostModel &model, const VectorCall &call,
                      const BankCost &banks) {
  VectorTime time;
  double perRepeat = 1, fixed = model.unknownCallFixed, minimum = 0;
  double repeats = call.repeats;
  if (call.from && call.to) {
    if (const targets::CastCost *row = model.findCast(*call.from, *call.to)) {
      perRepeat = row->cycles;
      fixed = row->fixed;
      repeats = double(call.elements) / row->lanes;
    } else {
      fixed = model.unknownCastFixed;
    }
  } else if (const targets::VectorCost *row = model.find(call.call)) {
    perRepeat = call.elementBytes >= 4 ? row->wide : row->narrow;
    fixed = row->fixed;
    minimum = row->minimum;
  } else {
    time.known = false;
  }
  double conflictFree = perRepeat * repeats;
  double banked =
      (std::max({perRepeat, banks.read, banks.write}) + banks.mixed) * repeats;
  // Half-size casts take half a cycle per repeat; banks are counted per repeat
  // of the wider side, so they cannot cost less than that.
  if (perRepeat < 1 && banks.read <= 1 && banks.write <= 1)
    banked = (perRepeat + banks.mixed) * repeats;
  conflictFree /= model.issueWidth;
  banked /= model.issueWidth;
  double tail = 0;
  const uint64_t bytes = call.elements * call.elementBytes;
  if (call.tensorSources >= 2 && bytes % 256)
    tail = model.countTail;
  const double least = std::max(model.vectorIssue, minimum);
  time.occupation = model.functionHead + std::max(least, banked + tail);
  time.conflict = time.occupation -
                  (model.functionHead + std::max(least, conflictFree + tail));
  time.latency = std::max(0.0, fixed - model.vectorHead - model.functionHead);
  return time;
}

//===- Copies -------------------------------------------------------------===//

// Rows that touch are one block for the memory.
static CopyShape merged(CopyShape shape) {
  if (shape.rows > 1 && shape.pitch == static_cast<int64_t>(shape.rowBytes)) {
    shape.rowBytes *= shape.rows;
    shape.rows = 1;
  }
  return shape;
}

// A start that is not on the memory's largest request costs more.
static bool offBurst(const targets::CostModel &model, uint64_t address) {
  return address % static_cast<uint64_t>(model.burstBytes) != 0;
}

CopyTime loadTime(const targets::CostModel &model, const CopyShape &asked) {
  const CopyShape shape = merged(asked);
  double bytes = 0;
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const uint64_t begin = shape.address + row * shape.pitch;
    const uint64_t end = begin + shape.rowBytes;
    double touched =
        double((end + kBlock - 1) / kBlock * kBlock - begin / kBlock * kBlock);
    touched = std::max(touched, model.loadBlockBytes);
    if (begin % kBlock)
      touched *= model.unaligned32;
    else if (offBurst(model, begin))
      touched *= model.unalignedBurst;
    bytes += touched;
  }
  return {static_cast<uint64_t>(bytes), 0};
}

// Extra cycles of one row that does not begin and end on a block: the fits of
// the auto-tiler, the only numbers published.
static double unalignedStore(const targets::CostModel &model, double length,
                             double cores) {
  if (length > model.storeLongRow) {
    const double rate = model.storeFitRate + model.storeFitRateShared / cores;
    return std::max(0.0, model.storeLongCycles -
                             (model.storeFitIssue + model.storeLongRow / rate));
  }
  if (length >= kBlock)
    return model.storeMediumPerByte * length + model.storeMediumCycles;
  return (model.storeShortPerByte + model.storeShortPerByteAndCore * cores) *
             length +
         model.storeShortPerCore * cores + model.storeShortCycles;
}

CopyTime storeTime(const targets::CostModel &model, const CopyShape &asked,
                   uint32_t cores) {
  const CopyShape shape = merged(asked);
  CopyTime time;
  double bytes = 0;
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const uint64_t begin = shape.address + row * shape.pitch;
    double touched =
        double((begin + shape.rowBytes + kBlock - 1) / kBlock * kBlock -
               begin / kBlock * kBlock);
    if (begin % kBlock || shape.rowBytes % kBlock)
      time.cycles +=
          unalignedStore(model, double(shape.rowBytes), std::max(cores, 1u));
    else if (offBurst(model, begin))
      touched *= model.unalignedBurst;
    bytes += touched;
  }
  time.bytes = static_cast<uint64_t>(bytes);
  return time;
}

} // namespace lossgrad::sim::profile
