// See TraceBuilder.h.
#include "sim/profile/TraceBuilder.h"

#include "sim/profile/Sources.h"

#include <tuple>

namespace lossgrad::sim::profile {

TraceBuilder::TraceBuilder(const targets::Soc &soc, uint32_t cores,
                           uint32_t block)
    : soc(soc), model(targets::costModel(*soc.family)), cores(cores) {
  trace.block = block;
}

bool TraceBuilder::Key::operator<(const Key &o) const {
  return std::tie(call, file, line, pipe) <
         std::tie(o.call, o.file, o.line, o.pipe);
}

uint32_t TraceBuilder::place(const char *call, const char *file, uint32_t line,
                             Pipe pipe) {
  auto [found, fresh] =
      index.try_emplace(Key{call, file, line, pipe}, trace.places.size());
  if (fresh) {
    trace.places.push_back({call, findSource(file), line, pipe});
    trace.counts.emplace_back();
  }
  return found->second;
}

Event &TraceBuilder::add(EventKind kind, Pipe pipe, uint32_t place) {
  Event event;
  event.kind = kind;
  event.pipe = pipe;
  event.place = place;
  trace.events.push_back(event);
  return trace.events.back();
}

void TraceBuilder::vector(uint32_t place, const VectorTime &time, bool drains,
                          uint64_t repeats, uint64_t elements) {
  Event &event = add(EventKind::Vector, Pipe::V, place);
  event.cycles = static_cast<float>(time.occupation);
  event.latency = static_cast<float>(time.latency);
  event.drains = drains;
  ++numbers[static_cast<unsigned>(Pipe::V)];
  PlaceCount &count = trace.counts[place];
  ++count.times;
  count.repeats += repeats;
  count.elements += elements;
  count.cycles += time.occupation;
  count.conflictCycles += time.conflict;
}

Event &TraceBuilder::addCopy(EventKind kind, Pipe pipe, uint32_t place,
                             const CopyShape &shape, const CopyTime &time) {
  Event &event = add(kind, pipe, place);
  event.cycles = static_cast<float>(time.cycles);
  event.bytes = time.bytes;
  event.realBytes = shape.rowBytes * shape.rows;
  event.address = shape.address;
  event.rows = shape.rows;
  event.pitch = shape.pitch;
  ++numbers[static_cast<unsigned>(pipe)];
  ++trace.counts[place].times;
  trace.counts[place].bytes += event.realBytes;
  return event;
}

void TraceBuilder::load(uint32_t place, const CopyShape &shape,
                        bool bypassesL2) {
  Event &event = addCopy(EventKind::Load, Pipe::MTE2, place, shape,
                         loadTime(model, shape));
  event.latency = static_cast<float>(model.loadLatency);
  event.bypassesL2 = bypassesL2;
}

void TraceBuilder::store(uint32_t place, const CopyShape &shape, bool atomic) {
  Event &event = addCopy(EventKind::Store, Pipe::MTE3, place, shape,
                         storeTime(model, shape, cores));
  event.latency = static_cast<float>(model.storeLatency);
  event.atomic = atomic;
}

void TraceBuilder::scalar(uint32_t place, double cycles, Pipe pipe,
                          uint32_t after) {
  Event &event = add(EventKind::Scalar, Pipe::S, place);
  event.cycles = static_cast<float>(cycles);
  event.drains = after > 0;
  event.waitsFor = pipe;
  event.flag = after;
  ++trace.counts[place].times;
  trace.counts[place].cycles += cycles;
}

void TraceBuilder::set(Pipe from, uint32_t flag) {
  add(EventKind::Set, from, 0).flag = flag;
}
void TraceBuilder::wait(Pipe to, uint32_t flag) {
  add(EventKind::Wait, to, 0).flag = flag;
}
void TraceBuilder::barrier(Pipe pipe) { add(EventKind::Barrier, pipe, 0); }
void TraceBuilder::barrierAll() { add(EventKind::BarrierAll, Pipe::S, 0); }
void TraceBuilder::syncAll(bool software) {
  add(EventKind::SyncAll, Pipe::S, 0).cycles = software ? 1 : 0;
}

} // namespace lossgrad::sim::profile
