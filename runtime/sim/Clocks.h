// What each pipe of a core may take for finished. A clock counts, per pipe, the
// operations whose effects are visible; flags carry clocks from pipe to pipe,
// and the scalar unit, which issues everything, hands what it has waited for to
// all pipes. Memory is not known here.
#pragma once

#include "sim/Pipes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>

namespace lossgrad::sim {

using Clock = std::array<uint32_t, kPipes>;

inline void join(Clock &into, const Clock &other) {
  for (size_t i = 0; i < kPipes; ++i)
    into[i] = std::max(into[i], other[i]);
}

class Clocks {
public:
  // An operation is issued to a pipe: its number there. What it may rely on is
  // finished(pipe) before the call.
  uint32_t issue(pipe_t pipe) {
    learnFromScalar(pipe);
    const uint32_t number = ++issued[pipe];
    remember(pipe, number);
    // The scalar unit executes in order; other pipes only start in order.
    if (pipe == PIPE_S)
      known[PIPE_S][PIPE_S] = number;
    return number;
  }

  const Clock &finished(pipe_t pipe) {
    learnFromScalar(pipe);
    return known[pipe];
  }

  // A flag is set behind all that its pipe has been given so far.
  void set(AscendC::HardEvent event, int32_t id) {
    const pipe_t from = endsOf(event).from;
    learnFromScalar(from);
    Clock clock = known[from];
    clock[from] = issued[from];
    flags[{event, id}] = clock;
  }

  void wait(AscendC::HardEvent event, int32_t id) {
    auto flag = flags.find({event, id});
    if (flag == flags.end())
      return;
    join(known[endsOf(event).to], flag->second);
    flags.erase(flag);
  }

  // Everything that `pipe` was given is visible to it.
  void drain(pipe_t pipe) {
    if (pipe != PIPE_ALL) {
      known[pipe][pipe] = issued[pipe];
      return;
    }
    for (Clock &clock : known)
      clock = issued;
  }

  // `pipe` has waited for operation `number` of `other`, and so for what that
  // operation had waited for.
  void waitedFor(pipe_t pipe, pipe_t other, uint32_t number) {
    known[pipe][other] = std::max(known[pipe][other], number);
    const auto &past = history[other];
    for (auto at = past.rbegin(); at != past.rend(); ++at)
      if (at->number <= number) {
        join(known[pipe], at->known);
        break;
      }
    remember(pipe, issued[pipe]);
  }

private:
  // A pipe starts nothing that the scalar unit has not issued, so whatever the
  // scalar unit has waited for is over. Its own stores are not: they need S_V
  // and the like.
  void learnFromScalar(pipe_t pipe) {
    if (pipe == PIPE_S)
      return;
    Clock scalar = known[PIPE_S];
    scalar[PIPE_S] = 0;
    join(known[pipe], scalar);
  }

  // What a pipe knew when it was given an operation, if that is news. Few look
  // back far; what is forgotten is taken for not known.
  void remember(pipe_t pipe, uint32_t number) {
    auto &past = history[pipe];
    if (!past.empty() && past.back().known == known[pipe])
      return;
    past.push_back({number, known[pipe]});
    if (past.size() > kRemembered)
      past.pop_front();
  }

  static constexpr size_t kRemembered = 256;
  struct Snapshot {
    uint32_t number;
    Clock known;
  };
  std::array<std::deque<Snapshot>, kPipes> history;
  std::array<Clock, kPipes> known{};
  Clock issued{};
  std::map<std::pair<AscendC::HardEvent, int32_t>, Clock> flags;
};

} // namespace lossgrad::sim
