//===- Objects.cpp - tensors, scalars and lists ---------------------------===//
//
// Creation, destruction and the getters. Creation validates next to nothing, as
// the vendor's does: what an operator accepts is the operator's business.
//
//===----------------------------------------------------------------------===//
#include "Objects.h"

#include "acl/Runtime.h"
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_set>

using namespace lossgrad;
using namespace lossgrad::aclnn;
using acl::fail;

int64_t aclTensor::elements() const {
  int64_t count = 1;
  for (int64_t dim : viewDims)
    if (__builtin_mul_overflow(count, dim, &count))
      return -1;
  return count;
}

bool aclTensor::empty() const {
  return std::find(viewDims.begin(), viewDims.end(), 0) != viewDims.end();
}

bool aclTensor::contiguous() const {
  if (empty() || elements() == 1)
    return true;
  int64_t expected = 1;
  for (size_t i = viewDims.size(); i-- > 0;) {
    if (viewDims[i] == 1)
      continue;
    if (strides[i] != expected)
      return false;
    expected *= viewDims[i];
  }
  return true;
}

char *aclTensor::address() const {
  return static_cast<char *>(data) + offset * int64_t(aclDataTypeSize(dtype));
}

void aclTensor::extent(int64_t &lowest, int64_t &highest) const {
  lowest = highest = 0;
  for (size_t i = 0; i < viewDims.size(); ++i) {
    const int64_t reach = strides[i] * (viewDims[i] - 1);
    (reach < 0 ? lowest : highest) += reach;
  }
}

namespace {

/// The live objects of one kind.
template <typename T> class LiveSet {
public:
  static LiveSet &get() {
    static auto *set = new LiveSet;
    return *set;
  }
  T *add(std::unique_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex);
    objects.insert(object.get());
    return object.release();
  }
  bool contains(const T *object) {
    std::lock_guard<std::mutex> lock(mutex);
    return objects.count(object);
  }
  bool remove(const T *object) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!objects.erase(object))
        return false;
    }
    delete object;
    return true;
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex);
    return objects.size();
  }

private:
  std::mutex mutex;
  std::unordered_set<const T *> objects;
};

template <typename T>
aclnnStatus destroy(const char *call, const char *what, const T *object) {
  if (!object || LiveSet<T>::get().remove(object))
    return OK;
  return fail(call, ParamInvalid, "%p is not a live %s (destroyed twice?)",
              static_cast<const void *>(object), what);
}

/// Null arguments answer 161001, stale ones 161002.
template <typename T>
aclnnStatus check(const char *call, const char *what, const T *object,
                  std::initializer_list<const void *> outputs) {
  if (!object)
    return fail(call, ParamNullptr, "the %s is null", what);
  for (const void *output : outputs)
    if (!output)
      return fail(call, ParamNullptr, "an output pointer is null");
  if (LiveSet<T>::get().contains(object))
    return OK;
  return fail(call, ParamInvalid, "%p is not a live %s",
              static_cast<const void *>(object), what);
}

aclnnStatus copyOut(const std::vector<int64_t> &from, int64_t **to,
                    uint64_t *count) {
  *count = from.size();
  *to = new int64_t[from.size()]; // the caller deletes it
  std::copy(from.begin(), from.end(), *to);
  return OK;
}

// What the vendor's shape container holds at most.
constexpr uint64_t MaxRank = 25;

/// The one thing that creation refuses: dims that cannot be copied.
aclnnStatus checkDims(const char *call, const int64_t *viewDims,
                      uint64_t viewDimsNum, const int64_t *storageDims,
                      uint64_t storageDimsNum) {
  if (!viewDims && viewDimsNum)
    return fail(call, ParamNullptr, "viewDims is null with %zu dims",
                size_t(viewDimsNum));
  if (!storageDims && storageDimsNum)
    return fail(call, ParamNullptr, "storageDims is null with %zu dims",
                size_t(storageDimsNum));
  if (viewDimsNum > MaxRank || storageDimsNum > MaxRank)
    return fail(call, ParamInvalid, "%zu view and %zu storage dims exceed %zu",
                size_t(viewDimsNum), size_t(storageDimsNum), size_t(MaxRank));
  return OK;
}

void fill(aclTensor &tensor, const int64_t *viewDims, uint64_t viewDimsNum,
          aclDataType dataType, const int64_t *stride, int64_t offset,
          aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
          void *data) {
  tensor.viewDims.assign(viewDims, viewDims + viewDimsNum);
  tensor.storageDims.assign(storageDims, storageDims + storageDimsNum);
  tensor.dtype = dataType;
  tensor.format = format;
  tensor.offset = offset;
  tensor.data = data;
  tensor.strides.assign(viewDimsNum, 1);
  if (stride) {
    tensor.strides.assign(stride, stride + viewDimsNum);
    return;
  }
  for (size_t i = viewDimsNum; i-- > 1;)
    tensor.strides[i - 1] = tensor.strides[i] * viewDims[i];
}

