// Tensor lists (dynamic inputs): a block of global memory that holds, as
// 64-bit words, the byte offset of the pointer table, then per tensor one word
// (index in the high half, rank in the low half) and its extents, then the
// table of data pointers. Rank 0 means that only pointers are given.
#pragma once

#include "ascendc/tensor.h"
#include "lossgrad/sim/System.h"

namespace AscendC {

class ListTensorDesc;

template <class T> class TensorDesc {
public:
  void SetShapeAddr(uint64_t *shapePtr) { shape = shapePtr; }
  uint64_t GetDim() { return dim; }
  uint64_t GetIndex() { return index; }
  uint64_t GetShape(uint32_t offset, Site site = Site::here()) {
    if (!shape || offset >= dim)
      lossgrad::sim::assertionFailed("offset < GetDim()",
                                     "TensorDesc::GetShape", site);
    return shape[offset];
  }
  __gm__ T *GetDataPtr() { return data; }
  GlobalTensor<T> GetDataObj() {
    uint64_t count = 1;
    for (uint32_t i = 0; shape && i < dim; ++i)
      count *= shape[i];
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data, count);
    return tensor;
  }

private:
  friend class ListTensorDesc;
  uint32_t dim = 0;
  uint32_t index = 0;
  uint64_t *shape = nullptr;
  __gm__ T *data = nullptr;
};

class ListTensorDesc {
public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void *data, uint32_t length = 0xffffffff,
                 uint32_t shapeSize = 0xffffffff, Site site = Site::here()) {
    Init(data, length, shapeSize, site);
  }
  void Init(__gm__ void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff,
            Site site = Site::here()) {
    if (!data)
      lossgrad::sim::assertionFailed("data != nullptr", "ListTensorDesc", site);
    auto words = static_cast<__gm__ uint64_t *>(data);
    shapes = words + 1;
    pointers = words + words[0] / sizeof(uint64_t);
    dim = static_cast<uint32_t>(shapes[0]);
    wordsPerTensor = dim == 0 ? 2 : 1 + dim;
    const auto count32 = static_cast<uint32_t>(shapes[0] >> 32);
    count =
        count32
            ? count32
            : static_cast<uint32_t>(pointers[-int(wordsPerTensor)] >> 32) + 1;
  }
  template <class T>
  void GetDesc(TensorDesc<T> &desc, uint32_t index, Site site = Site::here()) {
    requireIndex(index, site);
    desc.dim = dim;
    desc.index = index;
    desc.data = reinterpret_cast<__gm__ T *>(pointers[index]);
    if (!desc.shape)
      lossgrad::sim::assertionFailed("shape address set", "SetShapeAddr first",
                                     site);
    for (uint32_t i = 0; i < dim; ++i)
      desc.shape[i] = shapes[index * wordsPerTensor + 1 + i];
  }
  template <class T>
  __gm__ T *GetDataPtr(uint32_t index, Site site = Site::here()) {
    requireIndex(index, site);
    return reinterpret_cast<__gm__ T *>(pointers[index]);
  }
  uint32_t GetSize() { return count; }

private:
  void requireIndex(uint32_t index, Site site) const {
    if (index >= count)
      lossgrad::sim::assertionFailed("index < GetSize()", "ListTensorDesc",
                                     site);
  }
  __gm__ uint64_t *shapes = nullptr;
  __gm__ uint64_t *pointers = nullptr;
  uint32_t dim = 0, wordsPerTensor = 2, count = 0;
};

} // namespace AscendC
