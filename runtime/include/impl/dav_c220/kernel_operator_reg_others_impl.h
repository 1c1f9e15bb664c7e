// The vendor splits its kernel header; some kernels include this part for calls
// on the control register.
#pragma once

#include "kernel_operator.h"
