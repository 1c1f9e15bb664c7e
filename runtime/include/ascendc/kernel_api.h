// The kernel API without the codes of element types (kernel_type.h), which
// would hide the host's enumerators from a program that needs both.
#pragma once

// What the vendor's compiler defines for the product that a source is compiled
// for. The product that runs is chosen at run time (LOSSGRAD_SOC).
#if !defined(__CCE_AICORE__) && !defined(__NPU_ARCH__)
#define __CCE_AICORE__ 220
#define __NPU_ARCH__ 2201
#elif !defined(__CCE_AICORE__)
#if __NPU_ARCH__ == 2201
#define __CCE_AICORE__ 220
#elif __NPU_ARCH__ == 2002
#define __CCE_AICORE__ 200
#elif __NPU_ARCH__ == 1001
#define __CCE_AICORE__ 100
#else
#define __CCE_AICORE__ 310
#endif
#endif

#include "ascendc/cube.h"
#include "ascendc/data_copy.h"
#include "ascendc/list_tensor.h"
#include "ascendc/local_mem_allocator.h"
#include "ascendc/macros.h"
#include "ascendc/pipe.h"
#include "ascendc/scalar.h"
#include "ascendc/system.h"
#include "ascendc/tensor.h"
#if __has_include("ascendc/vector/vector.h")
#include "ascendc/vector/vector.h"
#endif

// Kernels use the C names of these as well.
#include <cassert>
#include <cmath>
