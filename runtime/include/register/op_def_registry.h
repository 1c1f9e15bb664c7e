//===- op_def_registry.h - OP_ADD -------------------------------*- C++ -*-===//
//
// The same op_host source is compiled three times, and OP_ADD means something
// else each time:
//   OP_PROTO_LIB   registers the inference functions,
//   OP_TILING_LIB  registers the tiling function,
//   neither        registers the description itself, for lossgrad-opbuild.
// With LOSSGRAD_OP_ALL, which only our own build of a project sets, it means all
// three, and the source is compiled once.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_REGISTER_OP_DEF_REGISTRY_H
#define LOSSGRAD_REGISTER_OP_DEF_REGISTRY_H

#include "register/op_def.h"
#include "register/op_def_factory.h"

#if defined(LOSSGRAD_OP_ALL)
#define OP_ADD(opType, ...)                                                    \
  static int VAR_UNUSED g_##opType##_added = [](const char *name) {            \
    opType op(name);                                                           \
    gert::OpImplRegisterV2 impl(name);                                         \
    impl.InferShape(op.GetInferShape())                                        \
        .InferShapeRange(op.GetInferShapeRange())                              \
        .InferDataType(op.GetInferDataType());                                 \
    if (op.AICore().GetTiling())                                               \
      impl.Tiling(op.AICore().GetTiling());                                    \
    return ops::OpDefFactory::OpDefRegister(                                   \
        name, [](const char *type) { return opType(type); });                  \
  }(#opType)
#elif defined(OP_PROTO_LIB)
#define OP_ADD(opType, ...)                                                    \
  static int VAR_UNUSED g_##opType##_added = [](const char *name) {            \
    opType op(name);                                                           \
    gert::OpImplRegisterV2 impl(name);                                         \
    impl.InferShape(op.GetInferShape())                                        \
        .InferShapeRange(op.GetInferShapeRange())                              \
        .InferDataType(op.GetInferDataType());                                 \
    return 0;                                                                  \
  }(#opType)
#elif defined(OP_TILING_LIB)
#define OP_ADD(opType, ...)                                                    \
  static int VAR_UNUSED g_##opType##_added = [](const char *name) {            \
    opType op(name);                                                           \
    gert::OpImplRegisterV2 impl(name);                                         \
    impl.Tiling(op.AICore().GetTiling());                                      \
    return 0;                                                                  \
  }(#opType)
#else
#define OP_ADD(opType, ...)                                                    \
  static int VAR_UNUSED g_##opType##_added = ops::OpDefFactory::OpDefRegister( \
      #opType, [](const char *name) { return opType(name); })
#endif

#endif // LOSSGRAD_REGISTER_OP_DEF_REGISTRY_H
