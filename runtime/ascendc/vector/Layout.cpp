// Transpose of a 16 x 16 matrix and TransDataTo5HD: 16 source blocks to 16
// destination blocks, lanes against blocks.
#include "Shape.h"

#include <cstring>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::Region;

void transpose16(DType type, void *dst, const void *src, Site site) {
  Core &core = Core::enter("Transpose", site);
  requireType(core, Api::Transpose, type, false);
  constexpr uint64_t kBytes = 16 * 16 * sizeof(uint16_t);
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireAligned(src, kBlockBytes, "src");
  core.requireLocal(dst, kBytes, "dst");
  core.requireLocal(src, kBytes, "src");
  if (core.observer)
    announce(core, {{src, kBytes, 1, 0, 1, 0}}, {{dst, kBytes, 1, 0, 1, 0}},
             type, 256, 1, movesAs([&] {
               std::vector<sim::Move> list;
               for (int i = 0; i < 256; ++i)
                 list.push_back(
                     {static_cast<uint16_t *>(dst) + i,
                      static_cast<const uint16_t *>(src) + i % 16 * 16 + i / 16,
                      sizeof(uint16_t)});
               return list;
             }));
  uint16_t from[16][16], to[16][16];
  std::memcpy(from, src, kBytes);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      to[j][i] = from[i][j];
  std::memcpy(dst, to, kBytes);
}

void transposeImage(DType type, void *dst, const void *src, bool channelsLast,
                    ImageShape shape, Site site) {
  Core &core = Core::enter("Transpose", site);
  core.require(Api::Transpose);
  const uint32_t size = bytesOf(type);
  constexpr uint32_t kMaxExtent = 4095;
  if (shape.c > kMaxExtent || shape.hw > kMaxExtent)
    core.fail("cSize is %u and hSize * wSize is %u, each may be at most %u",
              shape.c, shape.hw, kMaxExtent);
  if (shape.hw * size % kBlockBytes)
    core.fail("hSize * wSize is %u elements, it must be a multiple of 32 bytes",
              shape.hw);
  const uint64_t count = uint64_t{shape.n} * shape.c * shape.hw;
  core.requireAligned(dst, kBlockBytes, "dst");
  core.requireAligned(src, kBlockBytes, "src");
  core.requireLocal(dst, count * size, "dst");
  core.requireLocal(src, count * size, "src");
  if (!count)
    return;
  // Where element i of the destination comes from.
  auto source = [=](uint64_t i) {
    const uint64_t plane = uint64_t{shape.c} * shape.hw, at = i % plane;
    const uint64_t inner = channelsLast ? shape.c : shape.hw;
    const uint64_t outer = channelsLast ? shape.hw : shape.c;
    return i - at + at % inner * outer + at / inner;
  };
  if (core.observer)
    announce(core, {{src, count * size, 1, 0, 1, 0}},
             {{dst, count * size, 1, 0, 1, 0}}, type, count, 1, movesAs([&] {
               std::vector<sim::Move> list;
               for (uint64_t i = 0; i < count; ++i)
                 list.push_back(
                     {static_cast<uint8_t *>(dst) + i * size,
                      static_cast<const uint8_t *>(src) + source(i) * size,
                      size});
               return list;
             }));
  const auto *bytes = static_cast<const uint8_t *>(src);
  const std::vector<uint8_t> from(bytes, bytes + count * size);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(static_cast<uint8_t *>(dst) + i * size,
                from.data() + source(i) * size, size);
}

namespace {

using Block = uint8_t[kBlockBytes];

// Each of these calls move(block, byte, source block, byte, bytes) per element.

// Lane i of all 16 sources becomes destination block i.
template <typename Move> void transpose16Bit(Move &&move) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      move(i, 2 * j, j, 2 * i, 2);
}

// Lane k of the sources becomes blocks 2k (sources 0 to 7) and 2k + 1.
template <typename Move> void transpose32Bit(Move &&move) {
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 16; ++j)
      move(2 * k + j / 8, 4 * (j % 8), j, 4 * k, 4);
}