std::string reportLeaks() {
  std::string report;
  auto line = [&](size_t count, const char *what) {
    if (count)
      report += acl::format("  %zu %s not destroyed\n", count, what);
  };
  line(LiveSet<aclTensor>::get().size(), "aclTensor(s)");
  line(LiveSet<aclScalar>::get().size(), "aclScalar(s)");
  line(LiveSet<aclIntArray>::get().size(), "aclIntArray(s)");
  line(LiveSet<aclFloatArray>::get().size(), "aclFloatArray(s)");
  line(LiveSet<aclBoolArray>::get().size(), "aclBoolArray(s)");
  line(LiveSet<aclTensorList>::get().size(), "aclTensorList(s)");
  line(LiveSet<aclScalarList>::get().size(), "aclScalarList(s)");
  return report;
}

[[maybe_unused]] const bool registered = [] {
  acl::Runtime::get().addLeakReporter(reportLeaks);
  return true;
}();

} // namespace

namespace lossgrad::aclnn {

bool alive(const aclTensor *p) { return LiveSet<aclTensor>::get().contains(p); }
bool alive(const aclScalar *p) { return LiveSet<aclScalar>::get().contains(p); }
bool alive(const aclIntArray *p) {
  return LiveSet<aclIntArray>::get().contains(p);
}
bool alive(const aclFloatArray *p) {
  return LiveSet<aclFloatArray>::get().contains(p);
}
bool alive(const aclBoolArray *p) {
  return LiveSet<aclBoolArray>::get().contains(p);
}
bool alive(const aclTensorList *p) {
  return LiveSet<aclTensorList>::get().contains(p);
}
bool alive(const aclScalarList *p) {
  return LiveSet<aclScalarList>::get().contains(p);
}

const char *dtypeName(int dtype) {
  static const char *const names[] = {
      "FLOAT",         "FLOAT16",     "INT8",        "INT32",
      "UINT8",         nullptr,       "INT16",       "UINT16",
      "UINT32",        "INT64",       "UINT64",      "DOUBLE",
      "BOOL",          "STRING",      nullptr,       nullptr,
      "COMPLEX64",     "COMPLEX128",  nullptr,       nullptr,
      nullptr,         nullptr,       nullptr,       nullptr,
      nullptr,         nullptr,       nullptr,       "BF16",
      nullptr,         "INT4",        "UINT1",       nullptr,
      nullptr,         "COMPLEX32",   "HIFLOAT8",    "FLOAT8_E5M2",
      "FLOAT8_E4M3FN", "FLOAT8_E8M0", "FLOAT6_E3M2", "FLOAT6_E2M3",
      "FLOAT4_E2M1",   "FLOAT4_E1M2"};
  const bool known = dtype >= 0 && size_t(dtype) < std::size(names);
  return known && names[dtype] ? names[dtype] : "UNDEFINED";
}

std::string dimsText(const std::vector<int64_t> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

} // namespace lossgrad::aclnn

aclnnStatus aclnnInit(const char *configPath) {
  const aclError error = aclInit(configPath);
  return error == ACL_ERROR_REPEAT_INITIALIZE ? OK : error;
}

aclnnStatus aclnnFinalize() { return OK; }

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
                           aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData) {
  if (checkDims("aclCreateTensor", viewDims, viewDimsNum, storageDims,
                storageDimsNum))
    return nullptr;
  auto tensor = std::make_unique<aclTensor>();
  fill(*tensor, viewDims, viewDimsNum, dataType, stride, offset, format,
       storageDims, storageDimsNum, tensorData);
  return LiveSet<aclTensor>::get().add(std::move(tensor));
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims,
                          uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t *stride, int64_t offset,
                          aclFormat format, const int64_t *storageDims,
                          uint64_t storageDimsNum, void *tensorDataAddr) {
  if (aclnnStatus status = check("aclInitTensor", "tensor", tensor, {}))
    return status;
  if (aclnnStatus status = checkDims("aclInitTensor", viewDims, viewDimsNum,
                                     storageDims, storageDimsNum))
    return status;
  fill(*tensor, viewDims, viewDimsNum, dataType, stride, offset, format,
       storageDims, storageDimsNum, tensorDataAddr);
  return OK;
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType) {
  if (!value) {
    fail("aclCreateScalar", ParamNullptr, "value is null");
    return nullptr;
  }
  auto scalar = std::make_unique<aclScalar>();
  scalar->dtype = dataType;
  std::memcpy(scalar->bytes, value,
              std::min(aclDataTypeSize(dataType), sizeof scalar->bytes));
  return LiveSet<aclScalar>::get().add(std::move(scalar));
}

