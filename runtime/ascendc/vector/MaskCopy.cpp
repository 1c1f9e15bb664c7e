// Copy inside UB by lanes. The general rules for masks hold, but in counter
// mode each repeat copies as many elements as the mask register says, going on
// in its block stride behind the lanes of one repeat.
#include "Rows.h"

#include "lossgrad/sim/DataCopy.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::sim {

using vector::Port;

namespace {

struct LaneCopy {
  Port dst, src;
  Lanes lanes;     // of one repeat in counter mode
  uint64_t perRow; // elements of a repeat
  uint32_t rows, perRepeat, bytes;

  uint64_t offset(const Operand &operand, uint64_t row, uint64_t lane) const {
    const uint32_t perBlock = kBlockBytes / bytes;
    return (row * operand.repeatStride +
            lane / perBlock * operand.blockStride) *
               kBlockBytes +
           lane % perBlock * bytes;
  }
  // One repeat of a port, going on behind its lanes in counter mode.
  Port rowOf(Port port, uint32_t row) const {
    port.operand.addr = static_cast<uint8_t *>(port.operand.addr) +
                        uint64_t{row} * port.operand.repeatStride * kBlockBytes;
    port.operand.repeatStride = kBlocksPerRepeat * port.operand.blockStride;
    return port;
  }
  Lanes lanesOfRow() const {
    Lanes one = lanes;
    one.repeat =
        lanes.counted
            ? static_cast<uint32_t>((perRow + perRepeat - 1) / perRepeat)
            : 1;
    return one;
  }
  std::vector<Move> moves() const {
    std::vector<Move> list;
    for (uint32_t row = 0; row < rows; ++row)
      for (uint64_t lane = 0; lane < perRow; ++lane) {
        if (!lanes.counted && !lanes.has(lane))
          continue;
        list.push_back({static_cast<const uint8_t *>(dst.operand.addr) +
                            offset(dst.operand, row, lane),
                        static_cast<const uint8_t *>(src.operand.addr) +
                            offset(src.operand, row, lane),
                        bytes});
      }
    return list;
  }
};

void announceCopy(Core &core, const LaneCopy &copy, DType type) {
  std::vector<Region> reads, writes;
  // Rows of one operand count as one.
  auto add = [&](std::vector<Region> &regions, const Port &port) {
    for (uint32_t row = 0; row < copy.rows; ++row)
      addRegions(regions, copy.rowOf(port, row), copy.lanesOfRow(),
                 copy.perRepeat);
    for (Region &region : regions)
      region.operand = 0;
  };
  add(reads, copy.src);
  add(writes, copy.dst);
  vector::announce(core, std::move(reads), std::move(writes), type,
                   copy.perRow * copy.rows, copy.rows,
                   vector::movesAs([&copy] { return copy.moves(); }));
}

// Repeat after repeat, if what one writes the next may read.
void moveSpan(void *dstRaw, const void *srcRaw, const void *, size_t count,
              const vector::SpanParams &params) {
  auto *dst = static_cast<uint8_t *>(dstRaw);
  const auto *src = static_cast<const uint8_t *>(srcRaw);
  const size_t bytes = count * params.scalar;
  const size_t some = src < dst && dst < src + bytes ? kRepeatBytes : bytes;
  for (size_t i = 0; i < bytes; i += some)
    std::memmove(dst + i, src + i, std::min(some, bytes - i));
}

} // namespace

// As many elements as the call says, in order.
static void countCopy(Core &core, const MaskCopyInstr &in) {
  const uint32_t perRepeat = kRepeatBytes / in.elementBytes;
  const Lanes lanes = core.resolve(in.select, perRepeat);
  const Port ports[] = {{in.dst, in.type, "dst", true, false},
                        {in.src, in.type, "src"}};
  for (const Port &port : ports)
    checkPort(core, port, lanes, perRepeat);
  if (lanes.empty())
    return;
  if (LOSSGRAD_UNLIKELY(core.observer)) {
    vector::Traits traits;
    traits.flow = Flow::Bits;
    vector::announce(core, ports, 2, lanes, perRepeat, in.type, traits);
  }
  vector::SpanParams params;
  params.scalar = in.elementBytes;
  runOrDefer(core, moveSpan, params, lanes, perRepeat, ports[0], ports[1],
             Port());
}

void maskCopy(const MaskCopyInstr &in) {
  Core &core = Core::enterDeferring("Copy", in.site);
  if (in.select.kind == Selection::Kind::Count) {
    core.require(targets::Api::CopyCount, in.type);
    return countCopy(core, in);
  }
  core.require(targets::Api::Copy, in.type);
  LaneCopy copy;
  copy.bytes = in.elementBytes;
  copy.perRepeat = kRepeatBytes / in.elementBytes;
  copy.rows = in.select.repeat;
  copy.lanes = core.resolve(in.select, copy.perRepeat);
  copy.dst = {in.dst, in.type, "dst", true, false};
  copy.src = {in.src, in.type, "src"};
  copy.perRow = copy.lanes.counted ? core.regs.maskLow : copy.perRepeat;
  if (copy.rows == 0 || copy.lanes.empty())
    return;
  if (copy.lanes.counted)
    copy.lanes.total = copy.perRow;
  for (const Port *port : {&copy.dst, &copy.src}) {
    core.requireAligned(port->operand.addr, kBlockBytes, port->name);
    const uint64_t last =
        uint64_t{copy.rows - 1} * port->operand.repeatStride * kBlockBytes;
    core.requireLocal(port->operand.addr,
                      last + extentOf(copy.rowOf(*port, 0), copy.lanesOfRow(),
                                      copy.perRepeat),
                      port->name);
  }
  if (LOSSGRAD_UNLIKELY(core.observer))
    announceCopy(core, copy, in.type);

  vector::SpanParams params;
  params.scalar = in.elementBytes;
  if (!copy.lanes.counted)
    return runOrDefer(core, moveSpan, params, copy.lanes, copy.perRepeat,
                      copy.dst, copy.src, Port());
  core.settle();
  for (uint32_t row = 0; row < copy.rows; ++row)
    runSpans(moveSpan, params, copy.lanesOfRow(), copy.perRepeat,
             copy.rowOf(copy.dst, row), copy.rowOf(copy.src, row), Port());
}

} // namespace lossgrad::sim
