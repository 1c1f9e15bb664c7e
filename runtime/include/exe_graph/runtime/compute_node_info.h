//===- compute_node_info.h - compile-time facts of a parameter --*- C++ -*-===//
//
// Element type and formats of an input or output, and how many actual tensors
// a declared parameter stands for.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_COMPUTE_NODE_INFO_H
#define LOSSGRAD_EXE_GRAPH_COMPUTE_NODE_INFO_H

#include "runtime_attrs.h"
#include "storage_format.h"

#include <cstddef>
#include <cstdint>

namespace gert {

/// A declared parameter is `instantiation_num` tensors from `instance_start`
/// on: 0 or 1 for an optional one, any number for a dynamic one.
class AnchorInstanceInfo {
public:
  AnchorInstanceInfo() = default;
  AnchorInstanceInfo(const uint32_t instance_start,
                     const uint32_t instantiation_num)
      : instance_start_(instance_start), instantiation_num_(instantiation_num) {
  }
  size_t GetInstanceNum() const { return instantiation_num_; }
  size_t GetInstanceStart() const { return instance_start_; }

private:
  uint32_t instance_start_ = 0;
  uint32_t instantiation_num_ = 0;
};

class CompileTimeTensorDesc {
public:
  ge::DataType GetDataType() const { return data_type_; }
  const StorageFormat &GetFormat() const { return storage_format_; }
  ge::Format GetOriginFormat() const {
    return storage_format_.GetOriginFormat();
  }
  ge::Format GetStorageFormat() const {
    return storage_format_.GetStorageFormat();
  }
  void SetDataType(const ge::DataType data_type) { data_type_ = data_type; }
  void SetStorageFormat(const ge::Format format) {
    storage_format_.SetStorageFormat(format);
  }
  void SetOriginFormat(const ge::Format format) {
    storage_format_.SetOriginFormat(format);
  }

private:
  ge::DataType data_type_ = ge::DT_UNDEFINED;
  StorageFormat storage_format_;
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_COMPUTE_NODE_INFO_H
