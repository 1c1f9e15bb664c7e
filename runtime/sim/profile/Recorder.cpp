// See Recorder.h.
#include "sim/profile/Recorder.h"
#include "sim/Launch.h"
#include "sim/Pipes.h"
#include "sim/Runs.h"

#include <algorithm>
#include <optional>

namespace lossgrad::sim::profile {

Recorder::Recorder(Core &core, uint32_t cores, Deliver deliver)
    : core(core), builder(*core.soc, cores, core.blockIdx), deliver(deliver) {}

Recorder::~Recorder() { deliver(core, std::move(builder.trace)); }

void Recorder::blockBegins(Core &) {
  writers.assign(core.ub.bytes() / kBlockBytes, {});
}

static std::optional<Pipe> modelled(pipe_t pipe) {
  switch (pipe) {
  case PIPE_S:
    return Pipe::S;
  case PIPE_V:
    return Pipe::V;
  case PIPE_MTE2:
    return Pipe::MTE2;
  case PIPE_MTE3:
    return Pipe::MTE3;
  default:
    return std::nullopt; // the cube side
  }
}

template <typename Visit>
void Recorder::eachLocalBlock(const std::vector<Region> &regions,
                              Visit &&visit) {
  const auto base = reinterpret_cast<uint64_t>(core.ub.begin());
  for (const Region &region : regions)
    forEachRun(region, [&](uint64_t address, uint64_t bytes) {
      const uint64_t offset = address - base;
      if (offset >= core.ub.bytes())
        return;
      const uint64_t last = std::min<uint64_t>(
          (offset + bytes - 1) / kBlockBytes, writers.size() - 1);
      for (uint64_t block = offset / kBlockBytes; block <= last; ++block)
        visit(writers[block]);
    });
}

void Recorder::instruction(Core &core, const Footprint &footprint) {
  // What a kernel without a pipe has placed shows only by its use.
  for (const Region &region : footprint.writes)
    if (core.used[static_cast<size_t>(AscendC::Hardware::UB)] == 0)
      forEachRun(region, [&](uint64_t address, uint64_t bytes) {
        const auto *end = reinterpret_cast<const uint8_t *>(address + bytes);
        if (core.ub.holds(end - 1, 1))
          builder.trace.ubHighWater = std::max<uint64_t>(
              builder.trace.ubHighWater, core.localOffset(end));
      });
  switch (footprint.pipe) {
  case PIPE_V:
    vector(footprint);
    break;
  case PIPE_MTE2:
    copy(footprint, Pipe::MTE2);
    break;
  case PIPE_MTE3:
    copy(footprint, Pipe::MTE3);
    break;
  case PIPE_S:
    scalar(footprint);
    break;
  default:
    break;
  }
}

//===- Vector instructions ------------------------------------------------===//

static uint64_t bytesOfOperand(const std::vector<Region> &regions,
                               unsigned operand) {
  uint64_t bytes = 0;
  for (const Region &region : regions)
    bytes += region.operand == operand ? bytesOf(region) : 0;
  return bytes;
}

static unsigned operandCount(const std::vector<Region> &regions) {
  unsigned count = 0;
  for (const Region &region : regions)
    count = std::max(count, region.operand + 1u);
  return count;
}

std::vector<OperandBlocks>
Recorder::blocksOf(const std::vector<Region> &regions,
                   const Footprint &footprint, uint32_t widest) const {
  const uint64_t repeats = std::max(footprint.repeats, 1u);
  const uint64_t full = kRepeatBytes / widest;
  // A count takes full repeats but for the last; a mask the same in each.
  const bool counted = (footprint.elements + full - 1) / full == repeats;
  const uint64_t lanes =
      counted ? full : std::max<uint64_t>(footprint.elements / repeats, 1);
  const auto base = reinterpret_cast<uint64_t>(core.ub.begin());
  std::vector<OperandBlocks> result;
  for (unsigned operand = 0; operand < operandCount(regions); ++operand) {
    const uint64_t bytes = bytesOfOperand(regions, operand);
    OperandBlocks blocks;
    const uint64_t perLane =
        footprint.elements ? bytes / footprint.elements : 0;
    blocks.perRepeat = static_cast<uint32_t>(std::max<uint64_t>(
        (lanes * perLane + kBlockBytes - 1) / kBlockBytes, 1));
    const size_t wanted = size_t(blocks.perRepeat) * kSampledRepeats;
    // Of bits several repeats share a block.
    const bool isBits = counted && bytes < footprint.elements;
    forEachRunOf(regions, operand, [&](uint64_t address, uint64_t size) {
      for (uint64_t at = address; at < address + size;
           at = isBits ? at + full / 8
                       : (at / kBlockBytes + 1) * kBlockBytes) {
        if (blocks.addresses.size() >= wanted)
          return;
        blocks.addresses.push_back(static_cast<uint32_t>(at - base));
      }
    });
    result.push_back(std::move(blocks));
  }
  return result;
}

void Recorder::vector(const Footprint &footprint) {
  uint32_t widest = 1;
  for (const auto *regions : {&footprint.reads, &footprint.writes})
    for (unsigned i = 0; i < operandCount(*regions) && footprint.elements; ++i)
      widest = std::max<uint32_t>(
          widest, static_cast<uint32_t>(std::min<uint64_t>(
                      bytesOfOperand(*regions, i) / footprint.elements, 8)));
  const BankCost banks = bankCost(
      *core.family, builder.model, blocksOf(footprint.reads, footprint, widest),
      blocksOf(footprint.writes, footprint, widest));
  VectorCall call;
  call.call = footprint.call;
  call.elementBytes = widest;
  call.elements = footprint.elements;
  call.repeats = std::max(footprint.repeats, 1u);
  call.tensorSources = operandCount(footprint.reads);
  targets::Dtype from{}, to{};
  if (footprint.from != DType::None && footprint.type != DType::None) {
    from = targetType(footprint.from);
    to = targetType(footprint.type);
    call.from = &from;
    call.to = &to;
  }
  const VectorTime time = vectorTime(builder.model, call, banks);

  // On products whose vector unit does not order dependent calls, the pair pays
  // the drain whether the barrier is written down or left to the compiler.
  bool dependent = false;
  const uint32_t over = clocks.finished(PIPE_V)[PIPE_V];
  auto depends = [&](const Writers &w) { dependent |= w.vector > over; };
  eachLocalBlock(footprint.reads, depends);
  eachLocalBlock(footprint.writes, depends);
  if (dependent) {
    clocks.drain(PIPE_V);
    builder.trace.barriersImplied += !core.family->vectorOrdered;
  }
  const uint32_t place = builder.place(footprint.call, footprint.site.file,
                                       footprint.site.line, Pipe::V);
  builder.vector(place, time, dependent, call.repeats, footprint.elements);
  const uint32_t number = clocks.issue(PIPE_V);
  eachLocalBlock(footprint.writes, [&](Writers &w) {
    w.vector = number;
    w.load = 0;
  });
  // The scalar unit waits inside the call.
  if (footprint.selfContained) {
    builder.scalar(builder.place(footprint.call, footprint.site.file,
                                 footprint.site.line, Pipe::S),
                   builder.model.scalarGet, Pipe::V, number);
    clocks.drain(PIPE_V);
    clocks.waitedFor(PIPE_S, PIPE_V, number);
  }
}

//===- Copies and scalar access -------------------------------------------===//

void Recorder::copy(const Footprint &footprint, Pipe pipe) {
  const auto &regions = pipe == Pipe::MTE2 ? footprint.reads : footprint.writes;
  const uint32_t place = builder.place(footprint.call, footprint.site.file,
                                       footprint.site.line, pipe);
  for (const Region &region : regions) {
    clocks.issue(footprint.pipe);
    CopyShape shape;
    shape.rowBytes = region.rowBytes;
    shape.rows = region.rows;
    shape.pitch = region.rowPitch;
    for (uint32_t plane = 0; plane < region.planes; ++plane) {
      shape.address =
          reinterpret_cast<uint64_t>(region.addr) + plane * region.planePitch;
      if (pipe == Pipe::MTE2)
        builder.load(place, shape, footprint.bypassL2);
      else
        builder.store(place, shape, core.regs.atomic != AtomicKind::None);
    }
  }
  if (pipe == Pipe::MTE2) {
    const uint32_t number = builder.issued(Pipe::MTE2);
    eachLocalBlock(footprint.writes, [&](Writers &w) { w = {0, number}; });
  }
}

// A line brought in stays until as many others have come as the cache holds.
bool Recorder::globalLineHits(uint64_t line) {
  if (!lines.insert(line).second)
    return true;
  lineOrder.push_back(line);
  if (double(lineOrder.size()) * core.family->dataCacheLineBytes >
      builder.model.dataCacheBytes) {
    lines.erase(lineOrder.front());
    lineOrder.pop_front();
  }
  return false;
}

void Recorder::scalar(const Footprint &footprint) {
  const bool write = footprint.reads.empty();
  const auto &regions = write ? footprint.writes : footprint.reads;
  if (regions.empty())
    return;
  const auto &model = builder.model;
  const uint32_t place = builder.place(footprint.call, footprint.site.file,
                                       footprint.site.line, Pipe::S);
  const auto address = reinterpret_cast<uint64_t>(regions[0].addr);
  if (!core.ub.holds(regions[0].addr, 1)) {
    ++(write ? builder.trace.globalWrites : builder.trace.globalReads);
    builder.scalar(place,
                   globalLineHits(address / core.family->dataCacheLineBytes)
                       ? model.globalHit
                       : model.globalMiss);
    return;
  }
  ++(write ? builder.trace.scalarWrites : builder.trace.scalarReads);
  if (write) {
    builder.scalar(place, model.scalarSet);
    eachLocalBlock(regions, [](Writers &w) { w = {}; });
    return;
  }
  Writers last;
  eachLocalBlock(regions, [&](const Writers &w) { last = w; });
  if (last.vector)
    builder.scalar(place, model.scalarGet, Pipe::V, last.vector);
  else
    builder.scalar(place, model.scalarGet, Pipe::MTE2, last.load);
}

//===- Synchronisation ----------------------------------------------------===//

void Recorder::setFlag(Core &, AscendC::HardEvent event, int32_t id, Site) {
  clocks.set(event, id);
  const auto from = modelled(endsOf(event).from);
  if (from && modelled(endsOf(event).to))
    builder.set(*from, static_cast<uint32_t>(event) * 8 + id);
}

void Recorder::waitFlag(Core &, AscendC::HardEvent event, int32_t id, Site) {
  clocks.wait(event, id);
  const auto to = modelled(endsOf(event).to);
  if (to && modelled(endsOf(event).from))
    builder.wait(*to, static_cast<uint32_t>(event) * 8 + id);
}

void Recorder::barrier(Core &, pipe_t pipe, Site) {
  clocks.drain(pipe);
  if (pipe == PIPE_ALL) {
    builder.barrierAll();
    return;
  }
  const auto which = modelled(pipe);
  if (!which || *which == Pipe::S)
    return;
  builder.barrier(*which);
}

void Recorder::syncAllBegins(Core &, Site, bool software) {
  builder.syncAll(software);
  clocks.drain(PIPE_ALL);
}

void Recorder::buffer(Core &, const Buffer &, BufferEvent event, Site site) {
  const auto &model = builder.model;
  const uint32_t place =
      builder.place(core.call, site.file, site.line, Pipe::S);
  if (event != BufferEvent::Init) {
    builder.scalar(place, model.queueCall);
    return;
  }
  builder.scalar(place,
                 model.initBuffer + (pipeCreated ? 0 : model.pipeCreate));
  pipeCreated = true;
  builder.trace.ubHighWater =
      std::max<uint64_t>(builder.trace.ubHighWater,
                         core.used[static_cast<size_t>(AscendC::Hardware::UB)]);
}

} // namespace lossgrad::sim::profile
