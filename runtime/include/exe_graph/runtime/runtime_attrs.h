//===- runtime_attrs.h - attribute values of a node -------------*- C++ -*-===//
//
// Pointers to values by index, null beyond the end. Ints are int64_t, floats
// four bytes, strings NUL-terminated, lists a TypedContinuousVector.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_RUNTIME_ATTRS_H
#define LOSSGRAD_EXE_GRAPH_RUNTIME_ATTRS_H

#include "continuous_vector.h"

#include <vector>

namespace lossgrad {
class AttrValues;
}

namespace gert {

class RuntimeAttrs {
public:
  template <typename T> const T *GetAttrPointer(size_t index) const {
    return index < values.size() ? static_cast<const T *>(values[index])
                                 : nullptr;
  }
  const int64_t *GetInt(const size_t index) const {
    return GetAttrPointer<int64_t>(index);
  }
  const float *GetFloat(const size_t index) const {
    return GetAttrPointer<float>(index);
  }
  const bool *GetBool(const size_t index) const {
    return GetAttrPointer<bool>(index);
  }
  const char *GetStr(const size_t index) const {
    return GetAttrPointer<char>(index);
  }
  const TypedContinuousVector<int64_t> *GetListInt(const size_t index) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
  }
  const TypedContinuousVector<float> *GetListFloat(const size_t index) const {
    return GetAttrPointer<TypedContinuousVector<float>>(index);
  }
  size_t GetAttrNum() const { return values.size(); }

  RuntimeAttrs(const RuntimeAttrs &) = delete;
  RuntimeAttrs &operator=(const RuntimeAttrs &) = delete;

private:
  friend class lossgrad::AttrValues;
  RuntimeAttrs() = default;
  std::vector<const void *> values;
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_RUNTIME_ATTRS_H
