// Where in the kernel's source a call stands. Every public API function takes
// a Site as its last, defaulted argument, so that a report names the kernel's
// own file and line even when it was compiled without debug information. It is
// deliberately not a call stack.
#pragma once

#include <cstdint>

namespace lossgrad::sim {

struct Site {
  const char *file = "";
  uint32_t line = 0;

  // As a default argument this is evaluated at the caller of the function that
  // has the default, which is the kernel.
  static constexpr Site here(const char *file = __builtin_FILE(),
                             uint32_t line = __builtin_LINE()) {
    return Site{file, line};
  }
};

} // namespace lossgrad::sim
