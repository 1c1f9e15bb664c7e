// Compiles a kernel and nothing else.
#include "run_kernel.h"
