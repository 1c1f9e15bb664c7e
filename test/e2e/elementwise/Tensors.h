// Tensors of the test programs: extents, strides and memory, dense or in any
// other layout without overlap, and the walk over an output's elements with
// the addresses of what feeds them.
#pragma once

#include "lossgrad_tiling.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using Shape = std::vector<int64_t>;

inline lossgrad::Tensor denseTensor(const Shape &shape, int32_t dtype) {
  lossgrad::Tensor tensor = lossgrad::Tensor();
  tensor.present = true;
  tensor.dtype = dtype;
  tensor.rank = int32_t(shape.size());
  int64_t stride = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    tensor.extents[i] = shape[i];
    tensor.strides[i] = stride;
    stride *= shape[i];
  }
  return tensor;
}

/// Axes from the innermost in memory outwards, with a step and padding.
inline void relayout(lossgrad::Tensor &tensor, const std::vector<int> &order,
                     int64_t step, int64_t padding) {
  int64_t stride = step;
  for (int axis : order) {
    tensor.strides[axis] = stride;
    stride = stride * tensor.extents[axis] + padding;
  }
}

/// Elements from the first to the last, gaps included.
inline int64_t spanOf(const lossgrad::Tensor &tensor) {
  if (tensor.Numel() == 0)
    return 0;
  int64_t span = 1;
  for (int i = 0; i < tensor.rank; ++i)
    span += (tensor.extents[i] - 1) * tensor.strides[i];
  return span;
}

/// Where a tensor holds what belongs to an element of the output.
inline int64_t addressOf(const lossgrad::Tensor &tensor,
                         const lossgrad::Tensor &output, const int64_t *index) {
  int64_t at = 0;
  for (int i = 0; i < tensor.rank; ++i)
    if (tensor.extents[i] != 1)
      at += index[output.rank - tensor.rank + i] * tensor.strides[i];
  return at;
}

/// Calls `visit` with the index of every element, in row-major order.
template <typename Visit>
void forEachElement(const lossgrad::Tensor &output, Visit visit) {
  const int64_t count = output.Numel();
  int64_t index[8] = {};
  for (int64_t i = 0; i < count; ++i) {
    visit(i, index);
    for (int axis = output.rank - 1; axis >= 0; --axis) {
      if (++index[axis] < output.extents[axis])
        break;
      index[axis] = 0;
    }
  }
}

/// Random tensors of one call, reproducible.
class RandomCalls {
public:
  explicit RandomCalls(uint64_t seed) : engine(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }

  /// Inputs of rank 0 to 8 that broadcast to the output; some in layouts of
  /// their own, of one type or of any. Presence stays as it is.
  void shapes(const std::vector<lossgrad::Tensor *> &inputs,
              lossgrad::Tensor &output) {
    const Shape full = fullShape();
    const bool equal = pick(0, 3) == 0, oneType = pick(0, 1);
    const int32_t type = int32_t(pick(0, 2));
    Shape result(full.size(), 1);
    for (lossgrad::Tensor *input : inputs) {
      const bool present = input->present;
      *input = equal ? denseTensor(full, type) : part(full);
      input->present = present;
      input->dtype = oneType ? type : int32_t(pick(0, 2));
      for (int i = 0; i < input->rank; ++i)
        if (present && input->extents[i] != 1)
          result[full.size() - input->rank + i] = input->extents[i];
    }
    output = denseTensor(result, oneType ? type : int32_t(pick(0, 2)));
    if (pick(0, 3) == 0)
      shuffleLayout(output);
  }

private:
  std::mt19937_64 engine;

  Shape fullShape() {
    Shape shape(pick(0, 8));
    int64_t total = 1;
    for (int64_t &extent : shape) {
      extent = pick(0, 40) == 0  ? 0
               : pick(0, 9) == 0 ? pick(1, 700)
                                 : pick(1, 5);
      if (total * extent > 6000)
        extent = 1;
      total *= extent;
    }
    return shape;
  }

  /// Lacks leading axes, or has extent 1 in some.
  lossgrad::Tensor part(const Shape &full) {
    const int64_t dropped = pick(0, 2) ? 0 : pick(0, int64_t(full.size()));
    Shape extents(full.begin() + dropped, full.end());
    for (int64_t &extent : extents)
      if (pick(0, 3) == 0)
        extent = 1;
    if (pick(0, 5) == 0)
      extents.clear();
    lossgrad::Tensor tensor = denseTensor(extents, 0);
    if (pick(0, 3) == 0)
      shuffleLayout(tensor);
    return tensor;
  }

  /// Another layout without overlap: axes permuted, rows padded, steps.
  void shuffleLayout(lossgrad::Tensor &tensor) {
    std::vector<int> order(tensor.rank);
    for (int i = 0; i < tensor.rank; ++i)
      order[i] = i;
    if (pick(0, 1))
      std::shuffle(order.begin(), order.end(), engine);
    int64_t stride = pick(0, 3) ? 1 : pick(2, 5);
    for (int i = tensor.rank - 1; i >= 0; --i) {
      tensor.strides[order[i]] = stride;
      stride =
          stride * tensor.extents[order[i]] + (pick(0, 3) ? 0 : pick(1, 40));
    }
  }
};
