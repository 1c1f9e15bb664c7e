// Compare (to one bit per element), Select (by such bits) and fills over
// spans. Comparisons with NaN are false but for NE, which is true. Select and
// fills move bits and look at no value.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/CompareSelect.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

template <CompareMode Mode> struct Compare {
  template <class V> static HWY_INLINE auto apply(V a, V b) {
    if constexpr (Mode == CompareMode::Lt)
      return hn::Lt(a, b);
    else if constexpr (Mode == CompareMode::Gt)
      return hn::Gt(a, b);
    else if constexpr (Mode == CompareMode::Eq)
      return hn::Eq(a, b);
    else if constexpr (Mode == CompareMode::Le)
      return hn::Le(a, b);
    else if constexpr (Mode == CompareMode::Ge)
      return hn::Ge(a, b);
    else
      return hn::Not(hn::Eq(a, b)); // Ne is false for NaN
  }
};

struct Int32Lanes {
  using Storage = int32_t;
  static HWY_INLINE auto load(const int32_t *p) { return hn::LoadU(DI(), p); }
  static HWY_INLINE auto splat(int32_t value) { return hn::Set(DI(), value); }
};

// `count` is a multiple of 8, so that only whole bytes are written.
template <class Op, class Lanes, class D, bool Scalar>
void compareBits(void *dstRaw, const void *aRaw, const void *bRaw, size_t count,
                 const SpanParams &p) {
  using T = typename Lanes::Storage;
  auto *dst = static_cast<uint8_t *>(dstRaw);
  const auto *a = static_cast<const T *>(aRaw);
  const auto *b = static_cast<const T *>(bRaw);
  const D d;
  const size_t lanes = hn::Lanes(d);
  T value{};
  if constexpr (Scalar)
    std::memcpy(&value, &p.scalar, sizeof value);
  const auto scalar = Lanes::splat(value);
  auto bitsAt = [&](size_t i, uint8_t *out) HWY_ATTR {
    const auto rhs = Scalar ? scalar : Lanes::load(b + i);
    hn::StoreMaskBits(d, Op::apply(Lanes::load(a + i), rhs), out);
  };
  size_t i = 0;
  if (lanes >= 8) {
    for (; i + lanes <= count; i += lanes)
      bitsAt(i, dst + i / 8);
  } else if (lanes == 4) {
    for (; i + 8 <= count; i += 8) {
      uint8_t low[8], high[8];
      bitsAt(i, low);
      bitsAt(i + 4, high);
      dst[i / 8] = static_cast<uint8_t>((low[0] & 0xf) | high[0] << 4);
    }
  }
  if constexpr (kMaxLanes > 8) {
    for (; i < count; i += 8) { // less than one wide vector
      Padded<T> x, y;
      x.from(a + i, 8);
      if constexpr (!Scalar)
        y.from(b + i, 8);
      uint8_t bits[HWY_MAX_BYTES / 8] = {};
      const auto rhs = Scalar ? scalar : Lanes::load(y.lanes);
      hn::StoreMaskBits(d, Op::apply(Lanes::load(x.lanes), rhs), bits);
      dst[i / 8] = bits[0];
    }
  }
}

template <class Lanes, class D, bool Scalar>
HWY_INLINE SpanFn compareModes(CompareMode mode) {
  switch (mode) {
  case CompareMode::Lt:
    return compareBits<Compare<CompareMode::Lt>, Lanes, D, Scalar>;
  case CompareMode::Gt:
    return compareBits<Compare<CompareMode::Gt>, Lanes, D, Scalar>;
  case CompareMode::Eq:
    return compareBits<Compare<CompareMode::Eq>, Lanes, D, Scalar>;
  case CompareMode::Le:
    return compareBits<Compare<CompareMode::Le>, Lanes, D, Scalar>;
  case CompareMode::Ge:
    return compareBits<Compare<CompareMode::Ge>, Lanes, D, Scalar>;
  case CompareMode::Ne:
    return compareBits<Compare<CompareMode::Ne>, Lanes, D, Scalar>;
  }
  return nullptr;
}

