// Sum, CumSum and Select by a mask of elements over the rows of a matrix, and
// Xor. Orders of additions are those of the vendor's library, which is made of
// vector instructions: trees for Sum, one row or column after the other in
// float for CumSum.
#include "../Reduction.h"

#include "ascendc/adv/abi.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::vector {

using sim::kBlockBytes;
using sim::Region;

namespace {

// Products that have the library have all of it.
void begin(Core &core, DType type, const Rows &shape) {
  requireType(core, Api::SoftMax, type, false);
  if (!shape.rows || !shape.columns)
    core.fail("the shape is %u x %u, no extent may be 0", shape.rows,
              shape.columns);
  if (shape.columns * bytesOf(type) % kBlockBytes)
    core.fail("a row has %u elements, it must be a multiple of 32 bytes",
              shape.columns);
  if (!shape.valid || shape.valid > shape.columns)
    core.fail("n is %u, it must be within [1, %u]", shape.valid, shape.columns);
}

uint64_t matrixBytes(DType type, const Rows &shape) {
  return uint64_t{shape.rows} * shape.columns * bytesOf(type);
}

void requireDense(Core &core, const void *addr, uint64_t bytes,
                  const char *name) {
  core.requireAligned(addr, kBlockBytes, name);
  core.requireLocal(addr, bytes, name);
}

} // namespace

void sumCall(DType type, void *dst, const void *src, Rows shape, Site site) {
  Core &core = Core::enter("Sum", site);
  begin(core, type, shape);
  const uint64_t pitch = uint64_t{shape.columns} * bytesOf(type);
  const uint64_t written = uint64_t{shape.rows} * bytesOf(type);
  requireDense(core, src, matrixBytes(type, shape), "src");
  requireDense(core, dst, written, "dst");
  if (core.observer)
    announce(core,
             {{src, uint64_t{shape.valid} * bytesOf(type), shape.rows,
               static_cast<int64_t>(pitch), 1, 0}},
             {{dst, written, 1, 0, 1, 0}}, type,
             uint64_t{shape.rows} * shape.valid, shape.rows,
             {sim::Flow::Groups, shape.valid, false, true});
  const Reduction what = Reduction::of(core, ReduceOp::Sum, type);
  core.resolve(Selection::count(1), what.perRepeat()); // leaves all lanes on
  for (uint32_t row = 0; row < shape.rows; ++row)
    what.write(static_cast<uint8_t *>(dst) + row * bytesOf(type),
               treeOfAll(what, static_cast<const uint8_t *>(src) + row * pitch,
                         shape.valid));
}

void cumSumCall(DType type, void *dst, void *lastRow, const void *src,
                bool alongRows, Rows shape, Site site) {
  Core &core = Core::enter("CumSum", site);
  begin(core, type, shape);
  const uint64_t bytes = matrixBytes(type, shape);
  const uint64_t rowBytes = uint64_t{shape.columns} * bytesOf(type);
  requireDense(core, src, bytes, "src");
  requireDense(core, dst, bytes, "dst");
  if (lastRow)
    requireDense(core, lastRow, rowBytes, "lastRow");
  const uint64_t count = uint64_t{shape.rows} * shape.columns;
  if (core.observer) {
    std::vector<Region> reads, writes;
    addDense(reads, src, bytes);
    addDense(writes, dst, bytes);
    if (lastRow)
      addDense(writes, lastRow, rowBytes);
    announce(core, std::move(reads), std::move(writes), type, count, shape.rows,
             {sim::Flow::Whole, 0, false, true});
  }
  const Reduction what = Reduction::of(core, ReduceOp::Sum, type);
  core.resolve(Selection::count(1), what.perRepeat());
  // half adds up in float and is rounded at the end.
  std::vector<float> sums(count);
  for (uint64_t i = 0; i < count; ++i)
    sums[i] =
        what.floatOf(static_cast<const uint8_t *>(src) + i * bytesOf(type));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = alongRows ? 1 : shape.columns;
    if (alongRows ? i % shape.columns != 0 : i >= shape.columns)
      sums[i] = sums[i - step] + sums[i];
  }
  auto *out = static_cast<uint8_t *>(dst);
  for (uint64_t i = 0; i < count; ++i)
    what.write(out + i * bytesOf(type),
               type == DType::Half ? what.add(sums[i], 0.0f) : sums[i]);
  if (lastRow)
    std::memcpy(lastRow, out + bytes - rowBytes, rowBytes);
}

