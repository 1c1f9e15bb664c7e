// See Rows.h.
#include "Rows.h"

#include "ascendc/Strips.h"

#include <algorithm>
#include <tuple>

namespace lossgrad::vector {

using sim::kBlockBytes;

namespace {

// The elements of one row of an operand, as the span function wants them: as
// they lie, or a block that has been written out.
class RowSource {
public:
  RowSource(const void *base, const RowSide &side, uint32_t width)
      : at(static_cast<uint8_t *>(const_cast<void *>(base))), side(side) {
    if (!at || !side.block)
      return;
    const uint64_t bytes = uint64_t{width} * side.bits / 8;
    stagedBytes = std::min<uint64_t>((bytes + 63) / 64 * 64, sizeof staged);
  }
  // Elements that one call can take.
  uint32_t most(uint32_t width) const {
    return stagedBytes ? std::min<uint32_t>(width, stagedBytes * 8 / side.bits)
                       : width;
  }
  void begin() {
    if (stagedBytes)
      repeatBlock(staged, at, stagedBytes);
  }
  uint8_t *from(uint32_t element) {
    return stagedBytes ? staged : at + uint64_t{element} * side.bits / 8;
  }
  void advance() { at += side.pitch; }

private:
  uint8_t *at;
  const RowSide &side;
  uint32_t stagedBytes = 0;
  alignas(64) uint8_t staged[1024];
};

} // namespace

void rowSpan(void *dst, const void *src0, const void *src1, size_t rows,
             const SpanParams &params) {
  const RowShape &shape = *params.rows;
  RowSource d(dst, shape.dst, 0), a(src0, shape.src0, shape.width),
      b(src1, shape.src1, shape.width);
  const uint32_t width = shape.width;
  const uint32_t some = std::min(a.most(width), b.most(width));
  const SpanFn lanes = shape.lanes;
  for (size_t row = 0; row < rows; ++row) {
    a.begin();
    b.begin();
    lanes(d.from(0), a.from(0), b.from(0), some, params);
    for (uint32_t i = some; i < width; i += some)
      lanes(d.from(i), a.from(i), b.from(i), std::min(some, width - i), params);
    d.advance();
    a.advance();
    b.advance();
  }
}

static auto asTuple(const RowSide &side) {
  return std::tie(side.pitch, side.bits, side.block);
}

bool sameRows(const RowShape &a, const RowShape &b) {
  return a.lanes == b.lanes && asTuple(a.dst) == asTuple(b.dst) &&
         asTuple(a.src0) == asTuple(b.src0) &&
         asTuple(a.src1) == asTuple(b.src1);
}

static auto asTuple(const SpanParams &p) {
  return std::tie(p.scalar, p.saturate, p.keepNaN, p.intWraps, p.nanToZero,
                  p.flushSubnormals, p.roundShift);
}

bool sameParams(const SpanParams &a, const SpanParams &b) {
  return asTuple(a) == asTuple(b);
}

//===- from ports ---------------------------------------------------------===//

static bool inOneBlock(const Port &port, uint32_t width) {
  return uint64_t{width} * bitsOf(port.type) <= kBlockBytes * 8;
}

static bool makesRows(const Port &port, uint32_t width) {
  return !port.operand.addr || port.operand.blockStride == 1 ||
         inOneBlock(port, width) ||
         (port.operand.blockStride == 0 && !port.written);
}

bool makesRows(uint32_t width, const Port &dst, const Port &src0,
               const Port &src1) {
  return makesRows(dst, width) && makesRows(src0, width) &&
         makesRows(src1, width);
}

static RowSide sideOf(const Port &port, uint32_t width) {
  if (!port.operand.addr)
    return {};
  return {port.operand.repeatStride * kBlockBytes, bitsOf(port.type),
          port.operand.blockStride == 0 && !inOneBlock(port, width)};
}

RowShape rowsOf(SpanFn fn, uint32_t width, const Port &dst, const Port &src0,
                const Port &src1) {
  return {fn, width, sideOf(dst, width), sideOf(src0, width),
          sideOf(src1, width)};
}

// The distance of rows that are further apart than one block, in elements.
static uint32_t rowElements(const RowSide &side) {
  return side.bits ? static_cast<uint32_t>(uint64_t{side.pitch} * 8 / side.bits)
                   : 0;
}

// `overwrites`: what rows write of the destination does not depend on it.
static bool defer(Core &core, SpanFn run, const RowShape &shape,
                  const SpanParams &params, uint64_t rows, bool overwrites,
                  const sim::StripOperand (&operands)[3]) {
  if (!core.stripLength || core.observer || !rows)
    return false;
  sim::StripStep step;
  step.run = run;
  step.params = params;
  step.rows = shape;
  step.count = rows;
  step.rowElements = std::max({rowElements(shape.dst), rowElements(shape.src0),
                               rowElements(shape.src1)});
  step.dst = operands[0];
  step.src0 = operands[1];
  step.src1 = operands[2];
  const bool dense = uint64_t{step.dst.reach} * 8 == step.dst.bits;
  step.overwrites = overwrites && dense;
  return step.rowElements && sim::stripsOf(core).take(core, step);
}

static sim::StripOperand stripOf(const Port &port, const RowSide &side,
                                 uint32_t width) {
  if (!port.operand.addr)
    return {};
  const uint64_t bytes = (uint64_t{width} * side.bits + 7) / 8;
  return {static_cast<uint8_t *>(port.operand.addr), side.pitch * 8,
          side.block ? kBlockBytes : static_cast<uint32_t>(bytes)};
}

bool deferRows(Core &core, SpanFn run, const RowShape &shape,
               const SpanParams &params, uint64_t rows, const Port &dst,
               const Port &src0, const Port &src1) {
  return defer(core, run, shape, params, rows, !dst.read,
               {stripOf(dst, shape.dst, shape.width),
                stripOf(src0, shape.src0, shape.width),
                stripOf(src1, shape.src1, shape.width)});
}

bool deferReduction(Core &core, SpanFn run, const RowShape &shape,
                    const SpanParams &params, uint64_t rows, void *dst,
                    uint32_t written, void *src) {
  return defer(core, run, shape, params, rows, true,
               {{static_cast<uint8_t *>(dst), shape.dst.pitch * 8, written},
                {static_cast<uint8_t *>(src), shape.src0.pitch * 8,
                 shape.width * shape.src0.bits / 8},
                {}});
}

} // namespace lossgrad::vector
