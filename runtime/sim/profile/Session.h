// Profile mode as a whole: one recorder per core, one profile per launch, and
// the files and the table at the program's end.
#pragma once

#include "lossgrad/sim/Modes.h"
#include "sim/Observer.h"

#include <memory>

namespace lossgrad::sim::profile {

void configure(const ProfileOptions &options);

std::unique_ptr<Observer> makeObserver(Core &core);
void launchBegins(Launch &launch);
void launchEnds(Launch &launch, LaunchResult &result);

// Writes what the launches have left, once.
void finish();

std::string takeJson();

} // namespace lossgrad::sim::profile
