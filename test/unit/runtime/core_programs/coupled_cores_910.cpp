// The same on the Atlas training products: four event ids, fewer calls.
// PRODUCT: on Ascend910A
#define __NPU_ARCH__ 1001
#include "coupled_cores.h"

int main() { return checkAll(); }
