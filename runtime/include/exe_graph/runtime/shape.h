//===- shape.h - a shape of at most 25 dims ---------------------*- C++ -*-===//
//
// With the vendor's habits: GetDim beyond the limit is INT64_MIN, an
// overflowing element count too, and SetDim alone does not make the shape
// longer than the index (call SetDimNum first, or AppendDim).
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_SHAPE_H
#define LOSSGRAD_EXE_GRAPH_SHAPE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <vector>

namespace gert {

struct Shape {
public:
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue =
      std::numeric_limits<int64_t>::min();

  Shape() : dim_num_(0), dims_{0} {}
  Shape(const std::initializer_list<int64_t> &args) : Shape() {
    if (args.size() > kMaxDimNum)
      return;
    for (int64_t dim : args)
      dims_[dim_num_++] = dim;
  }

  bool operator==(const Shape &other) const {
    if (dim_num_ != other.dim_num_)
      return false;
    for (size_t i = 0; i < dim_num_ && i < kMaxDimNum; ++i)
      if (dims_[i] != other.dims_[i])
        return false;
    return true;
  }
  bool operator!=(const Shape &other) const { return !(*this == other); }

  /// 1 for rank 0.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < dim_num_ && i < kMaxDimNum; ++i)
      if (__builtin_mul_overflow(size, dims_[i], &size))
        return kInvalidDimValue;
    return size;
  }
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }
  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(const size_t dim_num) { dim_num_ = dim_num; }
  int64_t GetDim(const size_t idx) const {
    return idx < kMaxDimNum ? dims_[idx] : kInvalidDimValue;
  }
  const int64_t &operator[](const size_t idx) const { return dims_[idx]; }
  int64_t &operator[](const size_t idx) { return dims_[idx]; }
  void SetDim(size_t idx, const int64_t dim_value) {
    if (idx >= kMaxDimNum)
      return;
    dims_[idx] = dim_value;
    dim_num_ = dim_num_ < idx ? idx : dim_num_;
  }
  Shape &AppendDim(const int64_t value) {
    if (dim_num_ < kMaxDimNum)
      dims_[dim_num_++] = value;
    return *this;
  }

private:
  size_t dim_num_;
  int64_t dims_[kMaxDimNum];
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_SHAPE_H
