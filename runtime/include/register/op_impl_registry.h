//===- op_impl_registry.h - registering inference and tiling ----*- C++ -*-===//
//
// IMPL_OP_INFERSHAPE(Op).InferShape(f) and IMPL_OP_OPTILING(Op).Tiling(f), and
// what OP_ADD uses underneath. Each call enters the function into the registry
// of libnnopbase at once; a later registration of the same function of the same
// operator replaces the earlier one.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_REGISTER_OP_IMPL_REGISTRY_H
#define LOSSGRAD_REGISTER_OP_IMPL_REGISTRY_H

#include "exe_graph/runtime/base_type.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/op_execute_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "graph/compiler_def.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

#include <initializer_list>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace gert {

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

class METADEF_FUNC_VISIBILITY OpImplRegisterV2 {
public:
  using InferShapeKernelFunc = UINT32 (*)(InferShapeContext *);
  using InferShapeRangeKernelFunc = UINT32 (*)(InferShapeRangeContext *);
  using TilingKernelFunc = UINT32 (*)(TilingContext *);
  using InferDataTypeKernelFunc = UINT32 (*)(InferDataTypeContext *);
  using GenSimplifiedKeyKernelFunc = UINT32 (*)(TilingContext *, ge::char_t *);
  using OpExecFunc = UINT32 (*)(OpExecuteContext *);
  using OpType = ge::AscendString;
  using CompileInfoCreatorFunc = void *(*)();
  using CompileInfoDeleterFunc = void (*)(void *);
  using KernelFunc = UINT32 (*)(KernelContext *context);
  using TilingParseFunc = UINT32 (*)(TilingParseContext *context);

  explicit OpImplRegisterV2(const ge::char_t *op_type);
  OpImplRegisterV2(const OpImplRegisterV2 &) = default;
  OpImplRegisterV2 &operator=(const OpImplRegisterV2 &) = delete;

  OpImplRegisterV2 &InferShape(InferShapeKernelFunc infer_shape_func);
  OpImplRegisterV2 &InferShapeRange(InferShapeRangeKernelFunc func);
  OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc infer_datatype_func);
  OpImplRegisterV2 &InferOutDataTypeSameWithFirstInput();
  OpImplRegisterV2 &Tiling(TilingKernelFunc tiling_func,
                           size_t max_tiling_data_size = 2048);
  OpImplRegisterV2 &GenSimplifiedKey(GenSimplifiedKeyKernelFunc func);
  OpImplRegisterV2 &OpExecuteFunc(OpExecFunc func);
  OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &HostInputs(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &
  TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2 &
  OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);
  template <typename T>
  OpImplRegisterV2 &TilingParse(TilingParseFunc const tiling_parse_func) {
    return TilingParse(tiling_parse_func, create<T>, destroy<T>);
  }
  template <typename T>
  OpImplRegisterV2 &TilingParse(KernelFunc const tiling_parse_func) {
    return TilingParse(reinterpret_cast<TilingParseFunc>(tiling_parse_func),
                       create<T>, destroy<T>);
  }

private:
  OpImplRegisterV2 &TilingParse(TilingParseFunc func,
                                CompileInfoCreatorFunc creator,
                                CompileInfoDeleterFunc deleter);
  template <typename T> static void *create() { return new T(); }
  template <typename T> static void destroy(void *object) {
    delete static_cast<T *>(object);
  }
  ge::AscendString type_;
};

} // namespace gert

#define LOSSGRAD_IMPL_OP_NAMED(op_type, name, counter)                         \
  static gert::OpImplRegisterV2 VAR_UNUSED name##counter =                     \
      gert::OpImplRegisterV2(#op_type)
#define LOSSGRAD_IMPL_OP(op_type, name, counter)                               \
  LOSSGRAD_IMPL_OP_NAMED(op_type, name, counter)
#define IMPL_OP(op_type)                                                       \
  LOSSGRAD_IMPL_OP(op_type, op_impl_register_##op_type, __COUNTER__)

// Global on purpose, as with the vendor: two of a kind do not link.
#define IMPL_OP_INFERSHAPE(op_type)                                            \
  gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type =    \
      gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type)                                              \
  gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type =      \
      gert::OpImplRegisterV2(#op_type)

#endif // LOSSGRAD_REGISTER_OP_IMPL_REGISTRY_H
