// The vendor splits its kernel header; some kernels and tests include the part
// that has logging and assertions.
#pragma once

#include "ascendc/kernel_api.h"
