//===- tiling_context.h - choosing a schedule for a shape -------*- C++ -*-===//
//
// Shapes, types, attributes and platform in; block count, tiling key, workspace
// sizes and tiling data out. Null comes back for every index that is not there.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_TILING_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_TILING_CONTEXT_H

#include "extended_kernel_context.h"

namespace gert {

class TilingContext : public ExtendedKernelContext {
public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const void *GetCompileInfo() const { return node_->compileInfo; }
  template <typename T> const T *GetCompileInfo() const {
    return static_cast<const T *>(node_->compileInfo);
  }
  fe::PlatFormInfos *GetPlatformInfo() const { return node_->platform; }
  int32_t GetDeterministic() const { return node_->deterministic; }

  const StorageShape *GetInputShape(const size_t index) const {
    return shapeOf(node_->inputs, long(index));
  }
  const StorageShape *GetOptionalInputShape(const size_t ir_index) const {
    return GetDynamicInputShape(ir_index, 0);
  }
  const StorageShape *GetRequiredInputShape(const size_t ir_index) const {
    return GetDynamicInputShape(ir_index, 0);
  }
  const StorageShape *GetDynamicInputShape(const size_t ir_index,
                                           const size_t relative_index) const {
    return shapeOf(node_->inputs, node_->inputIndex(ir_index, relative_index));
  }
  const StorageShape *GetOutputShape(const size_t index) const {
    return shapeOf(node_->outputs, long(index));
  }
  const Tensor *GetInputTensor(const size_t index) const {
    return at(node_->inputs, long(index));
  }
  const Tensor *GetOptionalInputTensor(const size_t ir_index) const {
    return GetDynamicInputTensor(ir_index, 0);
  }
  const Tensor *GetRequiredInputTensor(const size_t ir_index) const {
    return GetDynamicInputTensor(ir_index, 0);
  }
  const Tensor *GetDynamicInputTensor(const size_t ir_index,
                                      const size_t relative_index) const {
    return at(node_->inputs, node_->inputIndex(ir_index, relative_index));
  }

  ge::graphStatus SetTilingKey(const uint64_t tiling_key) {
    node_->tilingKey = tiling_key;
    return ge::GRAPH_SUCCESS;
  }
  uint64_t GetTilingKey() const { return node_->tilingKey; }
  ge::graphStatus SetBlockDim(const uint32_t block_dim) {
    node_->blockDim = block_dim;
    return ge::GRAPH_SUCCESS;
  }
  uint32_t GetBlockDim() const { return node_->blockDim; }
  ge::graphStatus SetScheduleMode(const uint32_t schedule_mode) {
    node_->scheduleMode = schedule_mode;
    return ge::GRAPH_SUCCESS;
  }
  uint32_t GetScheduleMode() const { return node_->scheduleMode; }
  ge::graphStatus SetTilingCond(int32_t tiling_cond) {
    node_->tilingCond = tiling_cond;
    return ge::GRAPH_SUCCESS;
  }
  int32_t GetTilingCond() const { return node_->tilingCond; }
  ge::graphStatus SetNeedAtomic(const bool atomic) {
    node_->needAtomic = atomic;
    return ge::GRAPH_SUCCESS;
  }
  bool NeedAtomic() const { return node_->needAtomic; }
  ge::graphStatus SetLocalMemorySize(const uint32_t local_memory_size) {
    node_->localMemorySize = local_memory_size;
    return ge::GRAPH_SUCCESS;
  }
  uint32_t GetLocalMemorySize() const { return node_->localMemorySize; }

  /// Null when the buffer is smaller than T.
  template <typename T> T *GetTilingData() {
    TilingData *data = node_->tilingData;
    if (data == nullptr || data->GetCapacity() < sizeof(T))
      return nullptr;
    data->SetDataSize(sizeof(T));
    return static_cast<T *>(data->GetData());
  }
  TilingData *GetRawTilingData() { return node_->tilingData; }

  size_t *GetWorkspaceSizes(const size_t workspace_count) {
    if (workspace_count > lossgrad::OpNode::MaxWorkspaces)
      return nullptr;
    node_->workspaceCount = workspace_count;
    return node_->workspaces;
  }
  size_t GetWorkspaceNum() const { return node_->workspaceCount; }

private:
  static const StorageShape *shapeOf(const std::vector<Tensor> &list,
                                     long index) {
    const Tensor *tensor = at(list, index);
    return tensor ? &tensor->GetShape() : nullptr;
  }
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_TILING_CONTEXT_H
