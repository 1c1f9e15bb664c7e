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

// One level of the tree: count results from 2 * count neighbours.
template <class Format, bool Saturate>
HWY_INLINE void pairLevel(float *out, const float *in, size_t count) {
  const DF df;
  const size_t lanes = hn::Lanes(df);
  auto finish = [](VF sum) HWY_ATTR {
    if constexpr (Saturate)
      sum = Format::saturated(sum);
    return Format::rounded(sum);
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const VF low = hn::LoadU(df, in + 2 * i);
    const VF high = hn::LoadU(df, in + 2 * i + lanes);
    hn::StoreU(finish(hn::Add(hn::ConcatEven(df, high, low),
                              hn::ConcatOdd(df, high, low))),
               df, out + i);
  }
  if constexpr (std::is_same_v<Format, FloatFormat>) {
    for (; i < count; ++i)
      out[i] = in[2 * i] + in[2 * i + 1];
  } else if (i < count) {
    Padded<float> even, odd;
    for (size_t k = i; k < count; ++k) {
      even.lanes[k - i] = in[2 * k];
      odd.lanes[k - i] = in[2 * k + 1];
    }
    hn::StoreU(
        finish(hn::Add(hn::LoadU(df, even.lanes), hn::LoadU(df, odd.lanes))),
        df, even.lanes);
    even.to(out + i, count - i);
  }
}

// The tree sums of dense repeats. A level runs over many repeats at once: a
// tree of neighbours is the same whether it knows where a repeat ends or not,
// and one repeat alone is mostly tails.
template <class Format, bool Saturate>
HWY_INLINE void trees(float *out, const void *in, size_t repeats,
                      size_t perRepeat) {
  constexpr size_t kChunkLanes = 16 * kMaxRepeatLanes;
  HWY_ALIGN float work[kChunkLanes + kMaxLanes];
  const auto *from = static_cast<const typename Format::Storage *>(in);
  while (repeats > 0) {
    const size_t some = std::min(repeats, kChunkLanes / perRepeat);
    size_t count = some * perRepeat;
    const float *level;
    if constexpr (std::is_same_v<Format, FloatFormat>)
      level = from;
    else
      level = widen<Format>(from, count, work);
    for (from += count; count > some; level = work)
      pairLevel<Format, Saturate>(work, level, count /= 2);
    std::copy_n(level, some, out);
    out += some;
    repeats -= some;
  }
}

void TreeSums(DType type, float *out, const void *in, size_t repeats,
              size_t perRepeat, bool saturate) {
  if (type == DType::Float)
    return trees<FloatFormat, false>(out, in, repeats, perRepeat);
  return saturate ? trees<HalfFormat, true>(out, in, repeats, perRepeat)
                  : trees<HalfFormat, false>(out, in, repeats, perRepeat);
}

void PairwiseSum(DType type, void *out, const void *in, size_t count,
                 bool saturate) {
  if (type == DType::Float)
    return pairLevel<FloatFormat, false>(static_cast<float *>(out),
                                         static_cast<const float *>(in), count);
  for (size_t i = 0; i < count; i += kMaxRepeatLanes / 2) {
    const size_t rest = std::min(kMaxRepeatLanes / 2, count - i);
    HWY_ALIGN float work[kMaxRepeatLanes + kMaxLanes];
    widen<HalfFormat>(static_cast<const uint16_t *>(in) + 2 * i, 2 * rest,
                      work);
    if (saturate)
      pairLevel<HalfFormat, true>(work, work, rest);
    else
      pairLevel<HalfFormat, false>(work, work, rest);
    for (size_t k = 0; k < rest; ++k)
      static_cast<uint16_t *>(out)[i + k] = sim::halfBitsOfFloat(work[k]);
  }
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
HWY_EXPORT(PairwiseSum);
HWY_EXPORT(ExtremeOf);

void treeSums(DType type, float *out, const void *in, size_t repeats,
              size_t perRepeat, bool saturate) {
  HWY_DYNAMIC_DISPATCH(TreeSums)(type, out, in, repeats, perRepeat, saturate);
}

void pairwiseSum(DType type, void *out, const void *in, size_t count,
                 bool saturate) {
  HWY_DYNAMIC_DISPATCH(PairwiseSum)(type, out, in, count, saturate);
}

Extreme extremeOf(DType type, const void *in, size_t count, bool max,
                  bool keepNaN) {
  return HWY_DYNAMIC_DISPATCH(ExtremeOf)(type, in, count, max, keepNaN);
}

} // namespace lossgrad::vector
#endif
