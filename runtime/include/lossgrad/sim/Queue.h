// The untyped machinery behind TPipe, TQue, TQueBind and TBuf. The public
// classes hold a Queue and forward; the state machine is in the library.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/Export.h"

namespace lossgrad::sim {

struct Buffer; // one block, held by the core

// What a tensor needs to know of a block.
struct BufferView {
  Buffer *buffer = nullptr;
  uint8_t *addr = nullptr;
  uint32_t bytes = 0;
};

constexpr int32_t kMaxQueueSlots = 64;

struct Queue {
  Queue(AscendC::TPosition position, AscendC::HardEvent enqueEvent,
        AscendC::HardEvent freeEvent, int32_t depth)
      : position(position), enqueEvent(enqueEvent), freeEvent(freeEvent),
        depth(depth) {}

  AscendC::TPosition position;
  AscendC::HardEvent enqueEvent; // producer to consumer
  AscendC::HardEvent freeEvent;  // consumer back to producer
  int32_t depth;
  // Set by InitBuffer.
  Buffer *blocks = nullptr;
  uint32_t blockCount = 0;
  uint32_t cursor = 0; // where the search for a free block goes on
  // First in, first out.
  Buffer *slots[kMaxQueueSlots] = {};
  int32_t head = 0, waiting = 0;
  uint32_t inUse = 0;
};

LOSSGRAD_API void pipeCreate(void *pipe, Site site);
LOSSGRAD_API void pipeReset(Site site);
LOSSGRAD_API void pipeDestroy(void *pipe);
LOSSGRAD_API void *pipeCurrent();

LOSSGRAD_API void initQueue(Queue &queue, uint32_t count, uint32_t bytes,
                            Site site);
// A TBuf is one block without flags.
LOSSGRAD_API BufferView initBuffer(const void *owner,
                                   AscendC::TPosition position, uint32_t bytes,
                                   Site site);
// The part of a position's memory that no buffer has taken.
LOSSGRAD_API BufferView remainingBuffer(AscendC::TPosition position, Site site);
LOSSGRAD_API void checkTBufGet(const BufferView &view, uint64_t offset,
                               uint64_t bytes, Site site);

LOSSGRAD_API BufferView queueAlloc(Queue &queue, Site site);
LOSSGRAD_API void queueFree(Queue &queue, Buffer *buffer, Site site);
LOSSGRAD_API void queueEnQue(Queue &queue, Buffer *buffer,
                             AscendC::HardEvent event, Site site);
LOSSGRAD_API BufferView queueDeQue(Queue &queue, AscendC::HardEvent event,
                                   Site site);
// Depth 0: the tensor itself says which block is meant.
LOSSGRAD_API BufferView queueDeQueInPlace(Queue &queue, Buffer *buffer,
                                          Site site);
LOSSGRAD_API void queueFreeAllEvents(Queue &queue, Site site);

LOSSGRAD_API int32_t allocEvent(AscendC::HardEvent event, Site site);
LOSSGRAD_API int32_t fetchEvent(AscendC::HardEvent event, Site site);
LOSSGRAD_API void releaseEvent(AscendC::HardEvent event, int32_t id, Site site);
LOSSGRAD_API void setFlag(AscendC::HardEvent event, int32_t id, Site site);
LOSSGRAD_API void waitFlag(AscendC::HardEvent event, int32_t id, Site site);
LOSSGRAD_API void pipeBarrier(pipe_t pipe, Site site);

} // namespace lossgrad::sim
