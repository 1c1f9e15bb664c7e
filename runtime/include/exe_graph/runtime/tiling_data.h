//===- tiling_data.h - the buffer that a tiling function fills --*- C++ -*-===//
//
// A buffer of fixed capacity that goes to the kernel. Its contents are not
// zeroed: a field that is never assigned is garbage, on the device as here.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_TILING_DATA_H
#define LOSSGRAD_EXE_GRAPH_TILING_DATA_H

#include "graph/ge_error_codes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace gert {

class TilingData {
public:
  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return data_size_; }
  void SetDataSize(const size_t size) { data_size_ = size; }
  void *GetData() { return data_; }
  const void *GetData() const { return data_; }

  template <typename T> ge::graphStatus Append(const T &data) {
    return Append(&data, 1);
  }
  template <typename T>
  ge::graphStatus Append(const T *data, size_t append_num) {
    static_assert(std::is_standard_layout<T>::value,
                  "tiling data is copied byte by byte");
    size_t bytes;
    if (__builtin_mul_overflow(sizeof(T), append_num, &bytes))
      return ge::GRAPH_MUL_OVERFLOW;
    void *to = Expand(bytes);
    if (to == nullptr)
      return ge::GRAPH_FAILED;
    std::memcpy(to, data, bytes);
    return ge::GRAPH_SUCCESS;
  }
  /// Null when the capacity does not suffice.
  void *Expand(size_t size) {
    if (size > capacity_ || data_size_ > capacity_ - size)
      return nullptr;
    void *begin = static_cast<uint8_t *>(data_) + data_size_;
    data_size_ += size;
    return begin;
  }

  static std::unique_ptr<uint8_t[]> CreateCap(const size_t cap_size) {
    std::unique_ptr<uint8_t[]> buffer(
        new (std::nothrow) uint8_t[sizeof(TilingData) + cap_size]());
    if (buffer)
      reinterpret_cast<TilingData *>(buffer.get())
          ->Init(cap_size, buffer.get() + sizeof(TilingData));
    return buffer;
  }
  void Init(const size_t cap_size, void *const data) {
    capacity_ = cap_size;
    data_size_ = 0;
    data_ = data;
  }

private:
  size_t capacity_;
  size_t data_size_;
  void *data_;
};

template <typename T> TilingData &operator<<(TilingData &out, const T &data) {
  out.Append(data);
  return out;
}

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_TILING_DATA_H
