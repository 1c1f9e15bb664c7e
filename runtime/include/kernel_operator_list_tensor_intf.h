// The vendor splits its kernel header; some kernels and tests include the part
// that has tensor lists.
#pragma once

#include "kernel_operator.h"
