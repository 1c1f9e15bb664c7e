// Sums in the order of the hardware's tree over dense repeats, and extremes
// with their index over one repeat. A repeat is at most 128 lanes; the caller
// has put the neutral element into lanes that do not take part.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Reduce.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

#include <algorithm>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

constexpr size_t kMaxRepeatLanes = 128;
constexpr size_t kChunkRepeats = 16;

template <class Format>
HWY_INLINE const float *widen(const void *in, size_t count, float *out) {
  using T = typename Format::Storage;
  const auto *src = static_cast<const T *>(in);
  const size_t lanes = hn::Lanes(DF());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(Format::load(src + i), DF(), out + i);
  if (i < count) {
    Padded<T> tail;
    Padded<float> wide;
    tail.from(src + i, count - i);
    hn::StoreU(Format::load(tail.lanes), DF(), wide.lanes);
    wide.to(out + i, count - i);
  }
  return out;
}

// A sum that is NaN is always the same NaN: which of two operands lends its
// bits depends on the order that the compiler gives them, loop by loop.
HWY_INLINE VF oneNaN(VF v) {
  return hn::IfThenElse(
      hn::IsNaN(v), hn::Set(DF(), std::numeric_limits<float>::quiet_NaN()), v);
}

// One level of the tree: count results from 2 * count neighbours. A count that
// is no multiple of the lanes makes whole vectors all the same, for which both
// sides have room.
template <class Format, bool Saturate>
HWY_INLINE void pairLevel(float *out, const float *in, size_t count) {
  const DF df;
  const size_t lanes = hn::Lanes(df);
  for (size_t i = 0; i < count; i += lanes) {
    const VF low = hn::LoadU(df, in + 2 * i);
    const VF high = hn::LoadU(df, in + 2 * i + lanes);
    VF sum =
        hn::Add(hn::ConcatEven(df, high, low), hn::ConcatOdd(df, high, low));
    if constexpr (Saturate)
      sum = Format::saturated(sum);
    hn::StoreU(Format::rounded(sum), df, out + i);
  }
}

// One level of a tree over the lanes of two vectors at once: sums of neighbours
// `Level` apart, those of a and those of b in turn.
template <size_t Level> HWY_INLINE VF neighbours(VF a, VF b) {
  const DF df;
  const hn::Repartition<double, DF> dd;
  if constexpr (Level == 1)
    return hn::Add(hn::OddEven(hn::DupEven(b), a),
                   hn::OddEven(b, hn::DupOdd(a)));
  if constexpr (Level == 2) {
    const auto a2 = hn::BitCast(dd, a), b2 = hn::BitCast(dd, b);
    return hn::Add(hn::BitCast(df, hn::InterleaveLower(dd, a2, b2)),
                   hn::BitCast(df, hn::InterleaveUpper(dd, a2, b2)));
  }
  if constexpr (Level == 4)
    return hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a),
                   hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
  return hn::Add(hn::ConcatLowerLower(df, b, a),
                 hn::ConcatUpperUpper(df, b, a));
}

// Lane k is the tree sum of vector k of `Count` at `in`, if Count is the number
// of lanes; with fewer vectors lanes hold what is left of the tree.
template <class Format, bool Saturate, size_t Count>
HWY_INLINE VF foldVectors(const typename Format::Storage *in) {
  if constexpr (Count == 1) {
    return Format::load(in);
  } else {
    constexpr size_t kHalf = Count / 2;
    VF sum = neighbours<kHalf>(
        foldVectors<Format, Saturate, kHalf>(in),
        foldVectors<Format, Saturate, kHalf>(in + kHalf * kMaxLanes));
    if constexpr (Saturate)
      sum = Format::saturated(sum);
    return Format::rounded(sum);
  }
}

