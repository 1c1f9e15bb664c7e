// What a kernel's own printing and conditions need comes with everything else.
#pragma once

#include "kernel_operator.h"
