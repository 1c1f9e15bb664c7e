//===- compiler_def.h - attributes of generated variables -------*- C++ -*-===//
//
// What the registration macros need of the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_GRAPH_COMPILER_DEF_H
#define LOSSGRAD_GRAPH_COMPILER_DEF_H

#ifndef VAR_UNUSED
#define VAR_UNUSED __attribute__((unused))
#endif
#define METADEF_FUNC_VISIBILITY __attribute__((visibility("default")))

#endif // LOSSGRAD_GRAPH_COMPILER_DEF_H