void selectByElements(DType type, void *dst, const void *tensor, Scalar scalar,
                      bool scalarFirst, ElementMask mask, Rows shape,
                      Site site) {
  Core &core = Core::enter("Select", site);
  begin(core, type, shape);
  if (mask.columns < shape.columns || mask.columns % 16 ||
      mask.columns * mask.bytes % kBlockBytes)
    core.fail("a row of the mask has %u elements, it must be at least %u, a "
              "multiple of 16 and of 32 bytes",
              mask.columns, shape.columns);
  const uint64_t bytes = matrixBytes(type, shape);
  const uint64_t maskPitch = uint64_t{mask.columns} * mask.bytes;
  requireDense(core, dst, bytes, "dst");
  requireDense(core, tensor, bytes, "src");
  requireDense(core, mask.at, maskPitch * shape.rows, "mask");
  if (core.observer) {
    std::vector<Region> reads, writes;
    addDense(reads, tensor, bytes);
    reads.push_back({mask.at, uint64_t{shape.columns} * mask.bytes, shape.rows,
                     static_cast<int64_t>(maskPitch), 1, 0, 1});
    addDense(writes, dst, bytes);
    announce(core, std::move(reads), std::move(writes), type,
             uint64_t{shape.rows} * shape.columns, shape.rows,
             {sim::Flow::Whole, 0, false, true});
  }
  core.resolve(Selection::count(1), sim::kRepeatBytes / bytesOf(type));
  const uint32_t size = bytesOf(type);
  for (uint32_t row = 0; row < shape.rows; ++row)
    for (uint32_t column = 0; column < shape.columns; ++column) {
      uint32_t bits = 0;
      std::memcpy(&bits,
                  static_cast<const uint8_t *>(mask.at) + row * maskPitch +
                      uint64_t{column} * mask.bytes,
                  mask.bytes);
      // 32-bit masks pass through a conversion from float: -0 is 0 there.
      if (mask.bytes == 4)
        bits &= 0x7fffffffu;
      const uint64_t at = (uint64_t{row} * shape.columns + column) * size;
      const bool second = bits != 0;
      const void *from = second != scalarFirst
                             ? static_cast<const void *>(&scalar.bits)
                             : static_cast<const uint8_t *>(tensor) + at;
      std::memmove(static_cast<uint8_t *>(dst) + at, from, size);
    }
}

void xorCall(DType type, void *dst, const void *a, const void *b,
             uint64_t count, Site site) {
  Core &core = Core::enter("Xor", site);
  requireType(core, Api::And, type, true);
  const uint32_t perRepeat = sim::kRepeatBytes / bytesOf(type);
  const Lanes lanes =
      core.resolve(Selection::count(static_cast<int64_t>(count)), perRepeat);
  const Port ports[] = {{{dst, 1, 8}, type, "dst", true, false},
                        {{const_cast<void *>(a), 1, 8}, type, "src0"},
                        {{const_cast<void *>(b), 1, 8}, type, "src1"}};
  for (const Port &port : ports)
    checkPort(core, port, lanes, perRepeat);
  Traits traits;
  traits.flow = sim::Flow::Bits;
  announce(core, ports, 3, lanes, perRepeat, type, traits);
  for (uint64_t i = 0; i < count * bytesOf(type); ++i)
    static_cast<uint8_t *>(dst)[i] =
        static_cast<const uint8_t *>(a)[i] ^ static_cast<const uint8_t *>(b)[i];
}

} // namespace lossgrad::vector