template <bool Scalar>
HWY_INLINE SpanFn compareTypes(CompareMode mode, DType type) {
  switch (type) {
  case DType::Float:
    return compareModes<FloatFormat, DF, Scalar>(mode);
  case DType::Half:
    return compareModes<HalfFormat, DF, Scalar>(mode);
  case DType::BFloat16:
    return compareModes<BfloatFormat, DF, Scalar>(mode);
  case DType::Int32:
    return mode == CompareMode::Eq
               ? compareBits<Compare<CompareMode::Eq>, Int32Lanes, DI, Scalar>
               : nullptr;
  default:
    return nullptr;
  }
}

SpanFn CompareTable(CompareMode mode, DType type, bool scalar) {
  return scalar ? compareTypes<true>(mode, type)
                : compareTypes<false>(mode, type);
}

// The lanes whose mask bits, counted from bit i of `mask`, are set.
template <class D> class MaskLanes {
  using T = hn::TFromD<D>;
  static constexpr size_t kLanes = HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T bitOf[kLanes];

public:
  HWY_INLINE MaskLanes() {
    for (size_t lane = 0; lane < kLanes; ++lane)
      bitOf[lane] = static_cast<T>(uint64_t{1} << lane);
  }
  HWY_INLINE auto at(const uint8_t *mask, size_t i) const {
    const D d;
    const size_t lanes = hn::Lanes(d);
    if constexpr (kLanes <= 8 * sizeof(T)) {
      uint32_t bits = mask[i / 8];
      if (lanes > 8)
        bits |= uint32_t{mask[i / 8 + 1]} << 8;
      if (lanes < 8) // a 4-lane vector begins at half a byte
        bits >>= i % 8;
      const auto all = hn::Set(d, static_cast<T>(bits));
      return hn::Ne(hn::And(all, hn::Load(d, bitOf)), hn::Zero(d));
    } else { // wants 8 readable bytes
      uint8_t bits[8] = {};
      std::memcpy(bits, mask + i / 8, (lanes + 7) / 8);
      return hn::LoadMaskBits(d, bits);
    }
  }
};

template <typename T>
HWY_INLINE void selectLanes(T *dst, const uint8_t *mask, const T *a, const T *b,
                            size_t count, T scalar) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto other = hn::Set(d, scalar);
  const MaskLanes<decltype(d)> picked;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::IfThenElse(picked.at(mask, i), hn::LoadU(d, a + i),
                              b ? hn::LoadU(d, b + i) : other),
               d, dst + i);
  for (; i < count; ++i)
    dst[i] = mask[i / 8] >> (i % 8) & 1 ? a[i] : (b ? b[i] : scalar);
}

template <typename T>
void selectSpan(void *dst, const void *a, const void *b, size_t count,
                const SpanParams &p) {
  selectLanes<T>(static_cast<T *>(dst), static_cast<const uint8_t *>(p.mask),
                 static_cast<const T *>(a), static_cast<const T *>(b), count,
                 static_cast<T>(p.scalar));
}

// Lanes of 8 and 64 bits are for products that no schedule is made for: plain.
template <typename T>
void selectPlain(void *dst, const void *a, const void *b, size_t count,
                 const SpanParams &p) {
  const auto *mask = static_cast<const uint8_t *>(p.mask);
  const auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
  for (size_t i = 0; i < count; ++i)
    static_cast<T *>(dst)[i] = mask[i / 8] >> (i % 8) & 1 ? x[i]
                               : y                        ? y[i]
                                   : static_cast<T>(p.scalar);
}

SpanFn SelectTable(unsigned bytes) {
  switch (bytes) {
  case 1:
    return selectPlain<uint8_t>;
  case 2:
    return selectSpan<uint16_t>;
  case 4:
    return selectSpan<uint32_t>;
  default:
    return selectPlain<uint64_t>;
  }
}

template <typename T>
HWY_INLINE void fill(void *dst, size_t count, uint64_t scalar) {
  std::fill_n(static_cast<T *>(dst), count, static_cast<T>(scalar));
}

