// A core of a launch together with the fibre (or thread) that runs it. Cores,
// their memories and stacks are kept between launches, since mapping them is
// what would make a small launch slow.
#pragma once

#include "sim/Core.h"
#include "sim/Fault.h"

#include <boost/context/fiber.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace lossgrad::sim {

// The expensive parts of a task.
struct CoreSlot {
  CoreSlot();
  ~CoreSlot();
  Core core;
  uint8_t *stack = nullptr; // lowest address, above its guard page
  bool inStackGuard(const void *addr) const;

  static std::unique_ptr<CoreSlot> take();
  static void giveBack(std::unique_ptr<CoreSlot> slot);
};

constexpr size_t kStackBytes = size_t(1) << 20;

struct Task {
  enum class State : uint8_t { Running, Parked, Ready, Done };

  std::unique_ptr<CoreSlot> slot;
  std::unique_ptr<Observer> observer;
  uint32_t index = 0;  // of the core in the launch
  uint32_t worker = 0; // host thread that owns the fibre
  State state = State::Ready;
  bool cancelled = false; // set when waiting has become pointless
  bool failed = false;
  bool yielded = false; // ready only because it let others run
  std::chrono::steady_clock::time_point lastPoll; // of global memory
  const char *waitsFor = "";
  std::function<bool()> wakeUp;
  FaultPoint fault;
  boost::context::fiber fibre;  // to resume the core
  boost::context::fiber caller; // to go back to the worker

  Core &core() const { return slot->core; }
};

} // namespace lossgrad::sim
