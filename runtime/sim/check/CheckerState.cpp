// What one call leaves behind for the next: the mask register, counter mode and
// atomic stores; and operands of one call that share bytes. All of it runs on
// the device without a word.
#include "sim/Launch.h"
#include "sim/Runs.h"
#include "sim/check/Checker.h"
#include "sim/check/Session.h"

#include <algorithm>
#include <string_view>

namespace lossgrad::sim::check {

void Checker::registers(Core &, RegisterEvent event) {
  const Place here{core.call, core.site, PIPE_V};
  switch (event) {
  case RegisterEvent::MaskSet:
    mask = SetMask{core.regs.maskLow, core.regs.maskHigh, here, std::nullopt};
    break;
  case RegisterEvent::MaskTaken:
    mask.reset();
    break;
  case RegisterEvent::MaskReset:
    if (mask && !mask->resetBy)
      mask->resetBy = here;
    break;
  case RegisterEvent::MaskUsed:
    checkLostMask();
    break;
  case RegisterEvent::CounterMode:
    counterSet = here;
    break;
  case RegisterEvent::Atomic:
    atomicSet = here;
    atomicSet.pipe = PIPE_MTE3;
    break;
  }
}

// A call without its own mask after a count form: the mask that was set for it
// is gone.
void Checker::checkLostMask() {
  if (!mask || !mask->resetBy ||
      (mask->low == core.regs.maskLow && mask->high == core.regs.maskHigh))
    return;
  Finding finding = findingAt({core.call, core.site, PIPE_V}, "lost-mask");
  finding.what = "takes the mask register as it is, but " +
                 textOf(*mask->resetBy) + " has reset what " +
                 textOf(mask->set) + " had set";
  finding.advice = "set the mask last, or give the call its own";
  record(*core.launch, std::move(finding));
}

// Counter mode and atomic stores outlive the kernel.
void Checker::checkLeftOn() {
  auto add = [&](const Place &place, const char *what, const char *advice) {
    Finding finding = findingAt(place, "left-on");
    finding.what = what;
    finding.advice = advice;
    record(*core.launch, std::move(finding));
  };
  if (core.regs.counterMode)
    add(counterSet, "counter mode is still on when the block ends",
        "SetMaskNorm and ResetMask after the last call that needs it");
  if (core.regs.atomic != AtomicKind::None)
    add(atomicSet, "stores are still atomic when the block ends",
        "SetAtomicNone after the last atomic store");
}

// An index that leaves the buffer which holds the table is wrong, whoever owns
// what it finds there.
void Checker::checkTable(const Footprint &footprint) {
  const auto table = reinterpret_cast<uint64_t>(footprint.table);
  const Buffer *home = nullptr;
  for (uint32_t i = 0; i < core.bufferCount && table; ++i) {
    const auto base = reinterpret_cast<uint64_t>(core.buffers[i].addr);
    if (table - base < core.buffers[i].bytes)
      home = &core.buffers[i];
  }
  if (!home || outside)
    return;
  const auto base = reinterpret_cast<uint64_t>(home->addr);
  for (const Region &read : footprint.reads) {
    const auto from = reinterpret_cast<uint64_t>(read.addr);
    if (read.operand == 0 ||
        (from >= base && from + read.rowBytes <= base + home->bytes))
      continue;
    report({footprint.call, footprint.site, footprint.pipe}, from,
           from + read.rowBytes,
           {"out-of-bounds",
            "an offset leads out of the " + std::to_string(home->bytes) +
                " bytes of the source's buffer, to byte " +
                std::to_string(static_cast<int64_t>(from - base)),
            "offsets are bytes from the source's start; check their range"});
    return;
  }
}

// Repeats that write over each other, unless each goes on with what the one
// before has left (the result is a source as well).
void Checker::checkRepeats(const Footprint &footprint) {
  for (const Region &write : footprint.writes) {
    const auto to = reinterpret_cast<uint64_t>(write.addr);
    const int64_t pitch = write.rows > 1 ? write.rowPitch : write.planePitch;
    const uint32_t repeats = write.rows > 1 ? write.rows : write.planes;
    if (repeats < 2 || pitch < 0 ||
        pitch >= static_cast<int64_t>(write.rowBytes))
      continue;
    const bool continues = std::any_of(
        footprint.reads.begin(), footprint.reads.end(), [&](const Region &r) {
          return reinterpret_cast<uint64_t>(r.addr) == to &&
                 r.rowPitch == write.rowPitch && r.rows == write.rows;
        });
    if (continues)
      continue;
    report({footprint.call, footprint.site, footprint.pipe}, to,
           to + write.rowBytes,
           {"overlap",
            "each of " + std::to_string(repeats) + " repeats writes " +
                std::to_string(write.rowBytes) + " bytes, " +
                std::to_string(pitch) + " bytes after the one before",
            "the repeat stride of dst must cover what a repeat writes"});
    return;
  }
}

// Byte offsets that were meant as elements.
void Checker::checkIndex(const Footprint &footprint) {
  if (footprint.decider != Decider::Index)
    return;
  checkTable(footprint);
  for (const Region &read : footprint.reads) {
    const auto from = reinterpret_cast<uint64_t>(read.addr);
    if (read.operand == 0 || !read.rowBytes || from % read.rowBytes == 0)
      continue;
    report({footprint.call, footprint.site, footprint.pipe}, from,
           from + read.rowBytes,
           {"silent-on-device",
            "an offset is not a multiple of the " +
                std::to_string(read.rowBytes) + " bytes of an element",
            "offsets are in bytes: multiply indices by the element size"});
    return;
  }
}

static bool isDense(const Region &region) {
  return region.planes == 1 &&
         (region.rows == 1 ||
          region.rowPitch == static_cast<int64_t>(region.rowBytes));
}

// Element by element calls work on whole repeats: a result that covers part of
// a source may be written before that part is read. The same bytes are fine.
// Dense operands of one width only; for others the order within a repeat
// decides, and differing widths are refused by the call.
void Checker::checkOverlap(const Footprint &footprint) {
  if (footprint.flow != Flow::Lanes && footprint.flow != Flow::Bits)
    return;
  const bool isCopy = std::string_view(footprint.call) == "DataCopy";
  for (const Region &write : footprint.writes)
    for (const Region &read : footprint.reads) {
      const auto to = reinterpret_cast<uint64_t>(write.addr);
      const auto from = reinterpret_cast<uint64_t>(read.addr);
      const uint64_t bytes = bytesOf(write);
      if (!isDense(write) || !isDense(read) || bytes != bytesOf(read) ||
          to == from || to >= from + bytes || from >= to + bytes)
        continue;
      // Copies and repeats that write behind what they read move data down, in
      // order.
      if (to < from &&
          (isCopy || (write.rows > 1 && from - to >= write.rowBytes)))
        continue;
      report({footprint.call, footprint.site, footprint.pipe}, to, to + bytes,
             {"overlap",
              "the result covers a source in part: it begins " +
                  std::to_string(to > from ? to - from : from - to) +
                  " bytes " + (to > from ? "after" : "before") + " it",
              "use the same tensor, or one that is apart"});
      return;
    }
}

} // namespace lossgrad::sim::check
