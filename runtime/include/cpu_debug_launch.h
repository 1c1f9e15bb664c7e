// What programs of the vendor's samples include to launch kernels on the CPU.
#pragma once

#include "tikicpulib.h"
