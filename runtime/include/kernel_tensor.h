// The vendor splits its kernel header; some kernels and tests include the part
// that has tensors.
#pragma once

#include "kernel_operator.h"
