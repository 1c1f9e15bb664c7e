// Host threads that wait for launches. The thread that launches is always
// worker 0, so a launch on one worker involves no other thread.
#pragma once

#include <functional>

namespace lossgrad::sim {

// Runs job(0) on the calling thread and job(1) .. job(workers - 1) on kept
// threads; returns when all have returned. Calls are serialised.
void runOnWorkers(unsigned workers, const std::function<void(unsigned)> &job);

// LOSSGRAD_THREADS, else what the host has.
unsigned hostThreads();

} // namespace lossgrad::sim