// The tree sums of dense, full repeats. A level runs over many repeats at once:
// a tree of neighbours is the same whether it knows where a repeat ends or not,
// and one repeat alone is mostly tails.
template <class Format, bool Saturate>
HWY_INLINE void trees(float *out, const typename Format::Storage *in,
                      size_t repeats) {
  constexpr size_t kPerRepeat = 256 / sizeof(typename Format::Storage);
  constexpr size_t kGroup = kMaxLanes * kMaxLanes;
  HWY_ALIGN float work[kChunkRepeats * kPerRepeat / kMaxLanes + 2 * kMaxLanes] =
      {};
  size_t count = repeats * kPerRepeat;
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup)
    hn::StoreU(foldVectors<Format, Saturate, kMaxLanes>(in + i), DF(),
               work + i / kMaxLanes);
  if (i < count) {
    HWY_ALIGN typename Format::Storage rest[kGroup] = {};
    std::memcpy(rest, in + i, (count - i) * sizeof rest[0]);
    Padded<float> sums;
    hn::StoreU(foldVectors<Format, Saturate, kMaxLanes>(rest), DF(),
               sums.lanes);
    sums.to(work + i / kMaxLanes, (count - i) / kMaxLanes);
  }
  for (count /= kMaxLanes; count > repeats;)
    pairLevel<Format, Saturate>(work, work, count /= 2);
  for (size_t k = 0; k < repeats; k += kMaxLanes)
    hn::StoreU(oneNaN(hn::LoadU(DF(), work + k)), DF(), work + k);
  std::copy_n(work, repeats, out);
}

// The same for some lanes of repeats anywhere: brought together first.
template <class Format, bool Saturate>
HWY_INLINE void treesOf(float *out, const void *inRaw, size_t repeats,
                        size_t pitch, size_t lanes) {
  using T = typename Format::Storage;
  constexpr size_t kPerRepeat = 256 / sizeof(T);
  const auto *in = static_cast<const uint8_t *>(inRaw);
  HWY_ALIGN T rows[kChunkRepeats * kPerRepeat];
  const bool dense = pitch == 256 && lanes == kPerRepeat;
  if (!dense && lanes < kPerRepeat)
    std::memset(rows, 0, std::min(repeats, kChunkRepeats) * 256);
  while (repeats > 0) {
    const size_t some = std::min(repeats, kChunkRepeats);
    if (!dense)
      for (size_t i = 0; i < some; ++i)
        std::memcpy(rows + i * kPerRepeat, in + i * pitch, lanes * sizeof(T));
    trees<Format, Saturate>(out, dense ? reinterpret_cast<const T *>(in) : rows,
                            some);
    in += some * pitch;
    out += some;
    repeats -= some;
  }
}

void TreeSums(DType type, float *out, const void *in, size_t repeats,
              size_t pitch, size_t lanes, bool saturate) {
  if (type == DType::Float)
    return treesOf<FloatFormat, false>(out, in, repeats, pitch, lanes);
  return saturate ? treesOf<HalfFormat, true>(out, in, repeats, pitch, lanes)
                  : treesOf<HalfFormat, false>(out, in, repeats, pitch, lanes);
}

// Sums of neighbours of two vectors, those of the first before those of the
// second.
HWY_INLINE VF pairSums(VF low, VF high) {
  const DF df;
  return hn::Add(hn::ConcatEven(df, high, low), hn::ConcatOdd(df, high, low));
}

// The sums of blocks of 8 floats, in registers.
HWY_INLINE void blockSums(float *out, const float *in, size_t results) {
  constexpr size_t kBlock = 8;
  const DF df;
  const size_t lanes = hn::Lanes(df);
  auto fours = [&](const float *from) {
    const VF low = pairSums(hn::LoadU(df, from), hn::LoadU(df, from + lanes));
    const VF high = pairSums(hn::LoadU(df, from + 2 * lanes),
                             hn::LoadU(df, from + 3 * lanes));
    return pairSums(low, high);
  };
  auto sums = [&](const float *from) {
    return oneNaN(pairSums(fours(from), fours(from + 4 * lanes)));
  };
  size_t i = 0;
  for (; i + lanes <= results; i += lanes)
    hn::StoreU(sums(in + i * kBlock), df, out + i);
  if (i == results)
    return;
  HWY_ALIGN float rest[kBlock * kMaxLanes] = {};
  std::memcpy(rest, in + i * kBlock, (results - i) * kBlock * sizeof(float));
  Padded<float> tail;
  hn::StoreU(sums(rest), df, tail.lanes);
  tail.to(out + i, results - i);
}

