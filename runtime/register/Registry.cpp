//===- Registry.cpp - functions by operator type --------------------------===//
//
// The registry and the registration classes that fill it.
//
//===----------------------------------------------------------------------===//
#include "Registry.h"

#include "register/op_def_factory.h"
#include "register/tilingdata_base.h"

namespace lossgrad {

OpRegistry &OpRegistry::get() {
  static auto *registry = new OpRegistry; // outlives the statics of packages
  return *registry;
}

const void *&OpRegistry::loadingScope() {
  static thread_local const void *scope = nullptr;
  return scope;
}

OpFunctions *OpRegistry::findLocked(const void *scope,
                                    const std::string &type) {
  auto found = entries.find({scope, type});
  if (found == entries.end() && scope)
    found = entries.find({nullptr, type});
  return found == entries.end() ? nullptr : &found->second;
}

bool OpRegistry::find(const void *scope, const std::string &type,
                      OpFunctions &copy) {
  std::lock_guard<std::mutex> lock(mutex);
  const OpFunctions *found = findLocked(scope, type);
  if (found)
    copy = *found;
  return found;
}

bool OpRegistry::compileInfo(const void *scope, const std::string &type,
                             const void *platform, OpNode &node) {
  std::lock_guard<std::mutex> lock(mutex);
  OpFunctions *functions = findLocked(scope, type);
  if (!functions || !functions->parse || !functions->createInfo)
    return true;
  auto known = functions->compileInfo.find(platform);
  if (known == functions->compileInfo.end()) {
    void *info = functions->createInfo();
    OpNode parseNode;
    parseNode.type = node.type;
    parseNode.name = node.name;
    parseNode.platform = node.platform;
    parseNode.compileInfo = info;
    gert::TilingParseContext context(parseNode);
    if (functions->parse(&context) != ge::GRAPH_SUCCESS) {
      functions->deleteInfo(info);
      return false;
    }
    known = functions->compileInfo.emplace(platform, info).first;
  }
  node.compileInfo = known->second;
  return true;
}

} // namespace lossgrad

using lossgrad::OpFunctions;
using lossgrad::OpRegistry;

namespace gert {

OpImplRegisterV2::OpImplRegisterV2(const ge::char_t *op_type)
    : type_(op_type) {}

// A null function (an OpDef that leaves it to IMPL_OP_*) replaces nothing.
OpImplRegisterV2 &OpImplRegisterV2::InferShape(InferShapeKernelFunc func) {
  if (func)
    OpRegistry::get().update(type_.GetString(),
                             [&](OpFunctions &f) { f.inferShape = func; });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc) {
  return *this;
}

OpImplRegisterV2 &
OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc func) {
  if (func)
    OpRegistry::get().update(type_.GetString(),
                             [&](OpFunctions &f) { f.inferDataType = func; });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  OpRegistry::get().update(type_.GetString(),
                           [&](OpFunctions &f) { f.typeOfFirstInput = true; });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::Tiling(TilingKernelFunc func,
                                           size_t max_tiling_data_size) {
  if (func)
    OpRegistry::get().update(type_.GetString(), [&](OpFunctions &f) {
      f.tiling = func;
      f.tilingCapacity = max_tiling_data_size;
    });
  return *this;
}

OpImplRegisterV2 &
OpImplRegisterV2::TilingParse(TilingParseFunc func,
                              CompileInfoCreatorFunc creator,
                              CompileInfoDeleterFunc deleter) {
  OpRegistry::get().update(type_.GetString(), [&](OpFunctions &f) {
    f.parse = func;
    f.createInfo = creator;
    f.deleteInfo = deleter;
    f.compileInfo.clear();
  });
  return *this;
}

// What only graphs use is accepted and has no effect here.
OpImplRegisterV2 &
OpImplRegisterV2::GenSimplifiedKey(GenSimplifiedKeyKernelFunc) {
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::OpExecuteFunc(OpExecFunc) { return *this; }
OpImplRegisterV2 &
OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t>) {
  return *this;
}
OpImplRegisterV2 &OpImplRegisterV2::HostInputs(std::initializer_list<int32_t>) {
  return *this;
}
OpImplRegisterV2 &
OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t>) {
  return *this;
}
OpImplRegisterV2 &
OpImplRegisterV2::OutputShapeDependOnCompute(std::initializer_list<int32_t>) {
  return *this;
}

} // namespace gert

namespace ops {

std::vector<std::pair<ge::AscendString, OpDefCreator>> &OpDefFactory::all() {
  static auto *creators =
      new std::vector<std::pair<ge::AscendString, OpDefCreator>>;
  return *creators;
}

int OpDefFactory::OpDefRegister(const char *name, OpDefCreator creator) {
  all().emplace_back(name, std::move(creator));
  return 0;
}

} // namespace ops

namespace optiling {

CTilingDataClassFactory &CTilingDataClassFactory::GetInstance() {
  static auto *factory = new CTilingDataClassFactory;
  return *factory;
}

void CTilingDataClassFactory::RegisterTilingData(
    const char *op_type, const TilingDataConstructor constructor) {
  constructors[op_type] = constructor;
}

std::shared_ptr<TilingDef>
CTilingDataClassFactory::CreateTilingDataInstance(const char *op_type) {
  auto found = constructors.find(op_type);
  return found == constructors.end() ? nullptr : found->second();
}

std::vector<ge::AscendString> CTilingDataClassFactory::Names() const {
  std::vector<ge::AscendString> names;
  for (auto &entry : constructors)
    names.push_back(entry.first);
  return names;
}

} // namespace optiling
