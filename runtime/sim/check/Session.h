// Check mode as a whole: one checker per core, one collection of findings per
// program.
#pragma once

#include "lossgrad/sim/Modes.h"
#include "sim/Observer.h"

#include <memory>

namespace lossgrad::sim::check {

void configure(const CheckOptions &options);
const CheckOptions &options();

std::unique_ptr<Observer> makeObserver(Core &core);
void launchBegins(Launch &launch);
void launchEnds(Launch &launch, LaunchResult &result);

// Prints the sum and returns the exit status: the number of findings that
// nobody has taken, at most 125.
int finish();

// "argument 2" for the global memory that begins there.
std::string nameOfGlobal(const Launch &launch, uint64_t begin);

// Adds a finding of the launch that is running. Thread-safe.
void record(const Launch &launch, Finding finding);
// The same for what a host program does outside of launches.
void recordOnHost(Finding finding);

} // namespace lossgrad::sim::check