// Sums of groups, level by level; whole repeats, so that the first level has no
// tail.
template <class Format, bool Saturate>
HWY_INLINE void groups(void *outRaw, const void *inRaw, size_t results,
                       size_t group) {
  using T = typename Format::Storage;
  auto *out = static_cast<T *>(outRaw);
  const auto *in = static_cast<const T *>(inRaw);
  if constexpr (std::is_same_v<T, float>) {
    if (group == 8)
      return blockSums(out, in, results);
  }
  constexpr size_t kSome = 1024;
  HWY_ALIGN float work[kSome + 2 * kMaxLanes] = {};
  while (results > 0) {
    const size_t some = std::min(results, kSome / group);
    size_t count = some * group;
    const float *level;
    if constexpr (std::is_same_v<T, float>)
      level = in;
    else
      level = widen<Format>(in, count, work);
    for (in += count; count > some; level = work)
      pairLevel<Format, Saturate>(work, level, count /= 2);
    size_t i = 0;
    for (const size_t lanes = hn::Lanes(DF()); i + lanes <= some; i += lanes)
      Format::store(oneNaN(hn::LoadU(DF(), work + i)), out + i);
    if (i < some) {
      Padded<T> tail;
      Format::store(oneNaN(hn::LoadU(DF(), work + i)), tail.lanes);
      tail.to(out + i, some - i);
    }
    out += some;
    results -= some;
  }
}

void GroupSums(DType type, void *out, const void *in, size_t results,
               size_t group, bool saturate) {
  if (type == DType::Float)
    return groups<FloatFormat, false>(out, in, results, group);
  return saturate ? groups<HalfFormat, true>(out, in, results, group)
                  : groups<HalfFormat, false>(out, in, results, group);
}

// In keepNaN mode the first NaN wins; otherwise NaN loses against any number.
template <bool Max>
HWY_INLINE Extreme extremeIn(const float *x, size_t count, bool keepNaN) {
  const DF df;
  const size_t lanes = hn::Lanes(df);
  const float neutral = Max ? -std::numeric_limits<float>::infinity()
                            : std::numeric_limits<float>::infinity();
  const VF start = hn::Set(df, neutral);
  VF best = start;
  auto nan = hn::IsNaN(best);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const VF v = hn::LoadU(df, x + i);
    const auto isNaN = hn::IsNaN(v);
    nan = hn::Or(nan, isNaN);
    const VF number = hn::IfThenElse(isNaN, start, v);
    best = Max ? hn::Max(best, number) : hn::Min(best, number);
  }
  bool anyNaN = !hn::AllFalse(df, nan);
  Padded<float> parts;
  hn::StoreU(best, df, parts.lanes);
  float value = parts.lanes[0];
  for (size_t k = 1; k < lanes; ++k)
    value =
        Max ? std::max(value, parts.lanes[k]) : std::min(value, parts.lanes[k]);
  for (; i < count; ++i) {
    anyNaN |= std::isnan(x[i]);
    if (Max ? x[i] > value : x[i] < value)
      value = x[i];
  }
  uint32_t index = 0;
  if (anyNaN && keepNaN) {
    while (!std::isnan(x[index]))
      ++index;
    return {x[index], index};
  }
  const VF wanted = hn::Set(df, value);
  for (; index + lanes <= count; index += static_cast<uint32_t>(lanes)) {
    const auto found =
        hn::FindFirstTrue(df, hn::Eq(hn::LoadU(df, x + index), wanted));
    if (found >= 0) {
      index += static_cast<uint32_t>(found);
      return {x[index], index};
    }
  }
  while (index < count && !(x[index] == value))
    ++index;
  return index == count ? Extreme{x[0], 0}
                        : Extreme{x[index], index}; // all NaN
}

Extreme ExtremeOf(DType type, const void *in, size_t count, bool max,
                  bool keepNaN) {
  HWY_ALIGN float work[kMaxRepeatLanes + kMaxLanes];
  const float *x = type == DType::Float ? static_cast<const float *>(in)
                                        : widen<HalfFormat>(in, count, work);
  return max ? extremeIn<true>(x, count, keepNaN)
             : extremeIn<false>(x, count, keepNaN);
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lossgrad::vector {
HWY_EXPORT(TreeSums);
HWY_EXPORT(GroupSums);
HWY_EXPORT(ExtremeOf);

void treeSums(DType type, float *out, const void *in, size_t repeats,
              size_t pitch, size_t lanes, bool saturate) {
  HWY_DYNAMIC_DISPATCH(TreeSums)
  (type, out, in, repeats, pitch, lanes, saturate);
}

void groupSums(DType type, void *out, const void *in, size_t results,
               size_t group, bool saturate) {
  HWY_DYNAMIC_DISPATCH(GroupSums)(type, out, in, results, group, saturate);
}

Extreme extremeOf(DType type, const void *in, size_t count, bool max,
                  bool keepNaN) {
  return HWY_DYNAMIC_DISPATCH(ExtremeOf)(type, in, count, max, keepNaN);
}

} // namespace lossgrad::vector
#endif
