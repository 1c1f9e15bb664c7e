// Asks for global memory that the next strips of a list will load or store,
// between the steps of this one: the host's memory would be idle while they
// compute, and its own prefetching begins anew with each strip. What follows a
// tile is asked for as well, since the next tile mostly begins there; nothing
// can fault.
#pragma once

#include "Strips.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace lossgrad::sim {

class Ahead {
public:
  void follow(const StripStep &step) {
    if (step.kind == StripStep::Kind::Store && !step.streams)
      follow(step.dst, step.whole, true);
    for (const StripOperand *source : {&step.src0, &step.src1})
      if (source->ahead)
        follow(*source, step.whole, false);
  }

  // A step that computes long asks by itself, on the way, for what it is handed
  // in every strip: loads without gaps.
  void reserve() {
    for (size_t i = 0; i < count && reserved < std::size(later);)
      if (streams[i].store || streams[i].runs != 1) {
        ++i;
      } else {
        lines -= streams[i].lines;
        later[reserved++] = streams[i];
        streams[i] = streams[--count];
      }
  }
  void handTo(StripStep &step) {
    for (size_t i = 0; i < reserved; ++i) {
      Stream &stream = later[i];
      step.params.later[i] = {
          stream.at, static_cast<uint32_t>(stream.advance / step.whole)};
      stream.at += stream.advance;
    }
  }

  // Each of the steps of a strip asks for an equal share of the rest.
  void shareAmong(size_t steps) {
    share = steps > 1 ? lines / steps + 1 : lines;
  }
  void nextStrip() { next = run = line = 0; }

  void ask() {
    uint64_t left = share;
    while (left && next < count) {
      const Stream &stream = streams[next];
      const uint64_t some = std::min(left, stream.lines - line);
      askFor(stream.at + run * stream.pitch + line * kLine, some, stream.store);
      left -= some;
      line += some;
      if (line < stream.lines)
        return;
      line = 0;
      if (++run < stream.runs)
        continue;
      run = 0;
      streams[next].at += stream.advance;
      ++next;
    }
  }

private:
  // An operand of `elements` a strip.
  void follow(const StripOperand &operand, uint64_t elements, bool store) {
    for (size_t i = 0; i < count; ++i)
      if (streams[i].begin == operand.at)
        return;
    if (count == streams.size())
      return;
    Stream &stream = streams[count++];
    const uint64_t pitch = operand.bits / 8, reach = operand.reach;
    stream.begin = operand.at;
    stream.advance = operand.advance;
    stream.store = store;
    if (reach && pitch >= 2 * reach) {
      // Rows with a gap: not what lies between them.
      stream.at = operand.at + operand.advance;
      stream.pitch = pitch;
      stream.runs = elements;
      stream.lines = (reach + kLine - 1) / kLine;
    } else {
      stream.at = operand.at + std::max(operand.advance, kAhead);
      stream.runs = 1;
      stream.lines = operand.advance / kLine;
    }
    lines += stream.runs * stream.lines;
  }

  static constexpr uint64_t kLine = 64;
  // Short strips come too soon for memory to answer.
  static constexpr uint64_t kAhead = 6144;

  struct Stream {
    const uint8_t *begin = nullptr; // what it is known by
    const uint8_t *at = nullptr;    // of the next strip
    uint64_t advance = 0, pitch = 0;
    uint64_t runs = 0, lines = 0; // of each
    bool store = false;
  };

  static void askFor(const uint8_t *at, uint64_t lines, bool store) {
    const uint8_t *const end = at + lines * kLine;
    for (; store && at != end; at += kLine)
      askForStore(at);
      // One per round: EPYC drops some of those that come faster.
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (; at != end; at += kLine)
      __builtin_prefetch(at, 0, 3);
  }
  // With the right to write: a line that is read first and then written goes
  // through memory's protocol twice. Compilers that know no more than x86-64
  // make a plain prefetch of it; hosts without the instruction ignore it.
  static void askForStore(const uint8_t *at) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*at));
#else
    __builtin_prefetch(at, 1, 3);
#endif
  }

  std::array<Stream, 8> streams;
  size_t count = 0;
  std::array<Stream, 2> later;
  size_t reserved = 0;
  uint64_t lines = 0; // of one strip
  uint64_t share = 0;
  // What is asked for next, in this strip.
  size_t next = 0;
  uint64_t run = 0, line = 0;
};

} // namespace lossgrad::sim
