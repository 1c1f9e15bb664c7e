// Codes of element types for `#if ORIG_DTYPE_X == DT_FLOAT16` in kernels. They
// are macros, as the vendor's are, so a source that also wants the enumerators
// of the same names (graph/types.h) includes those first. tikicpulib.h leaves
// them out: a test that describes tensors for the host needs the enumerators.
#pragma once

#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_BOOL 11
#define DT_DOUBLE 12
#define DT_STRING 13
#define DT_COMPLEX64 16
#define DT_COMPLEX128 17
#define DT_BF16 27
#define DT_UNDEFINED 28
#define DT_INT4 29
#define DT_UINT1 30
#define DT_INT2 31
#define DT_UINT2 32
#define DT_MAX 33
