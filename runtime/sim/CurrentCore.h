// What only the scheduler and the reports share.
#pragma once

#include "ascendc/types.h"

namespace lossgrad::sim {

class Core;

// Makes a core the current one of this host thread; null: none.
void setCurrentCore(Core *core);

const char *nameOf(AscendC::HardEvent event);

} // namespace lossgrad::sim
