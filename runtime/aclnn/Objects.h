//===- Objects.h - tensors, scalars and lists -------------------*- C++ -*-===//
//
// The structs behind the opaque types of acl_meta.h. Every object is entered in
// a set of live ones, so that a stale or foreign pointer is answered with a
// status instead of being followed.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_ACLNN_OBJECTS_H
#define LOSSGRAD_RUNTIME_ACLNN_OBJECTS_H

#include "aclnn/acl_meta.h"

#include <string>
#include <vector>

struct aclTensor {
  std::vector<int64_t> viewDims, strides, storageDims;
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  int64_t offset = 0; // elements
  void *data = nullptr;

  int64_t elements() const;
  bool empty() const;
  /// By the vendor's rule: dims of size 1 do not count, nor does the offset.
  bool contiguous() const;
  /// The first element of the view.
  char *address() const;
  /// The lowest and the highest element of the view, relative to the first.
  void extent(int64_t &lowest, int64_t &highest) const;
};

struct aclScalar {
  alignas(16) unsigned char bytes[16] = {};
  aclDataType dtype = ACL_DT_UNDEFINED;
};

struct aclIntArray {
  std::vector<int64_t> values;
};
struct aclFloatArray {
  std::vector<float> values;
};
struct aclBoolArray {
  std::vector<unsigned char> values;
};
struct aclTensorList {
  std::vector<const aclTensor *> values;
};
struct aclScalarList {
  std::vector<const aclScalar *> values;
};

namespace lossgrad::aclnn {

// opdev's status codes, which acl_meta.h leaves out.
enum Status : aclnnStatus {
  ParamNullptr = 161001,
  ParamInvalid = 161002,
  RuntimeError = 361001,
  Inner = 561000,
  InnerTiling = 561002,
  InnerFindKernel = 561003,
  InnerNullptr = 561103
};

/// Whether the pointer is a live object of a kind.
bool alive(const aclTensor *);
bool alive(const aclScalar *);
bool alive(const aclIntArray *);
bool alive(const aclFloatArray *);
bool alive(const aclBoolArray *);
bool alive(const aclTensorList *);
bool alive(const aclScalarList *);

const char *dtypeName(int dtype);
std::string dimsText(const std::vector<int64_t> &dims);

} // namespace lossgrad::aclnn

#endif // LOSSGRAD_RUNTIME_ACLNN_OBJECTS_H
