//===- Registry.h - functions by operator type ------------------*- C++ -*-===//
//
// Where registered tiling and inference functions are kept. Functions that a
// package library registers while it is being loaded belong to that package, so
// that two packages may contain the same operator type; everything else is
// found by all.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_REGISTER_REGISTRY_H
#define LOSSGRAD_RUNTIME_REGISTER_REGISTRY_H

#include "register/op_impl_registry.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace lossgrad {

struct OpFunctions {
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  size_t tilingCapacity = 2048;
  gert::OpImplRegisterV2::TilingParseFunc parse = nullptr;
  gert::OpImplRegisterV2::CompileInfoCreatorFunc createInfo = nullptr;
  gert::OpImplRegisterV2::CompileInfoDeleterFunc deleteInfo = nullptr;
  gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
  bool typeOfFirstInput = false;

  // Compile info is made once per platform and never freed: tilings of other
  // threads may read it.
  std::map<const void *, void *> compileInfo;
};

class OpRegistry {
public:
  static OpRegistry &get();

  /// Changes the entry of `type` in the scope that is being loaded.
  template <typename Change> void update(const char *type, Change change) {
    std::lock_guard<std::mutex> lock(mutex);
    change(entries[{loadingScope(), type}]);
  }

  /// A copy of the entry in `scope`, else of the one everybody sees.
  bool find(const void *scope, const std::string &type, OpFunctions &found);

  /// The compile info of an operator on a platform, made at the first call.
  /// False when the parse function fails.
  bool compileInfo(const void *scope, const std::string &type,
                   const void *platform, OpNode &node);

  /// While one of these lives, registrations of this thread go to `scope`.
  class Loading {
  public:
    explicit Loading(const void *scope) : before(loadingScope()) {
      loadingScope() = scope;
    }
    ~Loading() { loadingScope() = before; }

  private:
    const void *before;
  };

private:
  static const void *&loadingScope();
  OpFunctions *findLocked(const void *scope, const std::string &type);

  std::mutex mutex;
  std::map<std::pair<const void *, std::string>, OpFunctions> entries;
};

} // namespace lossgrad

#endif // LOSSGRAD_RUNTIME_REGISTER_REGISTRY_H
