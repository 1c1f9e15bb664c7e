// LocalTensor and GlobalTensor: typed views of a core's on-chip memory and of
// global memory. A view is cheap to copy and owns nothing; slices keep the
// handle of the buffer they were cut from, so that FreeTensor on a slice frees
// the buffer. Scalar access goes through the library, which checks it and
// shows it to an observer.
#pragma once

#include "ascendc/types.h"
#include "lossgrad/sim/Instruction.h"
#include "lossgrad/sim/ScalarAccess.h"

namespace lossgrad::sim {
struct Buffer;
}

// A kernel may define it before the first include, as with the toolkit; our
// own layouts do not follow it, since the library knows only one.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

namespace AscendC {

constexpr int kMaxShapeDim = 8;

struct ShapeInfo {
  ShapeInfo() = default;
  ShapeInfo(const uint8_t dims, const uint32_t inputShape[],
            const uint8_t originalDims, const uint32_t inputOriginalShape[],
            const DataFormat format)
      : shapeDim(dims), originalShapeDim(originalDims), dataFormat(format) {
    for (int i = 0; i < kMaxShapeDim; ++i) {
      shape[i] = i < dims ? inputShape[i] : 0;
      originalShape[i] = i < originalDims ? inputOriginalShape[i] : 0;
    }
  }
  ShapeInfo(const uint8_t dims, const uint32_t inputShape[],
            const DataFormat format)
      : ShapeInfo(dims, inputShape, dims, inputShape, format) {}
  ShapeInfo(const uint8_t dims, const uint32_t inputShape[])
      : ShapeInfo(dims, inputShape, DataFormat::ND) {}

  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[kMaxShapeDim] = {};
  uint32_t originalShape[kMaxShapeDim] = {};
  DataFormat dataFormat = DataFormat::ND;
};

// Bytes that `count` elements take; 4-bit elements are packed in pairs.
template <typename T> constexpr uint64_t BytesOf(uint64_t count) {
  if constexpr (std::is_same_v<T, int4b_t>)
    return count / 2;
  else
    return count * sizeof(T);
}
template <typename T> constexpr uint64_t ElementsIn(uint64_t bytes) {
  if constexpr (std::is_same_v<T, int4b_t>)
    return bytes * 2;
  else
    return bytes / sizeof(T);
}

template <typename T> class BaseLocalTensor {
public:
  using PrimType = PrimT<T>;
};
template <typename T> class BaseGlobalTensor {
public:
  using PrimType = PrimT<T>;
};

template <typename T> class LocalTensor : public BaseLocalTensor<T> {
public:
  using PrimType = PrimT<T>;

  LocalTensor() = default;
  // A view at a fixed byte address of the position's memory, outside TPipe.
  LocalTensor(TPosition position, uint32_t byteAddress, uint32_t count,
              Site site = Site::here())
      : address(lossgrad::sim::localAddress(position, byteAddress,
                                            BytesOf<PrimType>(count), site)),
        size(count), position(position) {}
  // Used by queues, buffers and slices.
  LocalTensor(uint8_t *address, uint32_t count, TPosition position,
              lossgrad::sim::Buffer *buffer)
      : address(address), size(count), position(position), buffer(buffer) {}

  PrimType GetValue(const uint32_t index, Site site = Site::here()) const {
    PrimType *at = element(index);
    lossgrad::sim::scalarRead(at, sizeof(PrimType), "LocalTensor::GetValue",
                              site);
    return *at;
  }
  template <typename S>
  void SetValue(const uint32_t index, const S value,
                Site site = Site::here()) const {
    PrimType *at = element(index);
    lossgrad::sim::scalarWrite(at, sizeof(PrimType), "LocalTensor::SetValue",
                               site);
    *at = static_cast<PrimType>(value);
  }
  PrimType &operator()(const uint32_t offset, Site site = Site::here()) const {
    PrimType *at = element(offset);
    lossgrad::sim::scalarRead(at, sizeof(PrimType), "LocalTensor::operator()",
                              site);
    lossgrad::sim::localAddressTaken();
    return *at;
  }

  LocalTensor operator[](const uint32_t offset) const {
    const uint32_t rest = offset < size ? size - offset : 0;
    return LocalTensor(address + BytesOf<PrimType>(offset), rest, position,
                       buffer);
  }
  template <typename U> LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(
        address,
        static_cast<uint32_t>(ElementsIn<PrimT<U>>(BytesOf<PrimType>(size))),
        position, buffer);
  }