/// Null or size 0 gives an empty array.
template <typename Array, typename T>
static Array *createArray(const T *value, uint64_t size) {
  auto array = std::make_unique<Array>();
  if (value)
    array->values.assign(value, value + size);
  return LiveSet<Array>::get().add(std::move(array));
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size) {
  return createArray<aclIntArray>(value, size);
}
aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size) {
  return createArray<aclFloatArray>(value, size);
}
aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size) {
  return createArray<aclBoolArray>(value, size);
}
aclTensorList *aclCreateTensorList(const aclTensor *const *value,
                                   uint64_t size) {
  return createArray<aclTensorList>(value, size);
}
aclScalarList *aclCreateScalarList(const aclScalar *const *value,
                                   uint64_t size) {
  return createArray<aclScalarList>(value, size);
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor) {
  return destroy("aclDestroyTensor", "aclTensor", tensor);
}
aclnnStatus aclDestroyScalar(const aclScalar *scalar) {
  return destroy("aclDestroyScalar", "aclScalar", scalar);
}
aclnnStatus aclDestroyIntArray(const aclIntArray *array) {
  return destroy("aclDestroyIntArray", "aclIntArray", array);
}
aclnnStatus aclDestroyFloatArray(const aclFloatArray *array) {
  return destroy("aclDestroyFloatArray", "aclFloatArray", array);
}
aclnnStatus aclDestroyBoolArray(const aclBoolArray *array) {
  return destroy("aclDestroyBoolArray", "aclBoolArray", array);
}

/// A list owns its elements.
template <typename List>
static aclnnStatus destroyList(const char *call, const char *what,
                               const List *list) {
  if (!list)
    return OK;
  if (!LiveSet<List>::get().contains(list))
    return destroy(call, what, list);
  const auto elements = list->values;
  LiveSet<List>::get().remove(list);
  aclnnStatus first = OK;
  for (const auto *element : elements) {
    aclnnStatus status = destroy(call, "list element", element);
    if (first == OK)
      first = status;
  }
  return first;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *list) {
  return destroyList("aclDestroyTensorList", "aclTensorList", list);
}
aclnnStatus aclDestroyScalarList(const aclScalarList *list) {
  return destroyList("aclDestroyScalarList", "aclScalarList", list);
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
                            uint64_t *viewDimsNum) {
  if (aclnnStatus status =
          check("aclGetViewShape", "tensor", tensor, {viewDims, viewDimsNum}))
    return status;
  return copyOut(tensor->viewDims, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                               uint64_t *storageDimsNum) {
  if (aclnnStatus status = check("aclGetStorageShape", "tensor", tensor,
                                 {storageDims, storageDimsNum}))
    return status;
  return copyOut(tensor->storageDims, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                              uint64_t *stridesNum) {
  if (aclnnStatus status = check("aclGetViewStrides", "tensor", tensor,
                                 {stridesValue, stridesNum}))
    return status;
  return copyOut(tensor->strides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset) {
  if (aclnnStatus status =
          check("aclGetViewOffset", "tensor", tensor, {offset}))
    return status;
  *offset = tensor->offset;
  return OK;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format) {
  if (aclnnStatus status = check("aclGetFormat", "tensor", tensor, {format}))
    return status;
  *format = tensor->format;
  return OK;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType) {
  if (aclnnStatus status =
          check("aclGetDataType", "tensor", tensor, {dataType}))
    return status;
  *dataType = tensor->dtype;
  return OK;
}

template <typename Array>
static aclnnStatus getSize(const char *call, const Array *array,
                           uint64_t *size) {
  if (aclnnStatus status = check(call, "array", array, {size}))
    return status;
  *size = array->values.size();
  return OK;
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size) {
  return getSize("aclGetIntArraySize", array, size);
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size) {
  return getSize("aclGetFloatArraySize", array, size);
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size) {
  return getSize("aclGetBoolArraySize", array, size);
}
aclnnStatus aclGetTensorListSize(const aclTensorList *list, uint64_t *size) {
  return getSize("aclGetTensorListSize", list, size);
}
aclnnStatus aclGetScalarListSize(const aclScalarList *list, uint64_t *size) {
  return getSize("aclGetScalarListSize", list, size);
}

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr) {
  if (aclnnStatus status = check("aclSetRawTensorAddr", "tensor", tensor, {}))
    return status;
  tensor->data = addr;
  return OK;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr) {
  if (aclnnStatus status =
          check("aclGetRawTensorAddr", "tensor", tensor, {addr}))
    return status;
  *addr = tensor->data;
  return OK;
}
