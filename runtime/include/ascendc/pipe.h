// TPipe, TQue, TQueBind, TBuf: who owns which part of UB and when. Typed faces
// of lossgrad/sim/Queue.h; the only thing decided here, at compile time, is
// which pair of pipes a queue synchronises.
#pragma once

#include "ascendc/tensor.h"
#include "lossgrad/sim/Queue.h"

namespace AscendC {

//===- Positions and the flags between them -------------------------------===//

constexpr Hardware GetPhyType(TPosition pos) {
  switch (pos) {
  case TPosition::GM:
  case TPosition::CO2:
    return Hardware::GM;
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::SHM:
  case TPosition::TSCM:
    return Hardware::L1;
  case TPosition::A2:
    return Hardware::L0A;
  case TPosition::B2:
    return Hardware::L0B;
  case TPosition::CO1:
    return Hardware::L0C;
  case TPosition::C2:
    return Hardware::BIAS;
  case TPosition::C2PIPE2GM:
    return Hardware::FIXBUF;
  default:
    return Hardware::UB;
  }
}

// The ends of a queue that is named by one position only.
constexpr TPosition GetBufferLogicPos(TPosition pos, bool isSrc) {
  switch (pos) {
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::VECIN:
    return isSrc ? TPosition::GM : pos;
  case TPosition::A2:
    return isSrc ? TPosition::A1 : pos;
  case TPosition::B2:
    return isSrc ? TPosition::B1 : pos;
  case TPosition::C2:
    return isSrc ? TPosition::C1 : pos;
  case TPosition::CO1:
    return isSrc ? pos : TPosition::CO2;
  case TPosition::CO2:
  case TPosition::VECOUT:
    return isSrc ? pos : TPosition::GM;
  case TPosition::SPM:
    return isSrc ? TPosition::VECOUT : TPosition::GM;
  case TPosition::C2PIPE2GM:
    return isSrc ? TPosition::B1 : pos;
  default:
    return pos;
  }
}

// Where the blocks of a queue between two positions lie.
constexpr TPosition GetPosition(TPosition src, TPosition dst) {
  if (dst == TPosition::GM || dst == TPosition::CO2)
    return src;
  return dst;
}

// The flag from producer to consumer (forward) or back.
constexpr HardEvent GetQueEvt(Hardware src, Hardware dst, bool forward,
                              bool = false, bool = false) {
  auto pick = [forward](HardEvent there, HardEvent back) {
    return forward ? there : back;
  };
  if (src == Hardware::GM && dst == Hardware::UB)
    return pick(HardEvent::MTE2_V, HardEvent::V_MTE2);
  if (src == Hardware::UB && dst == Hardware::GM)
    return pick(HardEvent::V_MTE3, HardEvent::MTE3_V);
  if (src == Hardware::UB && dst == Hardware::UB)
    return pick(HardEvent::MTE2_MTE3, HardEvent::MTE3_MTE2);
  if (src == Hardware::GM && dst == Hardware::L1)
    return pick(HardEvent::MTE2_MTE1, HardEvent::MTE1_MTE2);
  if (src == Hardware::GM)
    return pick(HardEvent::MTE2_M, HardEvent::M_MTE2);
  if (src == Hardware::UB && dst == Hardware::L1)
    return pick(HardEvent::MTE3_MTE1, HardEvent::MTE1_MTE3);
  if (src == Hardware::L1 && dst == Hardware::UB)
    return pick(HardEvent::MTE1_V, HardEvent::V_MTE1);
  if (src == Hardware::L1 && dst == Hardware::FIXBUF)
    return pick(HardEvent::MTE1_FIX, HardEvent::FIX_MTE1);
  if (src == Hardware::L1)
    return pick(HardEvent::MTE1_M, HardEvent::M_MTE1);
  if (src == Hardware::L0C)
    return pick(HardEvent::M_FIX, HardEvent::FIX_M);
  return pick(HardEvent::M_V, HardEvent::V_M);
}

struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;
  uint32_t bufferNumber = 0;
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

constexpr TQueConfig
GetTQueConfig(bool nd2nz = false, bool nz2nd = false,
              bool scmBlockGroup = false, uint32_t bufferLen = 0,
              uint32_t bufferNumber = 0, uint32_t consumerSize = 0,
              const TPosition *consumer = nullptr,
              bool enableStaticEvtId = false, bool enableLoopQueue = false) {
  (void)consumer;
  return {nd2nz,        nz2nd, scmBlockGroup,     bufferLen,      bufferNumber,
          consumerSize, {},    enableStaticEvtId, enableLoopQueue};
}

//===- Queues -------------------------------------------------------------===//

class TPipe;

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
  static_assert(depth >= 0 && depth <= lossgrad::sim::kMaxQueueSlots,
                "the depth of a queue must be in [0, 64]");
  static constexpr HardEvent enqueEvent =
      GetQueEvt(GetPhyType(src), GetPhyType(dst), true);
  static constexpr HardEvent freeEvent =
      GetQueEvt(GetPhyType(src), GetPhyType(dst), false);
  template <TPosition from, TPosition to>
  static constexpr HardEvent userEvent =
      GetQueEvt(GetPhyType(from), GetPhyType(to), true);

public:
  static constexpr TPosition srcPosition = src;
  static constexpr TPosition dstPosition = dst;