// One half of each source block to one half of each destination block.
template <typename Move>
void transpose8Bit(bool srcHigh, bool dstHigh, Move &&move) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      move(i, 16 * dstHigh + j, j, 16 * srcHigh + i, 1);
}

template <typename Move>
void transposeBlocks(DType type, const AscendC::TransDataTo5HDParams &params,
                     Move &&move) {
  if (bytesOf(type) == 1)
    transpose8Bit(params.srcHighHalf, params.dstHighHalf, move);
  else if (bytesOf(type) == 2)
    transpose16Bit(move);
  else
    transpose32Bit(move);
}

} // namespace

void transDataTo5HD(DType type, void *const dst[16], const void *const src[16],
                    const AscendC::TransDataTo5HDParams &params, Site site) {
  Core &core = Core::enter("TransDataTo5HD", site);
  requireType(core, Api::TransDataTo5HD, type, false);
  const uint32_t repeats = params.repeatTimes;
  if (repeats == 0)
    return;
  uint64_t dstShift = 0, srcShift = 0;
  if (repeats == 1 && (params.dstRepStride || params.srcRepStride)) {
    core.warn("repeatTimes is 1: the repeat strides (%u, %u) are added to the "
              "start addresses; set them to 0",
              params.dstRepStride, params.srcRepStride);
    dstShift = uint64_t{params.dstRepStride} * kBlockBytes;
    srcShift = uint64_t{params.srcRepStride} * kBlockBytes;
  }
  const uint64_t dstPitch = uint64_t{params.dstRepStride} * kBlockBytes;
  const uint64_t srcPitch = uint64_t{params.srcRepStride} * kBlockBytes;
  std::vector<Region> reads, writes;
  for (int i = 0; i < 16; ++i) {
    const auto *from = static_cast<const uint8_t *>(src[i]) + srcShift;
    auto *to = static_cast<uint8_t *>(dst[i]) + dstShift;
    core.requireAligned(from, kBlockBytes, "a source block");
    core.requireAligned(to, kBlockBytes, "a destination block");
    core.requireLocal(from, (repeats - 1) * srcPitch + kBlockBytes,
                      "a source block");
    core.requireLocal(to, (repeats - 1) * dstPitch + kBlockBytes,
                      "a destination block");
    if (core.observer) {
      reads.push_back({from, kBlockBytes, repeats,
                       static_cast<int64_t>(srcPitch), 1, 0,
                       static_cast<uint8_t>(i)});
      writes.push_back({to, kBlockBytes, repeats,
                        static_cast<int64_t>(dstPitch), 1, 0,
                        static_cast<uint8_t>(i)});
    }
  }
  auto moves = [&] {
    std::vector<sim::Move> list;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat)
      transposeBlocks(
          type, params,
          [&](int to, int toByte, int from, int fromByte, int bytes) {
            list.push_back({static_cast<uint8_t *>(dst[to]) + dstShift +
                                repeat * dstPitch + toByte,
                            static_cast<const uint8_t *>(src[from]) + srcShift +
                                repeat * srcPitch + fromByte,
                            static_cast<uint32_t>(bytes)});
          });
    return list;
  };
  if (core.observer)
    announce(core, std::move(reads), std::move(writes), type,
             uint64_t{repeats} * 16 * kBlockBytes / bytesOf(type), repeats,
             movesAs(moves));
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    Block from[16], to[16];
    for (int i = 0; i < 16; ++i) {
      std::memcpy(from[i],
                  static_cast<const uint8_t *>(src[i]) + srcShift +
                      repeat * srcPitch,
                  kBlockBytes);
      std::memcpy(to[i],
                  static_cast<uint8_t *>(dst[i]) + dstShift + repeat * dstPitch,
                  kBlockBytes); // 8-bit data keeps the other half
    }
    transposeBlocks(type, params,
                    [&](int block, int byte, int source, int at, int bytes) {
                      std::memcpy(to[block] + byte, from[source] + at,
                                  static_cast<size_t>(bytes));
                    });
    for (int i = 0; i < 16; ++i)
      std::memcpy(static_cast<uint8_t *>(dst[i]) + dstShift + repeat * dstPitch,
                  to[i], kBlockBytes);
  }
}

} // namespace lossgrad::vector
