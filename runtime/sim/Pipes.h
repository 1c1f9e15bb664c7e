// Pipes as small numbers: their names, and the two ends of a hardware event.
#pragma once

#include "ascendc/types.h"

#include <cstddef>
#include <cstdint>

namespace lossgrad::sim {

constexpr size_t kPipes = PIPE_FIX + 1;

constexpr const char *nameOf(pipe_t pipe) {
  constexpr const char *names[] = {"PIPE_S",    "PIPE_V",    "PIPE_M",
                                   "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3",
                                   "PIPE_ALL",  "PIPE_MTE4", "PIPE_MTE5",
                                   "PIPE_V2",   "PIPE_FIX"};
  return names[pipe];
}

struct EventEnds {
  pipe_t from, to;
};

// In the order of AscendC::HardEvent.
constexpr EventEnds endsOf(AscendC::HardEvent event) {
  constexpr EventEnds ends[] = {
      {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M},
      {PIPE_M, PIPE_MTE1},    {PIPE_MTE2, PIPE_V},    {PIPE_V, PIPE_MTE2},
      {PIPE_MTE3, PIPE_V},    {PIPE_V, PIPE_MTE3},    {PIPE_M, PIPE_V},
      {PIPE_V, PIPE_M},       {PIPE_V, PIPE_V},       {PIPE_MTE3, PIPE_MTE1},
      {PIPE_MTE1, PIPE_MTE3}, {PIPE_MTE1, PIPE_V},    {PIPE_MTE2, PIPE_M},
      {PIPE_M, PIPE_MTE2},    {PIPE_V, PIPE_MTE1},    {PIPE_M, PIPE_FIX},
      {PIPE_FIX, PIPE_M},     {PIPE_MTE3, PIPE_MTE2}, {PIPE_MTE2, PIPE_MTE3},
      {PIPE_S, PIPE_V},       {PIPE_V, PIPE_S},       {PIPE_S, PIPE_MTE2},
      {PIPE_MTE2, PIPE_S},    {PIPE_S, PIPE_MTE3},    {PIPE_MTE3, PIPE_S},
      {PIPE_MTE2, PIPE_FIX},  {PIPE_FIX, PIPE_MTE2},  {PIPE_FIX, PIPE_S},
      {PIPE_M, PIPE_S},       {PIPE_FIX, PIPE_MTE3},  {PIPE_MTE1, PIPE_FIX},
      {PIPE_FIX, PIPE_MTE1},  {PIPE_FIX, PIPE_FIX}};
  static_assert(sizeof ends / sizeof ends[0] ==
                static_cast<size_t>(AscendC::HardEvent::MAX));
  return ends[static_cast<size_t>(event)];
}

} // namespace lossgrad::sim