  TQueBind() = default;

  template <typename T> LocalTensor<T> AllocTensor(Site site = Site::here()) {
    return tensorOf<T>(lossgrad::sim::queueAlloc(queue, site));
  }
  template <typename T>
  void AllocTensor(LocalTensor<T> &tensor, Site site = Site::here()) {
    tensor = tensorOf<T>(lossgrad::sim::queueAlloc(queue, site));
  }
  template <typename T>
  void FreeTensor(LocalTensor<T> &tensor, Site site = Site::here()) {
    lossgrad::sim::queueFree(queue, tensor.GetBuffer(), site);
  }
  template <typename T>
  void FreeTensor(LocalTensor<T> &&tensor, Site site = Site::here()) {
    lossgrad::sim::queueFree(queue, tensor.GetBuffer(), site);
  }

  template <typename T>
  bool EnQue(const LocalTensor<T> &tensor, Site site = Site::here()) {
    lossgrad::sim::queueEnQue(queue, tensor.GetBuffer(), enqueEvent, site);
    return true;
  }
  template <TPosition from, TPosition to, typename T>
  bool EnQue(const LocalTensor<T> &tensor, Site site = Site::here()) {
    lossgrad::sim::queueEnQue(queue, tensor.GetBuffer(), userEvent<from, to>,
                              site);
    return true;
  }
  bool EnQue(TBufHandle handle, Site site = Site::here()) {
    lossgrad::sim::queueEnQue(queue,
                              reinterpret_cast<lossgrad::sim::Buffer *>(handle),
                              enqueEvent, site);
    return true;
  }

  template <typename T> LocalTensor<T> DeQue(Site site = Site::here()) {
    return tensorOf<T>(lossgrad::sim::queueDeQue(queue, enqueEvent, site));
  }
  template <TPosition from, TPosition to, typename T>
  LocalTensor<T> DeQue(Site site = Site::here()) {
    return tensorOf<T>(
        lossgrad::sim::queueDeQue(queue, userEvent<from, to>, site));
  }
  // For its wait only: the caller has kept the tensor.
  TBufHandle DeQue(Site site = Site::here()) {
    return reinterpret_cast<TBufHandle>(
        lossgrad::sim::queueDeQue(queue, enqueEvent, site).buffer);
  }
  template <typename T>
  void DeQue(LocalTensor<T> &tensor, Site site = Site::here()) {
    if constexpr (depth == 0)
      tensor = tensorOf<T>(
          lossgrad::sim::queueDeQueInPlace(queue, tensor.GetBuffer(), site));
    else
      tensor = tensorOf<T>(lossgrad::sim::queueDeQue(queue, enqueEvent, site));
  }

  bool VacantInQue() { return queue.waiting < depth; }
  bool HasTensorInQue() { return queue.waiting > 0; }
  int32_t GetTensorCountInQue() { return queue.waiting; }
  bool HasIdleBuffer() { return queue.inUse < queue.blockCount; }
  void FreeAllEvent(Site site = Site::here()) {
    lossgrad::sim::queueFreeAllEvents(queue, site);
  }

