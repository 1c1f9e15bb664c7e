// The vendor splits its kernel header; some kernels include the parts.
#pragma once

#include "kernel_operator.h"
