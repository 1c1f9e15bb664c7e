// bfloat16_t on its own, for host code of tests that prepares data.
#pragma once

#include "ascendc/types.h"
