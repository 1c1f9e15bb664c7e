// The vendor splits its kernel header; some kernels and tests include the part
// that has the vector calls.
#pragma once

#include "kernel_operator.h"
