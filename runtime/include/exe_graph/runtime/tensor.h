//===- tensor.h - a tensor as contexts show it ------------------*- C++ -*-===//
//
// Shape, format, type and, for value-dependent inputs, host data. It owns
// nothing: reference-counted tensor data is not modelled.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_TENSOR_H
#define LOSSGRAD_EXE_GRAPH_TENSOR_H

#include "graph/ge_error_codes.h"
#include "storage_format.h"
#include "storage_shape.h"

namespace gert {

using TensorAddress = void *;
using ConstTensorAddressPtr = const void *;

enum TensorPlacement : int32_t {
  kOnDeviceHbm,
  kOnHost,
  kFollowing,
  kOnDeviceP2p,
  kTensorPlacementEnd
};

class Tensor {
public:
  Tensor() = default;
  Tensor(const StorageShape &storage_shape, const StorageFormat &storage_format,
         const TensorPlacement placement, const ge::DataType data_type,
         TensorAddress addr)
      : storage_shape_(storage_shape), storage_format_(storage_format),
        placement_(placement), data_type_(data_type), addr_(addr) {}
  Tensor(const StorageShape &storage_shape, const StorageFormat &storage_format,
         ge::DataType data_type)
      : Tensor(storage_shape, storage_format, kTensorPlacementEnd, data_type,
               nullptr) {}

  int64_t GetShapeSize() const {
    return storage_shape_.GetStorageShape().GetShapeSize();
  }
  size_t GetSize() const {
    return static_cast<size_t>(ge::GetSizeInBytes(GetShapeSize(), data_type_));
  }
  template <class T> const T *GetData() const {
    return static_cast<const T *>(addr_);
  }
  template <class T> T *GetData() { return static_cast<T *>(addr_); }
  const void *GetAddr() const { return addr_; }
  void *GetAddr() { return addr_; }
  ge::DataType GetDataType() const { return data_type_; }
  void SetDataType(const ge::DataType data_type) { data_type_ = data_type; }
  const Shape &GetStorageShape() const {
    return storage_shape_.GetStorageShape();
  }
  Shape &MutableStorageShape() { return storage_shape_.MutableStorageShape(); }
  const Shape &GetOriginShape() const {
    return storage_shape_.GetOriginShape();
  }
  Shape &MutableOriginShape() { return storage_shape_.MutableOriginShape(); }
  const StorageShape &GetShape() const { return storage_shape_; }
  StorageShape &GetShape() { return storage_shape_; }
  ge::Format GetStorageFormat() const {
    return storage_format_.GetStorageFormat();
  }
  void SetStorageFormat(const ge::Format format) {
    storage_format_.SetStorageFormat(format);
  }
  ge::Format GetOriginFormat() const {
    return storage_format_.GetOriginFormat();
  }
  void SetOriginFormat(const ge::Format format) {
    storage_format_.SetOriginFormat(format);
  }
  const StorageFormat &GetFormat() const { return storage_format_; }
  StorageFormat &MutableFormat() { return storage_format_; }
  TensorPlacement GetPlacement() const { return placement_; }
  void SetPlacement(const TensorPlacement placement) { placement_ = placement; }

private:
  StorageShape storage_shape_;
  StorageFormat storage_format_;
  TensorPlacement placement_ = kTensorPlacementEnd;
  ge::DataType data_type_ = ge::DT_UNDEFINED;
  TensorAddress addr_ = nullptr;
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_TENSOR_H
