//===- op_node.h - one operator call as contexts see it ---------*- C++ -*-===//
//
// The state behind gert::TilingContext and its kin: operands, attributes,
// platform and the results that a function sets. The runtime fills one per
// call; a test builds one through lossgrad/op_test.h. Operator sources never
// include it themselves.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_OP_NODE_H
#define LOSSGRAD_OP_NODE_H

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_data.h"

#include <vector>

namespace fe {
class PlatFormInfos;
}

namespace lossgrad {

struct OpNode {
  const char *type = "";
  const char *name = "";

  // Actual tensors; a declared parameter refers to a run of them.
  std::vector<gert::Tensor> inputs, outputs;
  std::vector<gert::CompileTimeTensorDesc> inputDescs, outputDescs;
  std::vector<gert::AnchorInstanceInfo> declaredInputs, declaredOutputs;
  const gert::RuntimeAttrs *attrs = nullptr;

  fe::PlatFormInfos *platform = nullptr;
  const char *compiledJson = "{}";
  void *compileInfo = nullptr;
  int32_t deterministic = 0;

  // Results of inference.
  std::vector<gert::Shape> inferredShapes;
  std::vector<ge::DataType> inferredTypes;

  // Results of tiling. Block count 0 means that none was set.
  static constexpr size_t MaxWorkspaces = 16;
  uint64_t tilingKey = 0;
  uint32_t blockDim = 0;
  bool needAtomic = false;
  int32_t tilingCond = 0;
  uint32_t scheduleMode = 0;
  uint32_t localMemorySize = 0;
  size_t workspaces[MaxWorkspaces] = {};
  size_t workspaceCount = 0;
  gert::TilingData *tilingData = nullptr;

  /// The index of an actual input, or -1 when the parameter has fewer.
  long inputIndex(size_t declared, size_t relative) const {
    return indexIn(declaredInputs, declared, relative);
  }
  long outputIndex(size_t declared, size_t relative) const {
    return indexIn(declaredOutputs, declared, relative);
  }

private:
  static long indexIn(const std::vector<gert::AnchorInstanceInfo> &list,
                      size_t declared, size_t relative) {
    if (declared >= list.size() || relative >= list[declared].GetInstanceNum())
      return -1;
    return long(list[declared].GetInstanceStart() + relative);
  }
};

} // namespace lossgrad

#endif // LOSSGRAD_OP_NODE_H
