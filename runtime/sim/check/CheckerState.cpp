// What one call leaves behind for the next: the mask register, counter mode and
// atomic stores; and operands of one call that share bytes. All of it runs on
// the device without a word.
#include "sim/Launch.h"
#include "sim/check/Checker.h"
#include "sim/check/Session.h"

namespace lossgrad::sim::check {

static std::string placeText(const char *call, Site site) {
  std::string file = site.file;
  file.erase(0, file.find_last_of('/') + 1);
  return std::string(call) + " at " + file + ":" + std::to_string(site.line);
}

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
                 placeText(mask->resetBy->call, mask->resetBy->site) +
                 " has reset what " +
                 placeText(mask->set.call, mask->set.site) + " had set";
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
  if (footprint.flow != Flow::Index)
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

// Element by element calls work on whole repeats: a result that covers part of
// a source may be written before that part is read. The same bytes are fine.
// Dense operands of one width only; for others the order within a repeat
// decides, and differing widths are refused by the call.
void Checker::checkOverlap(const Footprint &footprint) {
  if (footprint.flow != Flow::Lanes && footprint.flow != Flow::Bits)
    return;
  for (const Region &write : footprint.writes)
    for (const Region &read : footprint.reads) {
      const auto to = reinterpret_cast<uint64_t>(write.addr);
      const auto from = reinterpret_cast<uint64_t>(read.addr);
      if (write.rows != 1 || read.rows != 1 || write.planes != 1 ||
          read.planes != 1 || write.rowBytes != read.rowBytes || to == from)
        continue;
      if (to >= from + read.rowBytes || from >= to + write.rowBytes)
        continue;
      report({footprint.call, footprint.site, footprint.pipe}, to,
             to + write.rowBytes,
             {"overlap",
              "the result covers a source in part: it begins " +
                  std::to_string(to > from ? to - from : from - to) +
                  " bytes " + (to > from ? "after" : "before") + " it",
              "use the same tensor, or one that is apart"});
      return;
    }
}

} // namespace lossgrad::sim::check
