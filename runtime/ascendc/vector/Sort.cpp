// Sort32 and MrgSort: values and indices as pairs of 8 bytes, the value low (a
// half with two unused bytes behind it), the index high; largest value first,
// of equal values the one that came first. Where NaN goes is not documented:
// it counts as larger than everything, so that it is seen.
#include "Shape.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lossgrad::vector {

using sim::kBlockBytes;

namespace {

constexpr uint32_t kGroup = 32; // values that one repeat sorts
constexpr uint32_t kPairBytes = 8;
constexpr uint16_t kMaxList = 4095;

using Pair = uint64_t; // value low, index high

bool isBefore(DType type, Pair a, Pair b) {
  auto value = [&](Pair pair) {
    return type == DType::Half
               ? sim::floatOfHalfBits(static_cast<uint16_t>(pair))
               : sim::floatOfBits(static_cast<uint32_t>(pair));
  };
  const float x = value(a), y = value(b);
  if (x != x || y != y)
    return x != x && y == y;
  return x > y;
}

Pair pairAt(const void *list, uint64_t index) {
  Pair pair;
  std::memcpy(&pair, static_cast<const uint8_t *>(list) + index * kPairBytes,
              sizeof pair);
  return pair;
}

// The values of pairs, one by one: what decides on their order.
sim::Region valuesOf(DType type, const void *list, uint64_t count) {
  return {list, bytesOf(type), static_cast<uint32_t>(count), kPairBytes, 1, 0};
}

sim::Move moveOf(void *dst, uint64_t offset, const void *from, uint64_t begin,
                 uint32_t bytes) {
  sim::Move move;
  move.to = static_cast<uint8_t *>(dst) + offset;
  move.from = from ? static_cast<const uint8_t *>(from) + begin : nullptr;
  move.bytes = bytes;
  return move;
}

std::vector<Pair> pairsOf(DType type, const void *values, const void *indices,
                          uint64_t count) {
  std::vector<Pair> pairs(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t value = 0, index;
    std::memcpy(&value,
                static_cast<const uint8_t *>(values) + i * bytesOf(type),
                bytesOf(type));
    std::memcpy(&index, static_cast<const uint8_t *>(indices) + i * 4, 4);
    pairs[i] = value | uint64_t{index} << 32;
  }
  return pairs;
}

// Where the pairs of each group come from once they are sorted; of equal values
// the one that came first stays first. (std::stable_sort would do: but in
// libstdc++ 12 it calls what C++17 deprecates, which clang reports.)
std::vector<uint32_t> orderOf(DType type, const std::vector<Pair> &pairs,
                              uint64_t group) {
  auto comes = [&](uint32_t a, uint32_t b) {
    return isBefore(type, pairs[a], pairs[b]) ||
           (a < b && !isBefore(type, pairs[b], pairs[a]));
  };
  std::vector<uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0u);
  for (uint64_t i = 0; i < order.size(); i += group)
    std::sort(order.begin() + static_cast<ptrdiff_t>(i),
              order.begin() + static_cast<ptrdiff_t>(i + group), comes);
  return order;
}

// An index goes where its value goes; the bytes behind a half are zero.
std::vector<sim::Move> movesOf(void *dst, DType type, const void *values,
                               const void *indices,
                               const std::vector<uint32_t> &order) {
  const uint32_t bytes = bytesOf(type);
  std::vector<sim::Move> list;
  for (uint64_t i = 0; i < order.size(); ++i) {
    const uint64_t to = i * kPairBytes;
    list.push_back(moveOf(dst, to, values, uint64_t{order[i]} * bytes, bytes));
    list.push_back(moveOf(dst, to + bytes, nullptr, 0, 4 - bytes));
    list.push_back(moveOf(dst, to + 4, indices, uint64_t{order[i]} * 4, 4));
  }
  return list;
}

// Products without it sort region proposals of 8 elements instead.
void require(Core &core, int32_t repeat) {
  if (!core.family->splitCores)
    core.fail("not available on %s (%s), which sorts region proposals",
              core.family->title, core.soc->name);
  if (repeat < 0 || static_cast<uint32_t>(repeat) > core.family->maxRepeat)
    core.fail("repeatTime is %d, it must be within [0, %u]", repeat,
              core.family->maxRepeat);
}

} // namespace

void requireSorting(const char *call, int32_t repeat, Site site) {
  require(Core::enterDeferring(call, site), repeat);
}

