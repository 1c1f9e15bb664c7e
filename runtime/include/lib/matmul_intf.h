// Matrix multiplication is not part of the stand-in. Many vector kernels
// include this header without using it; the ones that use it do not compile.
#pragma once

#include "kernel_operator.h"