void Fill(unsigned bytes, void *dst, size_t count, uint64_t scalar) {
  switch (bytes) {
  case 1:
    return fill<uint8_t>(dst, count, scalar);
  case 2:
    return fill<uint16_t>(dst, count, scalar);
  case 4:
    return fill<uint32_t>(dst, count, scalar);
  default:
    return fill<uint64_t>(dst, count, scalar);
  }
}

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lossgrad::vector {
HWY_EXPORT(CompareTable);
HWY_EXPORT(SelectTable);
HWY_EXPORT(Fill);

namespace {

// Integers but for the equality of int32, which kernels of all products use:
// plain code.
template <CompareMode Mode, typename T> bool holds(T a, T b) {
  switch (Mode) {
  case CompareMode::Lt:
    return a < b;
  case CompareMode::Gt:
    return a > b;
  case CompareMode::Eq:
    return a == b;
  case CompareMode::Le:
    return a <= b;
  case CompareMode::Ge:
    return a >= b;
  case CompareMode::Ne:
    return a != b;
  }
  return false;
}

template <CompareMode Mode, typename T, bool Scalar>
void compareIntegers(void *dst, const void *a, const void *b, size_t count,
                     const SpanParams &p) {
  const auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
  T scalar;
  std::memcpy(&scalar, &p.scalar, sizeof scalar);
  for (size_t i = 0; i < count; i += 8) {
    unsigned bits = 0;
    for (size_t k = 0; k < 8; ++k)
      bits |= unsigned{holds<Mode>(x[i + k], Scalar ? scalar : y[i + k])} << k;
    static_cast<uint8_t *>(dst)[i / 8] = static_cast<uint8_t>(bits);
  }
}

template <typename T> SpanFn integerCompare(CompareMode mode, bool scalar) {
#define LOSSGRAD_MODE(NAME)                                                    \
  case CompareMode::NAME:                                                      \
    return scalar ? compareIntegers<CompareMode::NAME, T, true>                \
                  : compareIntegers<CompareMode::NAME, T, false>;
  switch (mode) {
    LOSSGRAD_MODE(Lt)
    LOSSGRAD_MODE(Gt)
    LOSSGRAD_MODE(Eq)
    LOSSGRAD_MODE(Le)
    LOSSGRAD_MODE(Ge)
    LOSSGRAD_MODE(Ne)
  }
#undef LOSSGRAD_MODE
  return nullptr;
}

} // namespace

SpanFn compareSpan(CompareMode mode, DType type, bool scalar) {
  if (const SpanFn fast =
          HWY_DYNAMIC_DISPATCH(CompareTable)(mode, type, scalar))
    return fast;
  switch (type) {
  case DType::Int8:
    return integerCompare<int8_t>(mode, scalar);
  case DType::UInt8:
    return integerCompare<uint8_t>(mode, scalar);
  case DType::Int16:
    return integerCompare<int16_t>(mode, scalar);
  case DType::UInt16:
    return integerCompare<uint16_t>(mode, scalar);
  case DType::Int32:
    return integerCompare<int32_t>(mode, scalar);
  case DType::UInt32:
    return integerCompare<uint32_t>(mode, scalar);
  case DType::Int64:
    return integerCompare<int64_t>(mode, scalar);
  case DType::UInt64:
    return integerCompare<uint64_t>(mode, scalar);
  default:
    return nullptr;
  }
}

void selectSpan(unsigned bytes, void *dst, const void *mask, const void *src0,
                const void *src1, size_t count, uint64_t scalar) {
  SpanParams params;
  params.mask = mask;
  params.scalar = scalar;
  selectSpan(bytes)(dst, src0, src1, count, params);
}

SpanFn selectSpan(unsigned bytes) {
  return HWY_DYNAMIC_DISPATCH(SelectTable)(bytes);
}

void fillSpan(unsigned bytes, void *dst, size_t count, uint64_t scalar) {
  HWY_DYNAMIC_DISPATCH(Fill)(bytes, dst, count, scalar);
}

} // namespace lossgrad::vector
#endif