void sort32(const char *call, DType type, void *dst, const void *values,
            const void *indices, int32_t repeat, Site site) {
  Core &core = Core::enter(call, site);
  require(core, repeat);
  const uint64_t count = static_cast<uint64_t>(repeat) * kGroup;
  const uint64_t valueBytes = count * bytesOf(type), indexBytes = count * 4;
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireAligned(values, kBlockBytes, "src0");
  core.requireAligned(indices, kBlockBytes, "src1");
  core.requireLocal(values, valueBytes, "src0");
  core.requireLocal(indices, indexBytes, "src1");
  core.requireLocal(dst, count * kPairBytes, "dst");
  if (!count)
    return;
  if (core.observer) {
    std::vector<sim::Region> reads, writes;
    addDense(reads, values, valueBytes);
    addDense(reads, indices, indexBytes);
    addDense(writes, dst, count * kPairBytes);
    Traits traits = movesAs([=] {
      return movesOf(
          dst, type, values, indices,
          orderOf(type, pairsOf(type, values, indices, count), kGroup));
    });
    traits.keys = {{values, valueBytes, 1, 0, 1, 0}};
    announce(core, std::move(reads), std::move(writes), type, count,
             static_cast<uint32_t>(repeat), traits);
  }
  const std::vector<Pair> pairs = pairsOf(type, values, indices, count);
  auto *to = static_cast<uint8_t *>(dst);
  for (uint32_t from : orderOf(type, pairs, kGroup)) {
    std::memcpy(to, &pairs[from], kPairBytes);
    to += kPairBytes;
  }
}

//===- merging ------------------------------------------------------------===//

namespace {

// The lists of one merge and how far each has been read.
struct Merge {
  DType type;
  const uint8_t *lists[4];
  uint32_t lengths[4];
  uint32_t taken[4] = {};
  uint32_t count; // of lists

  bool exhausted() const {
    for (uint32_t i = 0; i < count; ++i)
      if (taken[i] == lengths[i])
        return true;
    return false;
  }
  // The list whose next pair comes first; `count` if nothing is left.
  uint32_t next() const {
    uint32_t best = count;
    for (uint32_t i = 0; i < count; ++i)
      if (taken[i] < lengths[i] &&
          (best == count || isBefore(type, pairAt(lists[i], taken[i]),
                                     pairAt(lists[best], taken[best]))))
        best = i;
    return best;
  }
  // Where the pairs of the result come from.
  std::vector<const uint8_t *> run(bool suspends) {
    std::vector<const uint8_t *> merged;
    for (uint32_t from = next(); from != count; from = next()) {
      merged.push_back(lists[from] + uint64_t{taken[from]++} * kPairBytes);
      if (suspends && exhausted())
        break;
    }
    return merged;
  }
};

// Several repeats need four equal lists, one behind the other.
void checkRepeats(Core &core, const MergeInstr &instr) {
  if (instr.repeat <= 1)
    return;
  bool regular = instr.valid == 15 && !instr.suspends;
  for (int i = 1; i < 4; ++i)
    regular = regular && instr.lengths[i] == instr.lengths[0] &&
              static_cast<const uint8_t *>(instr.src[i - 1]) +
                      instr.lengths[0] * kPairBytes ==
                  instr.src[i];
  if (!regular)
    core.fail("repeatTimes is %u, which takes four lists of the same length, "
              "one behind the other, all valid and without suspension",
              instr.repeat);
}

} // namespace

