// Sign under the name by which the 9.x toolkit's own header is included.
#pragma once

#include "kernel_operator.h"