  lossgrad::sim::Queue &Machine() { return queue; }

private:
  template <typename T>
  static LocalTensor<T> tensorOf(const lossgrad::sim::BufferView &view) {
    return LocalTensor<T>(
        view.addr, static_cast<uint32_t>(ElementsIn<PrimT<T>>(view.bytes)),
        GetPosition(src, dst), view.buffer);
  }

  lossgrad::sim::Queue queue{GetPosition(src, dst), enqueEvent, freeEvent,
                             depth};
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<GetBufferLogicPos(pos, true),
                             GetBufferLogicPos(pos, false), depth, mask> {};

//===- Buffers without synchronisation ------------------------------------===//

template <TPosition pos = TPosition::LCM> class TBuf {
public:
  TBuf() = default;

  template <typename T> LocalTensor<T> Get(Site site = Site::here()) {
    lossgrad::sim::checkTBufGet(view, 0, 0, site);
    return at<T>(0, ElementsIn<PrimT<T>>(view.bytes));
  }
  template <typename T>
  LocalTensor<T> Get(uint32_t len, Site site = Site::here()) {
    lossgrad::sim::checkTBufGet(view, 0, BytesOf<PrimT<T>>(len), site);
    return at<T>(0, len);
  }
  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset,
                               Site site = Site::here()) {
    // As on the device, only using the tensor beyond the buffer is wrong.
    lossgrad::sim::checkTBufGet(view, bufOffset, 0, site);
    return at<T>(bufOffset, size);
  }
  // The queue-like names of the same thing.
  template <typename T> LocalTensor<T> AllocTensor(Site site = Site::here()) {
    return Get<T>(site);
  }
  template <typename T> LocalTensor<T> DeQue(Site site = Site::here()) {
    return Get<T>(site);
  }
  template <typename T> bool EnQue(const LocalTensor<T> &) { return true; }
  template <typename T> void FreeTensor(LocalTensor<T> &) {}
  uint32_t GetBufLen() const { return view.bytes; }

  void Assign(const lossgrad::sim::BufferView &given) { view = given; }

private:
  template <typename T> LocalTensor<T> at(uint32_t offset, uint64_t count) {
    return LocalTensor<T>(view.addr + offset, static_cast<uint32_t>(count), pos,
                          view.buffer);
  }

  lossgrad::sim::BufferView view;
};

//===- TPipe --------------------------------------------------------------===//

class TPipe {
public:
  explicit TPipe(Site site = Site::here()) {
    lossgrad::sim::pipeCreate(this, site);
  }
  ~TPipe() { lossgrad::sim::pipeDestroy(this); }
  TPipe(const TPipe &) = delete;
  // Kernels hand their pipe to a member by assignment. All of a pipe's state is
  // the core's, so there is nothing to copy.
  TPipe &operator=(const TPipe &) { return *this; }

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num,
                  uint32_t len, Site site = Site::here()) {
    lossgrad::sim::initQueue(que.Machine(), num, len, site);
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos> &buf, uint32_t len, Site site = Site::here()) {
    buf.Assign(lossgrad::sim::initBuffer(&buf, pos, len, site));
    return true;
  }

  template <HardEvent evt> TEventID AllocEventID(Site site = Site::here()) {
    return static_cast<TEventID>(lossgrad::sim::allocEvent(evt, site));
  }
  template <HardEvent evt>
  void ReleaseEventID(TEventID id, Site site = Site::here()) {
    lossgrad::sim::releaseEvent(evt, id, site);
  }
  template <HardEvent evt> TEventID FetchEventID(Site site = Site::here()) {
    return static_cast<TEventID>(lossgrad::sim::fetchEvent(evt, site));
  }
  TEventID FetchEventID(HardEvent evt, Site site = Site::here()) {
    return static_cast<TEventID>(lossgrad::sim::fetchEvent(evt, site));
  }

  void Reset(Site site = Site::here()) { lossgrad::sim::pipeReset(site); }
  void Destroy() { lossgrad::sim::pipeDestroy(this); }
  void Init(Site site = Site::here()) { lossgrad::sim::pipeCreate(this, site); }
};

inline TPipe *GetTPipePtr() {
  return static_cast<TPipe *>(lossgrad::sim::pipeCurrent());
}

