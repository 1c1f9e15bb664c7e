// The vendor splits its kernel header; some kernels and tests include the part
// that has constants and traits.
#pragma once

#include "kernel_operator.h"
