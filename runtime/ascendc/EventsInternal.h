// Flags as the queues use them: on behalf of the call that is under way.
#pragma once

#include "ascendc/types.h"

namespace lossgrad::sim {

class Core;

void setFlagOn(Core &core, AscendC::HardEvent event, int32_t id);
void waitFlagOn(Core &core, AscendC::HardEvent event, int32_t id);
int32_t allocEventOn(Core &core, AscendC::HardEvent event);
void releaseEventOn(Core &core, AscendC::HardEvent event, int32_t id);

} // namespace lossgrad::sim
