//===- base_type.h - results of registered functions ------------*- C++ -*-===//
//
// The integer types that the registration headers name.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_BASE_TYPE_H
#define LOSSGRAD_EXE_GRAPH_BASE_TYPE_H

typedef unsigned int UINT32;
typedef UINT32 KernelStatus;

#endif // LOSSGRAD_EXE_GRAPH_BASE_TYPE_H
