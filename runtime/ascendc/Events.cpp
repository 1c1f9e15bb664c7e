// Flags between pipes, their ids, and barriers. Instructions execute in
// program order here, so a wait never suspends: its flag has been set, or
// nothing will ever set it.
#include "EventsInternal.h"
#include "Strips.h"
#include "lossgrad/sim/Queue.h"
#include "sim/Core.h"
#include "sim/CurrentCore.h"

namespace lossgrad::sim {

using AscendC::HardEvent;

static EventState &stateOf(Core &core, HardEvent event, int32_t id) {
  if (LOSSGRAD_UNLIKELY(event >= HardEvent::MAX))
    core.fail("HardEvent %d does not exist", static_cast<int>(event));
  if (LOSSGRAD_UNLIKELY(id < 0 ||
                        id >= static_cast<int32_t>(core.family->eventIds)))
    core.fail("event id is %d, %s has ids 0 to %u", id, nameOf(event),
              core.family->eventIds - 1);
  return core.events[static_cast<size_t>(event)];
}

void setFlagOn(Core &core, HardEvent event, int32_t id) {
  EventState &state = stateOf(core, event, id);
  if (LOSSGRAD_UNLIKELY(core.observer))
    core.observer->setFlag(core, event, id, core.site);
  const uint8_t bit = static_cast<uint8_t>(1u << id);
  if (LOSSGRAD_UNLIKELY(state.set & bit)) {
    std::string before = state.setAt[id].file;
    before.erase(0, before.find_last_of('/') + 1);
    core.fail("flag %s id %d is already set (at %s:%u) and nothing has waited "
              "for it",
              nameOf(event), id, before.c_str(), state.setAt[id].line);
  }
  state.set |= bit;
  state.setAt[id] = core.site;
}

void waitFlagOn(Core &core, HardEvent event, int32_t id) {
  EventState &state = stateOf(core, event, id);
  if (LOSSGRAD_UNLIKELY(core.observer))
    core.observer->waitFlag(core, event, id, core.site);
  const uint8_t bit = static_cast<uint8_t>(1u << id);
  if (LOSSGRAD_UNLIKELY(!(state.set & bit)))
    core.fail("waits in vain for flag %s id %d: nothing has set it",
              nameOf(event), id);
  state.set &= static_cast<uint8_t>(~bit);
}

int32_t allocEventOn(Core &core, HardEvent event) {
  EventState &state = stateOf(core, event, 0);
  for (uint32_t id = 0; id < core.family->eventIds; ++id)
    if (!(state.allocated >> id & 1)) {
      state.allocated |= static_cast<uint8_t>(1u << id);
      return static_cast<int32_t>(id);
    }
  core.fail("all %u event ids of %s are in use: too many blocks are in flight "
            "at one position, or an id was not released",
            core.family->eventIds, nameOf(event));
}

void releaseEventOn(Core &core, HardEvent event, int32_t id) {
  stateOf(core, event, id).allocated &= static_cast<uint8_t>(~(1u << id));
}

int32_t allocEvent(HardEvent event, Site site) {
  return allocEventOn(Core::enterDeferring("AllocEventID", site), event);
}

int32_t fetchEvent(HardEvent event, Site site) {
  Core &core = Core::enterDeferring("FetchEventID", site);
  const int32_t id = allocEventOn(core, event);
  releaseEventOn(core, event, id);
  return id;
}

void releaseEvent(HardEvent event, int32_t id, Site site) {
  releaseEventOn(Core::enterDeferring("ReleaseEventID", site), event, id);
}

void setFlag(HardEvent event, int32_t id, Site site) {
  setFlagOn(Core::enterDeferring("SetFlag", site), event, id);
}

// After it a kernel may look at memory through pointers of its own: at global
// memory, since one into UB has ended the waiting for good.
static bool endsAtScalar(HardEvent event) {
  return event == HardEvent::V_S || event == HardEvent::MTE2_S ||
         event == HardEvent::MTE3_S || event == HardEvent::M_S ||
         event == HardEvent::FIX_S;
}

static void settleGlobal(Core &core) {
  if (core.deferred)
    stripsOf(core).runList(core);
}

void waitFlag(HardEvent event, int32_t id, Site site) {
  Core &core = Core::enterDeferring("WaitFlag", site);
  if (endsAtScalar(event))
    settleGlobal(core);
  waitFlagOn(core, event, id);
}

void pipeBarrier(pipe_t pipe, Site site) {
  Core &core = Core::enterDeferring("PipeBarrier", site);
  if (pipe == PIPE_ALL || pipe == PIPE_S)
    settleGlobal(core);
  if (LOSSGRAD_UNLIKELY(core.observer))
    core.observer->barrier(core, pipe, site);
}

} // namespace lossgrad::sim
