// What one call leaves behind for the next: the mask register, counter mode and
// atomic stores; and operands of one call that share bytes. All of it runs on
// the device without a word.
#include "sim/Launch.h"
#include "sim/Runs.h"
#include "sim/check/Checker.h"
#include "sim/check/Session.h"

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

// Byte offsets that were meant as elements.
void Checker::checkIndex(const Footprint &footprint) {
  if (footprint.decider != Decider::Index)
    return;
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
