//===- continuous_vector.h - a list in one piece of memory ------*- C++ -*-===//
//
// How list attributes and workspace sizes are stored: a header followed by the
// elements. Such an object is made inside a buffer, never on its own.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_CONTINUOUS_VECTOR_H
#define LOSSGRAD_EXE_GRAPH_CONTINUOUS_VECTOR_H

#include "graph/ge_error_codes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace gert {

class ContinuousVector {
public:
  template <typename T>
  static std::unique_ptr<uint8_t[]> Create(size_t capacity,
                                           size_t &total_size) {
    if (__builtin_mul_overflow(capacity, sizeof(T), &total_size) ||
        __builtin_add_overflow(total_size, sizeof(ContinuousVector),
                               &total_size))
      return nullptr;
    std::unique_ptr<uint8_t[]> holder(new (std::nothrow) uint8_t[total_size]());
    if (holder)
      reinterpret_cast<ContinuousVector *>(holder.get())->Init(capacity);
    return holder;
  }
  template <typename T>
  static std::unique_ptr<uint8_t[]> Create(const size_t capacity) {
    size_t total_size;
    return Create<T>(capacity, total_size);
  }
  void Init(const size_t capacity) {
    capacity_ = capacity;
    size_ = 0;
  }
  size_t GetSize() const { return size_; }
  ge::graphStatus SetSize(const size_t size) {
    if (size > capacity_)
      return ge::GRAPH_PARAM_OUT_OF_RANGE;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }
  size_t GetCapacity() const { return capacity_; }
  const void *GetData() const { return this + 1; }
  void *MutableData() { return this + 1; }

private:
  size_t capacity_;
  size_t size_;
};

template <typename T> class TypedContinuousVector : private ContinuousVector {
public:
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  using ContinuousVector::SetSize;
  T *MutableData() { return static_cast<T *>(ContinuousVector::MutableData()); }
  const T *GetData() const {
    return static_cast<const T *>(ContinuousVector::GetData());
  }
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_CONTINUOUS_VECTOR_H
