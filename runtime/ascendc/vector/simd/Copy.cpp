// Copies of one strip (ascendc/Strips.h): between tile and global memory, too
// short for the C library's long forms to pay off, too many for their entry.
// Whole copies of an instruction that is executed at once stay with memmove.
// And broadcasts: an element over a block, a block over a row; and blocks that
// lie apart.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ascendc/vector/simd/Copy.cpp"
#include "hwy/foreach_target.h"

#include "Lanes-inl.h"

#include "hwy/cache_control.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace lossgrad::vector::HWY_NAMESPACE {

// Source and destination are the same or apart.
template <bool Stream>
HWY_INLINE void copyLoop(uint8_t *dst, const uint8_t *src, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const size_t step = hn::Lanes(d);
  size_t i = 0;
  for (; i + 4 * step <= bytes; i += 4 * step) {
    const auto v0 = hn::LoadU(d, src + i);
    const auto v1 = hn::LoadU(d, src + i + step);
    const auto v2 = hn::LoadU(d, src + i + 2 * step);
    const auto v3 = hn::LoadU(d, src + i + 3 * step);
    if constexpr (Stream) {
      hn::Stream(v0, d, dst + i);
      hn::Stream(v1, d, dst + i + step);
      hn::Stream(v2, d, dst + i + 2 * step);
      hn::Stream(v3, d, dst + i + 3 * step);
    } else {
      hn::StoreU(v0, d, dst + i);
      hn::StoreU(v1, d, dst + i + step);
      hn::StoreU(v2, d, dst + i + 2 * step);
      hn::StoreU(v3, d, dst + i + 3 * step);
    }
  }
  std::memcpy(dst + i, src + i, bytes - i);
}

void copySpan(void *dst, const void *src, const void *, size_t count,
              const SpanParams &p) {
  copyLoop<false>(static_cast<uint8_t *>(dst),
                  static_cast<const uint8_t *>(src), count * p.scalar);
}

// Past the caches, but for parts of a line at either end. Other cores see it
// after a fence.
void streamSpan(void *dstRaw, const void *srcRaw, const void *, size_t count,
                const SpanParams &p) {
  constexpr size_t kLine = 64;
  auto *dst = static_cast<uint8_t *>(dstRaw);
  const auto *src = static_cast<const uint8_t *>(srcRaw);
  const size_t bytes = count * p.scalar;
  const size_t head =
      std::min(bytes, -reinterpret_cast<uintptr_t>(dst) % kLine);
  std::memcpy(dst, src, head);
  copyLoop<true>(dst + head, src + head, bytes - head);
}

void RepeatBlock(void *dstRaw, const void *block, size_t bytes) {
  auto *dst = static_cast<uint8_t *>(dstRaw);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const hn::CappedTag<uint8_t, 32> one;
  const hn::CappedTag<uint8_t, 64> two;
  const auto half = hn::LoadU(one, static_cast<const uint8_t *>(block));
  const auto pair = hn::Combine(two, half, half);
  for (size_t i = 0; i < bytes; i += 64)
    hn::StoreU(pair, two, dst + i);
#else
  for (size_t i = 0; i < bytes; i += 32)
    std::memcpy(dst + i, block, 32);
#endif
}

// Usual repeats have eight blocks, for which the loop is unrolled.
template <bool Usual> HWY_INLINE void moveBlocks(const BlockMove &move) {
  constexpr size_t kBytes = 32;
  const hn::CappedTag<uint8_t, kBytes> d;
  const size_t blocks = Usual ? 8 : move.blocks;
  auto *to = static_cast<uint8_t *>(move.to);
  const auto *from = static_cast<const uint8_t *>(move.from);
  for (size_t repeat = 0; repeat < move.repeats; ++repeat) {
    for (size_t b = 0; b < blocks; ++b)
      for (size_t i = 0; i < kBytes; i += hn::Lanes(d))
        hn::StoreU(hn::LoadU(d, from + b * move.fromStride + i), d,
                   to + b * move.toStride + i);
    to += move.toPitch;
    from += move.fromPitch;
  }
}

void MoveBlocks(const BlockMove &move) {
  if (move.blocks == 8)
    moveBlocks<true>(move);
  else
    moveBlocks<false>(move);
}

template <typename T>
void spreadBlocks(void *dst, const void *src, const void *, size_t count,
                  const SpanParams &) {
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  auto *to = static_cast<T *>(dst);
  const auto *from = static_cast<const T *>(src);
  for (size_t i = 0; i < count; ++i) {
    const auto value = hn::Set(d, from[i]);
    for (size_t k = 0; k < 32 / sizeof(T); k += hn::Lanes(d))
      hn::StoreU(value, d, to + k);
    to += 32 / sizeof(T);
  }
}

SpanFn SpreadTable(unsigned bytes) {
  return bytes == 2 ? spreadBlocks<uint16_t> : spreadBlocks<uint32_t>;
}

SpanFn CopyTable(bool stream) { return stream ? streamSpan : copySpan; }

} // namespace lossgrad::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lossgrad::vector {
HWY_EXPORT(CopyTable);
HWY_EXPORT(RepeatBlock);
HWY_EXPORT(MoveBlocks);
HWY_EXPORT(SpreadTable);

SpanFn copySpan(bool stream) { return HWY_DYNAMIC_DISPATCH(CopyTable)(stream); }

SpanFn spreadSpan(unsigned bytes) {
  return HWY_DYNAMIC_DISPATCH(SpreadTable)(bytes);
}

void repeatBlock(void *dst, const void *block, size_t bytes) {
  HWY_DYNAMIC_DISPATCH(RepeatBlock)(dst, block, bytes);
}

void moveBlocks(const BlockMove &move) {
  HWY_DYNAMIC_DISPATCH(MoveBlocks)(move);
}

void fenceStreams() { hwy::FlushStream(); }

} // namespace lossgrad::vector
#endif
