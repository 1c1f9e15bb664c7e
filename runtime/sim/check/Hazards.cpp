// See Hazards.h.
#include "sim/check/Hazards.h"

namespace lossgrad::sim::check {

static constexpr pipe_t kSlotPipes[] = {PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3,
                                        PIPE_MTE1};

size_t Hazards::slotOf(pipe_t pipe) {
  for (size_t slot = 0; slot < kSlots; ++slot)
    if (kSlotPipes[slot] == pipe)
      return slot;
  return kSlots - 1;
}

// What the vendor's compiler inserts unless told not to: barriers between
// dependent vector calls, and flags around scalar access through tensors.
bool Hazards::compilerOrders(pipe_t a, pipe_t b) const {
  if (a == PIPE_V && b == PIPE_V)
    return ordered || level == SyncLevel::AutoSync;
  return level == SyncLevel::AutoSync && (a == PIPE_S || b == PIPE_S);
}

bool Hazards::isOver(Clocks &clocks, const Now &now, pipe_t pipe,
                     Past past) const {
  if (clocks.finished(now.pipe)[pipe] >= past.number)
    return true;
  if (!compilerOrders(pipe, now.pipe))
    return false;
  clocks.waitedFor(now.pipe, pipe, past.number);
  return true;
}

void Hazards::read(Clocks &clocks, const Now &now, uint64_t begin, uint64_t end,
                   const Report &report) {
  const size_t slot = slotOf(now.pipe);
  memory.update(begin, end, [&](uint64_t from, uint64_t to, History &history) {
    const Past write = history.write;
    // An operation does not depend on itself (in-place calls).
    const bool own = history.writer == now.pipe && write.number == now.number;
    if (write.number && !own && !isOver(clocks, now, history.writer, write))
      report({HazardKind::ReadAfterWrite, from, to, history.writer, write});
    history.reads[slot] = {now.number, now.place};
  });
}

void Hazards::write(Clocks &clocks, const Now &now, uint64_t begin,
                    uint64_t end, const Report &report) {
  memory.visit(
      begin, end, [&](uint64_t from, uint64_t to, const History &history) {
        const Past write = history.write;
        const bool own =
            history.writer == now.pipe && write.number == now.number;
        const bool bothAtomic = history.atomic && now.atomic;
        if (write.number && !own && !bothAtomic &&
            !isOver(clocks, now, history.writer, write))
          report(
              {HazardKind::WriteAfterWrite, from, to, history.writer, write});
        for (size_t slot = 0; slot < kSlots; ++slot) {
          const pipe_t pipe = kSlotPipes[slot];
          // A pipe reads before its later operations write, and a scalar load
          // has returned before the scalar unit issues anything that depends on
          // it.
          if (pipe == now.pipe || pipe == PIPE_S || !history.reads[slot].number)
            continue;
          if (!isOver(clocks, now, pipe, history.reads[slot]))
            report({HazardKind::WriteAfterRead, from, to, pipe,
                    history.reads[slot]});
        }
      });
  History fresh;
  fresh.writer = now.pipe;
  fresh.atomic = now.atomic;
  fresh.write = {now.number, now.place};
  memory.assign(begin, end, fresh);
}

} // namespace lossgrad::sim::check
