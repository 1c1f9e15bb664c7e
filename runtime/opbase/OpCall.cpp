//===- OpCall.cpp - the context of one operator call ----------------------===//
//
// Builds the node behind the gert contexts and runs registered functions on it,
// for the runtime and for tests alike.
//
//===----------------------------------------------------------------------===//
#include "acl/Runtime.h"
#include "lossgrad/op_test.h"
#include "platform/platform_infos_def.h"
#include "register/Registry.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

namespace lossgrad {

struct AttrValues::Storage {
  gert::RuntimeAttrs attrs;
  std::deque<std::vector<uint64_t>> cells; // aligned to 8 bytes, never moved
  void note(const void *value) { attrs.values.push_back(value); }
};

AttrValues::AttrValues() : storage(new Storage) {}
AttrValues::~AttrValues() = default;
AttrValues::AttrValues(AttrValues &&) noexcept = default;
AttrValues &AttrValues::operator=(AttrValues &&) noexcept = default;

const gert::RuntimeAttrs *AttrValues::get() const { return &storage->attrs; }

void AttrValues::addBytes(const void *bytes, size_t size) {
  storage->cells.emplace_back((size + 7) / 8 + 1);
  void *cell = storage->cells.back().data();
  if (size)
    std::memcpy(cell, bytes, size);
  storage->note(cell);
}

template <typename T> void AttrValues::addList(const T *values, size_t count) {
  const size_t bytes = sizeof(gert::ContinuousVector) + count * sizeof(T);
  storage->cells.emplace_back((bytes + 7) / 8);
  auto *list =
      reinterpret_cast<gert::ContinuousVector *>(storage->cells.back().data());
  list->Init(count);
  list->SetSize(count);
  if (count)
    std::memcpy(list->MutableData(), values, count * sizeof(T));
  storage->note(list);
}

void AttrValues::add(int64_t value) { addBytes(&value, sizeof value); }
void AttrValues::add(float value) { addBytes(&value, sizeof value); }
void AttrValues::add(bool value) { addBytes(&value, sizeof value); }
void AttrValues::add(const char *value) {
  addBytes(value ? value : "", value ? std::strlen(value) + 1 : 1);
}
void AttrValues::add(const std::vector<int64_t> &value) {
  addList(value.data(), value.size());
}
void AttrValues::add(const std::vector<float> &value) {
  addList(value.data(), value.size());
}
void AttrValues::add(const std::vector<bool> &value) {
  std::unique_ptr<bool[]> plain(new bool[value.size() + 1]);
  for (size_t i = 0; i < value.size(); ++i)
    plain[i] = value[i];
  addList(plain.get(), value.size());
}

struct OpCall::State {
  std::string type;
  OpNode node;
  AttrValues attrs;
  const void *scope = nullptr;
  size_t capacity = 0; // 0: as registered
  std::vector<uint64_t> buffer;
  std::string error;
  bool inDynamic = false;
};

namespace {

/// The selected product with the overrides of the environment.
fe::PlatFormInfos *selectedPlatform() {
  return fe::PlatFormInfos::Find(
      acl::settings().socName.c_str(),
      uint32_t(acl::numberFromEnvironment("LOSSGRAD_CORE_NUM", 0)),
      acl::numberFromEnvironment("LOSSGRAD_UB_SIZE", 0));
}

void addTensor(std::vector<gert::Tensor> &tensors,
               std::vector<gert::CompileTimeTensorDesc> &descs,
               const std::vector<int64_t> &dims, ge::DataType type,
               ge::Format format, void *hostData) {
  gert::StorageShape shape;
  for (int64_t dim : dims) {
    shape.MutableOriginShape().AppendDim(dim);
    shape.MutableStorageShape().AppendDim(dim);
  }
  tensors.emplace_back(shape, gert::StorageFormat(format, format, {}),
                       hostData ? gert::kOnHost : gert::kOnDeviceHbm, type,
                       hostData);
  gert::CompileTimeTensorDesc desc;
  desc.SetDataType(type);
  desc.SetOriginFormat(format);
  desc.SetStorageFormat(format);
  descs.push_back(desc);
}

} // namespace

OpCall::OpCall(const char *opType) : state(new State) {
  state->type = opType;
  state->node.type = state->node.name = state->type.c_str();
  state->node.attrs = state->attrs.get();
}
OpCall::~OpCall() = default;
OpCall::OpCall(OpCall &&) noexcept = default;
OpCall &OpCall::operator=(OpCall &&) noexcept = default;

OpCall &OpCall::platform(const char *soc, uint32_t cores, uint64_t ubBytes) {
  state->node.platform = fe::PlatFormInfos::Find(soc, cores, ubBytes);
  if (!state->node.platform)
    state->error = std::string("unknown SoC '") + (soc ? soc : "") + "'";
  return *this;
}

OpCall &OpCall::deterministic(bool on) {
  state->node.deterministic = on;
  return *this;
}

OpCall &OpCall::tilingCapacity(size_t bytes) {
  state->capacity = bytes;
  return *this;
}

OpCall &OpCall::scope(const void *package) {
  state->scope = package;
  return *this;
}

OpCall &OpCall::input(const std::vector<int64_t> &dims, ge::DataType type,
                      ge::Format format, void *hostData) {
  OpNode &node = state->node;
  addTensor(node.inputs, node.inputDescs, dims, type, format, hostData);
  if (!state->inDynamic)
    node.declaredInputs.emplace_back(node.inputs.size() - 1, 1);
  return *this;
}

OpCall &OpCall::absentInput() {
  state->node.declaredInputs.emplace_back(state->node.inputs.size(), 0);
  return *this;
}

OpCall &OpCall::beginDynamic() {
  state->inDynamic = true;
  state->node.declaredInputs.emplace_back(state->node.inputs.size(), 0);
  return *this;
}

OpCall &OpCall::endDynamic() {
  state->inDynamic = false;
  gert::AnchorInstanceInfo &list = state->node.declaredInputs.back();
  const size_t start = list.GetInstanceStart();
  list = gert::AnchorInstanceInfo(start, state->node.inputs.size() - start);
  return *this;
}

OpCall &OpCall::output(const std::vector<int64_t> &dims, ge::DataType type,
                       ge::Format format) {
  OpNode &node = state->node;
  addTensor(node.outputs, node.outputDescs, dims, type, format, nullptr);
  node.declaredOutputs.emplace_back(node.outputs.size() - 1, 1);
  return *this;
}

OpCall &OpCall::absentOutput() {
  state->node.declaredOutputs.emplace_back(state->node.outputs.size(), 0);
  return *this;
}

AttrValues &OpCall::attrs() { return state->attrs; }
const OpNode &OpCall::node() const { return state->node; }
const char *OpCall::error() const { return state->error.c_str(); }

const void *OpCall::tilingData() const {
  return state->node.tilingData ? state->node.tilingData->GetData() : nullptr;
}

size_t OpCall::tilingDataSize() const {
  return state->node.tilingData ? state->node.tilingData->GetDataSize() : 0;
}

ge::graphStatus OpCall::tile() {
  State &s = *state;
  auto failed = [&](std::string text) {
    s.error = std::move(text);
    return ge::GRAPH_FAILED;
  };
  OpFunctions functions;
  if (!OpRegistry::get().find(s.scope, s.type, functions) || !functions.tiling)
    return failed("no tiling function is registered for " + s.type);
  if (!s.node.platform && s.error.empty())
    s.node.platform = selectedPlatform();
  if (!s.node.platform)
    return failed(s.error.empty()
                      ? "unknown SoC '" + acl::settings().socName + "'"
                      : s.error);
  const size_t capacity = s.capacity ? s.capacity : functions.tilingCapacity;
  // Not zeroed on purpose: a field that tiling forgets must show.
  const size_t header = (sizeof(gert::TilingData) + 7) / 8;
  s.buffer.assign(header + (capacity + 7) / 8 + 4, 0xA5A5A5A5A5A5A5A5u);
  s.node.tilingData = reinterpret_cast<gert::TilingData *>(s.buffer.data());
  s.node.tilingData->Init(capacity, s.buffer.data() + header);
  s.node.blockDim = 0;
  s.node.tilingKey = 0;
  s.node.workspaceCount = 0;
  if (!OpRegistry::get().compileInfo(s.scope, s.type, s.node.platform, s.node))
    return failed("the tiling-parse function of " + s.type + " failed");
  gert::TilingContext context(s.node);
  const ge::graphStatus status = functions.tiling(&context);
  if (status != ge::GRAPH_SUCCESS)
    return failed("the tiling function of " + s.type + " returned " +
                  std::to_string(status)),
           status;
  if (s.node.tilingData->GetDataSize() > capacity)
    return failed("tiling data of " +
                  std::to_string(s.node.tilingData->GetDataSize()) +
                  " bytes exceeds its capacity of " + std::to_string(capacity));
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus OpCall::inferShape() {
  OpFunctions functions;
  if (!OpRegistry::get().find(state->scope, state->type, functions) ||
      !functions.inferShape) {
    state->error = "no shape inference is registered for " + state->type;
    return ge::GRAPH_FAILED;
  }
  state->node.inferredShapes.assign(state->node.outputs.size(), gert::Shape());
  gert::InferShapeContext context(state->node);
  return functions.inferShape(&context);
}

ge::graphStatus OpCall::inferDataType() {
  OpNode &node = state->node;
  OpFunctions functions;
  const bool found =
      OpRegistry::get().find(state->scope, state->type, functions);
  node.inferredTypes.assign(node.outputs.size(), ge::DT_UNDEFINED);
  if (found && functions.inferDataType) {
    gert::InferDataTypeContext context(node);
    return functions.inferDataType(&context);
  }
  if (found && functions.typeOfFirstInput && !node.inputDescs.empty()) {
    node.inferredTypes.assign(node.outputs.size(),
                              node.inputDescs[0].GetDataType());
    return ge::GRAPH_SUCCESS;
  }
  state->error = "no type inference is registered for " + state->type;
  return ge::GRAPH_FAILED;
}

} // namespace lossgrad
