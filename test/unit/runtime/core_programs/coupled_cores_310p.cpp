// Tails, a software barrier and limits of the Atlas inference products.
// PRODUCT: on Ascend310P
#define __NPU_ARCH__ 2002
#include "coupled_cores.h"

int main() { return checkAll(); }