// The memory that no buffer has taken, for calls that need scratch.
template <typename T, TPosition pos>
bool PopStackBuffer(LocalTensor<T> &tensor, Site site = Site::here()) {
  const auto view = lossgrad::sim::remainingBuffer(pos, site);
  tensor = LocalTensor<T>(
      view.addr, static_cast<uint32_t>(ElementsIn<PrimT<T>>(view.bytes)), pos,
      nullptr);
  return true;
}

//===- Flags by hand ------------------------------------------------------===//

template <HardEvent event>
void SetFlag(int32_t eventID, Site site = Site::here()) {
  lossgrad::sim::setFlag(event, eventID, site);
}
template <HardEvent event>
void WaitFlag(int32_t eventID, Site site = Site::here()) {
  lossgrad::sim::waitFlag(event, eventID, site);
}
template <pipe_t pipe> void PipeBarrier(Site site = Site::here()) {
  static_assert(pipe != PIPE_S, "PipeBarrier does not take PIPE_S");
  lossgrad::sim::pipeBarrier(pipe, site);
}

namespace detail {
constexpr HardEvent EventBetween(pipe_t src, pipe_t dst) {
  struct Pair {
    pipe_t src, dst;
    HardEvent event;
  };
  constexpr Pair pairs[] = {
      {PIPE_MTE2, PIPE_V, HardEvent::MTE2_V},
      {PIPE_V, PIPE_MTE2, HardEvent::V_MTE2},
      {PIPE_MTE3, PIPE_V, HardEvent::MTE3_V},
      {PIPE_V, PIPE_MTE3, HardEvent::V_MTE3},
      {PIPE_V, PIPE_V, HardEvent::V_V},
      {PIPE_MTE3, PIPE_MTE2, HardEvent::MTE3_MTE2},
      {PIPE_MTE2, PIPE_MTE3, HardEvent::MTE2_MTE3},
      {PIPE_S, PIPE_V, HardEvent::S_V},
      {PIPE_V, PIPE_S, HardEvent::V_S},
      {PIPE_S, PIPE_MTE2, HardEvent::S_MTE2},
      {PIPE_MTE2, PIPE_S, HardEvent::MTE2_S},
      {PIPE_S, PIPE_MTE3, HardEvent::S_MTE3},
      {PIPE_MTE3, PIPE_S, HardEvent::MTE3_S},
      {PIPE_MTE2, PIPE_MTE1, HardEvent::MTE2_MTE1},
      {PIPE_MTE1, PIPE_MTE2, HardEvent::MTE1_MTE2},
      {PIPE_MTE1, PIPE_M, HardEvent::MTE1_M},
      {PIPE_M, PIPE_MTE1, HardEvent::M_MTE1},
      {PIPE_M, PIPE_FIX, HardEvent::M_FIX},
      {PIPE_FIX, PIPE_M, HardEvent::FIX_M},
  };
  for (const Pair &pair : pairs)
    if (pair.src == src && pair.dst == dst)
      return pair.event;
  return HardEvent::MAX;
}
} // namespace detail

template <pipe_t src, pipe_t dst> class TQueSync {
  static constexpr HardEvent event = detail::EventBetween(src, dst);
  static_assert(event != HardEvent::MAX,
                "no flags exist between these two pipes");

public:
  void SetFlag(TEventID id, Site site = Site::here()) {
    lossgrad::sim::setFlag(event, id, site);
  }
  void WaitFlag(TEventID id, Site site = Site::here()) {
    lossgrad::sim::waitFlag(event, id, site);
  }
};

} // namespace AscendC

// The intrinsics that some kernels call directly.
inline void pipe_barrier(pipe_t pipe,
                         AscendC::Site site = AscendC::Site::here()) {
  lossgrad::sim::pipeBarrier(pipe, site);
}
inline void set_flag(pipe_t src, pipe_t dst, int32_t id,
                     AscendC::Site site = AscendC::Site::here()) {
  lossgrad::sim::setFlag(AscendC::detail::EventBetween(src, dst), id, site);
}
inline void wait_flag(pipe_t src, pipe_t dst, int32_t id,
                      AscendC::Site site = AscendC::Site::here()) {
  lossgrad::sim::waitFlag(AscendC::detail::EventBetween(src, dst), id, site);
}
