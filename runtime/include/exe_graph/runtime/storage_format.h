//===- storage_format.h - origin and storage format -------------*- C++ -*-===//
//
// Formats of a tensor. Dim expansion for private formats is not modelled.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_STORAGE_FORMAT_H
#define LOSSGRAD_EXE_GRAPH_STORAGE_FORMAT_H

#include "graph/types.h"

namespace gert {

/// How a shape is expanded for a private format: never, here.
class ExpandDimsType {
public:
  bool operator==(const ExpandDimsType &) const { return true; }
};

struct StorageFormat {
public:
  StorageFormat() = default;
  StorageFormat(const ge::Format origin_format, const ge::Format storage_format,
                const ExpandDimsType &)
      : origin_format_(origin_format), storage_format_(storage_format) {}
  ge::Format GetOriginFormat() const { return origin_format_; }
  void SetOriginFormat(const ge::Format format) { origin_format_ = format; }
  ge::Format GetStorageFormat() const { return storage_format_; }
  void SetStorageFormat(const ge::Format format) { storage_format_ = format; }
  ExpandDimsType GetExpandDimsType() const { return ExpandDimsType(); }
  bool operator==(const StorageFormat &other) const {
    return origin_format_ == other.origin_format_ &&
           storage_format_ == other.storage_format_;
  }
  bool operator!=(const StorageFormat &other) const {
    return !(*this == other);
  }

private:
  ge::Format origin_format_ = ge::FORMAT_ND;
  ge::Format storage_format_ = ge::FORMAT_ND;
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_STORAGE_FORMAT_H
