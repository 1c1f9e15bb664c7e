// See Fault.h. The handler runs on an alternate stack, since the fault may be
// the overflow of a fibre's own stack, and jumps back to the block's entry: the
// frames in between are dropped, not unwound.
#include "sim/Fault.h"

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>

namespace lossgrad::sim {

static thread_local FaultPoint *tlsPoint = nullptr;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction previousActions[64];

static void onFault(int signal, siginfo_t *info, void *context) {
  FaultPoint *point = tlsPoint;
  if (point && point->armed) {
    point->armed = false;
    point->signal = signal;
    point->addr = info->si_addr;
    siglongjmp(point->env, 1);
  }
  const struct sigaction &previous = previousActions[signal];
  if ((previous.sa_flags & SA_SIGINFO) && previous.sa_sigaction) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
    return;
  }
  // Returning executes the instruction again, now with the default action.
  sigaction(signal, &previous, nullptr);
}

namespace {
// The stack lives as long as its thread.
struct AlternateStack {
  AlternateStack() {
    memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kBytes;
    sigaltstack(&stack, &previous);
  }
  ~AlternateStack() {
    sigaltstack(&previous, nullptr);
    munmap(memory, kBytes);
  }
  static constexpr size_t kBytes = 64 * 1024;
  void *memory;
  stack_t previous{};
};
} // namespace

void prepareThreadForFaults() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (int signal : kSignals) {
      struct sigaction action{};
      action.sa_sigaction = onFault;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      sigaction(signal, &action, &previousActions[signal]);
    }
  });
  static thread_local AlternateStack stack;
  (void)stack;
}

void setFaultPoint(FaultPoint *point) { tlsPoint = point; }

} // namespace lossgrad::sim