  uint32_t GetSize() const { return size; }
  void SetSize(const uint32_t count) { size = count; }
  uint32_t GetLength() const {
    return static_cast<uint32_t>(BytesOf<PrimType>(size));
  }
  void SetBufferLen(uint32_t count) { size = count; }
  PrimType *GetPhyAddr() const { return GetPhyAddr(0); }
  PrimType *GetPhyAddr(const uint32_t offset) const {
    lossgrad::sim::localAddressTaken();
    return reinterpret_cast<PrimType *>(address + BytesOf<PrimType>(offset));
  }
  // The same for a call of the library, which alone looks there.
  PrimType *OperandAddr() const {
    return reinterpret_cast<PrimType *>(address);
  }
  int32_t GetPosition() const { return static_cast<int32_t>(position); }
  TBufHandle GetBufferHandle() const {
    return reinterpret_cast<TBufHandle>(buffer);
  }
  lossgrad::sim::Buffer *GetBuffer() const { return buffer; }
  // Moves the start of the view; the rest of it shrinks accordingly.
  void SetAddrWithOffset(LocalTensor<T> &src, uint32_t offset) {
    *this = src[offset];
  }

  void SetShapeInfo(const ShapeInfo &info) { shapeInfo = info; }
  ShapeInfo GetShapeInfo() const { return shapeInfo; }
  void SetUserTag(const int32_t tag) { userTag = tag; }
  int32_t GetUserTag() const { return userTag; }

  // dst = a + b and its kin: the right-hand side is an expression that knows
  // how to issue the instruction (see ascendc/vector).
  template <typename Expression,
            typename = typename Expression::IsTensorExpression>
  void operator=(const Expression &expression) {
    expression.AssignTo(*this);
  }

private:
  PrimType *element(uint32_t index) const {
    return reinterpret_cast<PrimType *>(address) + index;
  }

  uint8_t *address = nullptr;
  uint32_t size = 0;
  TPosition position = TPosition::VECCALC;
  int32_t userTag = -1;
  lossgrad::sim::Buffer *buffer = nullptr;
  ShapeInfo shapeInfo;
};

template <typename T> class GlobalTensor : public BaseGlobalTensor<T> {
public:
  using PrimType = PrimT<T>;

  GlobalTensor() = default;

  void SetGlobalBuffer(__gm__ PrimType *buffer, uint64_t bufferSize) {
    address_ = buffer;
    bufferSize_ = bufferSize;
  }
  void SetGlobalBuffer(__gm__ PrimType *buffer) {
    address_ = buffer;
    bufferSize_ = 0;
  }

  GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor view = *this;
    view.address_ = at(offset);
    view.bufferSize_ = offset < bufferSize_ ? bufferSize_ - offset : 0;
    return view;
  }
  PrimType GetValue(const uint64_t offset, Site site = Site::here()) const {
    __gm__ PrimType *at = address_ + offset;
    lossgrad::sim::globalRead(at, sizeof(PrimType), "GlobalTensor::GetValue",
                              site);
    return *at;
  }
  void SetValue(const uint64_t offset, PrimType value,
                Site site = Site::here()) {
    __gm__ PrimType *at = address_ + offset;
    lossgrad::sim::globalWrite(at, sizeof(PrimType), "GlobalTensor::SetValue",
                               site);
    *at = value;
  }
  __gm__ PrimType &operator()(const uint64_t offset,
                              Site site = Site::here()) const {
    __gm__ PrimType *at = address_ + offset;
    lossgrad::sim::globalRead(at, sizeof(PrimType), "GlobalTensor::operator()",
                              site);
    return *at;
  }

  uint64_t GetSize() const { return bufferSize_; }
  const __gm__ PrimType *GetPhyAddr() const { return GetPhyAddr(0); }
  __gm__ PrimType *GetPhyAddr(const uint64_t offset) const {
    lossgrad::sim::globalAddressTaken();
    return at(offset);
  }
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode mode, Site site = Site::here()) {
    lossgrad::sim::requireCacheHint(site);
    cacheMode_ = mode;
  }
  template <typename U> GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> view;
    view.SetGlobalBuffer(reinterpret_cast<__gm__ PrimT<U> *>(address_),
                         ElementsIn<PrimT<U>>(BytesOf<PrimType>(bufferSize_)));
    return view;
  }
  void SetShapeInfo(const ShapeInfo &info) { shapeInfo = info; }
  ShapeInfo GetShapeInfo() const { return shapeInfo; }

  __gm__ PrimType *address_ = nullptr;
  CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;

private:
  __gm__ PrimType *at(uint64_t offset) const {
    return reinterpret_cast<__gm__ PrimType *>(
        reinterpret_cast<uint8_t *>(address_) + BytesOf<PrimType>(offset));
  }

  uint64_t bufferSize_ = 0;
  ShapeInfo shapeInfo;
};

} // namespace AscendC