void mergeSorted(DType type, const MergeInstr &instr) {
  Core &core = Core::enter("MrgSort", instr.site);
  require(core, static_cast<int32_t>(instr.repeat));
  if (instr.valid != 3 && instr.valid != 7 && instr.valid != 15)
    core.fail("validBit is %u, it must be 3, 7 or 15", instr.valid);
  const uint32_t lists = instr.valid == 3 ? 2 : instr.valid == 7 ? 3 : 4;
  checkRepeats(core, instr);
  core.requireAligned(instr.dst, kBlockBytes, "dst");
  uint64_t total = 0;
  std::vector<sim::Region> reads, writes;
  for (uint32_t i = 0; i < lists; ++i) {
    static const char *const names[] = {"src1", "src2", "src3", "src4"};
    if (instr.lengths[i] > kMaxList)
      core.fail("elementLengths[%u] is %u, at most %u are possible", i,
                instr.lengths[i], kMaxList);
    core.requireAligned(instr.src[i], kPairBytes, names[i]);
    core.requireLocal(instr.src[i], uint64_t{instr.lengths[i]} * kPairBytes,
                      names[i]);
    addDense(reads, instr.src[i], uint64_t{instr.lengths[i]} * kPairBytes);
    total += instr.lengths[i];
  }
  if (!instr.repeat)
    return;
  const uint64_t bytes = total * kPairBytes;
  auto mergeOf = [&](uint32_t repeat) {
    Merge merge{type, {}, {}, {}, lists};
    for (uint32_t i = 0; i < lists; ++i) {
      merge.lists[i] =
          static_cast<const uint8_t *>(instr.src[i]) + repeat * bytes;
      merge.lengths[i] = instr.lengths[i];
    }
    return merge;
  };
  if (instr.repeat > 1) // the lists are one run
    reads = {{instr.src[0], bytes * instr.repeat, 1, 0, 1, 0, 0}};
  for (const sim::Region &read : reads) {
    const auto *from = static_cast<const uint8_t *>(read.addr);
    const auto *to = static_cast<const uint8_t *>(instr.dst);
    if (from < to + bytes * instr.repeat && to < from + read.rowBytes)
      core.fail("dst overlaps a source, which is not allowed");
  }
  core.requireLocal(instr.src[0], instr.repeat > 1 ? bytes * instr.repeat : 0,
                    "src1");
  core.requireLocal(instr.dst, bytes * instr.repeat, "dst");
  addDense(writes, instr.dst, bytes * instr.repeat);
  if (core.observer) {
    Traits traits = movesAs([&] {
      std::vector<sim::Move> list;
      for (uint32_t repeat = 0; repeat < instr.repeat; ++repeat) {
        uint64_t to = repeat * bytes;
        for (const uint8_t *from : mergeOf(repeat).run(instr.suspends)) {
          list.push_back(moveOf(instr.dst, to, from, 0, kPairBytes));
          to += kPairBytes;
        }
      }
      return list;
    });
    for (const sim::Region &read : reads)
      traits.keys.push_back(
          valuesOf(type, read.addr, read.rowBytes / kPairBytes));
    announce(core, std::move(reads), std::move(writes), type,
             total * instr.repeat, instr.repeat, traits);
  }
  for (uint32_t repeat = 0; repeat < instr.repeat; ++repeat) {
    Merge merge = mergeOf(repeat);
    auto *to = static_cast<uint8_t *>(instr.dst) + repeat * bytes;
    for (const uint8_t *from : merge.run(instr.suspends)) {
      std::memcpy(to, from, kPairBytes);
      to += kPairBytes;
    }
    core.regs.merged = 0;
    for (uint32_t i = 0; i < lists; ++i)
      core.regs.merged |= uint64_t{merge.taken[i]} << (16 * i);
  }
}

uint64_t mergedCounts(Site site) {
  Core &core = Core::enter("GetMrgSortResult", site);
  require(core, 0);
  return core.regs.merged;
}

void mergeAll(DType type, void *dst, void *tmp, uint64_t tmpBytes,
              int32_t repeat, Site site) {
  Core &core = Core::enter("Sort", site);
  const uint64_t count = static_cast<uint64_t>(repeat) * kGroup;
  const uint64_t bytes = count * kPairBytes;
  if (repeat <= 1)
    return;
  if (tmpBytes < bytes)
    core.fail("tmp has %llu bytes, sorting %llu values takes %llu",
              static_cast<unsigned long long>(tmpBytes),
              static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(bytes));
  core.requireAligned(tmp, kBlockBytes, "tmp");
  core.requireLocal(tmp, bytes, "tmp");
  // Merging lists of equal priority in their order is a stable sort.
  std::vector<Pair> pairs(count);
  std::memcpy(pairs.data(), dst, bytes);
  auto sorted = [&] { return orderOf(type, pairs, count); };
  if (core.observer) {
    std::vector<sim::Region> reads, writes;
    addDense(reads, dst, bytes);
    addDense(writes, dst, bytes);
    addDense(writes, tmp, bytes);
    Traits traits = movesAs([&] {
      std::vector<sim::Move> list;
      uint64_t to = 0;
      for (uint32_t from : sorted()) {
        list.push_back(
            moveOf(dst, to, dst, uint64_t{from} * kPairBytes, kPairBytes));
        to += kPairBytes;
      }
      return list;
    });
    traits.keys = {valuesOf(type, dst, count)};
    traits.selfContained = true;
    announce(core, std::move(reads), std::move(writes), type, count,
             static_cast<uint32_t>(repeat), traits);
  }
  const std::vector<uint32_t> order = sorted();
  auto *to = static_cast<uint8_t *>(dst);
  for (uint32_t from : order) {
    std::memcpy(to, &pairs[from], kPairBytes);
    to += kPairBytes;
  }
}

} // namespace lossgrad::vector
