// The header that AscendC kernels include: all of the kernel API that the
// stand-in has.
#pragma once

#include "ascendc/kernel_api.h"
#include "kernel_type.h"
