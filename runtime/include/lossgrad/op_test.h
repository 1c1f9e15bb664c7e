//===- op_test.h - calling tiling and inference directly --------*- C++ -*-===//
//
// Builds the context of one operator call from shapes, types and attributes and
// runs a registered function on it, without tensors, kernels or devices:
//
//   lossgrad::OpCall call("AddCustom");
//   call.platform("Ascend910B1", 40, 196608)
//       .input({8, 2048}, ge::DT_FLOAT).input({2048}, ge::DT_FLOAT)
//       .output({8, 2048}, ge::DT_FLOAT).attr(int64_t(1));
//   ge::graphStatus status = call.tile();    // then call.node().blockDim, ...
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_OP_TEST_H
#define LOSSGRAD_OP_TEST_H

#include "graph/compiler_def.h"
#include "lossgrad/op_node.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lossgrad {

/// Attribute values in declaration order, stored as contexts hand them out.
class METADEF_FUNC_VISIBILITY AttrValues {
public:
  AttrValues();
  ~AttrValues();
  AttrValues(AttrValues &&) noexcept;
  AttrValues &operator=(AttrValues &&) noexcept;

  void add(int64_t value);
  void add(float value);
  void add(bool value);
  void add(const char *value);
  void add(const std::vector<int64_t> &value);
  void add(const std::vector<float> &value);
  void add(const std::vector<bool> &value);
  const gert::RuntimeAttrs *get() const;

private:
  void addBytes(const void *bytes, size_t size);
  template <typename T> void addList(const T *values, size_t count);
  struct Storage;
  std::unique_ptr<Storage> storage;
};

class METADEF_FUNC_VISIBILITY OpCall {
public:
  explicit OpCall(const char *opType);
  ~OpCall();
  OpCall(OpCall &&) noexcept;
  OpCall &operator=(OpCall &&) noexcept;

  /// Without this call the selected SoC and the environment decide.
  OpCall &platform(const char *soc, uint32_t cores = 0, uint64_t ubBytes = 0);
  OpCall &deterministic(bool on);
  OpCall &tilingCapacity(size_t bytes);

  OpCall &input(const std::vector<int64_t> &dims, ge::DataType type,
                ge::Format format = ge::FORMAT_ND, void *hostData = nullptr);
  /// An optional input that is not given.
  OpCall &absentInput();
  /// Begins a dynamic input; each `input` until endDynamic is one of its
  /// tensors.
  OpCall &beginDynamic();
  OpCall &endDynamic();
  OpCall &output(const std::vector<int64_t> &dims, ge::DataType type,
                 ge::Format format = ge::FORMAT_ND);
  OpCall &absentOutput();
  template <typename T> OpCall &attr(const T &value) {
    attrs().add(value);
    return *this;
  }

  /// GRAPH_FAILED with error() set when nothing is registered.
  ge::graphStatus tile();
  ge::graphStatus inferShape();
  ge::graphStatus inferDataType();

  const OpNode &node() const;
  const char *error() const;
  const void *tilingData() const;
  size_t tilingDataSize() const;
  AttrValues &attrs();

  /// Where to look for registrations; null is the whole process.
  OpCall &scope(const void *package);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace lossgrad

#endif // LOSSGRAD_OP_TEST_H
