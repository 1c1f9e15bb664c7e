//===- c_types.h - basic C types of the graph side --------------*- C++ -*-===//
//
// Kernel tests include it beside the kernel headers; it adds no names of its
// own, so that it goes with either side.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_GRAPH_C_TYPES_H
#define LOSSGRAD_GRAPH_C_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#endif // LOSSGRAD_GRAPH_C_TYPES_H
