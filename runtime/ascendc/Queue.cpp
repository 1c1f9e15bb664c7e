// TPipe's allocator and the state machine of queues: FREE, OCCUPIED, ENQUE,
// DEQUE per block, a round-robin cursor, and the flags that the device's queues
// set and wait for. What would hang or lose data on the device is an error.
#include "lossgrad/sim/Queue.h"
#include "EventsInternal.h"
#include "sim/Core.h"
#include "sim/CurrentCore.h"

#include <algorithm>
#include <string>

namespace lossgrad::sim {

using AscendC::HardEvent;
using AscendC::TPosition;

static const char *nameOf(BufferState state) {
  constexpr const char *names[] = {"free", "allocated", "enqueued", "dequeued"};
  return names[static_cast<size_t>(state)];
}

static void notify(Core &core, const Buffer &buffer, BufferEvent event) {
  if (LOSSGRAD_UNLIKELY(core.observer))
    core.observer->buffer(core, buffer, event, core.site);
}

//===- TPipe --------------------------------------------------------------===//

// Waits for the flags that freed blocks still carry, as the device does.
static void waitFreeEvents(Core &core) {
  for (uint32_t i = 0; i < core.bufferCount; ++i) {
    Buffer &buffer = core.buffers[i];
    if (buffer.freeId >= 0) {
      waitFlagOn(core, buffer.freeEvent, buffer.freeId);
      releaseEventOn(core, buffer.freeEvent, buffer.freeId);
      buffer.freeId = -1;
    }
  }
}

static void restartPool(Core &core) {
  waitFreeEvents(core);
  core.bufferCount = 0;
  core.used.fill(0);
}

void pipeCreate(void *pipe, Site site) {
  Core &core = Core::enter("TPipe", site);
  if (core.pipe && core.bufferCount)
    core.warn("another TPipe is alive; its buffers and the new one's overlap");
  restartPool(core);
  core.pipe = pipe;
  core.resetRegisters();
}

void pipeReset(Site site) {
  Core &core = Core::enter("TPipe::Reset", site);
  restartPool(core);
}

// Called by the destructor, also while a failed block is unwound.
void pipeDestroy(void *pipe) {
  Core *core = Core::currentOrNull();
  if (!core || core->pipe != pipe)
    return;
  core->call = "TPipe::Destroy";
  for (uint32_t i = 0; i < core->bufferCount; ++i) {
    Buffer &buffer = core->buffers[i];
    if (buffer.freeId < 0)
      continue;
    EventState &state = core->events[static_cast<size_t>(buffer.freeEvent)];
    const auto bit = static_cast<uint8_t>(1u << buffer.freeId);
    if (core->observer)
      core->observer->waitFlag(*core, buffer.freeEvent, buffer.freeId,
                               core->site);
    state.set &= static_cast<uint8_t>(~bit);
    state.allocated &= static_cast<uint8_t>(~bit);
    buffer.freeId = -1;
  }
  if (core->observer)
    core->observer->barrier(*core, PIPE_ALL, core->site);
  core->pipe = nullptr;
}

void *pipeCurrent() { return Core::current().pipe; }

//===- Allocation ---------------------------------------------------------===//

static const char *memoryName(TPosition position) {
  constexpr const char *names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C"};
  return names[static_cast<size_t>(Core::memoryOf(position))];
}

static uint32_t &usedBytes(Core &core, TPosition position) {
  return core.used[static_cast<size_t>(Core::memoryOf(position))];
}

// Takes `count` adjacent blocks; returns the first.
static Buffer *takeBlocks(Core &core, const void *owner, TPosition position,
                          uint32_t count, uint32_t bytes) {
  if (!core.pipe)
    core.fail("there is no TPipe");
  if (bytes == 0)
    core.warn("the buffer has a length of 0 bytes");
  const uint64_t rounded =
      (uint64_t(bytes) + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  Arena &arena = core.arenaOf(position);
  uint32_t &used = usedBytes(core, position);
  if (used + count * rounded > arena.bytes())
    core.fail("%u x %u bytes do not fit: %u of the %zu bytes of %s are taken",
              count, bytes, used, arena.bytes(), memoryName(position));
  if (core.bufferCount + count > core.family->maxBuffers)
    core.fail("%u more buffers are too many: %u of %u are taken", count,
              core.bufferCount, core.family->maxBuffers);
  Buffer *first = &core.buffers[core.bufferCount];
  for (uint32_t i = 0; i < count; ++i) {
    Buffer &buffer = core.buffers[core.bufferCount++];
    buffer = Buffer{};
    buffer.addr = arena.begin() + used;
    buffer.bytes = static_cast<uint32_t>(rounded);
    buffer.position = position;
    buffer.owner = owner;
    used += static_cast<uint32_t>(rounded);
    notify(core, buffer, BufferEvent::Init);
  }
  return first;
}

void initQueue(Queue &queue, uint32_t count, uint32_t bytes, Site site) {
  Core &core = Core::enter("InitBuffer", site);
  if (count == 0)
    core.fail("a queue needs at least 1 block");
  queue.blocks = takeBlocks(core, &queue, queue.position, count, bytes);
  queue.blockCount = count;
  queue.cursor = 0;
  queue.head = queue.waiting = 0;
  queue.inUse = 0;
}

BufferView initBuffer(const void *owner, TPosition position, uint32_t bytes,
                      Site site) {
  Core &core = Core::enter("InitBuffer", site);
  Buffer *buffer = takeBlocks(core, owner, position, 1, bytes);
  buffer->state = BufferState::Occupied;
  return {buffer, buffer->addr, buffer->bytes};
}

BufferView remainingBuffer(TPosition position, Site site) {
  Core &core = Core::enter("PopStackBuffer", site);
  Arena &arena = core.arenaOf(position);
  const uint32_t used = usedBytes(core, position);
  return {nullptr, arena.begin() + used,
          static_cast<uint32_t>(arena.bytes() - used)};
}

void checkTBufGet(const BufferView &view, uint64_t offset, uint64_t bytes,
                  Site site) {
  Core &core = Core::enterDeferring("TBuf::Get", site);
  if (!view.addr)
    core.fail("the TBuf has no buffer: InitBuffer was not called for it");
  if (offset % kBlockBytes)
    core.fail("offset %llu is not a multiple of 32 bytes",
              static_cast<unsigned long long>(offset));
  if (offset > view.bytes || bytes > view.bytes - offset)
    core.fail("bytes [%llu, %llu) were asked for, the buffer has %u",
              static_cast<unsigned long long>(offset),
              static_cast<unsigned long long>(offset + bytes), view.bytes);
}

//===- Queues -------------------------------------------------------------===//

// Which of a kernel's queues: helpers that take one are on the same line for
// all of them.
static std::string whichOf(const Core &core, const Queue &queue) {
  const auto first = static_cast<size_t>(queue.blocks - core.buffers.data());
  std::string text = std::string(nameOf(queue.position)) + " buffer";
  if (queue.blockCount > 1)
    return text + "s " + std::to_string(first) + " to " +
           std::to_string(first + queue.blockCount - 1);
  return text + " " + std::to_string(first);
}
static std::string whichOf(const Core &core, const Buffer &buffer) {
  return std::string(nameOf(buffer.position)) + " buffer " +
         std::to_string(&buffer - core.buffers.data());
}

static Buffer &ownBlock(Core &core, Queue &queue, Buffer *buffer) {
  if (!queue.blocks)
    core.fail("the queue has no blocks: InitBuffer was not called for it");
  if (buffer < queue.blocks || buffer >= queue.blocks + queue.blockCount)
    core.fail("the tensor is not a block of this queue (%s)",
              whichOf(core, queue).c_str());
  return *buffer;
}

BufferView queueAlloc(Queue &queue, Site site) {
  Core &core = Core::enterDeferring("AllocTensor", site);
  if (!queue.blocks)
    core.fail("the queue has no blocks: InitBuffer was not called for it");
  for (uint32_t tries = 0; tries < queue.blockCount; ++tries) {
    Buffer &buffer = queue.blocks[queue.cursor];
    queue.cursor = (queue.cursor + 1) % queue.blockCount;
    if (buffer.state != BufferState::Free)
      continue;
    buffer.state = BufferState::Occupied;
    if (buffer.freeId >= 0) {
      waitFlagOn(core, buffer.freeEvent, buffer.freeId);
      releaseEventOn(core, buffer.freeEvent, buffer.freeId);
      buffer.freeId = -1;
    }
    ++queue.inUse;
    notify(core, buffer, BufferEvent::Alloc);
    return {&buffer, buffer.addr, buffer.bytes};
  }
  core.fail("no free block: all %u of the queue (%s) are in use, a FreeTensor "
            "is missing (the device would wait for ever)",
            queue.blockCount, whichOf(core, queue).c_str());
}

void queueFree(Queue &queue, Buffer *given, Site site) {
  Core &core = Core::enterDeferring("FreeTensor", site);
  Buffer &buffer = ownBlock(core, queue, given);
  if (buffer.state == BufferState::Free)
    core.fail("the block (%s) is already free", whichOf(core, buffer).c_str());
  buffer.freeEvent = queue.freeEvent;
  if (queue.freeEvent != HardEvent::MAX) {
    buffer.freeId = static_cast<int8_t>(allocEventOn(core, queue.freeEvent));
    setFlagOn(core, queue.freeEvent, buffer.freeId);
  }
  buffer.state = BufferState::Free;
  --queue.inUse;
  notify(core, buffer, BufferEvent::Free);
}

void queueEnQue(Queue &queue, Buffer *given, HardEvent event, Site site) {
  Core &core = Core::enterDeferring("EnQue", site);
  Buffer &buffer = ownBlock(core, queue, given);
  if (buffer.state != BufferState::Occupied &&
      buffer.state != BufferState::Dequeued)
    core.fail("the block (%s) is %s, it must be allocated or dequeued",
              whichOf(core, buffer).c_str(), nameOf(buffer.state));
  if (queue.depth > 0 && queue.waiting >= queue.depth)
    core.fail("%d tensor(s) wait in the queue (%s), its depth is %d (the "
              "device would lose the first)",
              queue.waiting, whichOf(core, queue).c_str(), queue.depth);
  if (queue.depth > 0) {
    queue.slots[(queue.head + queue.waiting) % queue.depth] = &buffer;
    ++queue.waiting;
  }
  buffer.state = BufferState::Enqueued;
  buffer.enqueEvent = event;
  if (event != HardEvent::MAX) {
    buffer.enqueId = static_cast<int8_t>(allocEventOn(core, event));
    setFlagOn(core, event, buffer.enqueId);
  }
  notify(core, buffer, BufferEvent::EnQue);
}

static BufferView takeOut(Core &core, Buffer &buffer, HardEvent event) {
  if (buffer.state != BufferState::Enqueued)
    core.fail("the block (%s) is %s, it must be enqueued",
              whichOf(core, buffer).c_str(), nameOf(buffer.state));
  if (buffer.enqueEvent != event)
    core.fail("the positions differ from those of EnQue: waits for %s, EnQue "
              "has set %s",
              nameOf(event), nameOf(buffer.enqueEvent));
  buffer.state = BufferState::Dequeued;
  if (buffer.enqueId >= 0) {
    waitFlagOn(core, event, buffer.enqueId);
    releaseEventOn(core, event, buffer.enqueId);
    buffer.enqueId = -1;
  }
  notify(core, buffer, BufferEvent::DeQue);
  return {&buffer, buffer.addr, buffer.bytes};
}

BufferView queueDeQue(Queue &queue, HardEvent event, Site site) {
  Core &core = Core::enterDeferring("DeQue", site);
  if (!queue.blocks)
    core.fail("the queue has no blocks: InitBuffer was not called for it");
  if (queue.waiting == 0)
    core.fail("the queue (%s) is empty", whichOf(core, queue).c_str());
  Buffer &buffer = *queue.slots[queue.head];
  const BufferView view = takeOut(core, buffer, event);
  queue.head = (queue.head + 1) % queue.depth;
  --queue.waiting;
  return view;
}

BufferView queueDeQueInPlace(Queue &queue, Buffer *given, Site site) {
  Core &core = Core::enterDeferring("DeQue", site);
  return takeOut(core, ownBlock(core, queue, given), queue.enqueEvent);
}

void queueFreeAllEvents(Queue &queue, Site site) {
  Core &core = Core::enterDeferring("FreeAllEvent", site);
  for (uint32_t i = 0; i < queue.blockCount; ++i) {
    Buffer &buffer = queue.blocks[i];
    if (buffer.freeId < 0)
      continue;
    waitFlagOn(core, buffer.freeEvent, buffer.freeId);
    releaseEventOn(core, buffer.freeEvent, buffer.freeId);
    buffer.freeId = -1;
  }
}

} // namespace lossgrad::sim
